//! DescribeConfigs: the coordinator's own settings under Kafka's names, a group's under those of `[[group]]`, and of a
//! topic that it has none. Nothing can be changed over the wire, and AlterConfigs is not served.

use super::text;
use crate::ids::GroupId;
use crate::server::Handle;
use crate::server::config::HostPort;
use crate::server::settings::{self, Setting};
use crate::wire::messages::describe_configs::{
    DescribeConfigsResource, DescribeConfigsResourceResult, DescribeConfigsResult, DescribeConfigsSynonym,
};
use crate::wire::messages::{DescribeConfigsRequest, DescribeConfigsResponse};
use crate::wire::{ErrorCode, Text};

/// Kafka's numbers of what has settings.
const TOPIC: i8 = 2;
const BROKER: i8 = 4;
const GROUP: i8 = 32;

/// Kafka's numbers of where a value comes from: the server's own file, or nowhere.
const FROM_FILE: i8 = 4;
const DEFAULT: i8 = 5;

/// The answer: an entry for each resource asked for, in order.
pub(crate) async fn answer(request: DescribeConfigsRequest, handle: Handle) -> DescribeConfigsResponse {
    handle.topics().loaded().await;
    let result = |asked: &DescribeConfigsResource| {
        let (error_code, error_message, settings) = match settings(asked, &handle) {
            Ok(settings) => (ErrorCode::None, None, settings),
            Err((error, why)) => (error, Some(Text::from(why)), Vec::new()),
        };
        let wanted = |setting: &Setting| match asked.configuration_keys.as_deref() {
            None | Some([]) => true,
            Some(keys) => keys.iter().any(|key| **key == *setting.name),
        };
        DescribeConfigsResult {
            error_code,
            error_message,
            resource_type: asked.resource_type,
            resource_name: text(asked.resource_name.as_str()),
            configs: settings.into_iter().filter(wanted).map(|it| shown(it, &request)).collect(),
        }
    };
    DescribeConfigsResponse { results: request.resources.iter().map(result).collect(), ..Default::default() }
}

fn settings(asked: &DescribeConfigsResource, handle: &Handle) -> Result<Vec<Setting>, (ErrorCode, String)> {
    let name = asked.resource_name.as_str();
    match asked.resource_type {
        TOPIC if handle.topics().view().table().get(name).is_some() => Ok(Vec::new()),
        TOPIC => Err((ErrorCode::UnknownTopicOrPartition, format!("there is no topic {name:?}"))),
        // Settings of all brokers together, which nobody has made.
        BROKER if name.is_empty() => Ok(Vec::new()),
        BROKER => {
            let is_it = |broker: &crate::server::topics::Broker| name.parse() == Ok(broker.node);
            if handle.topics().view().brokers().iter().any(is_it) {
                let (host, port) = handle.advertised();
                let advertised = HostPort { host: host.to_string(), port: u16::try_from(port).unwrap_or_default() };
                Ok(settings::of_server(&handle.config(), &advertised))
            } else {
                Err((ErrorCode::InvalidRequest, format!("there is no broker {name:?}: Metadata lists them")))
            }
        }
        GROUP => Ok(settings::of_group(&handle.config(), &GroupId::from(name))),
        other => {
            let why = format!("resource type {other} has no settings here: topics (2), brokers (4) and groups (32) do");
            Err((ErrorCode::InvalidRequest, why))
        }
    }
}

fn shown(setting: Setting, request: &DescribeConfigsRequest) -> DescribeConfigsResourceResult {
    let source = if setting.is_default { DEFAULT } else { FROM_FILE };
    let (name, value) = (Text::from(setting.name), Some(Text::from(setting.value)));
    let synonym = || DescribeConfigsSynonym { name: name.clone(), value: value.clone(), source };
    DescribeConfigsResourceResult {
        synonyms: if request.include_synonyms { vec![synonym()] } else { Vec::new() },
        documentation: request.include_documentation.then(|| Text::from(setting.meaning)),
        name,
        value,
        read_only: true,
        config_source: source,
        is_sensitive: false,
        config_type: setting.kind as i8,
    }
}
