//! The fields of an agent's file, as a form has them: what they are called, what they mean, what they take.

/// One field of the form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in super::super) enum FieldId {
    Name,
    Description,
    Model,
    Effort,
    Tools,
    ReadOnly,
    Turns,
    Permission,
    Visibility,
    Colour,
    Prompt,
}

/// How a field is filled in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Line,
    /// Several lines.
    Text,
    /// One of these, with what each means.
    Choice(&'static [(&'static str, &'static str)]),
}

const EFFORTS: &[(&str, &str)] = &[
    ("", "as the session's"),
    ("low", "quick and cheap"),
    ("medium", "between the two"),
    ("high", "thinks longer"),
    ("xhigh", "longer still, where the model can"),
    ("max", "as long as the model can"),
];

const SWITCH: &[(&str, &str)] =
    &[("false", "may do whatever its tools can"), ("true", "nothing that writes, whatever its tools are")];

const PERMISSIONS: &[(&str, &str)] = &[
    ("", "as the session's"),
    ("default", "asks before it edits a file or runs a command"),
    ("acceptEdits", "edits files without asking, asks before commands"),
    ("plan", "only reads, and plans"),
    ("auto", "a model judges each action in your place"),
    ("dontAsk", "asks never: what isn't allowed already is refused"),
    ("bypassPermissions", "asks never and may do everything: dangerous"),
];

const VISIBILITIES: &[(&str, &str)] = &[
    ("model", "the main model sees it and may call it"),
    ("hidden", "the main model isn't told of it"),
    ("off", "nobody can call it"),
];

const COLOURS: &[(&str, &str)] = &[
    ("", "none"),
    ("red", ""),
    ("blue", ""),
    ("green", ""),
    ("yellow", ""),
    ("purple", ""),
    ("orange", ""),
    ("pink", ""),
    ("cyan", ""),
];

impl FieldId {
    /// In the order of the form.
    pub(super) const ALL: [Self; 11] = [
        Self::Name,
        Self::Description,
        Self::Model,
        Self::Effort,
        Self::Tools,
        Self::ReadOnly,
        Self::Turns,
        Self::Permission,
        Self::Visibility,
        Self::Colour,
        Self::Prompt,
    ];

    /// As the file calls it.
    pub(super) fn key(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::Description => "description",
            Self::Model => "model",
            Self::Effort => "effort",
            Self::Tools => "tools",
            Self::ReadOnly => "subagents.read_only",
            Self::Turns => "maxTurns",
            Self::Permission => "permissionMode",
            Self::Visibility => "subagents.visibility",
            Self::Colour => "color",
            Self::Prompt => "prompt",
        }
    }

    pub(super) fn label(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::Description => "description",
            Self::Model => "runs on",
            Self::Effort => "effort",
            Self::Tools => "tools",
            Self::ReadOnly => "read-only",
            Self::Turns => "max turns",
            Self::Permission => "permissions",
            Self::Visibility => "visible to",
            Self::Colour => "colour",
            Self::Prompt => "prompt",
        }
    }

    pub(super) fn kind(self) -> Kind {
        match self {
            Self::Name | Self::Model | Self::Tools | Self::Turns => Kind::Line,
            Self::Description | Self::Prompt => Kind::Text,
            Self::Effort => Kind::Choice(EFFORTS),
            Self::ReadOnly => Kind::Choice(SWITCH),
            Self::Permission => Kind::Choice(PERMISSIONS),
            Self::Visibility => Kind::Choice(VISIBILITIES),
            Self::Colour => Kind::Choice(COLOURS),
        }
    }

    /// What a person is to know who fills it in.
    pub(super) fn help(self) -> &'static str {
        match self {
            Self::Name => "What it is called by. Another name renames it, in profiles too.",
            Self::Description => "When it is to be used: the main model chooses by this, in every session.",
            Self::Model => "A route, or sonnet, opus, haiku, fable, inherit (the caller's). enter chooses.",
            Self::Effort => "How long the model thinks. space or an arrow changes it.",
            Self::Tools => "What it may use, with commas; * is all, nothing is none. enter ticks them.",
            Self::ReadOnly => "Takes away whatever writes files, runs commands or starts agents.",
            Self::Turns => "After so many steps it has to end; nothing: no limit.",
            Self::Permission => "When a person is asked before it acts.",
            Self::Visibility => "Who may call it.",
            Self::Colour => "How Claude Code marks it.",
            Self::Prompt => "What it is told to be and do. ctrl-e opens all of it in $EDITOR, ctrl-g finds.",
        }
    }

    /// What the form shows where the file says nothing.
    pub(super) fn unset(self) -> &'static str {
        match self {
            Self::Model => "inherit",
            Self::Tools => "*",
            Self::ReadOnly => "false",
            Self::Visibility => "model",
            _ => "",
        }
    }

    /// The field before or after it, around the ends.
    pub(super) fn beside(self, by: usize) -> Self {
        let at = Self::ALL.iter().position(|field| *field == self).unwrap_or(0);
        Self::ALL[(at + by) % Self::ALL.len()]
    }

    pub(super) fn next(self) -> Self {
        self.beside(1)
    }

    pub(super) fn previous(self) -> Self {
        self.beside(Self::ALL.len() - 1)
    }
}
