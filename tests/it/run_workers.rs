//! The workers of `tests/examples/workers` under `divvy run`: one member is killed, and its work is taken over.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;

use crate::cli_ground::Running;
use crate::examples::{Stage, names, until};

const WORKERS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/examples/workers");

fn run(stage: &Stage, options: &[&str], variables: &[(&str, &Path)], command: &[&str]) -> Running {
    let mut all = vec!["run", "--server", &stage.kafka, "--group", "workers", "--json", "--session-timeout-ms", "6000"];
    all.extend(options);
    all.push("--");
    all.extend(command);
    Running::with(&all, variables)
}

/// Three members square numbers; one is killed.
fn jobs_are_finished(options: &[&str], command: &[&str]) {
    let stage = Stage::with("[[topic]]\nname = \"jobs\"\npartitions = 6\n");
    let (jobs, done, modules) = (stage.path("jobs"), stage.path("done"), stage.modules(&[]));
    let put = |numbers: std::ops::Range<u64>| {
        for number in numbers {
            let folder = jobs.join((number % 6).to_string());
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join(".new"), number.to_string()).unwrap();
            fs::rename(folder.join(".new"), folder.join(format!("{number:03}"))).unwrap();
        }
    };
    put(0..60);
    let options = [&["--topic", "jobs", "--assignors", modules.to_str().unwrap()], options].concat();
    let variables = [("JOBS", &*jobs), ("DONE", &*done)];
    let mut members = [0, 1, 2].map(|_| run(&stage, &options, &variables, command));
    until("the jobs are done", || names(&done).len() == 60);
    members[0].kill();
    put(60..120);
    until("the jobs are done without the first", || names(&done).len() == 120);
    for number in 0..120u64 {
        let result = fs::read_to_string(done.join(format!("{number:03}"))).unwrap();
        assert_eq!(result.trim(), (number * number).to_string());
    }
    for member in &mut members[1..] {
        assert_eq!(member.terminate(), 0);
    }
}

#[test]
fn the_shell_worker_does_every_job() {
    jobs_are_finished(&["--each"], &["sh", &format!("{WORKERS}/worker.sh")]);
}

#[test]
fn the_python_worker_does_every_job() {
    jobs_are_finished(&["--ready-line", "at work"], &["python3", &format!("{WORKERS}/worker.py")]);
}

/// What a copy of a shard finds, if it is there.
fn ask(socket: &Path, word: &str) -> Option<String> {
    let mut stream = UnixStream::connect(socket).ok()?;
    writeln!(stream, "{word}").ok()?;
    let mut found = String::new();
    BufReader::new(stream).read_line(&mut found).ok()?;
    Some(found.trim().to_owned())
}

#[test]
fn every_shard_of_the_index_has_two_copies_again_when_a_node_is_killed() {
    let stage = Stage::with("[[topic]]\nname = \"shards\"\npartitions = 4\n");
    let (docs, index, modules) = (stage.path("docs"), stage.path("index"), stage.modules(&["redundant"]));
    let write = |name: &str, text: &str| {
        for shard in 0..4 {
            let folder = docs.join(shard.to_string());
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join("new"), format!("{text} shard{shard}")).unwrap();
            fs::rename(folder.join("new"), folder.join(format!("{name}.txt"))).unwrap();
        }
    };
    write("one", "The quick brown fox");
    let nodes = ["a", "b", "c"];
    let mut members = nodes.map(|node| {
        let modules = modules.to_str().unwrap();
        let options =
            ["--topic", "shards", "--each", "--assignor", "redundant", "--rack", node, "--assignors", modules];
        let variables = [("DOCS", &*docs), ("INDEX", &*index), ("NODE", Path::new(node))];
        run(&stage, &options, &variables, &["python3", &format!("{WORKERS}/indexer.py")])
    });
    // The nodes that find a word, shard by shard; all copies of a shard have to find the same.
    let finds = |word: &str, among: &[&str], expected: &str| {
        (0..4).all(|shard| {
            let folder = index.join(shard.to_string());
            let found: Vec<_> =
                among.iter().filter_map(|node| ask(&folder.join(format!("{node}.sock")), word)).collect();
            found.len() == 2 && found.iter().all(|it| it == expected)
        })
    };
    until("two copies of each shard find it", || finds("fox", &nodes, "one"));
    members[0].kill();
    write("two", "A red fox");
    until("two copies of each shard find both", || finds("fox", &nodes[1..], "one two"));
    until("each shard's index is published by a primary that lives", || {
        (0..4).all(|shard| {
            let text = fs::read_to_string(index.join(shard.to_string()).join("index.json")).unwrap_or_default();
            let Ok(published) = serde_json::from_str::<serde_json::Value>(&text) else { return false };
            published["by"] != "a" && published["words"]["red"] == serde_json::json!(["two"])
        })
    });
}
