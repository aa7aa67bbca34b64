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
    assert_eq!(fault, "case odd: missing field `members`");
}
