//! `cargo xtask setup`: finds a compiler for wasm32, or gets one: rustup's target first, else Debian's packages.

use std::process::Command;

use anyhow::{Error, Result};

use crate::apt;
use crate::shell::{quiet, root};
use wasm32::DEBIAN_PACKAGES;
pub use wasm32::{Compiler, TARGET as WASM};

#[path = "../../src/cli/assignor/build/wasm32.rs"]
mod wasm32;

/// Says which compiler builds guests, and installs one if need be.
pub fn run(_: &[String]) -> Result<()> {
    match compiler()? {
        Compiler::Own => println!("guests are built by this toolchain: it has {WASM}"),
        Compiler::Debian { linker } => {
            println!("guests are built by Debian's {} with {}", DEBIAN_PACKAGES.join(", "), linker.display());
        }
    }
    Ok(())
}

/// A compiler for the guests.
pub fn compiler() -> Result<Compiler> {
    wasm32::compiler(&root(), &Means).map_err(Error::msg)
}

/// A cargo that compiles guests, up to the arguments that say what.
pub fn guest_cargo(compiler: &Compiler) -> Command {
    compiler.cargo(wasm32::cargo(&root()))
}

/// Loads and installs what is missing.
struct Means;

impl wasm32::Means for Means {
    fn add_target(&self, command: &mut Command) -> Result<(), String> {
        quiet(&format!("rustup target add {WASM}"), command).map(drop).map_err(|error| format!("{error:#}"))
    }

    fn debian(&self, packages: &[&str]) -> Result<(), String> {
        if apt::installed(packages) {
            return Ok(());
        }
        apt::install(packages).map_err(|error| {
            format!("there is no compiler for {WASM} (`rustup target add {WASM}` would bring one, too): {error:#}")
        })
    }

    fn say(&self, what: &str) {
        println!("    {what}");
    }
}
