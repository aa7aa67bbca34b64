//! Cases: what is read, what is held against a plan, and what is refused with a sentence.

use serde_json::json;

use super::*;
use crate::assignor::{Budget, Export, Manifest, native_range};
use crate::ids::Digest;

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
        "rack_mismatches: 2 partitions are in another rack, expected 0"
    );
    assert_eq!(fails(json!({ "expect_props": { "moved": 0 } })), "moved: 1 partitions moved, expected 0");
    assert_eq!(fails(json!({ "expect_props": { "moved": "0" } })), r#"moved is "0": write a number from 0"#);
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
        (topic(json!({ "partitions": 2, "lag": [1] })), r#"2 partitions, but "lag" has 1 entries"#),
        (topic(json!({ "partitions": 1, "lag": [-1] })), r#"topic "t": "lag" is [-1]: write a list with a number"#),
        (member(json!({ "facts": 4 })), r#"member "a": "facts" is 4: write an object, such as {"cores": 4}"#),
        (member(json!({ "facts": { "weight": 1 }, "weight": 2 })), r#""weight" stands in "facts" and beside it: keep"#),
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
    let withheld = json!({ "expect": {}, "withheld": [] });
    assert_eq!(check(two_members(withheld)).unwrap_err(), "cases with \"withheld\" are not run here");
}

/// A hand-over: in the first round `a` keeps all but what `b` is to get, in the second `b` gets it.
#[test]
fn a_hand_over_is_followed_to_its_end() {
    let hand_over = |more: Value| {
        let mut case = json!({
            "topics": { "t": { "partitions": 2 } },
            "members": [{ "id": "a", "topics": ["t"], "owned": { "t": [0, 1] }, "generation": 3 },
                        { "id": "b", "topics": ["t"] }],
        });
        case.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let case = read_cases(case).unwrap().remove(0);
        let manifest = Manifest { name: "cooperative-sticky".to_owned(), ..native_range().manifest().clone() };
        case.check(&Cooperative(manifest))
    };
    let first = json!({ "a": { "t": [0] }, "b": {} });
    let last = json!({ "a": { "t": [0] }, "b": { "t": [1] } });
    let props = json!({ "withheld_count": 1, "rounds_max": 2, "no_overlap_with_revoked": true });
    let whole = json!({ "all_assigned": true, "sizes": { "a": 1, "b": 1 } });
    let case = json!({ "expect": first, "expect_props": props, "expect_final": last, "expect_final_props": whole });
    assert_eq!(hand_over(case), Ok(()));
    let wrong = hand_over(json!({ "expect_final": first })).unwrap_err();
    assert!(wrong.ends_with("in the end"), "{wrong}");
    let late = hand_over(json!({ "expect_props": { "rounds_max": 1 } })).unwrap_err();
    assert_eq!(late, "rounds_max: after 1 rounds something is still withheld");
}

/// Range under a cooperative name.
struct Cooperative(Manifest);

impl Assignor for Cooperative {
    fn manifest(&self) -> &Manifest {
        &self.0
    }

    fn digest(&self) -> Option<Digest> {
        None
    }

    fn call(&self, export: Export, request: &[u8], budget: Budget) -> Result<Vec<u8>, CallError> {
        native_range().call(export, request, budget)
    }
}

#[test]
fn under_compat_a_record_of_kafkas_is_what_is_expected() {
    let kafka = json!({ "kafka-3.9": { "a": { "t": [0], "u": [0] }, "b": { "t": [1], "u": [1] } } });
    let other = json!({ "kafka-3.9": { "a": { "t": [1], "u": [0] }, "b": { "t": [0], "u": [1] } } });
    let failed = json!({ "kafka-3.9": "!IllegalStateException" });
    let as_kafka = |known: Value| {
        let case = two_members(json!({ "expect": { "a": {}, "b": {} }, "known": known }));
        read_cases(case).unwrap()[0].as_kafka().check(native_range())
    };
    assert_eq!(as_kafka(kafka), Ok(()));
    assert!(as_kafka(other).unwrap_err().starts_with("expected "));
    assert!(as_kafka(failed).unwrap_err().starts_with(r#"expected {"a":{},"b":{}}"#));
    let odd = read_cases(two_members(json!({ "known": { "kafka-3.9": [] } }))).unwrap_err();
    assert!(odd.contains(r#""kafka-3.9" in "known" is []: write partitions by member"#), "{odd}");
}

#[test]
fn a_case_of_an_own_type_says_bytes_and_needs_no_topics() {
    let echo = Echo::new();
    let case = json!({
        "members": [{ "id": "a", "metadata": "full" }, { "id": "b", "metadata": { "hex": "00fF" } }, { "id": "c" }],
        "expect": { "a": { "text": "full" }, "b": { "hex": "00ff", "bytes": 2 }, "c": { "text": "" } },
    });
    assert_eq!(read_cases(case).unwrap()[0].check(&echo), Ok(()));
    for (metadata, words) in
        [(json!(7), "write a text"), (json!({ "hex": "0" }), "00ff"), (json!({ "hex": "é" }), "00ff")]
    {
        let case = json!({ "members": [{ "id": "a", "metadata": metadata }], "expect": { "a": {} } });
        let fault = read_cases(case).unwrap_err();
        assert!(fault.contains("member \"a\": \"metadata\" is") && fault.contains(words), "{fault}");
    }
    let laws = json!({ "members": [{ "id": "a" }], "expect": { "a": { "text": "" } }, "laws": ["sticky"] });
    let fault = read_cases(laws).unwrap()[0].check(&echo).unwrap_err();
    assert!(fault.contains("is about partitions"), "{fault}");
}

/// Gives everybody back what they said.
struct Echo(Manifest);

impl Echo {
    fn new() -> Self {
        Self(
            serde_json::from_value(json!({ "abi": "1.0", "name": "echo", "protocol_type": "own", "shape": "states" }))
                .unwrap(),
        )
    }
}

impl Assignor for Echo {
    fn manifest(&self) -> &Manifest {
        &self.0
    }

    fn digest(&self) -> Option<Digest> {
        None
    }

    fn call(&self, export: Export, request: &[u8], _: Budget) -> Result<Vec<u8>, CallError> {
        if export != Export::Assign {
            return Ok(Vec::new());
        }
        let request = divvy_guest::abi::request::States::read(request).unwrap();
        let states: Vec<Vec<u8>> = request.members.iter().map(|member| member.metadata.to_vec()).collect();
        Ok(divvy_guest::abi::reply::states(&states, None, None, &[]))
    }
}

#[test]
fn laws_of_a_case_are_held_against_the_plan_and_against_the_next_ones() {
    assert_eq!(check(two_members(json!({ "laws": ["complete", "disjoint", "subscribed", "fixed_point"] }))), Ok(()));
    let broken = check(two_members(json!({ "laws": ["sticky"] }))).unwrap_err();
    assert!(broken.starts_with("law sticky: t-1 moves from a"), "{broken}");
    let unknown = check(two_members(json!({ "laws": ["fair"] }))).unwrap_err();
    assert!(unknown.contains("there is no law \"fair\": there are complete, "), "{unknown}");
}

#[test]
fn a_file_may_say_laws_beside_its_cases() {
    let text = br#"{"laws": ["balanced(2)", "every_member"], "groups": {"alike": true, "config": {"strict": true}}, "cases": []}"#;
    let file = read_file(text).unwrap();
    assert_eq!(file.laws, ["balanced(2)", "every_member"]);
    let facts = br#"{"cases": [], "groups": {"facts": {"spare": [true, null]}}}"#;
    let shaped =
        read_file(facts).unwrap().groups.shape(divvy_guest::testing::TestGroup::new().topic("t", 1).members(8));
    let told = divvy_guest::testing::case(&shaped, "n", divvy_guest::testing::Law::Complete);
    assert_eq!(told.matches(r#""facts": { "spare": true }"#).count(), 4, "half of them tell it: {told}");
    assert!(file.groups.alike && file.groups.config.len() == 1 && file.cases.is_empty());
    for (text, words) in [
        (r#"{"cases": [], "law": []}"#, "did you mean \"laws\"?"),
        (r#"{"cases": [], "laws": ["fair"]}"#, "there is no law \"fair\""),
        (r#"{"cases": [], "laws": "sticky"}"#, "write a list of laws"),
        (r#"{"cases": [], "groups": {"may_refuse": "no"}}"#, "write a list of codes"),
        (r#"{"cases": [], "groups": {"facts": {"spare": true}}}"#, "write lists of values"),
        (r#"{"cases": [], "facts": {"spare": [true]}}"#, "write it in \"groups\""),
        (r#"{"cases": [], "groups": {"like": true}}"#, "did you mean \"alike\"?"),
    ] {
        let fault = read_file(text.as_bytes()).unwrap_err();
        assert!(fault.contains(words), "{fault}");
    }
}

#[test]
fn a_file_may_have_laws_and_no_case() {
    let read = |text: &str| read_file(text.as_bytes());
    let file = read(r#"{"laws": ["sticky"]}"#).unwrap();
    assert_eq!((file.cases.len(), file.laws), (0, vec!["sticky".to_owned()]));
    let file = read(r#"{"groups": {"alike": true}}"#).unwrap();
    assert!(file.cases.is_empty() && file.groups.alike);
    let why = read(r#"{"laws": ["sticky"], "case": []}"#).unwrap_err();
    assert_eq!(why, r#"there is no key "case" (it is []): did you mean "cases"?"#);
    let one = read(r#"{"topics": {"t": {"partitions": 1}}, "laws": ["sticky"]}"#).unwrap_err();
    assert!(one.starts_with("case 1: \"members\" is missing"), "{one}");
}

#[test]
fn whoever_joins_first_the_call_is_the_same() {
    let case = &read_cases(two_members(json!({}))).unwrap()[0];
    let request = |first| case.with_call(native_range().manifest(), first, |call| call.request().to_vec()).unwrap();
    assert_eq!(request(0), request(1));
}

/// What others really answer keeps the properties, but for those who are known not to keep them; so the properties are neither
/// too strict nor empty.
#[test]
fn recorded_answers_keep_the_properties_and_known_deviations_do_not() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors");
    let (mut kept, mut broken) = (0, 0);
    for file in ["cooperative-sticky", "copartition", "redundant", "single-writer", "sticky", "uniform"] {
        let text = std::fs::read(folder.join(file).with_extension("json")).unwrap();
        let json: Value = serde_json::from_slice(&text).unwrap();
        for (case, raw) in read_cases(json.clone()).unwrap().iter().zip(json.as_array().unwrap()) {
            let deviates = |who: &str| {
                let list = raw["known_deviation"].as_array();
                list.into_iter().flatten().filter_map(Value::as_str).any(|name| who.starts_with(name))
            };
            for (key, exact, props) in
                [("known", "expect", &case.expect_props), ("known_final", "expect_final", &case.expect_final_props)]
            {
                let answers = raw[key].as_object().into_iter().flatten();
                for (who, answer) in answers.map(|(who, answer)| (who.as_str(), answer)).chain([("us", &raw[exact])]) {
                    let Some(shares) = serde_json::from_value::<Shares>(answer.clone()).ok() else { continue };
                    let held = property::check(&case.ground, props, &shares);
                    kept += usize::from(held.is_ok());
                    broken += usize::from(held.is_err());
                    assert!(held.is_ok() || deviates(who), "{file}, {}, {who}: {held:?}", case.name);
                }
            }
        }
    }
    assert!(kept > 300 && broken >= 8, "{kept} kept, {broken} broken");
}
