//! Where the configuration is read from, and reading a file that somebody named: only a regular one, and only as far as it
//! may be long.

use std::fs::File;
use std::io::{Error, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use super::{Config, ConfigError, DEFAULT_FILE};

/// The longest configuration: a thousand topics and groups are a tenth of it.
pub(super) const MAX_CONFIG_BYTES: u64 = 1024 * 1024;

/// The file that a configuration comes from, each time that it is read.
#[derive(Debug)]
pub struct ConfigFile {
    named: Option<PathBuf>,
    /// Which one is read when none is named, if it is there.
    usual: PathBuf,
    /// Whether the usual one was read once. From then on it counts as named: were it lost, a running server would take
    /// the defaults, and with them ask no signature of anybody and lead no group.
    was_found: AtomicBool,
}

impl ConfigFile {
    /// The named file, which must exist, or else `./divvy.toml`.
    pub fn new(named: Option<PathBuf>) -> Self {
        Self { named, usual: DEFAULT_FILE.into(), was_found: AtomicBool::new(false) }
    }

    /// Reads it. Without a file that was named or was there before, all is as by default.
    pub fn load(&self) -> Result<Config, ConfigError> {
        let may_lack = self.named.is_none() && !self.was_found.load(Ordering::Relaxed);
        let file = self.named.as_deref().unwrap_or(&self.usual);
        // A link that leads nowhere is a mistake, not the lack of a file.
        let is_nothing = || std::fs::symlink_metadata(file).is_err_and(|error| error.kind() == ErrorKind::NotFound);
        if may_lack && is_nothing() {
            return Ok(Config::default());
        }
        let text = read_regular(file, MAX_CONFIG_BYTES).and_then(|bytes| {
            String::from_utf8(bytes).map_err(|_| Error::new(ErrorKind::InvalidData, "it is not UTF-8 text"))
        });
        let config = Config::parse(&text.map_err(|error| self.unreadable(file, &error))?, &file.display().to_string())?;
        self.was_found.store(true, Ordering::Relaxed);
        Ok(config)
    }

    fn unreadable(&self, file: &Path, error: &Error) -> ConfigError {
        let is_missing = error.kind() == ErrorKind::NotFound;
        let remedy = match &self.named {
            None if is_missing => "put it back, or an empty file if the defaults are meant",
            _ => "name a file that can, or none, since every key has a default",
        };
        let problem = format!("the configuration {} cannot be read ({error}): {remedy}", file.display());
        ConfigError { is_missing, problems: vec![problem] }
    }
}

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

#[cfg(all(test, unix))]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_usual_file_that_was_read_once_is_not_taken_for_none_when_it_is_lost() {
        let folder = tempfile::tempdir().unwrap();
        let (usual, away) = (folder.path().join("divvy.toml"), folder.path().join("away"));
        let file = ConfigFile { usual: usual.clone(), ..ConfigFile::new(None) };
        for _ in 0..2 {
            assert_eq!(file.load(), Ok(Config::default()), "nobody had one");
        }
        symlink(&away, &usual).unwrap();
        let lost = |why: &str| {
            let error = file.load().expect_err(why);
            assert!(error.is_missing && error.to_string().contains("divvy.toml cannot be read"), "{why}: {error}");
            assert!(error.to_string().contains("put it back, or an empty file"), "{why}: {error}");
        };
        lost("a link to nothing");
        fs::write(&away, "shards = 3\n").unwrap();
        assert_eq!(file.load().unwrap().shards, Some(3));
        fs::remove_file(&away).unwrap();
        lost("a link to nothing any more");
        fs::remove_file(&usual).unwrap();
        lost("nothing");
        fs::write(&usual, "").unwrap();
        assert_eq!(file.load(), Ok(Config::default()), "an empty one says that");
    }
}
