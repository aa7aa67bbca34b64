//! What is printed: on a thread of its own, so that a terminal or a pipe that stands still never keeps a child from being
//! stopped in time.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::{Mutex, Semaphore, mpsc};

use super::limits::UNWRITTEN_LINES;
use crate::cli::output::{Output, aside};

/// What is still to be written when all is over gets so long.
const LAST_LINES: Duration = Duration::from_secs(1);

/// Where a child wrote a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stream {
    Out,
    Err,
}

enum Item {
    /// What `divvy run` itself says; as a line of JSON or as a sentence.
    Said(Value, String),
    /// A child's line, behind its name.
    Line(Stream, Arc<str>, Vec<u8>),
    /// Everything before it was written.
    Last(Sender<()>),
}

/// The way to the thread.
#[derive(Clone)]
pub(super) struct Printer {
    items: Sender<Item>,
    room: Arc<Semaphore>,
    failures: Arc<Mutex<mpsc::Receiver<anyhow::Error>>>,
}

impl Printer {
    /// Starts the thread.
    pub(super) fn start(output: Output) -> Self {
        let (items, taken) = channel();
        let (fail, failures) = mpsc::channel(1);
        let room = Arc::new(Semaphore::new(UNWRITTEN_LINES));
        let printer = Self { items, room: Arc::clone(&room), failures: Arc::new(Mutex::new(failures)) };
        thread::spawn(move || print(&output, &taken, &room, &fail));
        printer
    }

    /// Says something; never waits.
    pub(super) fn say(&self, event: Value, text: String) {
        // A thread that panicked prints nothing more.
        let _ = self.items.send(Item::Said(event, text));
    }

    /// A child's line; waits while too many are unwritten.
    pub(super) async fn line(&self, stream: Stream, name: &Arc<str>, line: Vec<u8>) {
        if let Ok(permit) = self.room.acquire().await {
            permit.forget();
            let _ = self.items.send(Item::Line(stream, Arc::clone(name), line));
        }
    }

    /// Waits until something cannot be written: nobody reads any more, or there is no room.
    pub(super) async fn unwritten(&self) -> anyhow::Error {
        match self.failures.lock().await.recv().await {
            Some(why) => why,
            None => std::future::pending().await,
        }
    }

    /// Waits until everything is written, for a moment.
    pub(super) fn finish(&self) {
        let (written, done) = channel();
        if self.items.send(Item::Last(written)).is_ok() {
            let _ = done.recv_timeout(LAST_LINES);
        }
    }
}

/// Goes on when nothing can be written: the children's lines have to go somewhere until they have ended.
fn print(output: &Output, items: &Receiver<Item>, room: &Semaphore, fail: &mpsc::Sender<anyhow::Error>) {
    while let Ok(item) = items.recv() {
        let written = match item {
            Item::Said(event, text) => output.print(&event, || text),
            Item::Line(stream, name, line) => {
                room.add_permits(1);
                print_line(output, stream, &name, &line)
            }
            Item::Last(written) => {
                let _ = written.send(());
                Ok(())
            }
        };
        if let Err(why) = written {
            // The first reason is enough.
            let _ = fail.try_send(why);
        }
    }
}

fn print_line(output: &Output, stream: Stream, name: &str, line: &[u8]) -> anyhow::Result<()> {
    let text = String::from_utf8_lossy(line);
    if output.is_json() {
        let stream = if stream == Stream::Out { "stdout" } else { "stderr" };
        let event = json!({ "event": "output", "child": name, "stream": stream, "line": text });
        return output.line(&event.to_string());
    }
    let text = format!("{name} | {text}");
    match stream {
        Stream::Out => output.line(&text),
        Stream::Err => {
            aside(&text);
            Ok(())
        }
    }
}
