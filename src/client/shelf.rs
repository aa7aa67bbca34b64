//! The member's modules: a catalog over its folders, in the membership's words.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use super::error::JoinError;
use crate::assignor::Assignor;
use crate::membership::{Assigned, Notice, Strategies};
use crate::sandbox::{Catalog, CatalogConfig, Listening, Module, ModuleStatus, Sandbox, Trust};

/// Folders of modules that the members of one process share: watched by one thread, compiled once.
#[derive(Clone)]
pub struct Modules(Arc<Catalog>);

impl Modules {
    /// Reads the folders and watches them. Blocks while modules compile.
    pub fn open<F: Into<PathBuf>>(folders: impl IntoIterator<Item = F>) -> Result<Self, JoinError> {
        Self::open_with(None, Self::config(folders))
    }

    /// The same, but only strategies of these names are compiled, in whatever files they are, and of these only what may serve.
    pub fn open_only<F: Into<PathBuf>>(
        folders: impl IntoIterator<Item = F>,
        names: Vec<String>,
        trust: Trust,
    ) -> Result<Self, JoinError> {
        Self::open_with(None, CatalogConfig { only: Some(names), trust, ..Self::config(folders) })
    }

    /// Each file with its state.
    pub fn status(&self) -> Vec<ModuleStatus> {
        self.0.status()
    }

    fn config<F: Into<PathBuf>>(folders: impl IntoIterator<Item = F>) -> CatalogConfig {
        CatalogConfig::new(folders.into_iter().map(Into::into).collect())
    }

    /// Those that serve.
    pub fn strategies(&self) -> Strategies {
        strategies_of(&self.0)
    }

    fn open_with(sandbox: Option<Sandbox>, config: CatalogConfig) -> Result<Self, JoinError> {
        if let Some(missing) = config.folders.iter().find(|it| !it.is_dir()) {
            return Err(JoinError::NoFolder(missing.clone()));
        }
        let sandbox = match sandbox {
            Some(sandbox) => sandbox,
            None => Sandbox::new(config.trust.limits()).map_err(|error| JoinError::Sandbox(error.to_string()))?,
        };
        let catalog = Catalog::open(sandbox, config).map_err(|error| JoinError::Sandbox(error.to_string()))?;
        Ok(Self(Arc::new(catalog)))
    }
}

/// Told of each change.
type OnChange = Box<dyn Fn() + Send + Sync>;

/// The modules at hand, and what was said of the others.
pub(super) struct Shelf {
    catalog: Arc<Catalog>,
    /// What the application was told of each file that does not serve.
    refused: BTreeMap<PathBuf, String>,
    /// Folders may outlive many members.
    _listening: Listening,
}

impl Shelf {
    /// Reads the folders and watches them; `on_change` is called on the catalog's own thread. Blocks while modules compile.
    pub(super) fn open(
        sandbox: Option<Sandbox>,
        config: CatalogConfig,
        on_change: OnChange,
    ) -> Result<Self, JoinError> {
        Ok(Self::of(&Modules::open_with(sandbox, config)?, on_change))
    }

    /// A place at modules that others use as well.
    pub(super) fn of(modules: &Modules, on_change: OnChange) -> Self {
        let listening = modules.0.on_change(on_change);
        Self { catalog: Arc::clone(&modules.0), refused: BTreeMap::new(), _listening: listening }
    }

    /// The catalog behind it.
    pub(super) fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    /// The modules that serve.
    pub(super) fn strategies(&self) -> Strategies {
        strategies_of(&self.catalog)
    }

    /// What a group says of its plans: only the leader sees them made or fail, and all should keep the same versions.
    pub(super) fn note(&self, notice: &Notice) {
        let modules = self.catalog.modules();
        match notice {
            Notice::Assigned(Assigned { protocol, stand_in: None, .. }) => {
                modules.iter().filter(|it| it.protocol() == protocol).for_each(|it| it.served());
            }
            Notice::Suspended(passed_over) => {
                let is_among = |it: &&Arc<Module>| passed_over.iter().any(|(protocol, _)| protocol == it.protocol());
                modules.iter().filter(is_among).for_each(|it| it.failed());
            }
            _ => {}
        }
    }

    /// The files that do not serve, and why: each once, until that changes.
    pub(super) fn newly_refused(&mut self) -> Vec<(PathBuf, String)> {
        let status = self.catalog.status().into_iter();
        let refused: BTreeMap<_, _> = status.filter_map(|it| Some((it.path, it.last_error?))).collect();
        let news = refused.iter().filter(|(path, error)| self.refused.get(*path) != Some(*error));
        let news = news.map(|(path, error)| (path.clone(), error.clone())).collect();
        self.refused = refused;
        news
    }
}

fn strategies_of(catalog: &Catalog) -> Strategies {
    catalog.modules().iter().map(|module| Arc::clone(module) as Arc<dyn Assignor>).collect()
}
