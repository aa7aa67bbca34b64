//! The member's modules: a catalog over its folders, in the membership's words.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use super::error::JoinError;
use super::news::Note;
use crate::assignor::{Assignor, FaultKind, Manifest};
use crate::ids::{Digest, Protocol};
use crate::membership::negotiate::would_offer;
use crate::membership::{Assigned, Notice, Strategies};
use crate::sandbox::{Catalog, CatalogConfig, First, Listening, ModuleState, ModuleStatus, Sandbox, Trust};

/// Folders of modules that the members of one process share: watched by one thread, compiled once.
#[derive(Clone)]
pub struct Modules(Arc<Catalog>);

impl Modules {
    /// Reads the folders and watches them. Blocks while modules compile.
    pub fn open<F: Into<PathBuf>>(folders: impl IntoIterator<Item = F>) -> Result<Self, JoinError> {
        Self::open_with(None, Self::config(folders))
    }

    /// The same, but only strategies of these names are compiled, in whatever files they are, and of these only what may serve.
    /// A name may bear a version, which is then at hand however many newer ones there are.
    pub fn open_only<F: Into<PathBuf>>(
        folders: impl IntoIterator<Item = F>,
        names: Vec<String>,
        trust: Trust,
    ) -> Result<Self, JoinError> {
        let only = names.iter().map(|it| it.split('@').next().unwrap_or(it).to_owned()).collect();
        Self::open_with(None, CatalogConfig { only: Some(only), pinned: names, trust, ..Self::config(folders) })
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
    /// Which strategies the member offers; none for one that leads for others.
    wanted: Option<First>,
    /// Which versions of them the application was told are not offered.
    passed_over: Vec<Protocol>,
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
        let wanted = config.first.clone();
        Ok(Self::at(&Modules::open_with(sandbox, config)?, wanted, on_change))
    }

    /// A place at modules that others use as well: of what such a catalog would be told only what the member wants counts.
    pub(super) fn of(modules: &Modules, config: CatalogConfig, on_change: OnChange) -> Self {
        if !config.pinned.is_empty() {
            modules.0.pin(&config.pinned);
        }
        Self::at(modules, config.first, on_change)
    }

    fn at(modules: &Modules, wanted: Option<First>, on_change: OnChange) -> Self {
        let listening = modules.0.on_change(on_change);
        let (catalog, refused, passed_over) = (Arc::clone(&modules.0), BTreeMap::new(), Vec::new());
        Self { catalog, refused, wanted, passed_over, _listening: listening }
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
        let at_hand: Vec<_> = modules.iter().map(|it| (it.protocol(), it.digest())).collect();
        let marked = |digest: Digest| modules.iter().filter(move |it| it.digest() == digest);
        match notice {
            Notice::Assigned(assigned) => served(assigned).into_iter().flat_map(marked).for_each(|it| it.served()),
            Notice::Suspended(passed_over) => {
                failed(passed_over, &at_hand).into_iter().flat_map(marked).for_each(|it| it.failed());
            }
            _ => {}
        }
    }

    /// What became of the files that do not serve, or did not: each once, until that changes.
    pub(super) fn news(&mut self) -> Vec<Note> {
        let (status, modules) = (self.catalog.status(), self.catalog.modules());
        let mut news = news(&mut self.refused, &status);
        if let Some(wanted) = &self.wanted {
            let serving: Vec<_> = modules.iter().map(|it| it.manifest()).collect();
            let now = passed_over(wanted, &status, &serving);
            let before = std::mem::replace(&mut self.passed_over, now);
            let new: Vec<_> = self.passed_over.iter().filter(|it| !before.contains(it)).cloned().collect();
            news.extend((!new.is_empty()).then_some(Note::VersionsLeftOut(new)));
        }
        news
    }
}

/// The versions that the member would offer, were there not newer ones of their names.
fn passed_over(wanted: &First, status: &[ModuleStatus], serving: &[&Manifest]) -> Vec<Protocol> {
    let of_file = |file: &ModuleStatus| {
        let (name, version) = (file.name.as_ref()?, file.version?);
        let newer = serving.iter().find(|it| it.name == *name && it.version > version)?;
        let older = Manifest { version, ..Manifest::clone(newer) };
        // Under a name without a version only the newest could be offered.
        let is_hidden = older.protocol() != newer.protocol();
        (is_hidden && would_offer(&older, &wanted.protocol_type, &wanted.names)).then(|| older.protocol())
    };
    status.iter().filter(|it| it.state == ModuleState::PassedOver).filter_map(of_file).collect()
}

/// The module whose plan serves: the member's own of the name, unless something else made the plan.
fn served(assigned: &Assigned) -> Option<Digest> {
    assigned.digest.filter(|_| !assigned.is_stood_in_for())
}

/// The modules that are passed over for what tells of them; `at_hand` has the newest version of a name first. Under a name without
/// a version only that one is meant: the older would be the one to go back to.
fn failed(passed_over: &[(Protocol, String)], at_hand: &[(&Protocol, Digest)]) -> Vec<Digest> {
    // A reason begins with the kind of the failure.
    let is_telling = |reason: &str| FaultKind::TELLING.iter().any(|kind| reason.split(':').next() == Some(kind.name()));
    let newest = |(protocol, _): &(Protocol, String)| at_hand.iter().find(|(name, _)| *name == protocol);
    let telling = passed_over.iter().filter(|(_, reason)| is_telling(reason));
    telling.filter_map(|it| Some(newest(it)?.1)).collect()
}

/// What is to be told of files that stand like this now; `refused` is what was told, and is brought up to date.
fn news(refused: &mut BTreeMap<PathBuf, String>, status: &[ModuleStatus]) -> Vec<Note> {
    let files = || status.iter().filter(|it| it.state != ModuleState::Older);
    let now: BTreeMap<_, _> = files().filter_map(|it| Some((it.path.clone(), it.last_error.clone()?))).collect();
    let before = std::mem::replace(refused, now);
    let newly = refused.iter().filter(|(path, reason)| before.get(*path) != Some(*reason));
    let newly = newly.map(|(path, reason)| Note::ModuleRefused { path: path.clone(), reason: reason.clone() });
    // A file that is gone is not mended; of a folder there is a row only while something is wrong with it.
    let is_there = |path: &PathBuf| files().any(|it| it.path == *path) || path.is_dir();
    let mended = before.keys().filter(|path| !refused.contains_key(*path) && is_there(path));
    newly.chain(mended.map(|path| Note::ModuleMended { path: path.clone() })).collect()
}

fn strategies_of(catalog: &Catalog) -> Strategies {
    catalog.modules().iter().map(|module| Arc::clone(module) as Arc<dyn Assignor>).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assignor::{ServedBy, native_range};
    use crate::ids::Generation;
    use crate::membership::{Cause, Role, Share, StandIn};
    use crate::time::WallTime;

    fn file(path: &str, state: ModuleState, last_error: Option<&str>) -> ModuleStatus {
        ModuleStatus {
            path: path.into(),
            name: None,
            version: None,
            digest: None,
            state,
            since: WallTime(0),
            last_error: last_error.map(str::to_owned),
            is_surplus: false,
        }
    }

    fn refused(path: &str, reason: &str) -> Note {
        Note::ModuleRefused { path: path.into(), reason: reason.to_owned() }
    }

    #[test]
    fn under_a_name_without_a_version_the_newest_is_meant_and_only_by_what_tells_of_it() {
        let [sticky, even] = ["sticky", "even@1"].map(Protocol::from);
        let digest = |number: u8| Digest([number; 32]);
        let at_hand = [(&even, digest(1)), (&sticky, digest(4)), (&sticky, digest(3))];
        let said = |protocol: &Protocol, reason: &str| failed(&[(protocol.clone(), reason.to_owned())], &at_hand);
        assert_eq!(said(&sticky, "trap: a.wasm: it trapped"), [digest(4)], "the older is the one to go back to");
        assert_eq!(said(&even, "invalid_assignment: two have it"), [digest(1)]);
        assert_eq!(said(&even, "guest_error: bad_config: trap: is no number"), [], "another group has other settings");
        assert_eq!(said(&Protocol::from("other"), "trap: it trapped"), []);
    }

    #[test]
    fn a_plan_speaks_for_the_module_that_made_it() {
        let assigned = Assigned {
            generation: Generation(3),
            protocol: "sticky".into(),
            digest: Some(Digest([3; 32])),
            served_by: None,
            stand_in: None,
            leader: "l".into(),
            member: "m".into(),
            role: Role::Follower,
            cause: Cause::Group,
            share: Share::Partitions(Vec::new()),
            user_data: None,
        };
        assert_eq!(served(&assigned), assigned.digest);
        let stand_in = StandIn { by: "its own range".to_owned(), reason: "trap: it trapped".to_owned() };
        assert_eq!(served(&Assigned { stand_in: Some(stand_in), ..assigned.clone() }), None);
        assert_eq!(served(&Assigned { served_by: Some(ServedBy::LastPlan), ..assigned }), None);
    }

    #[test]
    fn what_is_wrong_with_a_file_is_told_once_and_so_is_its_end() {
        let mut told = BTreeMap::new();
        let unsigned = [file("a.wasm", ModuleState::ServingPrevious, Some("it is not signed"))];
        assert_eq!(news(&mut told, &unsigned), [refused("a.wasm", "it is not signed")]);
        assert_eq!(news(&mut told, &unsigned), []);
        let strangers = [file("a.wasm", ModuleState::ServingPrevious, Some("a stranger signed it"))];
        assert_eq!(news(&mut told, &strangers), [refused("a.wasm", "a stranger signed it")]);
        let signed = [file("a.wasm", ModuleState::Serving, None)];
        assert_eq!(news(&mut told, &signed), [Note::ModuleMended { path: "a.wasm".into() }]);
        assert_eq!(news(&mut told, &signed), []);
        assert_eq!(news(&mut told, &unsigned), [refused("a.wasm", "it is not signed")], "and again, if it is so again");
    }

    #[test]
    fn a_version_that_newer_ones_keep_from_being_offered_is_told_to_who_would_offer_it() {
        let newest = Manifest { name: "x".to_owned(), version: 4, ..native_range().manifest().clone() };
        let version = |name: &str, version, state| ModuleStatus {
            name: Some(name.to_owned()),
            version: Some(version),
            ..file("x.wasm", state, None)
        };
        let status = [
            version("x", 1, ModuleState::PassedOver),
            version("x", 3, ModuleState::Serving),
            version("unwanted", 1, ModuleState::PassedOver),
        ];
        let told = |protocol_type: &str, names: &[&str], newest: &Manifest| {
            let names = names.iter().map(|it| (*it).to_owned()).collect();
            let told = passed_over(&First { protocol_type: protocol_type.into(), names }, &status, &[newest]);
            told.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        assert_eq!(told("consumer", &[], &newest), ["x@1"]);
        assert_eq!(told("consumer", &["x"], &newest), ["x@1"]);
        assert_eq!(told("consumer", &["x@4", "y"], &newest), [""; 0]);
        assert_eq!(told("connect", &[], &newest), [""; 0]);
        assert_eq!(told("consumer", &[], &Manifest { name: "range".to_owned(), ..newest.clone() }), [""; 0]);
    }

    #[test]
    fn a_refused_file_that_goes_is_not_mended_though_what_it_had_is_kept() {
        let mut told = BTreeMap::new();
        news(&mut told, &[file("a.wasm", ModuleState::ServingPrevious, Some("no module"))]);
        assert_eq!(news(&mut told, &[file("a.wasm", ModuleState::Older, None)]), []);
    }
}
