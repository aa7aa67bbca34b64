//! Files that were named on the command line: read as far as they may be long, written whole or not at all, and refused in a
//! sentence.

use std::fs::{self, File, OpenOptions};
use std::io::{Error, ErrorKind, Write};
use std::os::unix::fs::{MetadataExt, fchown};
use std::path::{Path, PathBuf};

use anyhow::Result;

use super::failure::{Failure, Kind};
use crate::assignor::capture::MAX_CAPTURE_BYTES;
use crate::sandbox::limits::{MAX_MANIFEST_BYTES, MAX_MODULE_BYTES};
use crate::server::config::read_regular;
use crate::whatif::limits::MAX_SCRIPT_BYTES;

/// Links that are followed to a file that is not there yet, as many as Linux follows to one that is.
const MAX_LINKS: usize = 40;

/// The largest file of cases: thousands of groups of thousands of members.
const MAX_CASES_BYTES: u64 = 256 * 1024 * 1024;

/// The bytes of a module; one that is too large for any sandbox is refused by the one that gets it.
pub fn module(path: &Path) -> Result<Vec<u8>> {
    read(path, MAX_MODULE_BYTES as u64)
}

/// The bytes of a capture.
pub fn capture(path: &Path) -> Result<Vec<u8>> {
    // The body, and its head.
    read(path, MAX_CAPTURE_BYTES as u64 + 1024)
}

/// The text of a file of cases.
pub fn cases(path: &Path) -> Result<Vec<u8>> {
    read(path, MAX_CASES_BYTES)
}

/// The text of a simulated life.
pub fn script(path: &Path) -> Result<Vec<u8>> {
    read(path, MAX_SCRIPT_BYTES)
}

/// The text of a manifest, which may have twice the room: its spaces are not kept.
pub fn manifest(path: &Path) -> Result<Vec<u8>> {
    read(path, 2 * MAX_MANIFEST_BYTES as u64)
}

fn read(path: &Path, most_bytes: u64) -> Result<Vec<u8>> {
    read_regular(path, most_bytes).map_err(|error| {
        let kind = match error.kind() {
            // That is a judgement; of what cannot be read nothing was tried.
            ErrorKind::FileTooLarge => Kind::Failed,
            other => Kind::of_file(other == ErrorKind::NotFound),
        };
        Failure::of(kind, format!("{} cannot be read ({error}): check the path", path.display()))
    })
}

/// Writes a file whole or not at all: a full disk leaves the one that was there, and somebody may be watching the folder. A link
/// is followed, and the mode stays as it is. `what` is what the sentence calls it.
pub fn write(what: &str, path: &Path, bytes: &[u8]) -> Result<()> {
    replace(path, bytes).map_err(|error| {
        let shown = path.display();
        Failure::of(Kind::Failed, format!("{what} {shown} cannot be written ({error}): check the path and its folder"))
    })
}

fn replace(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let (file, old) = place_of(path)?;
    let beside = beside(&file);
    // One that is there already is somebody else's.
    let begun = OpenOptions::new().write(true).create_new(true).open(&beside)?;
    let written = fill(begun, bytes, old.as_ref()).and_then(|()| fs::rename(&beside, &file));
    if written.is_err() {
        // The first error is the one to tell.
        let _ = fs::remove_file(&beside);
    }
    written
}

/// The file behind all links, and what it is if it is there. What is not to be written is refused, though a rename could
/// replace it.
fn place_of(path: &Path) -> Result<(PathBuf, Option<fs::Metadata>), Error> {
    match fs::metadata(path) {
        Ok(is) if is.is_dir() => Err(Error::new(ErrorKind::IsADirectory, "it is a folder, not a file")),
        Ok(is) if !is.is_file() => Err(Error::new(ErrorKind::InvalidInput, "it is a pipe or a device, not a file")),
        Ok(is) => {
            OpenOptions::new().write(true).open(path)?;
            Ok((fs::canonicalize(path)?, Some(is)))
        }
        Err(error) if error.kind() == ErrorKind::NotFound => Ok((behind_links(path), None)),
        Err(error) => Err(error),
    }
}

/// Where a link to what is not there yet points to.
fn behind_links(path: &Path) -> PathBuf {
    let mut path = path.to_owned();
    for _ in 0..MAX_LINKS {
        let Ok(to) = fs::read_link(&path) else { break };
        path = path.parent().map_or(to.clone(), |folder| folder.join(&to));
    }
    path
}

/// A name in the same folder for what is not finished; it has no suffix that anybody looks for.
pub fn beside(path: &Path) -> PathBuf {
    path.with_file_name(format!(".divvy-{}.new", std::process::id()))
}

fn fill(mut file: File, bytes: &[u8], old: Option<&fs::Metadata>) -> Result<(), Error> {
    file.write_all(bytes)?;
    if let Some(old) = old {
        // Only root may give a file away; for others it becomes their own, as any editor does it.
        let _ = fchown(&file, Some(old.uid()), Some(old.gid()));
        file.set_permissions(old.permissions())?;
    }
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let names = fs::read_dir(folder).unwrap().map(|it| it.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<_> = names.collect();
        names.sort();
        names
    }

    #[test]
    fn a_link_is_followed_and_the_mode_stays() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("a.wasm"), "old").unwrap();
        fs::set_permissions(at("a.wasm"), fs::Permissions::from_mode(0o750)).unwrap();
        symlink("a.wasm", at("link")).unwrap();
        write("the module", &at("link"), b"new").unwrap();
        assert_eq!(fs::read(at("a.wasm")).unwrap(), b"new");
        assert_eq!(fs::metadata(at("a.wasm")).unwrap().mode() & 0o777, 0o750);
        assert!(fs::symlink_metadata(at("link")).unwrap().is_symlink());
        symlink("later", at("empty")).unwrap();
        write("the module", &at("empty"), b"first").unwrap();
        assert_eq!(fs::read(at("later")).unwrap(), b"first");
        assert_eq!(names(folder.path()), ["a.wasm", "empty", "later", "link"], "nothing is left beside them");
    }

    #[test]
    fn what_is_no_file_is_refused_and_stays() {
        let folder = tempfile::tempdir().unwrap();
        symlink("/dev/null", folder.path().join("null")).unwrap();
        for (path, why) in [
            (Path::new("/dev/null"), "it is a pipe or a device, not a file"),
            (&folder.path().join("null"), "it is a pipe or a device, not a file"),
            (folder.path(), "it is a folder, not a file"),
        ] {
            let error = write("the module", path, b"new").unwrap_err().to_string();
            let sentence = format!("the module {} cannot be written ({why})", path.display());
            assert!(error.starts_with(&sentence), "{error}");
        }
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
    }

    #[test]
    fn what_cannot_be_read_was_not_tried() {
        let folder = tempfile::tempdir().unwrap();
        let kind = |path: &Path| {
            [module, capture, cases, script, manifest].map(|read| Failure::kind(&read(path).unwrap_err()))
        };
        assert_eq!(kind(folder.path()), [Kind::Usage; 5]);
        assert_eq!(kind(Path::new("/dev/zero")), [Kind::Usage; 5]);
        assert_eq!(kind(&folder.path().join("nowhere")), [Kind::NotFound; 5]);
    }

    #[test]
    fn what_cannot_be_finished_leaves_what_was_there() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.wasm");
        fs::write(&file, "old").unwrap();
        // Somebody else's unfinished file is in the way: nothing is begun, and nothing taken from it.
        fs::write(beside(&file), "theirs").unwrap();
        write("the module", &file, b"new").unwrap_err();
        assert_eq!((fs::read(&file).unwrap(), fs::read(beside(&file)).unwrap()), (b"old".to_vec(), b"theirs".to_vec()));
        fs::remove_file(beside(&file)).unwrap();
        // What was begun goes when it cannot take its place.
        let begun = OpenOptions::new().write(true).open("/dev/full").unwrap();
        assert!(fill(begun, b"new", None).is_err(), "a full disk is told");
        write("the module", &folder.path().join("no/such/folder"), b"new").unwrap_err();
        assert_eq!(names(folder.path()), ["a.wasm"]);
    }
}
