//! Lines out of what a child writes: whole ones, and pieces of those that are too long. Pure.

use super::limits::MAX_LINE_BYTES;

/// What was read and is no whole line yet.
#[derive(Default)]
pub(super) struct Lines {
    begun: Vec<u8>,
}

impl Lines {
    /// Takes in bytes and hands over each line that is whole now, without its end.
    pub(super) fn take(&mut self, mut bytes: &[u8], mut line: impl FnMut(Vec<u8>)) {
        while let Some(end) = bytes.iter().position(|byte| *byte == b'\n') {
            let (first, rest) = (&bytes[..end], &bytes[end + 1..]);
            self.append(first, &mut line);
            line(std::mem::take(&mut self.begun));
            bytes = rest;
        }
        self.append(bytes, &mut line);
    }

    fn append(&mut self, mut bytes: &[u8], line: &mut impl FnMut(Vec<u8>)) {
        while self.begun.len() + bytes.len() > MAX_LINE_BYTES {
            let (first, rest) = bytes.split_at(MAX_LINE_BYTES - self.begun.len());
            self.begun.extend_from_slice(first);
            line(std::mem::take(&mut self.begun));
            bytes = rest;
        }
        self.begun.extend_from_slice(bytes);
    }

    /// The last line, if it had no end.
    pub(super) fn rest(self) -> Option<Vec<u8>> {
        (!self.begun.is_empty()).then_some(self.begun)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(reads: &[&[u8]]) -> (Vec<Vec<u8>>, Option<Vec<u8>>) {
        let (mut lines, mut out) = (Lines::default(), Vec::new());
        reads.iter().for_each(|bytes| lines.take(bytes, |line| out.push(line)));
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
}
