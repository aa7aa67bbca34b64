//! SCRAM (RFC 5802, RFC 7677): both sides prove that they know the password, and neither sends it. Here are the messages
//! and the arithmetic; nothing waits and nothing is drawn.
//!
//! Names and passwords are taken as the UTF-8 bytes that they are, as Kafka does it: what its tools stored would not be
//! found again under a normalised form.

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use hmac::{Hmac, Mac};
use pbkdf2::pbkdf2_hmac;
use sha2::{Digest, Sha256, Sha512};
use subtle::ConstantTimeEq;

use crate::peer::limits::{NONCE_BYTES, SCRAM_ITERATIONS_MAX, SCRAM_ITERATIONS_MIN};

/// No channel is bound: Kafka's servers know no binding.
const HEADER: &str = "n,,";

/// Which hash.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::peer) enum Hash {
    Sha256,
    Sha512,
}

impl Hash {
    fn of(self, bytes: &[u8]) -> Vec<u8> {
        match self {
            Hash::Sha256 => Sha256::digest(bytes).to_vec(),
            Hash::Sha512 => Sha512::digest(bytes).to_vec(),
        }
    }

    fn keyed(self, key: &[u8], bytes: &[u8]) -> Vec<u8> {
        const ANY_LENGTH: &str = "HMAC takes a key of any length";
        match self {
            Hash::Sha256 => {
                let mac = Hmac::<Sha256>::new_from_slice(key).expect(ANY_LENGTH);
                mac.chain_update(bytes).finalize().into_bytes().to_vec()
            }
            Hash::Sha512 => {
                let mac = Hmac::<Sha512>::new_from_slice(key).expect(ANY_LENGTH);
                mac.chain_update(bytes).finalize().into_bytes().to_vec()
            }
        }
    }

    fn salted(self, password: &[u8], salt: &[u8], iterations: u32) -> Vec<u8> {
        match self {
            Hash::Sha256 => {
                let mut out = vec![0; 32];
                pbkdf2_hmac::<Sha256>(password, salt, iterations, &mut out);
                out
            }
            Hash::Sha512 => {
                let mut out = vec![0; 64];
                pbkdf2_hmac::<Sha512>(password, salt, iterations, &mut out);
                out
            }
        }
    }
}

/// A password after its rounds: as secret as itself.
#[derive(Clone)]
pub(in crate::peer) struct Salted {
    salt: Vec<u8>,
    iterations: u32,
    value: Vec<u8>,
}

impl Salted {
    /// Takes milliseconds.
    pub(in crate::peer) fn new(hash: Hash, password: &[u8], salt: Vec<u8>, iterations: u32) -> Self {
        Self { value: hash.salted(password, &salt, iterations), salt, iterations }
    }

    pub(in crate::peer) fn is_of(&self, salt: &[u8], iterations: u32) -> bool {
        self.salt == salt && self.iterations == iterations
    }
}

impl fmt::Debug for Salted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(not shown)")
    }
}

/// The client's first message.
pub(in crate::peer) struct ClientFirst {
    nonce: String,
    bare: String,
}

impl ClientFirst {
    pub(in crate::peer) fn new(user: &str, nonce: &[u8; NONCE_BYTES]) -> Self {
        Self::with(user, BASE64.encode(nonce))
    }

    pub(super) fn with(user: &str, nonce: String) -> Self {
        let user = user.replace('=', "=3D").replace(',', "=2C");
        Self { bare: format!("n={user},r={nonce}"), nonce }
    }

    pub(in crate::peer) fn message(&self) -> String {
        format!("{HEADER}{}", self.bare)
    }

    /// Reads the server's first message.
    pub(in crate::peer) fn challenge(self, server_first: &str) -> Result<Challenge, String> {
        let wrong = |what: &str| format!("its step of the login is not SCRAM's: {what}");
        let mut parts = server_first.split(',');
        let mut part = |key: &str| parts.next().and_then(|part| part.strip_prefix(key));
        // An extension that one has to understand ("m=") would stand before the nonce.
        let nonce = part("r=").ok_or_else(|| wrong("it does not begin with a nonce"))?;
        if nonce.len() <= self.nonce.len() || !nonce.starts_with(&self.nonce) {
            return Err(wrong("its nonce does not go on from ours"));
        }
        let salt = part("s=").and_then(|salt| BASE64.decode(salt).ok()).filter(|salt| !salt.is_empty());
        let salt = salt.ok_or_else(|| wrong("it has no salt"))?;
        let iterations = part("i=").and_then(|count| count.parse().ok()).ok_or_else(|| wrong("it has no rounds"))?;
        if !(SCRAM_ITERATIONS_MIN..=SCRAM_ITERATIONS_MAX).contains(&iterations) {
            return Err(format!(
                "it asks for {iterations} rounds of hashing, and divvy does {SCRAM_ITERATIONS_MIN} to \
                 {SCRAM_ITERATIONS_MAX}: store the user's password there with a number between"
            ));
        }
        let last_without_proof = format!("c={},r={nonce}", BASE64.encode(HEADER));
        let signed = format!("{},{server_first},{last_without_proof}", self.bare);
        Ok(Challenge { salt, iterations, last_without_proof, signed })
    }
}

/// What the server wants to be shown.
pub(in crate::peer) struct Challenge {
    salt: Vec<u8>,
    iterations: u32,
    last_without_proof: String,
    signed: String,
}

impl Challenge {
    pub(in crate::peer) fn salt(&self) -> &[u8] {
        &self.salt
    }

    pub(in crate::peer) fn iterations(&self) -> u32 {
        self.iterations
    }

    /// The client's last message, and what the server has to answer if it knows the password, too.
    pub(in crate::peer) fn answer(self, hash: Hash, salted: &Salted) -> (String, ServerSignature) {
        let client_key = hash.keyed(&salted.value, b"Client Key");
        let signature = hash.keyed(&hash.of(&client_key), self.signed.as_bytes());
        let proof: Vec<u8> = client_key.iter().zip(&signature).map(|(key, signature)| key ^ signature).collect();
        let server_key = hash.keyed(&salted.value, b"Server Key");
        let expected = hash.keyed(&server_key, self.signed.as_bytes());
        (format!("{},p={}", self.last_without_proof, BASE64.encode(proof)), ServerSignature(expected))
    }
}

/// What only a server that knows the password can say.
pub(in crate::peer) struct ServerSignature(Vec<u8>);

impl ServerSignature {
    /// Reads the server's last message.
    pub(in crate::peer) fn verify(&self, server_last: &str) -> Result<(), String> {
        let first = server_last.split(',').next().unwrap_or_default();
        if let Some(error) = first.strip_prefix("e=") {
            return Err(format!("the login failed: {error}; check the name, the password and the mechanism"));
        }
        let said = first.strip_prefix("v=").and_then(|said| BASE64.decode(said).ok()).unwrap_or_default();
        if bool::from(said.ct_eq(&self.0)) {
            Ok(())
        } else {
            Err("it does not know the password itself, so it is not the server that it says it is".to_owned())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONCE: &str = "rOprNGfwEbeRWgbNEkqO";
    const SERVER_FIRST: &str = "r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096";

    fn first() -> ClientFirst {
        ClientFirst::with("user", NONCE.to_owned())
    }

    fn exchange(hash: Hash) -> (String, ServerSignature) {
        let challenge = first().challenge(SERVER_FIRST).unwrap();
        let salted = Salted::new(hash, b"pencil", challenge.salt().to_vec(), challenge.iterations());
        challenge.answer(hash, &salted)
    }

    #[test]
    fn the_exchange_of_rfc_7677_comes_out() {
        assert_eq!(first().message(), "n,,n=user,r=rOprNGfwEbeRWgbNEkqO");
        let (last, signature) = exchange(Hash::Sha256);
        assert_eq!(
            last,
            "c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ="
        );
        signature.verify("v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=").unwrap();
    }

    /// There is no vector in an RFC: this one is from Python's hashlib and hmac.
    #[test]
    fn the_same_with_sha_512() {
        let (last, signature) = exchange(Hash::Sha512);
        assert_eq!(last.split_once(",p=").unwrap().1, SHA_512_PROOF);
        signature.verify(SHA_512_SIGNATURE).unwrap();
    }

    const SHA_512_PROOF: &str =
        "gMGXRcevScNtxZ6/8lQYpGtnsNAc3mGcmNomv+xnoOMw+3R2xNJdMNnzMlTN8PPC6wdp6dybEmDYXYTxwnYPJQ==";
    const SHA_512_SIGNATURE: &str =
        "v=ZQnYEgWQMFmmsM8aQMF0nDDCy/AgCzkwk8CmMZYcMg0vSVlKDanekLtifDSeVGT4+5ZxXnJq199RVG2rR7N7Zw==";

    #[test]
    fn names_are_escaped() {
        assert_eq!(ClientFirst::with("a=b,c", "x".to_owned()).message(), "n,,n=a=3Db=2Cc,r=x");
    }

    #[test]
    fn a_server_that_does_not_know_the_password_is_found_out() {
        let (_, signature) = exchange(Hash::Sha256);
        for wrong in ["v=AAAA", "v=", "", "x=1", "v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G0="] {
            assert!(signature.verify(wrong).unwrap_err().contains("does not know the password"), "{wrong}");
        }
        assert!(signature.verify("e=invalid-proof").unwrap_err().contains("invalid-proof"));
    }

    #[test]
    fn a_challenge_that_is_none_is_refused() {
        let refused = [
            ("", "nonce"),
            ("m=x,r=rOprNGfwEbeRWgbNEkqOabc,s=W22Z,i=4096", "nonce"),
            ("r=rOprNGfwEbeRWgbNEkqO,s=W22Z,i=4096", "does not go on"),
            ("r=another,s=W22Z,i=4096", "does not go on"),
            ("r=rOprNGfwEbeRWgbNEkqOabc,s=,i=4096", "no salt"),
            ("r=rOprNGfwEbeRWgbNEkqOabc,s=%%,i=4096", "no salt"),
            ("r=rOprNGfwEbeRWgbNEkqOabc,s=W22Z", "no rounds"),
            ("r=rOprNGfwEbeRWgbNEkqOabc,s=W22Z,i=-1", "no rounds"),
            ("r=rOprNGfwEbeRWgbNEkqOabc,s=W22Z,i=1", "rounds of hashing"),
            ("r=rOprNGfwEbeRWgbNEkqOabc,s=W22Z,i=4000000000", "rounds of hashing"),
        ];
        for (message, why) in refused {
            let reason = first().challenge(message).err().unwrap_or_default();
            assert!(reason.contains(why), "{message}: {reason}");
        }
    }
}
