//! What a module's plans came to: one that served is not given up for newer ones that nobody has tried, or that failed.

use std::sync::atomic::{AtomicU8, Ordering};

/// What is known of a module's plans, of all groups together. One does not undo the other: what serves a hundred groups may fail in
/// one, whose members or settings are not like theirs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Standing {
    /// A plan of it served.
    pub served: bool,
    /// A plan of it failed, in a way that tells of the module.
    pub failed: bool,
}

impl Standing {
    /// A plan of it served.
    pub const SERVED: Self = Self { served: true, failed: false };
    /// A plan of it failed.
    pub const FAILED: Self = Self { served: false, failed: true };

    /// What empty files beside the kept modules are called, behind a digest and a dot, that say so to the next process.
    pub const MARKS: [(&str, Self); 2] = [("served", Self::SERVED), ("failed", Self::FAILED)];

    /// Whether all that is said is known.
    pub fn has(self, said: Self) -> bool {
        self.with(said) == self
    }

    /// The two together.
    pub fn with(self, said: Self) -> Self {
        Self { served: self.served | said.served, failed: self.failed | said.failed }
    }

    fn bits(self) -> u8 {
        u8::from(self.served) | u8::from(self.failed) << 1
    }
}

/// A module's standing, from whichever thread.
#[derive(Debug, Default)]
pub(super) struct Record(AtomicU8);

impl Record {
    /// Nothing that was said is forgotten.
    pub fn note(&self, said: Standing) {
        self.0.fetch_or(said.bits(), Ordering::Relaxed);
    }

    pub fn standing(&self) -> Standing {
        let bits = self.0.load(Ordering::Relaxed);
        Standing { served: bits & Standing::SERVED.bits() != 0, failed: bits & Standing::FAILED.bits() != 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neither_a_plan_nor_a_failure_is_forgotten() {
        for said in [[Standing::SERVED, Standing::FAILED], [Standing::FAILED, Standing::SERVED]] {
            let record = Record::default();
            assert_eq!(record.standing(), Standing::default());
            let seen = said.map(|one| {
                record.note(one);
                record.standing()
            });
            assert_eq!(seen, [said[0], Standing { served: true, failed: true }]);
        }
    }
}
