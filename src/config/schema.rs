//! What config.toml may hold, for editors (a JSON schema) and for people (a file with every setting commented out).
//!
//! Neither is read when a configuration is: the reader is `meaning`, and the tests here hold the three together.

/// The JSON schema (draft 2020-12) of config.toml.
pub const CONFIG_SCHEMA: &str = include_str!("../../assets/config.schema.json");

/// The schema's name beside config.toml, as the default file's `#:schema` line gives it.
pub const CONFIG_SCHEMA_FILE: &str = "config.schema.json";

/// A config.toml to begin with: every setting commented out by `# `, explained by lines that begin with `##`.
pub const DEFAULT_CONFIG: &str = include_str!("../../assets/config.default.toml");

#[cfg(test)]
mod tests;
