//! Names the fault of a call by the type of what stopped it, never by its text.

use std::collections::BTreeSet;
use std::fmt::Write;

use wasmtime::{Trap, WasmBacktrace};

use super::guard::Guard;
use super::limits::MAX_TABLE_ELEMENTS;
use crate::assignor::{CallError, FaultKind};
use crate::text::one_line;

/// Functions of a backtrace that are named; the fault is near the first ones.
const NAMED_FRAMES: usize = 6;
/// So many frames of a backtrace, of so few functions, are a recursion; the engine keeps 20.
const RECURSION: (usize, usize) = (16, 3);
/// A function's name, mangled, may be kilobytes.
const NAME_CHARS: usize = 80;

/// The fault that stopped `export`; `said` is what the guest left in `divvy_panic`.
pub(super) fn of(stop: &wasmtime::Error, guard: &Guard, export: &str, said: Option<String>) -> CallError {
    let trap = stop.downcast_ref::<Trap>();
    let cause = stop.root_cause();
    let (kind, mut message) = match trap {
        Some(Trap::Interrupt) if guard.was_retired => (
            FaultKind::Missing,
            format!("{export} was ended: its module was retired while it ran, since its file was removed or replaced"),
        ),
        Some(Trap::Interrupt) => {
            let ms = guard.deadline.as_millis();
            (FaultKind::Deadline, format!("{export} ran longer than its {ms} ms"))
        }
        Some(Trap::StackOverflow) => (FaultKind::Stack, format!("{export} nested its calls too deep")),
        _ if guard.memory_refused > 0 => (
            FaultKind::Memory,
            format!("{export} wanted more than its {} MiB of memory ({cause})", guard.memory_limit >> 20),
        ),
        _ if guard.table_refused > 0 => {
            (FaultKind::Table, format!("{export} wanted a table of more than {MAX_TABLE_ELEMENTS} elements ({cause})"))
        }
        Some(trap) => (FaultKind::Trap, format!("{export} stopped with {trap}")),
        None => (FaultKind::Trap, format!("{export} stopped: {cause}")),
    };
    if let Some(said) = said {
        // Writing into a String cannot fail.
        let _ = write!(message, "; it said: {said}");
    }
    let trace = stop.downcast_ref::<WasmBacktrace>();
    if let Some(names) = trace.and_then(backtrace) {
        let _ = write!(message, "; in {names}");
    }
    // The stack of compiled languages lies at the beginning of the memory, and what grows out of it is below address 0.
    if trap == Some(&Trap::MemoryOutOfBounds) && trace.is_some_and(is_recursion) {
        message.push_str(
            "; it calls itself so often that its own stack may be too small: nest less, or link with more (-zstack-size, in Rust's \
             .cargo/config.toml)",
        );
    }
    CallError::new(kind, message)
}

/// The innermost functions, innermost first.
fn backtrace(trace: &WasmBacktrace) -> Option<String> {
    let name = |frame: &wasmtime::FrameInfo| match frame.func_name() {
        Some(name) => one_line(name, NAME_CHARS),
        None => format!("function {}", frame.func_index()),
    };
    let frames = trace.frames();
    let names: Vec<_> = frames.iter().take(NAMED_FRAMES).map(name).collect();
    let is_stripped = frames.iter().all(|frame| frame.func_name().is_none());
    let hint = if is_stripped { " (names are stripped; Rust keeps them with strip = \"debuginfo\")" } else { "" };
    (!names.is_empty()).then(|| names.join(" < ") + hint)
}

/// The same few functions again and again.
fn is_recursion(trace: &WasmBacktrace) -> bool {
    let (frames, functions) = RECURSION;
    let called: BTreeSet<u32> = trace.frames().iter().map(wasmtime::FrameInfo::func_index).collect();
    trace.frames().len() >= frames && called.len() <= functions
}
