//! The store of one coordinator: a redb database in a folder of its own. A batch is one transaction and one sync of
//! the disk, however many groups are in it.

mod encode;
mod failure;
mod folder;
mod parts;
mod read;
mod write;

use std::path::{Path, PathBuf};

use redb::{Database, ReadableDatabase, TableDefinition};

use self::failure::Failure;
use self::folder::FolderLock;
use super::{Entry, Snapshot, Store, StoreError};
use crate::group::Record;
use crate::ids::GroupId;

/// What this divvy writes. A database with a higher number is refused: it may hold tables that we do not know.
const FORMAT: u32 = 2;

/// Every group's records are whole in it; the next write of a large group parts them.
const FORMAT_WITHOUT_PARTS: u32 = 1;

/// All groups are in the coordinator's memory anyway; the cache serves blocks of offsets that are rewritten, and loads.
const CACHE_BYTES: usize = 48 * 1024 * 1024;

/// The database's name in its folder.
const FILE: &str = "store.redb";

/// The ending of a database that is being made.
const UNFINISHED: &str = "unfinished";

/// `format` → [`FORMAT`].
const ABOUT: TableDefinition<'_, &str, u32> = TableDefinition::new("about");
/// (group, kind) → header, reservation or suspensions: small, and rewritten often.
const GROUPS: TableDefinition<'_, (&str, u8), &[u8]> = TableDefinition::new("groups");
/// Group → plan: megabytes at times. In a table of its own, so that no small record shares a page with it and a
/// member's change never rewrites it.
const PLANS: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("plans");
/// Of large groups (`parts.rs`): (group, part) → members, which their header then lacks.
const MEMBERS: parts::Definition = TableDefinition::new("members");
/// Of large groups: (group, part) → states, which their plan then lacks.
const STATES: parts::Definition = TableDefinition::new("states");
/// (group, topic, block) → the offsets of [`OFFSETS_PER_BLOCK`] partitions: a commit of neighbours rewrites one record.
const OFFSETS: TableDefinition<'_, (&str, &str, i32), &[u8]> = TableDefinition::new("offsets");
/// Name → topic.
const TOPICS: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("topics");

/// Name → which topic of a Kafka cluster it was. A store of an older divvy has no such table.
const ORIGINS: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("origins");

/// `until` → until when the origins are kept. A divvy that does not know it leaves it as it is: by that it is found out.
const ORIGINS_KEPT: TableDefinition<'_, &str, i64> = TableDefinition::new("origins_kept");

/// What is written only to find out whether there is room.
const ROOM: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("room");

/// Far more than a free page or two of the file, which a store on a full disk often has.
const ROOM_BYTES: usize = 256 * 1024;

/// Measured on redb: neighbours packed into one record are stored 6 times faster than one by one. More in a block
/// would make a lone commit rewrite more.
const OFFSETS_PER_BLOCK: i32 = 32;

/// The second half of a key in [`GROUPS`].
mod kind {
    pub(super) const HEADER: u8 = 0;
    pub(super) const RESERVED: u8 = 1;
    pub(super) const SUSPENSIONS: u8 = 2;
    /// The place 0 of the last generations; the others follow.
    pub(super) const GENERATIONS: u8 = 128;
}

/// A store in a folder, which belongs to this process until the store is dropped.
#[derive(Debug)]
pub struct EmbeddedStore {
    /// Dropped before the lock is: fields drop in order.
    database: Option<Database>,
    folder: PathBuf,
    _lock: FolderLock,
}

impl EmbeddedStore {
    /// Opens the store in this folder; makes both if they do not exist.
    pub fn open(folder: &Path) -> Result<Self, StoreError> {
        let lock = FolderLock::take(folder)?;
        let mut store = Self { database: None, folder: folder.to_owned(), _lock: lock };
        store.attempt(|_| Ok(())).map_err(|failure| failure.sentence(&store.file()))?;
        Ok(store)
    }

    /// Whether the store in this folder is open, in whichever process.
    pub fn is_held(folder: &Path) -> bool {
        FolderLock::is_taken(folder)
    }

    /// Does some work. After any failure the database is dropped and the next call opens it anew: redb refuses
    /// everything after an I/O error, be the disk full for only a moment.
    fn with_database<T>(&mut self, work: impl FnOnce(&Database) -> Result<T, Failure>) -> Result<T, StoreError> {
        self.attempt(work).map_err(|failure| {
            let mut error = failure.sentence(&self.file());
            if failure.may_pass() {
                error.message.push_str("; divvy opens the store anew by itself");
            }
            error
        })
    }

    fn file(&self) -> PathBuf {
        self.folder.join(FILE)
    }

    /// The same, for what nobody tries again.
    fn attempt<T>(&mut self, work: impl FnOnce(&Database) -> Result<T, Failure>) -> Result<T, Failure> {
        let path = self.file();
        let database = self.database.take();
        let outcome = failure::guarded(|| {
            let database = database.map_or_else(|| open(&path), Ok)?;
            Ok((work(&database)?, database))
        });
        let (result, database) = outcome?;
        self.database = Some(database);
        Ok(result)
    }
}

fn open(path: &Path) -> Result<Database, Failure> {
    if !path.exists() {
        make(path)?;
    }
    let database = Database::builder().set_cache_size(CACHE_BYTES).open(path)?;
    let found = database.begin_read()?.open_table(ABOUT)?.get("format")?.map(|number| number.value());
    match found {
        Some(FORMAT) => Ok(database),
        Some(FORMAT_WITHOUT_PARTS) => {
            let transaction = database.begin_write()?;
            transaction.open_table(ABOUT)?.insert("format", FORMAT)?;
            transaction.open_table(MEMBERS)?;
            transaction.open_table(STATES)?;
            transaction.commit()?;
            Ok(database)
        }
        found => {
            let found = found.unwrap_or_default();
            Err(Failure::OtherFormat { what: "the file", of: String::new(), found, known: FORMAT })
        }
    }
}

/// Makes an empty store. It gets its name only when it is whole: a process that dies before leaves nothing that the next
/// one could take for a damaged store.
fn make(path: &Path) -> Result<(), Failure> {
    let unfinished = path.with_extension(UNFINISHED);
    folder::remove(&unfinished)?;
    let database = Database::builder().create(&unfinished)?;
    let transaction = database.begin_write()?;
    transaction.open_table(ABOUT)?.insert("format", FORMAT)?;
    transaction.open_table(GROUPS)?;
    transaction.open_table(PLANS)?;
    transaction.open_table(MEMBERS)?;
    transaction.open_table(STATES)?;
    transaction.open_table(OFFSETS)?;
    transaction.open_table(TOPICS)?;
    transaction.commit()?;
    drop(database);
    std::fs::rename(&unfinished, path)?;
    Ok(folder::sync(path)?)
}

impl Store for EmbeddedStore {
    fn append(&mut self, batch: &[Entry]) -> Result<(), StoreError> {
        if batch.is_empty() {
            return Ok(());
        }
        self.with_database(|database| write::append(database, batch))
    }

    fn probe(&mut self) -> Result<(), StoreError> {
        self.with_database(write::probe)
    }

    fn load(&mut self) -> Result<Snapshot, StoreError> {
        // A server that cannot read its groups ends.
        self.attempt(read::load).map_err(|failure| failure.sentence(&self.file()))
    }

    fn load_group(&mut self, group: &GroupId) -> Result<Vec<Record>, StoreError> {
        self.with_database(|database| read::load_group(database, group))
    }
}

/// The first text after `text` in byte order: the open end of a range of keys that begin with exactly `text`.
fn successor(text: &str) -> String {
    format!("{text}\0")
}

#[cfg(test)]
mod tests;
