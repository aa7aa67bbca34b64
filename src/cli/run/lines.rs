//! Lines out of what a child writes: whole ones, and pieces of those that are too long. Pure.

use super::limits::MAX_LINE_BYTES;

/// What was read and is no whole line yet.
#[derive(Default)]
pub(super) struct Lines {
    begun: Vec<u8>,
}

/// A line, or a part of one that is too long.
pub(super) struct Piece {
    /// Without its end.
    pub(super) bytes: Vec<u8>,
    /// Whether the line ends with it.
    pub(super) ends: bool,
}

impl Lines {
    /// Takes in bytes and hands over each line that is whole now.
    pub(super) fn take(&mut self, mut bytes: &[u8], mut line: impl FnMut(Piece)) {
        while let Some(end) = bytes.iter().position(|byte| *byte == b'\n') {
            let (first, rest) = (&bytes[..end], &bytes[end + 1..]);
            self.append(first, &mut line);
            line(Piece { bytes: std::mem::take(&mut self.begun), ends: true });
            bytes = rest;
        }
        self.append(bytes, &mut line);
    }

    fn append(&mut self, mut bytes: &[u8], line: &mut impl FnMut(Piece)) {
        while self.begun.len() + bytes.len() > MAX_LINE_BYTES {
            let (first, rest) = bytes.split_at(MAX_LINE_BYTES - self.begun.len());
            self.begun.extend_from_slice(first);
            line(Piece { bytes: std::mem::take(&mut self.begun), ends: false });
            bytes = rest;
        }
        self.begun.extend_from_slice(bytes);
    }

    /// The last line, if it had no end.
    pub(super) fn rest(self) -> Option<Vec<u8>> {
        (!self.begun.is_empty()).then_some(self.begun)
    }
}

/// A text that is waited for in a line, wherever the line is cut.
pub(super) struct Marker {
    text: Vec<u8>,
    /// The end of the line so far, and of the text at most all but its last byte.
    before: Vec<u8>,
}

impl Marker {
    /// Not there yet.
    pub(super) fn new(text: &str) -> Self {
        Self { text: text.into(), before: Vec::new() }
    }

    /// Whether the line has it, now that this piece is there.
    pub(super) fn is_in(&mut self, piece: &Piece) -> bool {
        self.before.extend_from_slice(&piece.bytes);
        let found = self.before.windows(self.text.len().max(1)).any(|it| it == self.text);
        let kept = if piece.ends { 0 } else { self.text.len().saturating_sub(1) };
        self.before.drain(..self.before.len().saturating_sub(kept));
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(reads: &[&[u8]]) -> (Vec<Vec<u8>>, Option<Vec<u8>>) {
        let (mut lines, mut out) = (Lines::default(), Vec::new());
        reads.iter().for_each(|bytes| lines.take(bytes, |line| out.push(line.bytes)));
        (out, lines.rest())
    }

    #[test]
    fn lines_do_not_care_how_they_are_read() {
        let whole: &[u8] = b"one\n\ntwo\nrest";
        let expected = (vec![b"one".to_vec(), Vec::new(), b"two".to_vec()], Some(b"rest".to_vec()));
        assert_eq!(cut(&[whole]), expected);
        let bytes: Vec<&[u8]> = whole.chunks(1).collect();
        assert_eq!(cut(&bytes), expected);
    }

    #[test]
    fn a_line_without_an_end_comes_in_pieces_and_takes_no_memory() {
        let (lines, rest) = cut(&[&vec![b'x'; 3 * MAX_LINE_BYTES + 1], b"\n"]);
        assert_eq!(lines.iter().map(Vec::len).collect::<Vec<_>>(), [MAX_LINE_BYTES, MAX_LINE_BYTES, MAX_LINE_BYTES, 1]);
        assert_eq!(rest, None);
        assert_eq!(cut(&[&vec![b'x'; MAX_LINE_BYTES], b"\n"]).0.len(), 1);
    }

    fn is_found(text: &str, reads: &[&[u8]]) -> bool {
        let (mut lines, mut marker, mut found) = (Lines::default(), Marker::new(text), false);
        reads.iter().for_each(|bytes| lines.take(bytes, |line| found |= marker.is_in(&line)));
        found
    }

    #[test]
    fn a_marker_is_found_wherever_a_long_line_is_cut() {
        for before in MAX_LINE_BYTES - 8..=MAX_LINE_BYTES + 1 {
            let line = [&vec![b'x'; before][..], b"at work", &vec![b'x'; before], b"\n"].concat();
            assert!(is_found("at work", &[&line]), "{before}");
            assert!(is_found("at work", &line.chunks(1).collect::<Vec<_>>()), "{before}");
        }
        assert!(is_found("at work", &[b"is at work now\n"]));
        assert!(!is_found("at work", &[b"at wor\nk at \nwork\n"]), "in one line");
    }
}
