//! Files that were named on the command line: read as far as they may be long, and refused in a sentence.

use std::path::Path;

use anyhow::Result;

use super::failure::{Failure, Kind};
use crate::assignor::capture::MAX_CAPTURE_BYTES;
use crate::sandbox::limits::{MAX_MANIFEST_BYTES, MAX_MODULE_BYTES};
use crate::server::config::read_regular;
use crate::whatif::limits::MAX_SCRIPT_BYTES;

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
        let kind = if error.kind() == std::io::ErrorKind::NotFound { Kind::NotFound } else { Kind::Failed };
        Failure::of(kind, format!("{} cannot be read ({error}): check the path", path.display()))
    })
}
