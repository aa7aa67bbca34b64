//! Every bound of the sandbox, with the reason for its number.

use std::num::NonZero;
use std::path::PathBuf;
use std::time::Duration;

use super::error::SandboxError;

const MIB: usize = 1 << 20;

/// The largest file that an operator may allow: above it, compiling takes longer than anybody waits.
pub const MAX_MODULE_BYTES: usize = 32 * MIB;
/// The largest function body that an operator may allow: compile time is not linear in it (1.2 MB took 39 s and 2 GB).
pub const MAX_BODY_BYTES: usize = 256 << 10;
/// The largest memory that an operator may allow: the proposal's largest groups need some MiB.
pub const MAX_MEMORY_BYTES: usize = 1 << 30;
/// The same in MiB, as manifests and settings say it.
pub const MAX_MEMORY_MIB: u32 = 1 << 10;
/// The most memory that a manifest may ask for where the operator says nothing, in MiB: four times what a module has that asks
/// for nothing. It is taken from the process that keeps the groups, or a member's session. The shipped strategies ask for
/// nothing, and need 28 MiB at most with a million partitions.
pub const USUAL_MAX_MEMORY_MIB: u32 = 256;
/// Functions of a module, and items of any other section: more than any toolchain emits for a strategy, few enough
/// that the engine's own tables for them stay below some MiB.
pub const MAX_ITEMS: u32 = 20_000;
/// Data segments of a module: Go's linker leaves one for each stretch without zeros, more than twenty thousand.
pub const MAX_DATA_SEGMENTS: u32 = 65_536;
/// Local variables of one function: register allocation is not linear in them.
pub const MAX_LOCALS: u64 = 2_000;
/// Elements of a module's one table.
pub const MAX_TABLE_ELEMENTS: u32 = 10_000;
/// The stack of WebAssembly code: recursion deeper than this is a fault of its own kind.
pub const WASM_STACK_BYTES: usize = 512 << 10;
/// The manifest: a description and a schema, not a manual.
pub const MAX_MANIFEST_BYTES: usize = 64 << 10;
/// The manifest's name and protocol type: they travel in every JoinGroup.
pub const MAX_NAME_LENGTH: usize = 64;
/// Text that a guest may leave for the host when it panics (ABI 1).
pub const MAX_PANIC_TEXT: usize = 1_020;
/// How often a guest may be refused more memory before it is stopped. Allocators ask for double and then for less,
/// so one refusal is no fault; asking for ever is.
pub const MAX_REFUSED_GROWTHS: u32 = 64;
/// How often running code looks at the clock.
pub const TICK: Duration = Duration::from_millis(1);
/// A signature: four short lines.
pub const MAX_SIGNATURE_BYTES: u64 = 4 << 10;
/// Files that a catalog looks at, over all its folders.
pub const MAX_FILES: usize = 256;
/// What part of the files that a process may have open the modules' files may be, and beside them the older versions: each module
/// keeps one, and a server without a file left takes no connection.
const PART_OF_OPEN_FILES: u64 = 4;
/// Versions of a strategy that are offered: the newest, and the one to fall back to.
pub const OFFERED_VERSIONS: usize = 2;
/// Versions of a strategy that are offered below these while none of them has served: both may be broken in a group, and what
/// serves there is an older one.
pub const SPARE_VERSIONS: usize = 1;
/// Versions of a strategy that are offered besides, although a plan of each failed: on other groups or later each may do. A member
/// offers few names in all.
pub const FAILED_VERSIONS: usize = 4;
/// The time of one smoke call. Real strategies need a thousandth of it.
pub const SMOKE_DEADLINE: Duration = Duration::from_secs(1);
/// The most time that a module's manifest may ask for: a group stands still for as long, and ten times what the largest
/// groups take on a slow machine is a module that does not end.
pub const MAX_CALL_TIME: Duration = Duration::from_millis(MAX_CALL_MS as u64);
/// The same in milliseconds, as manifests and settings say it.
pub const MAX_CALL_MS: u32 = 10_000;
/// How long a call has run at least when it is ended because its module was retired: what a call has that asks for nothing. So
/// a roll-out in the midst of a plan ends none; what runs for seconds is what its file is deleted for.
pub const RETIRED_CALL_TIME: Duration = Duration::from_secs(1);
/// The time of a call of a module that ran into its deadline, in whichever group, and has not ended since: as many groups as
/// ask for it wait one after the other.
pub const SUSPECT_CALL_TIME: Duration = crate::assignor::limits::TELLING_CALL_TIME;
/// How long a call waits for its turn at least, however little time it has itself.
pub const LEAST_QUEUE_TIME: Duration = Duration::from_secs(1);
/// Calls that run at once at least, and how many more than there are cores: one module has all but the last place, so that one more
/// keeps it from leaving a core idle, and three that do not end leave a place.
const LEAST_CALLS: usize = 4;
/// The most calls that may run at once: each holds two slots of the pool.
const MAX_CALLS: usize = 256;
/// The longest reply to a smoke request; the largest one has a thousand members, each with a state.
pub const MAX_SMOKE_OUTPUT: usize = 16 * MIB;
/// How often a file that ran out of time in its smoke calls is tried: once more may just have met a busy machine.
pub const SMOKE_TRIES: u32 = 3;
/// A file whose compiling was ended from outside (a machine without memory, a stopped process) is tried again after so long each time:
/// what made the system end it is over by then, or stays.
pub const COMPILE_RETRIES: [Duration; 3] = [Duration::from_secs(5), Duration::from_secs(20), Duration::from_secs(60)];
/// Memory that a slot of the pool keeps between calls: page faults, not instructions, are the cost of large groups.
pub const KEEP_RESIDENT_BYTES: usize = 16 * MIB;
/// The same for a table.
pub const TABLE_KEEP_RESIDENT_BYTES: usize = 64 << 10;

/// In [`SandboxLimits::wasi_shim`]: whichever module it is. No module has such a name.
pub const ANY_MODULE: &str = "*";
/// The code of one module: three times the largest file, and room.
pub const MAX_CODE_BYTES: usize = 128 * MIB;
/// Files in a cache of compiled code: those of a full catalog, for two versions of divvy.
pub const MAX_CACHED_FILES: usize = 2 * MAX_FILES;
/// Bytes in a cache of compiled code: a Rust strategy is half a MiB.
pub const MAX_CACHED_BYTES: u64 = 512 << 20;
/// Threads of a process that compiles: more than these gain little, and each reserves memory.
pub const COMPILE_THREADS: usize = 4;
/// A process that compiles may live for as many times its time of computing: a busy machine is not the module's fault.
pub const COMPILE_PATIENCE: u32 = 6;

/// How many files a catalog looks at, and how many older versions it keeps, in a process that may have so many open.
pub fn most_files(open_files: Option<u64>) -> usize {
    let part = open_files.map_or(usize::MAX, |all| usize::try_from(all / PART_OF_OPEN_FILES).unwrap_or(usize::MAX));
    part.min(MAX_FILES)
}

/// The most that a manifest may ask for, in the units of manifests and settings (`module.max_call_ms`, `module.max_memory_mib`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ceilings {
    /// Time of one call, in milliseconds.
    pub call_ms: u32,
    /// Memory of one instance, in MiB.
    pub memory_mib: u32,
}

impl Default for Ceilings {
    fn default() -> Self {
        Self { call_ms: MAX_CALL_MS, memory_mib: USUAL_MAX_MEMORY_MIB }
    }
}

/// What an operator may set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SandboxLimits {
    /// The largest file, in bytes.
    pub module_bytes: usize,
    /// The largest function body, in bytes.
    pub body_bytes: usize,
    /// The memory of a module that does not ask for more, in bytes.
    pub memory_bytes: usize,
    /// The most memory that a module's manifest may ask for, in bytes: one that asks for more is refused.
    pub max_memory_bytes: usize,
    /// The time of one call of a module that does not ask for more: the group has no assignment meanwhile.
    pub call_time: Duration,
    /// The most time that a module's manifest may ask for: one that asks for more is refused.
    pub max_call_time: Duration,
    /// The longest request, in bytes.
    pub input_bytes: usize,
    /// How many calls run at once; the others wait.
    pub concurrency: usize,
    /// How long a call waits for its turn. Only modules that do not end, or an overload, reach it; its group has no plan meanwhile.
    pub queue_timeout: Duration,
    /// The names of modules that may import the ten functions of WASI that Go's runtime needs; [`ANY_MODULE`] is every one.
    pub wasi_shim: Vec<String>,
    /// The program divvy, whose children compile; none compiles in this process. The program itself says so with
    /// [`compile_in_children`](super::compile_in_children).
    pub compiler: Option<PathBuf>,
    /// How long compiling a module may compute, in whole seconds.
    pub compile_time: Duration,
    /// How much memory compiling a module may take, in bytes of address space.
    pub compile_memory_bytes: usize,
}

impl Default for SandboxLimits {
    fn default() -> Self {
        Self {
            module_bytes: 4 * MIB,
            body_bytes: 64 << 10,
            memory_bytes: 64 * MIB,
            max_memory_bytes: (USUAL_MAX_MEMORY_MIB as usize) << 20,
            call_time: Duration::from_secs(1),
            max_call_time: MAX_CALL_TIME,
            input_bytes: 64 * MIB,
            concurrency: (cores() + 1).clamp(LEAST_CALLS, MAX_CALLS),
            queue_timeout: Duration::from_secs(5),
            wasi_shim: Vec::new(),
            compiler: super::compile::program(),
            compile_time: Duration::from_secs(10),
            compile_memory_bytes: 1 << 30,
        }
    }
}

/// What computes at once here.
pub(super) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, NonZero::get)
}

impl SandboxLimits {
    /// For whoever looks at a module of their own: it may import and ask for what an operator could allow.
    pub fn of_author() -> Self {
        Self {
            wasi_shim: vec![ANY_MODULE.to_owned()],
            max_memory_bytes: MAX_MEMORY_BYTES,
            max_call_time: MAX_CALL_TIME,
            ..Self::default()
        }
    }

    /// The same with these ceilings. What a module has that asks for nothing is lowered with them, and never raised.
    #[must_use]
    pub fn below(self, ceilings: Ceilings) -> Self {
        let max_memory_bytes = (ceilings.memory_mib as usize).saturating_mul(MIB);
        let max_call_time = Duration::from_millis(ceilings.call_ms.into());
        Self {
            memory_bytes: self.memory_bytes.min(max_memory_bytes),
            max_memory_bytes,
            call_time: self.call_time.min(max_call_time),
            max_call_time,
            ..self
        }
    }

    /// Whether a module may import the functions of WASI.
    pub(super) fn allows_wasi(&self, name: &str) -> bool {
        self.wasi_shim.iter().any(|allowed| allowed == name || allowed == ANY_MODULE)
    }

    /// Slots of the pool: a call that ends and one that begins never wait for each other.
    pub(super) fn slots(&self) -> u32 {
        u32::try_from(self.concurrency).unwrap_or(u32::MAX).saturating_mul(2)
    }

    pub(super) fn check(&self) -> Result<(), SandboxError> {
        let between = |name, value, least, most| match (least..=most).contains(&value) {
            true => Ok(()),
            false => Err(SandboxError::Limit { name, value, least, most }),
        };
        between("module_bytes", self.module_bytes, 1, MAX_MODULE_BYTES)?;
        between("body_bytes", self.body_bytes, 1, MAX_BODY_BYTES)?;
        between("max_memory_bytes", self.max_memory_bytes, 64 << 10, MAX_MEMORY_BYTES)?;
        let ms = |time: Duration| usize::try_from(time.as_millis()).unwrap_or(usize::MAX);
        between("max_call_time", ms(self.max_call_time), 1, MAX_CALL_MS as usize)?;
        between("memory_bytes", self.memory_bytes, 64 << 10, self.max_memory_bytes)?;
        between("input_bytes", self.input_bytes, 1, MAX_MEMORY_BYTES)?;
        between("concurrency", self.concurrency, 1, MAX_CALLS)
    }
}
