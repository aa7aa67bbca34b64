//! What a member says of itself under each protocol, and what its strategies add.

use std::sync::{Arc, Mutex};

use divvy_guest::abi::reply;
use divvy_guest::abi::request::UserData as Asked;

use super::story::{Story, config, fake};
use crate::assignor::{Assignor, Budget, CallError, Export, FaultKind, Manifest, native_range};
use crate::embedded::consumer::{Owned, Subscription, TopicPartitions};
use crate::embedded::note::Note;
use crate::embedded::sticky::StickyData;
use crate::embedded::user_data::UserData;
use crate::ids::{Digest, Generation, Protocol};
use crate::membership::config::Config;
use crate::membership::event::{Event, JoinCall, Peer};
use crate::wire::ErrorCode;

const STICKY: &str = r#"{"abi":"1.0","name":"sticky"}"#;
const COOPERATIVE_STICKY: &str = r#"{"abi":"1.0","name":"cooperative-sticky","mode":"cooperative"}"#;

fn under<'c>(call: &'c JoinCall, protocol: &str) -> Subscription<'c> {
    let (_, metadata) = call.offers.iter().find(|(offer, _)| offer.protocol == protocol).unwrap();
    Subscription::decode(metadata).unwrap()
}

fn clicks(partitions: &[i32]) -> Owned<'static> {
    [TopicPartitions { topic: "clicks", partitions: partitions.iter().copied().collect() }].into_iter().collect()
}

/// Joins again from generation 7, where it had partitions 0 and 3.
fn joins_again(manifests: &[&str], names: &[&str]) -> JoinCall {
    let facts = [("zone".to_owned(), "a".into())].into();
    let assignors = names.iter().map(|it| (*it).to_owned()).collect();
    let mut story = Story::new(Config { facts, assignors, ..config() });
    story.strategies(manifests.iter().map(|it| fake(it)).collect()).start(Peer::Other);
    story.follows(7, names[0]).gets(&[0, 3]);
    story.pass_until_due().beats(ErrorCode::RebalanceInProgress).give(Event::GivenUp(Generation(7)));
    story.join().1
}

#[test]
fn under_sticky_the_user_data_is_kafkas_and_facts_stand_in_a_note() {
    let call = joins_again(&[STICKY], &["sticky"]);
    let said = under(&call, "sticky");
    let data = StickyData::decode(said.tail.user_data.unwrap()).unwrap();
    assert_eq!((data.generation, data.owned), (7, clicks(&[0, 3])));
    assert_eq!((said.version, said.tail.generation), (3, 7), "Kafka's leader asks the subscription for the generation");
    assert!(said.tail.owned.is_empty(), "an eager member owns nothing when it joins");
    assert_eq!(Note::decode(said.tail.note.unwrap()).facts["zone"], "a");
    // Whoever does not know the note sees a topic without partitions.
    let (_, metadata) = &call.offers[0];
    let name = br#"divvy:{"facts":{"zone":"a"}}"#;
    let mut entry = vec![0, name.len() as u8];
    entry.extend_from_slice(name);
    entry.extend_from_slice(&[0; 4]);
    assert!(metadata.windows(entry.len()).any(|it| it == entry));
    // Everything else stays as it is between members of divvy's.
    let said = under(&call, "range");
    let data = UserData::decode(said.tail.user_data.unwrap()).unwrap();
    assert_eq!((data.facts["zone"].as_str(), data.last.unwrap().generation), (Some("a"), 7));
    assert_eq!((said.version, said.tail.note), (1, None));
}

#[test]
fn under_cooperative_sticky_alone_the_subscription_says_what_is_owned_and_the_user_data_of_when() {
    let call = joins_again(&[COOPERATIVE_STICKY], &["cooperative-sticky"]);
    let said = under(&call, "cooperative-sticky");
    assert_eq!(said.tail.user_data, Some(&[0, 0, 0, 7][..]));
    assert_eq!((said.version, said.tail.generation), (3, 7));
    assert_eq!(said.tail.owned, clicks(&[0, 3]));
    assert_eq!(Note::decode(said.tail.note.unwrap()).facts["zone"], "a");
}

#[test]
fn under_cooperative_sticky_beside_an_eager_name_nothing_is_owned_and_the_user_data_says_what_was() {
    let call = joins_again(&[COOPERATIVE_STICKY, STICKY], &["cooperative-sticky", "sticky"]);
    let said = under(&call, "cooperative-sticky");
    let data = StickyData::decode(said.tail.user_data.unwrap()).unwrap();
    assert_eq!((data.generation, data.owned, said.tail.generation), (7, clicks(&[0, 3]), 7));
    assert!(said.tail.owned.is_empty());
}

#[test]
fn a_newcomers_user_data_can_be_read_by_every_leader() {
    let mut story = Story::new(config());
    story.strategies(vec![fake(STICKY)]).start(Peer::Other);
    let call = story.join().1;
    assert_eq!(under(&call, "sticky").tail.user_data, Some(&[0, 0, 0, 0, 255, 255, 255, 255][..]));
}

/// Range with a word of its own, and a list of what it was asked.
struct Wordy {
    manifest: Manifest,
    answer: Result<Option<Vec<u8>>, CallError>,
    asked: Arc<Mutex<Vec<Vec<u8>>>>,
}

impl Assignor for Wordy {
    fn manifest(&self) -> &Manifest {
        &self.manifest
    }
    fn digest(&self) -> Option<Digest> {
        Some(Digest([1; 32]))
    }
    fn call(&self, export: Export, request: &[u8], budget: Budget) -> Result<Vec<u8>, CallError> {
        match export {
            Export::UserData => {
                self.asked.lock().unwrap().push(request.to_vec());
                self.answer.clone().map(|word| reply::user_data(word.as_deref()))
            }
            other => native_range().call(other, request, budget),
        }
    }
}

fn says(manifest: &str, answer: Result<Option<Vec<u8>>, CallError>) -> (JoinCall, Vec<Vec<u8>>, Vec<Protocol>) {
    let asked = Arc::new(Mutex::new(Vec::new()));
    let manifest = serde_json::from_str(manifest).unwrap();
    let wordy = Wordy { manifest, answer, asked: Arc::clone(&asked) };
    let facts = [("zone".to_owned(), "a".into())].into();
    let mut story = Story::new(Config { facts, ..config() });
    story.strategies(vec![Arc::new(wordy)]).start(Peer::Other);
    let mut failed = Vec::new();
    let call = story.join().1.complete(|protocol, _| failed.push(protocol.clone()));
    let asked = std::mem::take(&mut *asked.lock().unwrap());
    (call, asked, failed)
}

#[test]
fn a_strategys_word_travels_with_its_protocol() {
    let (call, asked, failed) = says(r#"{"abi":"1.0","name":"wordy"}"#, Ok(Some(b"mine".to_vec())));
    let said = UserData::decode(under(&call, "wordy@1").tail.user_data.unwrap()).unwrap();
    assert_eq!((said.x, said.facts["zone"].as_str()), (Some(&b"mine"[..]), Some("a")));
    assert_eq!(UserData::decode(under(&call, "range").tail.user_data.unwrap()).unwrap().x, None);
    let [request] = &asked[..] else { panic!("{} calls", asked.len()) };
    let request = Asked::read(request).unwrap();
    assert_eq!((request.group, request.protocol, &request.topics[..]), ("indexers", "wordy@1", &["clicks"][..]));
    assert_eq!((request.last_state, request.now_ms, failed.len()), (None, 1_700_000_000_000, 0));
}

#[test]
fn under_a_sticky_name_it_travels_in_the_note() {
    let (call, ..) = says(STICKY, Ok(Some(b"mine".to_vec())));
    let said = under(&call, "sticky");
    assert_eq!(Note::decode(said.tail.note.unwrap()).x(), Some(b"mine".to_vec()));
    assert_eq!(StickyData::decode(said.tail.user_data.unwrap()).unwrap().generation, -1);
}

#[test]
fn a_strategy_without_a_word_or_that_fails_costs_nothing() {
    let plain = says(r#"{"abi":"1.0","name":"wordy"}"#, Ok(None));
    let error = CallError::new(FaultKind::Trap, "it trapped");
    let broken = says(r#"{"abi":"1.0","name":"wordy"}"#, Err(error));
    assert_eq!(plain.0.offers, broken.0.offers);
    assert_eq!((plain.2.len(), broken.2), (0, vec!["wordy@1".into()]));
}
