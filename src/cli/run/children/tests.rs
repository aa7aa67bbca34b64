//! Stories of children: what is started, drained, killed and handed over, and when.

use std::sync::Arc;

use super::*;
use crate::cli::run::work::Work;
use crate::ids::TopicName;

mod laws;

const GRACE: Duration = Duration::from_secs(30);

fn settings() -> Settings {
    Settings { grace: GRACE, ready_within: None, max_restarts: None, max_children: 8, starts_at_once: 8 }
}

/// A machine, its clock, and what it wanted so far.
struct Story {
    children: Children,
    now: Timestamp,
}

impl Story {
    fn new() -> Self {
        Self::with(settings())
    }

    fn with(settings: Settings) -> Self {
        Self { children: Children::new(settings, 7), now: Timestamp(1_000) }
    }

    /// What it wants now, in short words.
    fn on(&mut self, event: Event) -> Vec<String> {
        self.children.handle(event, self.now).iter().filter_map(short).collect()
    }

    fn after(&mut self, wait: Duration) -> Vec<String> {
        self.now = self.now + wait;
        self.on(Event::Tick)
    }

    /// Goes to the next deadline.
    fn due(&mut self) -> Vec<String> {
        self.now = self.children.next_deadline().expect("something is due").max(self.now);
        self.on(Event::Tick)
    }

    fn fail(&mut self, id: ChildId) -> Vec<String> {
        self.on(Event::Ended(id, Exit::Code(1)))
    }

    fn end(&mut self, id: ChildId) -> Vec<String> {
        self.on(Event::Ended(id, Exit::Code(0)))
    }
}

fn short(action: &Action) -> Option<String> {
    Some(match action {
        Action::Start(id, order) => format!("start {id} {}", order.key),
        Action::Drain(id) => format!("drain {id}"),
        Action::Kill(id) => format!("kill {id}"),
        Action::HandOver => "hand over".to_owned(),
        Action::Leave(Why::Asked) => "leave".to_owned(),
        Action::Leave(Why::Out(reason) | Why::Failing(reason)) => format!("leave: {reason}"),
        Action::Tell(..) => return None,
    })
}

fn key(partition: i32) -> Key {
    Key::Partition(TopicName::from("t"), partition)
}

/// One child each.
fn each(partitions: &[i32]) -> Event {
    Event::Assigned(partitions.iter().map(|it| order(key(*it), &[*it])).collect())
}

/// One child for all.
fn whole(partitions: &[i32]) -> Event {
    Event::Assigned(vec![order(Key::Member, partitions)])
}

fn order(key: Key, partitions: &[i32]) -> Order {
    let work = Work { partitions: vec![(TopicName::from("t"), partitions.to_vec())], primaries: None };
    Order { key, work, environment: Arc::default() }
}

fn revoked(partitions: &[i32]) -> Event {
    Event::Revoked(partitions.iter().copied().map(key).collect())
}

fn lost(partitions: &[i32]) -> Event {
    Event::Lost(partitions.iter().copied().map(key).collect())
}

#[test]
fn work_is_handed_over_when_the_last_child_that_had_it_has_ended() {
    let mut story = Story::new();
    assert_eq!(story.on(each(&[0, 1])), ["start 1 t-0", "start 2 t-1"]);
    assert_eq!(story.on(revoked(&[0, 1])), ["drain 1", "drain 2"]);
    assert!(story.end(2).is_empty());
    assert_eq!(story.end(1), ["hand over"]);
    assert_eq!(story.on(each(&[1])), ["start 3 t-1"]);
}

#[test]
fn step_by_step_what_is_kept_is_not_touched() {
    let mut story = Story::new();
    story.on(each(&[0, 1, 2]));
    assert_eq!(story.on(revoked(&[2])), ["drain 3"]);
    assert_eq!(story.end(3), ["hand over"]);
    assert!(story.on(each(&[0, 1])).is_empty());
    assert_eq!(story.on(each(&[0, 1, 5])), ["start 4 t-5"]);
}

#[test]
fn a_child_that_has_the_whole_share_is_started_anew_when_the_share_changes() {
    let mut story = Story::new();
    assert_eq!(story.on(whole(&[0, 1])), ["start 1 child"]);
    assert!(story.on(whole(&[0, 1])).is_empty(), "the same share in another generation");
    assert_eq!(story.on(whole(&[0, 1, 2])), ["drain 1"]);
    assert_eq!(story.end(1), ["start 2 child"]);
}

#[test]
fn who_does_not_end_in_time_is_killed_and_only_then_is_the_work_handed_over() {
    let mut story = Story::new();
    story.on(each(&[0]));
    assert_eq!(story.on(revoked(&[0])), ["drain 1"]);
    assert!(story.after(GRACE - Duration::from_millis(1)).is_empty());
    assert_eq!(story.due(), ["kill 1"]);
    assert_eq!(story.end(1), ["hand over"]);
}

#[test]
fn what_is_lost_is_killed_at_once_even_while_it_is_drained() {
    let mut story = Story::new();
    story.on(each(&[0, 1]));
    story.on(revoked(&[0, 1]));
    assert_eq!(story.on(lost(&[0, 1])), ["kill 1", "kill 2"]);
    assert!(story.end(1).is_empty(), "there is nothing to hand over any more");
    // Assigned again before the last of it is dead: there are never two.
    assert_eq!(story.on(each(&[0, 1])), ["start 3 t-0"]);
    assert_eq!(story.end(2), ["start 4 t-1"]);
}

#[test]
fn nothing_to_end_is_handed_over_at_once() {
    let mut story = Story::new();
    story.on(each(&[0]));
    story.fail(1);
    assert_eq!(story.on(revoked(&[0])), ["hand over"]);
    assert_eq!(story.on(revoked(&[])), ["hand over"]);
}

#[test]
fn a_child_that_fails_comes_back_later_each_time_and_a_rebalance_does_not_hurry_it() {
    let mut story = Story::new();
    story.on(each(&[0]));
    let mut waits = Vec::new();
    for id in 1..10 {
        assert!(story.fail(id).is_empty());
        let due = story.children.next_deadline().unwrap();
        waits.push(due - story.now);
        if id == 5 {
            story.on(revoked(&[0]));
            assert!(story.on(each(&[0])).is_empty(), "it still waits");
        }
        assert_eq!(story.due(), [format!("start {} t-0", id + 1)]);
    }
    let within = |wait: Duration, of: Duration| wait >= of * 4 / 5 && wait <= of * 6 / 5;
    assert!(within(waits[0], FIRST_RESTART) && within(waits[1], FIRST_RESTART * 2), "{waits:?}");
    assert!(within(waits[8], LONGEST_RESTART), "{waits:?}");

    story.after(RUNS_WELL);
    story.fail(10);
    assert!(within(story.children.next_deadline().unwrap() - story.now, FIRST_RESTART), "it ran well in between");
}

#[test]
fn a_child_that_keeps_failing_has_the_member_leave_when_the_others_have_ended() {
    let mut story = Story::with(Settings { max_restarts: Some(1), ..settings() });
    story.on(each(&[0, 1]));
    story.fail(1);
    assert_eq!(story.due(), ["start 3 t-0"]);
    assert_eq!(story.fail(3), ["drain 2"]);
    assert_eq!(story.end(2), ["leave: t-0 has failed 2 times in a row: see what it says above"]);
    assert!(story.on(each(&[0, 1])).is_empty(), "nothing is started any more");
}

#[test]
fn a_share_that_no_environment_can_say_is_given_to_the_others() {
    let mut story = Story::new();
    story.on(each(&[0]));
    let environment = vec![("DIVVY_PARTITIONS", "1,".repeat(100_000))].into();
    let wanted = vec![Order { environment, ..order(key(1), &[1]) }];
    assert_eq!(story.on(Event::Assigned(wanted)), ["drain 1"]);
    let last = story.end(1);
    assert!(last[0].starts_with("leave: DIVVY_PARTITIONS would have 200000 bytes"), "{last:?}");
}

#[test]
fn who_was_killed_did_not_end_by_itself() {
    let within = Duration::from_secs(5);
    let mut story = Story::with(Settings { ready_within: Some(within), ..settings() });
    let told = |actions: Vec<Action>| -> Vec<String> {
        let text = |action| match action {
            Action::Tell(key, news) => Some(say::text(&say::of(&key), &news)),
            _ => None,
        };
        actions.into_iter().filter_map(text).collect()
    };
    assert_eq!(told(story.children.handle(whole(&[0]), story.now)), ["the child is started"]);
    story.after(within);
    let ended = told(story.children.handle(Event::Ended(1, Exit::Code(137)), story.now));
    assert!(ended[0].starts_with("the child has ended (signal 9); the next one"), "{ended:?}");
}

#[test]
fn who_is_not_ready_in_time_has_failed() {
    let within = Duration::from_secs(5);
    let mut story = Story::with(Settings { ready_within: Some(within), ..settings() });
    story.on(each(&[0, 1]));
    story.on(Event::Ready(1));
    assert_eq!(story.after(within), ["kill 2"]);
    assert!(story.end(2).is_empty());
    assert_eq!(story.due(), ["start 3 t-1"]);
}

#[test]
fn asked_once_to_stop_it_drains_asked_twice_it_kills() {
    let mut story = Story::new();
    story.on(each(&[0, 1]));
    assert_eq!(story.on(Event::Stop), ["drain 1", "drain 2"]);
    assert!(story.end(1).is_empty());
    assert_eq!(story.on(Event::Stop), ["kill 2"]);
    assert_eq!(story.end(2), ["leave"]);
    assert!(story.children.next_deadline().is_none());

    assert_eq!(Story::new().on(Event::Stop), ["leave"]);
}

#[test]
fn while_many_are_started_what_happens_is_looked_at() {
    let few_at_once = || Story::with(Settings { starts_at_once: 2, ..settings() });
    let all: Vec<i32> = (0..8).collect();

    let mut story = few_at_once();
    assert_eq!(story.on(each(&all)), ["start 1 t-0", "start 2 t-1"]);
    assert_eq!(story.due(), ["start 3 t-2", "start 4 t-3"]);
    assert_eq!(story.on(revoked(&[1, 6])), ["drain 2", "start 5 t-4", "start 6 t-5"]);
    assert_eq!(story.end(2), ["hand over", "start 7 t-7"]);
    assert!(story.children.next_deadline().is_none(), "all others are started");

    let mut story = few_at_once();
    story.on(each(&all));
    assert_eq!(story.on(Event::Stop), ["drain 1", "drain 2"]);
    assert_eq!(story.on(Event::Stop), ["kill 1", "kill 2"]);

    let mut story = few_at_once();
    story.on(each(&all));
    assert_eq!(story.on(lost(&all)), ["kill 1", "kill 2"]);
}

#[test]
fn those_that_fail_do_not_keep_the_others_from_starting() {
    let mut story = Story::with(Settings { starts_at_once: 1, ..settings() });
    assert_eq!(story.on(each(&[0, 1, 2])), ["start 1 t-0"]);
    assert_eq!(story.fail(1), ["start 2 t-1"]);
    // The first one may start again by now, and waits for its turn.
    assert_eq!(story.after(Duration::from_secs(5)), ["start 3 t-2"]);
    assert_eq!(story.due(), ["start 4 t-0"]);
}

#[test]
fn a_member_that_is_out_ends_its_children_at_once() {
    let mut story = Story::new();
    story.on(each(&[0]));
    assert_eq!(story.on(Event::Out("fenced".to_owned())), ["kill 1"]);
    assert_eq!(story.end(1), ["leave: fenced"]);
}

#[test]
fn a_share_with_too_many_partitions_is_for_others() {
    let mut story = Story::new();
    let told = story.on(each(&[0, 1, 2, 3, 4, 5, 6, 7, 8]));
    assert!(told.len() == 1 && told[0].contains("9 partitions") && told[0].contains("--max-children"), "{told:?}");
}

#[test]
fn thousands_are_ended_by_a_look_at_each() {
    const MANY: usize = 20_000;
    let mut story = Story::with(Settings { max_children: MANY, starts_at_once: MANY, ..settings() });
    let all: Vec<i32> = (0..i32::try_from(MANY).unwrap()).collect();
    assert_eq!(story.on(each(&all)).len(), MANY);
    assert_eq!(story.on(Event::Stop).len(), MANY);
    // A look at all of them for each, and this takes a minute.
    let mut said: Vec<String> = (1..=MANY).flat_map(|id| story.end(id.try_into().unwrap())).collect();
    assert_eq!((said.pop().as_deref(), said.len()), (Some("leave"), 0));
    assert!(story.children.next_deadline().is_none());
}
