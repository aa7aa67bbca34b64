//! The SDKs and templates that this program carries in itself: `divvy-guest` is on no registry, so a new project gets its
//! sources, and needs nothing but this program and a compiler.

use include_dir::{Dir, DirEntry, include_dir};

use super::languages::Part;

static GUEST_SDK: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/guest-sdk");

/// What stands for what in a template's text.
#[derive(Clone, Copy, Debug)]
pub struct Words<'a> {
    /// The project's name, for `{{name}}`, and with `_` for `-` for `{{ident}}`.
    pub name: &'a str,
}

/// The files of the parts, each with its path in the project and its text; none if a part is not carried.
pub fn files(parts: &[Part], words: Words<'_>) -> Option<Vec<(String, Vec<u8>)>> {
    let mut files = Vec::new();
    for part in parts {
        let begin = files.len();
        match GUEST_SDK.get_entry(part.from)? {
            DirEntry::Dir(folder) => add(folder, part, &mut files),
            DirEntry::File(file) => files.push((part.to.to_owned(), file.contents().to_vec())),
        }
        if part.is_template() {
            files[begin..].iter_mut().for_each(|(_, bytes)| words.fill(bytes));
        }
    }
    Some(files)
}

fn add(folder: &Dir<'_>, part: &Part, files: &mut Vec<(String, Vec<u8>)>) {
    for entry in folder.entries() {
        match entry {
            DirEntry::Dir(inner) => add(inner, part, files),
            // The SDK's own tests stay with it; Go has them beside what they test.
            DirEntry::File(file) if file.path().to_string_lossy().ends_with("_test.go") => {}
            DirEntry::File(file) => {
                let below = file.path().strip_prefix(part.from).unwrap_or(file.path()).to_string_lossy();
                let path = if part.to.is_empty() { below.into_owned() } else { format!("{}/{below}", part.to) };
                files.push((path, file.contents().to_vec()));
            }
        }
    }
}

impl Words<'_> {
    fn fill(self, bytes: &mut Vec<u8>) {
        let Ok(text) = std::str::from_utf8(bytes) else { return };
        let text = text.replace("{{name}}", self.name).replace("{{ident}}", &self.name.replace('-', "_"));
        *bytes = text.replace("{{version}}", env!("CARGO_PKG_VERSION")).into_bytes();
    }
}
