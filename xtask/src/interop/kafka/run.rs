//! `divvy run` on Kafka: a process for each partition; when one member is asked to end its children finish first, and when one is
//! killed the other does its work.

use std::fs;
use std::ops::Range;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::super::bench::PARTITIONS;
use super::super::cast::Cast;
use super::super::member::STEP;
use crate::process::{Process, wait_until};
use crate::shell::root;

/// Three members do the jobs of the example worker; one leaves, one is killed.
pub fn shell_workers(cast: &mut Cast<'_>) -> Result<()> {
    let (jobs, done) = (cast.folder.join("jobs"), cast.folder.join("done"));
    let start = |name: &str| -> Result<Process> {
        let mut command = Command::new(cast.program());
        let server = cast.server.address();
        command.args(["run", "--json", "--server", &server, "--group", &cast.group, "--topic", &cast.topic]);
        command.args(["--client-id", name, "--session-timeout-ms", "6000", "--each", "--assignors"]);
        command.arg(root().join("assignors")).args(["--", "sh"]).arg(root().join("tests/examples/workers/worker.sh"));
        command.env("JOBS", &jobs).env("DONE", &done);
        Process::start(name, &command, &cast.folder.join(format!("{name}.log")))
    };
    let [mut first, mut second, mut third] = [start("first")?, start("second")?, start("third")?];
    put(&jobs, 0..60)?;
    are_done(&done, 60)?;
    println!("    60 jobs are done by three");
    first.signal("TERM")?;
    let status = first.end(STEP)?;
    if !status.success() {
        bail!("asked to end, it ended with {status}:\n{}", first.log_tail());
    }
    put(&jobs, 60..120)?;
    are_done(&done, 120)?;
    println!("    one left in good order: 120 are done");
    second.kill()?;
    put(&jobs, 120..180)?;
    are_done(&done, 180)?;
    println!("    one was killed: 180 are done, each right");
    third.signal("TERM")?;
    third.end(STEP)?;
    (0..180u64).try_for_each(|number| {
        let file = done.join(number.to_string());
        let result = fs::read_to_string(&file).with_context(|| format!("{} is missing", file.display()))?;
        if result.trim() == (number * number).to_string() {
            Ok(())
        } else {
            bail!("the square of {number} is {result}")
        }
    })
}

/// A job is a number in a file, moved in whole.
fn put(jobs: &Path, numbers: Range<u64>) -> Result<()> {
    for number in numbers {
        let folder = jobs.join((number % PARTITIONS as u64).to_string());
        fs::create_dir_all(&folder)?;
        fs::write(folder.join(".new"), number.to_string())?;
        fs::rename(folder.join(".new"), folder.join(number.to_string()))?;
    }
    Ok(())
}

fn are_done(done: &Path, count: usize) -> Result<()> {
    let whole = || {
        fs::read_dir(done)
            .into_iter()
            .flatten()
            .flatten()
            .filter(|it| !it.file_name().as_encoded_bytes().starts_with(b"."))
    };
    wait_until(&format!("{count} jobs to be done"), STEP, || Ok((whole().count() == count).then_some(())))
}
