//! `subagents agent`: what there is, changes, and their borders.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::json;

use crate::stage::Stage;
use crate::terminal::on_a_terminal;

const REVIEWER: &str = "---\nname: reviewer # mine\ndescription: \"Reviews.\"\n\ntools: Read, Grep\nmodel: p/m\n---\n\nReview it.\n";
const CONFIG: &str = "# mine\n[providers.p]\npreset = \"ollama\"\n\n[profiles.default]\nagents = [\"reviewer\", \"x\"] # two\n";

fn stage() -> Stage {
    Stage::new().with("config/config.toml", CONFIG).with("config/agents/reviewer.md", REVIEWER)
}

/// An editor that runs this shell script on the file `$1`.
fn with_editor(stage: Stage, script: &str) -> Stage {
    let stage = stage.with("home/edit", &format!("#!/bin/sh\nshift\n{script}\n"));
    let editor = stage.at("home/edit");
    fs::set_permissions(&editor, fs::Permissions::from_mode(0o755)).unwrap();
    // The first argument is the editor's own.
    let editor = format!("{} --", editor.display());
    stage.with_variable("VISUAL", &editor)
}

#[test]
fn list_shows_models_tools_and_state_and_tells_problems_apart() {
    let stage =
        stage().with("config/agents/bad.md", "---\nname: bad\ndescription: d\nmodel: nobody/m\n---\nx\n");
    let ran = stage.run(&["agent", "list"]);
    assert!(ran.stderr.contains("nobody"), "{}", ran.stderr);
    let shown = ran.ok();
    let rows: Vec<Vec<&str>> = shown.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(rows[0], ["NAME", "MODEL", "TOOLS", "VISIBILITY", "STATE", "FILE"]);
    assert_eq!(rows[1][..5], ["bad", "nobody/m", "all", "model", "not"]);
    assert_eq!(rows[2][..5], ["reviewer", "p/m", "2", "model", "ok"]);
}

#[test]
fn f14_list_and_show_name_every_scope_and_say_who_wins() {
    let other = "---\nname: reviewer\ndescription: d\nmodel: sonnet\n---\nx\n";
    let stage = stage()
        .with("project/.claude/agents/reviewer/AGENT.md", other)
        .with("home/.claude/agents/r.md", &other.replace("model: sonnet\n", ""));
    let listed = stage.run(&["agent", "list", "--all", "--json"]).json("agent-list");
    let namesakes = &listed["agents"][0]["namesakes"];
    assert_eq!((&namesakes[0]["scope"], &namesakes[0]["model"]), (&json!("project"), &json!("sonnet")));
    assert_eq!((&namesakes[1]["scope"], &namesakes[1]["model"]), (&json!("user"), &json!("inherit")));
    assert_eq!((&listed["agents"][0]["wins"], listed["others"].as_array().unwrap().len()), (&json!(true), 2));
    assert!(stage.run(&["agent", "list"]).stderr.contains("ours overrides the one in the project's"));
}

#[test]
fn f14_show_lists_every_scope_of_a_name_and_which_wins() {
    let other = "---\nname: reviewer\ndescription: d\nmodel: sonnet\n---\nx\n";
    let stage = stage()
        .with("project/.claude/agents/reviewer/AGENT.md", other)
        .with("home/.claude/agents/r.md", &other.replace("model: sonnet\n", ""))
        .with("home/.claude/skills/one/.claude-plugin/plugin.json", r#"{"name": "one"}"#)
        .with("home/.claude/skills/one/agents/r.md", other);
    let shown = stage.run(&["agent", "show", "reviewer"]).ok();
    let rows = shown.lines().skip_while(|line| !line.starts_with("SCOPE")).skip(1).take(4);
    let words = |line: &str| line.split_whitespace().take(4).collect::<Vec<_>>().join(" ");
    let expect = [
        "--agents reviewer p/m wins",
        "project reviewer sonnet overridden",
        "user reviewer inherit overridden",
        "plugin one:reviewer sonnet by",
    ];
    assert_eq!(rows.map(words).collect::<Vec<_>>(), expect, "{shown}");
    let scopes = stage.run(&["agent", "show", "reviewer", "--json"]).json("agent-show")["scopes"].clone();
    let fates: Vec<_> =
        scopes.as_array().unwrap().iter().map(|claim| (&claim["scope"], &claim["fate"])).collect();
    let expect =
        json!([["ours", "wins"], ["project", "overridden"], ["user", "overridden"], ["plugin", "beside"]]);
    assert_eq!(json!(fates), expect);
    // A hidden one is not handed over, so the project's counts.
    let hidden = REVIEWER.replace("model: p/m", "model: p/m\nsubagents: { visibility: hidden }");
    let stage = stage.with("config/agents/reviewer.md", &hidden);
    let scopes = stage.run(&["agent", "show", "reviewer", "--json"]).json("agent-show")["scopes"].clone();
    assert_eq!((&scopes[0]["scope"], &scopes[0]["fate"]), (&json!("project"), &json!("wins")));
    assert_eq!((&scopes[2]["scope"], &scopes[2]["fate"]), (&json!("ours"), &json!("left_out")));
    assert!(stage.run(&["agent", "list"]).stderr.contains("is also in the project's"));
}

#[test]
fn f14_what_plugins_bring_is_listed_under_its_whole_name() {
    let stage = stage()
        .with("home/.claude/skills/one/.claude-plugin/plugin.json", r#"{"name": "one"}"#)
        .with("home/.claude/skills/one/agents/deep/r.md", "---\nname: reviewer\n---\nx\n");
    let listed = stage.run(&["agent", "list", "--all", "--json"]).json("agent-list");
    let other = &listed["others"][0];
    assert_eq!((&other["scope"], &other["name"]), (&json!("plugin"), &json!("one:deep:reviewer")));
    assert_eq!((&other["model"], &listed["agents"][0]["namesakes"]), (&json!("inherit"), &json!([])));
    assert_eq!(stage.run(&["agent", "list"]).stderr, "", "nobody's name is taken");
}

#[test]
fn what_an_import_would_say_of_others_is_listed_and_they_stand_by_their_names() {
    let stage = stage()
        .with("home/.claude/agents/b.md", "---\nname: b\ndescription: d\ntools: Read, Frobnicate\n---\nx\n")
        .with("home/.claude/agents/a.md", "---\nname: a\ndescription: d\n---\n")
        .with("home/.claude/agents/c.md", "---\nname: c\ndescription: d\n---\nx\n");
    let listed = stage.run(&["agent", "list", "--all", "--json"]).json("agent-list");
    let told = |at: usize| {
        let other = &listed["others"][at];
        (other["name"].as_str().unwrap(), other["problems"][0]["message"].as_str().unwrap_or_default())
    };
    assert_eq!(told(0), ("a", "the agent has no prompt: nothing stands below the front matter"));
    assert_eq!([told(1), told(2)], [("b", "no such tool: Frobnicate"), ("c", "")]);
    assert_eq!(stage.run(&["agent", "import", "--dry-run"]).code, 1, "so does an import");
}

#[test]
fn f14_import_takes_the_agents_of_this_repository_only() {
    let other = |name: &str| format!("---\nname: {name}\ndescription: d\n---\nx\n");
    let stage = stage()
        .with(".claude/agents/above.md", &other("above"))
        .with("project/.git/HEAD", "")
        .with("project/.claude/agents/here.md", &other("here"));
    let told = stage.run(&["agent", "import", "--dry-run", "--json"]).json("agent-import");
    let names: Vec<_> = told["agents"].as_array().unwrap().iter().map(|agent| &agent["name"]).collect();
    assert_eq!(names, ["here"]);
}

#[test]
fn f05_list_and_show_tell_the_size_and_warn_when_it_comes_near_the_limit() {
    let big = |bytes: usize| format!("---\nname: big\ndescription: d\n---\n{}\n", "x".repeat(bytes));
    let quiet = stage().run(&["agent", "list"]);
    assert_eq!(quiet.stderr, "");
    for (bytes, part) in
        [(95 * 1024, "beyond that"), (110 * 1024, "handed over as files; the largest are big")]
    {
        let stage = stage().with("config/agents/big.md", &big(bytes));
        assert!(stage.run(&["agent", "list"]).stderr.contains(part));
        let shown = stage.run(&["agent", "show", "big", "--json"]).json("agent-show");
        assert!(shown["agent"]["bytes"].as_u64().unwrap() > bytes as u64);
    }
}

#[test]
fn show_tells_everything_also_of_a_file_that_is_no_agent() {
    let stage = stage().with("config/agents/broken.md", "---\nname: broken\n---\nx\n");
    let shown = stage.run(&["agent", "show", "reviewer", "--json"]).json("agent-show");
    assert_eq!((&shown["prompt"], &shown["agent"]["route"]), (&json!("Review it."), &json!("p/m")));
    assert!(stage.run(&["agent", "show", "reviewer"]).ok().contains("tools            Read, Grep"));
    let broken = stage.run(&["agent", "show", "broken", "--json"]).json("agent-show");
    assert_eq!((&broken["agent"]["usable"], &broken["prompt"]), (&json!(false), &json!(null)));
    assert!(stage.run(&["agent", "show", "broken"]).stderr.contains("no `description`"));
    let told = stage.run(&["agent", "show", "reviever"]).failed(3);
    assert!(told.contains("did you mean `reviewer`?"), "{told}");
}

#[test]
fn what_somebody_else_wrote_moves_no_cursor() {
    let stage = stage()
        .with("config/agents/evil.md", "---\nname: evil\ndescription: \"a\\e[2Jb\"\n---\nx\u{1b}[2J\n");
    let shown = stage.run(&["agent", "show", "evil"]).ok();
    assert!(!shown.contains('\u{1b}') && shown.contains("\\u{1b}[2J"), "{shown}");
}

#[test]
fn new_writes_a_sample_or_what_was_given() {
    let stage = stage();
    stage.run(&["agent", "new", "critic", "--from", "reviewer", "--model", "p/m", "--json"]).json("change");
    assert!(stage.read("config/agents/critic.md").starts_with("---\nname: critic\n"));
    let arguments = [
        "agent",
        "new",
        "fixer",
        "--description",
        "Fixes: one #1",
        "--tools",
        "Read, Edit",
        "--prompt-file",
        "-",
    ];
    stage.run_with(&arguments, "Fix it.\n").ok();
    let shown = stage.run(&["agent", "show", "fixer", "--json"]).json("agent-show");
    assert_eq!(
        (&shown["agent"]["description"], &shown["prompt"]),
        (&json!("Fixes: one #1"), &json!("Fix it."))
    );
}

#[test]
fn f13_new_needs_description_and_prompt_a_free_name_and_a_usable_one() {
    let stage = stage();
    for (arguments, code, part) in [
        (&["new", "a"][..], 2, "--description and --prompt-file"),
        (&["new", "a", "--description", "d"], 2, "--prompt-file"),
        (&["new", "a", "--from", "nobody"], 2, "reviewer"),
        (&["new", "reviewer", "--from", "reviewer"], 3, "there is an agent `reviewer` already"),
        (&["new", "a:b", "--from", "reviewer"], 2, "`:` belongs to"),
        (&["new", "main", "--from", "reviewer"], 2, "main session"),
        (&["new", "", "--from", "reviewer"], 2, "blank"),
        (&["new", "main", "--edit"], 2, "main session"),
        (&["new", "a", "--from", "reviewer", "--model", "nobody/m"], 3, "nobody"),
        (&["new", "a", "--from", "reviewer", "--model", "a b"], 2, "takes `provider/model`"),
    ] {
        let told = stage.run(&[&["agent"], arguments].concat()).failed(code);
        assert!(told.contains(part), "{told}");
    }
    assert_eq!(fs::read_dir(stage.at("config/agents")).unwrap().count(), 1);
}

#[test]
fn f13_no_blank_description_or_prompt_is_saved_or_comes_in_or_goes_out() {
    let check = |stage: &Stage, arguments: &[&str], code, part: &str| {
        let ran = stage.run(&[&["agent"], arguments].concat());
        assert_eq!(ran.code, code, "{arguments:?}: {}{}", ran.stdout, ran.stderr);
        assert!((ran.stdout + &ran.stderr).contains(part), "{arguments:?}");
        assert_eq!(stage.read("config/agents/reviewer.md"), REVIEWER);
        let agents = fs::read_dir(stage.at("config/agents")).unwrap();
        assert_eq!(
            agents.filter(|file| file.as_ref().unwrap().file_name() == "x.md").count(),
            0,
            "{arguments:?}"
        );
    };
    let no_prompt = "---\nname: x\ndescription: d\n---\n \n";
    let no_description = "---\nname: x\ndescription: ' '\n---\nDo.\n";
    let json = r#"{"x": {"description": "d", "prompt": " "}}"#;
    let stage = stage()
        .with("blank.txt", " \n")
        .with("in/no-prompt.md", no_prompt)
        .with("in/no-description.md", no_description)
        .with("in.json", json)
        .with("config/agents/blank.md", no_prompt)
        .with("config/agents/blunt.md", no_description);
    check(&stage, &["set", "reviewer", "description", " "], 2, "description");
    check(&stage, &["set", "reviewer", "prompt", " "], 2, "prompt");
    check(&stage, &["new", "x", "--description", " ", "--from", "reviewer"], 3, "description");
    check(&stage, &["new", "x", "--description", "d", "--prompt-file", "../blank.txt"], 3, "prompt");
    for (source, part) in [
        ("../in/no-prompt.md", "no prompt"),
        ("../in/no-description.md", "no `description`"),
        ("../in.json", "prompt"),
    ] {
        check(&stage, &["import", source], 1, part);
    }
    for name in ["blank", "blunt"] {
        check(&stage, &["export", name, "--to", "out"], 3, "can't be exported");
        check(&stage, &["export", name, "--format", "json"], 3, "can't be exported");
    }
    check(&stage, &["export", "--format", "json"], 0, "\"reviewer\"");
    for script in ["sed -i '/^Review it/d' \"$1\"", "sed -i 's/^description.*/description:/' \"$1\""] {
        let stage = with_editor(Stage::new().with("config/agents/reviewer.md", REVIEWER), script);
        check(&stage, &["edit", "reviewer"], 3, "the agent has no");
    }
}

#[test]
fn set_changes_one_field_and_no_other_byte() {
    for (key, value, old, new) in [
        ("model", "opus", "model: p/m", "model: opus"),
        ("tools", "Read", "tools: Read, Grep", "tools: Read"),
        ("tools", "", "tools: Read, Grep", "tools: []"),
        ("maxTurns", "3", "model: p/m\n", "model: p/m\nmaxTurns: 3\n"),
        ("prompt", "Do.\n---\nEnd.", "Review it.", "Do.\n---\nEnd."),
        ("subagents.visibility", "hidden", "model: p/m\n", "model: p/m\nsubagents:\n  visibility: hidden\n"),
    ] {
        let stage = stage();
        stage.run(&["agent", "set", "reviewer", key, value]).ok();
        let now = stage.read("config/agents/reviewer.md");
        assert!(now == REVIEWER.replacen(old, new, 1) || key.contains('.'), "{key}: {now}");
        stage.run(&["config", "undo"]).ok();
        assert_eq!(stage.read("config/agents/reviewer.md"), REVIEWER);
    }
    let stage = stage();
    stage.run(&["agent", "set", "reviewer", "model", "--unset", "--json"]).json("change");
    assert_eq!(stage.read("config/agents/reviewer.md"), REVIEWER.replace("model: p/m\n", ""));
}

#[test]
fn f11_set_refuses_what_does_not_fit_and_changes_nothing() {
    let stage = stage();
    for (key, value, code, part) in [
        ("allowed-tools", "Read", 2, "did you mean `tools`?"),
        ("maxTurns", "many", 2, "whole number"),
        ("model", "nobody/m", 3, "nobody"),
        ("name", "x", 2, "agent rename"),
        ("tools", "x y", 3, "no tool"),
        ("subagents.visibility", "hiden", 2, "`hidden`"),
    ] {
        let told = stage.run(&["agent", "set", "reviewer", key, value]).failed(code);
        assert!(told.contains(part), "{told}");
    }
    assert!(
        stage.run(&["agent", "set", "reviewer", "description", "--unset"]).failed(3).contains("description")
    );
    assert!(stage.run(&["agent", "set", "nobody", "model", "opus"]).failed(3).contains("`reviewer`"));
    assert_eq!(stage.read("config/agents/reviewer.md"), REVIEWER);
    let ran = stage.run(&["agent", "set", "reviewer", "tools", "Read, Raed"]);
    assert!(ran.stderr.contains("no tool `Raed`"), "{}", ran.stderr);
}

#[test]
fn rename_changes_file_name_and_profiles_in_one_step() {
    let stage = stage();
    stage.run(&["agent", "rename", "reviewer", "critic"]).ok();
    assert_eq!(stage.read("config/agents/critic.md"), REVIEWER.replace("name: reviewer", "name: critic"));
    assert!(!stage.at("config/agents/reviewer.md").exists());
    let config = stage.read("config/config.toml");
    assert_eq!(config, CONFIG.replace("reviewer", "critic"), "at its place, with its comment");
    stage.run(&["config", "undo"]).ok();
    assert_eq!(
        (stage.read("config/config.toml"), stage.read("config/agents/reviewer.md")),
        (CONFIG.into(), REVIEWER.into())
    );
    stage.run(&["agent", "new", "critic", "--from", "reviewer"]).ok();
    assert!(stage.run(&["agent", "rename", "reviewer", "critic"]).failed(3).contains("already"));
    assert!(stage.run(&["agent", "rename", "reviewer", "-x"]).code != 0);
    assert!(stage.run(&["agent", "rename", "reviewer", "a:b"]).failed(2).contains("`:`"));
}

#[test]
fn rename_follows_the_agent_that_a_profile_starts_with() {
    let profiles = |agent: &str| {
        format!(
            "[profiles.one]\nargs = [\"--agent\", \"{agent}\", \"-p\"] # mine\n\n[profiles.two]\nargs = [\"--agent={agent}\"]\n\n\
             [profiles.three]\nagents = [\"*\"]\nargs = [\"reviewer\"]\n\n[profiles.four]\n"
        )
    };
    let stage = stage().with("config/config.toml", &format!("{CONFIG}{}", profiles("reviewer")));
    stage.run(&["agent", "rename", "reviewer", "critic"]).ok();
    assert_eq!(
        stage.read("config/config.toml"),
        format!("{}{}", CONFIG.replace("reviewer", "critic"), profiles("critic"))
    );
}

#[test]
fn a_blank_name_and_a_file_that_is_in_the_way_lose_nothing() {
    let stage = stage().with("config/agents/.md", "mine").with("config/agents/critic.md/x", "mine");
    for name in ["", " ", " a"] {
        assert!(stage.run(&["agent", "rename", "reviewer", name]).failed(2).contains("blank"));
    }
    for arguments in [&["new", "critic", "--from", "reviewer"][..], &["rename", "reviewer", "critic"]] {
        let told = stage.run(&[&["agent"], arguments].concat()).failed(3);
        assert!(told.contains("something else in") && told.contains("critic.md"), "{told}");
    }
    assert_eq!(stage.read("config/agents/reviewer.md"), REVIEWER);
    assert_eq!(
        (stage.read("config/agents/.md").as_str(), stage.read("config/config.toml").as_str()),
        ("mine", CONFIG)
    );
}

#[test]
fn a_long_name_is_cut_in_bytes_and_a_file_that_stands_there_is_told_as_such() {
    let stage = stage();
    let (one, two) = ("🦀".repeat(90), format!("{}!", "🦀".repeat(90)));
    stage.run(&["agent", "new", &one, "--from", "reviewer"]).ok();
    stage.run(&["agent", "show", &one]).ok();
    let told = stage.run(&["agent", "new", &two, "--from", "reviewer"]).failed(3);
    assert!(told.contains("something else in"), "{told}");
}

#[test]
fn rm_asks_first_and_can_be_taken_back() {
    let stage = stage();
    assert!(stage.run(&["agent", "rm", "reviewer"]).failed(2).contains("--yes"));
    assert!(stage.run(&["agent", "rm", "reviewer", "nobody", "--yes"]).failed(3).contains("nobody"));
    let ran = stage.run(&["agent", "rm", "reviewer", "--yes"]);
    assert!(
        ran.stderr.contains("profile `default` still names") && ran.stderr.contains("config undo"),
        "{}",
        ran.stderr
    );
    assert!(!stage.at("config/agents/reviewer.md").exists());
    stage.run(&["config", "undo"]).ok();
    assert_eq!(stage.read("config/agents/reviewer.md"), REVIEWER);
}

#[test]
fn edit_saves_what_is_right() {
    let stage = with_editor(stage(), "sed -i 's/Review it/Look at it/' \"$1\"");
    stage.run(&["agent", "edit", "reviewer", "--json"]).json("change");
    assert_eq!(stage.read("config/agents/reviewer.md"), REVIEWER.replace("Review it", "Look at it"));
    assert_eq!(copies(&stage), Vec::<String>::new());
    let stage = with_editor(self::stage(), "true");
    assert!(stage.run(&["agent", "edit", "reviewer"]).ok().contains("Nothing had to be changed"));
}

#[test]
fn new_on_a_terminal_asks_for_all_that_is_missing_and_says_first_what_cannot_be() {
    let stage = stage();
    on_a_terminal(&stage, &["agent", "new", "fixer"], "Use when asked.\nFix it.\n");
    let shown = stage.run(&["agent", "show", "fixer", "--json"]).json("agent-show");
    assert_eq!(
        (&shown["agent"]["description"], &shown["prompt"]),
        (&json!("Use when asked."), &json!("Fix it."))
    );
    let told = on_a_terminal(&stage, &["agent", "new", "reviewer"], "");
    assert!(told.contains("already") && !told.contains("When is it"), "{told}");
    let told = on_a_terminal(&stage, &["agent", "rm", "reviewer"], "n\n");
    assert!(told.contains("nothing was removed"), "{told}");
    assert_eq!(stage.read("config/agents/reviewer.md"), REVIEWER);
}

#[test]
fn edit_that_changes_the_name_tells_of_the_profiles_that_have_the_old_one() {
    let stage = with_editor(stage(), "sed -i 's/^name: reviewer/name: critic/' \"$1\"");
    let ran = stage.run(&["agent", "edit", "reviewer"]);
    for part in ["profile `default` still names `reviewer`", "`critic` now", "agent rename"] {
        assert!(ran.stderr.contains(part), "{}", ran.stderr);
    }
    ran.ok();
}

#[test]
fn a_name_that_stands_in_two_files_is_told_with_the_one_that_is_changed() {
    let twice = || with_editor(stage(), "true").with("config/agents/z.md", REVIEWER);
    for arguments in [
        &["set", "reviewer", "model", "opus"][..],
        &["edit", "reviewer"],
        &["rename", "reviewer", "critic"],
        &["rm", "reviewer", "--yes"],
    ] {
        let stage = twice();
        let ran = stage.run(&[&["agent"], arguments].concat());
        assert!(ran.stderr.contains("reviewer.md; ") && ran.stderr.contains("z.md stays"), "{}", ran.stderr);
        ran.ok();
        assert_eq!(stage.read("config/agents/z.md"), REVIEWER);
    }
}

#[test]
fn rm_says_how_a_file_goes_that_is_no_text() {
    let stage = stage();
    fs::write(stage.at("config/agents/bad.md"), b"---\nname: bad\xff\n---\n").unwrap();
    let told = stage.run(&["agent", "rm", "bad", "--yes"]).failed(3);
    assert!(told.contains("bad.md is not UTF-8") && told.contains("by hand"), "{told}");
}

#[test]
fn edit_keeps_what_is_wrong_beside_and_saves_nothing() {
    for (script, code, part) in [
        ("sed -i 's/^description.*/description:/' \"$1\"", 3, "no `description`"),
        ("echo gone > \"$1\"", 3, "no front matter"),
        ("echo more >> \"$1\"; exit 1", 1, "gave up"),
    ] {
        let stage = with_editor(stage(), script);
        let told = stage.run(&["agent", "edit", "reviewer"]).failed(code);
        let copies = copies(&stage);
        assert!(told.contains(part) && told.contains(&copies[0]), "{told}");
        assert_eq!((stage.read("config/agents/reviewer.md").as_str(), copies.len()), (REVIEWER, 1));
    }
}

#[test]
fn edit_never_writes_over_a_change_that_came_meanwhile() {
    let stage = stage();
    let file = stage.at("config/agents/reviewer.md");
    let stage = with_editor(stage, &format!("echo mine >> \"$1\"; echo theirs >> {}", file.display()));
    let told = stage.run(&["agent", "edit", "reviewer"]).failed(1);
    let copies = copies(&stage);
    assert!(told.contains("somebody changed") && told.contains(&copies[0]), "{told}");
    assert_eq!(fs::read_to_string(&file).unwrap(), format!("{REVIEWER}theirs\n"));
    assert_eq!(fs::read_to_string(&copies[0]).unwrap(), format!("{REVIEWER}mine\n"));
}

#[test]
fn a_new_agent_can_be_written_in_the_editor() {
    let stage =
        with_editor(stage(), "sed -i 's/^description.*/description: Mine./' \"$1\"; echo Do it. >> \"$1\"");
    stage.run(&["agent", "new", "mine", "--edit"]).ok();
    assert!(stage.read("config/agents/mine.md").ends_with("Do it.\n"));
    let stage = with_editor(self::stage(), "true");
    let told = stage.run(&["agent", "new", "mine", "--edit"]).failed(3);
    assert!(told.contains("no `description`") && told.contains("below the closing"), "{told}");
    stage.run(&["agent", "new", "mine", "--edit", "--from", "reviewer", "--json"]).json("change");
    assert!(stage.read("config/agents/mine.md").starts_with("---\nname: mine\n"), "saved as it was given");
    let stage = with_editor(self::stage(), ": > \"$1\"");
    assert!(stage.run(&["agent", "new", "mine", "--edit"]).failed(1).contains("--prompt-file"));
    let stage = with_editor(self::stage(), "echo Do it. >> \"$1\"");
    assert!(stage.run(&["agent", "new", "mine", "--edit"]).failed(3).contains("no `description`"));
    assert!(!stage.at("config/agents/mine.md").exists());
}

/// A whole file as a program hands it over.
const WHOLE: &str = "---\nname: reviewer\ndescription: Other.\n---\n\nReview it well.\n";

#[test]
fn a_whole_file_takes_the_place_of_an_agents_and_can_be_taken_back() {
    let stage = stage();
    let shown = stage.run(&["agent", "show", "reviewer", "--json"]).json("agent-show");
    assert_eq!(shown["text"], json!(REVIEWER));
    let digest = shown["digest"].as_str().unwrap();
    let set = ["agent", "set", "reviewer", "--file", "-", "--was", digest, "--json"];
    stage.run_with(&set, WHOLE).json("change");
    assert_eq!(stage.read("config/agents/reviewer.md"), WHOLE);
    let told = stage.run_with(&set, REVIEWER).failed(1);
    assert!(told.contains("has changed since it was read"), "{told}");
    assert_eq!(stage.read("config/agents/reviewer.md"), WHOLE);
    stage.run(&["config", "undo"]).ok();
    assert_eq!(stage.read("config/agents/reviewer.md"), REVIEWER);
}

#[test]
fn another_name_in_a_whole_file_renames_the_agent_in_one_step() {
    let stage = stage().with("config/agents/x.md", &WHOLE.replace("reviewer", "x"));
    let set = ["agent", "set", "reviewer", "--file", "-"];
    let critic = WHOLE.replace("reviewer", "critic");
    stage.run_with(&set, &critic).ok();
    assert_eq!(stage.read("config/agents/critic.md"), critic);
    assert!(!stage.at("config/agents/reviewer.md").exists());
    assert!(stage.read("config/config.toml").contains("agents = [\"critic\", \"x\"] # two"));
    stage.run(&["config", "undo"]).ok();
    assert_eq!(stage.read("config/agents/reviewer.md"), REVIEWER);
    assert!(stage.read("config/config.toml").contains("[\"reviewer\", \"x\"]"));
    for (text, code, part) in [
        (WHOLE.replace("reviewer", "x"), 3, "there is an agent `x` already"),
        ("gone\n".to_owned(), 3, "no front matter"),
        (WHOLE.replace("Other.", "\"\""), 3, "no `description`"),
    ] {
        let told = stage.run_with(&set, &text).failed(code);
        assert!(told.contains(part), "{told}");
        assert_eq!(stage.read("config/agents/reviewer.md"), REVIEWER);
    }
    assert!(
        stage
            .run_with(&["agent", "set", "nobody", "--file", "-"], WHOLE)
            .failed(3)
            .contains("no agent `nobody`")
    );
    stage.run(&["agent", "set", "reviewer", "model", "opus", "--file", "x"]).failed(2);
    stage.run(&["agent", "set", "reviewer"]).failed(2);
}

#[test]
fn a_new_agent_is_made_of_a_whole_file() {
    let stage = stage();
    let new = ["agent", "new", "critic", "--file", "-"];
    assert!(stage.run_with(&new, WHOLE).failed(3).contains("holds an agent `reviewer`, not `critic`"));
    stage.run_with(&[&new[..], &["--json"]].concat(), &WHOLE.replace("reviewer", "critic")).json("change");
    assert_eq!(stage.read("config/agents/critic.md"), WHOLE.replace("reviewer", "critic"));
    assert!(stage.run_with(&new, WHOLE).failed(3).contains("already"));
    assert!(
        stage
            .run_with(&["agent", "new", "other", "--file", "-"], "gone\n")
            .failed(3)
            .contains("no front matter")
    );
    assert!(!stage.at("config/agents/other.md").exists());
}

#[test]
fn unsaved_work_is_edited_where_it_is_kept() {
    let kept = "home/.local/state/subagents/drafts/unsaved/reviewer.md";
    let stage = with_editor(stage().with(kept, "mine\n"), "echo more >> \"$1\"");
    stage.run(&["agent", "edit", "reviewer", "--unsaved"]).ok();
    assert_eq!(
        (stage.read(kept).as_str(), stage.read("config/agents/reviewer.md").as_str()),
        ("mine\nmore\n", REVIEWER)
    );
    assert!(stage.run(&["agent", "edit", "x", "--unsaved"]).failed(1).contains("nothing unsaved"));
}

fn copies(stage: &Stage) -> Vec<String> {
    let folder = stage.at("home/.local/state/subagents/drafts");
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path().display().to_string()).collect()
}
