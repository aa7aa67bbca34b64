//! The binary `divvy`: the command line is `divvy::cli`.

use std::process::ExitCode;

fn main() -> ExitCode {
    divvy::cli::main()
}
