//! The size budget: a file of one idea has about 240 lines.

use super::Source;

/// Above this a file needs a reason below.
const ARGUED_ABOVE: usize = 400;

/// Above this no reason is good enough.
const REFUSED_ABOVE: usize = 600;

/// Files above [`ARGUED_ABOVE`], each with the reason why it would be worse in two.
pub const ARGUED: &[(&str, &str)] = &[
    (
        "tests/scripts/world/mod.rs",
        "the interpreter of the stories: one arm a word, and a reader looks a word up in one place",
    ),
    ("tests/laws/restore.rs", "one law: every deed that may happen to a group, and the world that it happens in"),
];

/// Every file that is too long, and every argument that is no longer needed.
pub fn check(sources: &[Source], argued_for: &[(&str, &str)]) -> Vec<String> {
    let mut broken = Vec::new();
    for source in sources {
        let lines = source.text.lines().count();
        let argued = argued_for.iter().any(|(path, _)| *path == source.path);
        if lines > REFUSED_ABOVE {
            broken
                .push(format!("{}:1: {lines} lines, at most {REFUSED_ABOVE} are allowed: cut it in two", source.path));
        } else if lines > ARGUED_ABOVE && !argued {
            broken.push(format!(
                "{}:1: {lines} lines, above {ARGUED_ABOVE} a file needs its reason in xtask/src/tidy/sizes.rs",
                source.path
            ));
        } else if lines <= ARGUED_ABOVE && argued {
            broken.push(format!(
                "{}:1: {lines} lines need no reason: strike it from xtask/src/tidy/sizes.rs",
                source.path
            ));
        }
    }
    for (path, _) in argued_for {
        if !sources.iter().any(|source| source.path == *path) {
            broken.push(format!("{path}: argued for in xtask/src/tidy/sizes.rs, but there is no such file"));
        }
    }
    broken
}
