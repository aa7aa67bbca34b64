//! What happens to the children, as a line of JSON for scripts and as a sentence for people.

use std::time::Duration;

use serde_json::{Value, json};

use super::children::{Cause, Exit, News};
use super::work::Key;

/// What a child is called in a sentence. The one for the whole share has no name of its own: the member's would read as if
/// `divvy run` itself had ended.
pub(super) fn of(key: &Key) -> String {
    match key {
        Key::Member => "the child".to_owned(),
        partition => partition.to_string(),
    }
}

/// A line of JSON: `event` names it, `child` is what the child is for.
pub(super) fn json(name: &str, news: &News) -> Value {
    match news {
        News::Started(number) => json!({ "event": "child_started", "child": name, "number": number }),
        News::Ready(number) => json!({ "event": "child_ready", "child": name, "number": number }),
        News::Draining(number) => json!({ "event": "child_draining", "child": name, "number": number }),
        News::Killed(number, cause) => {
            json!({ "event": "child_killed", "child": name, "number": number, "cause": cause_name(*cause) })
        }
        News::Ended(number, exit) => {
            with_exit(json!({ "event": "child_ended", "child": name, "number": number }), exit)
        }
        News::Failed { child, exit, by_itself: _, failures, again_in } => {
            let event = json!({
                "event": "child_failed",
                "child": name,
                "number": child,
                "failures": failures,
                "again_in_ms": again_in.map(|wait| wait.as_millis()),
            });
            with_exit(event, exit)
        }
    }
}

fn with_exit(mut event: Value, exit: &Exit) -> Value {
    match exit {
        Exit::Code(code) => event["code"] = json!(code),
        Exit::NotStarted(reason) => event["reason"] = json!(reason),
    }
    event
}

fn cause_name(cause: Cause) -> &'static str {
    match cause {
        Cause::Lost => "lost",
        Cause::Grace => "grace",
        Cause::NotReady => "not_ready",
        Cause::Asked => "asked",
    }
}

/// A sentence.
pub(super) fn text(name: &str, news: &News) -> String {
    match news {
        News::Started(_) => format!("{name} is started"),
        News::Ready(_) => format!("{name} is ready"),
        News::Draining(_) => format!("{name} is asked to end"),
        News::Killed(_, cause) => {
            let why = match cause {
                Cause::Lost => "its work may be another member's",
                Cause::Grace => "it did not end in time when it was asked to",
                Cause::NotReady => "it did not say in time that it is ready",
                Cause::Asked => "it is not to be waited for",
            };
            format!("{name} is killed: {why}")
        }
        News::Ended(_, exit) => format!("{name} has ended ({})", exit_text(exit)),
        News::Failed { exit, by_itself, failures, again_in, .. } => {
            let times = if *failures == 1 { String::new() } else { format!(", {failures} times in a row") };
            let next = match again_in {
                Some(wait) => format!("; the next one starts in {}", seconds(*wait)),
                None => String::new(),
            };
            let how = if *by_itself { "has ended by itself" } else { "has ended" };
            format!("{name} {how} ({}){times}{next}", exit_text(exit))
        }
    }
}

fn exit_text(exit: &Exit) -> String {
    match exit {
        Exit::Code(code @ 129..=192) => format!("signal {}", code - 128),
        Exit::Code(code) => format!("exit code {code}"),
        Exit::NotStarted(reason) => reason.clone(),
    }
}

fn seconds(wait: Duration) -> String {
    format!("{:.1} s", wait.as_secs_f64())
}
