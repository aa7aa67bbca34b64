//! Programs for the JVM: pinned jars from Maven Central, and one source file compiled against them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::shell::{quiet, root, target};
use crate::{apt, cache};

/// Debian's packages that bring `java` and `javac`, any version from 11 on.
const JDK: [&str; 1] = ["default-jdk-headless"];

/// The class path of the jars that a folder of `tests/interop` pins in its `pom.xml`, kept in `target/interop`.
pub fn jars(folder: &str) -> Result<String> {
    apt::program("java", &JDK)?;
    let pom = root().join("tests/interop").join(folder).join("pom.xml");
    let recipe = fs::read_to_string(&pom).with_context(|| format!("{} cannot be read", pom.display()))?;
    let place = target().join("interop").join(folder);
    cache::once(&place, &recipe, || {
        apt::program("mvn", &["maven"])?;
        let mut maven = Command::new("mvn");
        maven.args(["--quiet", "--batch-mode", "dependency:copy-dependencies", "--file"]).arg(&pom);
        maven.arg(format!("-DoutputDirectory={}", place.join("jars").display()));
        let fetched = quiet(&format!("get the jars of {folder}"), &mut maven);
        fetched.with_context(|| format!("Maven could not get the jars of {} (is there a network?)", pom.display()))?;
        Ok(())
    })?;
    Ok(place.join("jars/*").display().to_string())
}

/// Compiles `tests/interop/FOLDER/NAME.java` against its jars; gives back the class path of both.
pub fn compile(folder: &str, name: &str) -> Result<String> {
    let jars = jars(folder)?;
    apt::program("javac", &JDK)?;
    let source = root().join("tests/interop").join(folder).join(format!("{name}.java"));
    let recipe = fs::read_to_string(&source).with_context(|| format!("{} cannot be read", source.display()))?;
    let classes: PathBuf = target().join("interop").join(folder).join(format!("classes-{name}"));
    cache::once(&classes, &recipe, || javac(&source, &jars, &classes))?;
    Ok(format!("{}:{jars}", classes.display()))
}

fn javac(source: &Path, jars: &str, classes: &Path) -> Result<()> {
    let mut command = Command::new("javac");
    command.args(["-proc:none", "-cp", jars, "-d"]).arg(classes).arg(source);
    quiet(&format!("javac {}", source.display()), &mut command).map(drop)
}

/// A JVM that starts fast and stays small: what is tested is no throughput.
pub fn command(classpath: &str, class: &str) -> Command {
    command_with(&["-Xmx128m"], classpath, class)
}

/// The same with options of its own, the bound of its heap among them.
pub fn command_with(options: &[&str], classpath: &str, class: &str) -> Command {
    let mut command = Command::new("java");
    command.args(["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto"]).args(options);
    command.args(["-cp", classpath, class]);
    command
}
