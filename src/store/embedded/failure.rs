//! What can go wrong in the database, and the sentence that an operator reads.

use std::io;
use std::panic::AssertUnwindSafe;
use std::path::Path;

use crate::store::StoreError;

/// Why a call failed.
#[derive(Debug)]
pub(super) enum Failure {
    /// The engine or the disk.
    Engine(redb::Error),
    /// Another divvy's file, or a value of another divvy in it: each kind is counted for itself.
    OtherFormat {
        /// What has it: "the file", or which record, …
        what: &'static str,
        /// … of which group or topic.
        of: String,
        /// The format's number.
        found: u32,
        /// The highest that this divvy reads.
        known: u32,
    },
    /// The engine met what it thought impossible.
    GaveUp,
    /// The engine read it, but it is not what we wrote.
    Damaged {
        /// Which record, …
        what: &'static str,
        /// … of which group or topic.
        of: String,
        /// The decoder's words.
        why: String,
    },
}

/// Does work of the engine; a panic in it is a failure too: on some damaged files it meets what it thought impossible.
/// Nothing of the database is used after that: it is dropped, as after every failure.
pub(super) fn guarded<T>(work: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    std::panic::catch_unwind(AssertUnwindSafe(work)).unwrap_or(Err(Failure::GaveUp))
}

macro_rules! from_engine {
    ($($error:ty),* $(,)?) => {$(
        impl From<$error> for Failure {
            fn from(error: $error) -> Self {
                Self::Engine(error.into())
            }
        }
    )*};
}

from_engine!(
    redb::DatabaseError,
    redb::TransactionError,
    redb::TableError,
    redb::StorageError,
    redb::CommitError,
    redb::SetDurabilityError,
);

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Engine(redb::Error::Io(error))
    }
}

impl Failure {
    /// Whether it may be over without anybody doing something to the store.
    pub(super) fn may_pass(&self) -> bool {
        match self {
            Self::Engine(redb::Error::Io(error)) => may_pass(error),
            Self::Engine(error) => !is_told_of(error),
            Self::OtherFormat { .. } | Self::GaveUp | Self::Damaged { .. } => false,
        }
    }

    /// With path, cause and remedy.
    pub(super) fn sentence(&self, file: &Path) -> StoreError {
        let path = file.display();
        let message = match self {
            Self::Engine(error) => return engine_sentence(error, file),
            Self::OtherFormat { what, of, found, known } => {
                let place = if of.is_empty() { String::new() } else { format!(" {of:?}") };
                if found <= known {
                    let why = format!("format {found} of {what}{place} was never written by any divvy");
                    return damaged(file, &why);
                }
                format!(
                    "the store {path} was written by a newer divvy ({what}{place} has format {found}, this one reads up \
                     to {known}): start that version again, or name another folder with `data`"
                )
            }
            Self::GaveUp => return damaged(file, "the database engine gave up on it"),
            Self::Damaged { what, of, why } => return damaged(file, &format!("{what} {of:?}: {why}")),
        };
        StoreError { message }
    }
}

fn may_pass(error: &io::Error) -> bool {
    use io::ErrorKind;
    !matches!(
        error.kind(),
        ErrorKind::PermissionDenied
            | ErrorKind::ReadOnlyFilesystem
            | ErrorKind::NotADirectory
            | ErrorKind::IsADirectory
            | ErrorKind::AlreadyExists
            | ErrorKind::InvalidData
            | ErrorKind::UnexpectedEof
    )
}

/// Whether the engine's error has a sentence of its own, with what to do.
fn is_told_of(error: &redb::Error) -> bool {
    matches!(
        error,
        redb::Error::DatabaseAlreadyOpen
            | redb::Error::LockProtocolMismatch
            | redb::Error::UpgradeRequired(_)
            | redb::Error::Corrupted(_)
            | redb::Error::TableTypeMismatch { .. }
            | redb::Error::TypeDefinitionChanged { .. }
    )
}

fn engine_sentence(error: &redb::Error, file: &Path) -> StoreError {
    let path = file.display();
    match error {
        redb::Error::Io(error) => io_sentence(error, file),
        redb::Error::DatabaseAlreadyOpen | redb::Error::LockProtocolMismatch => StoreError {
            message: format!(
                "another process has the store {path} open: stop it, or name another folder with `data` for this one"
            ),
        },
        redb::Error::UpgradeRequired(version) => StoreError {
            message: format!(
                "the store {path} is in redb's old file format {version}, which no divvy ever wrote: name another \
                 folder with `data`"
            ),
        },
        redb::Error::Corrupted(why) => damaged(file, why),
        redb::Error::TableTypeMismatch { .. } | redb::Error::TypeDefinitionChanged { .. } => {
            damaged(file, "its tables are not divvy's")
        }
        other => StoreError { message: format!("the store {path} failed: {other}") },
    }
}

/// What the operating system refused to do with the store.
pub(super) fn io_sentence(error: &io::Error, path: &Path) -> StoreError {
    use io::ErrorKind;
    let shown = path.display();
    let message = match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            format!("the disk of the store {shown} is full ({error}): free some space there")
        }
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => format!(
            "divvy may not write the store {shown} ({error}): let its user write there, or name another folder with \
             `data`"
        ),
        ErrorKind::NotADirectory | ErrorKind::AlreadyExists => format!(
            "the store {shown} cannot be made, because a part of that path is a file: name another folder with `data`"
        ),
        ErrorKind::IsADirectory => format!(
            "the store {shown} cannot be opened, because a folder has that name: move it away, or name another folder with `data`"
        ),
        ErrorKind::InvalidData | ErrorKind::UnexpectedEof => return damaged(path, &error.to_string()),
        _ => format!("the store {shown} cannot be read or written ({error}): check that disk"),
    };
    StoreError { message }
}

fn damaged(file: &Path, why: &str) -> StoreError {
    StoreError {
        message: format!(
            "the store {} is damaged ({why}): put back a copy of it, or move it away and start without it; the members \
             then join again, and the committed offsets are lost",
            file.display()
        ),
    }
}
