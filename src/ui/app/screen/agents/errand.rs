//! What this screen has our commands do, so that it knows what their answers are for.

/// Why a command was run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Errand {
    /// All agents of all scopes.
    List,
    /// One agent's file, to be edited.
    Edit(String),
    /// One agent's file, to make another one like it.
    Duplicate(String),
    /// What the file holds now that a save was refused.
    Look,
    /// The editor's text becomes the file's.
    Save,
    /// A change that is told in these words once it is made.
    Change(String),
    /// What there is to import.
    Preview,
    /// Import what was ticked.
    Import,
    /// The models of this provider.
    Models(String),
}
