//! Topics by pattern: a regular expression that a topic's whole name has to match, as Kafka's own clients have it.

use std::fmt;

use regex_lite::Regex;

use super::limits::MAX_PATTERN_CHARS;

/// A regular expression over whole names.
#[derive(Clone)]
pub struct TopicPattern {
    text: String,
    regex: Regex,
}

impl TopicPattern {
    /// Reads one; fails with a sentence.
    pub fn new(text: &str) -> Result<Self, String> {
        if text.chars().count() > MAX_PATTERN_CHARS {
            return Err(format!("it has more than {MAX_PATTERN_CHARS} characters"));
        }
        // By itself first: in the frame around it some mistakes would look like something else.
        Regex::new(text).map_err(|error| error.to_string())?;
        let regex = Regex::new(&format!(r"\A(?:{text})\z")).map_err(|error| error.to_string())?;
        Ok(Self { text: text.to_owned(), regex })
    }

    /// Whether a topic of that name is meant.
    pub fn matches(&self, topic: &str) -> bool {
        self.regex.is_match(topic)
    }
}

impl PartialEq for TopicPattern {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl fmt::Debug for TopicPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TopicPattern({})", self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_whole_name_has_to_match() {
        let pattern = TopicPattern::new(r"clicks-\d+|queries").unwrap();
        let matches = |name| pattern.matches(name);
        assert!(matches("clicks-7") && matches("queries"));
        assert!(!matches("clicks-7-old") && !matches("my-queries") && !matches("queries\n"));
    }

    #[test]
    fn a_mistake_is_a_sentence() {
        assert!(TopicPattern::new(&"é".repeat(MAX_PATTERN_CHARS)).is_ok(), "characters, not bytes");
        for wrong in ["clicks-(", "a)(b", "[", &"x".repeat(MAX_PATTERN_CHARS + 1)] {
            assert!(!TopicPattern::new(wrong).unwrap_err().is_empty());
        }
    }
}
