//! AssemblyScript: asc, from npm. `divvy.ts` and the folder `divvy/` are the SDK; the manifest is stamped in from `manifest.json`.

use std::path::Path;
use std::process::Command;

use anyhow::Result;

use super::super::tools::Tools;
use super::{Language, Part, VECTORS, VECTORS_OF_STATES, compiled};
use crate::assignor::manifest::Shape;

/// Whoever has the compiler elsewhere names it here.
const ASC: &str = "DIVVY_ASC";

const REMEDY: &str =
    "with Node and npm there: `npm install` in the project, or `npm install --global assemblyscript@0.28.20`";

/// No collector of garbage, since an instance lives for one call; the runtime's own failures reach the operator as texts.
const FLAGS: [&str; 5] = ["-O3", "--runtime", "stub", "--use", "abort=divvy/failed"];

/// The language.
pub struct AssemblyScript;

impl Language for AssemblyScript {
    fn name(&self) -> &'static str {
        "assemblyscript"
    }

    fn mark(&self) -> &'static str {
        "assign.ts"
    }

    fn parts(&self, shape: Shape) -> &'static [Part] {
        const SDK: [Part; 2] = [
            Part { from: "assemblyscript/divvy.ts", to: "divvy.ts" },
            Part { from: "assemblyscript/divvy", to: "divvy" },
        ];
        const PARTITIONS: [Part; 4] = [Part { from: "assemblyscript/template", to: "" }, VECTORS, SDK[0], SDK[1]];
        const STATES: [Part; 7] = [
            Part { from: "assemblyscript/template-states", to: "" },
            Part { from: "assemblyscript/template/.gitignore", to: ".gitignore" },
            Part { from: "assemblyscript/template/package.json", to: "package.json" },
            Part { from: "assemblyscript/template/tsconfig.json", to: "tsconfig.json" },
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
        let own = folder.join("node_modules/.bin/asc");
        let own = own.canonicalize().ok().map(Into::into);
        let asc = std::env::var_os(ASC).or(own).unwrap_or_else(|| "asc".into());
        compiled(folder, |to| {
            let mut command = Command::new(asc);
            command.arg(self.mark()).args(FLAGS).arg("-o").arg(to).current_dir(folder);
            tools.run(&mut command, REMEDY)
        })
    }
}
