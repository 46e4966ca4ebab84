//! What a folder of themes comes to.

use std::collections::BTreeMap;
use std::path::Path;

use super::*;
use crate::config::view::{Overlay, View};
use crate::config::{Problem, Severity};

fn load(files: &[(&str, &str)]) -> (Themes, Vec<Problem>) {
    let folder = Path::new("/nowhere/themes");
    let overlay: Overlay =
        files.iter().map(|(name, text)| (folder.join(name), Some((*text).to_owned()))).collect();
    load_dir(folder, View::with(&overlay))
}

/// The problems must be these, in the order of the files: file, line, and a part of message or remedy.
fn check(files: &[(&str, &str)], expect: &[(&str, usize, &str)]) -> Themes {
    let (themes, problems) = load(files);
    let told: Vec<String> = problems.iter().map(ToString::to_string).collect();
    assert_eq!(problems.len(), expect.len(), "{told:#?}");
    for (problem, (file, line, part)) in problems.iter().zip(expect) {
        assert!(problem.file.ends_with(file) && problem.line == Some(*line), "{told:#?}");
        assert!(problem.to_string().contains(part), "{part}\n{told:#?}");
    }
    themes
}

fn fg(theme: &Theme, role: Role) -> Option<Colour> {
    theme.style(role).fg
}

#[test]
fn a_theme_takes_what_it_lacks_from_the_one_that_it_inherits() {
    let themes = check(
        &[
            ("mine.toml", "inherits = \"base\"\n[good]\nfg = 82\nmodifiers = [\"bold\"]\n"),
            (
                "base.toml",
                "inherits = \"dark\"\n[good]\nfg = \"red\"\nbg = \"blue\"\n[bad]\nfg = \"#102030\"\n",
            ),
        ],
        &[],
    );
    let (mine, dark) = (themes.get("mine").unwrap(), Themes::default().get("dark").unwrap());
    assert_eq!(fg(&mine, Role::Good), Some(Colour::Indexed(82)));
    assert_eq!(mine.style(Role::Good).bg, None, "a role is taken whole");
    assert!(mine.style(Role::Good).emphasis.has("bold") && !mine.style(Role::Good).emphasis.has("dim"));
    assert_eq!(fg(&mine, Role::Bad), Some(Colour::Rgb(0x10, 0x20, 0x30)));
    assert_eq!(mine.style(Role::Key), dark.style(Role::Key));
    let names: Vec<&str> = themes.names().collect();
    assert_eq!(names, ["dark", "light", "high-contrast", "dusk", "paper", "base", "mine"]);
}

#[test]
fn a_file_with_a_built_in_name_builds_on_that_one_and_wins() {
    let themes = check(
        &[
            ("dark.toml", "inherits = \"dark\"\n[good]\nfg = \"cyan\"\n"),
            ("mine.toml", "inherits = \"dark\"\n"),
        ],
        &[],
    );
    let built_in = Themes::default().get("dark").unwrap();
    for name in ["dark", "mine"] {
        let theme = themes.get(name).unwrap();
        assert_eq!(fg(&theme, Role::Good), Some(Colour::Indexed(6)), "{name}");
        assert_eq!(theme.style(Role::Bad), built_in.style(Role::Bad), "{name}");
    }
    assert_eq!(themes.names().count(), 6);
    assert!(themes.is_own("dark") && !themes.is_own("light"));
}

#[test]
fn without_inherits_what_is_not_said_is_not_set_off() {
    let themes = check(&[("bare.toml", "[bad]\nfg = \"red\"\n")], &[]);
    let bare = themes.get("bare").unwrap();
    assert_eq!((fg(&bare, Role::Bad), bare.style(Role::Good)), (Some(Colour::Indexed(1)), Style::default()));
}

#[test]
fn what_can_not_be_inherited_is_told_and_the_theme_is_not_there() {
    for (files, expect) in [
        (vec![("a.toml", "inherits = \"a\"\n")], vec![("a.toml", 1, "a > a")]),
        (
            vec![("a.toml", "\ninherits = \"b\"\n"), ("b.toml", "inherits = \"a\"\n")],
            vec![("a.toml", 2, "a > b > a"), ("b.toml", 1, "b > a > b")],
        ),
        (vec![("a.toml", "inherits = \"lihgt\"\n")], vec![("a.toml", 1, "did you mean `light`?")]),
        (vec![("a.toml", "inherits = \"qqqq\"\n")], vec![("a.toml", 1, "`high-contrast`")]),
        (vec![("a.toml", "[good\n")], vec![("a.toml", 1, "this is no TOML")]),
        (
            vec![("a.toml", "inherits = \"b\"\n"), ("b.toml", "x\n")],
            vec![("a.toml", 1, "no such theme"), ("b.toml", 1, "this is no TOML")],
        ),
    ] {
        let themes = check(&files, &expect);
        assert!(themes.get("a").is_none() && themes.get("dark").is_some(), "{files:?}");
    }
}

#[test]
fn a_role_that_can_not_be_read_is_told_with_its_line_and_left_to_the_parent() {
    for (line, part) in [
        ("fg = \"gren\"", "did you mean `green`?"),
        ("fg = \"#12345\"", "`#12345`"),
        ("bg = 256", "this number"),
        ("bg = -1", "this number"),
        ("fg = true", "a name, a number"),
        ("modifiers = [\"blod\"]", "did you mean `bold`?"),
        ("modifiers = \"bold\"", "a list of strings"),
    ] {
        let text = format!("inherits = \"dark\"\n[good]\n{line}\n");
        let themes = check(&[("a.toml", &text)], &[("a.toml", 3, part)]);
        let dark = Themes::default().get("dark").unwrap();
        assert_eq!(themes.get("a").unwrap().style(Role::Good), dark.style(Role::Good), "{line}");
    }
}

#[test]
fn unknown_roles_and_keys_are_told() {
    let (_, problems) = load(&[("a.toml", "[god]\nfg = 1\n[bad]\ncolour = 1\n")]);
    let told: Vec<(Severity, Option<usize>)> = problems.iter().map(|p| (p.severity, p.line)).collect();
    assert_eq!(told, [(Severity::Warning, Some(4)), (Severity::Warning, Some(1))]);
    assert!(problems[1].remedy.contains("`good`"), "{problems:?}");
}

#[test]
fn auto_is_no_name_and_other_files_are_left_alone() {
    let (themes, problems) =
        load(&[("auto.toml", ""), (".swap.toml", "["), ("notes.txt", "["), ("mine.toml", "")]);
    assert_eq!(problems.len(), 1);
    assert!(problems[0].file.ends_with("auto.toml") && problems[0].line.is_none());
    assert_eq!(themes.own.keys().collect::<Vec<_>>(), ["mine"]);
    let own: BTreeMap<String, Theme> = load(&[]).0.own;
    assert!(own.is_empty());
}
