//! Names the fault of a call by the type of what stopped it, never by its text.

use std::collections::BTreeSet;
use std::fmt::Write;

use wasmtime::{Trap, WasmBacktrace};

use super::guard::Guard;
use super::limits::MAX_TABLE_ELEMENTS;
use crate::assignor::{CallError, FaultKind};
use crate::text::one_line;

/// Functions of a backtrace that are named; the fault is near the author's first ones.
const NAMED_FRAMES: usize = 6;
/// So many frames of a backtrace, of so few functions, are a recursion; the engine keeps 20.
const RECURSION: (usize, usize) = (16, 3);
/// A function's name, with all its types, may be kilobytes.
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
        _ if guard.host_lacks_memory => (
            FaultKind::Busy,
            format!("the host has no memory for {export}, which may have it ({cause}); the module is not to blame"),
        ),
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

/// What a name begins with that is its language's, not its author's: what panics, allocates or iterates says nothing of where.
const OF_LANGUAGES: [&str; 9] =
    ["core::", "std::", "alloc::", "__rustc", "__rust_", "rust_", "dlmalloc::", "compiler_builtins::", "runtime."];

/// The functions that were called, innermost first.
fn backtrace(trace: &WasmBacktrace) -> Option<String> {
    let frames = trace.frames();
    let names = told(frames.iter().map(|frame| (frame.func_name(), frame.func_index())));
    let is_stripped = frames.iter().all(|frame| frame.func_name().is_none());
    let hint = if is_stripped { " (a build that keeps the names of its functions has them here)" } else { "" };
    (!names.is_empty()).then(|| names.join(" < ") + hint)
}

/// The author's own; where none is known to be, the innermost of all.
fn told<'n>(frames: impl Iterator<Item = (Option<&'n str>, u32)>) -> Vec<String> {
    let name = |(name, index): (Option<&str>, u32)| match name {
        // Without the hash that the compiler adds.
        Some(name) => format!("{:#}", rustc_demangle::demangle(name)),
        None => format!("function {index}"),
    };
    let all: Vec<String> = frames.map(name).collect();
    let is_own = |name: &&String| {
        // `<alloc::vec::Vec<u8> as …>::…`
        let bare = name.trim_start_matches(['<', '&', '_']);
        !OF_LANGUAGES.iter().any(|begin| name.starts_with(begin) || bare.starts_with(begin))
    };
    let own: Vec<&String> = all.iter().filter(is_own).collect();
    let shown = if own.is_empty() { all.iter().collect() } else { own };
    shown.into_iter().take(NAMED_FRAMES).map(|name| one_line(name, NAME_CHARS)).collect()
}

/// The same few functions again and again.
fn is_recursion(trace: &WasmBacktrace) -> bool {
    let (frames, functions) = RECURSION;
    let called: BTreeSet<u32> = trace.frames().iter().map(wasmtime::FrameInfo::func_index).collect();
    trace.frames().len() >= frames && called.len() <= functions
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(names: &[&str]) -> String {
        told(names.iter().map(|name| (Some(*name), 7))).join(" < ")
    }

    #[test]
    fn the_functions_of_the_author_are_told_as_they_were_written() {
        assert_eq!(shown(&["_ZN5loops4spin17hfb34e1c2d3a4b5c6E"]), "loops::spin");
        let panic = [
            "_RNvCsfLfy6EI15iL_7___rustc12___rust_abort",
            "_RNvCsfLfy6EI15iL_7___rustc18___rust_start_panic",
            "_RNvCsfLfy6EI15iL_7___rustc10rust_panic",
            "_ZN3std9panicking15panic_with_hook17h0123456789abcdefE",
            "_ZN4core9panicking9panic_fmt17h0123456789abcdefE",
            "_ZN77_$LT$alloc..vec..Vec$LT$T$GT$$u20$as$u20$core..ops..index..Index$LT$I$GT$$GT$5index17h0123456789abcdefE",
            "_ZN6panics6assign17h0123456789abcdefE",
            "_ZN11divvy_guest3run10partitions17h0123456789abcdefE",
            "divvy_assign",
        ];
        assert_eq!(shown(&panic), "panics::assign < divvy_guest::run::partitions < divvy_assign");
        // Where nothing is the author's, as after its inlined function, what there is.
        assert!(shown(&panic[..2]).starts_with("__rustc::__rust_abort < "), "{}", shown(&panic[..2]));
        assert_eq!(shown(&["runtime.gopanic", "main.main.func1"]), "main.main.func1");
    }

    #[test]
    fn a_function_without_a_name_has_its_number() {
        assert_eq!(told([(None, 3), (Some("f"), 4)].into_iter()), ["function 3", "f"]);
    }
}
