//! The manifest says what the macro was told, as JSON.

use crate::prelude::*;

mod everything {
    use super::*;

    crate::assignor! {
        assign: assign,
        name: "every \"thing\"",
        version: 3,
        protocol_type: "pipeline",
        shape: states,
        mode: cooperative,
        copies: many,
        complete: false,
        offer: by_name,
        rank: 7,
        needs: [replica_racks, lag],
        limits: { memory_mib: 16, ms: 20 },
        config_schema: r#"{"type": "object"}"#,
        description: "Two\nlines.",
        license: "Apache-2.0",
        source: "https://example.org",
        user_data: user_data,
        check: check,
    }

    fn assign(_: &StateGroup<'_>, _: &mut States) -> Result<(), Refusal> {
        Ok(())
    }
    fn user_data(_: &Me<'_>) -> Result<Option<Vec<u8>>, Refusal> {
        Ok(None)
    }
    fn check(_: &StateGroup<'_>, _: &[&[u8]]) -> Result<(), Refusal> {
        Ok(())
    }
}

mod little {
    use super::*;

    crate::assignor! { name: "little", assign: assign }

    fn assign(_: &Group<'_>, _: &mut Owners) -> Result<(), Refusal> {
        Ok(())
    }
}

#[test]
fn every_key_has_its_place() {
    let expected = concat!(
        r#"{"abi":"1.0","name":"every \"thing\"","version":3,"protocol_type":"pipeline","shape":"states","#,
        r#""mode":"cooperative","copies":"many","complete":false,"offer":"by-name","rank":7,"#,
        r#""needs":["replica_racks","lag"],"limits":{"memory_mib":16,"ms":20},"config_schema":{"type": "object"},"#,
        r#""description":"Two\u000alines.","license":"Apache-2.0","source":"https://example.org","#,
        r#""sdk":"divvy-guest "#,
        env!("CARGO_PKG_VERSION"),
        r#""}"#
    );
    assert_eq!(everything::MANIFEST, expected);
}

#[test]
fn a_name_is_enough() {
    assert!(little::MANIFEST.starts_with(r#"{"abi":"1.0","name":"little","sdk":"#), "{}", little::MANIFEST);
}

#[test]
fn a_key_that_is_wrong_is_told_its_values_and_an_unknown_one_the_keys() {
    assert_eq!(crate::__expected!(mode), "assignor!: `mode` is eager or cooperative");
    let unknown = crate::__expected!(modus);
    assert!(unknown.starts_with("assignor! has no key `modus`: there are name, version,"), "{unknown}");
    // Each key of the manifest is among them, with a sentence of its own.
    let keys = everything::MANIFEST.split("\"limits\"").next().unwrap_or_default();
    for key in keys.split(',').filter_map(|piece| piece.trim_start_matches('{').strip_prefix('"')?.split_once("\":")) {
        assert!(key.0 == "abi" || unknown.contains(key.0), "{key:?} in {unknown}");
    }
}
