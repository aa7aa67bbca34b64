//! The command line: one file a command, the same tables, the same `--json`, the same exit codes everywhere.

use std::process::ExitCode;

use clap::{Parser, Subcommand};

mod address;
mod admin;
mod assignor;
mod capturing;
mod clock;
mod comparison;
mod completion;
mod confirm;
mod failure;
mod files;
mod groups;
mod guide;
mod join;
mod kafka;
mod lead;
mod logs;
mod member;
mod modules;
mod offsets;
mod outcomes;
mod output;
mod progress;
mod run;
mod security;
mod serve;
mod signals;
mod simulate;
#[cfg(test)]
mod tests;
mod topics;

use failure::Failure;
use output::Output;

/// Where `divvy serve` listens unless told otherwise.
const SERVER: &str = "127.0.0.1:9092";

/// Where it answers `/groups`, `/modules`, `/metrics`.
const ADMIN: &str = "127.0.0.1:9640";

const EXIT_CODES: &str = "\
Exit codes:
  0  done
  1  failed: it was tried, and the answer is no
  2  usage or configuration: nothing was tried
  3  unreachable: nobody answers at the address
  4  not found: no such group, topic, file or module
  5  in use: another process has the port or the data folder
141  nobody reads the answer any more, as after `| head`

With --json a failure is also the last object on stdout: {\"error\": {\"kind\": …, \"code\": …, \"message\": …}}; of several
to be deleted each has its `error` in the one list";

/// Group coordination whose assignment strategies are WebAssembly plug-ins, in Kafka's wire format.
#[derive(Parser, Debug)]
#[command(version, about, after_help = EXIT_CODES, max_term_width = 100)]
struct Cli {
    /// Print JSON: one document, or one a line where things go on happening
    #[arg(long, global = true)]
    json: bool,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Coordinate groups
    Serve(serve::Serve),
    /// Be a member of a group, and print what happens
    Join(join::Join),
    /// Lead a group of unmodified clients on a Kafka cluster, by a module
    Lead(Box<lead::Lead>),
    /// Run a command for each share of work
    Run(run::Run),
    /// Look at groups, delete them, set their offsets
    #[command(subcommand, disable_help_subcommand = true)]
    Groups(groups::Groups),
    /// Look at topics, make them, let them grow, delete them
    #[command(subcommand, disable_help_subcommand = true)]
    Topics(topics::Topics),
    /// Write a strategy, look at it, check it, run it
    #[command(disable_help_subcommand = true)]
    Assignor {
        #[command(subcommand)]
        command: Option<assignor::Assignor>,
    },
    /// Play a group's life against strategies, before any of them goes anywhere
    Simulate(Box<simulate::Simulate>),
    /// Print what a shell needs to complete divvy's commands
    Completion(completion::Completion),
}

/// Runs the command that the process was started with.
pub fn main() -> ExitCode {
    if let Some(code) = run::keeper::main().or_else(crate::sandbox::compiler_main) {
        return code;
    }
    crate::sandbox::compile_in_children();
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // What was wrong may stand before `--json`.
            let wants_json = std::env::args_os().any(|argument| argument == "--json");
            return Failure::report_usage(&error, &Output::new(wants_json));
        }
    };
    let output = Output::new(cli.json);
    let done = match cli.command {
        None => guide::print(&output),
        Some(Command::Serve(serve)) => serve.run(&output),
        Some(Command::Join(join)) => join.run(&output),
        Some(Command::Lead(lead)) => lead.run(&output),
        Some(Command::Run(run)) => run.run(&output),
        Some(Command::Groups(groups)) => groups.run(&output),
        Some(Command::Topics(topics)) => topics.run(&output),
        Some(Command::Assignor { command: Some(assignor) }) => assignor.run(&output),
        Some(Command::Assignor { command: None }) => assignor::guide::print(&output),
        Some(Command::Simulate(simulate)) => simulate.run(&output),
        Some(Command::Completion(completion)) => completion.run(&output),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => Failure::report(&error, &output),
    }
}
