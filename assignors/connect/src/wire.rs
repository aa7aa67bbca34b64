//! The embedded protocol of Kafka Connect, versions 0 to 2: Kafka's classic encoding, big-endian, read within bounds.
//!
//! A worker's metadata is `version, url, config offset`, and from version 1 on what it runs, as a serialised assignment. An assignment is
//! `version, error, leader, leader's url, config offset, work`, and from version 1 on `revoked, delay`. Task -1 is the connector itself.
//! Fields that a newer version adds are ignored; trailing ones that are missing are null or 0.

/// Bytes that are not what they should be: what was expected.
pub type Malformed = &'static str;

/// Pieces of work by connector.
pub type Work<'a> = Vec<(&'a str, Vec<i32>)>;

/// What a worker says of itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Metadata<'a> {
    /// The version it was written in.
    pub version: i16,
    /// Where it answers.
    pub url: &'a str,
    /// How far it has read the configuration.
    pub offset: i64,
    /// What it runs.
    pub runs: Work<'a>,
}

/// What a worker is told.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Assignment<'a> {
    /// The version to write it in.
    pub version: i16,
    /// 0, or 1: the configuration that the plan was made from is older than what workers have read.
    pub error: i16,
    /// The id of the worker that leads.
    pub leader: &'a str,
    /// Where that answers.
    pub leader_url: &'a str,
    /// How far the configuration has to be read.
    pub offset: i64,
    /// What it gets: all of its work in version 0, what is new from version 1 on.
    pub work: Work<'a>,
    /// What it gives up.
    pub revoked: Work<'a>,
    /// After how many milliseconds it joins again.
    pub delay_ms: i32,
}

impl<'a> Metadata<'a> {
    /// Reads it.
    pub fn read(bytes: &'a [u8]) -> Result<Self, Malformed> {
        let mut from = Reader(bytes);
        let version = from.version()?;
        let (url, offset) = (from.text("a url")?, from.i64("a config offset")?);
        let mut runs = Work::new();
        if version >= 1 && !from.0.is_empty() {
            let allocation = from.nullable_bytes("an allocation")?;
            if let Some(allocation) = allocation.filter(|allocation| !allocation.is_empty()) {
                runs = Assignment::read(allocation)?.work;
            }
        }
        Ok(Metadata { version, url, offset, runs })
    }

    /// Writes it.
    pub fn write(&self) -> Vec<u8> {
        let mut to = Vec::new();
        to.extend(self.version.to_be_bytes());
        put_text(&mut to, self.url);
        to.extend(self.offset.to_be_bytes());
        if self.version >= 1 {
            match self.runs.is_empty() {
                true => to.extend((-1_i32).to_be_bytes()),
                false => {
                    let runs = Assignment { version: self.version, work: self.runs.clone(), ..Assignment::default() };
                    let allocation = runs.write();
                    to.extend((allocation.len() as i32).to_be_bytes());
                    to.extend(allocation);
                }
            }
        }
        to
    }
}

impl<'a> Assignment<'a> {
    /// Reads it.
    pub fn read(bytes: &'a [u8]) -> Result<Self, Malformed> {
        let mut from = Reader(bytes);
        let version = from.version()?;
        let error = from.i16("an error")?;
        let (leader, leader_url) = (from.text("a leader")?, from.text("a leader's url")?);
        let offset = from.i64("a config offset")?;
        let mut assignment =
            Assignment { version, error, leader, leader_url, offset, work: from.work()?, ..Assignment::default() };
        if version >= 1 {
            assignment.revoked = if from.0.is_empty() { Work::new() } else { from.work()? };
            assignment.delay_ms = if from.0.is_empty() { 0 } else { from.i32("a delay")? };
        }
        Ok(assignment)
    }

    /// Writes it.
    pub fn write(&self) -> Vec<u8> {
        let mut to = Vec::new();
        to.extend(self.version.to_be_bytes());
        to.extend(self.error.to_be_bytes());
        put_text(&mut to, self.leader);
        put_text(&mut to, self.leader_url);
        to.extend(self.offset.to_be_bytes());
        if self.version == 0 {
            put_work(&mut to, &self.work);
            return to;
        }
        for work in [&self.work, &self.revoked] {
            match work.is_empty() {
                true => to.extend((-1_i32).to_be_bytes()),
                false => put_work(&mut to, work),
            }
        }
        to.extend(self.delay_ms.to_be_bytes());
        to
    }
}

/// What is left to read.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, len: usize, wanted: Malformed) -> Result<&'a [u8], Malformed> {
        let (head, rest) = self.0.split_at_checked(len).ok_or(wanted)?;
        self.0 = rest;
        Ok(head)
    }

    fn number<const N: usize>(&mut self, wanted: Malformed) -> Result<[u8; N], Malformed> {
        let (head, rest) = self.0.split_first_chunk().ok_or(wanted)?;
        self.0 = rest;
        Ok(*head)
    }

    fn i16(&mut self, wanted: Malformed) -> Result<i16, Malformed> {
        self.number(wanted).map(i16::from_be_bytes)
    }

    fn i32(&mut self, wanted: Malformed) -> Result<i32, Malformed> {
        self.number(wanted).map(i32::from_be_bytes)
    }

    fn i64(&mut self, wanted: Malformed) -> Result<i64, Malformed> {
        self.number(wanted).map(i64::from_be_bytes)
    }

    fn version(&mut self) -> Result<i16, Malformed> {
        self.i16("a version").and_then(|version| if version < 0 { Err("a version from 0") } else { Ok(version) })
    }

    fn text(&mut self, wanted: Malformed) -> Result<&'a str, Malformed> {
        let len = usize::try_from(self.i16(wanted)?).map_err(|_| wanted)?;
        std::str::from_utf8(self.take(len, wanted)?).map_err(|_| wanted)
    }

    fn nullable_bytes(&mut self, wanted: Malformed) -> Result<Option<&'a [u8]>, Malformed> {
        match self.i32(wanted)? {
            -1 => Ok(None),
            len => self.take(usize::try_from(len).map_err(|_| wanted)?, wanted).map(Some),
        }
    }

    /// A count of things that each take so many bytes at least: never more than there are bytes for.
    fn count(&mut self, smallest: usize, wanted: Malformed) -> Result<usize, Malformed> {
        match self.i32(wanted)? {
            -1 => Ok(0),
            count => usize::try_from(count).ok().filter(|&count| count <= self.0.len() / smallest).ok_or(wanted),
        }
    }

    fn work(&mut self) -> Result<Work<'a>, Malformed> {
        let connectors = self.count(6, "work")?;
        let connector = |from: &mut Self| {
            let name = from.text("a connector's name")?;
            let tasks = from.count(4, "tasks")?;
            let bytes = from.take(tasks * 4, "tasks")?;
            Ok((name, bytes.as_chunks().0.iter().map(|task| i32::from_be_bytes(*task)).collect()))
        };
        (0..connectors).map(|_| connector(self)).collect()
    }
}

fn put_text(to: &mut Vec<u8>, text: &str) {
    // Texts come out of frames, or out of a configuration whose names are bounded: the length fits.
    let len = text.floor_char_boundary(i16::MAX as usize);
    to.extend((len as i16).to_be_bytes());
    to.extend_from_slice(&text.as_bytes()[..len]);
}

fn put_work(to: &mut Vec<u8>, work: &Work<'_>) {
    to.extend((work.len() as i32).to_be_bytes());
    for (connector, tasks) in work {
        put_text(to, connector);
        to.extend((tasks.len() as i32).to_be_bytes());
        to.extend(tasks.iter().flat_map(|task| task.to_be_bytes()));
    }
}
