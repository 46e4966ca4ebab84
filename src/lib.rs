//! `subagents`: run Claude Code's sub-agents on models of your choice, and see where every request goes.
//!
//! Dependencies go one way only: `config <- dialect <- router <- catalogue <- ledger <- launch <- mcp <- ui <- command`.
//! `tests/architecture.rs` enforces it; `ARCHITECTURE.md` says why.

pub mod catalogue;
pub mod command;
pub mod config;
pub mod dialect;
pub mod launch;
pub mod ledger;
pub mod mcp;
pub mod router;
pub mod ui;
