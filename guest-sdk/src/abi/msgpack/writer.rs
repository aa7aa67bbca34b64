//! Appends MessagePack to a vector, each value in its shortest form.

/// Appends values to a vector, each in its shortest form.
#[derive(Debug)]
pub struct Writer<'a> {
    to: &'a mut Vec<u8>,
}

impl<'a> Writer<'a> {
    /// A writer at the end of `to`.
    pub fn new(to: &'a mut Vec<u8>) -> Self {
        Writer { to }
    }

    /// Begins an array.
    pub fn array(&mut self, items: usize) {
        match items {
            0..=15 => self.to.push(0x90 | items as u8),
            _ => self.length(items, &[(2, 0xdc), (4, 0xdd)]),
        }
    }

    /// Begins a map.
    pub fn map(&mut self, pairs: usize) {
        match pairs {
            0..=15 => self.to.push(0x80 | pairs as u8),
            _ => self.length(pairs, &[(2, 0xde), (4, 0xdf)]),
        }
    }

    /// A text.
    pub fn text(&mut self, text: &str) {
        match text.len() {
            len @ 0..=31 => self.to.push(0xa0 | len as u8),
            len => self.length(len, &[(1, 0xd9), (2, 0xda), (4, 0xdb)]),
        }
        self.to.extend_from_slice(text.as_bytes());
    }

    /// A text or nil.
    pub fn optional_text(&mut self, text: Option<&str>) {
        match text {
            Some(text) => self.text(text),
            None => self.nil(),
        }
    }

    /// Binary data.
    pub fn binary(&mut self, bytes: &[u8]) {
        self.length(bytes.len(), &[(1, 0xc4), (2, 0xc5), (4, 0xc6)]);
        self.to.extend_from_slice(bytes);
    }

    /// Binary data or nil.
    pub fn optional_binary(&mut self, bytes: Option<&[u8]>) {
        match bytes {
            Some(bytes) => self.binary(bytes),
            None => self.nil(),
        }
    }

    /// An integer that is not negative.
    pub fn unsigned(&mut self, value: u64) {
        let bytes = value.to_be_bytes();
        let (first, size) = match value {
            0..=0x7f => (value as u8, 0),
            0x80..=0xff => (0xcc, 1),
            0x100..=0xffff => (0xcd, 2),
            0x1_0000..=0xffff_ffff => (0xce, 4),
            _ => (0xcf, 8),
        };
        self.to.push(first);
        self.to.extend_from_slice(&bytes[8 - size..]);
    }

    /// An integer that is not negative, or nil.
    pub fn optional_unsigned(&mut self, value: Option<u64>) {
        match value {
            Some(value) => self.unsigned(value),
            None => self.nil(),
        }
    }

    /// An integer.
    pub fn signed(&mut self, value: i64) {
        if value >= 0 {
            return self.unsigned(value as u64);
        }
        let bytes = value.to_be_bytes();
        let (first, size) = match value {
            -32..=-1 => (value as u8, 0),
            -0x80..=-33 => (0xd0, 1),
            -0x8000..=-0x81 => (0xd1, 2),
            -0x8000_0000..=-0x8001 => (0xd2, 4),
            _ => (0xd3, 8),
        };
        self.to.push(first);
        self.to.extend_from_slice(&bytes[8 - size..]);
    }

    /// A number.
    pub fn number(&mut self, value: f64) {
        self.to.push(0xcb);
        self.to.extend_from_slice(&value.to_be_bytes());
    }

    /// True or false.
    pub fn boolean(&mut self, value: bool) {
        self.to.push(if value { 0xc3 } else { 0xc2 });
    }

    /// Nil.
    pub fn nil(&mut self) {
        self.to.push(0xc0);
    }

    /// A value that is MessagePack already.
    pub fn raw(&mut self, value: &[u8]) {
        self.to.extend_from_slice(value);
    }

    /// The shortest of `forms` (size of the length, first byte) that holds the length.
    fn length(&mut self, length: usize, forms: &[(usize, u8)]) {
        for &(size, first) in forms {
            if size == 4 || length < 1 << (8 * size) {
                self.to.push(first);
                self.to.extend_from_slice(&(length as u32).to_be_bytes()[4 - size..]);
                return;
            }
        }
    }
}
