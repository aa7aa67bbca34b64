//! What became of each of several things that were to be deleted: one line for each, one JSON document for all, and the
//! exit code of the worst.

use anyhow::Result;
use serde_json::{Map, Value};

use super::failure::Failure;
use super::output::{Output, plain};

/// One of them.
pub struct Outcome {
    /// Its name, under the key that it has in JSON.
    pub name: (&'static str, String),
    /// What is said of one that is deleted.
    pub done: String,
    /// Why it is not.
    pub error: Option<anyhow::Error>,
}

/// Tells of all of them.
pub fn tell(outcomes: &[Outcome], output: &Output) -> Result<()> {
    let documents: Vec<Value> = outcomes.iter().map(document).collect();
    let done: Vec<&str> =
        outcomes.iter().filter(|outcome| outcome.error.is_none()).map(|outcome| outcome.done.as_str()).collect();
    if output.is_json() || !done.is_empty() {
        output.print(&documents, || plain_lines(&done))?;
    }
    match Failure::told(outcomes.iter().filter_map(|outcome| outcome.error.as_ref())) {
        Some(worst) => Err(worst),
        None => Ok(()),
    }
}

fn document(outcome: &Outcome) -> Value {
    let (key, name) = &outcome.name;
    let mut document = Map::new();
    document.insert((*key).to_owned(), name.as_str().into());
    document.insert("deleted".to_owned(), outcome.error.is_none().into());
    if let Some(error) = &outcome.error {
        document.insert("error".to_owned(), format!("{error:#}").into());
    }
    Value::Object(document)
}

fn plain_lines(lines: &[&str]) -> String {
    lines.iter().map(|line| plain(line)).collect::<Vec<_>>().join("\n")
}
