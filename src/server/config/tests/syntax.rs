//! Text that is no TOML.

use super::*;

#[test]
fn text_that_is_not_toml_is_refused_with_its_line() {
    assert!(problem("insecure = false\nlisten = ").starts_with("divvy.toml, line 2: this is not TOML ("));
    let remedy = "put Kafka's names in quotes, such as \"group.max.size\" = 100";
    for both in [
        "group.max.size = 1\n[[group]]\nmatch = \"*\"",
        "[group]\nmax.size = 1\n[[group]]\nmatch = \"*\"",
        "[[group]]\nmatch = \"*\"\n[group]\nmax.size = 1",
    ] {
        let found = problem(both);
        assert!(found.contains(remedy), "{both}: {found}");
    }
}
