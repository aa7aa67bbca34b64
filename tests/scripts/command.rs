//! The language of the stories: a verb, mostly a member's name, then `key=value`s.

use std::collections::BTreeMap;

/// One line of a story.
#[derive(Debug)]
pub struct Command {
    /// What is done.
    pub verb: String,
    /// By whom, or with what.
    pub words: Vec<String>,
    /// How.
    pub options: BTreeMap<String, String>,
}

/// Reads a line.
pub fn parse(line: &str) -> Result<Command, String> {
    let mut words = line.split_whitespace();
    let verb = words.next().ok_or("an empty line")?.to_owned();
    let (mut names, mut options) = (Vec::new(), BTreeMap::new());
    for word in words {
        match word.split_once('=') {
            Some((key, value)) => {
                options.insert(key.to_owned(), value.to_owned());
            }
            None => names.push(word.to_owned()),
        }
    }
    Ok(Command { verb, words: names, options })
}

impl Command {
    /// The `n`th word after the verb.
    pub fn word(&self, n: usize) -> Result<&str, String> {
        self.words.get(n).map(String::as_str).ok_or_else(|| format!("{:?} wants another word", self.verb))
    }

    /// The text of an option.
    pub fn text<'a>(&'a self, key: &str, default: &'a str) -> &'a str {
        self.options.get(key).map_or(default, String::as_str)
    }

    /// The number of an option.
    pub fn number(&self, key: &str, default: i64) -> Result<i64, String> {
        match self.options.get(key) {
            None => Ok(default),
            Some(text) => text.parse().map_err(|_| format!("{key}={text} is no number")),
        }
    }

    /// An option's list.
    pub fn list(&self, key: &str) -> Option<Vec<&str>> {
        let text = self.options.get(key)?;
        Some(text.split(',').filter(|item| !item.is_empty()).collect())
    }
}
