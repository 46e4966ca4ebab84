//! The commands as a person or a script runs them: the real binary, a home of its own, files, exit codes.

#![expect(clippy::unwrap_used, reason = "a test that can't go on says so by panicking")]

mod agent;
mod agent_exchange;
mod budget;
mod colour;
mod completions;
mod config;
mod editing;
mod examples;
mod fake;
mod host;
mod inbox;
mod info;
mod man;
mod policy;
mod profile;
mod provider;
mod provider_http2;
mod provider_models;
mod provider_servers;
mod provider_terminal;
mod provider_test;
mod resume;
mod route;
mod route_test;
mod sandbox;
mod schema;
mod stage;
mod stats;
mod terminal;
mod trust;
mod untouched;
mod usage;
