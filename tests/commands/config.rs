//! `subagents config`: where the files are, what is wrong with them, and the way back.

use std::os::unix::process::ExitStatusExt;
use std::process::Stdio;

use serde_json::json;

use crate::stage::Stage;

#[test]
fn the_paths_are_told_whether_they_exist_or_not() {
    let stage = Stage::new();
    assert_eq!(stage.run(&["config", "path"]).ok().trim(), stage.at("config/config.toml").to_str().unwrap());
    let told = stage.run(&["config", "path", "--json"]).json("config-path");
    assert_eq!(told["exists"], json!(false));
}

#[test]
fn a_check_tells_file_line_and_remedy_and_exits_with_3_for_errors() {
    let stage = Stage::new().with("config/config.toml", "[policy]\nenabled = true\n");
    let ran = stage.run(&["config", "check", "--json"]);
    assert_eq!(ran.code, 3);
    let told = ran.json("config-check");
    assert_eq!((&told["errors"], &told["problems"][0]["line"]), (&json!(1), &json!(2)));
    let stage = stage.with("config/config.toml", "");
    stage.run(&["config", "check"]).ok();
}

#[test]
fn changes_are_listed_taken_back_and_done_again() {
    let stage = Stage::new().with("config/config.toml", "[providers.p]\npreset = \"ollama\"\n");
    assert!(stage.run(&["config", "undo", "--list"]).ok().contains("No command"));
    assert!(stage.run(&["config", "undo"]).failed(1).contains("nothing to undo"));
    stage.run(&["policy", "on", "p/m"]).ok();
    let on = stage.read("config/config.toml");
    let listed = stage.run(&["config", "undo", "--list", "--json"]).json("config-undo");
    assert_eq!(listed["changes"][0]["what"], json!("policy on"));
    stage.run(&["config", "undo", "--json"]).json("change");
    assert!(stage.run(&["config", "undo", "--list"]).ok().contains("undone"));
    assert!(stage.run(&["config", "undo", "--redo"]).ok().starts_with("Done again: policy on\n"));
    assert_eq!(stage.read("config/config.toml"), on);
    assert!(stage.run(&["config", "undo"]).ok().starts_with("Undone: policy on\n"));
}

#[test]
fn an_undo_never_writes_over_what_was_changed_by_hand() {
    let stage = Stage::new().with("config/config.toml", "[providers.p]\npreset = \"ollama\"\n");
    stage.run(&["policy", "on", "p/m"]).ok();
    let stage = stage.with("config/config.toml", "# by hand\n");
    let told = stage.run(&["config", "undo"]).failed(1);
    assert!(told.contains("config.toml") && told.contains("by hand") && told.contains("--force"), "{told}");
    assert_eq!(stage.read("config/config.toml"), "# by hand\n");
    stage.run(&["config", "undo", "--force"]).ok();
    assert_eq!(stage.read("config/config.toml"), "[providers.p]\npreset = \"ollama\"\n");
}

#[test]
fn i05_two_processes_at_once_lose_nothing() {
    let stage = Stage::new().with("config/config.toml", "[providers.p]\npreset = \"ollama\"\n");
    let routes: Vec<String> = (0..8).map(|number| format!("p/m{number}")).collect();
    let children = routes.iter().map(|route| {
        let mut command = stage.command(&["policy", "on", route]);
        command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
    });
    let children: Vec<_> = children.collect();
    for child in children {
        let ended = child.wait_with_output().unwrap();
        assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
    }
    let shown = stage.run(&["policy", "show", "--json"]).json("policy");
    assert_eq!(shown["allowed"], json!(routes));
}

/// However far it got: the old or the new file, whole, and the next change goes through.
#[test]
fn i05_a_kill_at_any_point_leaves_the_old_or_the_new_file() {
    let old = format!("[providers.p]\npreset = \"ollama\"\n{}", "# padding\n".repeat(2_000));
    let stage = Stage::new().with("config/config.toml", &old);
    stage.run(&["policy", "on", "p/m"]).ok();
    let new = stage.read("config/config.toml");
    let mut killed = 0;
    for step in 0..20_u32 {
        let stage = Stage::new().with("config/config.toml", &old);
        let mut command = stage.command(&["policy", "on", "p/m"]);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        // Where in its work the process is hit is up to the scheduler: any place has to do.
        for _ in 0..step * 100 {
            std::thread::yield_now();
        }
        child.kill().unwrap();
        killed += u32::from(child.wait().unwrap().signal() == Some(9));
        let found = stage.read("config/config.toml");
        assert!(found == old || found == new, "neither: {} bytes", found.len());
        stage.run(&["policy", "on", "p/m"]).ok();
        assert_eq!(stage.read("config/config.toml"), new);
        // Twice, where the first was hit after it was made.
        while stage.run(&["config", "undo"]).code == 0 {}
        assert_eq!(stage.read("config/config.toml"), old);
    }
    assert!(killed > 0, "no process was ever hit");
}

#[test]
fn a_default_file_is_written_once_with_its_schema_beside_it() {
    let stage = Stage::new();
    stage.run(&["config", "init"]).ok();
    stage.run(&["config", "check"]).ok();
    let text = stage.read("config/config.toml");
    let schema = text.lines().find_map(|line| line.strip_prefix("#:schema ./")).unwrap();
    assert_eq!(
        stage.read(&format!("config/{schema}")).trim_end(),
        stage.run(&["config", "schema"]).ok().trim_end()
    );
    let told = stage.run(&["config", "init"]).failed(1);
    assert!(told.contains("config.toml") && told.contains("config edit"), "{told}");
    let told = stage.run(&["config", "undo"]);
    assert!(told.stderr.contains("--redo"), "{}", told.stderr);
    assert!(told.ok().contains("Removed"));
    assert!(!stage.at("config/config.toml").exists());
}

#[test]
fn a_theme_is_chosen_among_those_that_there_are() {
    let stage = Stage::new().with("config/themes/mine.toml", "inherits = \"light\"\n");
    let listed = stage.run(&["config", "theme", "--json"]).json("config-theme");
    let names: Vec<&str> =
        listed["themes"].as_array().unwrap().iter().map(|theme| theme["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["auto", "dark", "light", "high-contrast", "dusk", "paper", "mine"]);
    assert_eq!((&listed["themes"][0]["chosen"], &listed["themes"][6]["own"]), (&true.into(), &true.into()));
    stage.run(&["config", "theme", "mine", "--json"]).json("change");
    assert!(stage.read("config/config.toml").contains("theme = \"mine\""));
    let told = stage.run(&["config", "theme", "mien"]).failed(2);
    assert!(told.contains("did you mean `mine`?"), "{told}");
    stage.run(&["config", "undo"]).ok();
    assert!(!stage.at("config/config.toml").exists(), "there was none before");
}

#[test]
fn a_broken_theme_is_told_with_file_and_line() {
    let stage = Stage::new().with("config/themes/mine.toml", "inherits = \"other\"\n[bad]\nfg = \"rde\"\n");
    for command in [&["config", "check"][..], &["doctor"]] {
        let ran = stage.run(command);
        let told = format!("{}{}", ran.stdout, ran.stderr);
        assert!(told.contains("mine.toml:1") && told.contains("mine.toml:3"), "{command:?}: {told}");
    }
}
