//! Profiles: listed, changed, and taken by a launch; a project's own only when it is trusted.

use std::fs;

use crate::fake::with_claude;
use crate::stage::Stage;

const AGENT: &str = "---\nname: reviewer\ndescription: Reviews.\n---\nReview.\n";
const CONFIG: &str = "# mine\n[profiles.default]\nargs = [\"--own\"]\n\n[profiles.fast]\nagents = [\"reviewer\"]\n\
                      args = [\"--fast\"] # quick\n";
const PROJECT: &str = "agents = [\"reviewer\"]\nargs = [\"--theirs\"]\n";

fn stage() -> Stage {
    let stage = Stage::new()
        .with("config/config.toml", CONFIG)
        .with("config/agents/reviewer.md", AGENT)
        .with_variable("SEEN", "seen.txt");
    with_claude(stage)
}

/// With a project's profile that is fit to be trusted, whatever the umask.
fn with_project(stage: Stage) -> Stage {
    let stage = stage.with("project/.subagents/profile.toml", PROJECT);
    stage.only_own("project/.subagents/profile.toml").only_own("project/.subagents")
}

/// The arguments that Claude Code got; the folder it started in comes first.
fn launched(stage: &Stage, arguments: &[&str]) -> (Vec<String>, String) {
    let ran = stage.run(&[&["run"], arguments].concat());
    let told = ran.stderr.clone();
    ran.ok();
    (stage.read("project/seen.txt").lines().map(str::to_owned).collect(), told)
}

#[test]
fn the_list_names_the_one_that_is_taken_here() {
    let stage = stage();
    let listed = stage.run(&["profile", "list"]).ok();
    assert_eq!(
        listed,
        "PROFILE  TAKEN  AGENTS    ARGS    FOLDER\n\
         default  here   *         --own   -\n\
         fast     -      reviewer  --fast  -\n"
    );
    let listed = stage.run(&["profile", "list", "--json"]).json("profile-list");
    assert_eq!((&listed["taken"], &listed["project"]), (&"default".into(), &serde_json::Value::Null));
    let empty = Stage::new().run(&["profile", "list", "--json"]).json("profile-list");
    assert_eq!(empty["profiles"][0]["agents"][0], "*", "`default` is there without being written");
}

#[test]
fn one_is_shown_and_an_unknown_one_is_a_configuration_error_with_what_was_meant() {
    let stage = stage();
    let shown = stage.run(&["profile", "show", "fast"]).ok();
    assert_eq!(shown, "agents  reviewer\nargs    --fast\nfolder  (where you are)\n");
    assert_eq!(stage.run(&["profile", "show", "--json"]).json("profile-show")["args"][0], "--own");
    for arguments in
        [&["profile", "show", "fats"][..], &["profile", "rm", "fats"], &["run", "--profile", "fats"]]
    {
        let told = stage.run(arguments).failed(3);
        assert!(told.contains("did you mean `fast`"), "{told}");
    }
}

#[test]
fn set_changes_what_is_given_and_leaves_every_other_byte() {
    let stage = stage();
    let changed = stage.run(&["profile", "set", "fast", "--args", "--model 'a b'", "--json"]).json("change");
    assert_eq!(changed["files"].as_array().unwrap().len(), 1);
    let expect = CONFIG.replace("[\"--fast\"]", "[\"--model\", \"a b\"]");
    assert_eq!(stage.read("config/config.toml"), expect);
    let same = stage.run(&["profile", "set", "fast", "--agents", "reviewer", "--json"]).json("change");
    assert_eq!(same["files"].as_array().unwrap().len(), 0, "it says that already");
    stage.run(&["config", "undo"]).ok();
    assert_eq!(stage.read("config/config.toml"), CONFIG);
}

#[test]
fn a_profile_is_made_and_removed() {
    let stage = stage();
    let ran = stage.run(&["profile", "set", "new", "--agents", "reviewer,nobody", "--folder", "."]);
    assert!(ran.stderr.contains("there is no agent `nobody` yet"), "{}", ran.stderr);
    ran.ok();
    let shown = stage.run(&["profile", "show", "new", "--json"]).json("profile-show");
    assert_eq!(shown["agents"], serde_json::json!(["reviewer", "nobody"]));
    let project = stage.at("project").canonicalize().unwrap();
    assert_eq!(shown["folder"], project.to_str().unwrap());
    stage.run(&["profile", "rm", "new", "--json"]).json("change");
    assert_eq!(stage.read("config/config.toml").trim_end(), CONFIG.trim_end());
}

#[test]
fn what_makes_no_sense_is_a_usage_error_and_changes_nothing() {
    let stage = stage();
    for (arguments, part) in [
        (&["fast"][..], "give --agents, --args or --folder"),
        (&["a b", "--agents", "*"], "no name for a profile"),
        (&["fast", "--args", "'open"], "a quote is open"),
        (&["fast", "--folder", "nowhere"], "nowhere"),
        (&["fast", "--folder", "/etc/hostname"], "is no folder"),
    ] {
        let told = stage.run(&[&["profile", "set"], arguments].concat()).failed(2);
        assert!(told.contains(part), "{told}");
    }
    assert_eq!(stage.read("config/config.toml"), CONFIG);
}

#[test]
fn a_broken_config_toml_is_told_with_its_line_and_left() {
    let stage = Stage::new().with("config/config.toml", "[profiles.x]\nagents = [\n");
    let told = stage.run(&["profile", "set", "x", "--agents", "*"]).failed(3);
    assert!(told.contains("config.toml:"), "{told}");
    assert_eq!(stage.read("config/config.toml"), "[profiles.x]\nagents = [\n");
}

#[test]
fn a_session_starts_in_the_profiles_folder() {
    let config = format!("{CONFIG}folder = \"../elsewhere\"\n[profiles.home]\nfolder = \"~\"\n");
    let stage = stage().with("config/config.toml", &config).with("elsewhere/file", "");
    let seen = stage.at("seen.txt");
    let stage = stage.with_variable("SEEN", seen.to_str().unwrap());
    for (profile, folder) in [("fast", "elsewhere"), ("home", "home"), ("default", "project")] {
        stage.run(&["run", "--profile", profile]).ok();
        let started = stage.read("seen.txt").lines().next().unwrap().to_owned();
        assert_eq!(fs::canonicalize(started).unwrap(), stage.at(folder).canonicalize().unwrap());
    }
    fs::remove_dir_all(stage.at("elsewhere")).unwrap();
    let told = stage.run(&["run", "--profile", "fast"]).failed(3);
    assert!(told.contains("elsewhere") && told.contains("correct `folder`"), "{told}");
    let found = stage.run(&["doctor", "--profile", "fast", "--json"]).json("doctor");
    assert!(found.to_string().contains("is no folder"), "{found:#}");
}

#[test]
fn a_projects_profile_is_told_and_not_used_before_it_is_trusted() {
    let stage = with_project(stage());
    let (seen, told) = launched(&stage, &[]);
    assert!(seen.contains(&"--own".to_owned()) && !seen.contains(&"--theirs".to_owned()), "{seen:?}");
    let lines: Vec<&str> = told.lines().filter(|line| line.contains("profile.toml")).collect();
    assert!(matches!(lines[..], [line] if line.contains("subagents trust")), "one line: {told}");
    let found = stage.run(&["doctor", "--json"]).json("doctor");
    assert!(found.to_string().contains("isn't trusted yet"), "{found:#}");

    stage.run(&["trust", "--yes"]).ok();
    let (seen, told) = launched(&stage, &[]);
    assert!(seen.contains(&"--theirs".to_owned()) && !seen.contains(&"--own".to_owned()), "{seen:?}");
    assert!(!told.contains("profile.toml"), "{told}");
    let (seen, _) = launched(&stage, &["--profile", "fast"]);
    assert!(seen.contains(&"--fast".to_owned()) && !seen.contains(&"--theirs".to_owned()), "{seen:?}");
    let listed = stage.run(&["profile", "list", "--json"]).json("profile-list");
    assert_eq!(
        (&listed["taken"], &listed["project"]["standing"]),
        (&serde_json::Value::Null, &"trusted".into())
    );
}

#[test]
fn a_change_of_a_trusted_profile_asks_again() {
    let stage = with_project(stage());
    stage.run(&["trust", "--yes"]).ok();
    fs::write(stage.at("project/.subagents/profile.toml"), "args = [\"--evil\"]\n").unwrap();
    let (seen, told) = launched(&stage, &[]);
    assert!(seen.contains(&"--own".to_owned()) && !seen.contains(&"--evil".to_owned()), "{seen:?}");
    assert!(told.contains("has changed since it was trusted"), "{told}");
}
