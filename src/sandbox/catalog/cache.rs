//! The bytes of served modules on disk, named by digest and by the file they came from, so that an older version is
//! still there after its file was replaced and the process restarted.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::ids::Digest;
use crate::sandbox::compile::distrust;
use crate::sandbox::module::digest_of;
use crate::sandbox::standing::Standing;
use crate::sandbox::trust::{SIGNATURE, read_signature, signature_path};

/// Hexadecimal digits of a digest.
const DIGEST_CHARS: usize = 64;
/// What a file is called until it is whole.
const UNFINISHED: &str = "unfinished";

/// The cache folder; it holds what is offered and nothing else.
pub(super) struct Cache {
    folder: PathBuf,
    most_bytes: usize,
}

/// A module in the cache.
pub(super) struct Cached {
    pub path: PathBuf,
    pub digest: Digest,
    /// The name of the file that it came from.
    pub origin: String,
    pub bytes: Vec<u8>,
}

/// Why the folder does not do, in words.
pub(super) fn unusable(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::AlreadyExists | io::ErrorKind::NotADirectory => {
            "it is a file, or below one: name a folder (--module-cache, module.cache)".to_owned()
        }
        _ => error.to_string(),
    }
}

impl Cache {
    /// Opens or makes the folder. What is in it is served at the next start, so nobody else may write there; a link counts
    /// as what it leads to. An error is the reason, with the remedy.
    pub fn open(folder: PathBuf, most_bytes: usize) -> Result<Self, String> {
        let mut builder = fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        let made = builder.create(&folder).and_then(|()| fs::metadata(&folder));
        match distrust(&made.map_err(|error| unusable(&error))?, true) {
            None => Ok(Self { folder, most_bytes }),
            Some(why) => Err(why),
        }
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Where a module lies.
    pub fn path(&self, digest: Digest, origin: &str) -> PathBuf {
        self.folder.join(format!("{digest}.{origin}"))
    }

    /// Reads what is there. A file whose bytes are not what its name says is as good as absent.
    pub fn read(&self, most_files: usize) -> io::Result<Vec<Cached>> {
        let mut found = Vec::new();
        for (path, digest, origin) in self.files()?.into_iter().take(most_files) {
            let mut bytes = Vec::new();
            let most = self.most_bytes as u64;
            let read = fs::File::open(&path).and_then(|file| file.take(most + 1).read_to_end(&mut bytes));
            if read.is_ok() && digest_of(&bytes).to_string() == digest {
                found.push(Cached { path, digest: digest_of(&bytes), origin, bytes });
            }
        }
        Ok(found)
    }

    /// The names of the files that what is there came from.
    pub fn origins(&self) -> BTreeSet<String> {
        self.files().unwrap_or_default().into_iter().map(|(_, _, origin)| origin).collect()
    }

    /// Writes a module, whole or not at all, and before it the signature beside its file, if there is to be one: without
    /// it, it would not be let in again, and with another one neither.
    pub fn write(&self, digest: Digest, origin: &str, bytes: &[u8], signed: Option<&Path>) -> io::Result<()> {
        let path = self.path(digest, origin);
        if let Some(file) = signed.filter(|file| **file != path) {
            fs::write(signature_path(&path), read_signature(file)?)?;
        }
        if path.exists() {
            return Ok(());
        }
        let unfinished = self.folder.join(format!("{digest}.{UNFINISHED}"));
        fs::write(&unfinished, bytes)?;
        fs::rename(&unfinished, &path)
    }

    /// Remembers what a module's plans came to, so that the same versions are kept after a restart.
    pub fn mark(&self, digest: Digest, origin: &str, standing: Standing) -> io::Result<()> {
        match marked(&self.path(digest, origin), standing) {
            Some(mark) if !mark.exists() => fs::write(mark, b""),
            _ => Ok(()),
        }
    }

    /// What they came to in earlier processes.
    pub fn standing(&self, digest: Digest, origin: &str) -> Standing {
        let path = self.path(digest, origin);
        let is_marked = |standing: &Standing| marked(&path, *standing).is_some_and(|mark| mark.exists());
        Standing::MARKED.into_iter().find(is_marked).unwrap_or_default()
    }

    /// Removes all but `keep`; strangers' files are left alone.
    pub fn retain(&self, keep: impl Fn(&Path) -> bool) -> io::Result<()> {
        self.files()?.into_iter().filter(|(path, ..)| !keep(path)).try_for_each(|(path, ..)| {
            // Most have few of these.
            let _ = fs::remove_file(signature_path(&path));
            for standing in Standing::MARKED {
                let _ = marked(&path, standing).map(fs::remove_file);
            }
            fs::remove_file(path)
        })
    }

    /// The cache's own files: path, digest and origin as the name says them, in the order of their names.
    fn files(&self) -> io::Result<Vec<(PathBuf, String, String)>> {
        let mut files = Vec::new();
        for entry in fs::read_dir(&self.folder)? {
            let entry = entry?;
            let name = entry.file_name();
            if let Some((digest, origin)) = name.to_str().and_then(|name| name.split_once('.'))
                && digest.len() == DIGEST_CHARS
                && digest.bytes().all(|byte| byte.is_ascii_hexdigit())
                && !origin.ends_with(SIGNATURE)
                && !Standing::MARKED.iter().filter_map(|it| it.mark()).any(|mark| origin.ends_with(mark))
            {
                files.push((entry.path(), digest.to_owned(), origin.to_owned()));
            }
        }
        files.sort();
        Ok(files)
    }
}

/// The file that says so of a module.
fn marked(module: &Path, standing: Standing) -> Option<PathBuf> {
    let mut name = module.as_os_str().to_owned();
    name.push(standing.mark()?);
    Some(name.into())
}
