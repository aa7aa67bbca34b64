//! A connection's bytes, in pieces of any size: whatever comes, the framer cuts out just the frames that are there, or
//! says why it cannot go on, and never holds much more than has arrived.

use divvy::wire::Reader;
use divvy::wire::frame::{FrameLimit, Framer};
use divvy::wire::header::RequestHeader;
use divvy::wire::limits::READ_MIN;

/// The first byte chooses the limit, the second how the pieces are cut.
pub fn run(data: &[u8]) {
    let [limit, cut, stream @ ..] = data else { return };
    let limit = [FrameLimit::REQUESTS, FrameLimit::ANSWERS, FrameLimit::BEFORE_LOGIN][usize::from(limit % 3)];
    let whole = cut_up(limit, stream, usize::MAX);
    let pieces = cut_up(limit, stream, usize::from(*cut).max(1));
    assert_eq!(whole, pieces, "where the network cuts makes no difference");
    let (frames, ended) = whole;
    let taken: usize = frames.iter().map(|frame| frame.len() + 4).sum();
    let mut glued = Vec::new();
    for frame in &frames {
        glued.extend((frame.len() as i32).to_be_bytes());
        glued.extend(frame);
        let _ = RequestHeader::decode(&mut Reader::new(frame.clone().into()));
    }
    assert_eq!(glued, stream[..taken], "frames come out as they went in");
    assert!(ended || stream.len() - taken < 4 || waits(&stream[taken..]), "a whole frame is not held back");
}

/// The frames of a stream, and whether it ended in an error.
fn cut_up(limit: FrameLimit, stream: &[u8], piece: usize) -> (Vec<Vec<u8>>, bool) {
    let (mut framer, mut frames) = (Framer::new(limit), Vec::new());
    for piece in stream.chunks(piece.min(stream.len().max(1))) {
        framer.room().extend_from_slice(piece);
        loop {
            match framer.frame() {
                Ok(Some(frame)) => frames.push(frame.to_vec()),
                Ok(None) => break,
                Err(error) => {
                    assert!(!error.to_string().is_empty());
                    return (frames, true);
                }
            }
        }
        assert!(framer.room().capacity() <= 4 * (READ_MIN + stream.len()), "memory by what has arrived");
    }
    (frames, false)
}

/// Whether these bytes are the beginning of a longer frame.
fn waits(rest: &[u8]) -> bool {
    let Some((head, body)) = rest.split_first_chunk() else { return true };
    usize::try_from(i32::from_be_bytes(*head)).is_ok_and(|length| body.len() < length)
}
