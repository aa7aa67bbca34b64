//! Reading a file that somebody named: only a regular one, and only as far as it may be long.

use std::fs::File;
use std::io::{Error, ErrorKind, Read};
use std::path::Path;

/// The bytes of a regular file of at most so many. A pipe would make the reader wait, a device would never end.
pub fn read_regular(path: &Path, most_bytes: u64) -> Result<Vec<u8>, Error> {
    let is = std::fs::metadata(path)?;
    if is.is_dir() {
        return Err(Error::new(ErrorKind::IsADirectory, "it is a folder, not a file"));
    }
    if !is.is_file() {
        return Err(Error::new(ErrorKind::InvalidInput, "it is a pipe or a device, not a file"));
    }
    let mut bytes = Vec::new();
    // One byte more tells a file that is too long, also one that grows meanwhile.
    File::open(path)?.take(most_bytes + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most_bytes {
        return Err(Error::new(ErrorKind::FileTooLarge, format!("it has more than {most_bytes} bytes")));
    }
    Ok(bytes)
}
