//! `divvy groups delete GROUP…`.

use anyhow::Result;
use clap::Args;

use super::foreign::Foreign;
use crate::cli::SERVER;
use crate::cli::address::host_port;
use crate::cli::confirm::Confirm;
use crate::cli::failure::{Failure, Kind};
use crate::cli::kafka::{Kafka, refused};
use crate::cli::outcomes::{self, Outcome};
use crate::cli::output::Output;
use crate::cli::security::SecurityArgs;
use crate::wire::ErrorCode;
use crate::wire::messages::delete_groups::{DeletableGroupResult, DeleteGroupsRequest};

/// Delete groups that have no members, with all that they have committed.
#[derive(Args, Debug)]
pub struct Delete {
    /// The groups
    #[arg(required = true, value_name = "GROUP")]
    groups: Vec<String>,
    #[command(flatten)]
    confirm: Confirm,
    /// The coordinator
    #[arg(long, value_name = "HOST:PORT", default_value = SERVER, value_parser = host_port)]
    server: String,
    #[command(flatten)]
    security: SecurityArgs,
}

/// What else is lost: whoever refuses old epochs would refuse the next writer, too.
const EPOCHS: &str = ", so that generations, and the epochs that fence writers, begin with 1 again";

impl Delete {
    /// Deletes them.
    pub fn run(mut self, output: &Output) -> Result<()> {
        self.groups.sort();
        self.groups.dedup();
        let mut server = Kafka::connect(&self.server, &self.security)?;
        let names: Vec<String> = self.groups.iter().map(|group| format!("{group:?}")).collect();
        let what = format!("delete {} at {}, with all offsets{EPOCHS}", names.join(", "), self.server);
        self.confirm.ask(&what)?;
        let groups_names = self.groups.iter().map(|group| group.as_str().into()).collect();
        let answer = server.ask(&DeleteGroupsRequest { groups_names, ..Default::default() })?;
        let outcome = |it: &DeletableGroupResult| Outcome {
            name: ("id", it.group_id.to_string()),
            done: format!("group {:?} is deleted", it.group_id.as_str()),
            error: it.error_code.is_error().then(|| not_deleted(&mut server, &it.group_id, it.error_code)),
        };
        let mut outcomes: Vec<Outcome> = answer.results.iter().map(outcome).collect();
        outcomes.sort_by(|a, b| a.name.cmp(&b.name));
        outcomes::tell(&outcomes, output)
    }
}

fn not_deleted(server: &mut Kafka, group: &str, error: ErrorCode) -> anyhow::Error {
    match error {
        ErrorCode::NonEmptyGroup => {
            // That it is not deleted is known; what kind of group it is only makes it clearer.
            if let Ok(Some(foreign)) = Foreign::find(server, group) {
                return foreign.refuse("has members, which have to be stopped first");
            }
            let remedy = "stop them, then delete it; `divvy groups describe` shows them";
            Failure::of(Kind::Failed, format!("group {group:?} has members: {remedy}"))
        }
        ErrorCode::GroupIdNotFound => {
            let remedy = "`divvy groups list` shows those that are there";
            Failure::of(Kind::NotFound, format!("there is no group {group:?}: {remedy}"))
        }
        error => refused(&format!("group {group:?} is not deleted"), error, None),
    }
}
