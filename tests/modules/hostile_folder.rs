//! The folder of hostile modules (`hostile/README.md`): each gives the error that its first line says, within its time, and
//! leaves the host as it was: the next call of a good module works, and the process has grown no further than its pool.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use divvy::assignor::{Assignor, Budget, Export};
use divvy::sandbox::{Module, Sandbox, SandboxLimits};

use crate::wat_modules::{ALLOC, ASSIGN, GOOD, GOOD_REPLY};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/modules/hostile");
const DEADLINE: Duration = Duration::from_millis(30);
/// What a machine that does other things may add to a deadline.
const PATIENCE: Duration = Duration::from_secs(5);
/// Bombs are stopped soon, and 20,000 functions need a third of it.
const COMPILE_BYTES: usize = 384 << 20;
/// The pool keeps 16 MiB in each of its two slots; the rest is the allocator's.
const MAY_GROW_BYTES: usize = 96 << 20;
/// Set in the process that has nothing else to do.
const ALONE: &str = "DIVVY_TEST_ALONE";
/// Set to have the first lines written.
const REWRITE: &str = "DIVVY_REWRITE";

#[test]
fn each_hostile_module_gives_its_error_and_leaves_the_host_as_it_was() {
    if std::env::var_os(ALONE).is_some() {
        return run_all();
    }
    // Other tests would grow this process meanwhile.
    let name = "hostile_folder::each_hostile_module_gives_its_error_and_leaves_the_host_as_it_was";
    let mut alone = Command::new(std::env::current_exe().unwrap());
    let output = alone.args(["--exact", name, "--nocapture"]).env(ALONE, "1").output().unwrap();
    let (said, wrong) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && said.contains("1 passed"), "{said}\n{wrong}");
}

fn run_all() {
    let sandbox = Sandbox::new(SandboxLimits {
        concurrency: 1,
        compiler: Some(env!("CARGO_BIN_EXE_divvy").into()),
        compile_memory_bytes: COMPILE_BYTES,
        ..SandboxLimits::default()
    })
    .unwrap();
    let good = sandbox.load(&GOOD.bytes(), Path::new("good.wasm")).unwrap();
    fill_the_pool(&sandbox);
    let before = resident_bytes();
    let mut files: Vec<PathBuf> = fs::read_dir(FOLDER).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|it| it == "wat"));
    files.sort();
    assert!(files.len() >= 40, "{} modules", files.len());
    let mut wrong = String::new();
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        let (first, rest) = text.split_once('\n').unwrap();
        let name = file.file_name().unwrap().to_string_lossy();
        let came = outcome(&sandbox, &text).unwrap_or_else(|error| panic!("{name}: {error}"));
        if std::env::var_os(REWRITE).is_some() {
            fs::write(&file, format!(";; {came}\n{rest}")).unwrap();
        } else if !is_expected(first, &came) {
            writeln!(wrong, "{name}\n  must give {first}\n  but gives {came}").unwrap();
        }
        assert_eq!(good.call(Export::Assign, b"request", budget()).expect(&name), GOOD_REPLY, "after {name}");
        let grown = resident_bytes().saturating_sub(before);
        assert!(grown <= MAY_GROW_BYTES, "after {name} the process has {} MiB more than before", grown >> 20);
    }
    assert!(wrong.is_empty(), "{wrong}");
}

fn budget() -> Budget {
    Budget { deadline: DEADLINE, max_output: 1 << 20 }
}

/// A module that has used its slot has left there what the pool keeps.
fn fill_the_pool(sandbox: &Sandbox) {
    let fills = "(drop (memory.grow (i32.const 1000))) (memory.fill (i32.const 0) (i32.const 1) (i32.const 60000000)) (i64.const 0)";
    let bytes = GOOD.assign(crate::wat_modules::assign(fills)).bytes();
    let module = sandbox.load(&bytes, Path::new("fills.wasm")).unwrap();
    module.call(Export::Assign, b"request", Budget { deadline: PATIENCE, max_output: 0 }).unwrap();
}

/// Whether what came has the kind and the words of a first line; `~` stands for any words.
fn is_expected(first: &str, came: &str) -> bool {
    let mut parts = first.trim_start_matches(";; ").split('~');
    let Some(mut rest) = parts.next().and_then(|part| came.strip_prefix(part)) else { return false };
    parts.all(|part| rest.find(part).map(|at| rest = &rest[at + part.len()..]).is_some())
}

/// What becomes of a module, in a line.
#[allow(clippy::disallowed_methods, reason = "a deadline is real time")]
fn outcome(sandbox: &Sandbox, text: &str) -> Result<String, String> {
    let bytes = wat::parse_str(expand(text)).map_err(|error| error.to_string())?;
    let module: Arc<Module> = match sandbox.load(&bytes, Path::new("hostile.wasm")) {
        Ok(module) => module,
        Err(error) => return Ok(format!("load {}: {}", error.kind.name(), error.message)),
    };
    let began = Instant::now();
    let reply = module.call(Export::Assign, b"request", budget());
    let took = began.elapsed();
    if took > DEADLINE + PATIENCE {
        return Err(format!("the call took {took:?}"));
    }
    Ok(match reply {
        Ok(reply) => format!("fine: a reply of {} bytes", reply.len()),
        Err(fault) => format!("call {}: {}", fault.kind.name(), fault.message),
    })
}

/// Replaces `{{good}}` and the names of its parts, and repeats: `{{20*text}}` is the text twenty times, `#` in it the number of
/// the turn.
fn expand(text: &str) -> String {
    let Some(open) = text.find("{{") else { return text.to_owned() };
    let mut depth = 0;
    let mut ends = text[open..].char_indices().filter_map(|(at, _)| {
        let two = text[open + at..].get(..2)?;
        (two == "{{" || two == "}}").then_some((open + at, two))
    });
    let mut close = None;
    let mut free = open;
    for (at, two) in ends.by_ref() {
        if at < free {
            continue;
        }
        free = at + 2;
        depth += if two == "{{" { 1 } else { -1 };
        if depth == 0 {
            close = Some(at);
            break;
        }
    }
    let close = close.expect("each {{ has its }}");
    let inner = &text[open + 2..close];
    let middle = match inner.split_once('*').and_then(|(count, rest)| Some((count.parse::<usize>().ok()?, rest))) {
        Some((count, rest)) => {
            let rest = expand(rest);
            match rest.contains('#') {
                true => (0..count).map(|turn| rest.replace('#', &turn.to_string())).collect(),
                false => rest.repeat(count),
            }
        }
        None => part(inner),
    };
    text[..open].to_owned() + &middle + &expand(&text[close + 2..])
}

fn part(name: &str) -> String {
    let manifest = r#"(@custom "divvy.manifest" "{\"abi\": \"1.0\", \"name\": \"good\"}")"#;
    let (memory, marker) = (r#"(memory (export "memory") 1)"#, r#"(func (export "divvy_abi_v1"))"#);
    match name {
        "manifest" => manifest.to_owned(),
        "memory" => memory.to_owned(),
        "marker" => marker.to_owned(),
        "alloc" => ALLOC.to_owned(),
        "assign" => ASSIGN.to_owned(),
        "assign-bare" => r#"(func (export "divvy_assign") (param i32 i32) (result i64) (i64.const 0))"#.to_owned(),
        "good" => format!("{manifest} {memory} {marker} {ALLOC} {ASSIGN}"),
        other => panic!("there is no part {other}"),
    }
}

/// What the process has in memory.
fn resident_bytes() -> usize {
    let text = fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages: usize = text.split(' ').nth(1).and_then(|pages| pages.parse().ok()).unwrap_or(0);
    pages * 4096
}

#[test]
fn repeats_are_written_out() {
    assert_eq!(expand("a{{3*b#}}c{{2*(d{{2*e}})}}"), "ab0b1b2c(dee)(dee)");
    assert!(is_expected(";; call trap: x~z", "call trap: x y z and more"));
    assert!(!is_expected(";; call trap: x~z", "call stack: x y z"));
}
