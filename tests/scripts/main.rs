//! Stories of a group, one a file in `tests/scripts/stories`: what members send, what time it is, and what the machine
//! answers. Lines that begin with two blanks are the machine's; `DIVVY_REWRITE=1 cargo test --test scripts` writes them
//! anew, so that a change of behaviour shows as a change of text.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise, its helpers included")]

mod command;
mod print;
mod scenarios;
mod world;

use std::path::{Path, PathBuf};

use world::World;

/// The machine's lines are set off by this.
const MARK: &str = "  ";

#[test]
fn every_story_is_told_as_it_stands() {
    let rewrite = std::env::var_os("DIVVY_REWRITE").is_some();
    let mut wrong = Vec::new();
    for (file, told) in stories() {
        let played = play(&told).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        if played == told {
            continue;
        }
        if rewrite {
            std::fs::write(&file, played).unwrap();
        } else {
            wrong.push(format!("{}\n{}", file.display(), difference(&told, &played)));
        }
    }
    assert!(wrong.is_empty(), "{}\n(DIVVY_REWRITE=1 writes the machine's answers anew)", wrong.join("\n"));
}

/// The files of the stories with their texts, by name.
fn stories() -> Vec<(PathBuf, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scripts/stories");
    let mut files: Vec<PathBuf> = std::fs::read_dir(&folder)
        .expect("the folder of stories is in the repository")
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|it| it == "txt"))
        .collect();
    files.sort();
    assert!(!files.is_empty(), "no stories in {}", folder.display());
    files.into_iter().map(|file| (file.clone(), std::fs::read_to_string(&file).unwrap())).collect()
}

/// Runs a story and gives it back with the machine's own lines.
fn play(story: &str) -> Result<String, String> {
    let mut world = World::default();
    let mut out = String::new();
    for (number, line) in story.lines().enumerate() {
        if line.starts_with(MARK) {
            continue;
        }
        out.push_str(line);
        out.push('\n');
        let said = line.split('#').next().unwrap_or_default().trim();
        if said.is_empty() {
            continue;
        }
        let command = command::parse(said).map_err(|error| format!("line {}: {error}", number + 1))?;
        for answer in world.run(command).map_err(|error| format!("line {}: {error}", number + 1))? {
            out.push_str(MARK);
            out.push_str(&answer);
            out.push('\n');
        }
    }
    Ok(out)
}

/// The first lines that differ.
fn difference(told: &str, played: &str) -> String {
    let place = told.lines().zip(played.lines()).take_while(|(a, b)| a == b).count();
    let show = |text: &str| text.lines().skip(place).take(6).map(|line| format!("    {line}\n")).collect::<String>();
    format!("  from line {}:\n  told:\n{}  played:\n{}", place + 1, show(told), show(played))
}
