//! Which settings hold for which group: the first pattern that matches.

use std::sync::Arc;

use crate::group::GroupSettings;
use crate::ids::GroupId;

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

/// Whether `text` has the parts of `pattern` between its `*`s, in order and anchored at both ends.
fn matches(pattern: &str, text: &str) -> bool {
    let Some((head, rest)) = pattern.split_once('*') else { return pattern == text };
    let Some(mut left) = text.strip_prefix(head) else { return false };
    let mut parts: Vec<&str> = rest.split('*').collect();
    let tail = parts.pop().unwrap_or_default();
    for part in parts {
        let Some(at) = left.find(part) else { return false };
        left = &left[at + part.len()..];
    }
    left.ends_with(tail)
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn a_star_stands_for_any_run() {
        for (pattern, text, fits) in [
            ("search-*", "search-eu", true),
            ("search-*", "research-eu", false),
            ("*", "", true),
            ("*-eu", "search-eu", true),
            ("*-eu", "search-eu-1", false),
            ("a*b*c", "a-b-b-c", true),
            ("a*b*c", "a-c-b", false),
            ("ab*ba", "aba", false),
            ("plain", "plain", true),
            ("plain", "plainer", false),
        ] {
            assert_eq!(matches(pattern, text), fits, "{pattern} on {text}");
        }
    }
}
