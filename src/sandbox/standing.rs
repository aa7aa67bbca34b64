//! What a module's plans came to: one that served is not given up for newer ones that nobody has tried, or that failed.

use std::sync::atomic::{AtomicU8, Ordering};

/// What is known of a module's plans, of all groups together.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Standing {
    /// Nobody was told of a plan of it.
    #[default]
    Untried,
    /// A plan of it served, and none failed.
    Served,
    /// A plan of it failed, in whichever group; it may serve others all the same.
    Failed,
}

impl Standing {
    /// By its number in a [`Record`].
    const ALL: [Self; 3] = [Self::Untried, Self::Served, Self::Failed];

    /// What an empty file is called, behind a kept module's name, that says so to the next process.
    pub fn mark(self) -> Option<&'static str> {
        match self {
            Self::Untried => None,
            Self::Served => Some(".served"),
            Self::Failed => Some(".failed"),
        }
    }

    /// Those that have one, the last word first.
    pub const MARKED: [Self; 2] = [Self::Failed, Self::Served];
}

/// A module's standing, from whichever thread.
#[derive(Debug, Default)]
pub(super) struct Record(AtomicU8);

impl Record {
    /// A failure is not forgotten for a plan in another group.
    pub fn note(&self, standing: Standing) {
        self.0.fetch_max(standing as u8, Ordering::Relaxed);
    }

    pub fn standing(&self) -> Standing {
        Standing::ALL.get(usize::from(self.0.load(Ordering::Relaxed))).copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_is_the_last_word() {
        let record = Record::default();
        let said = [Standing::Untried, Standing::Served, Standing::Failed, Standing::Served].map(|standing| {
            record.note(standing);
            record.standing()
        });
        assert_eq!(said, [Standing::Untried, Standing::Served, Standing::Failed, Standing::Failed]);
    }
}
