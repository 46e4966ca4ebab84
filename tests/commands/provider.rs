//! `subagents provider` list, presets, add, set and rm: the file, the key's store, and nothing more.

use std::os::unix::fs::PermissionsExt;

use serde_json::json;

use crate::provider_servers::{CANARY, no_canary_in_files};
use crate::stage::Stage;

const GLM: &str = "# mine\n[providers.glm]\npreset = \"glm\" # work\n";
const KEY_FILE: &str = "home/.local/share/subagents/secrets/glm.key";
const NEW_KEY_FILE: &str = "home/.local/share/subagents/secrets/glm-2.key";

fn glm() -> Stage {
    Stage::new().with("config/config.toml", GLM)
}

fn agent(name: &str, model: &str) -> String {
    format!("---\nname: {name}\ndescription: d\nmodel: {model}\n---\nDo it.\n")
}

#[test]
fn presets_are_listed_with_their_auth() {
    let presets = Stage::new().run(&["provider", "presets", "--json"]).json("provider-presets");
    let kimi = presets["presets"].as_array().unwrap().iter().find(|preset| preset["name"] == "kimi").unwrap();
    assert_eq!(kimi["auth"], json!({"kind": "bearer", "secret": "env:MOONSHOT_API_KEY"}));
    let table = Stage::new().run(&["provider", "presets"]).ok();
    assert!(table.contains("openrouter") && table.lines().all(|line| line.len() <= 80), "{table}");
}

#[test]
fn a_preset_of_the_same_name_needs_no_option() {
    let stage = Stage::new();
    let changed = stage.run(&["provider", "add", "ollama", "--json"]).json("change");
    assert_eq!(changed["what"], "provider add ollama");
    assert_eq!(stage.read("config/config.toml"), "[providers.ollama]\npreset = \"ollama\"\n");
}

#[test]
fn i03_a_provider_gets_a_reference_and_a_warning_where_it_leads_nowhere() {
    let stage = Stage::new();
    let ran = stage.run(&["provider", "add", "kimi", "--secret", "env:MY_KEY"]);
    assert!(ran.stderr.contains("MY_KEY is not set"), "{}", ran.stderr);
    ran.ok();
    let expect = "[providers.kimi]\npreset = \"kimi\"\nauth = { secret = \"env:MY_KEY\" }\n";
    assert_eq!(stage.read("config/config.toml"), expect);
    let set =
        Stage::new().with_variable("MY_KEY", "k").run(&["provider", "add", "kimi", "--secret", "env:MY_KEY"]);
    assert!(!set.stderr.contains("warning"), "{}", set.stderr);
}

#[test]
fn what_is_missing_is_named_where_nobody_can_be_asked() {
    for (arguments, part) in [
        (&["provider", "add", "gw"][..], "--base-url URL"),
        (&["provider", "add", "gw", "--base-url", "https://g.example", "--secret", "env:K"], "--auth bearer"),
        (
            &["provider", "add", "gw", "--base-url", "https://g.example", "--auth", "bearer"],
            "--secret env:NAME",
        ),
        (&["provider", "add", "glm", "--auth", "none", "--secret", "env:K"], "sends no key"),
        (&["provider", "add", "gw", "--preset", "olama"], "there is no preset `olama`"),
        (&["provider", "add", "a/b"], "no name for a provider"),
    ] {
        let stage = Stage::new();
        let told = stage.run(arguments).failed(2);
        assert!(told.contains(part), "{told}");
        assert!(!stage.at("config/config.toml").exists());
    }
}

#[test]
fn what_would_break_the_file_changes_nothing() {
    let stage = glm();
    let told =
        stage.run(&["provider", "add", "x", "--base-url", "ftp://x.example", "--auth", "none"]).failed(3);
    assert!(told.contains("http://"), "{told}");
    let told = stage.run(&["provider", "add", "glm"]).failed(1);
    assert!(told.contains("already") && told.contains("provider set glm"), "{told}");
    assert_eq!(stage.read("config/config.toml"), GLM);
}

#[test]
fn i03_a_key_from_stdin_is_in_its_private_file_and_nowhere_else() {
    let stage = Stage::new();
    let ran = stage.run_with(&["provider", "add", "glm", "--key-stdin", "--json"], &format!("{CANARY}\n"));
    assert!(!(ran.stdout.contains(CANARY) || ran.stderr.contains(CANARY)));
    ran.json("change");
    let file = stage.at(KEY_FILE);
    let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&file), mode(file.parent().unwrap())), (0o600, 0o700));
    assert_eq!(stage.read(KEY_FILE), format!("{CANARY}\n"));
    let text = stage.read("config/config.toml");
    assert!(text.contains(&format!("secret = \"file:{}\"", file.display())), "{text}");
    no_canary_in_files(&stage, &["secrets/glm.key"]);
    let listed = stage.run(&["provider", "list", "--json"]);
    assert!(!listed.stdout.contains(CANARY));
    assert_eq!(listed.json("provider-list")["providers"][0]["key"], "found");
}

#[test]
fn i03_a_key_is_taken_back_where_its_provider_cant_be_added() {
    let stage = glm();
    let add = ["provider", "add", "glm", "--key-stdin"];
    stage.run_with(&add, CANARY).failed(1);
    assert!(!stage.at(KEY_FILE).exists());
    for input in ["", "two\nlines"] {
        let told = Stage::new().run_with(&add, input).failed(2);
        assert!(told.contains("nothing was stored"), "{told}");
    }
    let stage = Stage::new();
    let broken = ["provider", "add", "x", "--base-url", "ftp://x", "--auth", "bearer", "--key-stdin"];
    stage.run_with(&broken, CANARY).failed(3);
    no_canary_in_files(&stage, &[]);
}

#[test]
fn i03_a_provider_that_is_there_keeps_its_key_while_another_add_is_refused() {
    let stage = Stage::new();
    let add = ["provider", "add", "glm", "--key-stdin"];
    stage.run_with(&add, CANARY).ok();
    stage.run_with(&add, "other").failed(1);
    assert_eq!(stage.read(KEY_FILE), format!("{CANARY}\n"));
    assert_eq!(std::fs::read_dir(stage.at(KEY_FILE).parent().unwrap()).unwrap().count(), 1);
}

#[test]
fn i03_two_that_add_at_once_leave_one_provider_with_its_own_key() {
    for _ in 0..15 {
        let stage = Stage::new();
        let keys = ["key-a", "key-b"];
        let add = |key| stage.run_with(&["provider", "add", "glm", "--key-stdin"], key).code;
        let codes = std::thread::scope(|scope| {
            keys.map(|key| scope.spawn(move || add(key))).map(|ran| ran.join().unwrap())
        });
        let winner = codes.iter().position(|code| *code == 0).unwrap();
        assert_eq!(codes[1 - winner], 1);
        assert!(stage.read("config/config.toml").contains(&format!("file:{}", stage.at(KEY_FILE).display())));
        assert_eq!(stage.read(KEY_FILE), format!("{}\n", keys[winner]));
    }
}

#[test]
fn i03_a_new_key_has_a_file_of_its_own_and_an_undo_leads_back_to_the_old_one() {
    let stage = Stage::new();
    stage.run_with(&["provider", "add", "glm", "--key-stdin"], "old-key").ok();
    let before = stage.read("config/config.toml");
    let ran = stage.run_with(&["provider", "set", "glm", "auth.secret", "--key-stdin"], CANARY);
    let (stored, left) = ("Stored the key in file:", "Nothing refers to the key in file:");
    for part in [stored, "glm-2.key", left, "glm.key"] {
        assert!(ran.stderr.contains(part), "{part}: {}", ran.stderr);
    }
    assert!(ran.ok().contains("Changed"));
    assert!(stage.read("config/config.toml").contains("secrets/glm-2.key"));
    assert_eq!(stage.read(NEW_KEY_FILE), format!("{CANARY}\n"));
    no_canary_in_files(&stage, &["secrets/glm-2.key"]);
    stage.run(&["config", "undo"]).ok();
    assert_eq!((stage.read("config/config.toml"), stage.read(KEY_FILE)), (before, "old-key\n".to_owned()));
}

#[cfg(not(feature = "keyring"))]
#[test]
fn i03_a_keyring_that_is_missing_is_told_and_nothing_else_takes_the_key() {
    let stage = Stage::new();
    let arguments = ["provider", "add", "glm", "--key-stdin", "--store", "keyring"];
    let told = stage.run_with(&arguments, CANARY).failed(1);
    assert!(told.contains("--store file") && !told.contains(CANARY), "{told}");
    assert!(!stage.at("config/config.toml").exists());
    no_canary_in_files(&stage, &[]);
}

#[test]
fn one_setting_changes_and_the_rest_stays_as_it_was() {
    let stage = glm();
    stage.run(&["provider", "set", "glm", "timeouts.first_byte", "600"]).ok();
    assert_eq!(stage.read("config/config.toml"), format!("{GLM}timeouts = {{ first_byte = 600 }}\n"));
    stage.run(&["provider", "set", "glm", "timeouts", "--unset"]).ok();
    assert_eq!(stage.read("config/config.toml"), GLM);
    stage.run(&["config", "undo"]).ok();
    assert!(stage.read("config/config.toml").contains("600"));
}

#[test]
fn i03_a_wrong_setting_is_refused_and_not_repeated() {
    for (key, value, code, part) in [
        ("auth.secret", CANARY, 2, "no reference"),
        ("api_key", CANARY, 2, "no such key"),
        ("verify_tls", "maybe", 2, "true or false"),
        ("timeouts.idle", "-1", 3, "`idle`"),
        ("auth.kind", "bearr", 3, "unknown kind"),
        ("base_url", "https://u:sk-canary-4711@x.example", 3, "user or a password"),
    ] {
        let stage = glm();
        let told = stage.run(&["provider", "set", "glm", key, "--", value]).failed(code);
        assert!(told.contains(part) && !told.contains(CANARY), "{told}");
        assert_eq!(stage.read("config/config.toml"), GLM);
        no_canary_in_files(&stage, &[]);
    }
    let told = glm().run(&["provider", "set", "kimi", "base_url", "https://x.example"]).failed(1);
    assert!(told.contains("no provider `kimi`"), "{told}");
}

#[test]
fn a_provider_in_use_is_kept_and_its_users_are_listed() {
    let more = format!(
        "{GLM}\n[policy]\nallowed = [\"glm/b\"]\n\n[routes.\"glm/c\"]\n\n[main]\nroute = \"glm/d\"\n"
    );
    let stage =
        Stage::new().with("config/config.toml", &more).with("config/agents/r.md", &agent("r", "glm/a"));
    let told = stage.run(&["provider", "rm", "glm"]).failed(1);
    for part in ["agent `r` (`glm/a`)", "glm/b", "glm/c", "glm/d", "--force"] {
        assert!(told.contains(part), "{part}: {told}");
    }
    assert_eq!(stage.read("config/config.toml"), more);
    stage.run(&["provider", "rm", "glm", "--force", "--json"]).json("change");
    assert!(!stage.read("config/config.toml").contains("[providers.glm]"));
    for arguments in [&["provider", "rm", "glm"][..], &["provider", "rm", "glm", "--force"]] {
        let told = stage.run(arguments).failed(1);
        assert!(told.contains("no provider `glm`") && !told.contains("in use"), "{told}");
    }
}

#[test]
fn an_unused_provider_goes_and_its_key_is_named() {
    let stage = glm();
    stage.run_with(&["provider", "set", "glm", "auth.secret", "--key-stdin"], CANARY).ok();
    let ran = stage.run(&["provider", "rm", "glm"]);
    assert!(ran.stderr.contains("glm.key"), "{}", ran.stderr);
    ran.ok();
    assert_eq!(stage.read("config/config.toml").trim(), "# mine");
}

#[test]
fn the_list_shows_each_provider_with_what_it_needs() {
    let text = format!(
        "{GLM}\n[providers.gw]\nbase_url = \"https://g.example\"\nauth = {{ kind = \"header\", header = \"x-k\", secret \
         = \"cmd:touch asked; echo k\" }}\nverify_tls = false\n[providers.broken]\n"
    );
    let stage =
        Stage::new().with("config/config.toml", &text).with("config/agents/r.md", &agent("r", "glm/a"));
    let ran = stage.run(&["provider", "list", "--json"]);
    assert!(ran.stderr.contains("base_url"), "what is broken is told: {}", ran.stderr);
    let list = ran.json("provider-list");
    let (glm, gw) = (&list["providers"][0], &list["providers"][1]);
    assert_eq!(
        (&gw["name"], &gw["key"], &gw["tls"]),
        (&json!("gw"), &json!("unchecked"), &json!("unverified"))
    );
    assert!(!stage.at("project/asked").exists(), "no command is run for a list");
    assert_eq!(gw["auth"]["header"], "x-k");
    let gw = glm;
    assert_eq!((&gw["name"], &gw["key"], &gw["agents"]), (&json!("glm"), &json!("missing"), &json!(1)));
    let shown = stage.run(&["provider", "list", "--check"]);
    assert!(shown.stderr.contains("ZAI_API_KEY is not set"), "{}", shown.stderr);
    let table = shown.ok();
    assert!(table.contains("bearer env:ZAI_API_KEY") && table.contains("found"), "{table}");
}
