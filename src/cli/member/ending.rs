//! What a member says when it has ended as it was told to. Only one that has left says so: scripts hand work on by that word.

use std::time::Duration;

use serde_json::{Value, json};

use super::Said;
use crate::client::Ending;

/// How it ended, in the words of its place; without an ending its coordinator's answer was not waited for.
pub fn ended(instance_id: Option<&str>, ending: Option<&Ending>, session: Duration) -> Said {
    let (at_most_ms, seconds) = (session.as_millis(), session.as_secs_f64());
    let said = |event: Value, text: String| Said { event, text };
    let not_left = |reason: &str, is_silent: bool| {
        // One that was down counts every session anew.
        let from = if is_silent { " after the coordinator is back" } else { "" };
        said(
            json!({
                "event": "ended", "reason": reason, "session_ends_ms": at_most_ms, "coordinator_silent": is_silent,
            }),
            format!(
                "ended, and has not left the group ({reason}): others get its work when its session ends, in {seconds} s at \
                 most{from}"
            ),
        )
    };
    match (ending, instance_id) {
        (Some(Ending::Left), _) => said(json!({ "event": "left" }), "left".to_owned()),
        (Some(Ending::PlaceKept), name) => said(
            json!({ "event": "ended", "instance_id": name, "place_kept_ms": at_most_ms }),
            format!(
                "ended; the place of {} and its share are kept for {seconds} s, for the process that comes back under that \
                 name; without --instance-id others have them at once",
                name.unwrap_or_default()
            ),
        ),
        (Some(Ending::Joining), name) => said(
            json!({ "event": "ended", "instance_id": name, "session_ends_ms": at_most_ms }),
            format!("ended while joining; the place of {} may be kept for up to {seconds} s", name.unwrap_or_default()),
        ),
        (Some(Ending::Outside), None) => said(json!({ "event": "ended" }), "ended; it was not in the group".to_owned()),
        (Some(Ending::Outside), Some(name)) => said(
            json!({ "event": "ended", "instance_id": name }),
            format!(
                "ended; it was not in the group (what an earlier process left behind under {name} is kept until the session of \
                 that one ends)"
            ),
        ),
        (Some(Ending::NotLeft { reason, is_silent }), _) => not_left(reason, *is_silent),
        (None, _) => not_left("the coordinator's answer was not waited for", false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_has_not_left_does_not_say_so() {
        let session = Duration::from_millis(45_000);
        let said = |name, ending: Option<Ending>| ended(name, ending.as_ref(), session);
        let left = said(None, Some(Ending::Left));
        assert_eq!((left.text.as_str(), &left.event), ("left", &json!({ "event": "left" })));
        assert_eq!(said(Some("i-1"), Some(Ending::Left)).event, left.event, "one that drained has left under any name");
        let not_left = |reason: &str, is_silent| Some(Ending::NotLeft { reason: reason.to_owned(), is_silent });
        let others = [
            (None, Some(Ending::Outside), "it was not in the group"),
            (Some("i-1"), Some(Ending::Outside), "left behind under i-1"),
            (Some("i-1"), Some(Ending::PlaceKept), "the place of i-1 and its share are kept for 45 s"),
            (Some("i-1"), Some(Ending::Joining), "ended while joining; the place of i-1 may be kept for up to 45 s"),
            (None, not_left("30", false), "(30): others get its work when its session ends, in 45 s at most"),
            (None, not_left("no answer", true), "in 45 s at most after the coordinator is back"),
            (None, None, "was not waited for"),
        ];
        for (name, ending, words) in others {
            let said = said(name, ending);
            assert!(said.text.starts_with("ended") && said.text.contains(words), "{}", said.text);
            assert_eq!(said.event["event"], "ended", "{}", said.text);
        }
        assert_eq!(said(Some("i-1"), Some(Ending::PlaceKept)).event["place_kept_ms"], 45_000);
        assert_eq!(said(Some("i-1"), Some(Ending::Joining)).event["session_ends_ms"], 45_000);
        assert!(!said(None, not_left("30", false)).text.contains("is back"));
    }
}
