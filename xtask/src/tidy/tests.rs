//! The rules on small houses, and on this one.

use super::*;

fn source(path: &str, text: &str) -> Source {
    Source { path: path.to_owned(), text: text.to_owned() }
}

#[test]
fn this_repository_is_tidy() {
    let (sources, others) = read(&root()).unwrap();
    assert!(others.len() > 50, "{} files of the SDKs in other languages", others.len());
    let broken = check(&sources, &others);
    assert!(broken.is_empty(), "\n{}", broken.join("\n"));
}

#[test]
fn a_floor_imports_only_from_below() {
    let house = [
        source("src/group/join.rs", "//! x\nuse crate::wire::ErrorCode;\nuse crate::ids::{GroupId, MemberId};\n"),
        source("src/coordinator/mod.rs", "//! x\nuse crate::group::Group;\n"),
        source("src/store/mod.rs", "//! x\n// use crate::server::Server;\nuse crate::{group, time::{self, Now}};\n"),
        source("src/cli/mod.rs", "//! x\nuse crate::server::Server;\n"),
    ];
    assert_eq!(floors::check(&house), Vec::<String>::new());

    let wrong = [
        source("src/group/join.rs", "//! x\nuse crate::{\n    ids,\n    store::{Store, memory},\n};\n"),
        source("src/server/mod.rs", "//! x\nfn f() -> crate::client::Member {}\n"),
        source("src/group/sync.rs", "//! x\nuse crate::wire::{ErrorCode, messages::join_group};\n"),
        source("src/attic/mod.rs", "//! x\n"),
    ];
    let broken = floors::check(&wrong);
    assert_eq!(
        broken,
        [
            "src/group/join.rs:2: `group` (floor 1) may not import `crate::store` (floor 2)",
            "src/group/join.rs:2: `group` (floor 1) may not import `crate::store` (floor 2)",
            "src/server/mod.rs:2: `server` (floor 3) may not import `crate::client` (floor 3)",
            "src/group/sync.rs:2: `group` may use `crate::wire::ErrorCode` alone, not `crate::wire::messages`",
            "src/attic/mod.rs:1: `attic` stands on no floor (xtask/src/tidy/floors.rs)",
        ]
    );
}

#[test]
fn a_file_is_short_and_says_what_it_promises() {
    let long = source("src/wire/long.rs", &format!("//! x\n{}", "\n".repeat(450)));
    let endless = source("src/wire/endless.rs", &format!("//! x\n{}", "\n".repeat(700)));
    let reason = [("src/wire/long.rs", "a reason")];
    let without = sizes::check(&[long, endless], &[]);
    assert_eq!(without.len(), 2, "{without:?}");
    assert!(without[0].contains("needs its reason") && without[1].contains("cut it in two"), "{without:?}");

    let long = source("src/wire/long.rs", &format!("//! x\n{}", "\n".repeat(450)));
    assert_eq!(sizes::check(&[long], &reason), Vec::<String>::new());
    let short = source("src/wire/long.rs", "//! x\n");
    assert!(sizes::check(&[short], &reason)[0].contains("strike it"));
    assert!(sizes::check(&[], &reason)[0].contains("no such file"));
    assert_eq!(first_lines(&[source("src/a.rs", "use std::fmt;\n")]).len(), 1);
    let others = [source("c/a.h", "/* a.h: x */\n"), source("go/a.go", "package a\n"), source("zig/a.zig", "// x\n")];
    let broken = first_lines(&others);
    assert!(
        broken.len() == 2 && broken[0].contains("no `// ` that") && broken[1].contains("no `//! ` that"),
        "{broken:?}"
    );
}

#[test]
fn a_file_that_nothing_declares_is_dead() {
    let house = [
        source("src/lib.rs", "//! x\npub mod wire;\n#[cfg(test)]\nmod tests;\n"),
        source("src/tests.rs", "//! x\n"),
        source("src/wire/mod.rs", "//! x\nmod error;\npub(crate) mod api;\n"),
        source("src/wire/error.rs", "//! x\nmod codes;\n#[path = \"../odd.rs\"]\nmod even;\n"),
        source("src/wire/error/codes.rs", "//! x\n"),
        source("src/odd.rs", "//! x\n"),
        source("src/wire/forgotten.rs", "//! x\nmod later;\n"),
        source(
            "src/wire/api.rs",
            "//! x\nmacro_rules! keys { () => { pub mod $key; } }\nkeys! {\n    fetch: Fetch;\n}\n",
        ),
        source("src/wire/api/fetch.rs", "//! x\n"),
        source("assignors/range/tests/laws.rs", "//! x\n"),
        source("tests/it/main.rs", "//! x\nmod serve;\n"),
        source("tests/it/serve.rs", "//! x\n"),
    ];
    assert_eq!(files::check(&house), ["src/wire/forgotten.rs:1: no `mod` line leads to this file"]);
}
