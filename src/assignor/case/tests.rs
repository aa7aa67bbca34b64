//! Cases: what is read, what is held against a plan, and what is refused with a sentence.

use serde_json::json;

use super::*;
use crate::assignor::native_range;

fn check(case: Value) -> Result<(), String> {
    read_cases(case)?.iter().try_for_each(|case| case.check(native_range()))
}

fn two_members(more: Value) -> Value {
    let mut case = json!({
        "name": "two",
        "topics": { "t": { "partitions": 2, "racks": [["r1"], ["r2"]], "loads": [4, 1] }, "u": { "partitions": 2 } },
        "members": [{ "id": "a", "topics": ["t", "u"], "rack": "r2", "weight": 2, "owned": { "t": [1] }, "generation": 3 },
                    { "id": "b", "topics": ["t", "u"] }],
    });
    case.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    case
}

#[test]
fn exact_expectations_and_properties_hold() {
    let expect = json!({ "a": { "t": [0], "u": [0] }, "b": { "t": [1], "u": [1] } });
    let props = json!({ "all_assigned": true, "rack_mismatches": 2, "copartitioned": [["t", "u"]] });
    assert_eq!(check(two_members(json!({ "expect": expect, "expect_props": props }))), Ok(()));
}

#[test]
fn what_does_not_hold_is_said() {
    let fails = |more: Value| check(two_members(more)).unwrap_err();
    assert_eq!(
        fails(json!({ "expect": { "a": {}, "b": { "u": [1] } } })),
        r#"expected {"a":{},"b":{"u":[1]}}, got {"a":{"t":[0],"u":[0]},"b":{"t":[1],"u":[1]}}"#
    );
    assert_eq!(
        fails(json!({ "expect_props": { "rack_mismatches": 0 } })),
        "2 partitions are in another rack, expected 0"
    );
    assert_eq!(
        fails(json!({ "expect_props": { "moved": 0 } })),
        r#"the property "moved" is not known to this version: it cannot be checked"#
    );
    assert_eq!(fails(json!({ "expect_error": "no" })), r#"expected the refusal "no", but there is a plan"#);
    assert_eq!(fails(json!({ "rounds": [] })), "cases of several rounds are not run here");
}

#[test]
fn a_case_that_cannot_be_read_is_named() {
    let fault = check(json!([{ "name": "odd", "topics": {} }])).unwrap_err();
    assert_eq!(fault, r#"case "odd": "members" is missing: write "members": [{"id": "a", "topics": ["t"]}]"#);
}

#[test]
fn a_case_that_expects_nothing_does_not_hold() {
    for more in [json!({}), json!({ "expect_props": {} }), json!({ "note": "later", "known": { "kafka-3.9": {} } })] {
        let fault = check(two_members(more)).unwrap_err();
        assert!(fault.starts_with("nothing expected"), "{fault}");
    }
}

#[test]
fn whatever_is_odd_is_refused_with_case_key_value_and_remedy() {
    let fails = |more: Value| read_cases(two_members(more)).unwrap_err();
    let member = |more: Value| {
        let mut member = json!({ "id": "a", "topics": ["t"] });
        member.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        fails(json!({ "members": [member] }))
    };
    let topic = |topic: Value| fails(json!({ "topics": { "t": topic } }));
    let twice = json!([{ "id": "a", "topics": [] }, { "id": "a", "topics": [] }]);
    let same =
        json!([{ "id": "a", "topics": [], "instance_id": "i" }, { "id": "b", "topics": [], "instance_id": "i" }]);
    for (said, words) in [
        (fails(json!({ "expekt": {} })), r#"there is no key "expekt" (it is {}): did you mean "expect"?"#),
        (fails(json!({ "zzz": 1 })), r#"there is no key "zzz" (it is 1): there are name, topics"#),
        (fails(json!({ "expect": null })), r#""expect" is null: write what each member gets"#),
        (fails(json!({ "expect": { "c": {} } })), r#"names a member "c" that is not there: there are a, b"#),
        (fails(json!({ "expect": { "a": [1] } })), r#""expect" of member "a" is [1]: write"#),
        (fails(json!({ "expect": { "a": { "t": ["0"] } } })), r#"topic "t" is ["0"]: write a list of partitions"#),
        (fails(json!({ "expect_error": "" })), r#""expect_error" is "": write the code"#),
        (fails(json!({ "expect_props": { "all_asigned": true } })), r#"did you mean "all_assigned"?"#),
        (fails(json!({ "expect_props": [] })), r#""expect_props" is []: write an object"#),
        (fails(json!({ "config": 3 })), r#""config" is 3: write an object"#),
        (fails(json!({ "members": {} })), r#""members" is {}: write a list"#),
        (fails(json!({ "members": twice })), r#"two members have the id "a": give each its own"#),
        (fails(json!({ "members": same })), r#"two members have the instance_id "i": give each its own"#),
        (member(json!({ "wieght": 2 })), r#"member "a": there is no key "wieght" (it is 2): did you mean "weight"?"#),
        (member(json!({ "weight": "heavy" })), r#"member "a": "weight" is "heavy": write a number"#),
        (member(json!({ "owned": { "t": 1 } })), r#"member "a": "owned" is {"t":1}: write lists of partitions"#),
        (member(json!({ "topics": "t" })), r#"member "a": "topics" is "t": write a list of names"#),
        (member(json!({ "id": "" })), r#""id" is "": write a text that is not empty"#),
        (topic(json!({})), r#"topic "t": "partitions" is missing: write a number from 0"#),
        (topic(json!({ "partitions": -1 })), r#"topic "t": "partitions" is -1: write a number from 0 to 1000000"#),
        (topic(json!({ "partitions": 2, "racks": [["a"]] })), r#"2 partitions, but "racks" has 1 entries"#),
        (topic(json!({ "partitions": 2, "loads": [1, 2, 3] })), r#"2 partitions, but "loads" has 3 entries"#),
        (topic(json!({ "partitions": 1, "rack": [] })), r#"did you mean "racks"?"#),
    ] {
        assert!(said.starts_with(r#"case "two": "#) && said.contains(words), "{said}\n  not: {words}");
    }
    assert!(read_cases(json!([{}, 3])).unwrap_err().starts_with("case 1: "));
}

#[test]
fn a_text_is_read_only_if_no_key_stands_twice() {
    let twice = br#"{"topics": {"t": {"partitions": 1},
        "t": {"partitions": 2}}, "members": []}"#;
    let fault = read_text(twice).unwrap_err();
    assert!(fault.starts_with("line 2, column ") && fault.contains(r#""t" stands twice"#), "{fault}");
    let broken = read_text(b"[{]").unwrap_err();
    assert!(broken.starts_with("line 1, column 3: this is not JSON"), "{broken}");
    assert_eq!(read_text(br#"[{"topics": {}, "members": []}]"#).unwrap().len(), 1);
}

#[test]
fn cases_of_other_kinds_are_read_and_not_run() {
    let rounds = json!({ "name": "r", "mode": "incremental", "connectors": { "c": 2 }, "rounds": [{ "join": ["w"] }] });
    assert_eq!(check(rounds).unwrap_err(), "cases of several rounds are not run here");
    let connector =
        json!({ "topics": { "t": { "partitions": 1, "connector": true } }, "expect": { "a": { "t": [-1] } } });
    assert!(check(two_members(connector)).unwrap_err().contains("connectors are not run here"));
    let last = json!({ "expect_props": { "all_assigned": true }, "expect_final": {}, "known_final": {} });
    assert_eq!(check(two_members(last)).unwrap_err(), "cases of several rounds are not run here");
    let withheld = json!({ "expect": {}, "withheld": [] });
    assert_eq!(check(two_members(withheld)).unwrap_err(), "cases with \"withheld\" are not run here");
}
