//! `subagents sandbox`: what is started by it writes where it may, and nowhere else.

use crate::stage::{Ran, Stage};

/// A project with one file, and a folder that may be written. `None`: this kernel has no Landlock.
#[expect(clippy::print_stderr, reason = "whoever runs the tests should know what they don't show")]
fn stage() -> Option<Stage> {
    let stage = Stage::new().with("project/file", "kept\n").with("open/theirs", "x\n");
    let has_landlock = stage.run(&["info", "--json"]).json("info")["sandbox"] == "landlock";
    if !has_landlock {
        eprintln!("skipped: this kernel has no Landlock");
    }
    has_landlock.then_some(stage)
}

fn held(stage: &Stage, script: &str) -> Ran {
    let open = stage.at("open").display().to_string();
    stage.run(&["sandbox", "--write", &open, "--write", "/not/there", "--", "sh", "-c", script])
}

#[test]
fn nothing_is_written_but_where_it_may_be() {
    let Some(stage) = stage() else { return };
    for script in [
        "echo x > made",
        "echo x >> file",
        ": > file",
        "truncate --size=0 file",
        "rm file",
        "mv file other",
        "mv ../open/theirs .",
        "mkdir made",
        "ln -s file made",
        "ln file ../open/made",
        "mkfifo made",
        "sh -c 'sh -c \"echo x > made\"'",
        "echo x > ../made",
        "echo x > ../open/../project/made",
        "ln -s ../project ../open/way; echo x > ../open/way/made",
        "echo x > ../home/made",
        "echo x > \"/proc/self/cwd/made\"",
    ] {
        assert_ne!(held(&stage, script).code, 0, "{script}");
        let names: Vec<_> =
            std::fs::read_dir(stage.at("project")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(names, ["file"], "{script}");
        assert_eq!(stage.read("project/file"), "kept\n", "{script}");
        assert!(!stage.at("made").exists() && !stage.at("home/made").exists(), "{script}");
    }
    held(
        &stage,
        "cat file > ../open/copy && mkdir ../open/a && mv ../open/copy ../open/a/b && : > /dev/null",
    )
    .ok();
    assert_eq!(stage.read("open/a/b"), "kept\n");
}

#[test]
fn what_it_turns_into_is_the_program_itself() {
    let Some(stage) = stage() else { return };
    held(&stage, "exit 7").failed(7);
    assert_eq!(held(&stage, "echo out").ok(), "out\n");
    let missing = stage.run(&["sandbox", "--", "/not/there"]).failed(1);
    assert!(missing.contains("/not/there"), "{missing}");
}
