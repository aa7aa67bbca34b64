//! Which modules may serve at all, where the operator says so: those signed by a trusted key, those of an allowed digest.
//! Each of the two settings narrows what serves; with both a module needs both. A signature is a file beside the
//! module, as `minisign -S -m NAME.wasm` writes it: `NAME.wasm.minisig`.

use std::collections::BTreeSet;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use minisign_verify::{PublicKey, Signature};

use super::error::{LoadError, LoadErrorKind, Refusal};
use super::limits::{Ceilings, MAX_SIGNATURE_BYTES, SandboxLimits};
use super::module::digest_of;
use super::open_regular;
use crate::ids::Digest;

/// What a signature's file is called behind its module's.
pub(super) const SIGNATURE: &str = ".minisig";

/// Hexadecimal digits of a SHA-256.
const DIGEST_CHARS: usize = 64;

/// What a module needs to be served. Nothing, by default.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Trust {
    /// One of these must have signed it; none says nothing about signatures.
    pub keys: Vec<TrustedKey>,
    /// It must be one of these; none says nothing about digests.
    pub allowed: BTreeSet<Digest>,
    /// The names of modules that may import the functions of WASI that Go's runtime needs; others may import nothing. A
    /// sandbox that is shared has been told in its limits.
    pub wasi_shim: Vec<String>,
    /// The most that a manifest may ask for; what asks for more is not served. For a sandbox that is shared likewise.
    pub ceilings: Ceilings,
}

/// A public key of minisign.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TrustedKey {
    id: u64,
    key: PublicKey,
}

impl FromStr for TrustedKey {
    type Err = String;

    /// The key as one word (`RWQ…`), or the two lines of minisign's `.pub` file.
    fn from_str(text: &str) -> Result<Self, String> {
        let word = text.trim().lines().next_back().unwrap_or_default().trim();
        let read = PublicKey::from_base64(word).ok().zip(key_id(word));
        let (key, id) = read.ok_or("write a public key of minisign, the word that begins with RW in its .pub file")?;
        Ok(Self { id, key })
    }
}

impl TrustedKey {
    /// The name that minisign has for it.
    pub fn id(&self) -> String {
        format!("{:016X}", self.id)
    }
}

/// A digest as `sha256sum` or `divvy assignor inspect` print it, with or without `sha256:`.
pub fn read_digest(text: &str) -> Result<Digest, String> {
    let hex = text.trim().strip_prefix("sha256:").unwrap_or(text.trim());
    let byte = |at: usize| hex.get(2 * at..2 * at + 2).and_then(|two| u8::from_str_radix(two, 16).ok());
    let mut digest = [0; DIGEST_CHARS / 2];
    let is_read = hex.len() == DIGEST_CHARS
        && hex.bytes().all(|digit| digit.is_ascii_hexdigit())
        && digest.iter_mut().enumerate().all(|(at, to)| byte(at).map(|byte| *to = byte).is_some());
    is_read
        .then_some(Digest(digest))
        .ok_or_else(|| "write sha256: and the 64 hexadecimal digits of a file's SHA-256".to_owned())
}

/// Where the signature of a module is.
pub(super) fn signature_path(module: &Path) -> PathBuf {
    let mut name = module.as_os_str().to_owned();
    name.push(SIGNATURE);
    name.into()
}

impl Trust {
    /// The limits of a sandbox for such modules.
    pub fn limits(&self) -> SandboxLimits {
        SandboxLimits { wasi_shim: self.wasi_shim.clone(), ..SandboxLimits::default() }.below(self.ceilings)
    }

    /// Whether anything is asked of a module.
    pub fn is_asked(&self) -> bool {
        !(self.keys.is_empty() && self.allowed.is_empty())
    }

    /// Whether signatures matter.
    pub(super) fn has_keys(&self) -> bool {
        !self.keys.is_empty()
    }

    /// Refuses a file that may not serve; who serves asks this before anything of it is compiled or run.
    pub fn admits(&self, path: &Path, bytes: &[u8]) -> Result<(), LoadError> {
        if !self.is_asked() {
            return Ok(());
        }
        let digest = digest_of(bytes);
        let judged = self.judge(path, digest, bytes);
        judged.map_err(|Refusal { kind, message }| LoadError {
            kind,
            path: path.to_owned(),
            digest: Some(digest),
            message,
        })
    }

    /// Refuses a module that may not serve.
    fn judge(&self, path: &Path, digest: Digest, bytes: &[u8]) -> Result<(), Refusal> {
        let refuse = |why: String| Err(Refusal::new(LoadErrorKind::Untrusted, why));
        if !self.allowed.is_empty() && !self.allowed.contains(&digest) {
            return refuse(format!(
                "sha256:{digest} is not among the {} digests that are allowed: add it to module.allowed \
                 (--allow-module), or put the file here that was allowed",
                self.allowed.len()
            ));
        }
        if self.keys.is_empty() { Ok(()) } else { self.judge_signature(path, bytes).or_else(refuse) }
    }

    fn judge_signature(&self, path: &Path, bytes: &[u8]) -> Result<(), String> {
        let file = signature_path(path);
        let shown = file.display();
        let ids = self.keys.iter().map(TrustedKey::id).collect::<Vec<_>>().join(", ");
        let module = path.file_name().unwrap_or_default().display();
        let text = read_signature(path).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => format!(
                "it is not signed, and only what is signed by {ids} serves: `minisign -S -m {module}`, and put {shown} \
                 beside it"
            ),
            _ => format!("its signature {shown} cannot be read: {error}"),
        })?;
        let signer = text.lines().nth(1).and_then(key_id);
        let read = Signature::decode(&text).ok().zip(signer);
        let (signature, signer) =
            read.ok_or_else(|| format!("its signature {shown} is none of minisign's: `minisign -S -m {module}`"))?;
        // The number is its maker's to choose, so two keys may have one.
        let mut keys = self.keys.iter().filter(|key| key.id == signer).peekable();
        let Some(key) = keys.peek().copied() else {
            return Err(format!(
                "it is signed by {signer:016X}, and only what is signed by {ids} serves: sign it with one of these, or \
                 add the key to module.trusted_keys (--trusted-key)"
            ));
        };
        // Signatures of both of minisign's forms: the bytes are here as a whole.
        if keys.any(|key| key.key.verify(bytes, &signature, true).is_ok()) {
            return Ok(());
        }
        Err(format!(
            "its signature {shown} by {} is not one of these bytes, or its trusted comment was altered: sign the file that was \
             built last, and put both files here as they are",
            key.id()
        ))
    }
}

/// The number in a key or a signature that says which key.
fn key_id(word: &str) -> Option<u64> {
    let bytes = STANDARD.decode(word.trim()).ok()?;
    Some(u64::from_le_bytes(*bytes.get(2..10)?.first_chunk()?))
}

/// The text of a module's signature.
pub(super) fn read_signature(module: &Path) -> std::io::Result<String> {
    let mut text = String::new();
    open_regular(&signature_path(module))?.take(MAX_SIGNATURE_BYTES).read_to_string(&mut text)?;
    Ok(text)
}

#[cfg(test)]
mod tests;
