//! What the shelf says of each file, older version and folder.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::Shelf;
use crate::sandbox::catalog::choose::Choice;
use crate::sandbox::catalog::file::File;
use crate::sandbox::catalog::status::{clash, row};
use crate::sandbox::catalog::{ModuleState, ModuleStatus};
use crate::sandbox::clock;
use crate::sandbox::error::LoadErrorKind;

impl Shelf {
    /// A row for each file, then for each older version, then for each folder in trouble.
    pub(super) fn describe(&self, choice: &Choice) -> Vec<ModuleStatus> {
        let now = clock::wall();
        let mut rows: Vec<_> = self.files.iter().filter_map(|(path, file)| self.row(path, file, choice)).collect();
        let in_files: BTreeSet<_> = self.files.values().filter_map(|file| file.good).collect();
        for digest in choice.offered.iter().filter(|digest| !in_files.contains(digest)) {
            if let Some(kept) = self.kept.get(digest) {
                rows.push(row(kept.module.path(), Some(&kept.module), ModuleState::Older, None));
            }
        }
        let told = |(path, trouble): (&PathBuf, &String)| row(path, None, ModuleState::Broken, Some(trouble.clone()));
        rows.extend(self.troubles.iter().map(told));
        let is_surplus = true;
        rows.extend(self.surplus.iter().map(told).map(|row| ModuleStatus { is_surplus, ..row }));
        for row in &mut rows {
            let before = self.status.iter().find(|before| before.agrees_with(row));
            row.since = before.map_or(now, |before| before.since);
        }
        rows
    }

    /// Of a file that waits to be judged, what was said of it before.
    fn row(&self, path: &Path, file: &File, choice: &Choice) -> Option<ModuleStatus> {
        if file.good.is_none() && file.error.is_none() && self.desk.has(path) {
            return None;
        }
        let good = file.good.and_then(|digest| self.kept.get(&digest)).map(|kept| &*kept.module);
        let clash = choice.clashes.get(path).map(|others| clash(path, good, others).to_string());
        let error = file.error.as_ref().map(ToString::to_string).or(clash);
        let is_offered = file.good.is_some_and(|digest| choice.offered.contains(&digest));
        let state = match (&error, is_offered) {
            (None, true) => ModuleState::Serving,
            (None, false) => ModuleState::PassedOver,
            (Some(_), true) => ModuleState::ServingPrevious,
            (Some(_), false) => ModuleState::Broken,
        };
        let mut row = row(path, good, state, error);
        let is_half = file.error.as_ref().is_some_and(|error| error.kind == LoadErrorKind::HalfWritten);
        let judged = if self.desk.has(path) { file.error.as_ref().and_then(|it| it.digest) } else { file.digest };
        row.digest = row.digest.or(judged.filter(|_| !is_half));
        if let Some((name, version)) = &file.unwanted {
            (row.name, row.version) = (Some(name.clone()), Some(*version));
        }
        Some(row)
    }
}
