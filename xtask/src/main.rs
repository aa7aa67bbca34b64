//! `cargo xtask`: everything that is done to this repository, one file a command.

use std::process::ExitCode;

use anyhow::Result;

mod apt;
mod bench;
mod cache;
mod ci;
mod clock;
mod demo;
mod divvy;
mod go;
mod guests;
mod interop;
mod java;
mod kafka;
mod languages;
mod node;
mod ports;
mod process;
mod python;
mod setup;
mod shell;
mod test;
mod tidy;

/// One command: what it is called, what it takes, what it does.
struct Command {
    name: &'static str,
    takes: &'static str,
    about: &'static str,
    run: fn(&[String]) -> Result<()>,
}

const COMMANDS: &[Command] = &[
    Command {
        name: "demo",
        takes: "",
        about: "watch a strategy being rolled out, failing and rolled back",
        run: demo::run,
    },
    Command { name: "test", takes: "[FILTER]", about: "build the guests, then run every test", run: test::run },
    Command { name: "setup", takes: "", about: "make this machine able to build WebAssembly", run: setup::run },
    Command { name: "guests", takes: "", about: "build assignors/*.wasm", run: guests::run },
    Command {
        name: "interop",
        takes: "[CASE …]",
        about: "unmodified Kafka clients against divvy, divvy's members on a Kafka broker; --list names the cases",
        run: interop::run,
    },
    Command {
        name: "languages",
        takes: "[NAME …]",
        about: "strategies in C, Zig, AssemblyScript and Go against the conformance suite of ABI 1",
        run: languages::run,
    },
    Command {
        name: "broker",
        takes: "[KEY=VALUE …]",
        about: "run an Apache Kafka broker until Ctrl-C; with settings of server.properties",
        run: kafka::command::run,
    },
    Command {
        name: "bench",
        takes: "[NAME …]",
        about: "measure NAME of tests/bench with its own arguments; else assignors and coordinator",
        run: bench::run,
    },
    Command { name: "tidy", takes: "", about: "check floors, sizes, first lines, dead files", run: tidy::run },
    Command { name: "ci", takes: "", about: "all that a change must pass", run: ci::run },
];

/// A command that does not exist, or one that takes no such argument.
const USAGE: u8 = 2;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some((name, rest)) = arguments.split_first() else {
        teach();
        return ExitCode::SUCCESS;
    };
    if matches!(name.as_str(), "help" | "--help" | "-h") {
        teach();
        return ExitCode::SUCCESS;
    }
    let Some(command) = COMMANDS.iter().find(|command| command.name == name) else {
        let names: Vec<_> = COMMANDS.iter().map(|command| command.name).collect();
        eprintln!("error: there is no `cargo xtask {name}`; there are {}", names.join(", "));
        return ExitCode::from(USAGE);
    };
    let takes_all = command.takes.ends_with("…]");
    if !takes_all && rest.len() > usize::from(!command.takes.is_empty()) {
        eprintln!(
            "error: `cargo xtask {name}` takes {}",
            if command.takes.is_empty() { "nothing" } else { command.takes }
        );
        return ExitCode::from(USAGE);
    }
    match (command.run)(rest) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn teach() {
    println!("cargo xtask COMMAND: everything that is done to this repository\n");
    for command in COMMANDS {
        println!("  {:<18} {}", format!("{} {}", command.name, command.takes), command.about);
    }
    println!("\nNew here? `cargo xtask demo` builds divvy and tells its story in under 90 seconds;");
    println!("`cargo xtask test` runs every test. Both set up what they need.");
}
