//! C: clang and its linker make the module alone, without a libc. `divvy.h` and the folder `divvy/` are the SDK.

use std::path::Path;
use std::process::Command;

use anyhow::Result;

use super::super::tools::Tools;
use super::{Language, Part, VECTORS, VECTORS_OF_STATES, compiled};
use crate::assignor::manifest::Shape;

/// Whoever has another clang, such as `clang-18`, names it here.
const CLANG: &str = "DIVVY_CLANG";

const REMEDY: &str = "install it with its linker: `apt-get install clang lld` (or name another clang in DIVVY_CLANG)";

/// Small and fast; a small stack, since it would be touched and cleared for every call.
const FLAGS: [&str; 9] = [
    "--target=wasm32",
    "-O2",
    "-ffreestanding",
    "-nostdlib",
    "-mbulk-memory",
    "-Wall",
    "-Wl,--no-entry,--strip-debug",
    "-Wl,--export=divvy_panic",
    "-Wl,-z,stack-size=65536",
];

/// The language.
pub struct C;

impl Language for C {
    fn name(&self) -> &'static str {
        "c"
    }

    fn mark(&self) -> &'static str {
        "assign.c"
    }

    fn parts(&self, shape: Shape) -> &'static [Part] {
        const SDK: [Part; 2] = [Part { from: "c/divvy.h", to: "divvy.h" }, Part { from: "c/divvy", to: "divvy" }];
        const PARTITIONS: [Part; 4] = [Part { from: "c/template", to: "" }, VECTORS, SDK[0], SDK[1]];
        const STATES: [Part; 5] = [
            Part { from: "c/template-states", to: "" },
            Part { from: "c/template/.gitignore", to: ".gitignore" },
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
        let clang = std::env::var_os(CLANG).unwrap_or_else(|| "clang".into());
        compiled(folder, |to| {
            let mut command = Command::new(clang);
            command.args(FLAGS).arg("-o").arg(to).arg(self.mark()).current_dir(folder);
            tools.run(&mut command, REMEDY)
        })
    }
}
