//! `divvy assignor run`: one made-up group, one call of the module, the plan.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use serde_json::{Value, json};

use super::{cases, load};
use crate::assignor::case::shown_state;
use crate::assignor::{CallError, FaultKind, Manifest, Plan};
use crate::cli::failure::{Failure, Kind};
use crate::cli::files;
use crate::cli::output::{Output, partitions, table};
use crate::sandbox::LoadError;

/// Run one case and print the plan.
#[derive(Args, Debug)]
pub struct Run {
    /// The module
    #[arg(long, value_name = "FILE.wasm")]
    module: PathBuf,
    /// The group: a case as in tests/vectors (`topics`, `members`, `config`)
    #[arg(long, value_name = "CASE.json")]
    input: PathBuf,
    /// Write the request that the module is asked with, for a test that calls the strategy natively
    #[arg(long, value_name = "FILE")]
    request: Option<PathBuf>,
}

impl Run {
    /// Prints `{"plan": …}`, or fails.
    pub fn run(self, output: &Output) -> Result<()> {
        let cases = cases(&self.input)?;
        let [case] = cases.as_slice() else {
            let (path, count) = (self.input.display(), cases.len());
            let remedy = "give one, or use `divvy assignor check`";
            return Err(Failure::of(Kind::Usage, format!("{path} holds {count} cases: {remedy}")));
        };
        let other_kind = |why| Failure::of(Kind::Usage, format!("{}: {why}", self.input.display()));
        case.check_kind().map_err(other_kind)?;
        let module = load(&self.module)?.map_err(|error| rejected(&error));
        if let (Some(to), Ok(module)) = (&self.request, &module) {
            let asked = case.with_call(module.manifest(), 0, |call| call.request().to_vec());
            let bytes = asked.map_err(|error| Failure::of_strategy(self.module.display(), error))?;
            files::write("the request", to, &bytes)?;
        }
        let made = module.and_then(|module| Ok((case.lead(module.as_ref())?, module.manifest().clone())));
        let (plan, manifest) = made.map_err(|error| Failure::of_strategy(self.module.display(), error))?;
        let shares = shares(&plan, &manifest);
        output.print(&json!({ "plan": shares }), || text(&shares))
    }
}

/// A module that was refused before it could run fails under that name; the code says by which rule.
fn rejected(error: &LoadError) -> CallError {
    let code = Some(error.kind.name().to_owned());
    CallError { kind: FaultKind::Rejected, code, message: error.message.clone() }
}

/// What each member gets: partitions by topic, or its decoded state.
fn shares(plan: &Plan, manifest: &Manifest) -> BTreeMap<String, Value> {
    let show = |state: &[u8]| shown_state(&manifest.protocol_type, state);
    plan.states.iter().map(|(member, state)| (member.to_string(), show(state))).collect()
}

fn text(shares: &BTreeMap<String, Value>) -> String {
    let rows = shares.iter().map(|(member, share)| vec![member.clone(), share_text(share)]);
    table(&["MEMBER", "GETS"], rows)
}

/// `clicks 0-3 7`, or a state as it is.
fn share_text(share: &Value) -> String {
    let topics = serde_json::from_value::<BTreeMap<String, Vec<i32>>>(share.clone());
    match topics {
        Ok(topics) => partitions(topics.iter().map(|(topic, list)| (topic.as_str(), list.as_slice()))),
        Err(_) => share.to_string(),
    }
}
