//! What the catalog's thread knows of the folders, and one look at them: read what changed, admit or refuse it, choose
//! what is offered.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::admission::Admission;
use super::cache::{Cache, unusable};
use super::choose::{Candidate, choose};
use super::desk::{Desk, Judged};
use super::file::{File, Stamp, file_name, list, read};
use super::status::surplus;
use super::{CatalogConfig, First, Judges, ModuleStatus, Snapshot};
use crate::ids::Digest;
use crate::sandbox::compile::open_files;
use crate::sandbox::limits::most_files;
use crate::sandbox::metrics::Tally;
use crate::sandbox::module::digest_of;
use crate::sandbox::standing::Standing;
use crate::sandbox::{Module, Sandbox, SandboxLimits, Trust, inspect};

mod rows;

/// Where compiled code is, within the cache folder.
const COMPILED: &str = "compiled";

/// All that is known.
pub(super) struct Shelf {
    gate: Admission,
    folders: Vec<PathBuf>,
    only: Option<Vec<String>>,
    /// What the first look waits for.
    first: Option<First>,
    /// The versions that somebody named, as `name@version`.
    named: BTreeSet<String>,
    cache: Option<Cache>,
    files: BTreeMap<PathBuf, File>,
    /// Every module that is offered or could be, files and older versions alike.
    kept: BTreeMap<Digest, Kept>,
    offered: Vec<Digest>,
    /// What is wrong with a folder, by folder.
    troubles: BTreeMap<PathBuf, String>,
    /// The same of files that are too many, by the first of them in each folder.
    surplus: BTreeMap<PathBuf, String>,
    /// The same bounds the older versions, which are beside the files.
    most_files: usize,
    status: Vec<ModuleStatus>,
    /// Whether what is there is judged in this look: at the start, and under other keys.
    is_new: bool,
    desk: Desk,
    /// What of the cache there was no room to read at the start: it is not this process's to clear away.
    unread: BTreeSet<PathBuf>,
}

struct Kept {
    module: Arc<Module>,
    /// The name of the file that it came from.
    origin: String,
    /// What the cache knows of its plans.
    marked: Standing,
}

impl Shelf {
    pub fn new(sandbox: Sandbox, config: CatalogConfig, tally: Arc<Tally>, desk: Desk) -> Self {
        let mut troubles = BTreeMap::new();
        let cache = config.cache_folder.and_then(|folder| {
            Cache::open(folder.clone(), sandbox.limits().module_bytes)
                .map_err(|why| troubles.insert(folder, no_cache(&why)))
                .ok()
        });
        // Where the folder itself cannot be used, nothing in it is.
        let sandbox = match &cache {
            Some(cache) => sandbox.with_code_cache(cache.folder().join(COMPILED)),
            None => sandbox,
        };
        let code = sandbox.1.as_ref().filter(|_| cache.is_some());
        if let Some((folder, trouble)) = code.and_then(|code| Some((code.folder(), code.trouble()?))) {
            troubles.insert(folder.to_owned(), trouble);
        }
        let mut shelf = Self {
            gate: Admission { sandbox, trust: config.trust, tally },
            folders: config.folders,
            only: config.only,
            first: config.first.filter(|_| cache.is_none()),
            named: BTreeSet::new(),
            cache,
            files: BTreeMap::new(),
            kept: BTreeMap::new(),
            offered: Vec::new(),
            troubles,
            surplus: BTreeMap::new(),
            most_files: most_files(open_files()),
            status: Vec::new(),
            is_new: true,
            desk,
            unread: BTreeSet::new(),
        };
        shelf.pin(config.pinned);
        shelf
    }

    /// Of these names those that bear a version are offered from now on, however many newer ones there are.
    pub fn pin(&mut self, names: Vec<String>) {
        self.named.extend(names.into_iter().filter(|name| name.contains('@')));
    }

    /// Looks once; a snapshot if anything changed.
    pub fn scan(&mut self) -> Option<Snapshot> {
        let is_first = self.is_new;
        self.read_folders();
        if is_first {
            self.read_cache();
        }
        (self.is_new, self.first) = (false, None);
        let Self { desk, files, .. } = self;
        desk.keep_only(|path, digest| files.get(path).is_some_and(|file| file.digest == Some(digest)));
        let choice = choose(&self.candidates(), &self.offered.iter().copied().collect(), self.most_files);
        self.keep_only(&choice.offered, is_first);
        let status = self.describe(&choice);
        let same = choice.offered == self.offered
            && status.len() == self.status.len()
            && status.iter().zip(&self.status).all(|(new, old)| new.agrees_with(old));
        self.offered = choice.offered;
        self.status = status;
        (!same).then(|| Snapshot { modules: self.modules(), status: self.status.clone() })
    }

    /// Other keys and digests count from the next look on, for what serves as well: what they do not let in is forgotten, and all
    /// is read as at a start.
    pub fn trust_anew(&mut self, judges: &Judges) {
        let trust = Trust { keys: judges.keys.clone(), allowed: judges.allowed.clone(), ..self.gate.trust.clone() };
        if self.gate.trust == trust {
            return;
        }
        self.gate.trust = trust;
        let Self { gate, cache, kept, files, .. } = self;
        kept.retain(|digest, it| {
            // Its signature may be beside its file, or beside the copy that is kept of it.
            let copy = cache.as_ref().map(|cache| cache.path(*digest, &it.origin));
            let places = [Some(it.module.path().to_owned()), copy];
            places.into_iter().flatten().any(|path| gate.trusted(it.module.bytes(), &path).is_ok())
        });
        for file in files.values_mut() {
            file.good = file.good.filter(|digest| kept.contains_key(digest));
            file.forget_look();
        }
        // It would be judged under the old keys.
        self.desk.keep_only(|_, _| false);
        self.is_new = true;
    }

    /// What became of a file that waited.
    pub fn take(&mut self, judged: Judged) {
        self.desk.is_done();
        let is_wanted = judged.is_wanted();
        let Judged { path, digest, outcome, .. } = judged;
        let Some(file) = self.files.get_mut(&path).filter(|file| is_wanted && file.digest == Some(digest)) else {
            return;
        };
        match outcome {
            Some(Ok(module)) => {
                (file.good, file.error) = (Some(digest), None);
                self.keep(module);
            }
            Some(Err(error)) => file.refused(error),
            None => file.forget_look(),
        }
    }

    /// Whether files wait to be judged.
    pub fn has_waiting(&self) -> bool {
        self.desk.has_waiting()
    }

    /// Has the next file judged, if one waits.
    pub fn judge_next(&mut self) {
        while let Some((path, digest)) = self.desk.next() {
            let bytes = read(&path, self.gate.sandbox.limits().module_bytes).ok();
            match bytes.filter(|bytes| digest_of(bytes) == digest && !self.kept.contains_key(&digest)) {
                Some(bytes) => {
                    if self.desk.judge(self.gate.clone(), path, digest, bytes).is_err() {
                        return;
                    }
                }
                // It holds something else by now, or what was let in meanwhile.
                None => {
                    self.files.get_mut(&path).into_iter().for_each(File::forget_look);
                    self.desk.look_again();
                }
            }
        }
    }

    fn modules(&self) -> Arc<[Arc<Module>]> {
        self.offered.iter().filter_map(|digest| Some(Arc::clone(&self.kept.get(digest)?.module))).collect()
    }

    fn read_folders(&mut self) {
        let mut present = BTreeMap::new();
        for folder in self.folders.clone() {
            match list(&folder, self.gate.trust.has_keys()) {
                Ok(found) => {
                    self.troubles.remove(&folder);
                    present.extend(found);
                }
                Err(error) => {
                    // A folder that cannot be read for a moment (a mount, a swap) takes no strategy away.
                    let known = self.files.iter().filter(|(path, _)| path.parent() == Some(folder.as_path()));
                    present.extend(known.filter_map(|(path, file)| Some((path.clone(), file.stamp()?))));
                    self.troubles.insert(folder, format!("the folder cannot be read: {error}; what it had stays"));
                }
            }
        }
        if present.len() > self.most_files {
            self.leave_out_surplus(&mut present);
        } else {
            self.surplus.clear();
        }
        self.files.retain(|path, _| present.contains_key(path));
        for (path, stamp) in present {
            self.read_file(&path, stamp);
        }
    }

    /// Of too many files those that are known keep their place, at a start those that served before; then come the oldest: whatever
    /// is thrown into a folder, what serves goes on serving.
    fn leave_out_surplus(&mut self, present: &mut BTreeMap<PathBuf, Stamp>) {
        let mut paths: Vec<_> = present.keys().cloned().collect();
        let is_file = |path: &PathBuf| present.get(path).is_some_and(Stamp::is_file);
        let served = self.cache.as_ref().filter(|_| self.is_new).map(Cache::origins).unwrap_or_default();
        paths.sort_by_cached_key(|path| {
            let is_known = self.files.contains_key(path) || served.contains(&file_name(path));
            (!is_known, !is_file(path), present.get(path).and_then(Stamp::modified))
        });
        let mut left_out: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for path in paths.into_iter().skip(self.most_files) {
            present.remove(&path);
            left_out.entry(path.parent().map(Path::to_owned)).or_default().push(path);
        }
        let first = |files: Vec<PathBuf>| Some((files.first()?.clone(), surplus(&files, self.most_files)));
        self.surplus = left_out.into_values().filter_map(first).collect();
    }

    /// Admits or refuses what a file holds, if that is new.
    fn read_file(&mut self, path: &Path, stamp: Stamp) {
        let file = self.files.entry(path.to_owned()).or_default();
        if self.desk.has(path) && file.stamp() == Some(stamp) {
            return;
        }
        let Some(bytes) = file.look(path, stamp, self.gate.sandbox.limits().module_bytes) else { return };
        file.unwanted = self.only.as_ref().and_then(|only| unwanted(&bytes, only, self.gate.sandbox.limits()));
        if file.unwanted.is_some() {
            (file.good, file.error) = (None, None);
            return;
        }
        // A module that serves already is not compiled again, but each file of it needs its own signature.
        if let Some(digest) = file.digest.filter(|digest| self.kept.contains_key(digest)) {
            match self.gate.trusted(&bytes, path) {
                Ok(()) => (file.good, file.error) = (Some(digest), None),
                Err(error) => file.error = Some(self.gate.turned_away(error, file.good == Some(digest))),
            }
            return;
        }
        let comes_later = || self.first.as_ref().is_some_and(|it| !it.has(&bytes, self.gate.sandbox.limits()));
        if let Some(digest) = file.digest.filter(|_| !self.is_new || comes_later()) {
            return self.desk.wait(path.to_owned(), stamp.length(), digest);
        }
        match self.gate.admit(&bytes, path, None) {
            Ok(module) => {
                file.good = Some(module.digest());
                file.error = None;
                self.keep(module);
            }
            Err(error) => file.refused(error),
        }
    }

    fn keep(&mut self, module: Arc<Module>) {
        let origin = file_name(module.path());
        if let Some(cache) = &self.cache {
            let signed = self.gate.trust.has_keys().then(|| module.path());
            match cache.write(module.digest(), &origin, module.bytes(), signed) {
                Ok(()) => self.troubles.remove(cache.folder()),
                Err(error) => self.troubles.insert(cache.folder().to_owned(), cache_trouble(&error)),
            };
        }
        let kept = self.recalled(module, origin);
        self.kept.insert(kept.module.digest(), kept);
    }

    /// With what is known of it from earlier processes.
    fn recalled(&self, module: Arc<Module>, origin: String) -> Kept {
        let marked = self.cache.as_ref().map(|cache| cache.standing(module.digest())).unwrap_or_default();
        module.record().note(marked);
        Kept { module, origin, marked }
    }

    /// At the start: what an earlier process served. A file that broke meanwhile gets its last good module back.
    fn read_cache(&mut self) {
        let Some(cache) = &self.cache else { return };
        let contents = match cache.read(self.most_files, |digest| self.kept.contains_key(&digest)) {
            Ok(contents) => contents,
            Err(error) => {
                self.troubles.insert(cache.folder().to_owned(), cache_trouble(&error));
                return;
            }
        };
        self.unread = contents.unread;
        for old in contents.modules {
            if let Ok(module) = self.gate.admit(&old.bytes, &old.path, None) {
                let kept = self.recalled(module, old.origin);
                self.kept.insert(old.digest, kept);
            }
        }
        let may_come_back = |file: &File| file.good.is_none() && file.stamp().is_some_and(|stamp| stamp.is_file());
        for (path, file) in self.files.iter_mut().filter(|(_, file)| may_come_back(file)) {
            let name = file_name(path);
            let last = self.kept.values().filter(|kept| kept.origin == name);
            let newest = last.max_by_key(|kept| kept.module.manifest().version);
            file.good = newest.map(|kept| kept.module.digest());
        }
    }

    fn candidates(&self) -> Vec<Candidate> {
        let mut candidates = Vec::new();
        for (digest, kept) in &self.kept {
            let manifest = kept.module.manifest();
            let is_named = self.named.iter().any(|name| manifest.is_called(name));
            let candidate = |file| Candidate {
                name: manifest.name.clone(),
                version: manifest.version,
                digest: *digest,
                file,
                standing: kept.module.record().standing(),
                is_named,
            };
            let before = candidates.len();
            let files = self.files.iter().filter(|(_, file)| file.good == Some(*digest));
            candidates.extend(files.map(|(path, _)| candidate(Some(path.clone()))));
            if candidates.len() == before {
                candidates.push(candidate(None));
            }
        }
        candidates
    }

    /// Forgets what is neither offered nor in a file, on disk too.
    fn keep_only(&mut self, offered: &[Digest], is_first: bool) {
        let in_files: BTreeSet<_> = self.files.values().filter_map(|file| file.good).collect();
        let before = self.kept.len();
        self.kept.retain(|digest, _| offered.contains(digest) || in_files.contains(digest));
        let Some(cache) = &self.cache else { return };
        for (digest, kept) in &mut self.kept {
            let standing = kept.module.record().standing();
            // Without the mark the next process learns it anew.
            if standing != kept.marked && cache.mark(*digest, standing).is_ok() {
                kept.marked = standing;
            }
        }
        if before != self.kept.len() || is_first {
            let keep: BTreeSet<_> = self.kept.iter().map(|(digest, kept)| cache.path(*digest, &kept.origin)).collect();
            let stays = |path: &Path| keep.contains(path) || self.unread.contains(path);
            if let Err(error) = cache.retain(stays, |digest| self.kept.contains_key(&digest)) {
                self.troubles.insert(cache.folder().to_owned(), cache_trouble(&error));
            }
        }
    }
}

fn cache_trouble(error: &io::Error) -> String {
    let why = unusable(error);
    format!("the modules cache cannot be used: {why}; older versions of strategies do not outlive this process")
}

/// The same of one that is not used at all.
fn no_cache(why: &str) -> String {
    format!(
        "the modules cache cannot be used: {why}; until then older versions of strategies do not outlive this process, and modules \
         are compiled at each start"
    )
}

/// Name and version of a strategy that is not among the wanted ones.
fn unwanted(bytes: &[u8], only: &[String], limits: &SandboxLimits) -> Option<(String, u32)> {
    let manifest = inspect::manifest(bytes, limits)?;
    (!only.contains(&manifest.name)).then_some((manifest.name, manifest.version))
}
