//! Members of a test: modules under other names, folders to drop them into, and what a member was told.

use std::path::Path;
use std::sync::LazyLock;
use std::time::Duration;

use divvy::client::{Assigned, Builder, CommitError, FetchError, Member, Note, Offset, Rebalance, Share};
use divvy::ids::TopicName;
use divvy::sandbox::{Sandbox, SandboxLimits};
use tokio::sync::{mpsc, oneshot};

use crate::support::within;

/// One sandbox for all members of this process.
static SANDBOX: LazyLock<Sandbox> = LazyLock::new(|| Sandbox::new(SandboxLimits::default()).unwrap());

/// A member with a quick heart, whose session outlives a machine that is busy with something else.
pub fn builder(addr: impl ToString, group: &str) -> Builder {
    Member::builder(&addr.to_string(), group)
        .sandbox(SANDBOX.clone())
        .heartbeat_interval(Duration::from_millis(50))
        .session_timeout(Duration::from_secs(20))
        .rebalance_timeout(Duration::from_secs(30))
        .topics_interval(Duration::from_millis(50))
}

/// The bytes of a module of this repository.
pub fn built(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("assignors").join(format!("{name}.wasm"));
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}: run cargo xtask guests", path.display()))
}

/// What `range` does, under the name `even` and any version.
pub fn even(version: u32) -> Vec<u8> {
    stamped(&built("range"), &format!(r#"{{"abi":"1.0","name":"even","version":{version}}}"#))
}

/// What `range` does, under the name `soft` and step by step.
pub fn soft() -> Vec<u8> {
    stamped(&built("range"), r#"{"abi":"1.0","name":"soft","mode":"cooperative"}"#)
}

/// A module that refuses every group in words, but traps when a request names the group `doomed`.
pub fn doomed(version: u32) -> Vec<u8> {
    doomed_as("even", version)
}

/// The same under another name.
pub fn doomed_as(name: &str, version: u32) -> Vec<u8> {
    falls_over(&format!(r#"{{"abi":"1.0","name":"{name}","version":{version}}}"#), "unreachable")
}

/// One that never ends in that group.
pub fn endless(version: u32) -> Vec<u8> {
    endless_for(version, 200)
}

/// The same, and it may take so long.
pub fn endless_for(version: u32, ms: u32) -> Vec<u8> {
    let manifest = format!(r#"{{"abi":"1.0","name":"even","version":{version},"limits":{{"ms":{ms}}}}}"#);
    falls_over(&manifest, "(loop $for_ever (br $for_ever))")
}

fn falls_over(manifest: &str, how: &str) -> Vec<u8> {
    let text = r#"(module
        (memory (export "memory") 1)
        (func (export "divvy_abi_v1"))
        (func (export "divvy_alloc") (param i32) (result i32)
            (drop (memory.grow (i32.add (i32.shr_u (local.get 0) (i32.const 16)) (i32.const 1))))
            (i32.const 65536))
        (func (export "divvy_assign") (param $at i32) (param $len i32) (result i64)
            (local $end i32)
            (local.set $end (i32.sub (i32.add (local.get $at) (local.get $len)) (i32.const 5)))
            (block $done (loop $next
                (br_if $done (i32.gt_s (local.get $at) (local.get $end)))
                (if (i32.eq (i32.load align=1 (local.get $at)) (i32.const 0x6d6f6f64)) (then HOW))
                (local.set $at (i32.add (local.get $at) (i32.const 1)))
                (br $next)))
            (i64.const 0x10_0000_000a))
        (data (i32.const 16) "\93\01\94\a2v1\a0\c2\c0\90"))"#;
    stamped(&wat::parse_str(text.replace("HOW", how)).unwrap(), manifest)
}

/// A module that gives every partition of a topic with four that the group is far behind with to the last of two
/// members, and all others to the first: those whose lag nobody knows, too. Other groups it refuses in words.
pub fn lagging() -> Vec<u8> {
    // In a request the column is its name, `bin 8`, and eight bytes for each of four partitions.
    let text = r#"(module
        (memory (export "memory") 1)
        (func (export "divvy_abi_v1"))
        (func (export "divvy_alloc") (param i32) (result i32)
            (drop (memory.grow (i32.add (i32.shr_u (local.get 0) (i32.const 16)) (i32.const 1))))
            (i32.const 65536))
        (func (export "divvy_assign") (param $at i32) (param $len i32) (result i64)
            (local $end i32) (local $number i32) (local $lag i64)
            (local.set $end (i32.sub (i32.add (local.get $at) (local.get $len)) (i32.const 38)))
            (block $none (loop $next
                (br_if $none (i32.gt_s (local.get $at) (local.get $end)))
                (if (i32.and
                        (i32.eq (i32.load align=1 (local.get $at)) (i32.const 0x67616ca3))
                        (i32.eq (i32.load16_u offset=4 align=1 (local.get $at)) (i32.const 0x20c4)))
                    (then
                        (loop $each
                            (local.set $lag (i64.load offset=6 align=1
                                (i32.add (local.get $at) (i32.shl (local.get $number) (i32.const 3)))))
                            (i32.store16 offset=75
                                (i32.shl (local.get $number) (i32.const 1))
                                (i32.and
                                    (i64.ne (local.get $lag) (i64.const -1))
                                    (i64.gt_u (local.get $lag) (i64.const 50))))
                            (local.set $number (i32.add (local.get $number) (i32.const 1)))
                            (br_if $each (i32.lt_u (local.get $number) (i32.const 4))))
                        (return (i64.const 0x40_0000_0017))))
                (local.set $at (i32.add (local.get $at) (i32.const 1)))
                (br $next)))
            (i64.const 0x10_0000_000a))
        (data (i32.const 16) "\93\01\94\a2v1\a0\c2\c0\90")
        (data (i32.const 64) "\93\00\95\cd\00\01\c6\00\00\00\08????????\c0\c0\c0\90"))"#;
    stamped(&wat::parse_str(text).unwrap(), r#"{"abi":"1.0","name":"lagging","needs":["lag"]}"#)
}

/// The module with another manifest.
pub fn stamped(module: &[u8], manifest: &str) -> Vec<u8> {
    const NAME: &[u8] = b"divvy.manifest";
    let (head, mut rest) = module.split_at(8);
    let mut out = head.to_vec();
    while !rest.is_empty() {
        let (length, digits) = leb(&rest[1..]);
        let (section, following) = rest.split_at(1 + digits + length);
        let is_manifest = section[0] == 0 && section[1 + digits + 1..].starts_with(NAME);
        if !is_manifest {
            out.extend_from_slice(section);
        }
        rest = following;
    }
    let mut payload = vec![u8::try_from(NAME.len()).unwrap()];
    payload.extend_from_slice(NAME);
    payload.extend_from_slice(manifest.as_bytes());
    out.push(0);
    let mut length = payload.len();
    while length >= 0x80 {
        out.push(u8::try_from(length & 0x7f).unwrap() | 0x80);
        length >>= 7;
    }
    out.push(u8::try_from(length).unwrap());
    out.extend(payload);
    out
}

fn leb(bytes: &[u8]) -> (usize, usize) {
    let digits = 1 + bytes.iter().position(|byte| byte & 0x80 == 0).unwrap();
    let value = bytes[..digits].iter().rev().fold(0, |value, byte| value << 7 | usize::from(byte & 0x7f));
    (value, digits)
}

/// A folder of modules of one member's own.
pub struct Folder(tempfile::TempDir);

impl Folder {
    pub fn with(modules: &[(&str, Vec<u8>)]) -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        modules.iter().for_each(|(name, bytes)| folder.drop_in(name, bytes));
        folder
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    pub fn drop_in(&self, name: &str, bytes: &[u8]) {
        std::fs::write(self.path().join(format!("{name}.wasm")), bytes).unwrap();
    }
}

/// A member in a task of its own, which gives up at once what it is asked to; and all that it was told.
pub struct Worker {
    orders: mpsc::UnboundedSender<Order>,
    news: mpsc::UnboundedReceiver<Told>,
    pub notes: Vec<Note>,
    pub lost: usize,
    /// What it was asked to give up, as `topic-number`.
    pub revoked: Vec<Vec<String>>,
}

enum Order {
    Commit(Vec<Offset>, oneshot::Sender<Result<(), CommitError>>),
    Committed(Vec<(TopicName, Vec<i32>)>, oneshot::Sender<Result<Vec<Offset>, FetchError>>),
    Do(Box<dyn FnOnce(&Member) + Send>),
    Leave(oneshot::Sender<()>),
}

enum Told {
    Assigned(Assigned),
    Revoked(Vec<String>),
    Lost,
    Drained,
    Failed(String),
    Note(Note),
}

impl Worker {
    pub async fn join(builder: Builder) -> Self {
        let member = builder.join().await.unwrap();
        let (orders, taken) = mpsc::unbounded_channel();
        let (told, news) = mpsc::unbounded_channel();
        start(work(member, taken, told));
        Self { orders, news, notes: Vec::new(), lost: 0, revoked: Vec::new() }
    }

    /// Goes on until `found` in what it is told.
    async fn until<T>(&mut self, mut found: impl FnMut(&Told) -> Option<T>) -> T {
        within(async {
            loop {
                let news = self.news.recv().await.expect("the member lives");
                let it = found(&news);
                match news {
                    Told::Note(note) => self.notes.push(note),
                    Told::Lost => self.lost += 1,
                    Told::Revoked(share) => self.revoked.push(share),
                    Told::Failed(reason) if it.is_none() => panic!("the member failed: {reason}"),
                    Told::Failed(_) | Told::Assigned(_) | Told::Drained => {}
                }
                if let Some(it) = it {
                    return it;
                }
            }
        })
        .await
    }

    pub async fn assigned(&mut self) -> Assigned {
        self.assigned_with(|_| true).await
    }

    pub async fn assigned_with(&mut self, wanted: impl Fn(&Assigned) -> bool) -> Assigned {
        self.until(|news| match news {
            Told::Assigned(work) if wanted(work) => Some(work.clone()),
            _ => None,
        })
        .await
    }

    pub async fn note(&mut self, wanted: impl Fn(&Note) -> bool) -> Note {
        match self.notes.iter().find(|it| wanted(it)) {
            Some(note) => note.clone(),
            None => self.next_note(wanted).await,
        }
    }

    /// The same, but one that was not told yet.
    pub async fn next_note(&mut self, wanted: impl Fn(&Note) -> bool) -> Note {
        self.until(|news| match news {
            Told::Note(note) if wanted(note) => Some(note.clone()),
            _ => None,
        })
        .await
    }

    pub async fn failed(&mut self) -> String {
        self.until(|news| match news {
            Told::Failed(reason) => Some(reason.clone()),
            _ => None,
        })
        .await
    }

    pub async fn commit(&self, offsets: Vec<Offset>) -> Result<(), CommitError> {
        let (answer, answered) = oneshot::channel();
        self.orders.send(Order::Commit(offsets, answer)).unwrap_or_else(|_| panic!("the member lives"));
        within(answered).await.unwrap()
    }

    pub async fn committed(&self, partitions: &[(&str, &[i32])]) -> Result<Vec<Offset>, FetchError> {
        let partitions = partitions.iter().map(|(topic, list)| (TopicName::from(*topic), list.to_vec())).collect();
        let (answer, answered) = oneshot::channel();
        self.orders.send(Order::Committed(partitions, answer)).unwrap_or_else(|_| panic!("the member lives"));
        within(answered).await.unwrap()
    }

    /// Has the member told something.
    pub fn tell(&self, what: impl FnOnce(&Member) + Send + 'static) {
        self.orders.send(Order::Do(Box::new(what))).unwrap_or_else(|_| panic!("the member lives"));
    }

    pub async fn drained(&mut self) {
        self.until(|news| matches!(news, Told::Drained).then_some(())).await;
    }

    pub async fn leave(self) {
        let (answer, answered) = oneshot::channel();
        self.orders.send(Order::Leave(answer)).unwrap_or_else(|_| panic!("the member lives"));
        within(answered).await.unwrap();
    }
}

async fn work(mut member: Member, mut orders: mpsc::UnboundedReceiver<Order>, told: mpsc::UnboundedSender<Told>) {
    loop {
        let news = tokio::select! {
            news = member.next() => news,
            order = orders.recv() => match order {
                None => return,
                Some(Order::Commit(offsets, answer)) => {
                    let _ = answer.send(member.commit(offsets).await);
                    continue;
                }
                Some(Order::Committed(partitions, answer)) => {
                    let _ = answer.send(member.committed(&partitions).await);
                    continue;
                }
                Some(Order::Do(what)) => {
                    what(&member);
                    continue;
                }
                Some(Order::Leave(answer)) => {
                    member.leave().await;
                    let _ = answer.send(());
                    return;
                }
            },
        };
        let news = match news {
            None => return,
            // The work is given up when it is dropped, which is at once.
            Some(Rebalance::Revoked(work)) => Told::Revoked(of(work.share())),
            Some(Rebalance::Assigned(work)) => Told::Assigned(work),
            Some(Rebalance::Lost { .. }) => Told::Lost,
            Some(Rebalance::Drained) => Told::Drained,
            Some(Rebalance::Failed { reason }) => Told::Failed(reason),
            Some(Rebalance::Note(note)) => Told::Note(note),
        };
        let _ = told.send(news);
    }
}

#[allow(clippy::disallowed_methods, reason = "tasks of the tests' own")]
pub fn start(task: impl Future<Output = ()> + Send + 'static) {
    tokio::spawn(task);
}

/// The partitions of a share, as `topic-number`.
pub fn partitions(work: &Assigned) -> Vec<String> {
    of(&work.share)
}

fn of(share: &Share) -> Vec<String> {
    let Share::Partitions(topics) = share else { return vec!["a state".to_owned()] };
    topics.iter().flat_map(|(topic, numbers)| numbers.iter().map(move |it| format!("{topic}-{it}"))).collect()
}

/// Goes on until all have assignments of one generation that `wanted` agrees with.
pub async fn together(workers: &mut [&mut Worker], wanted: impl Fn(&Assigned) -> bool) -> Vec<Assigned> {
    let mut shares: Vec<Assigned> = Vec::new();
    for worker in workers.iter_mut() {
        shares.push(worker.assigned_with(&wanted).await);
    }
    loop {
        let newest = shares.iter().map(|it| it.generation).max().unwrap();
        let Some(behind) = shares.iter().position(|it| it.generation < newest) else { return shares };
        shares[behind] = workers[behind].assigned_with(|it| it.generation >= newest && wanted(it)).await;
    }
}
