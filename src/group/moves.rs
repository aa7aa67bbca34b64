//! How much a plan moved: what members had by the plan before and have no more by this one, those who left included.
//!
//! A place counts, not a process: a static member that comes back under another id has not lost what it gets again
//! ([`super::places`]).
//!
//! Counted by what is lost, not by what is gained: under cooperative protocols a partition is taken from one member in one
//! generation and given to another in the next, and is one move. Plans may have a million partitions, so they are compared
//! off the shard, after the plan was handed out.

use crate::ids::MemberId;

use super::effects::{PlansToCompare, Work};
use super::event::WorkId;
use super::ownership::{Partitions, state_of};
use super::record::State;
use super::{Group, Step};

/// How many partitions members lost by a plan; none if a state cannot be read.
pub fn count_moves(plans: &PlansToCompare) -> Option<u32> {
    let mut moved: usize = 0;
    for (before, after) in &plans.changed {
        let (before, after) = (Partitions::read(before)?, Partitions::read(after)?);
        moved += before.missing_in(&after);
    }
    Some(u32::try_from(moved).unwrap_or(u32::MAX))
}

/// The states that are not what they were, each as it was and as it is; empty for who is not in the plan, whose states are in
/// order of the ids.
fn changed<'a>(
    before: impl Iterator<Item = (&'a MemberId, &'a State)>,
    after: &[(MemberId, State)],
) -> Vec<(State, State)> {
    let pairs = before.map(|(id, was)| (was, state_of(after, id).cloned().unwrap_or_default()));
    pairs.filter(|(was, is)| *was != is).map(|(was, is)| (was.clone(), is)).collect()
}

impl Group {
    /// Has a new plan compared with the one that it is to replace, for the history.
    pub(super) fn compare_plans(&mut self, next: &[(MemberId, State)], step: &mut Step) {
        if !self.is_consumer() {
            return;
        }
        let changed = changed(self.last_states(), next);
        if changed.is_empty() {
            return self.history.moved(self.generation, 0);
        }
        // Drawn, not counted, as every work's: an answer to a group that was forgotten since must not fit its successor.
        let id = WorkId(step.entropy);
        self.comparing = Some((id, self.generation));
        step.effects.work.push(Work::ComparePlans(id, PlansToCompare { changed }));
    }

    /// The plans were compared.
    pub(super) fn plans_compared(&mut self, id: WorkId, moved: Option<u32>) {
        if let Some((_, generation)) = self.comparing.take_if(|(waiting, _)| *waiting == id)
            && let Some(moved) = moved
        {
            self.history.moved(generation, moved);
        }
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;
    use crate::embedded::consumer::{Assignment, TopicPartitions};

    fn state(topics: &[(&str, &[i32])]) -> State {
        let topics = topics
            .iter()
            .map(|(topic, numbers)| TopicPartitions { topic, partitions: numbers.iter().copied().collect() });
        State(Bytes::from(Assignment { topics: topics.collect(), user_data: None }.encode()))
    }

    fn plan(of: &[(&str, &State)]) -> Vec<(MemberId, State)> {
        of.iter().map(|(id, state)| (MemberId::from(*id), (*state).clone())).collect()
    }

    fn moves(before: &[(&str, &State)], after: &[(&str, &State)]) -> Option<u32> {
        let before = plan(before);
        let changed = changed(before.iter().map(|(id, state)| (id, state)), &plan(after));
        count_moves(&PlansToCompare { changed })
    }

    #[test]
    fn what_members_lose_is_counted_once_however_many_generations_the_move_takes() {
        let (both, left, right) =
            (state(&[("a", &[0, 1]), ("b", &[0])]), state(&[("a", &[0]), ("b", &[0])]), state(&[("a", &[1])]));
        let nothing = state(&[]);
        assert_eq!(moves(&[("m-1", &both)], &[("m-1", &left), ("m-2", &right)]), Some(1), "eager: at once");
        assert_eq!(moves(&[("m-1", &both)], &[("m-1", &left), ("m-2", &nothing)]), Some(1), "cooperative: taken …");
        assert_eq!(moves(&[("m-1", &left), ("m-2", &nothing)], &[("m-1", &left), ("m-2", &right)]), Some(0), "… given");
        assert_eq!(moves(&[("m-1", &left), ("m-2", &right)], &[("m-1", &both)]), Some(1), "m-2 has left");
    }

    #[test]
    fn states_that_nobody_can_read_are_not_counted() {
        let odd = State(Bytes::from_static(b"odd"));
        assert_eq!(moves(&[("m-1", &odd)], &[("m-1", &state(&[]))]), None);
    }
}
