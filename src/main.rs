//! The `subagents` binary: hands the process's arguments and environment to the command layer.

use std::process::ExitCode;

/// A request is some forty small allocations: this allocator takes a sixth off its cost.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    subagents::command::run()
}
