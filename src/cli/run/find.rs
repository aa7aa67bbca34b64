//! The command is looked at before the group is joined: what can never be started is no failing worker. What a reason is
//! here would be exit code 126 or 127 of a shell, again and again.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use super::os;

/// Where the system looks for commands when nobody says it.
const USUAL_FOLDERS: &str = "/bin:/usr/bin";

/// Linux reads no more of a script's first line.
const MAX_FIRST_LINE_BYTES: u64 = 256;

/// Why this command cannot be started, with the remedy.
pub(super) fn find(command: &OsStr) -> Result<(), String> {
    find_in(command, &std::env::var_os("PATH").unwrap_or_else(|| USUAL_FOLDERS.into()))
}

fn find_in(command: &OsStr, folders: &OsStr) -> Result<(), String> {
    let file = match command.as_bytes().contains(&b'/') {
        true => PathBuf::from(command),
        false => look_up(command, folders)?,
    };
    executable(&file).map_err(|why| match why {
        Why::NoFile => format!("{} is no file: name the command to run after `--`", file.display()),
        Why::Folder => format!("{} is a folder: name the command to run after `--`", file.display()),
        Why::NotAllowed => format!(
            "{0} may not be executed: make it a program with `chmod +x {0}`, or name what runs it before it",
            file.display()
        ),
    })?;
    let Some(line) = first_line(&file) else { return Ok(()) };
    interpreted(&line, folders).map_err(|why| format!("{} cannot be run: its first line names {why}", file.display()))
}

/// Like a shell: the first file of that name that may be executed.
fn look_up(command: &OsStr, folders: &OsStr) -> Result<PathBuf, String> {
    let files = || std::env::split_paths(folders).map(|folder| folder.join(command));
    let name = Path::new(command).display();
    match files().find(|file| executable(file).is_ok()) {
        Some(file) => Ok(file),
        None => Err(match files().find(|file| executable(file) == Err(Why::NotAllowed)) {
            Some(file) => format!("{} may not be executed, and there is no other {name} in $PATH", file.display()),
            None => format!("there is no command {name} in $PATH: name one that there is, or its file with `./`"),
        }),
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Why {
    NoFile,
    Folder,
    NotAllowed,
}

fn executable(file: &Path) -> Result<(), Why> {
    match std::fs::metadata(file) {
        Ok(meta) if meta.is_dir() => Err(Why::Folder),
        Ok(meta) if meta.is_file() && os::may_execute(file) => Ok(()),
        Ok(meta) if meta.is_file() => Err(Why::NotAllowed),
        Err(error) if error.kind() == ErrorKind::PermissionDenied => Err(Why::NotAllowed),
        Ok(_) | Err(_) => Err(Why::NoFile),
    }
}

/// What stands behind `#!` in a script. None of what is no script, or may be executed and not read.
fn first_line(file: &Path) -> Option<Vec<u8>> {
    let mut head = Vec::new();
    File::open(file).ok()?.take(MAX_FIRST_LINE_BYTES).read_to_end(&mut head).ok()?;
    let line = head.strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next()?;
    Some(line.to_vec())
}

/// Whether what a script's first line names is there; also the command that `env` looks for.
fn interpreted(line: &[u8], folders: &OsStr) -> Result<(), String> {
    let mut words = line.split(|byte| matches!(byte, b' ' | b'\t')).filter(|word| !word.is_empty());
    let text = |word: &[u8]| OsString::from_vec(word.to_vec());
    let Some(program) = words.next().map(text) else { return Ok(()) };
    if program.as_bytes().ends_with(b"\r") {
        return Err(
            "a program whose name ends with a carriage return: save it with the ends of lines of Unix".to_owned()
        );
    }
    let program = Path::new(&program);
    let is_env = program.file_name().is_some_and(|name| name == "env");
    executable(program).map_err(|why| match why {
        Why::NotAllowed => format!("{}, which may not be executed", program.display()),
        Why::NoFile | Why::Folder => format!("{}, which is no file: install it, or name another", program.display()),
    })?;
    match words.next().filter(|word| is_env && !word.starts_with(b"-") && !word.contains(&b'=')) {
        Some(command) if !command.contains(&b'/') => {
            let command = text(command);
            look_up(&command, folders).map(|_| ()).map_err(|why| format!("env, and {why}"))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn what_can_never_be_started_is_told_with_its_reason() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let write = |name: &str, mode: u32, text: &str| {
            fs::write(at(name), text).unwrap();
            fs::set_permissions(at(name), fs::Permissions::from_mode(mode)).unwrap();
        };
        write("plain", 0o755, "echo a shell takes it\n");
        write("sh", 0o755, "#!/bin/sh\n");
        write("spaced", 0o755, "#! \t/usr/bin/env sh -e\n");
        write("unnamed", 0o755, "#!\n");
        write("closed", 0o644, "#!/bin/sh\n");
        write("lost", 0o755, "#!/nope/interpreter -x\n");
        write("windows", 0o755, "#!/bin/sh\r\necho\r\n");
        write("env", 0o755, "#!/usr/bin/env no-such-language\n");
        write("envs", 0o755, "#!/usr/bin/env -S no-such-language --now\n");
        write("folder-as-one", 0o755, &format!("#!{}\n", folder.path().display()));
        fs::create_dir(at("folder")).unwrap();

        let path = std::env::join_paths([at(""), "/bin".into(), "/usr/bin".into()]).unwrap();
        let find = |command: &OsStr| find_in(command, &path).err().unwrap_or_default();
        let both = |name: &str| (find(at(name).as_os_str()), find(OsStr::new(name)));
        for good in ["plain", "sh", "spaced", "unnamed", "envs"] {
            assert_eq!(both(good), (String::new(), String::new()), "{good}");
        }
        let reasons = [
            ("gone", "is no file", "there is no command gone in $PATH"),
            ("folder", "is a folder", "there is no command folder in $PATH"),
            ("closed", "may not be executed: make it a program with `chmod +x ", "there is no other closed in $PATH"),
            ("lost", "/nope/interpreter, which is no file", "/nope/interpreter, which is no file"),
            ("windows", "carriage return", "carriage return"),
            ("env", "there is no command no-such-language", "there is no command no-such-language"),
            ("folder-as-one", "which is no file", "which is no file"),
        ];
        for (name, by_path, by_name) in reasons {
            let told = both(name);
            assert!(told.0.contains(by_path) && told.1.contains(by_name), "{told:?}");
        }
        // The system goes on looking, too.
        let behind = std::env::join_paths([at("folder"), at("")]).unwrap();
        write("folder/sh", 0o644, "");
        assert_eq!(find_in(OsStr::new("sh"), &behind), Ok(()));
    }
}
