//! Files in the person's own editor: a script stands in for it.

use crate::stage::Stage;

const GOOD: &str = "[providers.p]\npreset = \"ollama\"\n";

fn stage(editor: &str) -> Stage {
    Stage::new().with("config/config.toml", GOOD).with_variable("EDITOR", editor)
}

#[test]
fn what_the_editor_wrote_is_taken_over_and_can_be_undone() {
    // An editor may have arguments of its own.
    let stage = stage("sed -i -e s/ollama/vllm/");
    stage.run(&["config", "edit"]).ok();
    assert_eq!(stage.read("config/config.toml"), GOOD.replace("ollama", "vllm"));
    stage.run(&["config", "undo"]).ok();
    assert_eq!(stage.read("config/config.toml"), GOOD);
}

#[test]
fn visual_comes_before_editor_and_an_untouched_text_changes_nothing() {
    let stage = stage("false").with_variable("VISUAL", "true");
    assert!(stage.run(&["config", "edit"]).ok().contains("Nothing had to be changed"));
}

#[test]
fn a_wrong_text_is_refused_and_kept() {
    let stage = stage("sed -i -e s/ollama/olama/");
    let told = stage.run(&["config", "edit"]).failed(3);
    assert!(told.contains("config.toml:2") && told.contains("olama"), "{told}");
    assert_eq!(stage.read("config/config.toml"), GOOD);
    let draft = stage.read("home/.local/state/subagents/drafts/config.toml");
    assert_eq!(draft, GOOD.replace("ollama", "olama"));
    // The next draft doesn't write over it.
    stage.run(&["config", "edit"]).failed(3);
    assert!(stage.at("home/.local/state/subagents/drafts/config-2.toml").exists());
}

#[test]
fn i05_a_file_that_somebody_else_changed_meanwhile_is_kept_and_so_is_the_text() {
    let stage = Stage::new().with("config/config.toml", GOOD);
    let config = stage.at("config/config.toml");
    let editor = stage.at("editor.sh");
    let script = format!("echo '# theirs' >> {}\necho '# mine' >> \"$1\"\n", config.display());
    let stage = stage.with("editor.sh", &script).with_variable("EDITOR", &format!("sh {}", editor.display()));
    let told = stage.run(&["config", "edit"]).failed(1);
    assert!(told.contains("diff "), "{told}");
    assert_eq!(stage.read("config/config.toml"), format!("{GOOD}# theirs\n"));
    let draft = stage.read("home/.local/state/subagents/drafts/config.toml");
    assert_eq!(draft, format!("{GOOD}# mine\n"));
}

#[test]
fn an_editor_that_fails_is_named() {
    let told = stage("nonesuch-editor").run(&["config", "edit"]).failed(1);
    assert!(told.contains("nonesuch-editor") && told.contains("VISUAL"), "{told}");
    let told = stage("false").run(&["config", "edit"]).failed(1);
    assert!(told.contains("gave up") && !told.contains("VISUAL"), "{told}");
}

#[test]
fn an_editor_that_removes_its_file_removes_nothing_of_ours() {
    let stage = stage("rm");
    let told = stage.run(&["config", "edit"]).failed(1);
    assert!(told.contains("is gone") && told.contains("nothing was changed"), "{told}");
    assert_eq!(stage.read("config/config.toml"), GOOD);
}
