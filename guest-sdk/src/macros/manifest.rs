//! Writes the manifest while the module is compiled, so that it costs nothing at run time.

/// One entry of the manifest.
#[derive(Clone, Copy)]
pub enum Piece {
    /// A text, escaped as JSON wants.
    Text(&'static str, &'static str),
    /// A value that is JSON already.
    Json(&'static str, &'static str),
}

const SDK: Piece = Piece::Text("sdk", concat!("divvy-guest ", env!("CARGO_PKG_VERSION")));
const OPEN: &str = "{\"abi\":\"1.0\"";

/// The manifest's length.
pub const fn len(pieces: &[Piece]) -> usize {
    let mut length = Sink::<0>::counting();
    length.manifest(pieces);
    length.len
}

/// The manifest of a length that [`len`] said.
pub const fn write<const N: usize>(pieces: &[Piece]) -> [u8; N] {
    let mut sink = Sink { bytes: [0; N], len: 0 };
    sink.manifest(pieces);
    sink.bytes
}

/// The manifest as text.
pub const fn text(bytes: &[u8]) -> &str {
    match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(_) => panic!("a manifest is made of texts"),
    }
}

/// Bytes, or only their number when there is no room for any.
struct Sink<const N: usize> {
    bytes: [u8; N],
    len: usize,
}

impl Sink<0> {
    const fn counting() -> Self {
        Sink { bytes: [], len: 0 }
    }
}

impl<const N: usize> Sink<N> {
    const fn manifest(&mut self, pieces: &[Piece]) {
        let mut named = false;
        self.raw(OPEN);
        let mut at = 0;
        while at < pieces.len() {
            named = named || matches!(pieces[at], Piece::Text(key, _) if same(key, "name"));
            self.piece(pieces[at]);
            at += 1;
        }
        assert!(named, "assignor! needs `name: \"…\"`");
        self.piece(SDK);
        self.raw("}");
    }

    const fn piece(&mut self, piece: Piece) {
        let (Piece::Text(key, _) | Piece::Json(key, _)) = piece;
        self.raw(",\"");
        self.raw(key);
        self.raw("\":");
        match piece {
            Piece::Text(_, value) => {
                self.raw("\"");
                self.escaped(value);
                self.raw("\"");
            }
            Piece::Json(_, value) => self.raw(value),
        }
    }

    const fn raw(&mut self, text: &str) {
        let mut at = 0;
        while at < text.len() {
            self.byte(text.as_bytes()[at]);
            at += 1;
        }
    }

    const fn escaped(&mut self, text: &str) {
        const HEX: &[u8; 16] = b"0123456789abcdef";
        let mut at = 0;
        while at < text.len() {
            match text.as_bytes()[at] {
                byte @ (b'"' | b'\\') => {
                    self.byte(b'\\');
                    self.byte(byte);
                }
                byte @ ..0x20 => {
                    self.raw("\\u00");
                    self.byte(HEX[(byte >> 4) as usize]);
                    self.byte(HEX[(byte & 0xf) as usize]);
                }
                byte => self.byte(byte),
            }
            at += 1;
        }
    }

    const fn byte(&mut self, byte: u8) {
        if N > 0 {
            self.bytes[self.len] = byte;
        }
        self.len += 1;
    }
}

const fn same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut at = 0;
    while at < a.len() && at < b.len() && a[at] == b[at] {
        at += 1;
    }
    at == a.len() && at == b.len()
}
