//! Zig: its own compiler and linker. `divvy.zig` and the folder `divvy/` are the SDK.

use std::path::Path;
use std::process::Command;

use anyhow::Result;

use super::super::tools::Tools;
use super::{Language, Part, VECTORS, VECTORS_OF_STATES, compiled};
use crate::assignor::manifest::Shape;

/// Whoever has Zig elsewhere names it here; PyPI's is called `python-zig`.
const ZIG: &str = "DIVVY_ZIG";

const REMEDY: &str = "get Zig 0.16 from https://ziglang.org/download, or `pip install ziglang==0.16.0` and \
                      DIVVY_ZIG=python-zig";

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
        compiled(folder, |to| {
            let mut command = Command::new(zig);
            command.args(FLAGS).arg(format!("-femit-bin={}", to.display())).arg(self.mark()).current_dir(folder);
            tools.run(&mut command, REMEDY)
        })
    }
}
