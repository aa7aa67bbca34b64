//! Long answers: built beside the thread that serves the groups, one at a time, so that no heartbeat waits for a topic of
//! a million partitions. What Metadata said of the topics of a moment is kept: a whole group asks for the same at once.

use std::sync::{Arc, Mutex, PoisonError};

use bytes::{BufMut, Bytes, BytesMut};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

use super::limits::LARGE_ANSWERS_KEPT_BYTES;
use super::spawn::{self, Loss};
use super::topics::View;
use crate::wire::EncodeError;
use crate::wire::messages::metadata::MetadataRequestTopic;

/// A frame's length and its correlation id: what differs between the answers to two equal questions.
const HEAD_BYTES: usize = 8;

/// The encoded frame of an answer.
pub(crate) struct Frame {
    /// Its beginning, or the whole of it.
    pub(crate) head: Bytes,
    /// What others may be sent as well; empty for most.
    pub(crate) rest: Bytes,
}

impl From<Bytes> for Frame {
    fn from(head: Bytes) -> Self {
        Self { head, rest: Bytes::new() }
    }
}

/// What a Metadata answer is made of: equal questions have equal answers.
#[derive(Clone)]
pub(crate) struct Question {
    /// The topics of the moment.
    pub(crate) view: Arc<View>,
    /// Whether those are all.
    pub(crate) is_loaded: bool,
    /// The version.
    pub(crate) version: i16,
    /// Those that are asked for; none for all.
    pub(crate) asked: Option<Vec<MetadataRequestTopic>>,
}

impl PartialEq for Question {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.view, &other.view)
            && (self.is_loaded, self.version) == (other.is_loaded, other.version)
            && self.asked == other.asked
    }
}

/// Builds long answers.
pub(crate) struct Large {
    /// Who builds one holds it.
    turn: Arc<Semaphore>,
    kept: Arc<Mutex<Kept>>,
}

/// Answers to recent questions, the newest last.
type Kept = Vec<(Question, Bytes)>;

impl Large {
    /// Nothing is kept yet.
    pub(crate) fn new() -> Self {
        Self { turn: Arc::new(Semaphore::new(1)), kept: Arc::default() }
    }

    /// Does what takes long, when its turn has come; none if it panicked.
    pub(crate) async fn aside<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
        let turn = self.turn().await;
        run(turn, work).await
    }

    /// The answer to a question: one that is kept, or the frame that `build` makes. None if that panicked.
    pub(crate) async fn metadata(
        &self,
        correlation_id: i32,
        question: Question,
        build: impl FnOnce(&Question) -> Result<Bytes, EncodeError> + Send + 'static,
    ) -> Option<Result<Frame, EncodeError>> {
        // Who comes while the same answer is being built waits here, and then finds it.
        let turn = self.turn().await;
        if let Some(frame) = self.find(&question) {
            return Some(Ok(addressed(&frame, correlation_id)));
        }
        let kept = Arc::clone(&self.kept);
        let built = run(turn, move || {
            let frame = build(&question)?;
            keep(&mut kept.lock().unwrap_or_else(PoisonError::into_inner), question, frame.clone());
            Ok(frame)
        });
        built.await.map(|frame| frame.map(|frame| addressed(&frame, correlation_id)))
    }

    async fn turn(&self) -> OwnedSemaphorePermit {
        Arc::clone(&self.turn).acquire_owned().await.expect("the semaphore is never closed")
    }

    fn find(&self, question: &Question) -> Option<Bytes> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.iter().find(|(known, _)| known == question).map(|(_, frame)| frame.clone())
    }
}

/// The turn ends with the work, also when nobody waits for it any more.
async fn run<T: Send + 'static>(turn: OwnedSemaphorePermit, work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    let (done, is_done) = oneshot::channel();
    spawn::blocking("long answer", Loss::One, move || {
        let outcome = work();
        drop(turn);
        let _ = done.send(outcome);
    });
    is_done.await.ok()
}

/// Answers of other moments go first, then the oldest.
fn keep(kept: &mut Kept, question: Question, frame: Bytes) {
    kept.retain(|(known, _)| Arc::ptr_eq(&known.view, &question.view));
    kept.push((question, frame));
    while kept.iter().map(|(_, frame)| frame.len()).sum::<usize>() > LARGE_ANSWERS_KEPT_BYTES {
        kept.remove(0);
    }
}

/// The frame as the answer to that request.
fn addressed(frame: &Bytes, correlation_id: i32) -> Frame {
    let mut head = BytesMut::from(&frame[..HEAD_BYTES.min(frame.len())]);
    head.truncate(HEAD_BYTES / 2);
    head.put_i32(correlation_id);
    Frame { head: head.freeze(), rest: frame.slice(HEAD_BYTES.min(frame.len())..) }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::super::topics::Topics;
    use super::*;
    use crate::wire::frame::encode_response;
    use crate::wire::messages::MetadataResponse;

    fn question(view: &Arc<View>, version: i16) -> Question {
        Question { view: Arc::clone(view), is_loaded: true, version, asked: None }
    }

    fn frame(question: &Question) -> Result<Bytes, EncodeError> {
        encode_response(question.version, 0, &MetadataResponse::default())
    }

    #[tokio::test]
    async fn others_go_on_while_an_answer_is_built_and_share_it() {
        let large = Large::new();
        let view = Topics::new(&[]).view();
        let (tell, told) = mpsc::channel::<()>();
        let slow = large.metadata(1, question(&view, 9), move |question| {
            told.recv().expect("somebody goes on meanwhile, and tells");
            frame(question)
        });
        let same = large.metadata(2, question(&view, 9), |_| panic!("it is being built already"));
        let other = async {
            tokio::task::yield_now().await;
            tell.send(()).unwrap();
        };
        let (slow, same, ()) = tokio::join!(slow, same, other);
        let (slow, same) = (slow.unwrap().unwrap(), same.unwrap().unwrap());
        assert_eq!((&slow.head[4..], &same.head[4..]), (&[0, 0, 0, 1][..], &[0, 0, 0, 2][..]));
        assert_eq!((slow.rest.as_ptr(), slow.rest.len()), (same.rest.as_ptr(), same.rest.len()));
        let whole = encode_response(9, 1, &MetadataResponse::default()).unwrap();
        assert_eq!([slow.head, slow.rest].concat(), whole);
    }

    #[tokio::test]
    async fn other_topics_and_other_versions_are_other_answers() {
        let large = Large::new();
        let topics = Topics::new(&[]);
        let before = topics.view();
        let ask = async |view: &Arc<View>, version| {
            let (tell, told) = mpsc::channel();
            let build = move |question: &Question| {
                let _ = tell.send(());
                frame(question)
            };
            large.metadata(1, question(view, version), build).await;
            told.try_recv().is_ok()
        };
        assert!(ask(&before, 9).await && !ask(&before, 9).await);
        assert!(ask(&before, 12).await && !ask(&before, 9).await);
        topics.create("clicks", 1, Vec::new()).unwrap();
        assert!(ask(&topics.view(), 9).await && ask(&before, 9).await);
    }

    #[tokio::test]
    async fn what_panics_gives_the_turn_back() {
        let large = Large::new();
        assert_eq!(large.aside(|| -> u8 { panic!("on purpose") }).await, None);
        assert_eq!(large.aside(|| 7).await, Some(7));
    }
}
