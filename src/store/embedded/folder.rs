//! The folder of a store: made on demand, and held by one process at a time.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::Path;

use super::failure::io_sentence;
use crate::store::StoreError;

/// Holds the owner's process id. It stays behind after the process: only the lock on it counts.
const LOCK_FILE: &str = "lock";

/// More than any process id has digits: the file is somebody else's until we hold the lock.
const MAX_PID_BYTES: u64 = 20;

/// The folder is ours as long as this lives. The operating system frees it when the process dies, however it dies.
#[derive(Debug)]
pub(super) struct FolderLock {
    file: File,
}

impl FolderLock {
    /// Makes the folder if need be and locks it. A lock of our own beside redb's: it also holds while the database is
    /// reopened, and it can name the owner.
    pub(super) fn take(folder: &Path) -> Result<Self, StoreError> {
        fs::create_dir_all(folder).map_err(|error| io_sentence(&error, folder))?;
        let path = folder.join(LOCK_FILE);
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(|error| io_sentence(&error, &path))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(held_sentence(&mut file, folder)),
            Err(TryLockError::Error(error)) => return Err(io_sentence(&error, &path)),
        }
        sign(&mut file).map_err(|error| io_sentence(&error, &path))?;
        Ok(Self { file })
    }

    /// Whether somebody has taken it.
    pub(super) fn is_taken(folder: &Path) -> bool {
        let file = File::open(folder.join(LOCK_FILE));
        file.is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
    }
}

impl Drop for FolderLock {
    /// Not only by closing the file: a process that is being started has it open, too, until it runs its own program, and
    /// the folder would be held for so long.
    fn drop(&mut self) {
        // What fails here is done by the system when the file is closed.
        let _ = self.file.unlock();
    }
}

fn sign(file: &mut File) -> io::Result<()> {
    file.set_len(0)?;
    file.rewind()?;
    file.write_all(std::process::id().to_string().as_bytes())
}

fn held_sentence(file: &mut File, folder: &Path) -> StoreError {
    let mut text = String::new();
    // Who it is only helps: when that cannot be read, the sentence does without.
    let pid = file.take(MAX_PID_BYTES).read_to_string(&mut text).ok().and_then(|_| text.trim().parse::<u32>().ok());
    let owner = match pid {
        Some(pid) if pid == std::process::id() => "this very process".to_owned(),
        Some(pid) => format!("process {pid}"),
        None => "another process".to_owned(),
    };
    let message = format!(
        "{owner} holds the store in {}: stop it, or name another folder with `data` for this one",
        folder.display()
    );
    StoreError { message }
}

/// Removes a file, if it is there.
pub(super) fn remove(file: &Path) -> io::Result<()> {
    match fs::remove_file(file) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Makes the new file's name durable: a sync of the file alone does not promise that.
pub(super) fn sync(file: &Path) -> io::Result<()> {
    match file.parent() {
        Some(folder) if cfg!(unix) => File::open(folder)?.sync_all(),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_free_at_once_although_a_process_is_being_started() {
        let place = tempfile::tempdir().unwrap();
        let held = FolderLock::take(place.path()).unwrap();
        let inherited = held.file.try_clone().unwrap();
        drop(held);
        FolderLock::take(place.path()).unwrap();
        drop(inherited);
    }
}
