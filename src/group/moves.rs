//! How much a plan moved: what members had by the plan before and have no more by this one, those who left included, of the
//! topics that anybody still wants. What the last reader of a topic gives up goes to nobody, and has not moved.
//!
//! A place counts, not a process: a static member that comes back under another id has not lost what it gets again
//! ([`super::places`]).
//!
//! Counted by what is lost, not by what is gained: under cooperative protocols a partition is taken from one member in one
//! generation and given to another in the next, and is one move. Plans may have a million partitions, so they are compared
//! off the shard, after the plan was handed out.

use bytes::Bytes;

use crate::ids::MemberId;

use super::effects::{PlansToCompare, Work};
use super::event::WorkId;
use super::expiry::Subscriptions;
use super::ownership::{Partitions, state_of};
use super::record::State;
use super::{Group, Step};

/// How many partitions members lost by a plan, to others; none if a state cannot be read.
pub fn count_moves(plans: &PlansToCompare) -> Option<u32> {
    let wanted = Subscriptions::of(plans.said.iter().map(Option::as_ref));
    let mut moved: usize = 0;
    for (before, after) in &plans.changed {
        let (before, after) = (Partitions::read(before)?, Partitions::read(after)?);
        moved += before.missing_in(&after, |topic| wanted.may_have(topic.as_str()));
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
        let said = self.wishes().map(Option::<&Bytes>::cloned).collect();
        // Drawn, not counted, as every work's: an answer to a group that was forgotten since must not fit its successor.
        let id = WorkId(step.entropy);
        self.comparing = Some((id, self.generation));
        step.effects.work.push(Work::ComparePlans(id, PlansToCompare { changed, said }));
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
    use super::*;
    use crate::embedded::consumer::{Assignment, Subscription, Tail, TopicPartitions};

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
        moves_wanted(before, after, &[&["a", "b"]])
    }

    /// Where the members want that afterwards.
    fn moves_wanted(before: &[(&str, &State)], after: &[(&str, &State)], wanted: &[&[&str]]) -> Option<u32> {
        let before = plan(before);
        let changed = changed(before.iter().map(|(id, state)| (id, state)), &plan(after));
        let said =
            |topics: &&[&str]| Subscription { version: 1, topics: topics.to_vec(), tail: Tail::default() }.encode();
        count_moves(&PlansToCompare { changed, said: wanted.iter().map(|it| Some(said(it).into())).collect() })
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
    fn what_goes_to_nobody_has_not_moved() {
        let (both, left, right) =
            (state(&[("a", &[0, 1]), ("b", &[0])]), state(&[("a", &[0, 1])]), state(&[("b", &[0])]));
        assert_eq!(moves_wanted(&[("m-1", &both)], &[], &[]), Some(0), "the last has left");
        assert_eq!(moves_wanted(&[("m-1", &both)], &[("m-1", &left)], &[&["a"]]), Some(0), "nobody reads b any more");
        assert_eq!(
            moves_wanted(&[("m-1", &both)], &[("m-1", &left)], &[&["a"], &["b"]]),
            Some(1),
            "somebody gets it soon"
        );
        let after = [("m-1", &left), ("m-2", &right)];
        assert_eq!(moves_wanted(&[("m-1", &both)], &after, &[&["a"], &["b"]]), Some(1));
        assert_eq!(moves_wanted(&after, &[("m-2", &both)], &[&["a", "b"]]), Some(2), "the other has left");
    }

    #[test]
    fn states_that_nobody_can_read_are_not_counted() {
        let odd = State(Bytes::from_static(b"odd"));
        assert_eq!(moves(&[("m-1", &odd)], &[("m-1", &state(&[]))]), None);
    }
}
