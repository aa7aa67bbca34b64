//! What is wrong with a manifest that somebody wrote by hand: a sentence for each mistake, all of them at once.

use serde_json::Value;

use crate::assignor::case::Once;
use crate::sandbox::limits::{MAX_MANIFEST_BYTES, MAX_NAME_LENGTH};

/// What a key's value may be.
enum Kind {
    /// Any text.
    Text,
    /// One of these words.
    Words(&'static [&'static str]),
    /// A number that is not smaller.
    From(u32),
    /// `true` or `false`.
    Flag,
    /// A list of texts.
    Names,
    /// `memory_mib` and `ms`.
    Limits,
    /// A JSON schema.
    Schema,
}

/// The keys of ABI 1.
const KEYS: [(&str, Kind); 17] = [
    ("abi", Kind::Text),
    ("name", Kind::Text),
    ("version", Kind::From(1)),
    ("protocol_type", Kind::Text),
    ("shape", Kind::Words(&["partitions", "states"])),
    ("mode", Kind::Words(&["eager", "cooperative"])),
    ("copies", Kind::Words(&["one", "many"])),
    ("complete", Kind::Flag),
    ("offer", Kind::Words(&["default", "by-name"])),
    ("rank", Kind::From(0)),
    ("needs", Kind::Names),
    ("limits", Kind::Limits),
    ("config_schema", Kind::Schema),
    ("license", Kind::Text),
    ("source", Kind::Text),
    ("description", Kind::Text),
    ("sdk", Kind::Text),
];

const SCHEMA: &[u8] = b"\"config_schema\"";

const LIMITS: [&str; 2] = ["memory_mib", "ms"];

/// The manifest, or all that is wrong with it.
pub fn read(text: &[u8]) -> Result<Value, Vec<String>> {
    let Once(value) = serde_json::from_slice(text).map_err(|error| match error.classify() {
        serde_json::error::Category::Data => vec![error.to_string()],
        // It is the one part that an SDK takes as JSON and does not write itself.
        _ if text.windows(SCHEMA.len()).any(|part| part == SCHEMA) => {
            vec![format!("it is not JSON: is config_schema a whole JSON object? ({error})")]
        }
        _ => vec![format!("it is not JSON: {error}")],
    })?;
    let Value::Object(manifest) = &value else {
        return Err(vec![r#"it is no object: write {"abi": "1.0", "name": "by-size"}"#.to_owned()]);
    };
    let mut mistakes = Vec::new();
    let names: Vec<&str> = KEYS.iter().map(|(key, _)| *key).collect();
    for (key, value) in manifest {
        match KEYS.iter().find(|(name, _)| name == key) {
            Some((_, kind)) => mistakes.extend(odd(key, kind, value)),
            None => mistakes.push(unknown(key, &names)),
        }
    }
    mistakes.extend(abi(manifest.get("abi")));
    mistakes.extend(name(manifest.get("name")));
    mistakes.extend(protocol_type(manifest.get("protocol_type")));
    let length = value.to_string().len();
    if length > MAX_MANIFEST_BYTES {
        mistakes.push(format!(
            "it has {length} bytes, at most {MAX_MANIFEST_BYTES} are allowed: shorten the description or the schema"
        ));
    }
    if mistakes.is_empty() { Ok(value) } else { Err(mistakes) }
}

fn odd(key: &str, kind: &Kind, value: &Value) -> Vec<String> {
    let at_least =
        |least: u32| value.as_u64().is_some_and(|number| (u64::from(least)..=u32::MAX.into()).contains(&number));
    let expected = match kind {
        Kind::Text if !value.is_string() => "a text".to_owned(),
        Kind::Words(words) if !value.as_str().is_some_and(|word| words.contains(&word)) => {
            words.iter().map(|word| format!("{word:?}")).collect::<Vec<_>>().join(" or ")
        }
        Kind::From(least) if !at_least(*least) => whole_number(*least, value),
        Kind::Flag if !value.is_boolean() => "true or false".to_owned(),
        Kind::Names if !value.as_array().is_some_and(|list| list.iter().all(Value::is_string)) => {
            r#"a list of columns, such as ["replica_racks"]"#.to_owned()
        }
        Kind::Schema if !value.is_object() => "a JSON schema, an object".to_owned(),
        Kind::Limits => return limits(value),
        _ => return Vec::new(),
    };
    vec![format!("{key:?} is {}: write {expected}", shown(value))]
}

fn limits(value: &Value) -> Vec<String> {
    const EXAMPLE: &str = r#"{"memory_mib": 64, "ms": 500}"#;
    let Some(limits) = value.as_object() else {
        return vec![format!("\"limits\" is {}: write {EXAMPLE}", shown(value))];
    };
    let mut mistakes = Vec::new();
    for (key, value) in limits {
        if !LIMITS.contains(&key.as_str()) {
            mistakes.push(format!("in \"limits\": {}", unknown(key, &LIMITS)));
        } else if !value.as_u64().is_some_and(|number| (1..=u64::from(u32::MAX)).contains(&number)) {
            let expected = whole_number(1, value);
            mistakes.push(format!("{key:?} in \"limits\" is {}: write {expected}, as in {EXAMPLE}", shown(value)));
        }
    }
    mistakes
}

/// What to write instead; the largest is said to who wrote a larger one.
fn whole_number(least: u32, value: &Value) -> String {
    let is_larger = value.as_f64().is_some_and(|number| number > f64::from(u32::MAX));
    if is_larger {
        format!("a whole number from {least} to {}", u32::MAX)
    } else {
        format!("a whole number from {least}")
    }
}

fn abi(value: Option<&Value>) -> Option<String> {
    let text = match value {
        None => return Some(r#""abi" is missing: write "abi": "1.0""#.to_owned()),
        Some(value) => value.as_str()?,
    };
    let numbers = text.split_once('.').map(|(major, minor)| (major.parse::<u32>(), minor.parse::<u32>()));
    match numbers {
        Some((Ok(1), Ok(_))) => None,
        Some((Ok(major), Ok(_))) => Some(format!("\"abi\" is \"{major}.…\": this divvy speaks ABI 1: write \"1.0\"")),
        _ => Some(format!("\"abi\" is {text:?}: write two numbers with a dot between, \"1.0\"")),
    }
}

fn name(value: Option<&Value>) -> Option<String> {
    let text = match value {
        None => return Some(r#""name" is missing: write the strategy's, such as "name": "by-size""#.to_owned()),
        Some(value) => value.as_str()?,
    };
    let plain = |c: u8| c.is_ascii_lowercase() || c.is_ascii_digit() || b"._-".contains(&c);
    let is_good = !text.is_empty() && text.len() <= MAX_NAME_LENGTH && text.bytes().all(plain);
    (!is_good)
        .then(|| format!("\"name\" is {text:?}: write 1 to {MAX_NAME_LENGTH} characters, each one of a-z 0-9 . _ -"))
}

fn protocol_type(value: Option<&Value>) -> Option<String> {
    let text = value?.as_str()?;
    let is_good = !text.is_empty() && text.len() <= MAX_NAME_LENGTH && !text.contains(char::is_control);
    (!is_good).then(|| {
        format!("\"protocol_type\" is {text:?}: write 1 to {MAX_NAME_LENGTH} printable characters; \"consumer\" is the usual one")
    })
}

fn unknown(key: &str, known: &[&str]) -> String {
    let scored = known.iter().map(|&name| (strsim::damerau_levenshtein(&key.to_lowercase(), name), name));
    match scored.min().filter(|(distance, name)| *distance <= name.len().div_ceil(3)) {
        Some((_, name)) => format!("there is no key {key:?}: did you mean {name:?}?"),
        None => format!("there is no key {key:?}: there are {}", known.join(", ")),
    }
}

/// A value, as far as it fits into a sentence.
fn shown(value: &Value) -> String {
    let text = value.to_string();
    let cut = text.char_indices().nth(60).map(|(end, _)| format!("{}…", &text[..end]));
    cut.unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manifest_with_every_key_is_good() {
        let manifest = r#"{"abi": "1.3", "name": "a.b_c-9", "version": 7, "protocol_type": "connect", "shape": "states",
            "mode": "cooperative", "copies": "many", "complete": false, "offer": "by-name", "rank": 0,
            "needs": ["lag"], "limits": {"memory_mib": 64, "ms": 500}, "config_schema": {}, "license": "MIT",
            "source": "s", "description": "d", "sdk": "by hand"}"#;
        assert!(read(manifest.as_bytes()).is_ok());
        assert!(read(br#"{"abi": "1.0", "name": "x"}"#).is_ok());
    }

    #[test]
    fn each_mistake_has_a_sentence_with_the_remedy() {
        for (extra, sentence) in [
            (r#""version": 0"#, r#""version" is 0: write a whole number from 1"#),
            (r#""version": 99999999999"#, r#""version" is 99999999999: write a whole number from 1 to 4294967295"#),
            (r#""version": 1.5"#, r#""version" is 1.5: write a whole number from 1"#),
            (r#""shape": "round""#, r#""shape" is "round": write "partitions" or "states""#),
            (r#""complete": "yes""#, r#""complete" is "yes": write true or false"#),
            (r#""needs": "lag""#, r#""needs" is "lag": write a list of columns, such as ["replica_racks"]"#),
            (
                r#""limits": {"ms": 0}"#,
                r#""ms" in "limits" is 0: write a whole number from 1, as in {"memory_mib": 64, "ms": 500}"#,
            ),
            (r#""limits": {"pages": 1}"#, r#"in "limits": there is no key "pages": there are memory_mib, ms"#),
            (r#""mod": "eager""#, r#"there is no key "mod": did you mean "mode"?"#),
            (
                r#""protocol_type": """#,
                r#""protocol_type" is "": write 1 to 64 printable characters; "consumer" is the usual one"#,
            ),
            (r#""config_schema": 1"#, r#""config_schema" is 1: write a JSON schema, an object"#),
        ] {
            let manifest = format!(r#"{{"abi": "1.0", "name": "x", {extra}}}"#);
            assert_eq!(read(manifest.as_bytes()), Err(vec![sentence.to_owned()]));
        }
        for (manifest, words) in [
            (r#"{"abi": "2.0", "name": "x"}"#, "speaks ABI 1"),
            (r#"{"abi": "one", "name": "x"}"#, "two numbers"),
            (r#"{"abi": "1.0", "name": "X"}"#, "a-z"),
            (r#"{"abi": "1.0"}"#, "\"name\" is missing"),
            (
                r#"{"abi": "1.0", "name": "x", "name": "y"}"#,
                r#"the key "name" stands twice in one object: keep one of them"#,
            ),
            (r#"{"abi": "1.0", "name": "x", "limits": {"ms": 1, "ms": 2}}"#, r#"the key "ms" stands twice"#),
            ("[]", "no object"),
            ("{", "not JSON"),
        ] {
            let mistakes = read(manifest.as_bytes()).unwrap_err();
            assert!(mistakes.len() == 1 && mistakes[0].contains(words), "{mistakes:?}");
        }
    }
}
