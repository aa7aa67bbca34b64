use super::*;
use crate::time::WallTime;

fn row(file: &str, version: Option<u32>, state: ModuleState) -> ModuleStatus {
    ModuleStatus {
        path: format!("mods/{file}.wasm").into(),
        name: version.map(|_| "duo".to_owned()),
        version,
        digest: None,
        state,
        since: WallTime::default(),
        last_error: None,
        is_surplus: false,
    }
}

fn serving(file: &str, version: u32) -> ModuleStatus {
    row(file, Some(version), ModuleState::Serving)
}

/// Of too many files the first that is left out bears what is said of all of them. When there is room for it, it is not judged
/// at once.
#[test]
fn a_file_that_is_let_in_was_not_removed() {
    let left_out = ModuleStatus { is_surplus: true, ..row("c", None, ModuleState::Broken) };
    let before = [serving("a", 1), serving("b", 2), row("b", Some(1), ModuleState::Older), left_out];
    let names = |now: &[ModuleStatus]| gone(&before, now).map(|it| it.path.display().to_string()).collect::<Vec<_>>();
    assert_eq!(names(&before[1..3]), ["mods/a.wasm"]);
    assert_eq!(names(&before[..2]), [""; 0]);
}

#[test]
fn an_older_version_is_known_as_one_after_its_file_was_removed() {
    let mut newest = Newest::of(&[serving("duo", 4), row("broken", Some(9), ModuleState::Broken)]);
    newest.learn(&[]);
    let above = |files: &[ModuleStatus]| newest.above(files.last().unwrap(), files);
    assert_eq!(above(&[serving("duo", 1)]), Some(4));
    assert_eq!(above(&[serving("duo", 4)]), None, "put back");
    assert_eq!(above(&[serving("duo", 5)]), None);
    assert_eq!(above(&[serving("duo", 4), serving("one", 1)]), None, "it stands below the newer one");
    assert_eq!(above(&[row("duo", Some(1), ModuleState::PassedOver)]), None, "it does not serve");
}
