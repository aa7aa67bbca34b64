//! The coordinator's own modules: a watched folder, opened when something needs it. Groups that the coordinator leads are
//! assigned by them, and plans of others can be checked with them.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use tokio::sync::Notify;

use super::config::Config;
use super::plan_maker::Strategies;
use crate::assignor::Assignor;
use crate::group::Lead;
use crate::group::event::ModuleOffer;
use crate::ids::Digest;
use crate::sandbox::{Catalog, CatalogConfig, Module, ModuleStatus, Sandbox, SandboxLimits};

/// The modules, if a folder was opened.
pub(crate) struct Modules {
    catalog: OnceLock<Catalog>,
    sandbox: OnceLock<Sandbox>,
    /// Told when a module came, went or changed.
    changed: Arc<Notify>,
}

impl Modules {
    /// None yet. `sandbox` is for those who run several servers in one process.
    pub(crate) fn new(sandbox: Option<Sandbox>, changed: Arc<Notify>) -> Self {
        let cell = OnceLock::new();
        if let Some(sandbox) = sandbox {
            // Nobody else has the cell yet.
            let _ = cell.set(sandbox);
        }
        Self { catalog: OnceLock::new(), sandbox: cell, changed }
    }

    /// Opens the folder that the configuration means, unless one is open already. An error is a sentence with the remedy.
    /// Blocks while modules compile.
    pub(crate) fn open(&self, config: &Config) -> Result<(), String> {
        let is_needed = config.groups.iter().any(|(_, settings)| settings.lead == Lead::Coordinator);
        if self.catalog.get().is_some() || (!is_needed && config.assignors.is_none()) {
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
            None => Sandbox::new(SandboxLimits::default()).map_err(|error| error.to_string())?,
        };
        let opening =
            CatalogConfig { cache_folder: config.module_cache.clone(), ..CatalogConfig::new(vec![folder.clone()]) };
        let catalog = Catalog::open(sandbox, opening).map_err(|error| error.to_string())?;
        let changed = Arc::clone(&self.changed);
        catalog.on_change(Box::new(move || changed.notify_one()));
        self.changed.notify_one();
        let (serving, folder) = (catalog.modules().len(), folder.display());
        tracing::info!(%folder, serving, "the coordinator's own modules");
        for file in catalog.status() {
            if let Some(error) = file.last_error {
                tracing::warn!(file = %file.path.display(), error, "a module does not serve");
            }
        }
        // Reloads come one after the other: whoever was first has opened the same folder.
        let _ = self.catalog.set(catalog);
        Ok(())
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
