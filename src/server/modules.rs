//! The coordinator's own modules: a watched folder, opened when something needs it. Groups that the coordinator leads are
//! assigned by them, and plans of others can be checked with them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use tokio::sync::Notify;

use super::config::Config;
use super::plan_maker::Strategies;
use super::quiet::{LeftOut, Quiet};
use crate::assignor::{Assignor, NATIVE};
use crate::group::event::ModuleOffer;
use crate::group::{GroupSettings, Lead};
use crate::ids::Digest;
use crate::sandbox::limits::MAX_FILES;
use crate::sandbox::{
    Catalog, CatalogConfig, Module, ModuleMetrics, ModuleState, ModuleStatus, Sandbox, SandboxLimits, Trust,
};
use crate::text::Shown;

/// The modules, if a folder was opened.
pub(crate) struct Modules {
    catalog: OnceLock<Catalog>,
    /// Its folder, that of replaced modules, and what its sandbox was told.
    opened: OnceLock<(PathBuf, Option<PathBuf>, SandboxLimits)>,
    metrics: ModuleMetrics,
    sandbox: OnceLock<Sandbox>,
    /// What the log was told of each file last, and what it takes to know an older version.
    told: Mutex<(Vec<ModuleStatus>, Newest)>,
    /// Whether signatures or digests are asked for.
    is_trust_asked: AtomicBool,
    /// Told when a module came, went or changed.
    changed: Arc<Notify>,
}

impl Modules {
    /// None yet. `sandbox` is for those who run several servers in one process.
    pub(crate) fn new(sandbox: Option<Sandbox>, changed: Arc<Notify>, metrics: ModuleMetrics) -> Self {
        let cell = OnceLock::new();
        if let Some(sandbox) = sandbox {
            // Nobody else has the cell yet.
            let _ = cell.set(sandbox);
        }
        let (catalog, opened, told) = (OnceLock::new(), OnceLock::new(), Mutex::default());
        let is_trust_asked = AtomicBool::new(false);
        Self { catalog, opened, metrics, sandbox: cell, told, is_trust_asked, changed }
    }

    /// Opens the folder that the configuration means, unless one is open already. An error is a sentence with the remedy.
    /// Blocks while modules compile.
    pub(crate) fn open(&self, config: &Config) -> Result<(), String> {
        let is_needed = config.groups.iter().any(|(_, settings)| settings.lead == Lead::Coordinator);
        if let Some(catalog) = self.catalog.get() {
            catalog.pin(&named(config));
            return Ok(());
        }
        if !is_needed && config.assignors.is_none() {
            return Ok(());
        }
        let folder = match folder(config) {
            Ok(folder) => folder,
            Err(error) if is_needed => return Err(error),
            Err(error) => {
                tracing::warn!("{error}; until then plans are checked without their modules");
                return Ok(());
            }
        };
        let sandbox = match self.sandbox.get() {
            Some(sandbox) => sandbox.clone(),
            None => Sandbox::new(config.trust.limits()).map_err(|error| error.to_string())?,
        };
        let opening = CatalogConfig {
            cache_folder: config.module_cache.clone(),
            pinned: named(config),
            trust: config.trust.clone(),
            ..CatalogConfig::new(vec![folder.clone()])
        };
        let catalog = Catalog::open(sandbox, opening).map_err(|error| error.to_string())?;
        let changed = Arc::clone(&self.changed);
        self.metrics.add(&catalog);
        catalog.on_change(Box::new(move || changed.notify_one())).for_good();
        self.changed.notify_one();
        let serving = catalog.modules().len();
        tracing::info!(folder = %folder.display(), serving, "the coordinator's own modules");
        let status = catalog.status();
        for file in &status {
            if let Some(error) = &file.last_error {
                warn_of(file, error, None);
            }
        }
        let newest = Newest::of(&status);
        *self.told.lock().unwrap_or_else(PoisonError::into_inner) = (status, newest);
        self.is_trust_asked.store(config.trust.is_asked(), Ordering::Relaxed);
        // Reloads come one after the other: whoever was first has opened the same folder.
        let _ = self.catalog.set(catalog);
        let _ = self.opened.set((folder, config.module_cache.clone(), config.trust.limits()));
        Ok(())
    }

    /// Tells the log which files came, broke, were replaced or went since it was told last.
    pub(crate) fn tell_changes(&self, quiet: &Quiet) {
        let Some(now) = self.status() else { return };
        let (before, newest) = {
            let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
            let newest = told.1.clone();
            told.1.learn(&now);
            (std::mem::replace(&mut told.0, now.clone()), newest)
        };
        let of = |all: &'_ [ModuleStatus], path: &Path| is_file_at(all, path).cloned();
        let (mut refused, mut untold) = (0, 0);
        for file in now.iter().filter(|file| file.state != ModuleState::Older) {
            let last = of(&before, &file.path);
            match (&file.last_error, last) {
                (error, Some(last)) if *error == last.last_error && file.digest == last.digest => {}
                (Some(error), _) => {
                    refused += 1;
                    match quiet.allows("module_broken") {
                        Some(left_out) => warn_of(file, error, left_out),
                        None => untold += 1,
                    }
                }
                (None, Some(last)) if last.last_error.is_some() && last.digest == file.digest => {
                    tell(file, "a module's file is good again", quiet);
                }
                (None, Some(last))
                    if last.digest.is_some() && last.digest != file.digest && last.last_error.is_none() =>
                {
                    match last.version.filter(|version| last.name == file.name && Some(*version) > file.version) {
                        Some(newer) => {
                            self.tell_older(file, newer, "a module was replaced by an older version of it", quiet);
                        }
                        None => tell(file, "a module was replaced", quiet),
                    }
                }
                (None, _) => match newest.above(file, &now) {
                    Some(newer) => {
                        let what = "a module was loaded that is older than the version that served before";
                        self.tell_older(file, newer, what, quiet);
                    }
                    None => tell(file, "a module was loaded", quiet),
                },
            }
        }
        if untold > 0
            && let Some(left_out) = quiet.allows("modules_broken")
        {
            tracing::warn!(
                refused,
                untold,
                left_out,
                "files of modules do not serve; all are listed with their reasons at the admin port's /modules"
            );
        }
        for file in gone(&before, &now) {
            let is_place = file.name.is_none() && file.path.is_dir();
            tell(file, if is_place { "a folder of modules can be used again" } else { "a module was removed" }, quiet);
        }
    }

    /// It may be a rollback, and it may be somebody who puts back what was signed once: where signatures count, that is
    /// what they do not tell.
    fn tell_older(&self, it: &ModuleStatus, newer: u32, what: &'static str, quiet: &Quiet) {
        let Some(left_out) = quiet.allows("module_older") else { return };
        let digest = it.digest.map(|digest| format!("{digest:?}"));
        let (file, name, version) = (Shown(it.path.display()), &it.name, it.version);
        if self.is_trust_asked.load(Ordering::Relaxed) {
            tracing::warn!(%file, name, version, newer, digest, left_out, "{what}");
        } else {
            tracing::info!(%file, name, version, newer, digest, left_out, "{what}");
        }
    }

    /// Why a file of what should serve under this name (`name` or `name@version`) is refused, if there is such a file. What
    /// it held before, or another file, may serve.
    pub(crate) fn trouble_of(&self, wanted: &str) -> Option<String> {
        let name = wanted.split('@').next().unwrap_or(wanted);
        let is_it = |file: &ModuleStatus| match &file.name {
            Some(known) => known == name,
            // Of a file that never served only its own name is known.
            None => {
                let stem = file.path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
                stem.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '@', '_', '.']))
            }
        };
        let files = self.status().unwrap_or_default();
        files.into_iter().find(|file| file.last_error.is_some() && is_it(file)).and_then(|file| file.last_error)
    }

    /// Whether the folder holds more files than are read, so that what seems not to be there may be.
    pub(crate) fn leaves_out(&self) -> bool {
        self.status().unwrap_or_default().iter().any(|file| file.is_surplus)
    }

    /// A warning for each name that settings hope for and that no module serves: it may come later.
    pub(crate) fn warn_of_missing(&self, config: &Config) {
        let Some(folder) = self.folder() else { return };
        let offers = self.offers();
        let serves = |name: &str| {
            let is_it = |rest: &str| rest.is_empty() || rest.starts_with('@');
            *NATIVE == *name || offers.iter().any(|it| it.protocol.as_str().strip_prefix(name).is_some_and(is_it))
        };
        let folder = folder.display();
        // A folder without any module is one that is still to be filled: each name of a file would be reported.
        for (pattern, settings) in config.groups.iter().filter(|_| !offers.is_empty()) {
            let or_else = if settings.lead == Lead::Members { "; it counts where members bring it" } else { "" };
            for name in settings.config.keys().filter(|name| !serves(name)) {
                tracing::warn!(
                    "[[group]] {pattern:?}: no module {name} (of config.{name}) in {folder}, so far{or_else}"
                );
            }
        }
        for (pattern, settings) in config.groups.iter().filter(|(_, settings)| settings.lead == Lead::Coordinator) {
            for alias in settings.aliases.iter().filter(|alias| !serves(&alias.assignor)) {
                let (assignor, protocol) = (&alias.assignor, &alias.protocol);
                tracing::warn!("[[group]] {pattern:?}: no module {assignor} (alias of {protocol}) in {folder}, so far");
            }
            let is_alias = |name: &str| settings.aliases.iter().any(|alias| alias.protocol == name);
            for wish in settings.assignors.iter().filter(|wish| !serves(wish) && !is_alias(wish)) {
                tracing::warn!("[[group]] {pattern:?}: no module {wish} (of its assignors) in {folder}, so far");
            }
        }
    }

    /// Whether a server that starts with this configuration would have the same folders: none is open yet, or these are.
    pub(crate) fn runs_with(&self, config: &Config) -> bool {
        let Some((open, cache, limits)) = self.opened.get() else { return true };
        *cache == config.module_cache
            && *limits == config.trust.limits()
            && folder(config).is_ok_and(|folder| folder == *open)
    }

    /// Has the modules judged by the keys and digests of another configuration, those that serve as well. Blocks while it does.
    pub(crate) fn trust_anew(&self, trust: &Trust) {
        self.is_trust_asked.store(trust.is_asked(), Ordering::Relaxed);
        if let Some(catalog) = self.catalog.get() {
            catalog.trust_anew(trust.keys.clone(), trust.allowed.clone());
        }
    }

    /// The open folder.
    pub(crate) fn folder(&self) -> Option<&Path> {
        self.opened.get().map(|(folder, ..)| folder.as_path())
    }

    /// What the groups are told of them, the newest version of a name first.
    pub(crate) fn offers(&self) -> Arc<[ModuleOffer]> {
        let offer = |module: &Arc<Module>| ModuleOffer { protocol: module.protocol().clone(), digest: module.digest() };
        self.all().iter().map(offer).collect()
    }

    /// The strategies that serve now.
    pub(crate) fn strategies(&self) -> Strategies {
        self.all().iter().map(|module| Arc::clone(module) as Arc<dyn Assignor>).collect()
    }

    /// The module of that digest, if it is at hand.
    pub(crate) fn by_digest(&self, digest: &Digest) -> Option<Arc<Module>> {
        self.all().iter().find(|module| module.digest() == *digest).cloned()
    }

    /// Each file with its state; none if no folder is open.
    pub(crate) fn status(&self) -> Option<Vec<ModuleStatus>> {
        self.catalog.get().map(Catalog::status)
    }

    fn all(&self) -> Arc<[Arc<Module>]> {
        self.catalog.get().map(Catalog::modules).unwrap_or_default()
    }
}

/// The newest version of each name that served as long as this process knows. A name more than there are files is not
/// remembered.
#[derive(Clone, Default)]
struct Newest(BTreeMap<String, u32>);

impl Newest {
    fn of(files: &[ModuleStatus]) -> Self {
        let mut newest = Self::default();
        newest.learn(files);
        newest
    }

    fn learn(&mut self, files: &[ModuleStatus]) {
        for (name, version) in files.iter().filter_map(offered) {
            let has_room = self.0.len() < MAX_FILES;
            match self.0.get_mut(name) {
                Some(newest) => *newest = version.max(*newest),
                None if has_room => {
                    self.0.insert(name.to_owned(), version);
                }
                None => {}
            }
        }
    }

    /// The newer version of what a file holds that served once, if nothing as new serves now.
    fn above(&self, file: &ModuleStatus, now: &[ModuleStatus]) -> Option<u32> {
        let (name, version) = offered(file)?;
        let newest = *self.0.get(name).filter(|newest| **newest > version)?;
        let is_there = now.iter().filter_map(offered).any(|(other, version)| other == name && version >= newest);
        (!is_there).then_some(newest)
    }
}

/// Name and version of what is offered.
fn offered(file: &ModuleStatus) -> Option<(&str, u32)> {
    let is_offered = !matches!(file.state, ModuleState::Broken | ModuleState::PassedOver);
    is_offered.then(|| Some((file.name.as_deref()?, file.version?))).flatten()
}

/// The files and the folders in trouble that are no more. A row that stood for files which were left out tells nothing of the
/// file that bore it: it may have been let in, and wait to be judged.
fn gone<'a>(before: &'a [ModuleStatus], now: &'a [ModuleStatus]) -> impl Iterator<Item = &'a ModuleStatus> {
    let is_gone = |file: &&ModuleStatus| is_file_at(now, &file.path).is_none();
    before.iter().filter(|file| file.state != ModuleState::Older && !file.is_surplus).filter(is_gone)
}

/// What the groups' settings name: the versions among it are kept.
fn named(config: &Config) -> Vec<String> {
    let of_group = |(_, settings): &(String, GroupSettings)| {
        let aliases = settings.aliases.iter().map(|it| it.assignor.clone());
        settings.assignors.iter().chain(&settings.fallback).cloned().chain(aliases).collect::<Vec<_>>()
    };
    config.groups.iter().flat_map(of_group).collect()
}

fn is_file_at<'a>(all: &'a [ModuleStatus], path: &Path) -> Option<&'a ModuleStatus> {
    all.iter().find(|file| file.state != ModuleState::Older && file.path == path)
}

/// A file that is refused; what it held before may well serve.
fn warn_of(file: &ModuleStatus, error: &str, left_out: LeftOut) {
    let path = Shown(file.path.display());
    match file.state {
        ModuleState::ServingPrevious => {
            tracing::warn!(file = %path, error, left_out, "a module's file is refused, and what it held before serves");
        }
        _ => tracing::warn!(file = %path, error, left_out, "a module does not serve"),
    }
}

fn tell(file: &ModuleStatus, what: &'static str, quiet: &Quiet) {
    if let Some(left_out) = quiet.allows("module_changed") {
        let digest = file.digest.map(|digest| format!("{digest:?}"));
        let (file, name, version) = (Shown(file.path.display()), &file.name, file.version);
        tracing::info!(%file, name, version, digest, left_out, "{what}");
    }
}

/// The folder: the one that is named, else the first usual place that there is.
fn folder(config: &Config) -> Result<PathBuf, String> {
    if let Some(named) = &config.assignors {
        return match named.is_dir() {
            true => Ok(named.clone()),
            false => Err(format!(
                "the modules' folder {} does not exist: make it, or name the one that holds the *.wasm files with \
                 `assignors` (--assignors, $DIVVY_ASSIGNORS)",
                named.display()
            )),
        };
    }
    let usual = &config.usual_assignors;
    usual.iter().find(|folder| folder.is_dir()).cloned().ok_or_else(|| {
        let places: Vec<_> = usual.iter().map(|folder| folder.display().to_string()).collect();
        format!(
            "a [[group]] says lead = \"coordinator\", and there is no folder of modules: neither `assignors` (--assignors) \
             nor $DIVVY_ASSIGNORS is set, and there is no {}; name a folder of *.wasm files",
            if places.is_empty() { "usual place for it".to_owned() } else { places.join(" nor ") }
        )
    })
}

#[cfg(test)]
mod tests;
