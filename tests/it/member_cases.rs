//! How what goes wrong at a coordinator is told as a line of a table: what a member is to ask next, as whom, how soon, and
//! what its application is to hear of it.

use std::time::Duration;

use divvy::client::{Note, Rebalance};
use divvy::peer::{Login, Mechanism, Password, Security};
use divvy::wire::{ApiKey, ErrorCode};
use tokio::sync::watch;

use crate::member_double::{Double, Fault, Line};
use crate::member_ground::{builder, start};
use crate::support::within;
use ApiKey::Heartbeat;

/// How much longer than it should a member takes at most, on the slowest machine.
const SLACK: Duration = Duration::from_secs(5);

/// Long beside what a request takes, so that no heartbeat meets a member between two steps.
pub const BEAT: Duration = Duration::from_millis(200);

/// A line of the table.
pub struct Case {
    /// What goes wrong, one after the other.
    pub orders: Vec<(ApiKey, Fault)>,
    /// What the member asks from the first of these on, but for heartbeats that are answered as they should be; the last
    /// one of these ends the story.
    pub asks: Vec<String>,
    /// How long it waits at least after each of the first of these, in milliseconds.
    pub waits_ms: &'static [u64],
    /// What its application hears, from the beginning.
    pub hears: &'static [&'static str],
}

pub fn asks(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|it| (*it).to_owned()).collect()
}

pub fn errors(key: ApiKey, codes: &[ErrorCode]) -> Vec<(ApiKey, Fault)> {
    codes.iter().map(|code| (key, Fault::Error(*code))).collect()
}

/// A member in a task of its own that gives up at once what it is asked to, and what it hears.
async fn member(double: &Double, session: Duration, logs_in: bool) -> watch::Receiver<Vec<String>> {
    let mut member =
        builder(double.address, "indexers").subscribe(["clicks"]).session_timeout(session).heartbeat_interval(BEAT);
    if logs_in {
        let login = Login::new(Mechanism::Plain, "anna", Password::new("hush")).unwrap();
        member = member.security(Security::default().login(login));
    }
    let mut member = member.join().await.unwrap();
    let (heard, hears) = watch::channel(Vec::new());
    start(async move {
        while let Some(news) = member.next().await {
            let text = match news {
                Rebalance::Assigned(work) => format!("assigned in {}", work.generation),
                Rebalance::Revoked(_) => "revoked".to_owned(),
                Rebalance::Lost { .. } => "lost".to_owned(),
                Rebalance::Drained => "drained".to_owned(),
                Rebalance::Failed { reason } => format!("failed: {reason}"),
                Rebalance::Note(Note::CoordinatorLost { .. }) => "coordinator lost".to_owned(),
                Rebalance::Note(Note::CoordinatorFound) => "coordinator found".to_owned(),
                Rebalance::Note(Note::NoPlan { .. }) => "no plan".to_owned(),
                Rebalance::Note(Note::OffersChanged(_)) => continue,
                Rebalance::Note(note) => note.to_string(),
            };
            heard.send_modify(|all: &mut Vec<String>| all.push(text));
        }
    });
    hears
}

/// From the first fault on, without the heartbeats of every day: all that was asked, and how it went wrong.
pub fn story(lines: &[Line]) -> Vec<(&Line, String)> {
    let from = lines.iter().position(|line| line.fault.is_some()).unwrap();
    let end = lines.iter().rposition(|line| line.fault.is_some()).unwrap();
    let last = lines[end..].iter().position(|line| line.is_steady).map_or(lines.len(), |it| end + it);
    let told = (from..lines.len().min(last + 1)).filter(|at| {
        let line = &lines[*at];
        line.key != Heartbeat || line.fault.is_some() || *at == last
    });
    told.map(|at| {
        let line = &lines[at];
        let how = match line.fault {
            None => String::new(),
            Some(Fault::Error(error)) => format!(": {}", error.code()),
            Some(fault) => format!(": {fault:?}").to_lowercase(),
        };
        (line, format!("{}{how}", line.text))
    })
    .collect()
}

impl Case {
    pub async fn plays(self, session: Duration) {
        let double = Double::with(self.orders.iter().copied()).await;
        let logs_in = self.orders.iter().any(|(key, _)| *key == ApiKey::SaslAuthenticate);
        let mut hears = member(&double, session, logs_in).await;
        let lines = match self.hears.last() {
            Some(last) if last.starts_with("failed") => {
                within(hears.wait_for(|all| all.last().is_some_and(|it| it.starts_with("failed")))).await.unwrap();
                double.deserted().await
            }
            _ => double.stable().await,
        };
        let heard = within(hears.wait_for(|all| all.len() >= self.hears.len())).await.map(|it| it.clone());
        let (heard, name) = (heard.unwrap_or_else(|_| hears.borrow().clone()), &self.asks[0]);
        let story = story(&lines);
        let asked: Vec<&str> = story.iter().map(|(_, text)| text.as_str()).collect();
        assert_eq!(asked, self.asks, "{name}; it hears {heard:?}");
        assert_eq!(heard.len(), self.hears.len(), "{name}: it hears {heard:?}");
        for (heard, wanted) in heard.iter().zip(self.hears) {
            assert!(heard.starts_with(wanted), "{name}: it hears {heard:?}, not {wanted:?}");
        }
        for (pair, wait) in story.windows(2).zip(self.waits_ms) {
            let waited = pair[1].0.at - pair[0].0.at;
            let least = Duration::from_millis(*wait);
            assert!(waited >= least && waited < least + SLACK, "{name}: it waits {waited:?}, not {least:?}");
        }
    }
}

pub async fn play(cases: Vec<Case>) {
    for case in cases {
        case.plays(Duration::from_secs(10)).await;
    }
}
