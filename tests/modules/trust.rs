//! Who may serve: signed modules, allowed digests, and the story of a signature that comes late.

use std::fs;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use divvy::sandbox::{Catalog, CatalogConfig, ModuleState, ModuleStatus, Trust, TrustedKey, digest_of, read_digest};
use ring::signature::{Ed25519KeyPair, KeyPair as _};
use sha2::{Digest as _, Sha256};
use tempfile::TempDir;

use crate::wat_modules::{named, sandbox};

const PATIENCE: Duration = Duration::from_secs(60);

/// A key of minisign's, by the number that seeds it.
struct Signer {
    pair: Ed25519KeyPair,
    id: [u8; 8],
}

impl Signer {
    fn new(seed: u8) -> Self {
        let pair = Ed25519KeyPair::from_seed_unchecked(&[seed; 32]).expect("a key");
        Self { pair, id: [seed, 0, 0, 0, 0, 0, 0, 1] }
    }

    fn public(&self) -> String {
        STANDARD.encode([b"Ed", &self.id[..], self.pair.public_key().as_ref()].concat())
    }

    fn trusted(&self) -> TrustedKey {
        self.public().parse().expect("a public key")
    }

    /// What `minisign -S -l` writes.
    fn sign(&self, bytes: &[u8]) -> String {
        let signature = self.pair.sign(bytes);
        let comment = "timestamp:1795910400";
        let global = self.pair.sign(&[signature.as_ref(), comment.as_bytes()].concat());
        let word = STANDARD.encode([b"Ed", &self.id[..], signature.as_ref()].concat());
        format!("untrusted comment: a signature\n{word}\ntrusted comment: {comment}\n{}\n", STANDARD.encode(global))
    }
}

struct Story {
    folder: TempDir,
    cache: TempDir,
    trust: Trust,
}

impl Story {
    fn new(trust: Trust) -> Self {
        Self { folder: tempfile::tempdir().unwrap(), cache: tempfile::tempdir().unwrap(), trust }
    }

    fn open(&self) -> Catalog {
        let config = CatalogConfig {
            cache_folder: Some(self.cache.path().join("kept")),
            debounce: Duration::from_millis(5),
            rescan: Duration::from_millis(50),
            trust: self.trust.clone(),
            ..CatalogConfig::new(vec![self.folder.path().to_owned()])
        };
        Catalog::open(sandbox(), config).unwrap()
    }

    fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        fs::write(self.folder.path().join(name), bytes).unwrap();
    }
}

fn offered(catalog: &Catalog) -> Vec<String> {
    catalog.modules().iter().map(|module| module.protocol().to_string()).collect()
}

fn row(catalog: &Catalog, file: &str) -> ModuleStatus {
    let mut rows = catalog.status().into_iter();
    rows.find(|row| row.path.file_name().is_some_and(|name| name == file)).expect("a row")
}

/// Waits for a change after which it holds.
fn wait_for(catalog: &Catalog, what: &str, holds: impl Fn(&Catalog) -> bool) {
    let (tell, told) = std::sync::mpsc::channel();
    let listening = catalog.on_change(Box::new(move || _ = tell.send(())));
    while !holds(catalog) {
        told.recv_timeout(PATIENCE).unwrap_or_else(|_| panic!("{what}: {:#?}", catalog.status()));
    }
    drop(listening);
}

fn says(catalog: &Catalog, file: &str, words: &str) -> bool {
    row(catalog, file).last_error.is_some_and(|error| error.contains(words))
}

#[test]
fn other_keys_and_digests_count_at_once_for_what_serves_as_well() {
    let (ours, theirs) = (Signer::new(1), Signer::new(2));
    let story = Story::new(Trust { keys: vec![ours.trusted()], ..Trust::default() });
    let (first, second, other) = (named("spread", 1, "v1"), named("spread", 2, "v2"), named("other", 1, "o1"));
    let signed = |file: &str, bytes: &[u8], by: &Signer| {
        story.write(&format!("{file}.minisig"), by.sign(bytes));
        story.write(file, bytes);
    };
    signed("spread.wasm", &first, &ours);
    signed("other.wasm", &other, &theirs);
    let seen = story.open();
    signed("spread.wasm", &second, &ours);
    wait_for(&seen, "an older version", |seen| offered(seen) == ["spread@2", "spread@1"]);

    seen.trust_anew(vec![ours.trusted(), theirs.trusted()], [].into());
    assert_eq!(offered(&seen), ["other@1", "spread@2", "spread@1"], "another key is trusted as well");
    seen.trust_anew(vec![theirs.trusted()], [].into());
    assert_eq!(offered(&seen), ["other@1"], "a key was withdrawn: of what it signed nothing goes on");
    assert!(says(&seen, "spread.wasm", "untrusted: it is signed by 0100000000000001"));
    assert_eq!(row(&seen, "spread.wasm").state, ModuleState::Broken);
    seen.trust_anew(Vec::new(), [digest_of(&second)].into());
    assert_eq!(offered(&seen), ["spread@2"], "one file by its digest");
    assert!(says(&seen, "other.wasm", "is not among the 1 digests that are allowed"));
    seen.trust_anew(Vec::new(), [].into());
    assert_eq!(offered(&seen), ["other@1", "spread@2"], "all");
}

#[test]
fn only_what_a_trusted_key_signed_serves_and_a_signature_may_come_late() {
    let (ours, theirs) = (Signer::new(1), Signer::new(2));
    let story = Story::new(Trust { keys: vec![ours.trusted(), Signer::new(3).trusted()], ..Trust::default() });
    let first = named("spread", 1, "v1");
    story.write("spread.wasm", &first);
    let seen = story.open();
    assert_eq!(offered(&seen), [""; 0]);
    let error = row(&seen, "spread.wasm").last_error.expect("why");
    assert!(error.contains("untrusted: it is not signed"), "{error}");
    assert!(error.contains("0100000000000001, 0100000000000003"), "{error}");
    assert!(error.contains("minisign -S -m spread.wasm") && error.contains("spread.wasm.minisig"), "{error}");

    story.write("spread.wasm.minisig", theirs.sign(&first));
    wait_for(&seen, "a stranger's signature", |seen| says(seen, "spread.wasm", "signed by 0100000000000002"));
    story.write("spread.wasm.minisig", "no signature");
    wait_for(&seen, "no signature", |seen| says(seen, "spread.wasm", "none of minisign's"));
    story.write("spread.wasm.minisig", ours.sign(b"other bytes"));
    wait_for(&seen, "another file's", |seen| says(seen, "spread.wasm", "not one of these bytes"));
    story.write("spread.wasm.minisig", ours.sign(&first));
    wait_for(&seen, "a good one", |seen| offered(seen) == ["spread@1"]);
    assert_eq!(row(&seen, "spread.wasm").last_error, None);

    // A new file without its signature leaves what was signed in its place.
    let second = named("spread", 2, "v2");
    story.write("spread.wasm", &second);
    wait_for(&seen, "the second", |seen| says(seen, "spread.wasm", "untrusted"));
    assert_eq!(
        (row(&seen, "spread.wasm").state, offered(&seen)),
        (ModuleState::ServingPrevious, vec!["spread@1".into()])
    );
    story.write("spread.wasm.minisig", ours.sign(&second));
    wait_for(&seen, "its signature", |seen| offered(seen) == ["spread@2", "spread@1"]);

    drop(seen);
    assert_eq!(offered(&story.open()), ["spread@2", "spread@1"], "signatures are kept with the older version");
    let stricter = Story { trust: Trust { keys: vec![theirs.trusted()], ..Trust::default() }, ..story };
    assert_eq!(offered(&stricter.open()), [""; 0], "what another key signed does not come back from the cache");
}

#[test]
fn a_signature_that_goes_is_told_of_and_what_it_let_in_serves_on_until_its_file_goes() {
    let ours = Signer::new(1);
    let story = Story::new(Trust { keys: vec![ours.trusted()], ..Trust::default() });
    let bytes = named("spread", 1, "v1");
    story.write("spread.wasm", &bytes);
    story.write("spread.wasm.minisig", ours.sign(&bytes));
    let seen = story.open();
    assert_eq!((offered(&seen), row(&seen, "spread.wasm").last_error), (vec!["spread@1".to_owned()], None));

    fs::remove_file(story.folder.path().join("spread.wasm.minisig")).unwrap();
    wait_for(&seen, "none", |seen| says(seen, "spread.wasm", "it is not signed"));
    assert!(says(&seen, "spread.wasm", "go on serving until the file is removed"));
    story.write("spread.wasm.minisig", ours.sign(b"other bytes"));
    wait_for(&seen, "another file's", |seen| says(seen, "spread.wasm", "not one of these bytes"));
    story.write("spread.wasm.minisig", vec![0xff; 900_000]);
    wait_for(&seen, "garbage", |seen| says(seen, "spread.wasm", "cannot be read"));
    assert_eq!(
        (row(&seen, "spread.wasm").state, offered(&seen)),
        (ModuleState::ServingPrevious, vec!["spread@1".into()])
    );
    story.write("spread.wasm.minisig", ours.sign(&bytes));
    wait_for(&seen, "the good one again", |seen| row(seen, "spread.wasm").last_error.is_none());

    story.write("copy.wasm", &bytes);
    wait_for(&seen, "a copy", |seen| seen.status().len() == 2);
    assert!(says(&seen, "copy.wasm", "it is not signed"), "a copy needs a signature of its own");
    fs::remove_file(story.folder.path().join("spread.wasm")).unwrap();
    wait_for(&seen, "the file", |seen| offered(seen).is_empty());
}

#[test]
fn only_what_is_allowed_serves_and_with_both_settings_a_module_needs_both() {
    let ours = Signer::new(1);
    let (good, other) = (named("good", 1, "v1"), named("other", 1, "v1"));
    let digest = format!("sha256:{:x}", Sha256::digest(&good));
    let allowed = [read_digest(&digest).unwrap()].into();
    let story = Story::new(Trust { allowed, ..Trust::default() });
    story.write("good.wasm", &good);
    story.write("other.wasm", &other);
    let seen = story.open();
    assert_eq!(offered(&seen), ["good@1"]);
    let error = row(&seen, "other.wasm").last_error.expect("why");
    assert!(error.contains(&format!("sha256:{:x} is not among the 1", Sha256::digest(&other))), "{error}");
    drop(seen);

    let story = Story { trust: Trust { keys: vec![ours.trusted()], ..story.trust.clone() }, ..story };
    story.write("other.wasm.minisig", ours.sign(&other));
    assert_eq!(offered(&story.open()), [""; 0], "one is allowed, the other is signed");
    story.write("good.wasm.minisig", ours.sign(&good));
    assert_eq!(offered(&story.open()), ["good@1"]);
}

#[test]
fn a_public_key_is_read_as_a_word_and_as_a_file() {
    let public = Signer::new(1).public();
    let file = format!("untrusted comment: minisign public key 0100000000000001\n{public}\n");
    let key: TrustedKey = file.parse().unwrap();
    assert_eq!((key.id().as_str(), &key), ("0100000000000001", &Signer::new(1).trusted()));
    for wrong in ["", "RWQ", &public[..40], "secret"] {
        wrong.parse::<TrustedKey>().expect_err(wrong);
    }
}

#[test]
fn two_keys_may_have_one_number() {
    let (ours, theirs) = (Signer::new(1), Signer { id: Signer::new(1).id, ..Signer::new(2) });
    let story = Story::new(Trust { keys: vec![theirs.trusted(), ours.trusted()], ..Trust::default() });
    let bytes = named("spread", 1, "v1");
    story.write("spread.wasm", &bytes);
    for signer in [&ours, &theirs] {
        story.write("spread.wasm.minisig", signer.sign(&bytes));
        assert_eq!(offered(&story.open()), ["spread@1"]);
        fs::remove_dir_all(story.cache.path().join("kept")).unwrap();
    }
}
