//! Stories of one `divvy lead`.

use super::*;
use crate::embedded::consumer::Subscription;
use crate::lead::DescribedMember;

struct Story {
    standing: Standing,
    now: Timestamp,
    told: Vec<Saying>,
    wanted: Vec<Action>,
}

impl Story {
    fn new(wishes: Wishes) -> Self {
        let now = Timestamp(1_000_000);
        let wishes = Wishes { instance: "divvy-lead".into(), ..wishes };
        Self { standing: Standing::new(wishes, now), now, told: Vec::new(), wanted: Vec::new() }
    }

    fn give(&mut self, event: Event) -> &mut Self {
        for action in self.standing.handle(event, self.now) {
            match action {
                Action::Say(saying) => self.told.push(saying),
                action => self.wanted.push(action),
            }
        }
        self
    }

    fn pass(&mut self, time: Duration) -> &mut Self {
        self.now = self.now + time;
        self.give(Event::Tick)
    }

    fn wants(&mut self) -> Vec<Action> {
        std::mem::take(&mut self.wanted)
    }

    fn said(&mut self) -> Saying {
        assert_eq!(self.told.len(), 1, "{:?}", self.told);
        self.told.remove(0)
    }

    fn join(&mut self) -> Join {
        match self.wants().as_slice() {
            [Action::Join(join)] => join.clone(),
            other => panic!("it did not join, but {other:?}"),
        }
    }

    /// It is alone, looks at that group and joins it.
    fn joins(wishes: Wishes, group: Described) -> (Self, Join) {
        let mut story = Self::new(wishes);
        story.give(Event::Elected);
        assert_eq!(story.wants(), [Action::Look]);
        story.give(Event::Looked(Ok(group)));
        let join = story.join();
        story.told.clear();
        (story, join)
    }
}

fn member(id: &str, instance: Option<&str>) -> DescribedMember {
    DescribedMember { id: id.into(), instance: instance.map(Into::into), ..DescribedMember::default() }
}

fn running(members: Vec<DescribedMember>) -> Described {
    let (state, protocol_type) = ("Stable".into(), "consumer".into());
    Described { state, protocol_type, protocol: "range".into(), members, draws: false }
}

fn generation(number: i32, leads: bool, planned: bool) -> Event {
    let leader = if leads { "divvy-lead-1" } else { "java-1" };
    Event::Joined(Joined { generation: number, protocol: "range".into(), leads, leader: leader.into(), planned })
}

const TAKES: Wishes =
    Wishes { instance: String::new(), stated: Vec::new(), take_over: true, retake: false, elected: false };

#[test]
fn the_first_in_an_empty_group_leads_it_and_says_so_once() {
    let (mut story, join) = Story::joins(Wishes::default(), Described::default());
    assert_eq!((join.take_over, join.last_plan, join.names.len()), (false, None, 5));
    story.give(generation(1, true, true));
    assert_eq!(story.said(), Saying::Leads { generation: 1, protocol: "range".into(), kept: false });
    story.give(generation(2, true, true)).give(generation(2, true, false));
    assert!(story.told.is_empty() && story.wanted.is_empty(), "{:?}", story.wanted);
}

#[test]
fn in_a_running_group_it_follows_and_says_so() {
    let (mut story, join) = Story::joins(Wishes::default(), running(vec![member("java-1", None)]));
    assert!(!join.take_over);
    story.give(generation(4, false, false));
    assert_eq!(story.said(), Saying::Follows { leader: "java-1".into(), protocol: "range".into() });
    story.give(generation(5, false, false));
    assert!(story.told.is_empty(), "the same one leads: nobody has to read that again");
    story.give(generation(6, true, true));
    assert!(matches!(story.said(), Saying::Leads { .. }), "the leader left, and the lead came to it");
}

#[test]
fn it_takes_over_only_if_it_was_told_to() {
    let (mut story, join) = Story::joins(TAKES, running(vec![member("java-1", None)]));
    assert!(join.take_over);
    story.give(generation(6, true, true));
    assert!(matches!(story.said(), Saying::Leads { .. }));
    story.give(generation(7, false, false));
    assert_eq!(story.said(), Saying::LostLead { leader: "java-1".into(), retakes_in: None });
    assert!(story.wants().is_empty() && story.standing.next_deadline().is_none(), "and once");
}

#[test]
fn an_empty_group_needs_no_taking_over() {
    assert!(!Story::joins(TAKES, Described::default()).1.take_over);
    assert!(!Story::joins(TAKES, running(vec![member("old", Some("divvy-lead"))])).1.take_over);
}

#[test]
fn others_may_come_between_but_not_for_ever() {
    let (mut story, _) = Story::joins(TAKES, running(vec![member("java-1", None)]));
    for attempt in 2..=3 {
        story.give(generation(attempt, false, false));
        assert_eq!(story.said(), Saying::TakesOver { attempt: attempt.cast_unsigned(), draws: false });
        assert_eq!(story.wants(), [Action::TakeOver]);
    }
    story.give(generation(4, false, false));
    assert_eq!(story.said(), Saying::GaveUp { leader: "java-1".into(), retakes_in: None, drawn: false });
    story.give(generation(5, false, false));
    assert!(matches!(story.said(), Saying::Follows { .. }));
    assert!(story.standing.next_deadline().is_none());
}

#[test]
fn where_the_leader_is_drawn_it_removes_nobody_before_it_knows_that_it_does_not_lead() {
    let group = Described { draws: true, ..running(vec![member("java-1", None)]) };
    let (mut story, join) = Story::joins(TAKES, group.clone());
    assert!(!join.take_over);
    story.give(generation(2, true, true));
    assert!(matches!(story.said(), Saying::Leads { .. }), "the others bring no module");
    let (mut story, _) = Story::joins(TAKES, group);
    for attempt in 1..=3 {
        story.give(generation(attempt, false, false));
        assert_eq!(story.said(), Saying::TakesOver { attempt: attempt.cast_unsigned(), draws: true });
    }
    story.give(generation(4, false, false));
    assert_eq!(story.said(), Saying::GaveUp { leader: "java-1".into(), retakes_in: None, drawn: true });
}

#[test]
fn who_gave_up_tries_again_later_if_the_lead_is_to_be_taken_again() {
    let wishes = Wishes { retake: true, ..TAKES };
    let (mut story, _) = Story::joins(wishes, running(vec![member("java-1", None)]));
    (2..=4).for_each(|number| {
        story.give(generation(number, false, false)).wants();
    });
    for (number, wait) in [(5, 1), (6, 2), (7, 4)] {
        let wait = Duration::from_secs(wait);
        let gave_up = Saying::GaveUp { leader: "java-1".into(), retakes_in: Some(wait), drawn: false };
        assert_eq!(story.told.pop(), Some(gave_up));
        story.pass(wait);
        assert_eq!(story.wants(), [Action::TakeOver], "one try each time, and ever more slowly");
        story.give(generation(number, false, false));
    }
}

#[test]
fn a_lead_that_was_lost_out_of_the_group_is_taken_again_too() {
    let loses: [fn(&mut Story); 3] = [
        |story| {
            story.give(Event::Out("the session ended".into())).pass(Duration::from_secs(1));
        },
        |story| {
            story.give(Event::StoodDown("other".into())).give(Event::Elected);
        },
        // It has lost the lead already, and waits to take it again.
        |story| {
            story.give(generation(2, false, false));
            story.give(Event::Out("the session ended".into())).pass(Duration::from_secs(2));
        },
    ];
    let there = running(vec![member("java-1", None)]);
    let back = running(vec![member("java-1", None), member("divvy-lead-0", Some("divvy-lead"))]);
    for lose in loses {
        for retake in [true, false] {
            let (mut story, _) = Story::joins(Wishes { retake, ..Wishes::default() }, Described::default());
            story.give(generation(1, true, true));
            lose(&mut story);
            assert_eq!(story.wants().last(), Some(&Action::Look));
            let mut twin = Story { standing: story.standing.clone(), told: vec![], wanted: vec![], now: story.now };
            assert_eq!(story.give(Event::Looked(Ok(there.clone()))).join().take_over, retake);
            // Its place was kept: whether it still leads it knows when it is there.
            assert!(!twin.give(Event::Looked(Ok(back.clone()))).join().take_over);
            twin.give(generation(9, false, false));
            assert_eq!(twin.wants(), if retake { vec![Action::TakeOver] } else { vec![] });
        }
    }
    let (mut story, _) = Story::joins(Wishes { retake: true, ..Wishes::default() }, there.clone());
    story.give(generation(1, false, false)).give(Event::Out("fenced".into())).pass(Duration::from_secs(1));
    assert_eq!(story.wants(), [Action::Look]);
    assert!(!story.give(Event::Looked(Ok(there))).join().take_over, "it never had what it could take again");
}

#[test]
fn who_comes_back_takes_its_place_and_looks_whether_the_plan_still_holds() {
    let group = running(vec![member("java-1", None), member("divvy-lead-0", Some("divvy-lead"))]);
    let (mut story, join) = Story::joins(TAKES, group);
    assert!(!join.take_over, "it may still lead");
    assert_eq!(join.last_plan.unwrap().len(), 2);
    story.give(generation(4, true, false));
    assert_eq!(story.said(), Saying::Leads { generation: 4, protocol: "range".into(), kept: true });
    assert_eq!(story.wants(), [Action::Review]);
    story.give(Event::Reviewed(Ok(false)));
    assert_eq!(story.said(), Saying::Confirmed);
    story.give(generation(5, true, false));
    story.wants();
    story.give(Event::Reviewed(Ok(true)));
    assert!(matches!(story.wants().as_slice(), [Action::PlanAnew(_)]));
}

#[test]
fn what_a_review_says_of_a_plan_that_is_no_longer_in_force_means_nothing() {
    let (mut story, _) = Story::joins(Wishes::default(), Described::default());
    story.give(generation(4, true, false));
    assert_eq!(story.wants(), [Action::Review]);
    story.told.clear();
    // Somebody came meanwhile: this one has made the plan since.
    story.give(generation(5, true, true)).give(Event::Reviewed(Ok(true))).give(Event::Reviewed(Err("away".into())));
    assert!(story.wants().is_empty() && story.told.is_empty());
}

#[test]
fn who_comes_back_and_does_not_lead_takes_over_if_told_to() {
    let group = running(vec![member("java-1", None), member("divvy-lead-0", Some("divvy-lead"))]);
    let (mut story, _) = Story::joins(TAKES, group);
    story.give(generation(4, false, false));
    assert_eq!(story.wants(), [Action::TakeOver]);
}

#[test]
fn a_lost_lead_is_taken_again_if_that_is_wanted_and_ever_more_slowly() {
    let (mut story, _) = Story::joins(Wishes { retake: true, ..Wishes::default() }, Described::default());
    let mut number = 0;
    for wait in [1, 2, 4, 8] {
        story.give(generation(number + 1, true, true));
        story.give(generation(number + 2, false, false));
        number += 2;
        let wait = Duration::from_secs(wait);
        assert_eq!(story.told.pop(), Some(Saying::LostLead { leader: "java-1".into(), retakes_in: Some(wait) }));
        story.told.clear();
        story.pass(wait - Duration::from_millis(1));
        assert!(story.wants().is_empty());
        story.pass(Duration::from_millis(1));
        assert_eq!(story.wants(), [Action::TakeOver]);
        story.told.clear();
    }
    story.give(generation(20, true, true)).pass(HELD_WELL).give(generation(21, false, false));
    assert!(matches!(story.told.last(), Some(Saying::LostLead { retakes_in: Some(FIRST_WAIT), .. })));
}

#[test]
fn only_the_elected_one_is_in_the_group() {
    let mut story = Story::new(Wishes { elected: true, ..Wishes::default() });
    story.give(Event::StoodDown("other".into()));
    assert_eq!(story.said(), Saying::Standby { active: "other".into() });
    story.give(Event::StoodDown("other".into()));
    assert!(story.wants().is_empty() && story.told.is_empty());
    story.give(Event::Elected);
    assert_eq!((story.said(), story.wants()), (Saying::Active, vec![Action::Look]));
    story.give(Event::Looked(Ok(Described::default()))).give(generation(1, true, true));
    story.told.clear();
    story.wants();
    story.give(Event::StoodDown(String::new()));
    assert_eq!(story.wants(), [Action::Abandon], "whoever is elected now has its place");
    story.give(generation(2, true, true)).give(Event::Out("fenced".into()));
    assert!(story.wants().is_empty(), "what comes late means nothing");
}

#[test]
fn a_coordinator_that_cannot_be_asked_is_asked_again() {
    let mut story = Story::new(Wishes::default());
    story.give(Event::Elected).give(Event::Looked(Err("it is away".into())));
    let again_in = Duration::from_secs(1);
    assert_eq!(story.said(), Saying::CannotLook { reason: "it is away".into(), again_in });
    story.wants();
    story.pass(again_in);
    assert_eq!(story.wants(), [Action::Look]);
}

#[test]
fn out_of_the_group_it_looks_again() {
    let (mut story, _) = Story::joins(Wishes::default(), Described::default());
    story.give(Event::Out("another process has this instance id".into()));
    assert!(matches!(story.said(), Saying::Out { .. }));
    story.pass(Duration::from_secs(1));
    assert_eq!(story.wants(), [Action::Look]);
}

#[test]
fn a_clients_place_is_not_taken() {
    let metadata = Subscription { version: 0, topics: vec!["t"], tail: Default::default() }.encode().into();
    let client = DescribedMember { metadata, ..member("java-1", Some("divvy-lead")) };
    let mut story = Story::new(TAKES);
    story.give(Event::Elected).give(Event::Looked(Ok(running(vec![client]))));
    assert!(matches!(story.wants().last(), Some(Action::Stop(why)) if why.contains("--instance-id")));
}

#[test]
fn who_is_refused_twice_for_the_same_reason_does_not_try_for_ever() {
    let (mut story, _) = Story::joins(Wishes::default(), Described::default());
    let refuse = |story: &mut Story, why: &str| {
        story.give(Event::Out(why.into()));
        let wanted = story.wants();
        story.pass(Duration::from_secs(10)).give(Event::Looked(Ok(Described::default())));
        story.wants();
        wanted
    };
    assert_eq!(refuse(&mut story, "its session is too short"), []);
    assert_eq!(refuse(&mut story, "the group is full"), [], "something has changed");
    story.give(generation(1, true, true)).wants();
    assert_eq!(refuse(&mut story, "the group is full"), [], "it was in meanwhile");
    assert_eq!(refuse(&mut story, "the group is full"), []);
    assert!(matches!(refuse(&mut story, "the group is full").as_slice(), [Action::Stop(why)] if why.contains("full")));
}

#[test]
fn a_group_that_cannot_be_led_ends_it_with_the_reason() {
    let mut story = Story::new(Wishes::default());
    let streams = Described { protocol: "stream".into(), ..running(Vec::new()) };
    story.give(Event::Elected).give(Event::Looked(Ok(streams)));
    assert!(matches!(story.wants().last(), Some(Action::Stop(why)) if why.contains("Kafka Streams")));
}

#[test]
fn a_broker_that_assigns_is_nobody_to_take_the_lead_from() {
    let wishes = Wishes { retake: true, ..Wishes::default() };
    let (mut story, _) = Story::joins(wishes, Described::default());
    story.give(generation(1, true, true));
    story.told.clear();
    let nobody = |number| match generation(number, false, false) {
        Event::Joined(joined) => Event::Joined(Joined { leader: String::new(), ..joined }),
        other => other,
    };
    story.give(nobody(2)).give(nobody(3));
    assert_eq!(story.told, [Saying::NoLeader { led: true }], "once");
    story.pass(LONGEST_WAIT);
    assert!(story.wants().is_empty());
    // The broker's own clients are gone, and somebody leads again.
    story.give(generation(4, false, false));
    assert_eq!(story.wants(), [Action::TakeOver]);
}
