//! Digests, keys and signatures as other tools write them.

use std::fs;

use super::*;

fn digest(last: &str) -> String {
    format!("{}{last}", "0".repeat(62))
}

#[test]
fn a_digest_is_read_as_the_tools_print_it() {
    let mut bytes = [0; 32];
    bytes[31] = 0xab;
    assert_eq!(read_digest(&digest("ab")), Ok(Digest(bytes)));
    assert_eq!(read_digest(&format!(" sha256:{}\n", digest("AB"))), Ok(Digest(bytes)));
    for wrong in ["", "sha256:", "sha256:12", &digest("ag"), &digest("abc"), &"é".repeat(32), &digest("+1")] {
        assert!(read_digest(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn what_is_not_allowed_is_told_its_whole_digest() {
    let allowed = Trust { allowed: [Digest([1; 32])].into(), ..Trust::default() };
    allowed.judge(Path::new("a.wasm"), Digest([1; 32]), b"a module").expect("it is allowed");
    let refusal = allowed.judge(Path::new("a.wasm"), Digest([2; 32]), b"a module").expect_err("it is not");
    assert_eq!(refusal.kind, LoadErrorKind::Untrusted);
    assert!(refusal.message.contains(&format!("sha256:{} is not among the 1", "02".repeat(32))), "{}", refusal.message);
    Trust::default().judge(Path::new("a.wasm"), Digest([2; 32]), b"a module").expect("nothing is asked");
}

/// What minisign itself wrote: a key, and a signature of `a module\n` in its present form (the hash is signed).
const KEY: &str = "RWRKumbxaOfnGDfnEgAz1wZzdY4DfzUalwGpOHllJ2gKZtn/n8BTXF2d";
const SIGNATURE_TEXT: &str = "untrusted comment: signature from minisign secret key
RURKumbxaOfnGBFaG9xrjCP/AJkc3jkriI4V8U6gmnaZ4ZxV6fRIvUzcFRP3NOKiE4GN6+mA3XVl8PchK9t0vpeJ0fdXsCwPtAA=
trusted comment: timestamp:1795910400\tfile:a.wasm\thashed
TZ6YqV4XsfZs7XqLA3aZROj7HF/3rrNLX5SzPFsK/xtbJUIrCVeluQL84kCdEG4UvYWiKCxxALO3kQIIvWsOCg==
";

#[test]
fn a_signature_of_minisigns_own_is_one_of_its_bytes_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let module = folder.path().join("a.wasm");
    let trust = Trust { keys: vec![KEY.parse().expect("a key")], ..Trust::default() };
    assert_eq!(trust.keys[0].id(), "18E7E768F166BA4A");
    let judge = |bytes: &[u8]| trust.judge(&module, Digest([0; 32]), bytes).map_err(|refusal| refusal.message);
    assert!(judge(b"a module\n").expect_err("no signature yet").contains("not signed"));
    fs::write(signature_path(&module), SIGNATURE_TEXT).expect("written");
    judge(b"a module\n").expect("it is signed");
    assert!(judge(b"a module").expect_err("other bytes").contains("not one of these bytes"));
    let other_comment = SIGNATURE_TEXT.replace("a.wasm", "b.wasm");
    fs::write(signature_path(&module), other_comment).expect("written");
    judge(b"a module\n").expect_err("its comment is signed too");
}
