//! The guide "Your first assignor", as it stands: every file is written, every command is run, in the guide's order, and what it says
//! that a command prints is what that prints.
//!
//! A comment before a block says what it is for: `file: PATH` is written there; `run` is run, with `fails` it has to fail, with
//! `until: WORD` it is run again until it prints that word; `printed` is what the last command printed; `terminal` goes on.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use crate::cli_ground::Running;

const GUIDE: &str = include_str!("../../guest-sdk/docs/first-assignor.md");

/// What a command is waited for that is run until it prints something.
const PATIENCE: Duration = Duration::from_secs(120);

/// `divvy groups` as the guide writes it asks the default ports, which may be anybody's.
const ASK_OURS: &str = r#"divvy() {
    case "$1" in groups) command divvy "$@" --server "$SERVER" --admin "$ADMIN";; *) command divvy "$@";; esac
}"#;

#[test]
fn the_first_assignor_of_the_guide_works_as_written() {
    let ground = tempfile::tempdir().unwrap();
    let mut reader = Reader { folder: ground.path().to_owned(), ..Reader::default() };
    let steps = steps();
    assert!(steps.len() > 15, "the guide's blocks are not where this test looks");
    for (what, text) in &steps {
        reader.does(what, text);
    }
    assert_eq!(reader.terminals.len(), 3);
    assert!(reader.said.contains("spares@1") && reader.said.contains("nothing"), "{}", reader.said);
}

/// Who follows the guide.
#[derive(Default)]
struct Reader {
    folder: PathBuf,
    /// Where the coordinator of the first terminal listens.
    server: String,
    admin: String,
    terminals: Vec<Running>,
    /// What the last command printed.
    said: String,
}

impl Reader {
    fn does(&mut self, what: &str, text: &str) {
        match what.split_once(": ").unwrap_or((what, "")) {
            ("file", path) => std::fs::write(self.folder.join(path), text).unwrap(),
            ("run", "") => self.run(text, true),
            ("run, fails", "") => self.run(text, false),
            ("run, until", word) => self.run_until(text, word),
            ("printed", "") => assert!(self.said.contains(text), "the guide says\n{text}\nprinted is\n{}", self.said),
            ("terminal", "") => self.opens(text.trim()),
            _ => panic!("the guide has a block {what:?}, which this test does not know"),
        }
    }

    fn run(&mut self, script: &str, succeeds: bool) {
        let output = self.bash(script);
        assert_eq!(output.status.success(), succeeds, "{script}\n{}", self.said);
    }

    #[allow(clippy::disallowed_methods, reason = "a command that never prints it ends the test")]
    fn run_until(&mut self, script: &str, word: &str) {
        let begun = Instant::now();
        while !(self.bash(script).status.success() && self.said.contains(word)) {
            assert!(begun.elapsed() < PATIENCE, "{script}\nnever printed {word}:\n{}", self.said);
        }
    }

    /// Runs commands where the last ones ended.
    fn bash(&mut self, script: &str) -> Output {
        let here = self.folder.join(".here");
        let binaries = Path::new(env!("CARGO_BIN_EXE_divvy")).parent().unwrap();
        let mut path = vec![binaries.to_owned()];
        path.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()));
        let output = Command::new("bash")
            .args(["-euo", "pipefail", "-c", &format!("{ASK_OURS}\n{script}\npwd > \"$HERE\"")])
            .current_dir(&self.folder)
            .env("PATH", std::env::join_paths(path).unwrap())
            .env("HERE", &here)
            .env("SERVER", &self.server)
            .env("ADMIN", &self.admin)
            .env_remove("CARGO_TARGET_DIR")
            .output()
            .unwrap();
        if let Ok(folder) = std::fs::read_to_string(&here) {
            std::fs::remove_file(&here).unwrap();
            self.folder = PathBuf::from(folder.trim_end());
        }
        self.said = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes)).concat();
        output
    }

    /// A command that goes on in a terminal of its own. The coordinator takes free ports here.
    fn opens(&mut self, line: &str) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let folders: Vec<String> = words.iter().map(|word| self.in_folder(word)).collect();
        let mut arguments: Vec<&str> = folders.iter().skip(1).map(String::as_str).collect();
        let server = self.server.clone();
        let serves = arguments == ["serve"];
        match serves {
            true => arguments.extend(["--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0", "--data", "memory"]),
            false => arguments.extend(["--server", &server]),
        }
        let mut running = Running::start(&arguments);
        if serves {
            let serving = running.event("serving");
            let address = |of: &str| serving[of].as_str().unwrap().to_owned();
            (self.server, self.admin) = (address("kafka"), address("admin"));
        }
        self.terminals.push(running);
    }

    /// Folders of the guide are the reader's.
    fn in_folder(&self, word: &str) -> String {
        match self.folder.join(word) {
            path if path.is_dir() => path.display().to_string(),
            _ => word.to_owned(),
        }
    }
}

/// The guide's blocks that have a comment before them: the comment, and the text.
fn steps() -> Vec<(String, String)> {
    let mut lines = GUIDE.lines();
    let mut steps = Vec::new();
    while let Some(line) = lines.next() {
        let Some(what) = line.strip_prefix("<!-- ").and_then(|line| line.strip_suffix(" -->")) else { continue };
        let opening = lines.next().unwrap_or_default();
        assert!(opening.starts_with("```"), "after <!-- {what} --> comes {opening:?}, no block");
        let text: String = lines.by_ref().take_while(|line| *line != "```").map(|line| format!("{line}\n")).collect();
        steps.push((what.to_owned(), text));
    }
    steps
}
