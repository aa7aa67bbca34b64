//! `divvy groups list`.

use anyhow::{Context, Result};
use clap::Args;
use serde::{Deserialize, Serialize};

use super::view::state;
use super::{AdminAnswer, Source};
use crate::cli::kafka::refused;
use crate::cli::output::{Output, table};
use crate::wire::messages::list_groups::ListGroupsRequest;

/// The groups with their states.
#[derive(Args, Debug)]
pub struct List {
    #[command(flatten)]
    source: Source,
}

/// A line of the list.
#[derive(Serialize, Deserialize, Default, Debug)]
#[serde(default)]
struct Line {
    id: String,
    state: String,
    protocol_type: Option<String>,
    protocol: Option<String>,
    generation: Option<i32>,
    members: Option<usize>,
}

impl List {
    /// Prints them.
    pub fn run(self, output: &Output) -> Result<()> {
        let (address, mut lines) = self.lines()?;
        lines.sort_by(|a, b| a.id.cmp(&b.id));
        output.print(&lines, || match lines.is_empty() {
            true => format!("no groups at {address}: `divvy join --group NAME --topic NAME` makes one"),
            false => text(&lines),
        })
    }

    /// The groups, and who told.
    fn lines(&self) -> Result<(String, Vec<Line>)> {
        if let Some(AdminAnswer { address, value: Some(answer) }) = self.source.ask_admin("/groups")? {
            let lines = serde_json::from_value(answer["groups"].clone());
            return Ok((address.clone(), lines.with_context(|| format!("{address} lists its groups in other words"))?));
        }
        let server = self.source.server();
        let answer = self.source.connect()?.ask(&ListGroupsRequest::default())?;
        if answer.error_code.is_error() {
            return Err(refused("the groups are not listed", answer.error_code, None));
        }
        let lines = answer.groups.iter().map(|group| Line {
            id: group.group_id.to_string(),
            state: state(&group.group_state).to_owned(),
            protocol_type: (!group.protocol_type.is_empty()).then(|| group.protocol_type.to_string()),
            ..Line::default()
        });
        Ok((server.to_owned(), lines.collect()))
    }
}

fn text(lines: &[Line]) -> String {
    let or_dash = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
    let rows = lines.iter().map(|line| {
        vec![
            line.id.clone(),
            line.state.clone(),
            or_dash(line.protocol_type.clone()),
            or_dash(line.protocol.clone()),
            or_dash(line.generation.map(|generation| generation.to_string())),
            or_dash(line.members.map(|members| members.to_string())),
        ]
    });
    table(&["GROUP", "STATE", "TYPE", "PROTOCOL", "GENERATION", "MEMBERS"], rows)
}
