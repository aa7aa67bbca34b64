//! What a rebalance stores, by the store alone, in turns with a bare synced write of the same content: the whole server
//! has the client's noise on top.

use std::time::Instant;

use anyhow::Result;
use divvy::group::Record;
use divvy::group::event::OfferedProtocol;
use divvy::group::record::{Header, MemberRecord, PlanRecord, State};
use divvy::ids::{Generation, MemberId};
use divvy::store::{EmbeddedStore, Entry, Store};
use divvy::time::WallTime;

use crate::Options;
use crate::bare::Log;
use crate::report::{Bar, Report, median, ratio};
use crate::requests::{marked_assignment, subscription};

const BYTES: usize = 1_024;
const ROUNDS: usize = 12;

pub fn run(options: &Options, report: &mut Report) -> Result<()> {
    report.scenario("store", &format!("the records of a rebalance alone, {BYTES} B of metadata and of state a member"));
    for members in [100, 1_000] {
        let folder = tempfile::Builder::new().tempdir_in(&options.disk)?;
        let mut store = EmbeddedStore::open(&folder.path().join("store"))?;
        let mut log = Log::begin(folder.path())?;
        let (mut bare, mut moved, mut still) = (Vec::new(), Vec::new(), Vec::new());
        for round in 0..options.repeats * ROUNDS {
            bare.push(log.write(2 * members * BYTES)?);
            // One member subscribes to something else, and everybody gets another state; then only the former.
            moved.push(append(&mut store, members, 2 * round, round)?);
            still.push(append(&mut store, members, 2 * round + 1, round)?);
        }
        report.note(&format!("{members} members: a bare synced write"), 1e3 * median(&bare), "ms");
        report.note(&format!("{members} members: all states change"), 1e3 * median(&moved), "ms");
        report.figure(
            &format!("{members} members: all states change / bare"),
            ratio(&moved, &bare),
            "",
            Bar::Most(2.0),
        );
        report.note(&format!("{members} members: no state changes"), 1e3 * median(&still), "ms");
        report.figure(&format!("{members} members: no state changes / bare"), ratio(&still, &bare), "", Bar::Most(2.0));
    }
    Ok(())
}

/// Stores a generation; how long that takes in seconds.
fn append(store: &mut EmbeddedStore, members: usize, generation: usize, plan: usize) -> Result<f64> {
    let number = Generation(i32::try_from(generation)?);
    let id = |at: usize| MemberId::from(format!("bench-{at:032x}").as_str());
    let member = |at: usize| {
        let mark = if at == generation % members { generation as u64 } else { u64::MAX };
        MemberRecord {
            id: id(at),
            instance: None,
            client_id: "bench".into(),
            client_host: "/127.0.0.1".into(),
            session_timeout_ms: 120_000,
            rebalance_timeout_ms: 120_000,
            protocols: [OfferedProtocol { name: "range".into(), metadata: subscription(BYTES, mark) }].into(),
            modules: None,
        }
    };
    let header = Header {
        protocol_type: Some("consumer".into()),
        protocol: Some("range".into()),
        generation: number,
        leader: Some(id(0)),
        members: (0..members).map(member).collect(),
        since: WallTime(0),
    };
    let state = marked_assignment(BYTES, plan as u64);
    let plan = PlanRecord {
        generation: number,
        digest: None,
        states: (0..members).map(|at| (id(at), State(state.clone()))).collect(),
        memo: None,
        fingerprint: None,
        call_again: None,
        stand_in: None,
        chosen: None,
        copies: 1,
    };
    let records = [Record::Plan(plan), Record::Header(header), Record::Reserved(Generation(number.0 + 16))];
    let entries: Vec<Entry> = records.into_iter().map(|record| Entry::Group("bench".into(), record)).collect();
    let began = Instant::now();
    store.append(&entries)?;
    Ok(began.elapsed().as_secs_f64())
}
