//! What runs: argv, environment and files for the child, its router, and the way both end. It never draws.

pub mod assembly;
