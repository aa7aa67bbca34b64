//! Texts of somebody else's (peers, modules, names of files), fit for a line of a log, a table or a terminal. What would move a
//! cursor, begin a line or turn the reading direction is shown as an escape: here, and nowhere else.

use std::fmt::{self, Write};
use std::path::Path;

/// Why a divvy leader joins again when its strategy wanted to be called again: its coordinator knows the words (KIP-800).
pub const CALL_AGAIN: &str = "the strategy wanted to be called again";

/// Letters of a name that are shown in a log: a name may have 32,767.
const SHOWN_CHARS: usize = 200;

/// Whether whoever shows the letter would take it for an order.
fn is_order(letter: char) -> bool {
    letter.is_control() || matches!(letter, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn push(letter: char, to: &mut impl Write) -> fmt::Result {
    match is_order(letter) {
        true => write!(to, "{}", letter.escape_default()),
        false => to.write_char(letter),
    }
}

/// The whole text on one line.
pub fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    // Writing into a String cannot fail.
    text.chars().for_each(|letter| _ = push(letter, &mut plain));
    plain
}

/// A path for a document. Names of files are bytes, and serde refuses those that are no UTF-8: what is no letter stands as `\u{fffd}`,
/// as in a sentence.
pub fn path(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// The same for a field, with `#[serde(serialize_with = "…")]`.
pub fn serialize_path<S: serde::Serializer>(path: &Path, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&path.to_string_lossy())
}

/// So many letters of a text that was written for people, in lines perhaps, on one line: what parts words is a space.
pub fn one_line(text: &str, most_chars: usize) -> String {
    let spaced = |letter: char| if letter.is_control() && letter.is_whitespace() { ' ' } else { letter };
    plain(text.chars().take(most_chars).map(spaced).collect::<String>().trim_end())
}

/// Values with commas between them, for a log: names and digests that are plain already.
pub fn list<T: fmt::Display>(values: &[T]) -> String {
    values.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// A name on one line, and not longer than a line.
pub struct Shown<T>(pub T);

impl<T: fmt::Display> fmt::Display for Shown<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut line = Line { to: f, left: SHOWN_CHARS };
        match write!(line, "{}", self.0) {
            Err(_) if line.left == 0 => f.write_char('…'),
            written => written,
        }
    }
}

/// Takes the first letters and refuses the rest.
struct Line<'a, 'b> {
    to: &'a mut fmt::Formatter<'b>,
    left: usize,
}

impl Write for Line<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        text.chars().try_for_each(|letter| {
            self.left = self.left.checked_sub(1).ok_or(fmt::Error)?;
            push(letter, self.to)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_on_their_line() {
        assert_eq!(Shown("büro \"7\"").to_string(), "büro \"7\"");
        assert_eq!(Shown("a\nERROR b\x1b[31m\u{2028}").to_string(), "a\\nERROR b\\u{1b}[31m\\u{2028}");
        let long = Shown("x".repeat(32_767)).to_string();
        assert_eq!((long.chars().count(), long.ends_with('…')), (SHOWN_CHARS + 1, true));
        assert_eq!(Shown("x".repeat(SHOWN_CHARS)).to_string().len(), SHOWN_CHARS);
    }

    #[cfg(unix)]
    #[test]
    fn a_name_of_a_file_that_is_no_text_goes_into_a_document() {
        use std::os::unix::ffi::OsStrExt;
        let name = Path::new(std::ffi::OsStr::from_bytes(b"w9/q\xff.wasm"));
        assert_eq!(path(name), "w9/q\u{fffd}.wasm");
        assert_eq!(serialize_path(name, serde_json::value::Serializer).unwrap(), "w9/q\u{fffd}.wasm");
    }

    #[test]
    fn a_text_cannot_begin_a_line_nor_turn_one() {
        assert_eq!(plain("büro 7, „ja“"), "büro 7, „ja“");
        assert_eq!(plain("a\r\nb\x1b[2J\u{85}\u{202e}c\u{2066}"), "a\\r\\nb\\u{1b}[2J\\u{85}\\u{202e}c\\u{2066}");
    }

    #[test]
    fn words_on_several_lines_are_words_on_one() {
        assert_eq!(
            one_line("panicked at src/lib.rs:1:2:\n\tno\x07 more\u{202e}\n", 99),
            "panicked at src/lib.rs:1:2:  no\\u{7} more\\u{202e}"
        );
        assert_eq!(one_line("abc", 2), "ab");
    }
}
