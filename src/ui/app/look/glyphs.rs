//! Signs. Each set is complete, so that none is drawn that a terminal can't show.

use ratatui::symbols::border;

/// The signs of one set; each is one column wide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Glyphs {
    pub working: &'static str,
    pub waiting: &'static str,
    pub idle: &'static str,
    pub ended: &'static str,
    pub broken: &'static str,
    pub unknown: &'static str,
    pub cursor: &'static str,
    pub ticked: &'static str,
    pub unticked: &'static str,
    pub open: &'static str,
    pub closed: &'static str,
    pub dot: &'static str,
    pub more: &'static str,
    /// Before what goes on a line that was too long.
    pub folded: &'static str,
    pub flight: &'static str,
    /// What something becomes.
    pub arrow: &'static str,
    /// From nothing to all, for small charts.
    pub bars: [&'static str; 9],
    pub border: border::Set<'static>,
}

impl Glyphs {
    /// What every Unicode font has.
    pub const UNICODE: Self = Self {
        working: "◐",
        waiting: "●",
        idle: "○",
        ended: "·",
        broken: "✕",
        unknown: "?",
        cursor: "▌",
        ticked: "x",
        unticked: " ",
        open: "▾",
        closed: "▸",
        dot: "·",
        more: "…",
        folded: "↳",
        flight: "⇄",
        arrow: "→",
        bars: [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"],
        border: border::PLAIN,
    };

    /// What every terminal has.
    pub const ASCII: Self = Self {
        working: "*",
        waiting: "!",
        idle: "-",
        ended: ".",
        broken: "x",
        unknown: "?",
        cursor: ">",
        ticked: "x",
        unticked: " ",
        open: "v",
        closed: ">",
        dot: "-",
        more: "~",
        folded: "_",
        flight: "=",
        arrow: ">",
        bars: [" ", ".", ".", ":", ":", "+", "+", "#", "#"],
        border: border::Set {
            top_left: "+",
            top_right: "+",
            bottom_left: "+",
            bottom_right: "+",
            vertical_left: "|",
            vertical_right: "|",
            horizontal_top: "-",
            horizontal_bottom: "-",
        },
    };
}
