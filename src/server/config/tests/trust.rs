//! Which modules may serve: keys and digests as people copy them.

use super::*;
use crate::ids::Digest;
use crate::sandbox::Ceilings;

/// What the file with every key says of it.
pub(super) fn expected() -> Trust {
    let key = "RWRKumbxaOfnGDfnEgAz1wZzdY4DfzUalwGpOHllJ2gKZtn/n8BTXF2d";
    let names = ["by-size", "go.2"].map(str::to_owned).to_vec();
    let ceilings = Ceilings { call_ms: 200, memory_mib: 1024 };
    Trust { keys: vec![key.parse().expect("a key")], allowed: [Digest([0xab; 32])].into(), wasi_shim: names, ceilings }
}

#[test]
fn what_is_no_key_and_no_digest_is_refused_whole() {
    let keys = "write a list of minisign's public keys, each the word of its .pub file that begins with RW";
    let digests = "write a list of files' SHA-256";
    for (text, sentence) in [
        ("module.trusted_keys = \"RWRKumbxaOfnGDfnEgAz1wZzdY4DfzUalwGpOHllJ2gKZtn/n8BTXF2d\"", keys),
        ("module.trusted_keys = [\"RWRKumbxaOfnGDfnEgAz1wZzdY4DfzUalwGpOHllJ2gKZtn/n8BTXF2d\", \"author.pub\"]", keys),
        ("module.trusted_keys = [1]", keys),
        ("module.trusted_keys = []", "an empty list names nobody"),
        ("module.allowed = []", "an empty list names none"),
        ("module.allowed = [\"sha256:12\"]", digests),
        ("module.allowed = [\"latest\"]", digests),
        ("module.wasi_shim = [\"by-size@1\"]", "write a list of strategies by name"),
        ("module.max_call_ms = 10001", "write a number from 1 to 10000"),
        ("module.max_memory_mib = 1025", "write a number from 1 to 1024"),
        ("module.max_memory_mib = 0", "write a number from 1 to 1024"),
        ("module.max_memory = 64", "did you mean module.max_memory_mib?"),
        ("module.allow = []", "did you mean module.allowed?"),
    ] {
        let found = problem(text);
        assert!(found.contains(sentence), "{text}\n  says: {found}\n  not: {sentence}");
    }
}
