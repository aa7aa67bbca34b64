//! `divvy` alone: a first walk that works as it stands.

use anyhow::Result;
use serde_json::json;

use super::output::Output;

/// What `divvy` alone prints.
pub const GUIDE: &str = "\
divvy coordinates groups of workers: who is in, who owns which partitions, and by which strategy.
Strategies are WebAssembly files; every Kafka client library can be a member.

Try it, in two terminals:

  divvy serve
      coordinates groups on 127.0.0.1:9092 (Kafka's protocol) and shows them on 127.0.0.1:9640

  divvy join --group indexers --topic clicks
      a member that prints what it owns; start it twice, and the partitions of `clicks` are shared
      (its strategies are in the folder `assignors/`, which may be empty: mkdir assignors)

  divvy groups describe indexers
      the members, what each of them owns, which strategy was chosen

Any Kafka client is a member too: point it at 127.0.0.1:9092, group `indexers`, topic `clicks`.
Drop a strategy into the members' folder `assignors/` while they run: when all have it, they change over.

`divvy --help` lists the commands and the exit codes, `divvy COMMAND --help` what each takes.";

/// The commands that it shows; the tests hold them against the command line.
pub const FIRST: [&str; 3] =
    ["divvy serve", "divvy join --group indexers --topic clicks", "divvy groups describe indexers"];

/// Teaches.
pub fn print(output: &Output) -> Result<()> {
    output.print(&json!({ "version": env!("CARGO_PKG_VERSION"), "try": FIRST }), || GUIDE.to_owned())
}
