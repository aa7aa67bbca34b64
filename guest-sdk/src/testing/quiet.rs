//! Panics of a strategy that is tried many times: caught, with their text, and not printed each time.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

thread_local! {
    /// While something is tried on this thread: what its panic said.
    static TRIED: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Runs it; a panic is its text.
pub(super) fn caught<T>(run: impl FnOnce() -> T) -> Result<T, String> {
    static HOOK: Once = Once::new();
    // The hook is the process's: panics of other threads, and of this one later, go where they went before.
    HOOK.call_once(|| {
        let before = take_hook();
        set_hook(Box::new(move |info| {
            let place =
                || info.location().map_or(String::new(), |place| format!(" ({}:{})", place.file(), place.line()));
            let text = || format!("{}{}", info.payload_as_str().unwrap_or("no text"), place());
            // A thread that ends has no place for it any more.
            let tried = TRIED.try_with(|tried| tried.borrow_mut().as_mut().map(|said| *said = text()).is_some());
            if !tried.unwrap_or(false) {
                before(info);
            }
        }));
    });
    let outer = TRIED.replace(Some(String::new()));
    let result = catch_unwind(AssertUnwindSafe(run));
    let said = TRIED.replace(outer);
    result.map_err(|_| said.unwrap_or_default())
}
