//! `divvy assignor new`: a project that builds, passes its own tests and holds a first strategy.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::builder::PossibleValuesParser;
use clap::{Args, ValueEnum};
use serde_json::json;

use super::build::carried::{self, Words};
use super::build::languages::{self, LANGUAGES, Language};
use crate::assignor::manifest::{self, KAFKAS_OWN_NAMES};
use crate::cli::failure::{Failure, Kind};
use crate::cli::files::beside;
use crate::cli::output::{Output, plain};

/// Names that a compiler keeps for itself, or that are the SDK's own.
const TAKEN: [&str; 12] =
    ["test", "core", "std", "alloc", "build", "target", "main", "self", "super", "crate", "divvy", "divvy-guest"];

/// A name has to fit into a manifest, a file's name and a crate's.
const MAX_NAME_LENGTH: usize = 48;

/// Make a project for a new strategy.
#[derive(Args, Debug)]
pub struct New {
    /// The strategy's name: the folder NAME is made here
    #[arg(value_name = "NAME", value_parser = name)]
    name: String,
    /// What it computes: who owns which partition, or a state of the application's own for each member
    #[arg(long, value_enum, default_value_t)]
    shape: Shape,
    /// What it is written in
    #[arg(long, default_value = LANGUAGES[0].name(), value_parser = PossibleValuesParser::new(LANGUAGES.iter().map(|it| it.name())))]
    lang: String,
}

/// [`manifest::Shape`] on the command line.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
enum Shape {
    /// Who owns which partition
    #[default]
    Partitions,
    /// A state for each member
    States,
}

impl New {
    /// Writes it, and says what to do next.
    pub fn run(self, output: &Output) -> Result<()> {
        let folder = PathBuf::from(&self.name);
        let language = languages::named(&self.lang).context("clap lets only known languages through")?;
        if language.keeps(&self.name) {
            let (name, lang) = (&self.name, &self.lang);
            let sentence =
                format!("{name} is a name that {lang}'s own library or tools have: choose another, such as my-{name}");
            return Err(Failure::of(Kind::Usage, sentence));
        }
        let files = self.files(language)?;
        write(&folder, &files)?;
        let value = json!({
            "folder": folder,
            "name": self.name,
            "language": self.lang,
            "files": files.iter().map(|(path, _)| path).collect::<Vec<_>>(),
        });
        output.print(&value, || next(&self.name))
    }

    fn files(&self, language: &dyn Language) -> Result<Vec<(String, Vec<u8>)>> {
        let shape = match self.shape {
            Shape::Partitions => manifest::Shape::Partitions,
            Shape::States => manifest::Shape::States,
        };
        carried::files(language.parts(shape), Words { name: &self.name })
            .with_context(|| format!("this program carries no template of {}", language.name()))
    }
}

/// What `new` ends with.
fn next(name: &str) -> String {
    let name = plain(name);
    format!(
        "{name}/ holds a strategy that works as it stands; its README.md says where to begin.\n\n  \
         cd {name}\n  \
         divvy assignor build\n      compiles it to {name}.wasm\n  \
         divvy assignor check {name}.wasm --vectors vectors.json\n      whether every member would take it, and its cases\n  \
         divvy assignor test\n      its cases and laws on many random groups, in the sandbox\n  \
         divvy assignor bench {name}.wasm\n      what it costs, beside the strategies that divvy ships"
    )
}

/// All or nothing: what is there already stays as it is, and what cannot be finished is taken away again.
fn write(folder: &Path, files: &[(String, Vec<u8>)]) -> Result<()> {
    let is_empty = || std::fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_none());
    if folder.symlink_metadata().is_ok() && !is_empty() {
        let sentence = format!("{} is there already: choose another name, or remove it", folder.display());
        return Err(Failure::of(Kind::Usage, sentence));
    }
    make(folder, files).map_err(|error| {
        let shown = folder.display();
        let sentence = format!(
            "the project {shown} cannot be made here ({error}): go to a folder that you may write to, with room"
        );
        Failure::of(Kind::Failed, sentence)
    })
}

/// Makes it under another name, and gives it its own when it is whole.
fn make(folder: &Path, files: &[(String, Vec<u8>)]) -> std::io::Result<()> {
    // Behind a link to an empty folder, that folder's name.
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let begun = beside(&folder);
    clear_away(&begun);
    std::fs::create_dir(&begun)?;
    // An empty folder that was there keeps its mode.
    let keep = || folder.metadata().map_or(Ok(()), |is| std::fs::set_permissions(&begun, is.permissions()));
    let made = fill(&begun, files).and_then(|()| keep()).and_then(|()| std::fs::rename(&begun, &folder));
    if made.is_err() {
        // The first error is the one to tell.
        let _ = std::fs::remove_dir_all(&begun);
    }
    made
}

/// Takes away what others began beside it and cannot finish any more, since they were ended. What cannot be taken away stays.
fn clear_away(begun: &Path) {
    let folder = begun.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let pid =
            name.to_str().and_then(|name| name.strip_prefix(".divvy-")?.strip_suffix(".new")?.parse::<u32>().ok());
        let is_folder = entry.file_type().is_ok_and(|it| it.is_dir());
        if pid.is_some_and(is_gone) && is_folder {
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

/// Whether no process has that number; where that cannot be known, it may be there.
fn is_gone(pid: u32) -> bool {
    let processes = Path::new("/proc");
    processes.join("self").exists() && !processes.join(pid.to_string()).exists()
}

fn fill(folder: &Path, files: &[(String, Vec<u8>)]) -> std::io::Result<()> {
    for (path, bytes) in files {
        let path = folder.join(path);
        std::fs::create_dir_all(path.parent().unwrap_or(folder))?;
        let mut file = File::create_new(&path)?;
        file.write_all(bytes)?;
        // A full disk may say so only now.
        file.sync_all()?;
    }
    Ok(())
}

fn name(text: &str) -> Result<String, String> {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let is_plain = text.len() <= MAX_NAME_LENGTH && text.chars().all(plain);
    let begins_well = text.starts_with(|c: char| c.is_ascii_lowercase());
    if !is_plain || !begins_well || text.ends_with('-') || text.contains("--") {
        return Err(format!(
            "write a letter, then letters, digits and single dashes, at most {MAX_NAME_LENGTH} in all, such as by-size"
        ));
    }
    if KAFKAS_OWN_NAMES.contains(&text) {
        return Err(
            "Kafka's clients have a strategy of that name, and would take this one for it: choose another".to_owned()
        );
    }
    if TAKEN.contains(&text) || is_keyword(text) {
        return Err("compilers keep that name for themselves: choose another".to_owned());
    }
    Ok(text.to_owned())
}

/// Words that no crate can be called.
fn is_keyword(text: &str) -> bool {
    const KEYWORDS: [&str; 36] = [
        "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "do", "dyn", "else", "enum",
        "extern", "false", "final", "fn", "for", "if", "impl", "in", "let", "loop", "macro", "match", "mod", "move",
        "mut", "pub", "ref", "return", "static", "struct", "true", "use", "while",
    ];
    KEYWORDS.contains(&text) || ["type", "try", "trait", "unsafe", "where", "yield", "gen", "priv"].contains(&text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_fit_into_a_crate_a_file_and_a_manifest() {
        for good in ["by-size", "a", "rack2", "x-1"] {
            assert_eq!(name(good).as_deref(), Ok(good));
        }
        for bad in ["", "By-size", "1a", "a_b", "a.b", "a/b", "-a", "a-", "a--b", "range", "test", "fn", "é"] {
            assert!(name(bad).is_err(), "{bad}");
        }
        assert!(name(&"a".repeat(49)).is_err());
    }

    #[test]
    fn what_a_languages_own_library_is_called_no_project_of_it_is() {
        let new =
            |name: &str, lang: &str| New { name: name.to_owned(), shape: Shape::Partitions, lang: lang.to_owned() };
        for kept in ["fmt", "go", "strconv"] {
            let error = new(kept, "go").run(&Output::new(true)).unwrap_err();
            assert!(error.to_string().starts_with(&format!("{kept} is a name that go's own library")), "{error}");
            assert_eq!(Failure::kind(&error), Kind::Usage);
            assert!(!Path::new(kept).exists());
        }
        assert!(LANGUAGES.iter().all(|language| !language.keeps("by-size")));
        assert!(!languages::named("c").unwrap().keeps("hash"), "there it is a name as any");
    }

    #[test]
    fn what_a_project_is_made_of_is_carried_and_filled_in() {
        for language in LANGUAGES {
            for shape in [Shape::Partitions, Shape::States] {
                let new = New { name: "by-size".to_owned(), shape, lang: language.name().to_owned() };
                let files = new.files(*language).unwrap();
                let text =
                    |path: &str| files.iter().find(|file| file.0 == path).map(|file| String::from_utf8_lossy(&file.1));
                assert!(text(language.mark()).is_some(), "{} has no {}", language.name(), language.mark());
                assert!(text("README.md").unwrap().contains("by-size"), "{}", language.name());
                let of_states = text("vectors.json").unwrap().contains("every_member");
                assert_eq!(of_states, shape == Shape::States, "cases of {}", language.name());
                let own_tests = |path: &str| path.starts_with("tests/") || path.ends_with("_test.go");
                let has_sdk = files.iter().any(|(path, _)| path.starts_with("divvy/"));
                let is_clean = has_sdk && !files.iter().any(|(path, _)| own_tests(path));
                assert!(language.name() == "rust" || is_clean, "the SDK and none of its tests: {}", language.name());
                let unfilled = ["{{name}}", "{{ident}}", "{{version}}"];
                let of_sdk = |path: &str| path.starts_with("divvy-guest/src");
                for (path, bytes) in files.iter().filter(|(path, _)| !of_sdk(path)) {
                    let text = String::from_utf8_lossy(bytes);
                    assert!(!unfilled.iter().any(|word| text.contains(word)), "{path} of {}", language.name());
                }
            }
        }
    }

    #[test]
    fn what_somebody_who_was_killed_had_begun_goes_and_what_is_being_made_stays() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        // No process has so large a number; the first one is always there.
        let names = [".divvy-4294967295.new", ".divvy-1.new", ".divvy-x.new", ".divvy-4294967295.old"];
        names.iter().for_each(|name| std::fs::create_dir_all(at(name).join("src")).unwrap());
        std::fs::write(at(".divvy-4294967294.new"), "a file is not ours").unwrap();
        write(&at("p"), &[("src/lib.rs".to_owned(), b"1".to_vec())]).unwrap();
        assert!(!at(names[0]).exists());
        assert!(names[1..].iter().all(|name| at(name).is_dir()) && at(".divvy-4294967294.new").is_file());
    }

    #[test]
    fn what_is_there_stays() {
        let folder = tempfile::tempdir().unwrap();
        let project = folder.path().join("p");
        write(&project, &[("src/lib.rs".to_owned(), b"1".to_vec())]).unwrap();
        let error = write(&project, &[("src/lib.rs".to_owned(), b"2".to_vec())]).unwrap_err();
        assert!(error.to_string().contains("is there already"), "{error}");
        assert_eq!(std::fs::read(project.join("src/lib.rs")).unwrap(), b"1");
    }

    #[test]
    fn what_cannot_be_finished_is_taken_away_again() {
        let folder = tempfile::tempdir().unwrap();
        let project = folder.path().join("p");
        // A file cannot be a folder as well: the second of them fails as it would on a full disk.
        let files = [("src".to_owned(), b"1".to_vec()), ("src/lib.rs".to_owned(), b"2".to_vec())];
        let error = write(&project, &files).unwrap_err().to_string();
        assert!(error.starts_with(&format!("the project {} cannot be made here (", project.display())), "{error}");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        std::fs::create_dir(&project).unwrap();
        write(&project, &files[..1]).unwrap();
        assert_eq!(std::fs::read(project.join("src")).unwrap(), b"1", "an empty folder is room for it");
    }
}
