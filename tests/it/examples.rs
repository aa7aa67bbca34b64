//! The example programs of `tests/examples`, each as several processes at a real `divvy serve`; one is killed or sleeps too long,
//! and the others take its work over. The workers for `divvy run` are in `run_workers.rs`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::LazyLock;
use std::time::Duration;
use std::{fs, thread};

use crate::cli_ground::{Running, built, signal};

/// Whatever is waited for comes within this, on the slowest machine: sessions of 6 s have to end in it.
const DEADLINE: Duration = Duration::from_secs(60);

/// Where the example programs are: built here, since `cargo test --test it` builds none. What cargo tells a test of its
/// package is not for this build: dependencies that watch those words would be built again, for minutes.
static PROGRAMS: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = Path::new(env!("CARGO_BIN_EXE_divvy")).parent().unwrap();
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--quiet", "--workspace"]).current_dir(env!("CARGO_MANIFEST_DIR"));
    for name in ["pool", "join", "writer", "connectors"] {
        cargo.args(["--example", name]);
    }
    cargo.arg("--target-dir").arg(folder.parent().unwrap());
    if folder.ends_with("release") {
        cargo.arg("--release");
    }
    for (name, _) in std::env::vars_os() {
        if name.to_str().is_some_and(|name| name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_")) {
            cargo.env_remove(name);
        }
    }
    assert!(cargo.status().unwrap().success(), "the examples are built");
    folder.join("examples")
});

/// A coordinator with these settings, and a folder for what the programs work on.
pub struct Stage {
    _server: Running,
    pub kafka: String,
    folder: tempfile::TempDir,
}

impl Stage {
    pub fn with(settings: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let config = folder.path().join("divvy.toml");
        let head = "\"group.initial.rebalance.delay.ms\" = 100\n\"group.min.session.timeout.ms\" = 1000\n";
        fs::write(&config, format!("{head}{settings}")).unwrap();
        let place = ["--config", config.to_str().unwrap(), "--data", "memory"];
        let mut server =
            Running::start(&[&["serve"][..], &place, &["--listen", "localhost:0", "--admin", "off"]].concat());
        let kafka = server.event("serving")["kafka"].as_str().unwrap().to_owned();
        Self { _server: server, kafka, folder }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A folder in this one's with these modules.
    pub fn modules(&self, names: &[&str]) -> PathBuf {
        let folder = self.path("assignors");
        fs::create_dir_all(&folder).unwrap();
        for name in names {
            fs::copy(built(name), folder.join(format!("{name}.wasm"))).unwrap();
        }
        folder
    }

    fn start(&self, program: &str, arguments: &[&Path]) -> Process {
        let mut command = Command::new(PROGRAMS.join(program));
        command.args([&self.kafka, program]).args(arguments).stdin(Stdio::null()).stdout(Stdio::null());
        Process(command.spawn().unwrap())
    }
}

/// A program that ends with the test.
struct Process(Child);

impl Process {
    fn id(&self) -> u32 {
        self.0.id()
    }

    fn kill(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Looks again and again until it is so.
pub fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let look_again = Duration::from_millis(20);
    for _ in 0..DEADLINE.as_millis() / look_again.as_millis() {
        if is_so() {
            return;
        }
        thread::sleep(look_again);
    }
    panic!("waited in vain until {what}");
}

/// The names in a folder; those that begin with a dot are not there yet.
pub fn names(folder: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries.map(|entry| entry.file_name().into_string().unwrap());
    names.filter(|name| !name.starts_with('.')).collect()
}

#[test]
fn the_pool_finishes_every_job_when_a_process_is_killed() {
    let stage = Stage::with("");
    let (folder, jobs, done) = (stage.path("pool"), stage.path("pool/jobs"), stage.path("pool/done"));
    fs::create_dir_all(&jobs).unwrap();
    let mut pool = [&folder, &folder, &folder].map(|folder| stage.start("pool", &[folder]));
    let put = |numbers: std::ops::Range<usize>| {
        for it in numbers {
            // Moved in whole: a worker takes what it sees.
            fs::write(stage.path("new"), "word ".repeat(it)).unwrap();
            fs::rename(stage.path("new"), jobs.join(format!("{it:03}"))).unwrap();
        }
    };
    put(0..100);
    until("all jobs are done", || names(&done).len() == 100);
    pool[0].kill();
    // There are some of every partition.
    put(100..200);
    until("all jobs are done without the first", || names(&done).len() == 200 && names(&jobs).is_empty());
    for it in 0..200 {
        assert_eq!(fs::read_to_string(done.join(format!("{it:03}"))).unwrap(), it.to_string());
    }
}

#[test]
fn the_join_goes_on_where_the_killed_process_was() {
    let stage = Stage::with(
        r#"
        [[group]]
        match = "join"
        config.copartition = { join = [["orders", "payments"]] }
        [[topic]]
        name = "orders"
        partitions = 4
        [[topic]]
        name = "payments"
        partitions = 4
        "#,
    );
    let (folder, modules) = (stage.path("data"), stage.modules(&["copartition"]));
    let say = |topic: &str, keys: &[usize]| {
        fs::create_dir_all(folder.join(topic)).unwrap();
        for key in keys {
            use std::io::Write;
            let path = folder.join(topic).join((key % 4).to_string());
            let mut file = fs::File::options().create(true).append(true).open(path).unwrap();
            writeln!(file, "{key} {topic}-{key}").unwrap();
        }
    };
    let paid = || -> Vec<String> {
        let files = names(&folder.join("paid"));
        let texts = files.iter().map(|name| fs::read_to_string(folder.join("paid").join(name)).unwrap());
        let mut lines: Vec<String> = texts.flat_map(|it| it.lines().map(str::to_owned).collect::<Vec<_>>()).collect();
        lines.sort();
        lines
    };
    let mut both = [0, 1].map(|_| stage.start("join", &[&folder, &modules]));
    let (first, second): (Vec<usize>, Vec<usize>) = ((0..40).collect(), (40..80).collect());
    say("orders", &first);
    say("payments", &first[..20]);
    until("what has a partner is paid", || paid().len() == 20);
    both[0].kill();
    // The partners of what the killed one had read, and more of both sides.
    say("payments", &first[20..]);
    say("orders", &second);
    say("payments", &second);
    until("all is paid by the other", || paid().len() >= 80);
    let mut expected: Vec<String> = (0..80).map(|it| format!("{it} orders-{it} payments-{it}")).collect();
    expected.sort();
    assert_eq!(paid(), expected, "each pair once");
}

#[test]
fn the_ledger_refuses_a_writer_that_slept_while_it_was_replaced() {
    let stage = Stage::with("");
    let (ledger, modules) = (stage.path("ledger"), stage.modules(&["active-standby"]));
    let lines = || -> Vec<[u64; 3]> {
        let text = fs::read_to_string(&ledger).unwrap_or_default();
        let number = |word: &str| word.parse().unwrap();
        let whole = text.rfind('\n').map_or("", |end| &text[..end]);
        whole.lines().map(|line| line.split(' ').map(number).collect::<Vec<_>>().try_into().unwrap()).collect()
    };
    let mut writers = [0, 1].map(|_| stage.start("writer", &[&ledger, &modules]));
    until("somebody writes", || lines().len() > 5);
    let writes = |process: u64| lines().last().unwrap()[2] == process;
    let pids = [0, 1].map(|it: usize| u64::from(writers[it].id()));
    let active = if writes(pids[0]) { 0 } else { 1 };
    let sleeper = writers[active].id();

    // Longer than its session; it goes on in the middle of what it was doing.
    stop_outside_of_the_lock(sleeper, Path::new(&ledger));
    until("the other one writes", || writes(pids[1 - active]));
    let replaced = lines();
    signal(sleeper, "CONT");
    until("it has gone on for a while", || lines().len() > replaced.len() + 40);
    // Killed, it is replaced too.
    writers[1 - active].kill();
    until("the first one writes again", || writes(pids[active]));

    let lines = lines();
    assert!(
        lines.iter().zip(1..).all(|([_, number, _], expected)| *number == expected),
        "no number is missing or twice"
    );
    assert!(lines.windows(2).all(|pair| pair[0][0] <= pair[1][0]), "no epoch writes after a later one");
    let by_epoch: BTreeMap<u64, BTreeSet<u64>> =
        lines.iter().fold(BTreeMap::new(), |mut by_epoch, [epoch, _, process]| {
            by_epoch.entry(*epoch).or_default().insert(*process);
            by_epoch
        });
    assert!(by_epoch.values().all(|writers| writers.len() == 1), "an epoch is one process's: {by_epoch:?}");
}

/// Stops a writer between two lines: in the middle of one it would keep the ledger locked for everybody.
fn stop_outside_of_the_lock(writer: u32, ledger: &Path) {
    let ledger = fs::File::open(ledger).unwrap();
    until("it can be stopped between two lines", || {
        signal(writer, "STOP");
        until("it has stopped", || fs::read_to_string(format!("/proc/{writer}/stat")).unwrap().contains(") T "));
        let is_free = ledger.try_lock().is_ok();
        if is_free {
            ledger.unlock().unwrap();
        } else {
            signal(writer, "CONT");
        }
        is_free
    });
}

#[test]
fn the_tasks_of_a_killed_runtime_run_in_the_others() {
    let stage = Stage::with(
        r#"
        [[group]]
        match = "connectors"
        config.connect = { max_delay_ms = 500 }
        "#,
    );
    let (folder, modules) = (stage.path("connect"), stage.modules(&["connect"]));
    fs::create_dir_all(&folder).unwrap();
    let configure = |text: &str| {
        fs::write(folder.join("new"), text).unwrap();
        fs::rename(folder.join("new"), folder.join("connectors.json")).unwrap();
    };
    let all = [("files", 0), ("files", 1), ("files", 2), ("logs", 0), ("logs", 1)];
    let say = |pieces: &[(&str, usize)], line: &str| {
        for (connector, task) in pieces {
            use std::io::Write;
            fs::create_dir_all(folder.join(connector)).unwrap();
            let path = folder.join(connector).join(format!("{task}.in"));
            let mut file = fs::File::options().create(true).append(true).open(path).unwrap();
            writeln!(file, "{line}").unwrap();
        }
    };
    let copied = |pieces: &[(&str, usize)], text: &str| {
        pieces.iter().all(|(connector, task)| {
            let path = folder.join(connector).join(format!("{task}.out"));
            fs::read_to_string(path).is_ok_and(|it| it == text)
        })
    };
    configure(r#"{ "files": 3 }"#);
    let mut runtimes = [0, 1, 2].map(|_| stage.start("connectors", &[&folder, &modules]));
    say(&all[..3], "one");
    until("every task copies", || copied(&all[..3], "one\n"));
    configure(r#"{ "files": 3, "logs": 2 }"#);
    say(&all[3..], "one");
    until("the tasks of the new connector copy", || copied(&all, "one\n"));
    runtimes[0].kill();
    say(&all, "two");
    until("every task copies without the first", || copied(&all, "one\ntwo\n"));
    runtimes[1].kill();
    say(&all, "three");
    until("one alone runs them all", || copied(&all, "one\ntwo\nthree\n"));
    let pid = runtimes[2].id().to_string();
    until("and the connectors themselves", || {
        ["files", "logs"].iter().all(|it| fs::read_to_string(folder.join(it).join("running")).is_ok_and(|it| it == pid))
    });
}
