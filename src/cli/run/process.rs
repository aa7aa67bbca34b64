//! Children as processes: each is a keeper that is told what to do, a task that tells it, and two that read what the child
//! says. Nothing is decided here. The first line of a child's stdout is the keeper's: which group it runs in.

use std::collections::HashMap;
use std::ffi::OsString;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, ChildStdin, Command};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval, timeout};

use super::children::{ChildId, Event, Exit};
use super::keeper::{ALIVE, DRAIN, KEEP, KILL, this_program};
use super::limits::{CLEAR_AGAIN, LAST_WORDS};
use super::lines::{Lines, Marker};
use super::os;
use super::printer::{Printer, Stream};
use super::work::{Order, VARIABLES};
use crate::cli::clock;
use crate::peer::PASSWORD_VARIABLE;

/// Not inherited by children: a secret of divvy's own.
const SECRETS: [&str; 1] = [PASSWORD_VARIABLE];

/// How children are started and kept.
#[derive(Debug)]
pub(super) struct How {
    /// The command and its arguments.
    pub(super) command: Vec<OsString>,
    /// The signal that asks it to end.
    pub(super) drain_signal: i32,
    /// What a line of it has in it when it is at work.
    pub(super) ready_line: Option<String>,
    /// How often a keeper hears that this process lives …
    pub(super) beat: Duration,
    /// … and after what silence it ends its child.
    pub(super) silence: Duration,
}

/// Those that run.
pub(super) struct Processes {
    how: Arc<How>,
    printer: Printer,
    orders: HashMap<ChildId, mpsc::UnboundedSender<u8>>,
    tasks: JoinSet<()>,
    tell: mpsc::UnboundedSender<Event>,
    told: mpsc::UnboundedReceiver<Event>,
}

impl Processes {
    /// None yet.
    pub(super) fn new(how: How, printer: Printer) -> Self {
        // What a killed keeper leaves behind is then this process's to wait for.
        os::adopt_orphans();
        let (tell, told) = mpsc::unbounded_channel();
        Self { how: Arc::new(how), printer, orders: HashMap::new(), tasks: JoinSet::new(), tell, told }
    }

    /// Starts a child under a name.
    pub(super) fn start(&mut self, id: ChildId, order: &Order, name: &str) {
        while self.tasks.try_join_next().is_some() {}
        let (orders, taken) = mpsc::unbounded_channel();
        self.orders.insert(id, orders);
        let spawned = keeper(&self.how, order).spawn().map_err(|error| format!("no process can be made: {error}"));
        let watcher = Watcher {
            id,
            how: Arc::clone(&self.how),
            printer: self.printer.clone(),
            name: name.into(),
            tell: self.tell.clone(),
        };
        self.tasks.spawn(async move {
            let exit = match spawned {
                Ok(keeper) => watcher.see_through(keeper, taken).await,
                Err(reason) => Exit::NotStarted(reason),
            };
            // Whoever does not listen any more has ended.
            let _ = watcher.tell.send(Event::Ended(id, exit));
        });
    }

    /// Asks a child to end.
    pub(super) fn drain(&self, id: ChildId) {
        self.order(id, DRAIN);
    }

    /// Ends it.
    pub(super) fn kill(&self, id: ChildId) {
        self.order(id, KILL);
    }

    fn order(&self, id: ChildId, order: u8) {
        if let Some(orders) = self.orders.get(&id) {
            // One that has ended takes no orders; its end is on its way.
            let _ = orders.send(order);
        }
    }

    /// What happened to any of them next.
    pub(super) async fn next(&mut self) -> Event {
        // This one holds a sender itself, so the channel never ends.
        let event = self.told.recv().await.unwrap_or(Event::Tick);
        if let Event::Ended(id, _) = &event {
            self.orders.remove(id);
        }
        event
    }
}

fn keeper(how: &How, order: &Order) -> Command {
    let mut command = this_program(KEEP);
    command.arg("--drain-signal").arg(how.drain_signal.to_string());
    command.arg("--silence-ms").arg(how.silence.as_millis().to_string());
    command.arg("--").args(&how.command);
    VARIABLES.iter().chain(&SECRETS).for_each(|name| {
        command.env_remove(name);
    });
    command.envs(order.environment.iter().map(|(name, value)| (*name, value.as_str())));
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut command = Command::from(command);
    // A terminal's signals are for divvy alone, which ends its children in order.
    command.process_group(0);
    command
}

/// Sees one child through its life.
struct Watcher {
    id: ChildId,
    how: Arc<How>,
    printer: Printer,
    name: Arc<str>,
    tell: mpsc::UnboundedSender<Event>,
}

impl Watcher {
    async fn see_through(&self, mut keeper: Child, orders: mpsc::UnboundedReceiver<u8>) -> Exit {
        let mut readers = JoinSet::new();
        let group = Arc::new(AtomicU32::new(0));
        // Loggers write to stderr.
        let ready = || self.how.ready_line.as_deref().map(|text| (Marker::new(text), self.id, self.tell.clone()));
        if let Some(stdout) = keeper.stdout.take() {
            let mine = Some(Arc::clone(&group));
            readers.spawn(read(stdout, Stream::Out, self.printer.clone(), Arc::clone(&self.name), ready(), mine));
        }
        if let Some(stderr) = keeper.stderr.take() {
            readers.spawn(read(stderr, Stream::Err, self.printer.clone(), Arc::clone(&self.name), ready(), None));
        }
        let lifeline = keeper.stdin.take();
        let exit = tokio::select! {
            status = keeper.wait() => status,
            never = lead(lifeline, orders, self.how.beat) => match never {},
        };
        let everything = async { while readers.join_next().await.is_some() {} };
        // A process that has left the child's group may hold its output for ever.
        let _ = timeout(LAST_WORDS, everything).await;
        match exit {
            Err(error) => Exit::NotStarted(format!("its keeper is lost: {error}")),
            Ok(status) => match status.code() {
                Some(code) => Exit::Code(code),
                None => {
                    clear(group.load(Ordering::Acquire)).await;
                    Exit::NotStarted("its keeper was killed, and the child with it".to_owned())
                }
            },
        }
    }
}

/// Comes back when nothing of a group is left whose keeper was killed: nothing else may do its work before.
async fn clear(group: u32) {
    while !os::clear_group(group) {
        clock::until(Some(clock::now() + CLEAR_AGAIN)).await;
    }
}

/// Tells a keeper what is ordered, and that this process lives, for as long as somebody polls this.
async fn lead(
    lifeline: Option<ChildStdin>,
    mut orders: mpsc::UnboundedReceiver<u8>,
    beat: Duration,
) -> std::convert::Infallible {
    let mut beats = interval(beat);
    beats.set_missed_tick_behavior(MissedTickBehavior::Delay);
    if let Some(mut lifeline) = lifeline {
        loop {
            let order = tokio::select! {
                order = orders.recv() => order,
                _ = beats.tick() => Some(ALIVE),
            };
            let Some(order) = order else { break };
            // A keeper that does not read has ended, which is waited for elsewhere.
            if lifeline.write_all(&[order]).await.is_err() {
                break;
            }
        }
        // Held until the keeper has ended.
        return std::future::pending().await;
    }
    std::future::pending().await
}

/// Who is told that a child is ready, and by what text.
type Ready = (Marker, ChildId, mpsc::UnboundedSender<Event>);

/// Hands over what a child writes, line by line.
async fn read(
    mut from: impl AsyncRead + Unpin,
    stream: Stream,
    printer: Printer,
    name: Arc<str>,
    mut ready: Option<Ready>,
    mut group: Option<Arc<AtomicU32>>,
) {
    let (mut lines, mut bytes, mut whole) = (Lines::default(), vec![0; 8 << 10], Vec::new());
    loop {
        let count = match from.read(&mut bytes).await {
            Ok(0) | Err(_) => break,
            Ok(count) => count,
        };
        lines.take(&bytes[..count], |line| whole.push(line));
        for line in whole.drain(..) {
            if let Some(group) = group.take() {
                let told = std::str::from_utf8(&line.bytes).ok().and_then(|text| text.trim().parse().ok());
                group.store(told.unwrap_or(0), Ordering::Release);
                continue;
            }
            let is_ready = ready.take_if(|(marker, ..)| marker.is_in(&line));
            printer.line(stream, &name, line.bytes).await;
            if let Some((_, id, tell)) = is_ready {
                let _ = tell.send(Event::Ready(id));
            }
        }
    }
    if let Some(line) = lines.rest() {
        printer.line(stream, &name, line).await;
    }
}
