//! What the leader of the next generation has to know of this one. In Kafka Connect the leading worker keeps it in its memory, and a
//! new one begins without; here it is the plan's memo and outlives its leader.
//!
//! Connectors and workers are remembered by a hash, so that a memo has room for five thousand of them. If it has not, what was
//! configured is forgotten, and nothing that is lost waits for its worker to come back.

use divvy_guest::abi::msgpack::{Malformed, Reader, Writer};

const VERSION: u64 = 1;

/// Leaves room for the frame in the 64 KiB that a memo may have.
const MOST_BYTES: usize = 60 * 1024;

/// The memo.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Memo {
    /// The generation of the plan that wrote it.
    pub generation: i32,
    /// The worker that leads.
    pub leader: u64,
    /// When lost work is given away, on the wall clock; 0 when nothing waits.
    pub scheduled_ms: i64,
    /// What workers were told to wait.
    pub delay_ms: i64,
    /// Whether the last round revoked work to even out.
    pub revoked: bool,
    /// How often in a row evening out had to wait.
    pub attempts: u32,
    /// The workers of the last round.
    pub workers: Vec<u64>,
    /// Workers that came while lost work waited, and had nothing.
    pub candidates: Vec<u64>,
    /// What was configured; nil when it was too much.
    pub connectors: Option<Vec<Known>>,
}

/// A connector of the last round.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Known {
    /// Of its name.
    pub hash: u64,
    /// How many tasks it had.
    pub tasks: u32,
    /// A bit for the connector and each task: whether it was revoked from somebody. Empty when nothing was.
    pub revoked: Vec<u8>,
}

impl Known {
    /// Whether a piece of its work, 0 for the connector itself, was revoked.
    pub fn was_revoked(&self, piece: u32) -> bool {
        self.revoked.get(piece as usize / 8).is_some_and(|byte| byte >> (piece % 8) & 1 == 1)
    }
}

impl Memo {
    /// Reads it.
    pub fn read(memo: &[u8]) -> Result<Self, Malformed> {
        let mut from = Reader::new(memo);
        from.fields(10, "a memo of 10 items")?;
        if from.unsigned("a version")? == 0 {
            return Err(from.malformed("a version from 1"));
        }
        let generation = from.signed("a generation")?;
        Ok(Memo {
            generation: i32::try_from(generation).map_err(|_| from.malformed("a generation"))?,
            leader: from.unsigned("a leader")?,
            scheduled_ms: from.signed("a time")?,
            delay_ms: from.signed("a delay")?,
            revoked: from.boolean("whether work was revoked")?,
            attempts: from.unsigned32("a number of attempts")?,
            workers: hashes(&mut from)?,
            candidates: hashes(&mut from)?,
            connectors: if from.nil() { None } else { Some(connectors(&mut from)?) },
        })
    }

    /// Writes it.
    pub fn write(&self) -> Vec<u8> {
        let mut memo = self.written(self.connectors.as_deref());
        if memo.len() > MOST_BYTES {
            memo = self.written(None);
        }
        // So many workers: who came back is not known then, as after a change of the leader in Kafka Connect.
        if memo.len() > MOST_BYTES {
            let short = Memo { workers: Vec::new(), candidates: Vec::new(), ..self.clone() };
            memo = short.written(None);
        }
        memo
    }

    fn written(&self, connectors: Option<&[Known]>) -> Vec<u8> {
        let mut memo = Vec::new();
        let mut to = Writer::new(&mut memo);
        to.array(10);
        to.unsigned(VERSION);
        to.signed(i64::from(self.generation));
        to.unsigned(self.leader);
        to.signed(self.scheduled_ms);
        to.signed(self.delay_ms);
        to.boolean(self.revoked);
        to.unsigned(u64::from(self.attempts));
        for hashes in [&self.workers, &self.candidates] {
            to.binary(&hashes.iter().flat_map(|hash| hash.to_le_bytes()).collect::<Vec<_>>());
        }
        let Some(connectors) = connectors else {
            to.nil();
            return memo;
        };
        to.array(3 * connectors.len());
        for known in connectors {
            to.binary(&known.hash.to_le_bytes());
            to.unsigned(u64::from(known.tasks));
            to.binary(&known.revoked);
        }
        memo
    }
}

fn hashes(from: &mut Reader<'_>) -> Result<Vec<u64>, Malformed> {
    Ok(from.binary("hashes")?.as_chunks().0.iter().map(|hash| u64::from_le_bytes(*hash)).collect())
}

fn connectors(from: &mut Reader<'_>) -> Result<Vec<Known>, Malformed> {
    let mut known = Vec::new();
    for _ in 0..from.array("connectors")? / 3 {
        let hash = from.binary("a hash")?.first_chunk().ok_or_else(|| from.malformed("a hash"))?;
        let hash = u64::from_le_bytes(*hash);
        let tasks = from.unsigned32("a number of tasks")?;
        known.push(Known { hash, tasks, revoked: from.binary("bits")?.to_vec() });
    }
    Ok(known)
}

/// FNV-1a of a name.
pub fn hash(name: &str) -> u64 {
    name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
