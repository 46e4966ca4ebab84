//! The schema, the default file and the reader say the same of config.toml.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::{Map, Value, json};

use super::*;
use crate::config::meaning::{self, Around};
use crate::config::report::Report;
use crate::config::theme::Themes;
use crate::config::{Config, Problem, Repair, Severity, preset};

fn read(text: &str) -> (Config, Vec<Problem>) {
    let around =
        Around { config_dir: Path::new("/c"), home: Some(Path::new("/h")), themes: &Themes::default() };
    let mut report = Report::new(Path::new("/c/config.toml"));
    let config = meaning::read(text, &around, &mut report);
    (config, report.into_problems())
}

fn schema() -> Value {
    serde_json::from_str(CONFIG_SCHEMA).unwrap()
}

fn fits_schema(text: &str) -> Result<(), String> {
    let value: Value = toml::from_str(text).unwrap();
    let schema = jsonschema::draft202012::new(&schema()).unwrap();
    schema.validate(&value).map_err(|error| error.to_string())
}

/// Every setting of the default file, as if its `# ` were taken away.
fn uncommented() -> String {
    DEFAULT_CONFIG.lines().filter_map(|line| line.strip_prefix("# ")).collect::<Vec<_>>().join("\n")
}

/// All tables of the schema, each with the keys that it may hold; names that a person chooses are the schema's example.
fn tables(schema: &Value, path: &[String], found: &mut Vec<(Vec<String>, BTreeSet<String>)>) {
    if let Some(properties) = schema["properties"].as_object() {
        found.push((path.to_owned(), properties.keys().cloned().collect()));
        for (key, below) in properties {
            tables(below, &[path, std::slice::from_ref(key)].concat(), found);
        }
    }
    if schema["additionalProperties"].is_object() {
        let example = schema["propertyNames"]["examples"][0].as_str().unwrap().to_owned();
        tables(&schema["additionalProperties"], &[path, &[example]].concat(), found);
    }
}

fn all_tables() -> Vec<(Vec<String>, BTreeSet<String>)> {
    let mut found = Vec::new();
    tables(&schema(), &[], &mut found);
    found
}

/// A file with one key in each table that nobody knows. The reader's own remedy names all that it does know.
fn probed(tables: &[(Vec<String>, BTreeSet<String>)]) -> String {
    let mut root = Map::new();
    for (at, (path, _)) in tables.iter().enumerate() {
        let table = path.iter().fold(&mut root, |table, key| {
            table.entry(key).or_insert_with(|| json!({})).as_object_mut().unwrap()
        });
        table.insert(probe(at), json!(1));
    }
    toml::to_string(&Value::Object(root)).unwrap()
}

fn probe(at: usize) -> String {
    format!("qqqq{at:02}qqqq")
}

fn quoted(text: &str) -> BTreeSet<String> {
    text.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

#[test]
fn the_schema_and_the_reader_know_the_same_keys() {
    let tables = all_tables();
    let (_, problems) = read(&probed(&tables));
    for (at, (path, keys)) in tables.iter().enumerate() {
        let probe = format!("has no key `{}`", probe(at));
        let told = problems.iter().find(|problem| problem.message.contains(&probe));
        let told = told.unwrap_or_else(|| panic!("the reader doesn't look into {path:?}: {problems:#?}"));
        assert_eq!(quoted(&told.remedy), *keys, "{path:?}: the reader's keys, then the schema's");
    }
}

#[test]
fn every_setting_of_the_schema_is_described() {
    fn check(schema: &Value, path: &str) {
        for (key, below) in schema["properties"].as_object().into_iter().flatten() {
            assert!(below["description"].is_string(), "{path}.{key}");
            check(below, &format!("{path}.{key}"));
        }
        if schema["additionalProperties"].is_object() {
            check(&schema["additionalProperties"], &format!("{path}.NAME"));
        }
    }
    check(&schema(), "");
}

#[test]
fn the_repairs_are_the_ones_that_there_are_and_said_to_be_what_they_are() {
    let schema = schema();
    let listed = schema["$defs"]["repairs"]["properties"].as_object().unwrap();
    let words: Vec<&str> = Repair::ALL.iter().map(|repair| repair.word()).collect();
    assert_eq!(listed.keys().collect::<Vec<_>>(), words);
    for repair in Repair::ALL {
        let told = listed[repair.word()]["description"].as_str().unwrap().to_lowercase();
        assert!(told.starts_with(&repair.about().to_lowercase()), "{repair}: {told}");
    }
}

#[test]
fn a_switch_of_a_repair_is_what_the_repair_takes() {
    for (switch, fits) in [
        ("drop-attribution = false", true),
        ("drop-attribution = 1", false),
        ("drop-atribution = false", false),
        ("thinking-as-budget = 4000", true),
        ("thinking-as-budget = 0", false),
        ("clamp-max-tokens = true", true),
        ("clamp-max-tokens = 4096", true),
        ("clamp-max-tokens = [1]", false),
        ("drop-betas = [\"a-2025\"]", true),
        ("drop-betas = [1]", false),
        ("drop-betas = \"a\"", false),
    ] {
        check(&format!("[providers.p]\npreset = \"ollama\"\nrepairs = {{ {switch} }}"), fits);
        check(&format!("[providers.p]\npreset = \"ollama\"\n[routes.\"p/m\".repairs]\n{switch}"), fits);
    }
}

#[test]
fn the_presets_are_the_ones_that_there_are() {
    let known: Vec<String> = preset::all().into_iter().map(|preset| preset.name).collect();
    let listed = &schema()["properties"]["providers"]["additionalProperties"]["properties"]["preset"]["enum"];
    assert_eq!(*listed, json!(known));
    for name in known {
        assert!(DEFAULT_CONFIG.contains(&format!("\"{name}\"")), "{name}");
    }
}

#[test]
fn the_default_file_says_nothing_and_every_setting_in_it_is_valid() {
    let (config, problems) = read(DEFAULT_CONFIG);
    assert!(problems.is_empty() && config.providers.is_empty() && config.profiles.is_empty());
    assert!(DEFAULT_CONFIG.starts_with("#:schema "));
    let text = uncommented();
    let (config, problems) = read(&text);
    assert!(problems.is_empty(), "{problems:#?}");
    assert_eq!((config.providers.len(), config.profiles.len()), (4, 2));
    fits_schema(&text).unwrap();
}

/// All tables of a file at a path of the schema: a name that a person chooses may be any.
fn matching<'v>(value: &'v Value, path: &[String], root: &Value) -> Vec<&'v Value> {
    let Some((first, rest)) = path.split_first() else { return vec![value] };
    let object = value.as_object().into_iter().flatten();
    let chosen = root["properties"].get(first).is_none();
    let below = if chosen { &root["additionalProperties"] } else { &root["properties"][first] };
    object
        .filter(|(key, _)| chosen || *key == first)
        .flat_map(|(_, value)| matching(value, rest, below))
        .collect()
}

#[test]
fn the_default_file_holds_every_setting() {
    let file: Value = toml::from_str(&uncommented()).unwrap();
    let mut held: BTreeMap<usize, BTreeSet<String>> = BTreeMap::new();
    for (at, (path, keys)) in all_tables().iter().enumerate() {
        for table in matching(&file, path, &schema()) {
            held.entry(at).or_default().extend(table.as_object().unwrap().keys().cloned());
        }
        assert_eq!(held.get(&at), Some(keys), "{path:?}");
    }
}

/// Both take it, or neither does; the reader refuses by an error.
fn check(text: &str, fits: bool) {
    let errors: Vec<Problem> = read(text).1.into_iter().filter(|p| p.severity == Severity::Error).collect();
    assert_eq!(errors.is_empty(), fits, "the reader: {text}\n{errors:#?}");
    assert_eq!(fits_schema(text).is_ok(), fits, "the schema: {text}\n{:?}", fits_schema(text));
}

#[test]
fn both_refuse_the_same_values() {
    let provider = |line: &str| format!("[providers.p]\npreset = \"vllm\"\n{line}\n");
    let route = |line: &str| format!("[providers.p]\npreset = \"vllm\"\n[routes.\"p/m\"]\n{line}\n");
    let policy = |line: &str| format!("[providers.p]\npreset = \"vllm\"\n[policy]\n{line}\n");
    for (text, fits) in [
        (String::new(), true),
        ("main = 1\n".to_owned(), false),
        ("[main]\nupstream = \"https://a.example/v1\"\n".to_owned(), true),
        ("[main]\nupstream = \"ftp://a.example\"\n".to_owned(), false),
        ("[main]\nupstream = \"https://u:p@a.example\"\n".to_owned(), false),
        ("[main]\nupstream = \"https://a.example?x\"\n".to_owned(), false),
        ("[main]\nroute = \"nothing\"\n".to_owned(), false),
        (policy("enabled = true\nallowed = [\"p/m\"]"), true),
        (policy("enabled = true"), false),
        (policy("enabled = true\nallowed = []"), false),
        (policy("enabled = \"yes\""), false),
        (policy("allowed = \"p/m\""), false),
        (policy("allowed = [\"p/m\", \"p/m\"]"), false),
        (policy("allowed = [\"p/\"]"), false),
        (policy("allowed = [1]"), false),
        (policy("stray = \"pass\""), true),
        (policy("stray = \"sometimes\""), false),
        ("[providers.p]\n".to_owned(), false),
        ("[providers]\np = 3\n".to_owned(), false),
        ("[providers.\"a/b\"]\npreset = \"vllm\"\n".to_owned(), false),
        ("[providers.p]\npreset = \"nobody\"\n".to_owned(), false),
        ("[providers.p]\nbase_url = \"localhost:1\"\n".to_owned(), false),
        (provider("dialect = \"openai-chat\""), true),
        (provider("dialect = \"openai-responses\"\nchat = { effort = \"max\" }"), true),
        (provider("dialect = \"cobol\""), false),
        (provider("verify_tls = \"no\""), false),
        (provider("timeouts = { connect = 0 }"), false),
        (provider("timeouts = { idle = 86401 }"), false),
        (provider("timeouts = { idle = 0.5 }"), true),
        (route("context_window = 0"), false),
        (route("context_window = 1.5"), false),
        (route("price = { input = 1 }"), false),
        (route("price = { input = -1, output = 1 }"), false),
        (route("price = { input = 0, output = 0.5 }"), true),
        (route("chat = { effort = \"xhigh\", thinking = false }"), true),
        (route("chat = 1"), false),
        (route("tools = 0"), false),
        ("[routes.nothing]\n".to_owned(), false),
        ("[profiles.x]\nagents = \"*\"\n".to_owned(), false),
        ("[profiles.x]\nargs = [1]\n".to_owned(), false),
        ("[profiles.x]\nfolder = 1\n".to_owned(), false),
        ("[claude]\npath = 1\n".to_owned(), false),
        ("[notify]\ncommand = \" \"\n".to_owned(), false),
        ("[ledger]\nkeep_days = 0\n".to_owned(), false),
        ("[ledger]\nkeep_megabytes = \"1\"\n".to_owned(), false),
    ] {
        check(&text, fits);
    }
}

#[test]
fn both_refuse_the_same_of_the_apps_looks() {
    for (text, fits) in [
        ("theme = \"\"", false),
        ("theme = \"paper\"\nmouse = false\nmotion = \"reduced\"\nsigns = \"ascii\"", true),
        ("mouse = \"no\"", false),
        ("motion = \"none\"", false),
        ("signs = \"emoji\"", false),
    ] {
        check(&format!("[tui]\n{text}\n"), fits);
    }
}

#[test]
fn both_refuse_the_same_limits() {
    let provider = |line: &str| format!("[providers.p]\npreset = \"vllm\"\n{line}\n");
    let route = |line: &str| format!("[providers.p]\npreset = \"vllm\"\n[routes.\"p/m\"]\n{line}\n");
    for (text, fits) in [
        (route("concurrency = 0"), false),
        (route("queue = 0.5"), false),
        (route("local = 1"), false),
        (route("fallback = \"p/n\""), false),
        (route("fallback = [\"n\"]"), false),
        (route("timeouts = { total = 0 }"), false),
        (provider("[budgets.b]\nper = \"day\"\nroute = \"p/*\"\nusd = 1"), true),
        (provider("[budgets.b]\nper = \"day\""), false),
        (provider("[budgets.b]\nper = \"week\"\nusd = 1"), false),
        (provider("[budgets.b]\nper = \"request\"\nrequests = 1"), false),
        (provider("[budgets.b]\nroute = \"p\"\nusd = 1"), false),
        (provider("[budgets.b]\ntokens = 0"), false),
    ] {
        check(&text, fits);
    }
}

#[test]
fn both_refuse_the_same_of_credentials() {
    let provider = |line: &str| format!("[providers.p]\npreset = \"vllm\"\n{line}\n");
    for (text, fits) in [
        (provider("auth = { kind = \"bearer\", secret = \"env:KEY\" }"), true),
        (provider("auth = { kind = \"bearer\", secret = \"sk-key\" }"), false),
        (provider("auth = { kind = \"bearer\", secret = \"env:A-B\" }"), false),
        (provider("auth = { kind = \"bearer\", secret = \"keyring:x\" }"), false),
        (provider("auth = { kind = \"bearr\", secret = \"env:KEY\" }"), false),
        (provider("auth = { kind = \"header\", secret = \"env:KEY\" }"), false),
        (provider("auth = { kind = \"header\", secret = \"env:KEY\", header = \"a b\" }"), false),
        (provider("auth = \"env:KEY\""), false),
    ] {
        check(&text, fits);
    }
}

#[test]
fn both_refuse_the_same_of_a_dialects_options() {
    let provider = |line: &str| format!("[providers.p]\npreset = \"vllm\"\n{line}\n");
    for (text, fits) in [
        (
            provider(
                "chat = { limit = \"max_completion_tokens\", effort = false, thinking = \"reasoning\" }",
            ),
            true,
        ),
        (provider("chat = { limit = \"tokens\" }"), false),
        (provider("chat = { limit = false }"), false),
        (provider("chat = { effort = true }"), false),
        (provider("chat = { effort = \"none\" }"), false),
        (provider("chat = { thinking = \"thoughts\" }"), false),
    ] {
        check(&text, fits);
    }
}
