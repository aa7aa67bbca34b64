//! Rust: cargo builds the project's own crate with the profile of modules, the small stack and whatever compiler there is.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use serde_json::Value;

use super::super::tools::Tools;
use super::super::wasm32::{self, Means};
use super::{Language, Part};
use crate::assignor::manifest::Shape;
use crate::cli::failure::{Failure, Kind};

/// What a module's memory begins with, and the words by which a project says it itself. A small stack, since Rust's own megabyte
/// would be zeroed for every call; and 2 MiB in all, since asking the host for more is what a call would wait for.
const MEMORY: [(&str, &[&str]); 2] = [
    ("-Clink-arg=-zstack-size=65536", &["stack-size"]),
    // The linker refuses more than what the memory may become, and to be told it in two ways.
    ("-Clink-arg=--initial-memory=2097152", &["initial-memory", "initial-heap", "max-memory"]),
];

/// With a larger stack the linker may refuse to begin with 2 MiB: then it counts what is needed.
const LARGE_STACK: u64 = 1 << 20;

/// Where it says so.
const CONFIG: &str = ".cargo/config.toml";

/// The profile of modules: small and fast. What the project's own profile says outranks it.
const PROFILE: [(&str, &str); 5] =
    [("opt-level", "3"), ("lto", "\"fat\""), ("codegen-units", "1"), ("panic", "\"abort\""), ("strip", "true")];

const NO_CARGO: &str = "install Rust (https://rustup.rs)";

/// The language.
pub struct Rust;

impl Language for Rust {
    fn name(&self) -> &'static str {
        "rust"
    }

    fn mark(&self) -> &'static str {
        "Cargo.toml"
    }

    fn parts(&self, shape: Shape) -> &'static [Part] {
        const SDK: [Part; 4] = [
            Part { from: "templates/rust-sdk", to: "divvy-guest" },
            Part { from: "src", to: "divvy-guest/src" },
            Part { from: "examples", to: "divvy-guest/examples" },
            Part { from: "docs", to: "divvy-guest/docs" },
        ];
        const PARTITIONS: [Part; 5] =
            [Part { from: "templates/rust-partitions", to: "" }, SDK[0], SDK[1], SDK[2], SDK[3]];
        const STATES: [Part; 5] = [Part { from: "templates/rust-states", to: "" }, SDK[0], SDK[1], SDK[2], SDK[3]];
        match shape {
            Shape::Partitions => &PARTITIONS,
            Shape::States => &STATES,
        }
    }

    fn compile(&self, folder: &Path, tools: &Tools<'_>) -> Result<Vec<u8>> {
        tools.run(wasm32::cargo(folder).arg("--version"), NO_CARGO)?;
        let compiler = wasm32::compiler(folder, &Builder(tools)).map_err(|why| {
            let sentence = format!("{}: there is no compiler for {}: {why}", tools.project, wasm32::TARGET);
            Failure::of(Kind::NotFound, sentence)
        })?;
        let mut command = compiler.cargo(wasm32::cargo(folder));
        command.args(["--release", "--lib", "--message-format=json-render-diagnostics"]);
        for setting in settings(folder) {
            command.args(["--config", &setting]);
        }
        if let wasm32::Compiler::Debian { .. } = compiler {
            command.arg("--target-dir").arg(target(folder).join(compiler.folder("modules")));
        }
        let said = tools.run(&mut command, NO_CARGO)?;
        let module = artifact(&said, folder).ok_or_else(|| {
            let remedy = "its Cargo.toml needs [lib] crate-type = [\"cdylib\", \"rlib\"]";
            Failure::of(Kind::Usage, format!("{}: cargo made no module: {remedy}", tools.project))
        })?;
        std::fs::read(&module).with_context(|| format!("{} cannot be read", module.display()))
    }
}

/// What the search for a compiler may do for an author: load a target, but not install packages on their machine.
struct Builder<'a>(&'a Tools<'a>);

impl Means for Builder<'_> {
    fn add_target(&self, command: &mut Command) -> Result<(), String> {
        self.0.run(command, NO_CARGO).map(drop).map_err(|error| format!("{error:#}"))
    }

    fn debian(&self, packages: &[&str]) -> Result<(), String> {
        let mut query = Command::new("dpkg-query");
        query.args(["-W", "-f", "${db:Status-Status} "]).args(packages);
        let installed = self.0.ask(&mut query);
        match installed.is_some_and(|said| said.split_whitespace().all(|status| status == "installed")) {
            true => Ok(()),
            false => Err(format!(
                "on Debian install it with `apt-get install --no-install-recommends {}`",
                packages.join(" ")
            )),
        }
    }

    fn say(&self, what: &str) {
        self.0.say(what);
    }
}

/// What the project does not say itself.
fn settings(folder: &Path) -> Vec<String> {
    let read = |path: &str| std::fs::read_to_string(folder.join(path)).unwrap_or_default();
    let manifest: toml::Table = toml::from_str(&read("Cargo.toml")).unwrap_or_default();
    let release = manifest.get("profile").and_then(|profile| profile.get("release"));
    let says = |key: &str| release.is_some_and(|release| release.get(key).is_some());
    let profile = PROFILE.iter().filter(|(key, _)| !says(key));
    profile.map(|(key, value)| format!("profile.release.{key}={value}")).chain(memory(&read(CONFIG))).collect()
}

/// The flags of [`MEMORY`] that are left, as a setting: cargo puts them behind the project's own of the same place, so that what it
/// says itself would count for nothing. Flags of the target hide those of `[build]`.
fn memory(config: &str) -> Option<String> {
    let flags = MEMORY.iter().filter(|(_, own)| !own.iter().any(|word| config.contains(word)));
    let mut flags: Vec<&str> = flags.map(|(flag, _)| *flag).collect();
    if own_stack(config).is_some_and(|bytes| bytes > LARGE_STACK) {
        flags.clear();
    }
    let table: toml::Table = toml::from_str(config).unwrap_or_default();
    let target = table.get("target").and_then(|targets| targets.get(wasm32::TARGET));
    let has_flags = |place: Option<&toml::Value>| place.is_some_and(|place| place.get("rustflags").is_some());
    let place = match has_flags(table.get("build")) && !has_flags(target) {
        true => "build".to_owned(),
        false => format!("target.{}", wasm32::TARGET),
    };
    (!flags.is_empty()).then(|| format!("{place}.rustflags={flags:?}"))
}

/// The bytes of stack that a project asks for.
fn own_stack(config: &str) -> Option<u64> {
    let (_, number) = config.split_once("stack-size=")?;
    number[..number.find(|it: char| !it.is_ascii_digit()).unwrap_or(number.len())].parse().ok()
}

/// Where cargo builds.
fn target(folder: &Path) -> PathBuf {
    folder.join(std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into()))
}

/// The module among cargo's messages, a JSON object a line: that of the folder's own package.
fn artifact(said: &[u8], folder: &Path) -> Option<PathBuf> {
    let folder = folder.canonicalize().ok()?;
    let messages = said.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice::<Value>(line).ok());
    let of_this = |message: &Value| {
        let manifest = message["manifest_path"].as_str().map(Path::new);
        manifest.and_then(Path::parent).and_then(|parent| parent.canonicalize().ok()).as_ref() == Some(&folder)
    };
    messages.filter(of_this).find_map(|message| {
        let files = message["filenames"].as_array()?;
        files
            .iter()
            .filter_map(Value::as_str)
            .map(PathBuf::from)
            .find(|file| file.extension().is_some_and(|it| it == "wasm"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn project(manifest: &str) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("Cargo.toml"), manifest).unwrap();
        folder
    }

    #[test]
    fn what_a_project_says_outranks_the_profile_of_modules() {
        let bare = project("[package]\nname = \"x\"\n");
        let all = settings(bare.path());
        assert_eq!(all.len(), PROFILE.len() + 1);
        assert!(all.contains(&"profile.release.lto=\"fat\"".to_owned()), "{all:?}");

        let own = project("[profile.release]\nopt-level = \"s\"\nlto = false\n");
        std::fs::create_dir(own.path().join(".cargo")).unwrap();
        let flags = ["-Clink-arg=-zstack-size=131072", "-Clink-arg=--initial-memory=1048576"];
        std::fs::write(own.path().join(CONFIG), format!("[target.wasm32-unknown-unknown]\nrustflags = {flags:?}\n"))
            .unwrap();
        let rest = settings(own.path());
        assert_eq!(rest.len(), PROFILE.len() - 2, "{rest:?}");
        assert!(rest.iter().all(|setting| !setting.contains("lto") && !setting.contains("rustflags")), "{rest:?}");
    }

    #[test]
    fn what_a_project_says_of_its_memory_is_not_said_again() {
        let (stack, begins) = (MEMORY[0].0, MEMORY[1].0);
        let left = |place: &str, flags: &[&str]| Some(format!("{place}.rustflags={flags:?}"));
        let target = "target.wasm32-unknown-unknown";
        let own = |place: &str, flag: &str| memory(&format!("[{place}]\nrustflags = [\"-Clink-arg={flag}\"]\n"));
        assert_eq!(memory(""), left(target, &[stack, begins]));
        assert_eq!(own(target, "-zstack-size=131072"), left(target, &[begins]));
        for says in ["--initial-memory=1048576", "--max-memory=1048576", "--initial-heap=1048576"] {
            assert_eq!(own(target, says), left(target, &[stack]), "{says}");
        }
        assert_eq!(own(target, "-zstack-size=4194304"), None, "2 MiB have no room for it");
        // Flags of the target would take the place of all of these.
        assert_eq!(own("build", "-zstack-size=131072"), left("build", &[begins]));
        assert_eq!(own("target.x86_64-unknown-linux-gnu", "-s"), left(target, &[stack, begins]));
    }

    #[test]
    fn the_module_is_that_of_the_folder_not_of_what_it_depends_on() {
        let (ours, other) = (project(""), project(""));
        let message = |folder: &Path, file: &str| {
            let manifest = folder.join("Cargo.toml");
            serde_json::json!({ "reason": "compiler-artifact", "manifest_path": manifest, "filenames": [file] })
                .to_string()
        };
        let said = [
            message(other.path(), "/target/other.wasm"),
            message(ours.path(), "/target/libours.rlib"),
            "not JSON".to_owned(),
            message(ours.path(), "/target/ours.wasm"),
        ];
        assert_eq!(artifact(said.join("\n").as_bytes(), ours.path()), Some(PathBuf::from("/target/ours.wasm")));
        assert_eq!(artifact(said[..2].join("\n").as_bytes(), ours.path()), None);
    }
}
