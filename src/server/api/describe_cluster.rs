//! DescribeCluster: the brokers of Metadata; node 0 is the coordinator, each other one stands for a rack.

use crate::server::Handle;
use crate::server::topics::COORDINATOR_NODE;
use crate::wire::messages::describe_cluster::DescribeClusterBroker;
use crate::wire::messages::{DescribeClusterRequest, DescribeClusterResponse};
use crate::wire::{ErrorCode, Text};

/// "The brokers", of the endpoints that there can be; the other kind are controllers (KIP-919).
const BROKERS: i8 = 1;

/// The answer.
pub(crate) async fn answer(request: DescribeClusterRequest, handle: Handle) -> DescribeClusterResponse {
    // Racks are brokers: they are known when the topics are.
    handle.topics().loaded().await;
    let endpoint_type = request.endpoint_type;
    let cluster_id = handle.cluster_id();
    if endpoint_type != BROKERS {
        let why = "divvy has no controllers of its own: ask for its brokers (endpoint type 1)";
        return DescribeClusterResponse {
            error_code: ErrorCode::MismatchedEndpointType,
            error_message: Some(Text::from(why)),
            endpoint_type,
            cluster_id,
            ..Default::default()
        };
    }
    let (host, port) = handle.advertised();
    let broker = |it: &crate::server::topics::Broker| DescribeClusterBroker {
        broker_id: it.node,
        host: host.clone(),
        port,
        rack: it.rack.as_deref().map(Text::from),
        is_fenced: false,
    };
    let brokers = handle.topics().view().brokers().iter().map(broker).collect();
    DescribeClusterResponse { controller_id: COORDINATOR_NODE, cluster_id, brokers, ..Default::default() }
}
