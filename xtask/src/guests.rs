//! `cargo xtask guests`: builds every strategy to WebAssembly, refuses those that grew too large, and lays them
//! beside their sources.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::setup::{self, WASM};
use crate::shell::{root, show, target};

/// An assignor is copied to every member of every group: it stays small, 150 KB at most, and a little more from a compiler
/// that makes larger code.
const ASSIGNOR_MAX_BYTES: u64 = 160 * 1024;

/// One that has five strategies in it.
const COMPOSITE: (&str, u64) = ("composite", 200 * 1024);

/// What the SDK itself may cost an author.
const HELLO_MAX_BYTES: u64 = 100 * 1024;

/// The example of the SDK's documentation, and the references of `tests/abi`.
const HELLO: &str = "hello";
const EVEN: &str = "even";
const PARTS: &str = "parts";

/// Kinds of work that `cargo xtask bench sandbox` measures.
const WORK: [&str; 2] = ["codec", "maps"];

/// Builds them all.
pub fn run(_: &[String]) -> Result<()> {
    build().map(|_| ())
}

/// What was built.
pub struct Guests {
    /// `target/guests/hello.wasm`: not among the assignors, or every member would offer it.
    pub hello: PathBuf,
    /// `target/guests/demo/*.wasm`: later versions of rack-aware, for the demo and the tests of roll-outs, and a strategy of an
    /// application's own type, for the interop cases.
    pub demo: PathBuf,
}

/// Builds every guest and says how large each is.
pub fn build() -> Result<Guests> {
    let compiler = setup::compiler()?;
    let built = target().join(compiler.folder("guests"));
    let assignors = crates(&root().join("assignors"))?;
    let demos = crates(&root().join("xtask/demo-guests"))?;

    let mut command = setup::guest_cargo(&compiler);
    command.args(["--quiet", "--profile", "guest", "--target-dir"]).arg(&built);
    command.args(["--package", "divvy-guest", "--lib", "--example", HELLO, "--example", EVEN, "--example", PARTS]);
    command.args(["--package", "divvy-bench-work", "--example", WORK[0], "--example", WORK[1]]);
    for name in &assignors {
        command.args(["--package", &format!("divvy-assignor-{name}")]);
    }
    for name in &demos {
        command.args(["--package", &format!("divvy-demo-{name}")]);
    }
    show("build the guests", &mut command)?;

    let output = built.join(WASM).join("guest");
    let public = target().join("guests");
    let guests = Guests { hello: public.join("hello.wasm"), demo: public.join("demo") };
    for name in &assignors {
        let from = output.join(format!("divvy_assignor_{}.wasm", name.replace('-', "_")));
        let most = if name == COMPOSITE.0 { COMPOSITE.1 } else { ASSIGNOR_MAX_BYTES };
        place(&from, &root().join("assignors").join(format!("{name}.wasm")), most)?;
    }
    for name in &demos {
        let from = output.join(format!("divvy_demo_{}.wasm", name.replace('-', "_")));
        place(&from, &guests.demo.join(format!("{name}.wasm")), ASSIGNOR_MAX_BYTES)?;
    }
    place(&output.join("examples").join(format!("{HELLO}.wasm")), &guests.hello, HELLO_MAX_BYTES)?;
    let example = |name: &str, folder: &Path, most: u64| {
        let file = format!("{name}.wasm");
        place(&output.join("examples").join(&file), &folder.join(&file), most)
    };
    for name in [EVEN, PARTS] {
        example(name, &public, HELLO_MAX_BYTES)?;
    }
    for name in WORK {
        example(name, &public.join("work"), ASSIGNOR_MAX_BYTES)?;
    }
    Ok(guests)
}

/// The folders of `folder` that are crates, in order.
fn crates(folder: &Path) -> Result<Vec<String>> {
    let entries = fs::read_dir(folder).with_context(|| format!("{} cannot be read", folder.display()))?;
    let mut names = Vec::new();
    for entry in entries {
        let path = entry?.path();
        if path.join("Cargo.toml").is_file() {
            names.extend(path.file_name().map(|name| name.to_string_lossy().into_owned()));
        }
    }
    names.sort();
    Ok(names)
}

/// Puts a module where it belongs, whole or not at all, and only if it changed: somebody may be watching the folder.
fn place(from: &Path, to: &Path, max_bytes: u64) -> Result<()> {
    let bytes = fs::read(from).with_context(|| format!("{} was not built", from.display()))?;
    let size = bytes.len() as u64;
    println!("    {:>7.1} KB  {}", size as f64 / 1024.0, to.strip_prefix(root()).unwrap_or(to).display());
    if size > max_bytes {
        bail!("{} has {size} bytes, at most {max_bytes} are allowed: avoid `format!` and maps of text", to.display());
    }
    if fs::read(to).is_ok_and(|old| old == bytes) {
        return Ok(());
    }
    let folder = to.parent().context("a module lies in a folder")?;
    fs::create_dir_all(folder).with_context(|| format!("{} cannot be made", folder.display()))?;
    let beside = to.with_extension("wasm.new");
    fs::write(&beside, bytes)
        .and_then(|()| fs::rename(&beside, to))
        .with_context(|| format!("{} cannot be written", to.display()))
}
