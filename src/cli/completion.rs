//! `divvy completion SHELL`: what a shell needs to complete the command line.

use anyhow::Result;
use clap::{Args, CommandFactory, ValueEnum};
use clap_complete::Shell;
use serde_json::json;

use super::Cli;
use super::output::Output;

const HOW: &str = "\
Put it where your shell looks for it:
  bash        divvy completion bash > ~/.local/share/bash-completion/completions/divvy
  zsh         divvy completion zsh > \"${fpath[1]}/_divvy\"
  fish        divvy completion fish > ~/.config/fish/completions/divvy.fish
  elvish      divvy completion elvish >> ~/.config/elvish/rc.elv
  powershell  divvy completion powershell >> $PROFILE";

/// Print what a shell needs to complete divvy's commands.
#[derive(Args, Debug)]
#[command(after_help = HOW)]
pub struct Completion {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

impl Completion {
    /// Prints it.
    pub fn run(self, output: &Output) -> Result<()> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Cli::command(), "divvy", &mut script);
        let script = String::from_utf8(script)?;
        let shell = self.shell.to_possible_value().map(|value| value.get_name().to_owned());
        output.print(&json!({ "shell": shell, "script": script }), || script.trim_end().to_owned())
    }
}
