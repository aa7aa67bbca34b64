//! The same code in the sandbox and without it, taking turns: what WebAssembly costs by the kind of work.
//!
//! Both sides get the same request and must give the same reply, byte for byte. In the sandbox it is the whole call: a fresh instance, the
//! request copied in, the work with its deadline watched, the reply copied out, the instance's memory cleared. Without it is the
//! same strategy from the request's bytes to the reply's, compiled for this machine, with the process's own allocator. A figure is
//! the least processor time of all rounds over the least of all rounds, as where its bar was set; that of the medians stands beside it.
//!
//! Three kinds of work have bars. *Codec* reads and writes MessagePack with names through serde, *maps* keeps each partition in a
//! hash map: strategies as people write them who do not think of speed, `work/examples`. *Flat loops* are the assignors of this
//! repository, which do. What else of them is told apart has no bar: a request of members alone, and lists of lists.
#![allow(unsafe_code, reason = "std has no clock of a thread's processor time")]

use std::path::Path;
use std::time::Duration;

use anyhow::{Result, ensure};
use divvy::assignor::{Assignor, Budget, Call, Export, LeaderInput, Manifest, MemberInput};
use divvy::ids::Generation;
use divvy::sandbox::{Module, Sandbox};
use divvy::topics::TopicTable;
use divvy_guest::run;
use serde_json::Value;

use crate::native::native;
use crate::report::{Bar, Report};
use crate::world::World;
use crate::{load, root, sandbox};

#[path = "work/examples/codec.rs"]
mod codec;
#[path = "work/examples/maps.rs"]
mod maps;

const CODEC: Bar = Bar::Most(1.25);
const MAPS: Bar = Bar::Most(1.7);
const FLAT: Bar = Bar::Most(2.0);

/// The groups of wasm.md's kind: 100,000 partitions, 2,000 members.
const TOPICS: usize = 100;
const PARTITIONS: u32 = 1_000;
const MEMBERS: usize = 2_000;

/// Members that were there before, where a tenth is new, and the partitions that their topics had, where a fiftieth is.
const MEMBERS_BEFORE: usize = 1_800;
const PARTITIONS_BEFORE: u32 = 980;

/// From a request's bytes to a reply's.
type Plain<'a> = &'a dyn Fn(&[u8]) -> Vec<u8>;

/// What is asked of both.
struct Asked {
    request: Vec<u8>,
    budget: Budget,
}

pub fn run(rounds: usize, report: &mut Report) -> Result<()> {
    report.scenario("ratio", "wasm / native, least processor time of calls in turn");
    let sandbox = sandbox()?;
    let rounds = (rounds / 100).max(20);
    let codec = work(&sandbox, "codec")?;
    let asked = named_maps(codec.manifest())?;
    compare(CODEC, "codec: named maps, serde", &codec, &|it| run::states(codec::assign, it), &asked, rounds, report)?;

    let all = World::even(TOPICS, PARTITIONS, MEMBERS);
    let fewer = World::even(TOPICS, PARTITIONS_BEFORE, MEMBERS_BEFORE);
    let one_less = World { members: MEMBERS - 1, ..all.clone() };
    let maps = work(&sandbox, "maps")?;
    let asked = claimed(&*maps, &all, Some(&fewer))?;
    compare(
        MAPS,
        "maps: every partition in a hash map",
        &maps,
        &|it| run::partitions(maps::assign, it),
        &asked,
        rounds,
        report,
    )?;

    let racks = World { racks: 3, ..World::even(50, 200, 200) };
    for (bar, what, name, world, before) in [
        (FLAT, "flat loops: cooperative-sticky, one joins", "cooperative-sticky", &all, Some(&one_less)),
        (FLAT, "flat loops: roundrobin", "roundrobin", &all, None),
        (Bar::None, "10,000 members, 12 partitions: roundrobin", "roundrobin", &World::even(1, 12, 10_000), None),
        (Bar::None, "lists of lists: rack-aware", "rack-aware", &racks, None),
    ] {
        let (module, plain) = (load(&sandbox, name)?, native(name));
        let asked = claimed(&*module, world, before)?;
        let plain = |request: &[u8]| plain.call(Export::Assign, request, asked.budget).unwrap_or_default();
        compare(bar, what, &module, &plain, &asked, rounds, report)?;
    }
    Ok(())
}

/// A strategy of `work/examples`.
fn work(sandbox: &Sandbox, name: &str) -> Result<std::sync::Arc<Module>> {
    let path = root().join("target/guests/work").join(format!("{name}.wasm"));
    Ok(sandbox.load(&std::fs::read(&path)?, Path::new(&path))?)
}

/// What a group of partitions asks, whose members had what the strategy gave them before.
fn claimed(module: &dyn Assignor, world: &World, before: Option<&World>) -> Result<Asked> {
    let last = before.map(|before| before.group(module, None, &Value::Null).plan(module)).transpose()?;
    let group = world.group(module, last.as_ref(), &Value::Null);
    let input = group.input();
    let call = Call::prepare(module.manifest(), &input)?;
    Ok(Asked { request: call.request().to_vec(), budget: call.budget() })
}

/// What a group asks whose application writes everything in maps with names.
fn named_maps(manifest: &Manifest) -> Result<Asked> {
    let name = |topic: usize| format!("topic-{topic:04}");
    let topics: Vec<_> = (0..TOPICS).map(|topic| codec::Topic { name: name(topic), partitions: PARTITIONS }).collect();
    let context = rmp_serde::to_vec_named(&topics)?;
    let member = |number: usize| -> Result<MemberInput> {
        let subscription =
            codec::Subscription { client: format!("client-{number}"), topics: (0..TOPICS).map(name).collect() };
        let metadata = rmp_serde::to_vec_named(&subscription)?.into();
        Ok(MemberInput { id: format!("member-{number:05}").into(), instance: None, metadata })
    };
    let members: Vec<_> = (0..MEMBERS).map(member).collect::<Result<_>>()?;
    let (protocol, protocol_type) = (manifest.protocol(), manifest.protocol_type());
    let input = LeaderInput {
        group: &"bench".into(),
        generation: Generation(8),
        protocol: &protocol,
        mode: manifest.mode_under(&protocol, None),
        protocol_type: &protocol_type,
        members: &members,
        topics: &TopicTable::default(),
        columns: &[],
        config: &Value::Null,
        context: Some(&context),
        memo: None,
        now_ms: 0,
        budget_ms: Duration::from_secs(60),
    };
    let call = Call::prepare(manifest, &input)?;
    Ok(Asked { request: call.request().to_vec(), budget: call.budget() })
}

fn compare(
    bar: Bar,
    what: &str,
    module: &Module,
    plain: Plain<'_>,
    Asked { request, budget }: &Asked,
    rounds: usize,
    report: &mut Report,
) -> Result<()> {
    ensure!(module.call(Export::Assign, request, *budget)? == plain(request), "{what}: the two replies differ");
    let (mut wasm, mut native) = (Vec::with_capacity(rounds), Vec::with_capacity(rounds));
    for _ in 0..rounds {
        let start = processor_ms();
        let reply = module.call(Export::Assign, request, *budget)?;
        let called = processor_ms();
        drop(reply);
        let again = processor_ms();
        let reply = plain(request);
        let end = processor_ms();
        drop(reply);
        wasm.push(called - start);
        native.push(end - again);
    }
    wasm.sort_unstable_by(f64::total_cmp);
    native.sort_unstable_by(f64::total_cmp);
    report.figure(what, wasm[0] / native[0], "x", bar);
    report.note(&format!("{what}: of the medians"), wasm[rounds / 2] / native[rounds / 2], "x");
    report.note(&format!("{what}: in the sandbox"), wasm[0], "ms");
    Ok(())
}

/// The processor time of this thread.
fn processor_ms() -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: it is written to a value of its own type.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    time.tv_sec as f64 * 1e3 + time.tv_nsec as f64 / 1e6
}
