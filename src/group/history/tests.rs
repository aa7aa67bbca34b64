//! What is remembered is what comes back, also when more generations pass than are remembered.

use super::*;

fn generation(number: i32, outcome: GenerationOutcome) -> GenerationRecord {
    GenerationRecord {
        generation: Generation(number),
        trigger: String::new(),
        began: WallTime(0),
        join_ms: 0,
        plan_ms: None,
        protocol: None,
        digest: None,
        leader: None,
        members: 1,
        outcome,
        stand_in: None,
        captured: None,
        moved: None,
    }
}

/// What the store has after each hand-over.
#[derive(Default)]
struct Stored(BTreeMap<u8, GenerationRecord>);

impl Stored {
    fn take(&mut self, history: &mut History) {
        for entry in std::mem::take(&mut history.fresh) {
            history.restore(entry.clone());
            self.0.insert(entry.slot(), entry);
        }
    }

    fn is_what_is_known_of_it(&self, history: &History) {
        let mut restored = History::default();
        self.0.values().for_each(|entry| restored.restore(entry.clone()));
        assert_eq!(restored.stored(), history.stored());
    }
}

#[test]
fn a_storm_of_generations_without_plans_is_not_forgotten() {
    let (mut history, mut stored) = (History::default(), Stored::default());
    for number in 1..=32 {
        history.push(generation(number, GenerationOutcome::Accepted));
        stored.take(&mut history);
    }
    for number in 33..=35 {
        history.push(generation(number, GenerationOutcome::Superseded));
        stored.is_what_is_known_of_it(&history);
    }
    history.push(generation(36, GenerationOutcome::Accepted));
    stored.take(&mut history);
    stored.is_what_is_known_of_it(&history);
    let numbers: Vec<i32> = history.stored().iter().map(|entry| entry.generation.0).collect();
    assert_eq!(numbers, (5..=36).collect::<Vec<_>>());
}

#[test]
fn a_plan_that_nobody_was_told_is_superseded() {
    let (mut history, mut stored) = (History::default(), Stored::default());
    history.push(generation(1, GenerationOutcome::Accepted));
    stored.take(&mut history);
    history.withdrawn(Generation(1));
    assert_eq!(history.fresh.back().unwrap().outcome, GenerationOutcome::Superseded);
    stored.take(&mut history);
    stored.is_what_is_known_of_it(&history);
    assert_eq!(history.stored().len(), 1);
}

#[test]
fn a_late_count_of_moves_hides_no_generation_that_waits_for_its_plan() {
    let mut history = History::default();
    history.push(generation(1, GenerationOutcome::Accepted));
    Stored::default().take(&mut history);
    history.push(generation(2, GenerationOutcome::Awaited));
    history.moved(Generation(1), 7);
    history.ended(GenerationOutcome::Superseded);
    let outcomes: Vec<_> = history.fresh.iter().map(|it| (it.generation.0, it.outcome.clone(), it.moved)).collect();
    assert!(outcomes.contains(&(2, GenerationOutcome::Superseded, None)), "{outcomes:?}");
    assert!(outcomes.contains(&(1, GenerationOutcome::Accepted, Some(7))), "{outcomes:?}");
}

#[test]
fn a_withdrawn_plan_keeps_what_is_known_of_it() {
    let mut history = History::default();
    history.push(generation(1, GenerationOutcome::Accepted));
    Stored::default().take(&mut history);
    history.moved(Generation(1), 7);
    history.withdrawn(Generation(1));
    let last = history.fresh.back().unwrap();
    assert_eq!((&last.outcome, last.moved), (&GenerationOutcome::Superseded, Some(7)));
}

#[test]
fn what_began_the_last_generation_is_known_of_one_that_was_stored() {
    let mut history = History::default();
    assert_eq!(history.last_trigger(), None);
    let of = |number, trigger: &str| GenerationRecord {
        trigger: trigger.to_owned(),
        ..generation(number, GenerationOutcome::Accepted)
    };
    history.restore(of(40, "m-2 joined"));
    history.restore(of(39, "m-1 joined"));
    assert_eq!(history.last_trigger(), Some("m-2 joined"));
    history.push(of(41, "m-1 left"));
    assert_eq!(history.last_trigger(), Some("m-1 left"));
}
