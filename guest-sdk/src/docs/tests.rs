//! What the ABI reference says is what this crate does: its bytes are written and read here, and its numbers are the code's.

use crate::abi::{self, host, reply};
use crate::prelude::*;
use crate::run;
use crate::testing::{TestGroup, TestMember, TestStates};

const ABI: &str = include_str!("../../docs/abi-1.md");

/// The bytes of a block of hexadecimal numbers, without its comments.
fn block(name: &str) -> Vec<u8> {
    let opening = format!("```hex {name}\n");
    let at = ABI.find(&opening).unwrap_or_else(|| panic!("the reference has no block {name}")) + opening.len();
    let lines = ABI[at..].lines().take_while(|line| *line != "```");
    let numbers = lines.flat_map(|line| line.split('#').next().unwrap_or_default().split_whitespace());
    numbers.map(|number| u8::from_str_radix(number, 16).unwrap_or_else(|_| panic!("{number} is no byte"))).collect()
}

fn group() -> TestGroup {
    TestGroup::new()
        .topic_with_racks("clicks", vec![vec!["r1"], vec!["r1", "r2"]])
        .topic("queries", 1)
        .member(TestMember::new("a").reads(["clicks", "queries"]).instance_id("i1").rack("r1").owned("clicks", [0, 1]))
        .member(TestMember::new("b").reads(["clicks"]).fact("weight", 2.0))
        .config("copies", 1.0)
        .generation(3)
        .seed(7)
}

fn even(group: &Group<'_>, owners: &mut Owners) -> Result<(), Refusal> {
    for topic in group.topics() {
        owners.deal(topic.partitions(), &topic.subscribers(), 0);
    }
    owners.remember(vec![1, 2]);
    owners.call_again_ms(30_000);
    owners.note(Level::Info, "even");
    Ok(())
}

fn crowded(group: &Group<'_>, _: &mut Owners) -> Result<(), Refusal> {
    Err(Refusal::new("crowded", "too many").about(group.members().len() - 1))
}

#[test]
fn the_bytes_of_the_reference_are_what_the_host_writes_and_the_guest_answers() {
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x} ")).collect::<String>();
    let request = group().request();
    assert_eq!(hex(&block("request")), hex(&request));
    assert_eq!(hex(&block("reply")), hex(&run::partitions(even, &request)));
    assert_eq!(hex(&block("refusal")), hex(&run::partitions(crowded, &request)));
    let plan = group().read(&block("reply")).expect("a plan");
    assert_eq!(
        (plan.of("a", "clicks"), plan.of("b", "clicks"), plan.of("a", "queries")),
        (&[0][..], &[1][..], &[0][..])
    );
}

#[test]
fn so_are_those_of_states_and_of_the_optional_exports() {
    let group = TestStates::new().member("a", "m1").static_member("b", "i1", [0xff, 0]).context("ctx").generation(3);
    let (request, reply) = (block("states-request"), block("states-reply"));
    assert_eq!(request, group.request());
    let assign = |group: &StateGroup<'_>, states: &mut States| {
        group.members().take(1).for_each(|member| states.give(member, b"x".to_vec()));
        Ok(())
    };
    assert_eq!(reply, run::states(assign, &request));
    let mut check = Vec::new();
    host::write_check(&request, &[b"x", b""], &mut check);
    let said = [&[0x92, 0xc4, 0x30], &*request, &[0x92, 0xc4, 1, 0x78, 0xc4, 0]].concat();
    assert_eq!((request.len(), check), (48, said));
    assert_eq!(
        run::check(|_, _| Ok(()), &[&[0x92, 0xc4, 0x30], &*request, &reply[3..9]].concat()),
        [0x93, 0, 0xc0, 0x90]
    );
    assert_eq!(
        (reply::user_data(Some(&[2])), reply::user_data(None)),
        (vec![0x93, 0, 0xc4, 1, 2, 0x90], reply::checked())
    );
}

#[test]
fn the_numbers_of_the_reference_are_the_code_s() {
    let thousands = |number: usize| {
        let digits = number.to_string();
        let groups: Vec<&str> =
            digits.as_bytes().rchunks(3).rev().map(|three| str::from_utf8(three).unwrap()).collect();
        groups.join(",")
    };
    for (number, sentence) in [
        (abi::MAX_PARTITIONS as usize, "at most {} partitions"),
        (abi::MAX_PANIC_BYTES, "at most {} bytes of UTF-8 text"),
        (abi::MAX_DIAG_LINES, "first {} lines"),
        (abi::MAX_DIAG_BYTES, "lines and {} bytes"),
        (abi::MAX_MEMO_BYTES, "this group, at most {} bytes"),
        (abi::MAX_CLAIM_LAYERS, "*Claims* are 0 to {} such maps"),
        (abi::MINOR as usize, "minor version of the host: {}"),
        (reply::PLAN_HEAD_BYTES, "begins\nat byte {} of the reply"),
    ] {
        let sentence = sentence.replace("{}", &thousands(number));
        assert!(ABI.contains(&sentence), "the reference does not say {sentence:?}");
    }
    for name in [
        abi::names::ABI,
        abi::names::ALLOC,
        abi::names::ASSIGN,
        abi::names::USER_DATA,
        abi::names::CHECK,
        abi::names::PANIC,
        abi::names::MANIFEST,
        abi::names::REPLICA_RACKS,
        abi::names::LAG,
    ] {
        assert!(ABI.contains(&format!("`{name}`")), "the reference does not name {name}");
    }
    assert_eq!(abi::Width::of(65_534).bytes(), 2);
    assert_eq!(abi::Width::of(65_535).bytes(), 4);
}
