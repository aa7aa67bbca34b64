//! Captures that were named on the command line, and the modules that they are asked of again.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Result;
use serde_json::{Value, json};

use crate::assignor::capture::{Capture, Identity};
use crate::assignor::{Assignor, NATIVE, native_range};
use crate::cli::failure::{Failure, Kind};
use crate::cli::files;
use crate::cli::output::{Output, Tone, plain};
use crate::ids::Digest;
use crate::sandbox::{CAPTURE_SUFFIX, Sandbox, SandboxLimits, digest_of};

/// The files that these paths mean: a folder stands for the captures in it, by group and generation. A folder without any is told
/// and no failure as long as another has some, since every process that captures makes its folder and only a leader fills it; one
/// that cannot be read is told, and its error comes back for the end. `document` is what else scripts read of either.
pub fn files_of(paths: &[PathBuf], document: &Value, output: &Output) -> Result<(Vec<PathBuf>, Vec<anyhow::Error>)> {
    let (mut files, mut empty, mut errors) = (Vec::new(), Vec::new(), Vec::new());
    for path in paths {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        match listed(path, CAPTURE_SUFFIX) {
            Ok(inside) if inside.is_empty() => empty.push(path),
            Ok(mut inside) => files.append(&mut inside),
            Err(error) => errors.push(skipped(path, &error, document, output)?),
        }
    }
    for path in empty {
        let why = format!("{} has no captures: they end with {CAPTURE_SUFFIX}", path.display());
        match files.is_empty() {
            true => errors.push(Failure::of(Kind::NotFound, why)),
            false => output.print(&left_out(path, &why, document), || format!("none     {}", plain(&why)))?,
        }
    }
    Ok((files, errors))
}

/// Reads one.
pub fn read(path: &Path) -> Result<Capture> {
    // A file that will do for nothing is not one that differs.
    let bytes = files::capture(path)
        .map_err(|error| Failure::of(Kind::of_file(Failure::kind(&error) == Kind::NotFound), format!("{error:#}")))?;
    let capture = Capture::read(&bytes);
    capture.map_err(|why| Failure::of(Kind::Usage, format!("{} {why}", path.display())))
}

/// A sentence about a file, which may name it already.
pub fn named(path: &Path, why: &str) -> String {
    let shown = path.display().to_string();
    if why.contains(&shown) { why.to_owned() } else { format!("{shown}: {why}") }
}

/// Says of one that it is left out, among the lines of the others; gives the error for the end, which says why.
pub fn skipped(path: &Path, error: &anyhow::Error, document: &Value, output: &Output) -> Result<anyhow::Error> {
    let why = format!("{error:#}");
    skipped_row(path, &why, document, output)?;
    Ok(Failure::of(Failure::kind(error), named(path, &why)))
}

/// The row of one that is left out: its name for people, to whom the reason is said at the end; for scripts `document`, with the
/// capture and why.
pub fn skipped_row(path: &Path, why: &str, document: &Value, output: &Output) -> Result<()> {
    output.print(&left_out(path, why, document), || {
        format!("{}  {}", output.tone(Tone::Bad, "SKIPPED"), plain(&path.display().to_string()))
    })
}

fn left_out(path: &Path, why: &str, document: &Value) -> Value {
    let mut document = document.clone();
    document["capture"] = json!(crate::text::path(path));
    document["why"] = json!(why);
    document
}

/// The files of a folder whose names end so, by name.
fn listed(folder: &Path, suffix: &str) -> Result<Vec<PathBuf>> {
    let failed = |error: std::io::Error| {
        Failure::of(
            Kind::of_file(error.kind() == std::io::ErrorKind::NotFound),
            format!("the folder {} cannot be read ({error}): check the path and who may read it", folder.display()),
        )
    };
    let entries = std::fs::read_dir(folder).map_err(failed)?;
    let mut files = Vec::new();
    for entry in entries {
        let entry = entry.map_err(failed)?;
        if entry.file_name().to_string_lossy().ends_with(suffix) {
            files.push(entry.path());
        }
    }
    files.sort_by_cached_key(|path| in_parts(&path.to_string_lossy()));
    Ok(files)
}

/// The second generation comes before the tenth: numbers in names count as numbers, by their length and then their digits.
fn in_parts(name: &str) -> Vec<(usize, String)> {
    let is_number = |part: &str| part.starts_with(|it: char| it.is_ascii_digit());
    let mut parts: Vec<String> = Vec::new();
    for character in name.chars() {
        match parts.last_mut() {
            Some(last) if is_number(last) == character.is_ascii_digit() => last.push(character),
            _ => parts.push(character.to_string()),
        }
    }
    parts.into_iter().map(|part| (if is_number(&part) { part.len() } else { 0 }, part)).collect()
}

/// Strategies that were loaded, each once, in one sandbox.
pub struct Strategies {
    sandbox: Sandbox,
    by_digest: HashMap<Digest, Arc<dyn Assignor>>,
}

/// A strategy to ask: a module, or the host's own range.
#[derive(Clone)]
pub enum Asked {
    /// A module.
    Module(Arc<dyn Assignor>),
    /// The host's own range.
    Native,
}

impl Asked {
    /// To call it.
    pub fn strategy(&self) -> &dyn Assignor {
        match self {
            Asked::Module(module) => module.as_ref(),
            Asked::Native => native_range(),
        }
    }
}

impl Strategies {
    /// None yet.
    pub fn new() -> Result<Self> {
        Ok(Self { sandbox: Sandbox::new(SandboxLimits::of_author())?, by_digest: HashMap::new() })
    }

    /// Loads a file as every member does.
    pub fn load(&mut self, path: &Path) -> Result<Asked> {
        let bytes = files::module(path)?;
        self.compile(&bytes, path)
    }

    fn compile(&mut self, bytes: &[u8], path: &Path) -> Result<Asked> {
        if let Some(known) = self.by_digest.get(&digest_of(bytes)) {
            return Ok(Asked::Module(Arc::clone(known)));
        }
        let module = self.sandbox.load(bytes, path).map_err(|error| Failure::of(Kind::Failed, error.to_string()))?;
        let digest = module.digest();
        let module: Arc<dyn Assignor> = module;
        self.by_digest.insert(digest, Arc::clone(&module));
        Ok(Asked::Module(module))
    }

    /// The very module that was asked, found by its digest among the files of a folder.
    pub fn find(&mut self, wanted: &Identity, folder: impl FnOnce() -> Result<PathBuf>) -> Result<Asked> {
        let Some(digest) = wanted.digest else {
            return match wanted.name == NATIVE {
                true => Ok(Asked::Native),
                false => {
                    Err(Failure::of(Kind::NotFound, format!("{wanted} is not part of this divvy: name a --module")))
                }
            };
        };
        if let Some(known) = self.by_digest.get(&digest) {
            return Ok(Asked::Module(Arc::clone(known)));
        }
        let folder = folder()?;
        for path in listed(&folder, ".wasm")? {
            // One that cannot be read is not the one.
            let Ok(bytes) = files::module(&path) else { continue };
            if digest_of(&bytes) == digest {
                return self.compile(&bytes, &path);
            }
        }
        let text = format!(
            "no file in {} is {wanted}, whose digest is {digest}: name its folder with --assignors, or a file with --module",
            folder.display()
        );
        Err(Failure::of(Kind::NotFound, text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_without_captures_keeps_none_from_being_looked_at() {
        let folder = tempfile::tempdir().unwrap();
        let [good, empty] = ["good", "empty"].map(|name| folder.path().join(name));
        [&good, &empty].into_iter().for_each(|path| std::fs::create_dir(path).unwrap());
        let capture = good.join("g-1.capture");
        std::fs::write(&capture, "").unwrap();
        let named = |paths: &[&PathBuf]| {
            let paths: Vec<PathBuf> = paths.iter().copied().cloned().collect();
            files_of(&paths, &json!({}), &Output::new(false)).unwrap()
        };
        for paths in [[&empty, &good], [&good, &empty]] {
            let (files, errors) = named(&paths);
            assert_eq!((files, errors.len()), (vec![capture.clone()], 0));
        }
        let (files, errors) = named(&[&empty, &empty]);
        assert!(files.is_empty() && errors.len() == 2, "{errors:?}");
        assert_eq!(Failure::kind(&errors[0]), Kind::NotFound);
        assert!(errors[0].to_string().ends_with("empty has no captures: they end with .capture"), "{}", errors[0]);
    }

    #[test]
    fn generations_come_in_their_order() {
        let mut names = ["g-10-5.capture", "g-9-7.capture", "g-9-7-2.capture", "a-11-1.capture", ""];
        names.sort_by_key(|name| in_parts(name));
        assert_eq!(names, ["", "a-11-1.capture", "g-9-7-2.capture", "g-9-7.capture", "g-10-5.capture"]);
    }
}
