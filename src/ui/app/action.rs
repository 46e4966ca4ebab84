//! Everything that a key can do. The keymap, the footer, the help, the palette and the manual are read from this table.

use Action as A;

/// Where a key is pressed. A key means what the innermost place says, else what [`Place::Everywhere`] says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Place {
    Everywhere,
    Sessions,
    /// Within a session, after the leader.
    Leader,
    Agents,
    Editor,
    Routes,
    Monitor,
    History,
    /// A list of requests.
    Requests,
    Inbox,
    /// A form with fields that are typed in.
    Form,
    /// One line that is typed in.
    Line,
    /// A list of which one or some are chosen.
    Choice,
    /// A question, which says itself how it is answered.
    Question,
    /// A text that is read.
    Reading,
}

impl Place {
    /// All, with the names that a keymap file gives them.
    pub const ALL: [(Self, &'static str); 15] = [
        (Self::Everywhere, "everywhere"),
        (Self::Sessions, "sessions"),
        (Self::Leader, "leader"),
        (Self::Agents, "agents"),
        (Self::Editor, "editor"),
        (Self::Routes, "routes"),
        (Self::Monitor, "monitor"),
        (Self::History, "history"),
        (Self::Requests, "requests"),
        (Self::Inbox, "inbox"),
        (Self::Form, "form"),
        (Self::Line, "line"),
        (Self::Choice, "choice"),
        (Self::Question, "question"),
        (Self::Reading, "reading"),
    ];

    /// Whether characters are text here, and no keys.
    pub fn is_typed_in(self) -> bool {
        matches!(self, Self::Editor | Self::Form | Self::Line)
    }

    /// Whether only its own keys count here, and none of [`Place::Everywhere`].
    pub fn is_alone(self) -> bool {
        self.is_typed_in() || matches!(self, Self::Leader | Self::Choice | Self::Question)
    }

    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(place, _)| *place == self).map_or("", |(_, name)| name)
    }
}

/// What a key does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Action {
    Quit,
    Help,
    Palette,
    Inbox,
    ShowSessions,
    ShowAgents,
    ShowRoutes,
    ShowMonitor,
    ShowHistory,
    NextTab,
    PreviousTab,
    Redraw,
    Theme,
    Messages,
    Up,
    Down,
    ReachUp,
    ReachDown,
    PageUp,
    PageDown,
    First,
    Last,
    Left,
    Right,
    Filter,
    Back,
    Accept,
    Open,
    New,
    FullScreen,
    Leave,
    Stop,
    Resume,
    Tile,
    ScrollUp,
    ScrollDown,
    SendLeader,
    Allow,
    Deny,
    Toggle,
    Edit,
    External,
    Duplicate,
    Rename,
    Remove,
    Import,
    Export,
    Save,
    Undo,
    NextField,
    PreviousField,
    Pick,
    Test,
    Reload,
    Policy,
    Sort,
    Pause,
    Follow,
    Copy,
    Scope,
    Bind,
    Preview,
    Find,
    UndoTyping,
    RedoTyping,
    NextPane,
    NextView,
    ReloadAll,
    Discard,
    AddProvider,
}

/// An action with its name in keymap files and what it does, in a word or two for the footer.
pub struct Described {
    pub action: Action,
    pub name: &'static str,
    pub label: &'static str,
    /// A sentence for the help.
    pub text: &'static str,
}

const fn row(action: Action, name: &'static str, label: &'static str, text: &'static str) -> Described {
    Described { action, name, label, text }
}

/// Every action once.
pub const TABLE: &[Described] = &[
    row(A::Quit, "quit", "quit", "Leave; sessions go on."),
    row(A::Help, "help", "help", "Show all keys."),
    row(A::Palette, "palette", "commands", "Find a command by a part of its name."),
    row(A::Inbox, "inbox", "inbox", "Show what waits for you in all sessions."),
    row(A::ShowSessions, "show-sessions", "sessions", "Show the sessions."),
    row(A::ShowAgents, "show-agents", "agents", "Show the sub-agents."),
    row(A::ShowRoutes, "show-routes", "routes", "Show which routes a model may choose."),
    row(A::ShowMonitor, "show-monitor", "monitor", "Show the requests as they come."),
    row(A::ShowHistory, "show-history", "history", "Show what was used, by day and more."),
    row(A::NextTab, "next-tab", "next screen", "Show the next screen."),
    row(A::PreviousTab, "previous-tab", "screen before", "Show the screen before."),
    row(A::Redraw, "redraw", "redraw", "Draw everything anew."),
    row(A::Theme, "theme", "theme", "Choose how the app looks."),
    row(A::Messages, "messages", "messages", "Show what was told since the start."),
    row(A::Up, "up", "line up", "One line up."),
    row(A::Down, "down", "line down", "One line down."),
    row(A::ReachUp, "reach-up", "line up", "One line up, while the list stays where it is."),
    row(A::ReachDown, "reach-down", "line down", "One line down, while the list stays where it is."),
    row(A::PageUp, "page-up", "page up", "One page up."),
    row(A::PageDown, "page-down", "page down", "One page down."),
    row(A::First, "first", "first", "To the first line."),
    row(A::Last, "last", "last", "To the last line."),
    row(A::Left, "left", "left", "To the left, or close a branch."),
    row(A::Right, "right", "right", "To the right, or open a branch."),
    row(A::Filter, "filter", "filter", "Show only the lines that have what you type."),
    row(A::Back, "back", "back", "Go back, close, or forget the filter."),
    row(A::Accept, "accept", "accept", "Take it."),
    row(A::Open, "open", "open", "Open what is selected."),
    row(A::New, "new", "new", "Begin a session, an agent, or a route that you type."),
    row(
        A::FullScreen,
        "full-screen",
        "full screen",
        "Give the session the whole terminal; its leader and d come back.",
    ),
    row(A::Leave, "leave", "leave", "Leave the session alone and come back to the list."),
    row(A::Stop, "stop", "stop", "End the selected session."),
    row(A::Resume, "resume", "resume", "Take up the selected session again."),
    row(A::Tile, "tile", "tile", "Show the session beside the others, or not any more."),
    row(A::ScrollUp, "scroll-up", "scroll up", "Show earlier lines of the session or text."),
    row(A::ScrollDown, "scroll-down", "scroll down", "Show later lines of the session or text."),
    row(A::SendLeader, "send-leader", "send it", "Send the leader key itself to the session."),
    row(A::Allow, "allow", "allow", "Allow what is asked, once."),
    row(A::Deny, "deny", "deny", "Refuse what is asked, with a reason for the model."),
    row(A::Toggle, "toggle", "toggle", "Tick, untick, or take the next choice."),
    row(A::Edit, "edit", "edit", "Edit what is selected."),
    row(A::External, "external", "$EDITOR", "Edit it in $VISUAL or $EDITOR."),
    row(A::Duplicate, "duplicate", "duplicate", "Make another one like it."),
    row(A::Rename, "rename", "rename", "Give it another name."),
    row(A::Remove, "remove", "remove", "Remove it; it can be undone."),
    row(A::Import, "import", "import", "Bring in agents of Claude Code and other programs."),
    row(A::Export, "export", "export", "Write it out for another program."),
    row(A::Save, "save", "save", "Save what was changed."),
    row(A::Undo, "undo", "undo", "Take back the last change of the configuration."),
    row(A::NextField, "next-field", "next field", "To the next field."),
    row(A::PreviousField, "previous-field", "previous", "To the field before."),
    row(A::Pick, "pick", "pick", "Choose from a list."),
    row(A::Test, "test", "test", "Try it with one tiny real request."),
    row(A::Reload, "reload", "reload", "Ask for what is shown again."),
    row(A::Policy, "policy", "policy", "Switch whether a model may choose routes at all."),
    row(A::Sort, "sort", "sort", "Sort by the next column."),
    row(A::Pause, "pause", "pause", "Hold the list still, or let it go on."),
    row(A::Follow, "follow", "follow", "Stay at the newest line."),
    row(A::Copy, "copy", "copy", "Copy it as text."),
    row(A::Scope, "scope", "all/one", "All sessions, or the selected one."),
    row(A::Bind, "bind", "make route", "Make a route of a model that is unknown."),
    row(A::Preview, "preview", "JSON", "Show what Claude Code is told of it, or not any more."),
    row(A::Find, "find", "find", "Find a text in the field."),
    row(A::UndoTyping, "undo-typing", "undo", "Take back what was typed last in the field."),
    row(A::RedoTyping, "redo-typing", "redo", "Type again what was taken back."),
    row(A::NextPane, "next-pane", "other list", "Give the keys to the other list."),
    row(A::NextView, "next-view", "next view", "Show it by something else."),
    row(A::ReloadAll, "reload-all", "reload all", "Ask all again."),
    row(A::AddProvider, "add-provider", "provider", "Add a provider of those that are known by name."),
    row(A::Discard, "discard", "discard", "Forget what was changed and isn't saved."),
];

impl Action {
    fn described(self) -> Option<&'static Described> {
        TABLE.iter().find(|row| row.action == self)
    }

    /// As keymap files name it.
    pub fn name(self) -> &'static str {
        self.described().map_or("", |row| row.name)
    }

    /// A word or two.
    pub fn label(self) -> &'static str {
        self.described().map_or("", |row| row.label)
    }

    /// A sentence.
    pub fn text(self) -> &'static str {
        self.described().map_or("", |row| row.text)
    }

    /// Whether it only goes elsewhere in a list or a text.
    pub fn is_a_step(self) -> bool {
        matches!(self, A::Up | A::Down | A::PageUp | A::PageDown | A::First | A::Last)
    }

    /// Whether it is done to the selected line of a list, and to nothing where there is none.
    pub fn is_about_a_line(self) -> bool {
        matches!(
            self,
            A::Open
                | A::FullScreen
                | A::Stop
                | A::Resume
                | A::Tile
                | A::Toggle
                | A::Edit
                | A::External
                | A::Duplicate
                | A::Rename
                | A::Remove
                | A::Export
                | A::Test
                | A::Reload
                | A::ScrollUp
                | A::ScrollDown
        )
    }

    pub fn named(name: &str) -> Option<Self> {
        TABLE.iter().find(|row| row.name == name).map(|row| row.action)
    }
}
