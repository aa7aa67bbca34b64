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
