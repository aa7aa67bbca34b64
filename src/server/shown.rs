//! What peers call themselves, as logs show it: on one line, and not longer than a line.

use std::fmt::{self, Write};

/// Letters of a name that are shown: a name may have 32,767.
const SHOWN_CHARS: usize = 200;

/// A peer's text. Control characters are escaped: a name with a line break would forge a line of the log.
pub(crate) struct Shown<T>(pub(crate) T);

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
        for letter in text.chars() {
            self.left = self.left.checked_sub(1).ok_or(fmt::Error)?;
            if letter.is_control() || matches!(letter, '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}') {
                write!(self.to, "{}", letter.escape_default())?;
            } else {
                self.to.write_char(letter)?;
            }
        }
        Ok(())
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
}
