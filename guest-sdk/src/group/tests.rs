//! What a strategy sees of a group, and what its plan becomes.

use crate::abi::host::{Body, Expected, UserDataRequest, parse_reply};
use crate::prelude::*;
use crate::testing::{TestGroup, TestMember, laws, random_group};

fn sees(group: &TestGroup, look: fn(&Group<'_>, &mut Owners) -> Result<(), Refusal>) {
    let refused = group.plan(look).err();
    assert_eq!(refused, None);
}

#[test]
fn members_come_by_id_and_in_kafkas_order() {
    let group = TestGroup::new()
        .member(TestMember::new("b"))
        .member(TestMember::new("a").instance_id("z"))
        .member(TestMember::new("c").instance_id("y"))
        .member(TestMember::new("B"));
    sees(&group, |group, _| {
        assert!(group.members().map(Member::id).eq(["B", "a", "b", "c"]));
        assert!(group.members_in_kafkas_order().map(Member::id).eq(["c", "a", "B", "b"]));
        assert!(group.members_in_kafkas_order().map(Member::place).eq(0..4));
        Ok(())
    });
}

#[test]
fn facts_and_settings_have_types() {
    let member = TestMember::new("a").fact("weight", 2.5).fact("zone", "z1").fact("spare", true).rack("r");
    let group = TestGroup::new().member(member).config("copies", 3.0).generation(9).memo(*b"memo");
    sees(&group, |group, _| {
        let facts = group.member(0).facts();
        assert_eq!(
            (facts.number("weight"), facts.text("zone"), facts.flag("spare")),
            (Some(2.5), Some("z1"), Some(true))
        );
        assert_eq!((facts.number("zone"), facts.number("absent")), (None, None));
        assert_eq!((group.config().number("copies"), group.generation()), (Some(3.0), 9));
        assert_eq!((group.member(0).rack(), group.racks(), group.memo()), (Some(0), &["r"][..], Some(&b"memo"[..])));
        Ok(())
    });
}

#[test]
fn a_lag_is_a_number_or_unknown() {
    let group = TestGroup::new().topic("a", 3).members(1);
    sees(&group.clone().lags([Some(0), None, Some(7)]), |group, _| {
        assert!(group.partitions().map(|it| group.lag(it)).eq([Some(0), None, Some(7)]));
        Ok(())
    });
    sees(&group, |group, _| {
        assert!(group.partitions().all(|it| group.lag(it).is_none()), "nobody needs it, nobody sends it");
        Ok(())
    });
}

#[test]
fn claims_and_racks_are_read_by_partition() {
    let group = TestGroup::new()
        .topic("a", 2)
        .topic_with_racks("b", vec![vec!["r1", "r2"], vec!["r2"]])
        .member(TestMember::new("m").reads(["a", "b"]).owned("b", [1, 7]).owned("gone", [0]));
    sees(&group, |group, _| {
        let racks = group.replica_racks().expect("racks");
        let (a, b) = (group.topic("a").expect("a"), group.topic("b").expect("b"));
        let at = |topic: Topic<'_>, number| topic.partitions().get(number).expect("a partition");
        assert_eq!(racks.of(at(b, 0)).collect::<Vec<_>>(), [0, 1]);
        assert_eq!((racks.of(at(b, 1)).count(), racks.of(at(a, 1)).count()), (1, 0));
        assert_eq!((group.claim_layers(), group.owner_before(at(b, 1)).map(Member::id)), (1, Some("m")));
        assert_eq!(
            (group.owner_before(at(b, 0)), b.partitions().get(2), group.topic("c").is_none()),
            (None, None, true)
        );
        Ok(())
    });
}

#[test]
fn runs_cover_every_subscribed_partition_once() {
    for seed in 0..300 {
        sees(&random_group(seed), |group, owners| {
            let mut seen = DetSet::new();
            for run in group.runs() {
                assert!(run.topics().flat_map(Topic::partitions).eq(run.partitions()));
                assert!(run.topics().all(|topic| topic.subscribers() == run.subscribers()));
                run.partitions().for_each(|partition| assert!(seen.insert(partition)));
                owners.deal(run.partitions(), run.subscribers(), 0);
            }
            let read = group.topics().filter(|topic| !topic.subscribers().is_empty()).flat_map(Topic::partitions);
            assert!(read.eq(seen));
            Ok(())
        });
    }
}

#[test]
fn dealing_is_giving_in_turn() {
    fn turn(group: &Group<'_>, owners: &mut Owners) -> Result<(), Refusal> {
        let members: Vec<_> = group.members().collect();
        for (at, partition) in group.partitions().enumerate() {
            owners.give(partition, members[(2 + at) % members.len()]);
        }
        Ok(())
    }
    fn deal(group: &Group<'_>, owners: &mut Owners) -> Result<(), Refusal> {
        owners.deal(group.partitions(), &group.members().collect::<Vec<_>>(), 2);
        Ok(())
    }
    for partitions in [0, 1, 4, 5, 6, 64, 77] {
        let group = TestGroup::new().topic("t", partitions).members(5);
        let plan = group.plan(deal).expect("a plan");
        assert_eq!(Ok(&plan), group.plan(turn).as_ref());
        laws::whole(&group, &plan);
        laws::balanced(&plan, 1);
    }
}

#[test]
fn a_plan_carries_copies_data_memo_and_notes() {
    let group = TestGroup::new().topic("t", 1).members(2);
    let plan = group.plan(|group, owners| {
        owners.set_copies(2)?;
        let partition = group.partitions().next().expect("one");
        owners.give_copy(0, partition, group.member(1));
        owners.give_copy(1, partition, group.member(0));
        assert_eq!(owners.owner(partition), Some(1));
        owners.user_data(group.member(1), vec![5]);
        owners.remember(vec![6]);
        owners.call_again_ms(7);
        owners.note(Level::Warn, "look here");
        Ok(())
    });
    let plan = plan.expect("a plan");
    assert_eq!(plan.owners[&("t".to_owned(), 0)], ["m-01", "m-00"]);
    assert_eq!((&plan.user_data["m-01"], plan.memo.as_deref()), (&vec![5], Some(&[6][..])));
    assert_eq!((plan.call_again_ms, plan.notes.len()), (Some(7), 1));
    laws::whole(&group, &plan);
}

#[test]
fn a_refusal_says_who_and_why() {
    let group = TestGroup::new().members(2);
    let refused = group.plan(|_, _| Err(Refusal::new("no", "not now").about(1).retriable()));
    let refused = refused.expect_err("refused");
    assert_eq!((refused.code.as_str(), refused.message.as_str()), ("no", "not now"));
    assert_eq!((refused.member, refused.retriable), (Some(1), true));
}

#[test]
fn no_request_makes_a_look_around_panic() {
    fn look(group: &Group<'_>, owners: &mut Owners) -> Result<(), Refusal> {
        let racks = group.replica_racks();
        for partition in group.partitions().take(1_000) {
            let replicas = racks.map_or(0, |racks| racks.of(partition).count());
            match group.owner_before(partition).or_else(|| group.members().next()) {
                Some(member) if replicas < 100 => owners.give(partition, member),
                _ => {}
            }
        }
        for member in group.members() {
            owners.note(Level::Debug, member.facts().text("zone").or(member.instance_id()).unwrap_or(member.id()));
        }
        group.runs().for_each(|run| owners.deal(run.partitions().take_front(1_000), run.subscribers(), usize::MAX));
        Ok(())
    }
    let member = TestMember::new("a").reads(["t", "u"]).rack("r2").fact("zone", "z").owned("t", [1]);
    let group = TestGroup::new()
        .topic_with_racks("t", vec![vec!["r1", "r2"], vec!["r2"]])
        .topic("u", 3)
        .member(member)
        .member(TestMember::new("b").reads(["u"]).instance_id("i"));
    let request = group.request();
    for at in 0..request.len() {
        for value in [0, 1, 2, 0x7f, 0x80, 0x90, 0xa1, 0xc0, 0xc4, 0xcd, 0xce, 0xff] {
            let mut changed = request.clone();
            changed[at] = value;
            crate::run::partitions(look, &changed);
        }
        crate::run::partitions(look, &request[..at]);
    }
}

#[test]
fn members_say_what_goes_with_their_metadata() {
    let mut request = Vec::new();
    let mut facts = vec![0x81, 0xa6];
    facts.extend(*b"weight\x07");
    let me = UserDataRequest { group: "g", topics: &["t"], facts: &facts, ..UserDataRequest::default() };
    me.write(&mut request);
    let made = crate::run::user_data(|me| Ok(me.facts().number("weight").map(|weight| vec![weight as u8])), &request);
    let read = parse_reply(&made, Expected::UserData).expect("a reply");
    assert_eq!(read.body, Body::UserData(Some(&[7])));
    let refused = crate::run::user_data(|me| Err(Refusal::new("no", me.topics()[0])), &request);
    let Body::Refused { message, .. } = parse_reply(&refused, Expected::UserData).expect("a reply").body else {
        panic!("refused")
    };
    assert_eq!(message, "t");
}

#[test]
fn a_request_that_cannot_be_read_is_refused() {
    let reply = crate::run::partitions(|_, _| Ok(()), &[0x90]);
    let read = parse_reply(&reply, Expected::Check).expect("a reply");
    let Body::Refused { code, message, .. } = read.body else { panic!("refused") };
    assert_eq!(code, "bad_request");
    assert_eq!(message, "the request cannot be read: byte 0: expected a request of 12 items");
}
