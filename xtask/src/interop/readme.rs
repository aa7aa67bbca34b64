//! The workers of the README in other languages, from its very text: two of each share the work, the coordinator is killed and
//! comes back, one of them is killed, and the other goes on where it was.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use super::Case;
use super::bench::Bench;
use super::clients::Runtime;
use super::member::STEP;
use crate::process::{Process, wait_until, watch};
use crate::shell::root;

/// A topic that nobody has made has so many partitions.
const PARTITIONS: usize = 12;

/// How long the coordinator is away: longer than the libraries' calls wait, which then fail in ways of their own.
const AWAY: Duration = Duration::from_secs(25);

/// Steps of the work.
const SOME_WAY: u64 = 5;

/// The cases.
pub fn cases() -> Vec<Case> {
    let case = |name: &str, runtime, block: &'static str, file: &'static str| Case {
        name: format!("readme/{name}"),
        needs: vec![runtime],
        run: Box::new(move |bench| workers(bench, runtime, block, file)),
    };
    vec![
        case("python", Runtime::Python, "```python worker", "worker.py"),
        case("node", Runtime::Node, "```js worker", "worker.js"),
    ]
}

/// A worker, and what it has said so far.
struct Worker {
    process: Process,
    has: BTreeSet<usize>,
    /// By partition, how far it has done the work.
    did: BTreeMap<usize, u64>,
}

fn workers(bench: &Bench, runtime: Runtime, block: &str, file: &str) -> Result<()> {
    let (mut server, folder) = bench.server(&format!("readme-{file}"), "")?;
    let script = folder.join(file);
    fs::write(&script, text(block)?).with_context(|| format!("{} cannot be written", script.display()))?;
    let start = |name: &str| Worker::start(bench, runtime, &script, &server.address(), name, &folder);
    let mut both = [start("first")?, start("second")?];
    let shared = wait_until("two workers to share the work", STEP, || {
        both.iter_mut().try_for_each(Worker::listen)?;
        let [first, second] = &both;
        let all: BTreeSet<usize> = first.has.union(&second.has).copied().collect();
        let each_works = both.iter().all(Worker::has_done_something);
        Ok((all.len() == PARTITIONS && first.has.is_disjoint(&second.has) && each_works).then_some(()))
    });
    shared.with_context(|| logs(&both))?;
    println!("    two share the work: {:?} and {:?}", both[0].has, both[1].has);

    let place = |worker: &Worker| worker.did.clone();
    let before = [place(&both[0]), place(&both[1])];
    server.kill()?;
    watch(AWAY, || both.iter_mut().try_for_each(Worker::listen))?;
    server.restart()?;
    let further = |worker: &Worker, before: &BTreeMap<usize, u64>| {
        let is_further = |partition| worker.did.get(partition) > before.get(partition);
        !worker.has.is_empty() && worker.has.iter().all(is_further)
    };
    let gone_on = wait_until("both to go on when the coordinator is back", STEP, || {
        both.iter_mut().try_for_each(Worker::listen)?;
        let all: BTreeSet<usize> = both.iter().flat_map(|worker| &worker.has).copied().collect();
        let each_works = both.iter().zip(&before).all(|(worker, before)| further(worker, before));
        Ok((all.len() == PARTITIONS && each_works).then_some(()))
    });
    gone_on.with_context(|| logs(&both))?;
    println!("    the coordinator was killed and came back: both go on");

    let [mut first, mut second] = both;
    first.process.kill()?;
    first.listen_to_the_end()?;
    let taken_over = wait_until("the other one to take over", STEP, || {
        second.listen()?;
        let further = |(partition, place): (&usize, &u64)| second.did.get(partition).is_some_and(|it| it > place);
        Ok((second.has.len() == PARTITIONS && first.did.iter().all(further)).then_some(()))
    });
    taken_over.with_context(|| second.process.log_tail())?;
    println!("    one was killed, and the other went on: {:?}", second.did);

    second.process.signal("TERM")?;
    let status = second.process.end(STEP)?;
    if !status.success() {
        bail!("asked to end, it ended with {status}:\n{}", second.process.log_tail());
    }
    Ok(())
}

impl Worker {
    fn start(bench: &Bench, runtime: Runtime, script: &Path, server: &str, name: &str, folder: &Path) -> Result<Self> {
        let mut command = bench.programs.script(runtime, script);
        command.arg(server);
        let process = Process::start(name, &command, &folder.join(format!("{name}.log")))?;
        Ok(Self { process, has: BTreeSet::new(), did: BTreeMap::new() })
    }

    /// It has work, and has come some way with all of it.
    fn has_done_something(&self) -> bool {
        let has_come_far = |partition| self.did.get(partition).is_some_and(|place| *place >= SOME_WAY);
        !self.has.is_empty() && self.has.iter().all(has_come_far)
    }

    fn listen(&mut self) -> Result<()> {
        while let Some(line) = self.process.line_at_hand()? {
            self.note(&line)?;
        }
        Ok(())
    }

    /// What a killed one had said and nobody had read.
    fn listen_to_the_end(&mut self) -> Result<()> {
        let mut lines = self.process.lines_to_the_end(STEP)?;
        // The last one may be half of one.
        let last = lines.pop();
        lines.iter().try_for_each(|line| self.note(line))?;
        if let Some(Err(why)) = last.map(|line| self.note(&line)) {
            println!("    it was killed in the middle of a line: {why:#}");
        }
        Ok(())
    }

    /// `has [0, 1]`, or `did 1 7`. The work on a partition goes on: but for the last step it is never done again.
    fn note(&mut self, line: &str) -> Result<()> {
        if let Some(list) = line.strip_prefix("has ") {
            self.has = serde_json::from_str(list).with_context(|| format!("{line} is no list"))?;
        } else if let Some((partition, place)) = line.strip_prefix("did ").and_then(|rest| rest.split_once(' ')) {
            let (partition, place) = (partition.parse()?, place.parse()?);
            if let Some(before) = self.did.insert(partition, place).filter(|before| *before > place + 1) {
                bail!("partition {partition} was at {before}, and went back to {place}");
            }
        }
        Ok(())
    }
}

fn logs(both: &[Worker; 2]) -> String {
    let said =
        |worker: &Worker| format!("it has {:?} and did {:?}\n{}", worker.has, worker.did, worker.process.log_tail());
    both.iter().map(said).collect::<Vec<_>>().join("\n")
}

/// The README's block with that opening line.
fn text(opening: &str) -> Result<String> {
    let path = root().join("README.md");
    let readme = fs::read_to_string(&path).with_context(|| format!("{} cannot be read", path.display()))?;
    let begun = readme.lines().skip_while(|line| *line != opening).skip(1);
    let text: String = begun.take_while(|line| *line != "```").map(|line| format!("{line}\n")).collect();
    if text.is_empty() { bail!("the README has no block {opening}") } else { Ok(text) }
}
