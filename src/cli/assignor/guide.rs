//! `divvy assignor` alone: an author's day, in the order in which it goes.

use anyhow::Result;
use serde_json::json;

use crate::cli::output::Output;

/// What it prints.
pub const GUIDE: &str = "\
A strategy decides who gets which partitions, or what each member is told. It is one WebAssembly file, the same for every member.

From nothing to a plan (Rust is enough; --lang names other languages, --shape states the other kind):

  divvy assignor new by-size
      makes a project with a strategy that works as it stands, its cases and its tests
  divvy assignor build by-size
      compiles it to by-size/by-size.wasm
  divvy assignor check by-size/by-size.wasm --vectors by-size/vectors.json
      asks of it what every member asks before it takes it, and whether it answers the same each time
  divvy assignor test by-size
      tries its cases, and its laws on many random groups; what fails is shown on the smallest group
  divvy assignor bench by-size/by-size.wasm
      what it costs and what it moves, beside the strategies that divvy ships

Then copy the file into the members' folder `assignors/`: when all have it, their group changes over.

`divvy assignor --help` lists the commands, `divvy assignor COMMAND --help` what each takes.";

/// The commands that it shows; the tests hold them against the command line.
pub const FIRST: [&str; 5] = [
    "divvy assignor new by-size",
    "divvy assignor build by-size",
    "divvy assignor check by-size/by-size.wasm --vectors by-size/vectors.json",
    "divvy assignor test by-size",
    "divvy assignor bench by-size/by-size.wasm",
];

/// Teaches.
pub fn print(output: &Output) -> Result<()> {
    output.print(&json!({ "try": FIRST }), || GUIDE.to_owned())
}
