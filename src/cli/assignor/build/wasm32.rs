//! A Rust compiler for wasm32: the toolchain's own target, one that rustup adds, or Debian's packages. Nothing but std, so that
//! `cargo xtask guests` and `divvy assignor build` share the file.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The target of every module.
pub const TARGET: &str = "wasm32-unknown-unknown";

/// Debian's compiler and the standard library's source, built for the target on the way.
pub const DEBIAN_PACKAGES: [&str; 3] = ["rustc-web", "cargo-web", "rust-web-src"];

/// Forces one way: `rustup` or `debian`. Unset, whatever works first.
pub const CHOICE: &str = "DIVVY_WASM";

/// How modules are compiled on this machine.
#[derive(Debug)]
pub enum Compiler {
    /// The toolchain on the PATH has the target.
    Own,
    /// Debian's packages, linking with the toolchain's linker.
    Debian {
        /// The toolchain's `rust-lld`.
        linker: PathBuf,
    },
}

/// What a search for a compiler may do on the way.
pub trait Means {
    /// Runs `rustup target add`, which loads the target from the network.
    fn add_target(&self, command: &mut Command) -> Result<(), String>;
    /// Sees to it that Debian's packages are there, or says how they would be.
    fn debian(&self, packages: &[&str]) -> Result<(), String>;
    /// Says why another way is tried.
    fn say(&self, what: &str);
}

/// Finds a compiler, as the toolchain of a folder has it.
pub fn compiler(folder: &Path, means: &dyn Means) -> Result<Compiler, String> {
    match std::env::var(CHOICE).as_deref() {
        Ok("rustup") => rustup(folder, means),
        Ok("debian") => debian(folder, means),
        Ok(other) => Err(format!("{CHOICE}={other}: it may be `rustup` or `debian`; unset it to use whatever works")),
        Err(_) if has_target(folder) => Ok(Compiler::Own),
        Err(_) => rustup(folder, means).or_else(|no_rustup| {
            means.say(&format!("{no_rustup}; trying Debian's compiler"));
            debian(folder, means)
                .map_err(|no_debian| format!("{no_rustup}, and Debian's compiler is no help: {no_debian}"))
        }),
    }
}

impl Compiler {
    /// A cargo that compiles for [`TARGET`], up to the arguments that say what; `own` is the toolchain's cargo, without
    /// arguments.
    pub fn cargo(&self, own: Command) -> Command {
        let mut command = match self {
            Compiler::Own => own,
            Compiler::Debian { .. } => {
                let mut command = Command::new("/usr/bin/cargo");
                if let Some(folder) = own.get_current_dir() {
                    command.current_dir(folder);
                }
                command
            }
        };
        command.args(["build", "--target", TARGET]);
        if let Compiler::Debian { linker } = self {
            command.arg("-Zbuild-std=std,panic_abort");
            command.env("PATH", "/usr/bin:/bin").env("RUSTC_BOOTSTRAP", "1");
            command.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", linker);
        }
        // What our own cargo was told is not meant for modules: their flags stand in .cargo/config.toml.
        for name in ["RUSTC", "RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS", "RUSTC_WRAPPER", "RUSTC_WORKSPACE_WRAPPER"] {
            command.env_remove(name);
        }
        command
    }

    /// What tells the two ways' outputs apart: they must not overwrite each other.
    pub fn folder(&self, base: &str) -> String {
        match self {
            Compiler::Own => base.to_owned(),
            Compiler::Debian { .. } => format!("{base}-debian"),
        }
    }
}

/// The toolchain's cargo, for a folder. What another cargo told us of its own package is not for what is built now.
pub fn cargo(folder: &Path) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(folder);
    for (name, _) in std::env::vars_os() {
        if name.to_str().is_some_and(|name| name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_")) {
            command.env_remove(name);
        }
    }
    command
}

fn has_target(folder: &Path) -> bool {
    sysroot(folder).is_some_and(|sysroot| Path::new(&sysroot).join("lib/rustlib").join(TARGET).join("lib").is_dir())
}

fn sysroot(folder: &Path) -> Option<String> {
    ask(folder, "rustc", &["--print", "sysroot"])
}

fn rustup(folder: &Path, means: &dyn Means) -> Result<Compiler, String> {
    if ask(folder, "rustup", &["--version"]).is_none() {
        return Err(format!("the target {TARGET} is missing and there is no rustup to add it (https://rustup.rs)"));
    }
    let mut command = Command::new("rustup");
    let added = means.add_target(command.args(["target", "add", TARGET]).current_dir(folder));
    if added.is_err() || !has_target(folder) {
        return Err(format!("`rustup target add {TARGET}` failed (is there a network?)"));
    }
    Ok(Compiler::Own)
}

fn debian(folder: &Path, means: &dyn Means) -> Result<Compiler, String> {
    let linker = linker(folder)?;
    means.debian(&DEBIAN_PACKAGES)?;
    Ok(Compiler::Debian { linker })
}

fn linker(folder: &Path) -> Result<PathBuf, String> {
    let silent = |command: &str| format!("`{command}` does not answer: is rustc on the PATH?");
    let sysroot = sysroot(folder).ok_or_else(|| silent("rustc --print sysroot"))?;
    let version = ask(folder, "rustc", &["-vV"]).ok_or_else(|| silent("rustc -vV"))?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: ")).ok_or("`rustc -vV` names no host")?;
    let linker = Path::new(&sysroot).join("lib/rustlib").join(host).join("bin/rust-lld");
    match linker.is_file() {
        true => Ok(linker),
        false => Err(format!(
            "{} is missing: modules need the linker of a rustup toolchain (https://rustup.rs)",
            linker.display()
        )),
    }
}

/// What a short command prints; none if it failed or is not there.
fn ask(folder: &Path, program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).current_dir(folder).stdin(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
