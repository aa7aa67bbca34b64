//! The folder of captures: names that nobody else chooses, whole files only, the oldest gone beyond the bounds.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use xxhash_rust::xxh3::xxh3_64;

use super::CaptureBounds;
use crate::assignor::capture::Capture;

/// How the name of every capture ends.
pub const SUFFIX: &str = ".capture";

/// How a file begins that is not whole yet.
const UNDER_WAY: &str = ".capture-";

/// A group's name in the name of a file: with generation and moment it stays below the 255 bytes of every file system.
const MAX_GROUP_CHARACTERS: usize = 120;

/// Captures of one group, generation and millisecond: the module's and its fall-back's, of several leaders.
const MAX_SAME_NAME: usize = 100;

/// A folder that is written to.
pub(super) struct Folder {
    path: PathBuf,
    bounds: CaptureBounds,
    /// How many files were begun, for their names.
    begun: u64,
    /// Whether the last one could not be written: that is told once.
    is_failing: bool,
}

impl Folder {
    /// The folder, which is there and can be written.
    pub(super) fn open(path: &Path, bounds: CaptureBounds) -> io::Result<Self> {
        private_folder().create(path).or_else(|error| if path.is_dir() { Ok(()) } else { Err(error) })?;
        let mut folder = Self { path: path.to_owned(), bounds, begun: 0, is_failing: false };
        let (probe, file) = folder.begin()?;
        drop(file);
        fs::remove_file(probe)?;
        Ok(folder)
    }

    /// Writes one. What fails is told, and forgotten.
    pub(super) fn keep(&mut self, capture: &Capture) {
        let folder = self.path.display().to_string();
        match self.write(capture) {
            Ok(path) => {
                if std::mem::take(&mut self.is_failing) {
                    tracing::info!(folder, "captures can be written again");
                }
                self.prune(&path);
            }
            Err(error) if !self.is_failing => {
                self.is_failing = true;
                tracing::warn!(folder, %error, "a capture cannot be written: those of further generations are missing, too, until this says otherwise");
            }
            Err(_) => {}
        }
    }

    fn write(&mut self, capture: &Capture) -> io::Result<PathBuf> {
        let bytes = capture.write();
        if bytes.len() as u64 > self.bounds.bytes {
            let text = format!("it has {} bytes, and all captures may have {}", bytes.len(), self.bounds.bytes);
            return Err(io::Error::new(ErrorKind::FileTooLarge, text));
        }
        let (under_way, mut file) = self.begin()?;
        let done = file.write_all(&bytes).and_then(|()| file.sync_data()).and_then(|()| {
            let path = self.free_name(capture)?;
            fs::rename(&under_way, &path).map(|()| path)
        });
        if done.is_err() {
            // It may be gone; otherwise it goes with the oldest.
            let _ = fs::remove_file(&under_way);
        }
        done
    }

    fn begin(&mut self) -> io::Result<(PathBuf, File)> {
        loop {
            self.begun += 1;
            let path = self.path.join(format!("{UNDER_WAY}{}-{}", std::process::id(), self.begun));
            match private_file().open(&path) {
                // Of a process that was killed, under the same number.
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                opened => return opened.map(|file| (path, file)),
            }
        }
    }

    fn free_name(&self, capture: &Capture) -> io::Result<PathBuf> {
        let name = name(capture);
        let numbered = |number: usize| match number {
            1 => self.path.join(format!("{name}{SUFFIX}")),
            more => self.path.join(format!("{name}-{more}{SUFFIX}")),
        };
        let free = (1..=MAX_SAME_NAME).map(numbered).find(|path| path.symlink_metadata().is_err());
        free.ok_or_else(|| io::Error::new(ErrorKind::AlreadyExists, format!("{name} is there {MAX_SAME_NAME} times")))
    }

    /// Removes the oldest beyond the bounds, and nothing that is not divvy's; the newest stays.
    fn prune(&self, newest: &Path) {
        let mut others = self.files().unwrap_or_default();
        others.retain(|(_, path, _)| path != newest);
        others.sort();
        let own = newest.metadata().map_or(0, |it| it.len());
        let mut files = others.len() + 1;
        let mut bytes = others.iter().map(|(.., bytes)| *bytes).sum::<u64>() + own;
        for (_, path, size) in others {
            if files <= self.bounds.files && bytes <= self.bounds.bytes {
                return;
            }
            // Another process may have removed it.
            let _ = fs::remove_file(path);
            (files, bytes) = (files - 1, bytes - size);
        }
    }

    /// Every capture, whole or under way: when it was written, where, how many bytes.
    fn files(&self) -> io::Result<Vec<(SystemTime, PathBuf, u64)>> {
        let is_own = |name: &str| name.ends_with(SUFFIX) || name.starts_with(UNDER_WAY);
        let mut files = Vec::new();
        for entry in fs::read_dir(&self.path)? {
            let entry = entry?;
            let Ok(about) = entry.metadata() else { continue };
            if about.is_file() && entry.file_name().to_str().is_some_and(is_own) {
                files.push((about.modified()?, entry.path(), about.len()));
            }
        }
        Ok(files)
    }
}

/// `GROUP-GENERATION-MOMENT`.
pub(super) fn name(capture: &Capture) -> String {
    let asked = &capture.asked;
    format!("{}-{}-{}", safe(asked.group.as_str()), asked.generation, asked.now_ms)
}

/// A group's id is anybody's text. In it only letters, digits, `_`, and within it `.` and `-`, stand for themselves, so that it
/// leads out of no folder, hides no file and is no flag; the rest is written as in a URL. What is cut ends with its hash.
fn safe(group: &str) -> String {
    let mut safe = String::new();
    for byte in group.bytes() {
        let is_inner = !safe.is_empty() && matches!(byte, b'.' | b'-');
        if byte.is_ascii_alphanumeric() || byte == b'_' || is_inner {
            safe.push(char::from(byte));
        } else {
            safe.push_str(&format!("%{byte:02X}"));
        }
        if safe.len() > MAX_GROUP_CHARACTERS {
            safe.truncate(MAX_GROUP_CHARACTERS);
            return format!("{safe}~{:016x}", xxh3_64(group.as_bytes()));
        }
    }
    safe
}

fn private_folder() -> DirBuilder {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder
}

fn private_file() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

#[cfg(test)]
mod names {
    use super::safe;

    #[test]
    fn a_groups_id_is_a_name_and_no_path() {
        assert_eq!(safe("search-indexers.eu_1"), "search-indexers.eu_1");
        assert_eq!(safe("../../etc/passwd"), "%2E.%2F..%2Fetc%2Fpasswd");
        assert_eq!(safe("-rf"), "%2Drf");
        assert_eq!(safe(".hidden"), "%2Ehidden");
        assert_eq!(safe("a\0b\\c:d é"), "a%00b%5Cc%3Ad%20%C3%A9");
        assert_eq!(safe("100%"), "100%25");
        let (long, longer) = ("x".repeat(300), "x".repeat(301));
        assert!(safe(&long).len() < 140 && safe(&long) != safe(&longer));
    }
}
