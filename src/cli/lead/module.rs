//! What becomes of the strategy's file while a lead runs: another version is news, and so is a file that is gone or holds
//! something else, since the process goes on with what it has and the next one could not.

use crate::assignor::Assignor;
use crate::ids::Digest;
use crate::sandbox::{ModuleState, ModuleStatus};

/// Which module serves.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Serving {
    /// Its name and version.
    pub name: String,
    /// What it is; none for what is built into divvy.
    pub digest: Option<Digest>,
    /// Where it is.
    pub file: Option<std::path::PathBuf>,
}

/// What is to be told.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum News {
    /// This one serves from now on, in place of the other one.
    Serves(Serving, Option<Serving>),
    /// Its file is gone, and this one goes on.
    Gone(Serving),
    /// Its file holds that strategy now, and this one goes on.
    Holds(Serving, String),
    /// The file of this one is there again.
    IsBack(Serving),
}

/// What was seen last.
#[derive(Default, Debug)]
pub struct Watch {
    serving: Option<Serving>,
    /// What was wrong with its file.
    trouble: Option<News>,
}

impl Watch {
    /// The strategy as it is found now, if it is, and the state of all files: what is news about it, once.
    pub fn look(&mut self, found: Option<&dyn Assignor>, files: &[ModuleStatus]) -> Option<News> {
        let Some(it) = found else { return self.is_missing(files) };
        let manifest = it.manifest();
        let (name, file) = (format!("{}@{}", manifest.name, manifest.version), it.file().map(Into::into));
        let now = Serving { name, digest: it.digest(), file };
        let before = self.serving.replace(now.clone());
        if before.as_ref().is_none_or(|before| before.digest != now.digest) {
            self.trouble = None;
            return Some(News::Serves(now, before));
        }
        let is_older = |it: &&ModuleStatus| it.state == ModuleState::Older && it.digest == now.digest;
        if files.iter().any(|it| is_older(&it)) {
            return self.is_missing(files);
        }
        self.trouble.take().map(|_| News::IsBack(now))
    }

    /// No file has it any more.
    fn is_missing(&mut self, files: &[ModuleStatus]) -> Option<News> {
        let serving = self.serving.clone()?;
        let in_its_file =
            files.iter().find(|it| it.state != ModuleState::Older && Some(&it.path) == serving.file.as_ref());
        let other = in_its_file.and_then(|it| Some(format!("{}@{}", it.name.as_ref()?, it.version?)));
        let news = match other {
            Some(other) => News::Holds(serving, other),
            None => News::Gone(serving),
        };
        (self.trouble.replace(news.clone()).as_ref() != Some(&news)).then_some(news)
    }
}
