//! The floors of the house: a module imports only from below, and from the few neighbours named here.

use super::Source;

/// The modules of the library, from the ground up.
const FLOORS: [&[&str]; 5] = [
    &["ids", "text", "time", "topics", "wire", "embedded"],
    &["group", "coordinator", "membership", "assignor", "lead", "whatif"],
    &["sandbox", "store"],
    &["peer", "server", "client", "admin"],
    &["cli"],
];

/// Who may import a neighbour on the same floor.
const NEIGHBOURS: [(&str, &str); 14] = [
    ("topics", "ids"),
    ("wire", "ids"),
    ("embedded", "ids"),
    ("embedded", "wire"),
    ("coordinator", "group"),
    ("membership", "assignor"),
    ("lead", "assignor"),
    ("lead", "membership"),
    ("whatif", "assignor"),
    ("whatif", "lead"),
    ("whatif", "membership"),
    ("admin", "server"),
    ("client", "peer"),
    ("server", "peer"),
];

/// Where one name is all that may be used of a module: API versions stop at `server/api`.
const ONLY: [(&str, &str, &str); 1] = [("group", "wire", "ErrorCode")];

/// One `crate::…` path in a file.
struct Import {
    line: usize,
    /// `wire`, then what is used of it, as far as the path says.
    module: String,
    item: String,
}

/// Every import that breaks the table.
pub fn check(sources: &[Source]) -> Vec<String> {
    let mut broken = Vec::new();
    for source in sources {
        let Some(module) = module_of(&source.path) else { continue };
        let Some(floor) = floor_of(module) else {
            broken.push(format!("{}:1: `{module}` stands on no floor (xtask/src/tidy/floors.rs)", source.path));
            continue;
        };
        for import in imports(&source.text) {
            if let Some(reason) = objection(module, floor, &import) {
                broken.push(format!("{}:{}: {reason}", source.path, import.line));
            }
        }
    }
    broken
}

/// The top module that a file belongs to; none for the roots and for what lies outside `src`.
fn module_of(path: &str) -> Option<&str> {
    let inside = path.strip_prefix("src/")?;
    let top = inside.split('/').next()?.trim_end_matches(".rs");
    (top != "lib" && top != "main").then_some(top)
}

fn floor_of(module: &str) -> Option<usize> {
    FLOORS.iter().position(|floor| floor.contains(&module))
}

fn objection(module: &str, floor: usize, import: &Import) -> Option<String> {
    let to = import.module.as_str();
    if to == module {
        return None;
    }
    // A name that is no module is something that lib.rs gives back out: its module is named by another line.
    let to_floor = floor_of(to)?;
    if let Some((_, _, only)) = ONLY.iter().find(|(from, of, _)| *from == module && *of == to)
        && import.item != *only
    {
        return Some(format!("`{module}` may use `crate::{to}::{only}` alone, not `crate::{to}::{}`", import.item));
    }
    let allowed = to_floor < floor || NEIGHBOURS.contains(&(module, to));
    (!allowed).then(|| format!("`{module}` (floor {floor}) may not import `crate::{to}` (floor {to_floor})"))
}

/// All `crate::` paths outside comments; groups in braces are taken apart.
fn imports(text: &str) -> Vec<Import> {
    let code: String = text.lines().map(|line| format!("{}\n", without_comment(line))).collect();
    let mut found = Vec::new();
    for (at, _) in code.match_indices("crate::") {
        let part_of_a_name = code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '$');
        if part_of_a_name {
            continue;
        }
        let line = code[..at].matches('\n').count() + 1;
        for path in expand(&code[at + "crate::".len()..]) {
            let mut names = path.split("::");
            let module = names.next().unwrap_or_default().trim().to_owned();
            let item = names.next().unwrap_or_default().trim().to_owned();
            found.push(Import { line, module, item });
        }
    }
    found
}

fn without_comment(line: &str) -> &str {
    line.find("//").map_or(line, |at| &line[..at])
}

/// `{a, b::{c, d}}` becomes `a`, `b::c`, `b::d`; a plain path ends where no path goes on.
fn expand(text: &str) -> Vec<String> {
    let mut prefix = String::new();
    for (at, c) in text.char_indices() {
        match c {
            '{' => {
                let parts = split(inside_braces(&text[at..]));
                let parts = parts.iter().flat_map(|part| expand(part.trim()));
                return parts.map(|part| format!("{prefix}{part}")).collect();
            }
            c if c.is_alphanumeric() || c == '_' || c == ':' || c == '*' => prefix.push(c),
            _ => break,
        }
    }
    vec![prefix]
}

/// What stands between the first brace and the one that closes it.
fn inside_braces(text: &str) -> &str {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 1 => return &text[1..at],
            '}' => depth -= 1,
            _ => {}
        }
    }
    text.trim_start_matches('{')
}

/// Splits at the commas that stand in no inner braces.
fn split(text: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0, 0);
    for (at, c) in text.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts.into_iter().filter(|part| !part.trim().is_empty()).collect()
}
