//! Captures: files that somebody sent along with a complaint.

use divvy::assignor::capture::{Capture, had, replay};
use divvy::assignor::native_range;

/// More partitions than this are a long run of the same.
const MAX_PARTITIONS: u64 = 100_000;

/// What is read, is written and read again the same; and whatever it says, it can be asked again.
pub fn run(data: &[u8]) {
    let _ = Capture::read(data);
    // No fuzzer finds a checksum: what stands behind it is read by itself.
    let Ok(read) = Capture::read_body(data) else { return };
    let again = Capture::read(&read.write()).expect("what was written is read");
    assert_eq!(read, again);
    let partitions: u64 = read.asked.topics.0.values().map(|topic| u64::from(topic.partitions)).sum();
    if partitions <= MAX_PARTITIONS {
        let _ = had(&read.asked.input());
        let _ = replay(&read, native_range());
    }
}
