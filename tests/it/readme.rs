//! The README's first assignor: every command of its blocks marked `sh assignor` is run, with the program and Rust alone.

use std::path::{Path, PathBuf};
use std::process::Command;

#[test]
fn the_first_assignor_of_the_readme_works_as_written() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let readme = std::fs::read_to_string(root.join("README.md")).unwrap();
    let script = blocks(&readme, "```sh assignor");
    assert!(script.contains("divvy assignor new"), "the README's blocks are not where this test looks");

    let folder = tempfile::tempdir().unwrap();
    let binaries = Path::new(env!("CARGO_BIN_EXE_divvy")).parent().unwrap();
    let mut path = vec![PathBuf::from(binaries)];
    path.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()));
    let run = Command::new("bash")
        .args(["-euo", "pipefail", "-c", &script])
        .current_dir(folder.path())
        .env("PATH", std::env::join_paths(path).unwrap())
        .env("CARGO_TARGET_DIR", root.join("target/readme"))
        .env("CARGO_NET_OFFLINE", "true")
        .output()
        .unwrap();
    let (out, err) = (String::from_utf8_lossy(&run.stdout), String::from_utf8_lossy(&run.stderr));
    assert!(run.status.success(), "the README's commands failed\n{out}\n{err}");
    for words in ["test fixed_point ... ok", "1 of 1 cases hold", "range (built in)", "whole-topics@1"] {
        assert!(out.contains(words), "{words:?} is not said\n{out}\n{err}");
    }
    assert!(folder.path().join("whole-topics/whole-topics.wasm").exists());
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
