//! What somebody waits for: the strategies that a member would offer. The others are judged while it is a member, as files are
//! that come later; so a folder of twenty strategies costs a member no more time than the one that it names.

use crate::ids::ProtocolType;
use crate::membership::negotiate::would_offer;
use crate::sandbox::{SandboxLimits, inspect};

/// What the first look at the folders judges before it ends.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct First {
    /// The strategies of this type …
    pub protocol_type: ProtocolType,
    /// … that have these names; without names those that are offered by default.
    pub names: Vec<String>,
}

impl First {
    /// Whether a file of these bytes is among them. One that does not say what it is costs nothing to refuse.
    pub(super) fn has(&self, bytes: &[u8], limits: &SandboxLimits) -> bool {
        let would_offer = |manifest| would_offer(&manifest, &self.protocol_type, &self.names);
        inspect::manifest(bytes, limits).is_none_or(would_offer)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;
    use std::sync::Arc;
    use std::sync::mpsc;

    use super::super::desk::Desk;
    use super::super::shelf::Shelf;
    use super::super::watch::Wake;
    use super::super::{CatalogConfig, Snapshot};
    use super::*;
    use crate::sandbox::Sandbox;

    /// A strategy that traps: that it does shows that it was judged.
    fn strategy(folder: &Path, name: &str, more: &str) {
        let text = format!(
            r#"(module
            (@custom "divvy.manifest" "{{\"abi\":\"1.0\",\"name\":\"{name}\"{more}}}")
            (memory (export "memory") 1)
            (func (export "divvy_abi_v1"))
            (func (export "divvy_alloc") (param i32) (result i32) (i32.const 1024))
            (func (export "divvy_assign") (param i32 i32) (result i64) (unreachable)))"#
        );
        fs::write(folder.join(format!("{name}.wasm")), wat::parse_str(text).unwrap()).unwrap();
    }

    fn judged(snapshot: Option<Snapshot>) -> Vec<String> {
        let rows = snapshot.map(|it| it.status).unwrap_or_default();
        let name = |path: &Path| path.file_stem().unwrap().to_string_lossy().into_owned();
        rows.iter().filter(|row| row.last_error.is_some()).map(|row| name(&row.path)).collect()
    }

    fn look(names: &[&str]) -> (Vec<String>, Vec<String>) {
        let folder = tempfile::tempdir().unwrap();
        strategy(folder.path(), "usual", "");
        strategy(folder.path(), "special", r#",\"offer\":\"by-name\""#);
        strategy(folder.path(), "other", r#",\"protocol_type\":\"connect\""#);
        fs::write(folder.path().join("nothing.wasm"), b"no module").unwrap();
        let first =
            First { protocol_type: "consumer".into(), names: names.iter().map(|it| (*it).to_owned()).collect() };
        let config = CatalogConfig { first: Some(first), ..CatalogConfig::new(vec![folder.path().to_owned()]) };
        let (wakes, woken) = mpsc::channel();
        let sandbox = Sandbox::new(SandboxLimits::default()).unwrap();
        let mut shelf = Shelf::new(sandbox, config, Arc::default(), Desk::new(wakes));
        let at_once = judged(shelf.scan());
        while shelf.has_waiting() {
            shelf.judge_next();
            if let Wake::Judged(file) = woken.recv().unwrap() {
                shelf.take(file);
            }
        }
        (at_once, judged(shelf.scan()))
    }

    #[test]
    fn what_a_member_would_offer_is_judged_first_and_the_rest_of_its_folder_after_that() {
        let all = ["nothing", "other", "special", "usual"];
        for (names, first) in [(&["special@1"][..], ["nothing", "special"]), (&[], ["nothing", "usual"])] {
            let (at_once, in_the_end) = look(names);
            assert_eq!(at_once, first, "{names:?}");
            assert_eq!(in_the_end, all, "{names:?}");
        }
    }
}
