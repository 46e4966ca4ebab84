//! The tools that a launched agent, or any MCP client, sees.
//!
//! The room is kept, and empty: there are no tools yet. What comes here is a service that the command layer
//! hands to the control endpoint; it asks `config` and `router` what is allowed, and decides nothing itself.
