//! `[tui]`: how the terminal app looks and behaves.

use crate::config::raw::Section;
use crate::config::report::Report;
use crate::config::theme::Themes;
use crate::config::{Motion, Mouse, Signs, ThemeChoice, Tui, similar};

pub(super) fn read(mut section: Section<'_>, themes: &Themes, report: &mut Report) -> Tui {
    let tui = Tui {
        theme: theme(&mut section, themes, report),
        mouse: match section.flag("mouse", report) {
            Some(mouse) if !mouse.value => Mouse::Terminals,
            _ => Mouse::Ours,
        },
        motion: one_of(
            &mut section,
            "motion",
            [("full", Motion::Full), ("reduced", Motion::Reduced)],
            report,
        ),
        signs: one_of(&mut section, "signs", [("unicode", Signs::Unicode), ("ascii", Signs::Ascii)], report),
    };
    section.finish(report);
    tui
}

fn theme(section: &mut Section<'_>, themes: &Themes, report: &mut Report) -> ThemeChoice {
    let Some(named) = section.string("theme", report) else { return ThemeChoice::Auto };
    themes.choose(named.value).unwrap_or_else(|unknown| {
        let message =
            format!("[tui] has no theme `{}` to take, so `auto` holds", unknown.name.escape_debug());
        report.error(named.line, message, unknown.remedy);
        ThemeChoice::Auto
    })
}

/// The word's meaning; the first one's where nothing is said, or nothing that is known.
fn one_of<T: Copy>(
    section: &mut Section<'_>,
    key: &'static str,
    words: [(&'static str, T); 2],
    report: &mut Report,
) -> T {
    let [(usual, first), _] = words;
    let Some(said) = section.string(key, report) else { return first };
    let found = words.iter().find(|(word, _)| *word == said.value);
    if found.is_none() {
        let message =
            format!("`{key}` of [tui] can't be `{}`, so `{usual}` holds", said.value.escape_debug());
        report.error(said.line, message, similar::suggestion(said.value, words.map(|(word, _)| word)));
    }
    found.map_or(first, |(_, meaning)| *meaning)
}
