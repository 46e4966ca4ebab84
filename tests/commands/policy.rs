//! `subagents policy`: the switch and the list, saved together.

use serde_json::json;

use crate::stage::Stage;

const PROVIDER: &str = "# mine\n[providers.p]\npreset = \"ollama\" # local\n";

fn stage() -> Stage {
    Stage::new().with("config/config.toml", PROVIDER)
}

#[test]
fn a1_it_is_off_by_default_and_needs_a_route_to_be_on() {
    let stage = stage();
    let shown = stage.run(&["policy", "show", "--json"]).json("policy");
    assert_eq!(shown, json!({"version": 1, "enabled": false, "allowed": [], "stray": "deny"}));
    let told = stage.run(&["policy", "on"]).failed(3);
    assert!(told.contains("config.toml") && told.contains("at least one route"), "{told}");
    assert_eq!(stage.read("config/config.toml"), PROVIDER);
}

#[test]
fn a1_switch_and_list_are_saved_in_one_write() {
    let stage = stage();
    stage.run(&["policy", "on", "p/m", "p/b/c", "--json"]).json("change");
    let expect = format!("{PROVIDER}\n[policy]\nenabled = true\nallowed = [\"p/m\", \"p/b/c\"]\n");
    assert_eq!(stage.read("config/config.toml"), expect);
    let shown = stage.run(&["policy", "show"]).ok();
    assert!(shown.contains("Policy on") && shown.contains("p/b/c"), "{shown}");
    stage.run(&["config", "undo"]).ok();
    assert_eq!(stage.read("config/config.toml"), PROVIDER, "one undo takes both back");
}

#[test]
fn off_keeps_the_list() {
    let stage = stage();
    stage.run(&["policy", "on", "p/m"]).ok();
    stage.run(&["policy", "off"]).ok();
    let shown = stage.run(&["policy", "show", "--json"]).json("policy");
    assert_eq!((&shown["enabled"], &shown["allowed"]), (&json!(false), &json!(["p/m"])));
    assert!(stage.run(&["policy", "off"]).ok().contains("Nothing had to be changed"));
}

#[test]
fn a2_a_route_named_twice_or_that_is_none_is_refused_and_told() {
    let stage = stage();
    for (routes, part) in [
        (["p/m", "p/m"], "`p/m` is named twice"),
        (["p/m", ""], "is no route"),
        (["p/m", "p/"], "names no model"),
    ] {
        let told = stage.run(&[&["policy", "on"], routes.as_slice()].concat()).failed(2);
        assert!(told.contains(part), "{told}");
    }
    let told = stage.run(&["policy", "on", "nobody/m"]).failed(3);
    assert!(told.contains("nobody"), "{told}");
    assert_eq!(stage.read("config/config.toml"), PROVIDER);
}

#[test]
fn a2_a_plus_b_c_is_not_a_b_plus_c() {
    let stage = Stage::new().with("config/config.toml", "[providers.a]\npreset = \"ollama\"\n");
    stage.run(&["policy", "on", "a/b/c"]).ok();
    let shown = stage.run(&["policy", "show", "--json"]).json("policy");
    assert_eq!(shown["allowed"], json!(["a/b/c"]));
    assert!(stage.run(&["policy", "on", "a/b/c", "a/b"]).ok().contains("Changed"));
}

#[test]
fn a3_provider_and_model_come_together_or_not_at_all() {
    let stage = stage();
    for verb in [["policy", "on"], ["route", "allow"], ["route", "deny"], ["route", "add"]] {
        for half in ["p", "p/", "/m", "/", "", " ", "p/ m"] {
            let told = stage.run(&[&verb[..], &[half]].concat()).failed(2);
            assert!(told.contains("PROVIDER/MODEL") || told.contains("provider/model"), "{half:?}: {told}");
        }
    }
    assert_eq!(stage.read("config/config.toml"), PROVIDER);
}

#[test]
fn a1_switch_and_list_are_set_in_one_write_or_not_at_all() {
    let stage = stage();
    stage.run(&["policy", "on", "p/m", "p/b/c"]).ok();
    let before = stage.read("config/config.toml");
    let set = ["policy", "set", "--enabled", "false", "--allow", "p/n", "--deny", "p/m", "--deny", "p/b/c"];
    stage.run(&[&set[..], &["--json"]].concat()).json("change");
    let expect = format!("{PROVIDER}\n[policy]\nenabled = false\nallowed = [\"p/n\"]\n");
    assert_eq!(stage.read("config/config.toml"), expect);
    stage.run(&["config", "undo"]).ok();
    assert_eq!(stage.read("config/config.toml"), before, "one undo takes all back");
    for (arguments, code, part) in [
        (&["--allow", "p/n", "--allow", "nobody/m"][..], 3, "nobody"),
        (&["--enabled", "true", "--deny", "p/m", "--deny", "p/b/c"], 3, "at least one route"),
        (&["--allow", "p/n", "--deny", "p/n"], 2, "named twice"),
        (&["--allow", "n"], 2, "provider/model"),
        (&["--json"], 2, "--enabled"),
    ] {
        let told = stage.run(&[&["policy", "set"], arguments].concat()).failed(code);
        assert!(told.contains(part), "{arguments:?}: {told}");
        assert_eq!(stage.read("config/config.toml"), before);
    }
    stage.run(&["policy", "set", "--enabled", "false", "--deny", "p/m", "--deny", "p/b/c"]).ok();
    assert!(stage.read("config/config.toml").contains("allowed = []"));
}

#[test]
fn it_says_what_would_happen_and_why() {
    let config = "[providers.glm]\nbase_url = \"http://127.0.0.1:1\"\n[policy]\nenabled = true\nallowed = [\"glm/b\"]\n";
    let agent =
        "---\nname: scout\ndescription: Looks.\nmodel: glm/a\nsubagents:\n  visibility: hidden\n---\nLook.\n";
    let stage = Stage::new().with("config/config.toml", config).with("config/agents/scout.md", agent);
    let told = |subject: &str| {
        let told = stage.run(&["policy", "explain", subject, "--json"]).json("policy-explain");
        assert_eq!((&told["subject"], &told["session"]), (&json!(subject), &json!(null)));
        let answers = told["answers"].as_array().unwrap().clone();
        answers.iter().map(|answer| answer["allowed"] == true).collect::<Vec<_>>()
    };
    // Its own agent runs there, a model doesn't choose it; the other way round.
    assert_eq!(told("glm/a"), [true, false]);
    assert_eq!(told("glm/b"), [true]);
    // Seen, called by its name, called with another model, another agent on its route.
    assert_eq!(told("scout"), [false, true, false, false]);
    let said = stage.run(&["policy", "explain", "glm/a"]).ok();
    assert!(
        said.contains(
            "no   a model chooses it for itself: the policy is on and `[policy] allowed` doesn't name it"
        ),
        "{said}"
    );
    let said = stage.run(&["policy", "explain", "nobody"]).failed(1);
    assert!(said.contains("there is no agent `nobody`"), "{said}");
    assert!(
        stage.run(&["policy", "explain", "glm/a", "--session", "latest"]).code != 0,
        "nothing is recorded yet"
    );
}
