//! A panic in the emulator stays here, and says nothing on a terminal that isn't ours.
//!
//! The process's panic hook runs before anybody can catch a panic. So the first screen puts one in front of it
//! that keeps quiet while a contained call runs, and passes on every other panic.

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

thread_local! {
    static CONTAINED: Cell<bool> = const { Cell::new(false) };
}

/// It panicked; what it worked on can't be trusted any more.
pub(super) struct Panicked;

/// Runs what may panic.
pub(super) fn contain<T>(run: impl FnOnce() -> T) -> Result<T, Panicked> {
    CONTAINED.set(true);
    let result = panic::catch_unwind(AssertUnwindSafe(run));
    CONTAINED.set(false);
    result.map_err(|_| Panicked)
}

/// Puts the quiet hook in front of the one that is there.
pub(super) fn prepare() {
    static PREPARED: Once = Once::new();
    PREPARED.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            if !CONTAINED.get() {
                before(panic);
            }
        }));
    });
}
