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
use crate::sandbox::trust::{SIGNATURE, read_digest, read_signature, signature_path};

/// What a file is called until it is whole.
const UNFINISHED: &str = "unfinished";

/// The cache folder; it holds what is offered and nothing else.
pub(super) struct Cache {
    folder: PathBuf,
    most_bytes: usize,
}

/// What was read of it.
#[derive(Default)]
pub(super) struct Contents {
    pub modules: Vec<Cached>,
    /// What there was no room to read. Nobody knows of it whether it is still of use.
    pub unread: BTreeSet<PathBuf>,
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

    /// Reads what is there, but for what `is_known`. A file whose bytes are not what its name says is as good as absent.
    pub fn read(&self, most_files: usize, is_known: impl Fn(Digest) -> bool) -> io::Result<Contents> {
        let mut found = Contents::default();
        let new = |(_, digest, _): &(PathBuf, Digest, String)| !is_known(*digest);
        for (number, (path, digest, origin)) in self.files()?.into_iter().filter(new).enumerate() {
            if number >= most_files {
                found.unread.insert(path);
                continue;
            }
            let mut bytes = Vec::new();
            let most = self.most_bytes as u64;
            let read = fs::File::open(&path).and_then(|file| file.take(most + 1).read_to_end(&mut bytes));
            if read.is_ok() && digest_of(&bytes) == digest {
                found.modules.push(Cached { path, digest, origin, bytes });
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

    /// Remembers what a module's plans came to, so that the same versions are kept after a restart. A module is its bytes,
    /// whatever its file is called by now.
    pub fn mark(&self, digest: Digest, standing: Standing) -> io::Result<()> {
        let said = Standing::MARKS.iter().filter(|(_, one)| standing.has(*one));
        said.map(|(mark, _)| self.path(digest, mark))
            .filter(|mark| !mark.exists())
            .try_for_each(|mark| fs::write(mark, b""))
    }

    /// What they came to in earlier processes.
    pub fn standing(&self, digest: Digest) -> Standing {
        let marked = Standing::MARKS.iter().filter(|(mark, _)| self.path(digest, mark).exists());
        marked.fold(Standing::default(), |all, (_, one)| all.with(*one))
    }

    /// Removes all but what is to stay, and the marks of digests that nobody has; strangers' files are left alone.
    pub fn retain(&self, stays: impl Fn(&Path) -> bool, is_known: impl Fn(Digest) -> bool) -> io::Result<()> {
        let (marks, files): (Vec<_>, Vec<_>) = self.own()?.into_iter().partition(|(.., origin)| is_mark(origin));
        let mut left = BTreeSet::new();
        for (path, digest, _) in files.into_iter().filter(|(.., origin)| !origin.ends_with(SIGNATURE)) {
            if stays(&path) {
                left.insert(digest);
            } else {
                // Most have none.
                let _ = fs::remove_file(signature_path(&path));
                fs::remove_file(path)?;
            }
        }
        let is_orphan = |digest: &Digest| !left.contains(digest) && !is_known(*digest);
        marks.into_iter().filter(|(_, digest, _)| is_orphan(digest)).try_for_each(|(path, ..)| fs::remove_file(path))
    }

    /// The modules.
    fn files(&self) -> io::Result<Vec<(PathBuf, Digest, String)>> {
        let mut files = self.own()?;
        files.retain(|(.., origin)| !origin.ends_with(SIGNATURE) && !is_mark(origin));
        Ok(files)
    }

    /// The cache's own files: path, digest and origin as the name says them, in the order of their names.
    fn own(&self) -> io::Result<Vec<(PathBuf, Digest, String)>> {
        let mut files = Vec::new();
        for entry in fs::read_dir(&self.folder)? {
            let entry = entry?;
            let name = entry.file_name();
            if let Some((digest, origin)) = name.to_str().and_then(|name| name.split_once('.'))
                && let Ok(digest) = read_digest(digest)
            {
                files.push((entry.path(), digest, origin.to_owned()));
            }
        }
        files.sort();
        Ok(files)
    }
}

/// Whether that is no module's file, whose name has an ending.
fn is_mark(origin: &str) -> bool {
    Standing::MARKS.iter().any(|(mark, _)| *mark == origin)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cache(folder: &tempfile::TempDir) -> Cache {
        Cache::open(folder.path().join("cache"), 100).unwrap()
    }

    fn put(cache: &Cache, bytes: &[u8]) -> Digest {
        let digest = digest_of(bytes);
        cache.write(digest, "a.wasm", bytes, None).unwrap();
        digest
    }

    #[test]
    fn what_is_known_takes_no_place_of_what_is_read_and_what_is_not_read_stays() {
        let folder = tempfile::tempdir().unwrap();
        let cache = cache(&folder);
        let mut all: Vec<_> = (0..5u8).map(|number| put(&cache, &[number])).collect();
        all.sort();
        let contents = cache.read(2, |digest| all[..2].contains(&digest)).unwrap();
        assert_eq!(contents.modules.iter().map(|it| it.digest).collect::<Vec<_>>(), all[2..4]);
        assert_eq!(contents.unread, BTreeSet::from([cache.path(all[4], "a.wasm")]));
        cache.retain(|path| contents.unread.contains(path), |_| false).unwrap();
        let left = cache.read(9, |_| false).unwrap().modules;
        assert_eq!(left.iter().map(|it| it.digest).collect::<Vec<_>>(), all[4..]);
    }

    #[test]
    fn marks_are_a_modules_whatever_its_file_is_called_and_go_with_it() {
        let folder = tempfile::tempdir().unwrap();
        let cache = cache(&folder);
        let (one, other) = (put(&cache, b"one"), put(&cache, b"other"));
        cache.mark(one, Standing::FAILED).unwrap();
        cache.mark(one, Standing::SERVED).unwrap();
        // Its file could not be written: the disk was full.
        let lost = digest_of(b"lost");
        cache.mark(lost, Standing::FAILED).unwrap();
        cache.retain(|path| path == cache.path(other, "a.wasm"), |digest| digest == one).unwrap();
        assert_eq!(cache.standing(one), Standing { served: true, failed: true }, "it is served under another name");
        assert_eq!(cache.standing(lost), Standing::default(), "nobody has it");
        assert_eq!(cache.files().unwrap().len(), 1);
        cache.mark(other, Standing::SERVED).unwrap();
        cache.retain(|_| true, |_| false).unwrap();
        assert_eq!([one, other].map(|it| cache.standing(it)), [Standing::default(), Standing::SERVED]);
    }
}
