//! Files that somebody named for a connection, read only as far as they may be long. A pipe will do: secrets often come by one.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use super::security::SecurityError;

/// The bytes of a file of at most so many; `instead` says what to do about one that is longer.
pub(super) fn read(path: &Path, most_bytes: u64, instead: &str) -> Result<Vec<u8>, SecurityError> {
    let mut bytes = Vec::new();
    // One byte more tells a file that is too long.
    let read = File::open(path).and_then(|file| file.take(most_bytes + 1).read_to_end(&mut bytes));
    read.map_err(|error| SecurityError::unread(path, &error))?;
    if bytes.len() as u64 > most_bytes {
        return Err(SecurityError::file(path, format!("it has more than {most_bytes} bytes: {instead}")));
    }
    Ok(bytes)
}

/// The same of a text.
pub(super) fn read_text(path: &Path, most_bytes: u64, instead: &str) -> Result<String, SecurityError> {
    let text = String::from_utf8(read(path, most_bytes, instead)?);
    text.map_err(|_| SecurityError::file(path, "it is not UTF-8 text"))
}
