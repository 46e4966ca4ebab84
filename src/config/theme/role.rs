//! What something is, which decides how it looks.

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Role {
    Text,
    /// Less important.
    Faint,
    Title,
    Border,
    /// The border of what has the keys.
    Focus,
    Selected,
    Good,
    Busy,
    /// A person has to do something.
    Waiting,
    Bad,
    Key,
    /// Not sure any more.
    Stale,
}

impl Role {
    /// All, with the names that a theme's file gives them.
    pub const ALL: [(Self, &'static str); 12] = [
        (Self::Text, "text"),
        (Self::Faint, "faint"),
        (Self::Title, "title"),
        (Self::Border, "border"),
        (Self::Focus, "focus"),
        (Self::Selected, "selected"),
        (Self::Good, "good"),
        (Self::Busy, "busy"),
        (Self::Waiting, "waiting"),
        (Self::Bad, "bad"),
        (Self::Key, "key"),
        (Self::Stale, "stale"),
    ];
}
