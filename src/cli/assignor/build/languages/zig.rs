//! Zig: its own compiler and linker. `divvy.zig` and the folder `divvy/` are the SDK.

use std::path::Path;
use std::process::Command;

use anyhow::Result;

use super::super::tools::Tools;
use super::{Language, Part, VECTORS, VECTORS_OF_STATES, compiled};
use crate::assignor::manifest::Shape;
use crate::cli::output::plain;

/// Whoever has Zig elsewhere names it here; PyPI's is called `python-zig`.
const ZIG: &str = "DIVVY_ZIG";

const REMEDY: &str = "get Zig 0.16 from https://ziglang.org/download, or `pip install ziglang==0.16.0` and \
                      DIVVY_ZIG=python-zig";

/// The version whose language the SDK is written in; Zig's changes with each.
const WRITTEN_FOR: &str = "0.16.";

/// Checked arithmetic and bounds, whose failures reach the operator as texts; a small stack, since it would be touched and
/// cleared for every call.
const FLAGS: [&str; 10] = [
    "build-exe",
    "-target",
    "wasm32-freestanding",
    "-O",
    "ReleaseSafe",
    "-fstrip",
    "-fno-entry",
    "-rdynamic",
    "--stack",
    "65536",
];

/// The language.
pub struct Zig;

impl Language for Zig {
    fn name(&self) -> &'static str {
        "zig"
    }

    fn mark(&self) -> &'static str {
        "assign.zig"
    }

    fn parts(&self, shape: Shape) -> &'static [Part] {
        const SDK: [Part; 2] =
            [Part { from: "zig/divvy.zig", to: "divvy.zig" }, Part { from: "zig/divvy", to: "divvy" }];
        const PARTITIONS: [Part; 4] = [Part { from: "zig/template", to: "" }, VECTORS, SDK[0], SDK[1]];
        const STATES: [Part; 5] = [
            Part { from: "zig/template-states", to: "" },
            Part { from: "zig/template/.gitignore", to: ".gitignore" },
            VECTORS_OF_STATES,
            SDK[0],
            SDK[1],
        ];
        match shape {
            Shape::Partitions => &PARTITIONS,
            Shape::States => &STATES,
        }
    }

    fn compile(&self, folder: &Path, tools: &Tools<'_>) -> Result<Vec<u8>> {
        let zig = std::env::var_os(ZIG).unwrap_or_else(|| "zig".into());
        let other = tools.ask(Command::new(&zig).arg("version")).and_then(|version| other_than_written_for(&version));
        // Before the compiler's own words, which are of the SDK's lines.
        other.iter().for_each(|told| tools.say(told));
        compiled(folder, |to| {
            let mut command = Command::new(&zig);
            command.args(FLAGS).arg(format!("-femit-bin={}", to.display())).arg(self.mark()).current_dir(folder);
            tools.run(&mut command, REMEDY)
        })
    }
}

/// What is to be said of another Zig than the SDK's.
fn other_than_written_for(version: &str) -> Option<String> {
    let of_version = WRITTEN_FOR.trim_end_matches('.');
    let told = || {
        format!("this is Zig {}, and divvy's SDK is written for {of_version}: if it fails, {REMEDY}", plain(version))
    };
    (!version.starts_with(WRITTEN_FOR)).then(told)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_zig_than_the_sdks_is_told_with_the_way_to_get_the_right_one() {
        assert_eq!(other_than_written_for("0.16.0"), None);
        for other in ["0.17.1", "0.15.2", "0.160.0", "1.0.0"] {
            let told = other_than_written_for(other).unwrap();
            assert!(told.starts_with(&format!("this is Zig {other}, and divvy's SDK is written for 0.16: ")), "{told}");
            assert!(told.contains("pip install ziglang==0.16.0"), "{told}");
        }
    }
}
