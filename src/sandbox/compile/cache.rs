//! Compiled code on disk, so that a module is compiled once on a machine. Whatever is wrong with a file or the folder
//! (another version, other bytes, another owner, a mode that lets others write) is a miss: the module is compiled as if
//! there were no cache, and a good file takes the place of the bad one. Processes may share it.

use std::fs::{self, OpenOptions};
use std::hash::{Hash as _, Hasher as _};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use wasmtime::Engine;
use xxhash_rust::xxh3::{Xxh3, xxh3_128_with_seed};

use super::native::{Code, user};
use crate::ids::Digest;
use crate::sandbox::limits::{MAX_CACHED_BYTES, MAX_CACHED_FILES, MAX_CODE_BYTES};

/// What a file ends with, behind its checksum; another layout gets another mark.
const MARK: &[u8; 8] = b"divvy-1\n";
/// Checksum and mark.
const SEAL_BYTES: usize = 16 + MARK.len();
/// What a file is called until it is whole.
const UNFINISHED: &str = "unfinished";
/// A file that is still unfinished then was given up by its writer.
const GIVEN_UP: Duration = Duration::from_hours(1);
/// A file that is used is as good as new, but that need not be said more often.
const USED_AGAIN: Duration = Duration::from_hours(24);
/// Bits of a mode that let somebody else write.
const OTHERS_WRITE: u32 = 0o022;

/// The folder.
pub(in crate::sandbox) struct CodeCache {
    folder: PathBuf,
    /// What only the same engine of the same divvy has.
    engine: u64,
    /// Why it could not be made.
    not_made: Option<String>,
}

impl CodeCache {
    /// The cache of an engine in a folder, which is made if it is not there. That it can be used is not promised.
    pub fn open(folder: PathBuf, engine: &Engine) -> Self {
        // Whether it is there is seen with each use.
        let made = fs::DirBuilder::new().recursive(true).mode(0o700).create(&folder);
        let not_made = made.err().map(|error| error.to_string());
        let mut hasher = Xxh3::new();
        engine.precompile_compatibility_hash().hash(&mut hasher);
        // A hit also means that this divvy found the module valid.
        env!("CARGO_PKG_VERSION").hash(&mut hasher);
        Self { folder, engine: hasher.finish(), not_made }
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Why nothing is found or kept here, if that is so, and what to do about it. For whoever opens it: later uses are silent.
    pub fn trouble(&self) -> Option<String> {
        let why = match fs::symlink_metadata(&self.folder) {
            Err(error) => {
                let why = self.not_made.clone().unwrap_or_else(|| error.to_string());
                format!("it cannot be made: {why}; make the folder above it writable")
            }
            Ok(meta) if meta.is_symlink() => "it is a link: put a folder in its place".to_owned(),
            Ok(meta) if !meta.is_dir() => "it is no folder: remove it".to_owned(),
            Ok(meta) if !is_private(&meta) => distrust(&meta, false)?,
            Ok(_) => format!("it cannot be written: {}; make it writable", self.try_to_write().err()?),
        };
        Some(format!("compiled code is not kept here: {why}; until then modules are compiled at each start"))
    }

    /// As root, or on a file system that is mounted read-only, no mode says whether one may.
    fn try_to_write(&self) -> io::Result<()> {
        let path = self.unfinished("probe");
        OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path)?;
        fs::remove_file(path)
    }

    /// The code of a module, if there is a file that can be trusted.
    pub fn get(&self, module: Digest) -> Option<Code> {
        self.is_ours().then_some(())?;
        let file = OpenOptions::new().read(true).custom_flags(libc::O_NOFOLLOW).open(self.path(module)).ok()?;
        let meta = file.metadata().ok()?;
        let is_fit = meta.is_file() && is_private(&meta) && meta.len() <= (MAX_CODE_BYTES + SEAL_BYTES) as u64;
        is_fit.then_some(())?;
        let mut bytes = Vec::with_capacity(usize::try_from(meta.len()).ok()?);
        (&file).take((MAX_CODE_BYTES + SEAL_BYTES) as u64).read_to_end(&mut bytes).ok()?;
        let (code, seal) = bytes.split_last_chunk::<SEAL_BYTES>()?;
        (*seal == self.seal(module, code)).then_some(())?;
        let age = meta.modified().ok().and_then(|at| now().duration_since(at).ok());
        if age.is_none_or(|age| age > USED_AGAIN) {
            // Otherwise it is only removed before its time.
            let _ = file.set_modified(now());
        }
        Some(Code::File(file))
    }

    /// Removes the code of a module that was refused: it takes no room from those that serve.
    pub fn forget(&self, module: Digest) {
        if self.is_ours() {
            // Mostly there is none.
            let _ = fs::remove_file(self.path(module));
        }
    }

    /// Keeps the code of a module, whole or not at all; without a word where it cannot.
    pub fn put(&self, module: Digest, code: &[u8]) {
        if code.len() <= MAX_CODE_BYTES && self.is_ours() {
            // Without the file the module is compiled again.
            let _ = self.write(module, code);
            self.shrink();
        }
    }

    fn write(&self, module: Digest, code: &[u8]) -> io::Result<()> {
        let unfinished = self.unfinished(&module.to_string());
        let written =
            OpenOptions::new().write(true).create_new(true).mode(0o600).open(&unfinished).and_then(|mut to| {
                to.write_all(code)?;
                to.write_all(&self.seal(module, code))?;
                fs::rename(&unfinished, self.path(module))
            });
        written.inspect_err(|_| {
            let _ = fs::remove_file(&unfinished);
        })
    }

    /// A name that no other writer has.
    fn unfinished(&self, what: &str) -> PathBuf {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        self.folder.join(format!("{what}-{}-{number}.{UNFINISHED}", std::process::id()))
    }

    /// Removes the oldest files until the others are few and small enough.
    fn shrink(&self) {
        let mut files: Vec<_> = self.files().unwrap_or_default();
        files.sort_by_key(|(_, meta)| std::cmp::Reverse(meta.modified().ok()));
        let (mut count, mut bytes) = (0, 0);
        for (path, meta) in files {
            let is_whole = path.extension().is_some_and(|it| it == "cwasm");
            let is_old = || meta.modified().is_ok_and(|at| now().duration_since(at).is_ok_and(|age| age > GIVEN_UP));
            if is_whole {
                count += 1;
                bytes += meta.len();
            }
            if if is_whole { count > MAX_CACHED_FILES || bytes > MAX_CACHED_BYTES } else { is_old() } {
                // Somebody else may have removed it.
                let _ = fs::remove_file(path);
            }
        }
    }

    /// The cache's own files; strangers' are left alone.
    fn files(&self) -> io::Result<Vec<(PathBuf, fs::Metadata)>> {
        let mut files = Vec::new();
        for entry in fs::read_dir(&self.folder)? {
            let path = entry?.path();
            let is_ours = path.extension().is_some_and(|it| it == "cwasm" || it == UNFINISHED);
            if is_ours && let Ok(meta) = fs::symlink_metadata(&path) {
                files.push((path, meta));
            }
        }
        Ok(files)
    }

    fn path(&self, module: Digest) -> PathBuf {
        self.folder.join(format!("{module}-{:016x}.cwasm", self.engine))
    }

    /// Binds code to its module and its engine: a file under another's name is as bad as a broken one.
    fn seal(&self, module: Digest, code: &[u8]) -> [u8; SEAL_BYTES] {
        let mut hasher = Xxh3::new();
        (module.0, self.engine).hash(&mut hasher);
        let mut seal = [0; SEAL_BYTES];
        let (sum, mark) = seal.split_at_mut(16);
        sum.copy_from_slice(&xxh3_128_with_seed(code, hasher.finish()).to_le_bytes());
        mark.copy_from_slice(MARK);
        seal
    }

    fn is_ours(&self) -> bool {
        fs::symlink_metadata(&self.folder).is_ok_and(|meta| meta.is_dir() && is_private(&meta))
    }
}

/// Why somebody else may have written it, and what to do; none if nobody can. `or_root` takes what the system's administrator
/// prepared.
pub(in crate::sandbox) fn distrust(meta: &fs::Metadata, or_root: bool) -> Option<String> {
    let (owner, user, mode) = (meta.uid(), user(), meta.mode());
    if owner != user && !(or_root && owner == 0) {
        return Some(format!(
            "it belongs to user {owner}, and this process is user {user}: give it to that one, or remove it"
        ));
    }
    let remedy = "`chmod 700` it, or name a folder within it that is not there yet";
    (mode & OTHERS_WRITE != 0).then(|| format!("others may write it (mode {:o}): {remedy}", mode & 0o7777))
}

/// Whether nobody but this user can have written it.
fn is_private(meta: &fs::Metadata) -> bool {
    distrust(meta, false).is_none()
}

#[allow(clippy::disallowed_methods, reason = "compared with times of files")]
fn now() -> SystemTime {
    SystemTime::now()
}
