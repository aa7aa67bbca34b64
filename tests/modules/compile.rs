//! Compiled code: kept on disk, made by a process of its own, and never trusted further than it deserves.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use divvy::assignor::{Assignor, Budget, Export};
use divvy::sandbox::limits::MAX_CACHED_FILES;
use divvy::sandbox::{LoadError, LoadErrorKind, Metered, Module, Sandbox, SandboxLimits};
use tempfile::TempDir;

use crate::wat_modules::{GOOD, GOOD_REPLY, named, sandbox};

const BUDGET: Budget = Budget { deadline: Duration::from_secs(20), max_output: 1 << 20 };

/// The program, which compiles in children of itself.
const DIVVY: &str = env!("CARGO_BIN_EXE_divvy");

struct Ground {
    folder: TempDir,
    sandbox: Sandbox,
}

impl Ground {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap(), sandbox: sandbox() }
    }

    fn cache(&self) -> PathBuf {
        self.folder.path().join("compiled")
    }

    fn load(&self, bytes: &[u8]) -> Arc<Module> {
        self.sandbox.with_code_cache(self.cache()).load(bytes, Path::new("good.wasm")).unwrap()
    }

    fn file(&self) -> PathBuf {
        let mut files = fs::read_dir(self.cache()).unwrap().map(|entry| entry.unwrap().path());
        let file = files.next().expect("a file in the cache");
        assert_eq!(files.next(), None, "and no other");
        file
    }
}

fn assert_good(module: &Module) {
    assert_eq!(module.call(Export::Assign, b"request", BUDGET).unwrap(), GOOD_REPLY);
}

#[test]
fn a_module_is_compiled_once_and_found_by_every_process_after() {
    let ground = Ground::new();
    let bytes = GOOD.bytes();
    let first = ground.load(&bytes);
    assert!(!first.is_from_cache());
    assert_good(&first);
    let name = ground.file().file_name().unwrap().to_string_lossy().into_owned();
    assert!(name.starts_with(&format!("{}-", first.digest())) && name.ends_with(".cwasm"), "{name}");
    assert_eq!(fs::metadata(ground.cache()).unwrap().permissions().mode() & 0o777, 0o700);
    let other = Ground { folder: ground.folder, sandbox: sandbox() };
    let again = other.load(&bytes);
    assert!(again.is_from_cache());
    assert_good(&again);
}

/// Does harm to the cache's one file.
type Spoil = Box<dyn Fn()>;

#[test]
fn whatever_is_wrong_with_a_file_is_a_miss_and_a_good_one_takes_its_place() {
    let ground = Ground::new();
    let bytes = GOOD.bytes();
    ground.load(&bytes);
    let file = ground.file();
    let whole = fs::read(&file).unwrap();
    let other = Ground::new();
    other.load(&named("other", 1, "v1"));
    let strangers = fs::read(other.file()).unwrap();
    let flipped = |at: usize| {
        let mut bytes = whole.clone();
        bytes[at] ^= 1;
        bytes
    };
    let half = whole.len() / 2;
    let contents = [
        ("an empty file", Vec::new()),
        ("half a file", whole[..half].to_vec()),
        ("a file that goes on", [&whole[..], b"more"].concat()),
        ("a bit of its head", flipped(5)),
        ("a bit of its code", flipped(half)),
        ("a bit of its checksum", flipped(whole.len() - 12)),
        ("another layout", flipped(whole.len() - 1)),
        ("the code of another module", strangers),
        ("no code at all", b"#!/bin/sh\nexit 1\n".repeat(100)),
    ];
    let breaks: Vec<(&str, Spoil)> = contents
        .into_iter()
        .map(|(what, bytes)| {
            let file = file.clone();
            (what, Box::new(move || fs::write(&file, &bytes).unwrap()) as Spoil)
        })
        .chain([
            ("a file that others may write", {
                let file = file.clone();
                Box::new(move || fs::set_permissions(&file, Permissions::from_mode(0o666)).unwrap()) as Spoil
            }),
            ("a link", {
                let (file, elsewhere, whole) = (file.clone(), other.folder.path().join("elsewhere"), whole.clone());
                Box::new(move || {
                    fs::write(&elsewhere, &whole).unwrap();
                    fs::remove_file(&file).unwrap();
                    symlink(&elsewhere, &file).unwrap();
                })
            }),
        ])
        .collect();
    for (what, spoil) in breaks {
        spoil();
        let module = ground.load(&bytes);
        assert!(!module.is_from_cache(), "{what}");
        assert_good(&module);
        let module = ground.load(&bytes);
        assert!(module.is_from_cache(), "after {what}");
        assert_good(&module);
    }
}

#[test]
fn a_folder_that_others_may_write_is_not_used_and_no_error() {
    let ground = Ground::new();
    let bytes = GOOD.bytes();
    ground.load(&bytes);
    fs::set_permissions(ground.cache(), Permissions::from_mode(0o777)).unwrap();
    for _ in 0..2 {
        let module = ground.load(&bytes);
        assert!(!module.is_from_cache());
        assert_good(&module);
    }
    fs::set_permissions(ground.cache(), Permissions::from_mode(0o700)).unwrap();
    assert!(ground.load(&bytes).is_from_cache(), "the file was good all the time");
    fs::remove_dir_all(ground.cache()).unwrap();
    fs::write(ground.cache(), b"a file").unwrap();
    assert_good(&ground.load(&bytes));
}

/// Functions with so many local variables that are all alive in so many loops within loops: what compilers take badly.
fn entangled(functions: usize, locals: usize, loops: usize) -> Vec<u8> {
    let moves = |at: usize| format!("(loop (local.set {} (local.get {}))", (at * 7 + 1) % locals, at % locals);
    let nest: String = (0..loops).map(moves).collect();
    let ends = "(br_if 0 (i32.wrap_i64 (local.get 0))))".repeat(loops);
    GOOD.more(format!("(func (local {}) {nest} {ends})", "i64 ".repeat(locals)).repeat(functions)).bytes()
}

fn load_with(limits: SandboxLimits, bytes: &[u8]) -> Result<Arc<Module>, LoadError> {
    Sandbox::new(limits).unwrap().load(bytes, Path::new("assignors/large.wasm"))
}

#[test]
fn a_child_compiles_and_what_it_made_runs() {
    let ground = Ground {
        sandbox: Sandbox::new(SandboxLimits { compiler: Some(DIVVY.into()), ..SandboxLimits::default() }).unwrap(),
        ..Ground::new()
    };
    let bytes = GOOD.bytes();
    let module = ground.load(&bytes);
    assert_good(&module);
    let module = Ground { sandbox: sandbox(), ..ground }.load(&bytes);
    assert!(module.is_from_cache(), "what the child made is what this process would have made");
    assert_good(&module);
}

#[test]
fn a_module_that_takes_too_much_to_compile_is_refused_with_the_limit_and_the_remedy() {
    let limits = SandboxLimits { compiler: Some(DIVVY.into()), ..SandboxLimits::default() };
    let time = SandboxLimits { compile_time: Duration::from_secs(1), ..limits.clone() };
    let memory = SandboxLimits { compile_memory_bytes: 256 << 20, ..limits };
    let cases = [
        (time, entangled(10, 1_900, 600), "longer than 1 s"),
        (memory, entangled(1, 1_900, 1_500), "more than 256 MiB"),
    ];
    for (limits, bytes, words) in cases {
        let error = load_with(limits.clone(), &bytes).expect_err(words);
        if error.kind == LoadErrorKind::CompileEnded {
            // The child did not get its second of computing: the machine does other things, and that is said instead.
            assert!(error.message.contains("did not end in 6 s"), "{error}");
            continue;
        }
        assert_eq!(error.kind, LoadErrorKind::Compile, "{error}");
        let text = error.to_string();
        assert!(text.starts_with("assignors/large.wasm: ") && text.contains(words), "{text}");
        assert!(text.contains("sandbox limit compile_") && text.contains("split its largest functions"), "{text}");
        assert_good(&load_with(limits, &GOOD.bytes()).unwrap_or_else(|error| panic!("the next one: {error}")));
    }
}

#[test]
fn a_child_that_never_answers_is_ended() {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("silent");
    fs::write(&program, "#!/bin/sh\nexec sleep 1000\n").unwrap();
    fs::set_permissions(&program, Permissions::from_mode(0o755)).unwrap();
    let compile_time = Duration::from_millis(50);
    let limits = SandboxLimits { compiler: Some(program), compile_time, ..SandboxLimits::default() };
    let error = load_with(limits, &GOOD.bytes()).expect_err("nobody compiles it");
    assert_eq!(error.kind, LoadErrorKind::CompileEnded, "nothing is known of the module");
    assert!(error.message.contains("did not end in 0.3 s"), "{error}");
}

#[test]
fn what_counts_instructions_is_compiled_by_a_child_too() {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("divvy");
    let script = format!("#!/bin/sh\n[ \"$4\" = fuel ] && {{ echo no fuel >&2; exit 3; }}\nexec {DIVVY} \"$@\"\n");
    fs::write(&program, script).unwrap();
    fs::set_permissions(&program, Permissions::from_mode(0o755)).unwrap();
    let load = |program: &Path| {
        let limits = SandboxLimits { compiler: Some(program.to_owned()), ..SandboxLimits::default() };
        load_with(limits, &GOOD.bytes()).unwrap()
    };
    let refused = Metered::new(&load(&program)).err().expect("its compiler refuses").to_string();
    assert_eq!(refused, "its instructions cannot be counted: it cannot be compiled: no fuel");
    let cost = |module: &Module| Metered::new(module).unwrap().measure(Export::Assign, b"request", 100).1.fuel;
    let by_child = cost(&load(Path::new(DIVVY)));
    assert_eq!(by_child, cost(&load(Path::new("/no/such/program"))), "as this process would have made it");
    assert!(by_child.is_some());
}

#[test]
fn a_full_cache_loses_its_oldest_files() {
    let ground = Ground::new();
    let bytes = GOOD.bytes();
    ground.load(&named("first", 1, "v1"));
    let day = |number: u64| SystemTime::UNIX_EPOCH + Duration::from_hours(24 * number);
    let age = |path: &Path, at| fs::File::options().write(true).open(path).unwrap().set_modified(at).unwrap();
    age(&ground.file(), day(9));
    let others: Vec<_> = (1..=MAX_CACHED_FILES as u64).map(|number| (number, format!("{number}.cwasm"))).collect();
    for (number, name) in &others {
        let path = ground.cache().join(name);
        fs::write(&path, b"old").unwrap();
        age(&path, day(number + 10));
    }
    for stranger in ["README", "given-up.unfinished"] {
        fs::write(ground.cache().join(stranger), b"old").unwrap();
        age(&ground.cache().join(stranger), day(1));
    }
    ground.load(&bytes);
    let is_there = |name: &str| ground.cache().join(name).exists();
    assert!(ground.load(&bytes).is_from_cache(), "the newest is kept");
    assert!(!is_there("1.cwasm") && is_there("2.cwasm"), "one had to go for it, beside the one that was too many");
    assert!(!is_there("given-up.unfinished") && is_there("README"));
    assert!(!ground.load(&named("first", 1, "v1")).is_from_cache(), "the oldest of all");
}

#[test]
fn without_a_program_that_can_the_process_compiles_itself() {
    for program in ["/no/such/program", "/bin/false", "/bin/echo"] {
        let limits = SandboxLimits { compiler: Some(program.into()), ..SandboxLimits::default() };
        let module = load_with(limits, &GOOD.bytes()).unwrap_or_else(|error| panic!("{program}: {error}"));
        assert_good(&module);
    }
}
