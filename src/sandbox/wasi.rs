//! The ten functions of WASI that Go's runtime cannot do without, made so that they tell nothing: the same request gives the same
//! reply on every machine, and nothing of the host can be reached.
//!
//! Only modules that the operator names get them ([`super::SandboxLimits::wasi_shim`]). The clock is a counter that begins at 1 ms
//! and goes on by 1 µs with each look, since Go's runtime stops when no time passes; random bytes are SplitMix64 of the request's
//! seed; what is printed becomes diagnostics; there are no arguments and no environment; nothing else is there.

use divvy_guest::abi::msgpack::{Malformed, Reader, Writer};
use divvy_guest::abi::{MAX_DIAG_BYTES, MAX_DIAG_LINES};
use wasmtime::{Caller, Extern, Linker};

use super::guard::Guard;
use crate::text::one_line;

/// The module that these imports name.
pub(super) const MODULE: &str = "wasi_snapshot_preview1";

/// What a module may import from it.
pub(super) const FUNCTIONS: [&str; 10] = [
    "args_get",
    "args_sizes_get",
    "clock_time_get",
    "environ_get",
    "environ_sizes_get",
    "fd_write",
    "poll_oneoff",
    "proc_exit",
    "random_get",
    "sched_yield",
];

/// What every module of Go's imports, and no other compiler's: its scheduler.
const GOS_OWN: [&str; 2] = ["poll_oneoff", "sched_yield"];

/// How to do without imports that nobody gets, for a module that imports these functions as well.
pub(super) fn without(functions: &[&str]) -> &'static str {
    match GOS_OWN.iter().all(|own| functions.contains(own)) {
        true => {
            "in Go leave out what needs files or the system (the packages fmt, log, os, time and encoding/json do); println, errors, \
             strconv, strings, sort and slices do without"
        }
        false => "build it for wasm32-unknown-unknown, without clocks, random numbers, files or wasm-bindgen",
    }
}

const SUCCESS: i32 = 0;
const BADF: i32 = 8;
const FAULT: i32 = 21;
const INVAL: i32 = 28;
const NOSYS: i32 = 52;

/// Bytes of what `poll_oneoff` takes and gives.
const SUBSCRIPTION: usize = 48;
const EVENT: usize = 32;

/// Where the clock begins, and how far a look moves it, in nanoseconds.
const CLOCK_START: u64 = 1_000_000;
const CLOCK_STEP: u64 = 1_000;
/// What is kept of what a module prints: as much as a host keeps of diagnostics.
const MAX_PRINTED: usize = MAX_DIAG_BYTES;
/// Buffers of one write, and bytes of one random read: Go asks for one buffer, and for some dozens of bytes.
const MAX_BUFFERS: usize = 64;
const MAX_RANDOM: usize = 64 << 10;

/// What the functions remember during one call.
pub(super) struct Wasi {
    clock: u64,
    random: u64,
    printed: Vec<u8>,
    /// The code with which the module ended itself.
    pub exited: Option<i32>,
}

impl Wasi {
    /// For a call with this request; one without a seed counts as one whose seed is 0.
    pub fn new(request: &[u8]) -> Self {
        Self { clock: CLOCK_START, random: seed(request).unwrap_or(0), printed: Vec::new(), exited: None }
    }

    fn look(&mut self) -> u64 {
        let now = self.clock;
        self.clock = self.clock.wrapping_add(CLOCK_STEP);
        now
    }

    fn next_random(&mut self) -> u64 {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.random;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// What it printed, in one line, if it printed anything.
    pub fn said(&self) -> Option<String> {
        let text = one_line(&String::from_utf8_lossy(&self.printed), super::limits::MAX_PANIC_TEXT);
        (!text.is_empty()).then_some(text)
    }

    /// The reply with a diagnostic line for each line that was printed; as it is when nothing was, or when it is no reply.
    pub fn with_lines(&self, reply: Vec<u8>) -> Vec<u8> {
        if self.printed.is_empty() {
            return reply;
        }
        self.add_lines(&reply).unwrap_or(reply)
    }

    fn add_lines(&self, reply: &[u8]) -> Result<Vec<u8>, Malformed> {
        let mut from = Reader::new(reply);
        from.fields(3, "a reply of 3 items")?;
        from.skip_many(2)?;
        let head = from.position();
        let already = from.array("diagnostic lines")?;
        let behind = from.position();
        from.skip_many(already)?;
        let end = from.position();
        let printed = String::from_utf8_lossy(&self.printed);
        let lines: Vec<String> = printed
            .lines()
            .map(|line| one_line(line, MAX_PRINTED))
            .filter(|line| !line.is_empty())
            .take(MAX_DIAG_LINES)
            .collect();
        let mut whole = reply[..head].to_vec();
        Writer::new(&mut whole).array(already + lines.len());
        whole.extend_from_slice(&reply[behind..end]);
        let mut to = Writer::new(&mut whole);
        for line in &lines {
            to.array(2);
            to.text("info");
            to.text(line);
        }
        whole.extend_from_slice(&reply[end..]);
        Ok(whole)
    }
}

/// The second item of a request for a plan.
fn seed(request: &[u8]) -> Option<u64> {
    let mut from = Reader::new(request);
    from.fields(2, "a request").ok()?;
    from.unsigned("the minor version").ok()?;
    from.unsigned("the seed").ok()
}

/// Adds the functions; a module that imports nothing takes no notice.
pub(super) fn link(to: &mut Linker<Guard>) -> wasmtime::Result<()> {
    type Of<'a> = Caller<'a, Guard>;
    let nothing = |mut caller: Of<'_>, count: i32, bytes: i32| {
        let zero = 0_u32.to_le_bytes();
        store(&mut caller, count, &zero)
            .and_then(|()| store(&mut caller, bytes, &zero))
            .map_or_else(|code| code, |()| SUCCESS)
    };
    to.func_wrap(MODULE, "args_sizes_get", nothing)?;
    to.func_wrap(MODULE, "environ_sizes_get", nothing)?;
    to.func_wrap(MODULE, "args_get", |_: i32, _: i32| SUCCESS)?;
    to.func_wrap(MODULE, "environ_get", |_: i32, _: i32| SUCCESS)?;
    to.func_wrap(MODULE, "sched_yield", || SUCCESS)?;
    to.func_wrap(MODULE, "clock_time_get", |mut caller: Of<'_>, _: i32, _: i64, at: i32| {
        let now = caller.data_mut().wasi.look().to_le_bytes();
        store(&mut caller, at, &now).map_or_else(|code| code, |()| SUCCESS)
    })?;
    to.func_wrap(MODULE, "random_get", |mut caller: Of<'_>, at: i32, length: i32| {
        let length = length.cast_unsigned() as usize;
        if length > MAX_RANDOM {
            return INVAL;
        }
        let wasi = &mut caller.data_mut().wasi;
        let bytes: Vec<u8> =
            (0..length.div_ceil(8)).flat_map(|_| wasi.next_random().to_le_bytes()).take(length).collect();
        store(&mut caller, at, &bytes).map_or_else(|code| code, |()| SUCCESS)
    })?;
    to.func_wrap(MODULE, "fd_write", |mut caller: Of<'_>, file: i32, buffers: i32, count: i32, written: i32| {
        if ![1, 2].contains(&file) {
            return BADF;
        }
        write(&mut caller, buffers, count, written).map_or_else(|code| code, |()| SUCCESS)
    })?;
    to.func_wrap(MODULE, "poll_oneoff", |mut caller: Of<'_>, wanted: i32, events: i32, count: i32, happened: i32| {
        if count != 1 {
            return NOSYS;
        }
        sleep(&mut caller, wanted, events, happened).map_or_else(|code| code, |()| SUCCESS)
    })?;
    to.func_wrap(MODULE, "proc_exit", |mut caller: Of<'_>, code: i32| -> wasmtime::Result<()> {
        caller.data_mut().wasi.exited = Some(code);
        Err(wasmtime::Error::msg(format!("it ended itself with code {code}")))
    })?;
    Ok(())
}

/// The memory from an address on.
fn memory<'c>(caller: &'c mut Caller<'_, Guard>, at: i32) -> Result<&'c mut [u8], i32> {
    let memory = caller.get_export("memory").and_then(Extern::into_memory).ok_or(FAULT)?;
    let at = usize::try_from(at.cast_unsigned()).map_err(|_| FAULT)?;
    memory.data_mut(caller).get_mut(at..).ok_or(FAULT)
}

fn store(caller: &mut Caller<'_, Guard>, at: i32, bytes: &[u8]) -> Result<(), i32> {
    memory(caller, at)?.get_mut(..bytes.len()).ok_or(FAULT)?.copy_from_slice(bytes);
    Ok(())
}

/// Nobody waits in here: a sleep is over at once, and the clock has gone on by it. Go's runtime sleeps on the way to telling of a
/// panic, and would tell of the sleep instead.
fn sleep(caller: &mut Caller<'_, Guard>, wanted: i32, events: i32, happened: i32) -> Result<(), i32> {
    let (wanted, _) = memory(caller, wanted)?.split_first_chunk::<SUBSCRIPTION>().ok_or(FAULT)?;
    let (mut event, mut timeout) = ([0; EVENT], [0; 8]);
    // What the guest calls it, then which kind it is: of a clock, with its time, is 0.
    event[..8].copy_from_slice(&wanted[..8]);
    timeout.copy_from_slice(&wanted[24..32]);
    if wanted[8] != 0 {
        return Err(NOSYS);
    }
    let wasi = &mut caller.data_mut().wasi;
    wasi.clock = wasi.clock.wrapping_add(u64::from_le_bytes(timeout));
    store(caller, events, &event)?;
    store(caller, happened, &1_u32.to_le_bytes())
}

fn write(caller: &mut Caller<'_, Guard>, buffers: i32, count: i32, written: i32) -> Result<(), i32> {
    let count = count.cast_unsigned() as usize;
    if count > MAX_BUFFERS {
        return Err(INVAL);
    }
    let table = memory(caller, buffers)?.get(..8 * count).ok_or(FAULT)?.to_vec();
    let mut whole = 0_u32;
    for buffer in table.chunks_exact(8) {
        let number = |at: usize| i32::from_le_bytes([buffer[at], buffer[at + 1], buffer[at + 2], buffer[at + 3]]);
        let length = number(4).cast_unsigned();
        let room = MAX_PRINTED.saturating_sub(caller.data().wasi.printed.len());
        let text = memory(caller, number(0))?.get(..length as usize).ok_or(FAULT)?;
        // What is beyond the room is written and forgotten.
        let kept = text[..text.len().min(room)].to_vec();
        caller.data_mut().wasi.printed.extend(kept);
        whole = whole.wrapping_add(length);
    }
    store(caller, written, &whole.to_le_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_imports_too_much_is_told_how_its_own_language_does_without() {
        assert!(without(&FUNCTIONS).starts_with("in Go leave out"));
        // What Rust's and C's libraries for WASI import of these.
        assert!(
            without(&["environ_get", "environ_sizes_get", "fd_write", "proc_exit"]).contains("wasm32-unknown-unknown")
        );
    }

    #[test]
    fn time_passes_and_dice_fall_by_the_requests_seed() {
        let mut wasi = Wasi::new(&[0x92, 0, 7]);
        assert_eq!([wasi.look(), wasi.look()], [1_000_000, 1_001_000]);
        let rolled = wasi.next_random();
        assert_eq!(rolled, Wasi::new(&[0x92, 0, 7]).next_random());
        assert_ne!(rolled, Wasi::new(&[0x92, 0, 8]).next_random());
        assert_eq!(Wasi::new(b"no request").random, 0);
    }

    #[test]
    fn what_is_printed_joins_the_lines_of_the_reply() {
        let mut wasi = Wasi::new(&[]);
        let reply = b"\x93\x00\xc0\x91\x92\xa4warn\xa1x".to_vec();
        assert_eq!(wasi.with_lines(reply.clone()), reply);
        wasi.printed = b"one\n\ntwo\x1b\n".to_vec();
        let with_lines = b"\x93\x00\xc0\x93\x92\xa4warn\xa1x\x92\xa4info\xa3one\x92\xa4info\xa9two\\u{1b}";
        assert_eq!(wasi.with_lines(reply), with_lines);
        assert_eq!(wasi.said().as_deref(), Some("one  two\\u{1b}"));
        assert_eq!(wasi.with_lines(b"no reply".to_vec()), b"no reply");
    }
}
