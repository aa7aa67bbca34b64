//! Requests written by the host are read by the guest; whatever is cut or changed is refused, never believed.

use super::msgpack::{Reader, Writer};
use super::request::{Partitions, Subscription};
use super::text::comes_before;
use super::*;

#[test]
fn integers_and_lengths_take_their_shortest_form_and_come_back() {
    let edges = [0, 1, 0x7f, 0x80, 0xff, 0x100, 0xffff, 0x1_0000, 0xffff_ffff, 0x1_0000_0000, i64::MAX];
    for value in edges.into_iter().flat_map(|edge| [edge, -edge, -edge - 1]) {
        let mut bytes = Vec::new();
        Writer::new(&mut bytes).signed(value);
        assert_eq!(Reader::new(&bytes).signed("an integer"), Ok(value));
    }
    for len in [0, 15, 16, 31, 32, 255, 256, 65_535, 65_536] {
        let mut bytes = Vec::new();
        let mut writer = Writer::new(&mut bytes);
        writer.text(&"x".repeat(len));
        writer.binary(&vec![7; len]);
        writer.array(len);
        bytes.resize(bytes.len() + len, 0xc0);
        let mut reader = Reader::new(&bytes);
        assert_eq!(reader.text("a text").map(str::len), Ok(len));
        assert_eq!(reader.binary("data").map(<[u8]>::len), Ok(len));
        assert_eq!(reader.array("an array"), Ok(len));
        assert_eq!(reader.skip_many(len).and_then(|()| reader.end()), Ok(()));
    }
}

#[test]
fn hostile_lengths_and_deep_nesting_are_refused_without_room_or_stack() {
    assert!(Reader::new(&[0xdd, 0xff, 0xff, 0xff, 0xff]).array("an array").is_err());
    assert!(Reader::new(&[0xdf, 0x7f, 0xff, 0xff, 0xff, 0]).map("a map").is_err());
    assert!(Reader::new(&[0xdb, 0xff, 0xff, 0xff, 0xff, b'a']).text("a text").is_err());
    assert!(Reader::new(&[0xc1]).skip().is_err());
    assert!(Reader::new(&vec![0x91; 1 << 20]).skip().is_err());
    let mut nested = vec![0x91; 1 << 20];
    nested.push(0xc0);
    assert!(Reader::new(&nested).skip().is_ok());
}

#[test]
fn names_come_in_the_order_of_their_bytes() {
    let long = "consumer-bench-00017";
    let names = [
        "",
        "a",
        "ab",
        "b",
        "consumer",
        "consumer-",
        "consumer-bench-00016",
        long,
        "consumer-bench-0002",
        "ä",
        "äöü-äöü-ä",
    ];
    for (at, one) in names.iter().enumerate() {
        for (place, other) in names.iter().enumerate() {
            assert_eq!(comes_before(one, other), at < place, "{one} and {other}");
        }
    }
}

#[test]
fn subscriptions_are_the_same_set_in_both_forms() {
    let ranges = Subscription::Ranges(vec![(1, 3), (5, 6)]);
    let bits = Subscription::Bits(&[0b0010_0110]);
    for topic in 0..9 {
        assert_eq!(ranges.contains(topic), [1, 2, 5].contains(&topic), "topic {topic}");
        assert_eq!(ranges.contains(topic), bits.contains(topic), "topic {topic}");
    }
}

#[test]
fn owner_maps_hold_every_member_and_nobody_in_both_widths() {
    assert_eq!((Width::of(65_534), Width::of(65_535)), (Width::Two, Width::Four));
    for (width, last) in [(Width::Two, 65_533), (Width::Four, 70_000)] {
        let mut map = vec![0xff; 3 * width.bytes()];
        width.set(&mut map, 1, Some(last));
        assert_eq!([width.get(&map, 0), width.get(&map, 1), width.get(&map, 3)], [None, Some(last), None]);
        width.set(&mut map, 1, None);
        assert_eq!(width.get(&map, 1), None);
    }
}

#[cfg(feature = "host")]
mod both_sides {
    use super::super::host::*;
    use super::super::request::{Check, States, UserData};
    use super::*;

    fn request() -> Vec<u8> {
        let topics = [Topic { name: "a", partitions: 3 }, Topic { name: "b", partitions: 2 }];
        let every: Vec<u32> = (0..2).collect();
        let members = [
            Member { id: "m1", instance_id: Some("i"), rack: Some(1), user_data: Some(&[9]), ..Member::default() },
            Member { id: "m2", client_id: "c", subscription: 1, facts: &[0x81, 0xa1, b'w', 3], ..Member::default() },
        ];
        let mut claims = vec![0xff; 10];
        Width::Two.set(&mut claims, 4, Some(1));
        let mut bytes = vec![1, 2, 3];
        PartitionsRequest {
            head: Head { seed: 7, group: "g", generation: -1, protocol: "p@1", mode: Mode::Cooperative, config: &[] },
            topics: &topics,
            subscriptions: &[&every, &[1]],
            members: &members,
            racks: &["r0", "r1"],
            claims: &claims,
            columns: &[(names::REPLICA_RACKS, &[0; 10])],
            now_ms: 1_700_000_000_000,
            memo: Some(b"memo"),
        }
        .write(&mut bytes);
        bytes
    }

    #[test]
    fn a_request_is_read_as_it_was_written() {
        let bytes = request();
        let read = Partitions::read(&bytes).expect("well-formed");
        assert_eq!((read.head.seed, read.head.group, read.head.generation), (7, "g", -1));
        assert_eq!((read.head.mode, read.head.config, read.partitions), (Mode::Cooperative, &[0x80][..], 5));
        assert_eq!((read.topics[1].name, read.topics[1].base), ("b", 3));
        assert!(read.subscriptions[0].contains(0) && !read.subscriptions[1].contains(0));
        assert_eq!((read.members[0].rack, read.members[0].user_data), (Some(1), Some(&[9][..])));
        assert_eq!((read.members[1].client_id, read.members[1].facts.len()), ("c", 4));
        assert_eq!((Width::Two.get(read.claims, 4), read.memo), (Some(1), Some(&b"memo"[..])));
    }

    #[test]
    fn a_later_minor_version_may_append() {
        let mut bytes = request();
        bytes[0] = 0x90 | 13;
        bytes.extend([0x92, 0xc0, 0x05]);
        assert!(Partitions::read(&bytes).is_ok());
    }

    #[test]
    fn every_cut_is_refused_and_no_changed_byte_makes_a_panic() {
        let bytes = request();
        for cut in 0..bytes.len() {
            assert!(Partitions::read(&bytes[..cut]).is_err(), "cut at {cut}");
        }
        for at in 0..bytes.len() {
            for value in 0..=255 {
                let mut changed = bytes.clone();
                changed[at] = value;
                let _ = Partitions::read(&changed);
                let _ = States::read(&changed);
                let _ = parse_reply(&changed, Expected::Partitions { members: 2, partitions: 5 });
            }
        }
    }

    #[test]
    fn many_scattered_topics_are_a_bit_set_and_few_runs_are_ranges() {
        let odd: Vec<u32> = (0..500).map(|half| 2 * half + 1).collect();
        let run: Vec<u32> = (100..900).collect();
        let topics: Vec<String> = (0..1000).map(|topic| format!("t{topic:04}")).collect();
        let topics: Vec<Topic<'_>> = topics.iter().map(|name| Topic { name, partitions: 1 }).collect();
        let mut bytes = Vec::new();
        PartitionsRequest { topics: &topics, subscriptions: &[&odd, &run, &[]], ..PartitionsRequest::default() }
            .write(&mut bytes);
        let read = Partitions::read(&bytes).expect("well-formed").subscriptions;
        assert!(matches!(read[0], Subscription::Bits(_)) && matches!(read[1], Subscription::Ranges(_)));
        for topic in 0..1000 {
            assert_eq!(read[0].contains(topic), topic % 2 == 1);
            assert_eq!(read[1].contains(topic), (100..900).contains(&topic));
            assert!(!read[2].contains(topic));
        }
    }

    #[test]
    fn the_other_requests_are_read_as_they_were_written() {
        let members = [StateMember { id: "a", instance_id: None, metadata: &[1] }];
        let (mut states, mut check, mut user_data) = (Vec::new(), Vec::new(), Vec::new());
        StatesRequest { context: Some(&[5]), members: &members, now_ms: 3, ..StatesRequest::default() }
            .write(&mut states);
        write_check(&states, &[&[8]], &mut check);
        let read = Check::read(&check).expect("well-formed");
        assert_eq!((read.request.context, read.request.now_ms, read.states), (Some(&[5][..]), 3, vec![&[8][..]]));
        write_check(&states, &[], &mut check);
        assert!(Check::read(&check).is_err());
        UserDataRequest { topics: &["t"], facts: &[0x80], ..UserDataRequest::default() }.write(&mut user_data);
        assert_eq!(UserData::read(&user_data).expect("well-formed").topics, ["t"]);
    }

    #[test]
    fn replies_must_fit_their_request() {
        let mut plan = reply::plan_head(1, 4).to_vec();
        plan.extend([0, 0, 1, 0]);
        reply::plan_tail(&mut plan, None, Some(b"m"), Some(5), &[(reply::Level::Info, "why".into())]);
        let read = parse_reply(&plan, Expected::Partitions { members: 2, partitions: 2 }).expect("well-formed");
        let Body::Partitions(body) = read.body else { panic!("a plan") };
        assert_eq!((body.copies, body.memo, body.call_again_ms), (1, Some(&b"m"[..]), Some(5)));
        assert_eq!(read.diag, [("info", "why")]);
        for expected in [Expected::Partitions { members: 2, partitions: 3 }, Expected::States { members: 2 }] {
            assert!(parse_reply(&plan, expected).is_err());
        }
        let states = reply::states(&[vec![1], vec![]], None, None, &[]);
        assert!(parse_reply(&states, Expected::States { members: 2 }).is_ok());
        assert!(parse_reply(&states, Expected::States { members: 3 }).is_err());
        let memo = vec![0; MAX_MEMO_BYTES + 1];
        let states = |memo: &[u8]| reply::states(&[], Some(memo), None, &[]);
        assert!(parse_reply(&states(&memo[1..]), Expected::States { members: 0 }).is_ok());
        assert!(parse_reply(&states(&memo), Expected::States { members: 0 }).is_err());
    }

    #[test]
    fn a_flood_of_diagnostics_is_cut() {
        let lines: Vec<_> = (0..1000).map(|_| (reply::Level::Warn, "x".repeat(100))).collect();
        let why = reply::Refused { code: "c", message: "m", retriable: true, member: Some(3) };
        let bytes = reply::refused(why, &lines);
        let read = parse_reply(&bytes, Expected::Check).expect("well-formed");
        assert_eq!(read.body, Body::Refused { code: "c", message: "m", retriable: true, member: Some(3) });
        assert_eq!(read.diag.len(), MAX_DIAG_LINES);
    }
}
