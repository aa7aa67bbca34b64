//! Whether a strategy's word goes out with its member: `divvy_user_data`, within what a joining member allows.

use serde_json::{Value, json};

use crate::assignor::{Assignor, CallError, FaultKind, smoke_user_data};
use crate::membership::limits::{LONGEST_USER_DATA, MAX_USER_DATA_BYTES};
use crate::membership::user_data::said;

/// The export.
pub const EXPORT: &str = "divvy_user_data";

/// A member that is about to join.
struct Newcomer {
    name: &'static str,
    topics: &'static [&'static str],
    facts: Value,
    last_state: Option<&'static [u8]>,
}

/// One that reads something, one that nothing is known of, and one that comes again with facts and a state.
fn newcomers() -> [Newcomer; 3] {
    let facts = json!({ "rack": "rack-0", "weight": 2 });
    [
        Newcomer { name: "a member of three topics", topics: &TOPICS, facts: json!({}), last_state: None },
        Newcomer { name: "a member without topics", topics: &[], facts: json!({}), last_state: None },
        Newcomer { name: "a member with facts and a state", topics: &TOPICS, facts, last_state: Some(b"state") },
    ]
}

const TOPICS: [&str; 3] = ["topic-0", "topic-1", "topic-2"];

/// Asks it for each of them, twice; says how much it adds at most.
pub fn check(strategy: &dyn Assignor) -> Result<String, String> {
    let all = newcomers();
    let (mut longest, mut refusal) = (0, None);
    for newcomer in &all {
        let Newcomer { name, topics, facts, last_state } = newcomer;
        let request = smoke_user_data(strategy.manifest(), topics, facts, *last_state);
        let answers = [said(strategy, &request), said(strategy, &request)];
        match answers {
            [Ok(first), Ok(second)] if first != second => {
                return Err(format!(
                    "{}: asked twice it says two things; an assignor must keep nothing between calls",
                    name
                ));
            }
            [Ok(data), Ok(_)] => longest = longest.max(data.map_or(0, |data| data.len())),
            // Its member joins without its word, and that is its right.
            [Err(error), _] if error.kind == FaultKind::GuestError => refusal = Some((*name, error)),
            [Err(error), _] | [_, Err(error)] => {
                let why = remedied(&error);
                return Err(format!("{}: {why}; its member would join without its word", name));
            }
        }
    }
    let refused = refusal.map_or_else(String::new, |(name, error)| {
        let code = error.code.map(|code| format!("{code}: ")).unwrap_or_default();
        format!("; it refuses {name} ({code}{})", error.message)
    });
    let (bytes, ms, count) = (MAX_USER_DATA_BYTES >> 10, LONGEST_USER_DATA.as_millis(), all.len());
    Ok(format!("at most {longest} bytes for {count} members; a member allows {bytes} KiB and {ms} ms{refused}"))
}

fn remedied(error: &CallError) -> String {
    let remedy = match error.kind {
        FaultKind::Deadline => "; the whole group waits while a member joins: see that each loop ends".to_owned(),
        FaultKind::Output => format!("; at most {} KiB are allowed: say less", MAX_USER_DATA_BYTES >> 10),
        _ => String::new(),
    };
    format!("{error}{remedy}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assignor::{Budget, Export, Manifest, native_range};
    use crate::ids::Digest;

    /// Range, with a word of its own.
    struct Wordy(fn() -> Result<Vec<u8>, CallError>);

    impl Assignor for Wordy {
        fn manifest(&self) -> &Manifest {
            native_range().manifest()
        }

        fn digest(&self) -> Option<Digest> {
            None
        }

        fn call(&self, export: Export, _request: &[u8], budget: Budget) -> Result<Vec<u8>, CallError> {
            assert_eq!((export, budget.deadline), (Export::UserData, LONGEST_USER_DATA));
            (self.0)()
        }
    }

    #[test]
    fn the_word_of_a_strategy_is_asked_for_as_a_member_does() {
        // `[0, bin "ab", no notes]`.
        let two = check(&Wordy(|| Ok(vec![0x93, 0, 0xc4, 2, b'a', b'b', 0x90]))).unwrap();
        assert_eq!(two, "at most 2 bytes for 3 members; a member allows 64 KiB and 100 ms");
        let panic = check(&Wordy(|| Err(CallError::new(FaultKind::Trap, "boom")))).unwrap_err();
        assert_eq!(panic, "a member of three topics: trap: boom; its member would join without its word");
        let slow = check(&Wordy(|| Err(CallError::new(FaultKind::Deadline, "longer than its 100 ms")))).unwrap_err();
        assert!(slow.contains("the whole group waits while a member joins"), "{slow}");
        let refuses =
            || Err(CallError { code: Some("no_zone".to_owned()), ..CallError::new(FaultKind::GuestError, "where?") });
        let refused = check(&Wordy(refuses)).unwrap();
        assert!(refused.ends_with("; it refuses a member with facts and a state (no_zone: where?)"), "{refused}");
        let odd = check(&Wordy(|| Ok(vec![1, 2, 3]))).unwrap_err();
        assert!(odd.contains("the reply is malformed"), "{odd}");
    }
}
