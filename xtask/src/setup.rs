//! `cargo xtask setup`: finds a compiler for wasm32, or gets one: rustup's target first, else Debian's packages.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::apt;
use crate::shell::{ask, cargo, quiet, root};

/// The target of every guest.
pub const WASM: &str = "wasm32-unknown-unknown";

/// Debian's compiler and the standard library's source, built for the target on the way.
const DEBIAN_PACKAGES: [&str; 3] = ["rustc-web", "cargo-web", "rust-web-src"];

/// Forces one way: `rustup` or `debian`. Unset, whatever works first.
const CHOICE: &str = "DIVVY_WASM";

/// How guests are compiled on this machine.
#[derive(Debug)]
pub enum Compiler {
    /// The toolchain that runs us has the target.
    Own,
    /// Debian's packages, linking with our toolchain's linker.
    Debian {
        /// Our toolchain's `rust-lld`.
        linker: PathBuf,
    },
}

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
    match std::env::var(CHOICE).as_deref() {
        Ok("rustup") => rustup(),
        Ok("debian") => debian(),
        Ok(other) => bail!("{CHOICE}={other}: it may be `rustup` or `debian`; unset it to use whatever works"),
        Err(_) if has_target() => Ok(Compiler::Own),
        Err(_) => rustup().or_else(|no_rustup| {
            println!("    {no_rustup}; trying Debian's compiler");
            debian().with_context(|| format!("{no_rustup}, and Debian's compiler is no help"))
        }),
    }
}

impl Compiler {
    /// A cargo that compiles for [`WASM`], up to the arguments that say what.
    pub fn cargo(&self) -> Command {
        let mut command = match self {
            Compiler::Own => cargo(&["build", "--target", WASM]),
            Compiler::Debian { linker } => {
                let mut command = Command::new("/usr/bin/cargo");
                command.args(["build", "--target", WASM, "-Zbuild-std=std,panic_abort"]).current_dir(root());
                command.env("PATH", "/usr/bin:/bin").env("RUSTC_BOOTSTRAP", "1");
                command.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", linker);
                command
            }
        };
        // What our own cargo was told is not meant for the guests: their flags stand in .cargo/config.toml.
        for name in ["RUSTC", "RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS", "RUSTC_WRAPPER", "RUSTC_WORKSPACE_WRAPPER"] {
            command.env_remove(name);
        }
        command
    }

    /// What tells the two ways' outputs apart: they must not overwrite each other.
    pub fn folder(&self) -> &'static str {
        match self {
            Compiler::Own => "guests",
            Compiler::Debian { .. } => "guests-debian",
        }
    }
}

fn has_target() -> bool {
    sysroot().is_some_and(|sysroot| Path::new(&sysroot).join("lib/rustlib").join(WASM).join("lib").is_dir())
}

fn sysroot() -> Option<String> {
    ask("rustc", &["--print", "sysroot"])
}

fn rustup() -> Result<Compiler> {
    if ask("rustup", &["--version"]).is_none() {
        bail!("the target {WASM} is missing and there is no rustup to add it");
    }
    let added = quiet(&format!("rustup target add {WASM}"), Command::new("rustup").args(["target", "add", WASM]));
    if added.is_err() || !has_target() {
        bail!("`rustup target add {WASM}` failed (is there a network?)");
    }
    Ok(Compiler::Own)
}

fn debian() -> Result<Compiler> {
    let linker = linker()?;
    if !apt::installed(&DEBIAN_PACKAGES) {
        apt::install(&DEBIAN_PACKAGES).with_context(|| {
            format!("there is no compiler for {WASM} (`rustup target add {WASM}` would bring one, too)")
        })?;
    }
    Ok(Compiler::Debian { linker })
}

fn linker() -> Result<PathBuf> {
    let sysroot = sysroot().context("`rustc --print sysroot` does not answer: is rustc on the PATH?")?;
    let version = ask("rustc", &["-vV"]).context("`rustc -vV` does not answer")?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: ")).context("`rustc -vV` names no host")?;
    let linker = Path::new(&sysroot).join("lib/rustlib").join(host).join("bin/rust-lld");
    if !linker.is_file() {
        bail!("{} is missing: guests need the linker of a rustup toolchain (https://rustup.rs)", linker.display());
    }
    Ok(linker)
}
