//! The README's first assignor: every command of its blocks marked `sh assignor` is run, in a copy of the repository.

use std::path::{Path, PathBuf};
use std::process::Command;

/// What a copy of the repository needs so that `cargo xtask guests` builds the strategies.
const PARTS: [&str; 9] =
    ["Cargo.toml", "Cargo.lock", ".cargo", "src", "guest-sdk", "assignors", "xtask", "tests", "README.md"];

#[test]
fn the_first_assignor_of_the_readme_works_as_written() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let readme = std::fs::read_to_string(root.join("README.md")).unwrap();
    let script = blocks(&readme, "```sh assignor");
    assert!(script.contains("cargo xtask guests"), "the README's blocks are not where this test looks");

    let copy = tempfile::tempdir().unwrap();
    for part in PARTS {
        copy_tree(&root.join(part), &copy.path().join(part));
    }
    let binaries = Path::new(env!("CARGO_BIN_EXE_divvy")).parent().unwrap();
    let mut path = vec![PathBuf::from(binaries)];
    path.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()));
    let run = Command::new("bash")
        .args(["-euo", "pipefail", "-c", &script])
        .current_dir(copy.path())
        .env("PATH", std::env::join_paths(path).unwrap())
        .env("CARGO_TARGET_DIR", root.join("target/readme"))
        .output()
        .unwrap();
    let (out, err) = (String::from_utf8_lossy(&run.stdout), String::from_utf8_lossy(&run.stderr));
    assert!(run.status.success(), "the README's commands failed\n{out}\n{err}");
    assert!(out.contains("whole-topics"), "inspect shows the module's name\n{out}\n{err}");
    assert!(copy.path().join("assignors/whole-topics.wasm").exists());
}

/// The text of all code blocks with this opening line.
fn blocks(readme: &str, opening: &str) -> String {
    let mut inside = false;
    let mut text = String::new();
    for line in readme.lines() {
        if inside && line == "```" {
            inside = false;
        } else if line == opening {
            inside = true;
        } else if inside {
            text.push_str(line);
            text.push('\n');
        }
    }
    text
}

/// Copies a file, or a folder without what was built in it.
fn copy_tree(from: &Path, to: &Path) {
    if from.is_file() {
        std::fs::copy(from, to).unwrap();
        return;
    }
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let built = entry.path().extension().is_some_and(|it| it == "wasm") || entry.file_name() == "target";
        if !built {
            copy_tree(&entry.path(), &to.join(entry.file_name()));
        }
    }
}
