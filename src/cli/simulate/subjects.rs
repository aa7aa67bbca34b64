//! The strategies that are named: files, modules of the folder by name, and the range that is built in.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Result;
use serde_json::{Map, Value};
use wasmparser::{Parser, Payload};

use super::refused::Refused;
use crate::assignor::{Assignor, Manifest, NATIVE};
use crate::cli::failure::{Failure, Kind};
use crate::cli::files;
use crate::cli::lead::settings::Settings;
use crate::cli::modules::Modules;
use crate::ids::Digest;
use crate::sandbox::{Sandbox, SandboxLimits, digest_of};
use crate::whatif::limits::MAX_MODULES;
use crate::whatif::{Gauge, Subject, Used};

/// The range that is built in.
const BUILT_IN: &str = "native";

/// The custom section of a manifest.
const SECTION: &str = "divvy.manifest";

/// What the operator names.
pub struct Named<'a> {
    /// The strategies to play.
    pub modules: &'a [String],
    /// What stands in for one that fails.
    pub fallback: Option<&'a str>,
}

/// Reads and compiles them, in the order in which they are named.
pub fn read(named: &Named<'_>, folder: &Modules, settings: &Settings, without_times: bool) -> Result<Vec<Subject>> {
    let names = named.modules;
    let config = &settings.config()?;
    let usage = |text: String| Failure::of(Kind::Usage, text);
    if names.is_empty() {
        return Err(usage("no strategy is named: name files, names in the folder of modules, or `native`".to_owned()));
    }
    if names.len() > MAX_MODULES {
        return Err(usage(format!("{} strategies are named: at most {MAX_MODULES} are played at once", names.len())));
    }
    let mut seen = BTreeSet::new();
    if let Some(twice) = names.iter().find(|name| !seen.insert(*name)) {
        return Err(usage(format!("{twice} is named twice: name each strategy once")));
    }
    let sandbox = Sandbox::new(SandboxLimits::of_author())?;
    let load = |name: &String, or_refused| subject(name, folder, &sandbox, (without_times, or_refused));
    let fallback = named.fallback.map(|name| load(&name.to_owned(), false)).transpose()?.map(|it| it.assignor);
    let mut subjects = names.iter().map(|name| load(name, fallback.is_some())).collect::<Result<Vec<_>>>()?;
    let all = subjects.iter().map(|it| &it.assignor).chain(&fallback);
    let known: BTreeSet<String> = all.map(|it| it.manifest().name.clone()).collect();
    if let Some(text) = settings.keys().find_map(|key| of_nobody(key, &known)) {
        return Err(usage(text));
    }
    let mut shown = BTreeSet::new();
    let of = |assignor: &Arc<dyn Assignor>| {
        let name = assignor.manifest().name.clone();
        let own = config_of(config, &name, &known);
        (!own.is_empty()).then_some((name, Value::Object(own)))
    };
    for (subject, named) in subjects.iter_mut().zip(names) {
        // Two files of one name in two folders are two lines.
        if !shown.insert(subject.name.clone()) {
            subject.name.clone_from(named);
        }
        subject.configs = [Some(&subject.assignor), fallback.as_ref()].into_iter().flatten().filter_map(of).collect();
        subject.fallback.clone_from(&fallback);
    }
    Ok(subjects)
}

/// What is wrong with a `--set` for a strategy that is not played.
fn of_nobody(key: &str, known: &BTreeSet<String>) -> Option<String> {
    let (of, rest) = key.split_once('.').filter(|(of, _)| !known.contains(*of))?;
    let played = known.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
    Some(format!(
        "--set {key}: no strategy {of} is played (there is {played}): name one of them, or write --set {rest}=… for all; a \
         setting whose own name has a dot stands in a --config file"
    ))
}

/// What a configuration has for one strategy: what stands under its name, and what stands under nobody's.
fn config_of(config: &Value, name: &str, known: &BTreeSet<String>) -> Map<String, Value> {
    let mut own = Map::new();
    for (key, value) in config.as_object().into_iter().flatten() {
        match key.split_once('.') {
            Some((of, key)) if known.contains(of) => {
                drop((of == name).then(|| own.insert(key.to_owned(), value.clone())))
            }
            _ if known.contains(key) && value.is_object() => {
                let fields = value.as_object().filter(|_| key == name).into_iter().flatten();
                own.extend(fields.map(|(key, value)| (key.clone(), value.clone())));
            }
            _ => drop(own.insert(key.clone(), value.clone())),
        }
    }
    own
}

fn subject(
    name: &str,
    folder: &Modules,
    sandbox: &Sandbox,
    (without_times, or_refused): (bool, bool),
) -> Result<Subject> {
    if name == BUILT_IN {
        return Ok(Subject::native(name));
    }
    let is_file = name.ends_with(".wasm") || name.contains(std::path::MAIN_SEPARATOR);
    let path = if is_file { Some(PathBuf::from(name)) } else { find(name, folder)? };
    let Some(path) = path else { return Ok(Subject::native(name)) };
    let short = path.file_stem().filter(|_| is_file).map(|stem| stem.to_string_lossy().into_owned());
    let short = short.unwrap_or_else(|| name.to_owned());
    let bytes = files::module(&path)?;
    let module = match sandbox.load(&bytes, &path) {
        Ok(module) => module,
        Err(error) => match manifest(&bytes).filter(|_| or_refused) {
            Some(manifest) => {
                let refused = Refused { manifest, why: error.to_string() };
                return Ok(Subject::new(short, Arc::new(refused), Arc::new(|| None)));
            }
            None => return Err(Failure::of(Kind::Failed, error.to_string())),
        },
    };
    let measured = Arc::clone(&module);
    let gauge: Gauge = match without_times {
        true => Arc::new(|| None),
        false => Arc::new(move || measured.last_call().map(|it| Used { took: it.took, memory: it.memory_peak })),
    };
    Ok(Subject::new(short, module, gauge))
}

/// The file of that name in the folder, its newest version; none for the built-in range where no file takes its place.
fn find(wanted: &str, folder: &Modules) -> Result<Option<PathBuf>> {
    let advice = "name the folder that holds its *.wasm file with --assignors, or the file itself as ./FILE.wasm";
    let folder = match folder.folder_for(advice) {
        Err(_) if wanted == NATIVE => return Ok(None),
        folder => folder?,
    };
    let (name, version) = match wanted.split_once('@') {
        Some((name, version)) => (name, version.parse::<u32>().ok()),
        None => (wanted, None),
    };
    let mut there = BTreeSet::new();
    let mut best: Option<(u32, PathBuf, Digest)> = None;
    let mut clash: Option<(u32, PathBuf)> = None;
    for path in wasm_files(&folder)? {
        let Ok(bytes) = files::module(&path) else { continue };
        let Some(manifest) = manifest(&bytes) else { continue };
        let fits = manifest.name == name && (wanted == name || version == Some(manifest.version));
        if fits {
            let digest = digest_of(&bytes);
            match &best {
                Some((version, ..)) if manifest.version < *version => {}
                Some((version, _, known)) if manifest.version == *version => {
                    if digest != *known {
                        clash = Some((manifest.version, path));
                    }
                }
                _ => best = Some((manifest.version, path, digest)),
            }
        }
        there.insert(manifest.name);
    }
    match best {
        Some((version, one, _)) if clash.as_ref().is_some_and(|(clashing, _)| *clashing == version) => {
            let other = clash.map(|(_, path)| path).unwrap_or_default();
            let text = format!(
                "{} and {} are different modules, and both say that they are {name}, version {version}; every member \
                 would refuse them: name one of the files, or give the newer one a higher version",
                one.display(),
                other.display()
            );
            Err(Failure::of(Kind::Failed, text))
        }
        Some((_, path, _)) => Ok(Some(path)),
        None if wanted == NATIVE => Ok(None),
        None if Path::new(wanted).is_dir() => {
            let text =
                format!("{wanted} is a folder, and no strategy's name: name a module in it, as {wanted}/NAME.wasm");
            Err(Failure::of(Kind::NotFound, text))
        }
        None => {
            let there = there.into_iter().collect::<Vec<_>>().join(", ");
            let there = if there.is_empty() { "no module".to_owned() } else { there };
            let shown = folder.display();
            let text =
                format!("there is no strategy {wanted} in {shown} (there is {there}); name a file as ./{wanted}.wasm");
            Err(Failure::of(Kind::NotFound, text))
        }
    }
}

/// In the order of their names, never of their times.
fn wasm_files(folder: &Path) -> Result<Vec<PathBuf>> {
    let unreadable = |error: std::io::Error| {
        Failure::of(Kind::Failed, format!("{} cannot be read ({error}): check the folder", folder.display()))
    };
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if path.extension().is_some_and(|end| end == "wasm") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// What a module says of itself, without compiling it; whoever loads it checks it.
fn manifest(bytes: &[u8]) -> Option<Manifest> {
    let sections = Parser::new(0).parse_all(bytes).map_while(Result::ok);
    sections.into_iter().find_map(|payload| match payload {
        Payload::CustomSection(section) if section.name() == SECTION => serde_json::from_slice(section.data()).ok(),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_setting_for_a_strategy_that_is_not_played_is_a_mistake() {
        let known = BTreeSet::from(["weighted".to_owned()]);
        assert!(
            of_nobody("wieghted.fact", &known).unwrap().contains("no strategy wieghted is played (there is weighted)")
        );
        assert!(["weighted.fact", "fact"].iter().all(|key| of_nobody(key, &known).is_none()));
    }

    #[test]
    fn a_setting_goes_to_the_strategy_that_it_names_or_to_all() {
        let known = BTreeSet::from(["weighted".to_owned(), "sticky".to_owned()]);
        let config = json!({ "weighted.fact": "cores", "a.b": 1, "sticky": { "x": 2 } });
        let of = |name| Value::Object(config_of(&config, name, &known));
        assert_eq!(of("weighted"), json!({ "fact": "cores", "a.b": 1 }));
        assert_eq!(of("sticky"), json!({ "x": 2, "a.b": 1 }));
    }
}
