//! One file of a folder: whether it changed, what it holds, and what became of it.

use std::fs;
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Instant, SystemTime};

use crate::assignor::FaultKind;
use crate::ids::Digest;
use crate::sandbox::error::{LoadError, LoadErrorKind, Refusal};
use crate::sandbox::limits::{COMPILE_RETRIES, SMOKE_TRIES};
use crate::sandbox::module::{digest_of, refuse_compiled, too_large};
use crate::sandbox::trust::signature_path;
use crate::sandbox::{clock, open_regular};

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
    /// How often compiling these bytes was ended from outside, and when it is tried again.
    ended: usize,
    again_at: Option<Instant>,
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
    mark: Mark,
    /// The same of its signature, where that matters.
    signature: Option<Mark>,
    /// Why there is no file to read, if there is none.
    unfit: Option<Unfit>,
}

/// Length and times. Files that a link leads to in turn may be equally long and, in an image that was built to be the same
/// everywhere, of one date of writing; when a file came to its place, or to its owner and mode, nobody can set.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Mark {
    length: u64,
    modified: Option<SystemTime>,
    /// Seconds and nanoseconds.
    changed: (i64, i64),
}

impl Mark {
    fn of(meta: &fs::Metadata) -> Self {
        Self { length: meta.len(), modified: meta.modified().ok(), changed: (meta.ctime(), meta.ctime_nsec()) }
    }
}

/// What has a module's name and is no file. Opening it could wait for ever, or never end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Unfit {
    Dangling,
    Circle,
    Folder,
    Special,
    Closed(io::ErrorKind),
}

impl Unfit {
    fn of(found: &io::Result<fs::Metadata>) -> Option<Self> {
        match found {
            Ok(meta) if meta.is_file() => None,
            Ok(meta) if meta.is_dir() => Some(Self::Folder),
            Ok(_) => Some(Self::Special),
            Err(error) if error.raw_os_error() == Some(libc::ELOOP) => Some(Self::Circle),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Some(Self::Dangling),
            Err(error) => Some(Self::Closed(error.kind())),
        }
    }

    fn message(self) -> String {
        match self {
            Self::Dangling => "it is a link that points to nothing: put the file there, or remove the link".to_owned(),
            Self::Circle => "it is a link that leads back to itself: link to the file, or remove the link".to_owned(),
            Self::Folder => "it is a folder; modules are files: put what is in it beside it, or rename it".to_owned(),
            Self::Special => "it is a pipe or a device, not a file: put the module's file here".to_owned(),
            Self::Closed(why) => format!("what it leads to cannot be looked at: {why}"),
        }
    }
}

impl Stamp {
    /// When it was written; what does not know is as old as can be.
    pub fn modified(&self) -> Option<SystemTime> {
        self.mark.modified
    }

    /// Its length, in bytes.
    pub fn length(&self) -> u64 {
        self.mark.length
    }

    /// Whether there is a file to read.
    pub fn is_file(&self) -> bool {
        self.unfit.is_none()
    }

    #[cfg(test)]
    fn sized(length: u64) -> Self {
        Self { mark: Mark { length, ..Mark::default() }, signature: None, unfit: None }
    }
}

impl File {
    /// The stamp at the last look.
    pub fn stamp(&self) -> Option<Stamp> {
        self.stamp
    }

    /// It is read and judged anew at the next look; its last good module stays for as long.
    pub fn forget_look(&mut self) {
        (self.is_confirmed, self.digest) = (false, None);
    }

    /// The bytes that it holds were refused. What only was not compiled to the end is tried again, later each time; and
    /// then, when somebody touches the file.
    pub fn refused(&mut self, mut error: LoadError) {
        if error.kind == LoadErrorKind::CompileEnded {
            let wait = COMPILE_RETRIES.get(self.ended);
            self.ended += 1;
            self.again_at = wait.map(|wait| clock::now() + *wait);
            error.message.push_str(&match wait {
                Some(wait) => format!("; it is tried again in {} s", wait.as_secs()),
                None => format!("; it was tried {} times: touch the file to have it tried again", self.ended),
            });
        }
        self.error = Some(error);
    }

    /// Reads it if its stamp is new or not yet trusted; its bytes, if there is something to judge in them.
    pub fn look(&mut self, path: &Path, stamp: Stamp, most_bytes: usize) -> Option<Vec<u8>> {
        let is_same = self.stamp == Some(stamp);
        let is_due = self.again_at.is_some_and(|at| at <= clock::now());
        if is_same && self.is_confirmed && !is_due {
            return None;
        }
        // Two signatures of one key are equally long, so one that came within the clock's grain is judged again, too.
        let is_signed_anew = is_same && stamp.signature.is_some()
            || self.stamp.is_some_and(|before| before.signature != stamp.signature);
        self.stamp = Some(stamp);
        if let Some(unfit) = stamp.unfit {
            // A link counts as what it leads to: where no file is, none was left.
            *self = Self { stamp: self.stamp, is_confirmed: is_same, ..Self::default() };
            self.error = Some(unreadable(path, unfit.message()));
            return None;
        }
        match read(path, most_bytes) {
            Ok(bytes) => self.weigh(digest_of(&bytes), is_same, is_signed_anew, is_due).then_some(bytes),
            Err(Refusal { kind, message }) => {
                // What makes a file readable again may not show in its stamp: folders above it, a mount, a server that answers.
                self.is_confirmed = is_same && kind != LoadErrorKind::Unreadable;
                self.digest = None;
                self.error = Some(LoadError { kind, path: path.to_owned(), digest: None, message });
                None
            }
        }
    }

    /// Whether bytes with that digest have to be judged. Those that ran out of time are, a few times; those that
    /// were let in, or not, by their signature when it came, changed or went.
    fn weigh(&mut self, digest: Digest, is_same_stamp: bool, is_signed_anew: bool, is_due: bool) -> bool {
        let is_known = self.digest == Some(digest);
        let ran_out_of_time = LoadErrorKind::Smoke(FaultKind::Deadline);
        let is_worth_another_try =
            self.error.as_ref().is_some_and(|error| error.kind == ran_out_of_time) && self.tries < SMOKE_TRIES;
        let hangs_on_signature = self.error.as_ref().is_none_or(|error| error.kind == LoadErrorKind::Untrusted);
        let was_ended = self.error.as_ref().is_some_and(|error| error.kind == LoadErrorKind::CompileEnded);
        let is_tried_again = is_known && was_ended && (is_due || !is_same_stamp);
        if is_tried_again || !is_known {
            self.again_at = None;
        }
        if !is_known || (is_tried_again && !is_same_stamp) {
            self.ended = 0;
        }
        self.is_confirmed = is_same_stamp && is_known && !is_worth_another_try;
        self.tries = if is_known { self.tries.saturating_add(1) } else { 1 };
        self.digest = Some(digest);
        !is_known || is_worth_another_try || is_tried_again || (is_signed_anew && hangs_on_signature)
    }
}

fn unreadable(path: &Path, message: String) -> LoadError {
    LoadError { kind: LoadErrorKind::Unreadable, path: path.to_owned(), digest: None, message }
}

/// The modules of a folder with their stamps; a link counts as what it leads to. A name that begins with a dot is that of
/// a copy that an editor or a transfer makes for itself.
pub(super) fn list(folder: &Path, with_signatures: bool) -> io::Result<Vec<(PathBuf, Stamp)>> {
    let mut modules = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let is_module = path
            .extension()
            .is_some_and(|extension| extension.eq_ignore_ascii_case("wasm") || extension.eq_ignore_ascii_case("cwasm"));
        let is_hidden = path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
        // What went since is no module.
        if is_module && !is_hidden && fs::symlink_metadata(&path).is_ok() {
            let found = fs::metadata(&path);
            let unfit = Unfit::of(&found);
            // What a folder or a device says of itself may change all the time.
            let mark = found.ok().filter(|_| unfit.is_none()).map_or(Mark::default(), |meta| Mark::of(&meta));
            let signature = with_signatures.then(|| fs::metadata(signature_path(&path)).ok()).flatten();
            modules.push((path, Stamp { mark, signature: signature.map(|meta| Mark::of(&meta)), unfit }));
        }
    }
    Ok(modules)
}

/// All of a file, unless it is too long.
pub(super) fn read(path: &Path, most: usize) -> Result<Vec<u8>, Refusal> {
    refuse_compiled(path)?;
    let mut bytes = Vec::new();
    let length =
        open_regular(path).and_then(|file| file.take(most as u64 + 1).read_to_end(&mut bytes)).map_err(|error| {
            Refusal::new(LoadErrorKind::Unreadable, format!("it cannot be read: {error}{}", remedy(&error)))
        })?;
    match length > most {
        true => Err(too_large(fs::metadata(path).map_or(length as u64, |meta| meta.len()), most)),
        false => Ok(bytes),
    }
}

/// What to do about it, where that is not said by the error itself.
fn remedy(error: &io::Error) -> &'static str {
    match error.raw_os_error() {
        Some(libc::EMFILE | libc::ENFILE) => {
            ": raise the limit of open files (`ulimit -n`), or have fewer modules: each that serves keeps one open"
        }
        _ => "",
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
        let stamp = Stamp::sized(3);
        fs::write(&path, b"one").unwrap();
        assert_eq!(file.look(&path, stamp, 9).as_deref(), Some(&b"one"[..]));
        fs::write(&path, b"two").unwrap();
        assert_eq!(file.look(&path, stamp, 9).as_deref(), Some(&b"two"[..]), "rewritten within the clock's grain");
        assert_eq!(file.look(&path, stamp, 9), None);
        fs::write(&path, b"six").unwrap();
        assert_eq!(file.look(&path, stamp, 9), None, "trusted now");
        let stamp = Stamp::sized(10);
        fs::write(&path, b"0123456789").unwrap();
        assert_eq!(file.look(&path, stamp, 9), None);
        assert_eq!(file.error.map(|error| error.kind), Some(LoadErrorKind::TooLarge));
    }

    #[test]
    fn a_link_that_leads_to_another_file_is_seen_however_alike_they_are() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let like = |name: &str, bytes: &[u8]| {
            fs::write(at(name), bytes).unwrap();
            fs::File::options().write(true).open(at(name)).unwrap().set_modified(SystemTime::UNIX_EPOCH).unwrap();
            fs::metadata(at(name)).unwrap()
        };
        let changed = |meta: &fs::Metadata| (meta.ctime(), meta.ctime_nsec());
        let (one, mut two) = (like("one", b"one"), like("two", b"two"));
        while changed(&two) == changed(&one) {
            two = like("two", b"two");
        }
        assert_eq!((one.len(), one.modified().unwrap()), (two.len(), two.modified().unwrap()));
        let stamp = |target: &str, link: &str| {
            let _ = fs::remove_file(at(link));
            std::os::unix::fs::symlink(at(target), at(link)).unwrap();
            list(folder.path(), true).unwrap().remove(0).1
        };
        assert_ne!(stamp("one", "a.wasm"), stamp("two", "a.wasm"));
        assert_ne!(stamp("one", "a.wasm.minisig"), stamp("two", "a.wasm.minisig"), "a signature likewise");
    }

    #[test]
    fn what_ran_out_of_time_gets_another_try_but_not_for_ever() {
        let mut file = File::default();
        let digest = Digest([1; 32]);
        assert!(file.weigh(digest, false, false, false));
        let kind = LoadErrorKind::Smoke(FaultKind::Deadline);
        file.error = Some(LoadError { kind, path: "a.wasm".into(), digest: None, message: String::new() });
        let tries = (0..10).filter(|_| file.weigh(digest, true, false, false)).count();
        assert_eq!(tries, SMOKE_TRIES as usize - 1);
        assert!(file.is_confirmed);
    }

    #[test]
    fn what_was_not_compiled_to_the_end_is_tried_again_and_then_when_it_is_touched() {
        let mut file = File::default();
        let digest = Digest([1; 32]);
        assert!(file.weigh(digest, false, false, false));
        let ended = || LoadError {
            kind: LoadErrorKind::CompileEnded,
            path: "a.wasm".into(),
            digest: Some(digest),
            message: "killed".to_owned(),
        };
        let said = |file: &File| file.error.as_ref().map(|error| error.message.clone()).unwrap_or_default();
        for wait in COMPILE_RETRIES {
            file.refused(ended());
            assert_eq!(said(&file), format!("killed; it is tried again in {} s", wait.as_secs()));
            assert!(!file.weigh(digest, true, false, false), "not yet");
            assert!(file.again_at.is_some() && file.weigh(digest, true, false, true));
        }
        file.refused(ended());
        assert_eq!(said(&file), "killed; it was tried 4 times: touch the file to have it tried again");
        assert!(file.again_at.is_none() && !file.weigh(digest, true, false, false));
        assert!(file.weigh(digest, false, false, false), "touched");
        file.refused(ended());
        assert!(said(&file).ends_with("again in 5 s"));
    }

    #[test]
    fn what_is_no_file_is_listed_with_the_reason_and_a_name_with_a_dot_in_front_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("file.wasm"), b"one").unwrap();
        fs::write(at(".file.wasm"), b"one").unwrap();
        fs::create_dir(at("folder.wasm")).unwrap();
        for (link, to) in [("good.wasm", "file.wasm"), ("dangling.wasm", "gone"), ("circle.wasm", "circle.wasm")] {
            std::os::unix::fs::symlink(at(to), at(link)).unwrap();
        }
        std::os::unix::fs::symlink("/dev/zero", at("zero.wasm")).unwrap();
        let mut listed = list(folder.path(), true).unwrap();
        listed.sort_by(|(one, _), (other, _)| one.cmp(other));
        let said = listed.iter().map(|(path, stamp)| {
            let mut file = File { good: Some(Digest([1; 32])), ..File::default() };
            let bytes = file.look(path, *stamp, 9);
            assert!(bytes.is_some() == stamp.is_file() && (stamp.is_file() || file.good.is_none()), "{path:?}");
            let message = file.error.map(|error| error.message).unwrap_or_default();
            (file_name(path), message.split([':', ';']).next().unwrap_or_default().to_owned())
        });
        let expected = [
            ("circle.wasm", "it is a link that leads back to itself"),
            ("dangling.wasm", "it is a link that points to nothing"),
            ("file.wasm", ""),
            ("folder.wasm", "it is a folder"),
            ("good.wasm", ""),
            ("zero.wasm", "it is a pipe or a device, not a file"),
        ];
        assert_eq!(said.collect::<Vec<_>>(), expected.map(|(name, why)| (name.to_owned(), why.to_owned())));
    }
}
