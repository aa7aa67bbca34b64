//! One file of a folder: whether it changed, what it holds, and what became of it.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::assignor::FaultKind;
use crate::ids::Digest;
use crate::sandbox::error::{LoadError, LoadErrorKind, Refusal};
use crate::sandbox::limits::SMOKE_TRIES;
use crate::sandbox::module::{digest_of, refuse_compiled, too_large};
use crate::sandbox::trust::signature_path;

/// What is known of a file.
#[derive(Default)]
pub(super) struct File {
    stamp: Option<Stamp>,
    /// A stamp is trusted once the same bytes were found under it twice: two writes within the grain of a file system's
    /// clock look alike.
    is_confirmed: bool,
    /// The bytes that it holds now.
    pub digest: Option<Digest>,
    tries: u32,
    /// The last module of it that was fit to serve.
    pub good: Option<Digest>,
    /// What is wrong with the bytes that it holds now.
    pub error: Option<LoadError>,
    /// Name and version of the strategy that it holds now, if that is one that nobody wants.
    pub unwanted: Option<(String, u32)>,
}

/// What a file system says of a file without reading it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Stamp {
    length: u64,
    modified: Option<SystemTime>,
    /// The same of its signature, where that matters.
    signature: Option<(u64, Option<SystemTime>)>,
}

impl File {
    /// The stamp at the last look.
    pub fn stamp(&self) -> Option<Stamp> {
        self.stamp
    }

    /// Reads it if its stamp is new or not yet trusted; its bytes, if there is something to judge in them.
    pub fn look(&mut self, path: &Path, stamp: Stamp, most_bytes: usize) -> Option<Vec<u8>> {
        let is_same = self.stamp == Some(stamp);
        if is_same && self.is_confirmed {
            return None;
        }
        self.stamp = Some(stamp);
        match read(path, most_bytes) {
            Ok(bytes) => self.weigh(digest_of(&bytes), is_same).then_some(bytes),
            Err(Refusal { kind, message }) => {
                // What makes a file readable (its owner, its mode) does not show in its stamp.
                self.is_confirmed = is_same && kind != LoadErrorKind::Unreadable;
                self.digest = None;
                self.error = Some(LoadError { kind, path: path.to_owned(), digest: None, message });
                None
            }
        }
    }

    /// Whether bytes with that digest have to be judged. Those that ran out of time are, a few times; those that lacked a
    /// signature when one came.
    fn weigh(&mut self, digest: Digest, is_same_stamp: bool) -> bool {
        let is_known = self.digest == Some(digest);
        let ran_out_of_time = LoadErrorKind::Smoke(FaultKind::Deadline);
        let is_worth_another_try =
            self.error.as_ref().is_some_and(|error| error.kind == ran_out_of_time) && self.tries < SMOKE_TRIES;
        let may_be_signed =
            !is_same_stamp && self.error.as_ref().is_some_and(|error| error.kind == LoadErrorKind::Untrusted);
        self.is_confirmed = is_same_stamp && is_known && !is_worth_another_try;
        self.tries = if is_known { self.tries.saturating_add(1) } else { 1 };
        self.digest = Some(digest);
        !is_known || is_worth_another_try || may_be_signed
    }
}

/// The modules of a folder with their stamps; a link counts as what it leads to.
pub(super) fn list(folder: &Path, with_signatures: bool) -> io::Result<Vec<(PathBuf, Stamp)>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let is_module = path
            .extension()
            .is_some_and(|extension| extension.eq_ignore_ascii_case("wasm") || extension.eq_ignore_ascii_case("cwasm"));
        // A file that went since is no module.
        if is_module
            && let Ok(meta) = fs::metadata(&path)
            && meta.is_file()
        {
            let signature = with_signatures.then(|| fs::metadata(signature_path(&path)).ok()).flatten();
            let signature = signature.map(|meta| (meta.len(), meta.modified().ok()));
            found.push((path, Stamp { length: meta.len(), modified: meta.modified().ok(), signature }));
        }
    }
    Ok(found)
}

fn read(path: &Path, most: usize) -> Result<Vec<u8>, Refusal> {
    refuse_compiled(path)?;
    let mut bytes = Vec::new();
    let length = fs::File::open(path)
        .and_then(|file| file.take(most as u64 + 1).read_to_end(&mut bytes))
        .map_err(|error| Refusal::new(LoadErrorKind::Unreadable, format!("it cannot be read: {error}")))?;
    match length > most {
        true => Err(too_large(fs::metadata(path).map_or(length as u64, |meta| meta.len()), most)),
        false => Ok(bytes),
    }
}

/// The last part of a path.
pub(super) fn file_name(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stamp_is_trusted_after_a_second_look() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.wasm");
        let mut file = File::default();
        let stamp = Stamp { length: 3, modified: None, signature: None };
        fs::write(&path, b"one").unwrap();
        assert_eq!(file.look(&path, stamp, 9).as_deref(), Some(&b"one"[..]));
        fs::write(&path, b"two").unwrap();
        assert_eq!(file.look(&path, stamp, 9).as_deref(), Some(&b"two"[..]), "rewritten within the clock's grain");
        assert_eq!(file.look(&path, stamp, 9), None);
        fs::write(&path, b"six").unwrap();
        assert_eq!(file.look(&path, stamp, 9), None, "trusted now");
        let stamp = Stamp { length: 10, modified: None, signature: None };
        fs::write(&path, b"0123456789").unwrap();
        assert_eq!(file.look(&path, stamp, 9), None);
        assert_eq!(file.error.map(|error| error.kind), Some(LoadErrorKind::TooLarge));
    }

    #[test]
    fn what_ran_out_of_time_gets_another_try_but_not_for_ever() {
        let mut file = File::default();
        let digest = Digest([1; 32]);
        assert!(file.weigh(digest, false));
        let kind = LoadErrorKind::Smoke(FaultKind::Deadline);
        file.error = Some(LoadError { kind, path: "a.wasm".into(), digest: None, message: String::new() });
        let tries = (0..10).filter(|_| file.weigh(digest, true)).count();
        assert_eq!(tries, SMOKE_TRIES as usize - 1);
        assert!(file.is_confirmed);
    }
}
