//! Which settings hold for which group: the first pattern that matches.

use std::sync::Arc;

use crate::group::GroupSettings;
use crate::ids::{GroupId, matches};

/// The operator's settings, by patterns of group ids.
#[derive(Clone, Debug, Default)]
pub struct SettingsBook {
    patterns: Vec<(String, Arc<GroupSettings>)>,
    others: Arc<GroupSettings>,
}

impl SettingsBook {
    /// Patterns in order; `*` stands for any run of characters.
    pub fn new(patterns: impl IntoIterator<Item = (String, GroupSettings)>) -> Self {
        let patterns = patterns.into_iter().map(|(pattern, settings)| (pattern, Arc::new(settings))).collect();
        Self { patterns, others: Arc::default() }
    }

    /// The settings of a group: those of the first pattern that matches, else the defaults.
    pub fn of(&self, group: &GroupId) -> Arc<GroupSettings> {
        let found = self.patterns.iter().find(|(pattern, _)| matches(pattern, group.as_str()));
        found.map_or(&self.others, |(_, settings)| settings).clone()
    }
}
