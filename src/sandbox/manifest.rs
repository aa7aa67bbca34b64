//! The rules of a module's manifest; each refusal says what to change.

use super::error::{LoadErrorKind, Refusal};
use super::limits::{
    MAX_CALL_MS, MAX_MANIFEST_BYTES, MAX_MEMORY_BYTES, MAX_MEMORY_MIB, MAX_NAME_LENGTH, SandboxLimits,
};
use crate::assignor::Manifest;
use crate::assignor::manifest::AskedLimits;
use crate::text::one_line;

/// The custom section that holds it.
pub(super) const SECTION: &str = "divvy.manifest";
/// The major version of the ABI that this host speaks.
const ABI_MAJOR: u32 = 1;

fn refuse<T>(message: String) -> Result<T, Refusal> {
    Err(Refusal::new(LoadErrorKind::Manifest, message))
}

/// Reads the manifest out of the sections that bear its name.
pub(super) fn read(sections: &[&[u8]]) -> Result<Manifest, Refusal> {
    let json = match sections {
        [json] => *json,
        [] => {
            return refuse(format!(
                "it has no custom section {SECTION}: is it an assignor? In Rust, C and Zig the SDK writes one; `divvy assignor build` \
                 takes it from the project's manifest.json, and `divvy assignor stamp` from any file"
            ));
        }
        several => return refuse(format!("it has {} custom sections {SECTION}; it must have one", several.len())),
    };
    if json.len() > MAX_MANIFEST_BYTES {
        return refuse(format!(
            "its manifest has {} bytes; at most {MAX_MANIFEST_BYTES} are allowed: shorten the description or schema",
            json.len()
        ));
    }
    let manifest = match serde_json::from_slice(json) {
        Ok(manifest) => manifest,
        Err(error) => return refuse(format!("its manifest cannot be read as JSON of ABI 1: {error}")),
    };
    check(&manifest)?;
    Ok(manifest)
}

fn check(manifest: &Manifest) -> Result<(), Refusal> {
    abi(&manifest.abi)?;
    let name = &manifest.name;
    let plain = |c: u8| c.is_ascii_lowercase() || c.is_ascii_digit() || b"._-".contains(&c);
    if name.is_empty() || name.len() > MAX_NAME_LENGTH || !name.bytes().all(plain) {
        let name = one_line(name, MAX_NAME_LENGTH);
        return refuse(format!(
            "its manifest's name {name:?} must have 1 to {MAX_NAME_LENGTH} characters, each one of a-z 0-9 . _ -"
        ));
    }
    if manifest.version == 0 {
        return refuse("its manifest's version is 0; versions begin with 1".to_owned());
    }
    if manifest.limits.ms == Some(0) || manifest.limits.memory_mib == Some(0) {
        return refuse(
            "its manifest asks for a limit of 0: no call could run; leave it out, or ask for more".to_owned(),
        );
    }
    let kind = &manifest.protocol_type;
    if kind.is_empty() || kind.len() > MAX_NAME_LENGTH || kind.contains(char::is_control) {
        return refuse(format!(
            "its manifest's protocol_type must have 1 to {MAX_NAME_LENGTH} printable characters; \"consumer\" is the usual one"
        ));
    }
    Ok(())
}

/// Refuses a manifest that asks for more than the operator lets it.
pub(super) fn within(asked: AskedLimits, limits: &SandboxLimits) -> Result<(), Refusal> {
    let mib = u32::try_from(limits.max_memory_bytes >> 20).unwrap_or(u32::MAX);
    let ms = u32::try_from(limits.max_call_time.as_millis()).unwrap_or(u32::MAX);
    let memory =
        Asked { what: "MiB of memory", key: "memory_mib", flag: "memory-mib", most: mib, ever: MAX_MEMORY_MIB };
    let time = Asked { what: "ms for a call", key: "ms", flag: "call-ms", most: ms, ever: MAX_CALL_MS };
    memory.within(asked.memory_mib)?;
    time.within(asked.ms)
}

/// Refuses a module whose memory begins with more than it may have, and says who can change that.
pub(super) fn begins_within(begins: u64, may_have: usize, limits: &SandboxLimits) -> Result<(), Refusal> {
    if begins <= may_have as u64 {
        return Ok(());
    }
    let mib = begins.div_ceil(1 << 20);
    let asks = format!("ask for {mib} with limits.memory_mib in its manifest");
    let raise = format!("raise module.max_memory_mib (--max-memory-mib) to {mib}");
    // What its manifest could ask for ends at the operator's ceiling.
    let more = match begins {
        _ if begins <= limits.max_memory_bytes as u64 => format!("{asks}, or "),
        _ if begins <= MAX_MEMORY_BYTES as u64 => format!("{raise}, or "),
        _ => String::new(),
    };
    let why = format!(
        "it begins with {} KiB of memory and may have {}: {more}link it with a smaller stack (-zstack-size=65536) and less to \
         begin with (--initial-memory)",
        begins >> 10,
        may_have >> 10
    );
    Err(Refusal::new(LoadErrorKind::Limit, why))
}

/// A limit that a manifest may ask for.
struct Asked {
    what: &'static str,
    /// In the manifest, below `limits`.
    key: &'static str,
    /// The setting, behind `max-`.
    flag: &'static str,
    /// What the operator allows.
    most: u32,
    /// What an operator can allow.
    ever: u32,
}

impl Asked {
    fn within(&self, asked: Option<u32>) -> Result<(), Refusal> {
        let Self { what, key, flag, most, ever } = self;
        let Some(asked) = asked.filter(|asked| asked > most) else { return Ok(()) };
        let setting = format!("module.max_{} (--max-{flag})", flag.replace('-', "_"));
        let remedy = match asked > *ever {
            true => format!("ask for less; {setting} allows {ever} at most"),
            false => format!("ask for less, or raise {setting} to {asked}"),
        };
        let why =
            format!("its manifest asks for {asked} {what} (limits.{key}), and at most {most} are allowed: {remedy}");
        Err(Refusal::new(LoadErrorKind::Limit, why))
    }
}

fn abi(abi: &str) -> Result<(), Refusal> {
    let numbers =
        abi.split_once('.').and_then(|(major, minor)| Some((major.parse().ok()?, minor.parse::<u32>().ok()?)));
    match numbers {
        Some((ABI_MAJOR, _)) => Ok(()),
        Some((major, _)) => Err(Refusal::new(
            LoadErrorKind::Abi,
            format!(
                "it speaks ABI {major}, this divvy {} speaks ABI {ABI_MAJOR}: build it with a divvy-guest of ABI \
                 {ABI_MAJOR}, or run a divvy that speaks ABI {major}",
                env!("CARGO_PKG_VERSION")
            ),
        )),
        None => refuse(format!(
            "its manifest's abi {:?} must be two numbers with a dot between, such as \"1.0\"",
            one_line(abi, 20)
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sandbox::Ceilings;

    fn refusal(json: &str) -> (LoadErrorKind, String) {
        let refusal = read(&[json.as_bytes()]).expect_err(json);
        (refusal.kind, refusal.message)
    }

    #[test]
    fn a_manifest_of_two_words_is_enough() {
        let manifest = read(&[br#"{"abi": "1.7", "name": "rack-aware.2_x", "unknown": true}"#]).expect("a manifest");
        assert_eq!((manifest.version, manifest.protocol_type.as_str()), (1, "consumer"));
    }

    #[test]
    fn who_begins_with_too_much_is_told_whose_number_is_too_small() {
        let of_operator = |memory_mib| SandboxLimits::default().below(Ceilings { memory_mib, ..Ceilings::default() });
        let refused = |begins_mib: u64, limits: &SandboxLimits, may_have: usize| {
            begins_within(begins_mib << 20, may_have, limits).expect_err("too much").message
        };
        let one = of_operator(1);
        let said = refused(2, &one, one.memory_bytes);
        let words = "it begins with 2048 KiB of memory and may have 1024: raise module.max_memory_mib (--max-memory-mib) to 2, or link";
        assert!(said.starts_with(words), "{said}");
        assert!(!said.contains("limits.memory_mib"), "that could not help: {said}");
        let usual = SandboxLimits::default();
        let said = refused(65, &usual, usual.memory_bytes);
        assert!(said.contains(": ask for 65 with limits.memory_mib in its manifest, or link it"), "{said}");
        assert!(refused(2, &usual, 1 << 20).contains("ask for 2 with limits.memory_mib"), "the manifest's own number");
        assert!(refused(1025, &usual, usual.memory_bytes).contains("65536: link it"), "nobody can allow it");
        assert!(begins_within(2 << 20, 2 << 20, &one).is_ok());
    }

    #[test]
    fn each_refusal_says_what_to_change() {
        for (json, kind, word) in [
            (r#"{"name": "x"}"#, LoadErrorKind::Manifest, "abi"),
            (r#"{"abi": "2.0", "name": "x"}"#, LoadErrorKind::Abi, "speaks ABI 2"),
            (r#"{"abi": "one", "name": "x"}"#, LoadErrorKind::Manifest, "\"1.0\""),
            (r#"{"abi": "1.0", "name": "Rack Aware"}"#, LoadErrorKind::Manifest, "a-z"),
            (r#"{"abi": "1.0", "name": ""}"#, LoadErrorKind::Manifest, "1 to 64"),
            (r#"{"abi": "1.0", "name": "x", "version": 0}"#, LoadErrorKind::Manifest, "begin with 1"),
            (r#"{"abi": "1.0", "name": "x", "limits": {"ms": 0}}"#, LoadErrorKind::Manifest, "limit of 0"),
            (r#"{"abi": "1.0", "name": "x", "version": -1}"#, LoadErrorKind::Manifest, "JSON"),
            (r#"{"abi": "1.0", "name": "x", "shape": "round"}"#, LoadErrorKind::Manifest, "partitions"),
            (r#"{"abi": "1.0", "name": "x", "protocol_type": "\u0007"}"#, LoadErrorKind::Manifest, "printable"),
            (r#"{"abi": "1.0", "name": "x""#, LoadErrorKind::Manifest, "JSON"),
        ] {
            let (got, message) = refusal(json);
            assert!(got == kind && message.contains(word), "{json}: {message}");
        }
        assert!(read(&[]).expect_err("none").message.contains("no custom section"));
        assert!(read(&[b"{}", b"{}"]).expect_err("two").message.contains("2 custom sections"));
        let long = vec![b' '; MAX_MANIFEST_BYTES + 1];
        assert!(read(&[&long]).expect_err("long").message.contains("shorten"));
    }
}
