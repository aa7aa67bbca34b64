//! Where modules are looked for: `--assignors`, `$DIVVY_ASSIGNORS`, `./assignors`, and beside the program.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Args;

use super::failure::{Failure, Kind};
use crate::ids::Digest;
use crate::sandbox::limits::{MAX_CALL_MS, MAX_MEMORY_MIB};
use crate::sandbox::{Trust, TrustedKey, read_digest};
use crate::server::config::{is_module_name, read_regular};

/// Two lines.
const MAX_KEY_BYTES: u64 = 4096;

/// The flag that every command with modules takes.
#[derive(Args, Clone, Debug)]
pub struct Modules {
    /// The folder of *.wasm files, watched while running [default: $DIVVY_ASSIGNORS, ./assignors, PROGRAM/../share/divvy/assignors]
    #[arg(long = "assignors", value_name = "DIR")]
    folder: Option<PathBuf>,
    #[command(flatten)]
    trusted: Trusted,
}

/// Which modules may serve at all.
#[derive(Args, Clone, Debug, Default)]
pub struct Trusted {
    /// Serve only what this key of minisign has signed, NAME.wasm.minisig beside NAME.wasm: the key, or its .pub file;
    /// may be given again
    #[arg(long = "trusted-key", value_name = "KEY|FILE", value_parser = trusted_key)]
    trusted_keys: Vec<NamedKey>,
    /// Serve only this file; may be given again
    #[arg(long = "allow-module", value_name = "sha256:DIGEST", value_parser = read_digest)]
    allowed: Vec<Digest>,
    /// A strategy that may import the functions of WASI that Go's runtime needs; may be given again
    #[arg(long, value_name = "NAME", value_parser = name)]
    wasi_shim: Vec<String>,
    /// The longest call that a manifest may ask for; what asks for more does not serve [default: 10000]
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_CALL_MS)))]
    max_call_ms: Option<u32>,
    /// The most memory of a call that a manifest may ask for, at most 1024; what asks for more does not serve [default: 256]
    #[arg(long, value_name = "MIB", value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_MEMORY_MIB)))]
    max_memory_mib: Option<u32>,
}

/// A key as it was named, which may be by its file.
#[derive(Clone, Debug)]
struct NamedKey {
    named: String,
    key: TrustedKey,
}

impl Trusted {
    /// The same with files of keys read again: whoever replaces one withdraws the key that was in it.
    pub fn read_again(&self) -> Result<Self, String> {
        let keys = self.trusted_keys.iter().map(|it| trusted_key(&it.named));
        Ok(Self { trusted_keys: keys.collect::<Result<_, _>>()?, ..self.clone() })
    }

    /// What it says; of what it does not say, what was said otherwise.
    pub fn over(&self, mut trust: Trust) -> Trust {
        if !self.trusted_keys.is_empty() {
            trust.keys = self.trusted_keys.iter().map(|it| it.key.clone()).collect();
        }
        if !self.allowed.is_empty() {
            trust.allowed = self.allowed.iter().copied().collect();
        }
        if !self.wasi_shim.is_empty() {
            trust.wasi_shim.clone_from(&self.wasi_shim);
        }
        trust.ceilings.call_ms = self.max_call_ms.unwrap_or(trust.ceilings.call_ms);
        trust.ceilings.memory_mib = self.max_memory_mib.unwrap_or(trust.ceilings.memory_mib);
        trust
    }
}

/// A strategy's name on the command line.
fn name(text: &str) -> Result<String, &'static str> {
    match is_module_name(text) {
        true => Ok(text.to_owned()),
        false => Err("write a strategy's name as its manifest has it, without a version, such as by-size"),
    }
}

fn trusted_key(text: &str) -> Result<NamedKey, String> {
    Ok(NamedKey { named: text.to_owned(), key: read_key(text)? })
}

fn read_key(text: &str) -> Result<TrustedKey, String> {
    text.parse().or_else(|why: String| match read_regular(Path::new(text), MAX_KEY_BYTES) {
        Ok(bytes) => String::from_utf8(bytes).map_or(Err(why), |text| text.parse()),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            Err(format!("{why}, or that file: there is no file {text}"))
        }
        Err(error) => Err(format!("{why}, or that file: {text} cannot be read: {error}")),
    })
}

impl Modules {
    /// The flag of commands under which nothing serves, so that nobody has to be trusted.
    pub fn at(folder: Option<PathBuf>) -> Self {
        Self { folder, trusted: Trusted::default() }
    }

    /// Which modules may serve at all.
    pub fn trust(&self) -> Trust {
        self.trusted.over(Trust::default())
    }

    /// The first place that exists; one that was named must exist.
    pub fn folder(&self) -> Result<PathBuf> {
        self.folder_for(
            "name a folder of *.wasm files, or make one with `mkdir assignors` (members that join with an empty one are \
             served by range, which is built in)",
        )
    }

    /// The same for a command with another way out.
    pub fn folder_for(&self, advice: &str) -> Result<PathBuf> {
        self.found()?.ok_or_else(|| Failure::of(Kind::NotFound, nowhere(&usual_places(), advice)))
    }

    /// The same for who can do without.
    pub fn found(&self) -> Result<Option<PathBuf>> {
        let named = [("--assignors", self.folder.clone()), ("$DIVVY_ASSIGNORS", from_environment())];
        if let Some((by, folder)) = named.into_iter().find_map(|(by, folder)| Some((by, folder?))) {
            return match folder.is_dir() {
                true => Ok(Some(folder)),
                false => Err(Failure::of(
                    Kind::NotFound,
                    format!(
                        "{by}: {} is no folder: make it, or name the one that holds the *.wasm files",
                        folder.display()
                    ),
                )),
            };
        }
        Ok(usual_places().into_iter().find(|folder| folder.is_dir()))
    }
}

/// The folder that the environment names.
pub fn from_environment() -> Option<PathBuf> {
    std::env::var_os("DIVVY_ASSIGNORS").filter(|value| !value.is_empty()).map(PathBuf::from)
}

/// Where modules are looked for when no folder is named.
pub fn usual_places() -> Vec<PathBuf> {
    let here = std::env::current_dir().unwrap_or_default().join("assignors");
    let program = std::env::current_exe().ok();
    let beside = program.as_deref().and_then(Path::parent).and_then(Path::parent);
    std::iter::once(here).chain(beside.map(|prefix| prefix.join("share/divvy/assignors"))).collect()
}

fn nowhere(usual: &[PathBuf], advice: &str) -> String {
    let places: Vec<_> = usual.iter().map(|folder| folder.display().to_string()).collect();
    format!(
        "no folder of modules: --assignors and $DIVVY_ASSIGNORS are not set, and there is neither {}; {advice}",
        places.join(" nor ")
    )
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;
    use clap::Parser as _;

    use super::*;

    #[derive(clap::Parser)]
    struct Line {
        #[command(flatten)]
        trusted: Trusted,
    }

    #[test]
    fn the_file_of_a_key_is_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("k.pub");
        let key = |number: u8| STANDARD.encode([&b"Ed"[..], &[number; 40]].concat());
        std::fs::write(&file, key(1)).unwrap();
        let line = Line::parse_from(["divvy", "--trusted-key", file.to_str().unwrap(), "--trusted-key", &key(3)]);
        let keys = |trusted: &Trusted| trusted.over(Trust::default()).keys;
        std::fs::write(&file, key(2)).unwrap();
        let again = line.trusted.read_again().unwrap();
        assert_eq!(keys(&line.trusted), [key(1), key(3)].map(|key| key.parse().unwrap()));
        assert_eq!(keys(&again), [key(2), key(3)].map(|key| key.parse().unwrap()));
        std::fs::remove_file(&file).unwrap();
        assert!(again.read_again().unwrap_err().contains("there is no file"));
    }

    #[test]
    fn a_key_that_is_neither_a_word_nor_a_file_is_told_so() {
        let folder = tempfile::tempdir().unwrap();
        let refused = |path: &Path| trusted_key(&path.display().to_string()).expect_err("no key");
        assert!(refused(&folder.path().join("nope")).contains("there is no file "));
        assert!(refused(folder.path()).contains("it is a folder"));
        let file = folder.path().join("k.pub");
        std::fs::write(&file, "no key\n").unwrap();
        assert!(refused(&file).starts_with("write a public key of minisign"));
    }
}
