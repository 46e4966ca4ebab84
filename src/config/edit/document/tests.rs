//! Tables of single changes, and sequences of them against a model.

use proptest::prelude::*;
use toml_edit::Value;

use super::*;

const FILE: &str = "# mine\n\n[policy]\nenabled = false # for now\nallowed = [\n  \"p/a\", # fine\n  \"p/b\"\n]\n\n\
                    # at home\n[providers.a]\npreset = \"ollama\"   # local\n# base_url = \"http://x\"\n\n\
                    [providers.b]\nauth = { kind = \"bearer\", secret = \"env:B\" }\n\n[profiles.default]\nagents = [\"*\"]";

fn changed(text: &str, change: impl FnOnce(&mut Document)) -> String {
    let mut document = Document::parse(text).unwrap();
    change(&mut document);
    document.to_string()
}

/// Exactly one piece of the file differs: `old` became `new`.
fn check(old: &str, new: &str, change: impl FnOnce(&mut Document)) {
    assert_eq!(FILE.matches(old).count(), 1, "{old:?}");
    assert_eq!(changed(FILE, change), FILE.replacen(old, new, 1));
}

#[test]
fn a_value_is_replaced_and_its_comment_stays() {
    check("false # for now", "true # for now", |d| d.set(&["policy", "enabled"], true).unwrap());
    check("\"ollama\"   # local", "\"vllm\"   # local", |d| {
        d.set(&["providers", "a", "preset"], "vllm").unwrap();
    });
    check("\"env:B\"", "\"env:C\"", |d| d.set(&["providers", "b", "auth", "secret"], "env:C").unwrap());
}

#[test]
fn a_new_value_stands_below_the_others_of_its_table() {
    check("# local\n", "# local\nbase_url = \"u\"\n", |d| {
        d.set(&["providers", "a", "base_url"], "u").unwrap();
    });
    check("\"env:B\" }", "\"env:B\", header = \"h\" }", |d| {
        d.set(&["providers", "b", "auth", "header"], "h").unwrap();
    });
    check("# local\n", "# local\ntimeouts = { idle = 5 }\n", |d| {
        d.set(&["providers", "a", "timeouts", "idle"], 5).unwrap();
    });
    check("[\"*\"]", "[\"*\"]\nfolder = \"~\"", |d| d.set(&["profiles", "default", "folder"], "~").unwrap());
}

#[test]
fn a_new_table_stands_below_those_of_its_kind() {
    check("\"env:B\" }\n", "\"env:B\" }\n\n[providers.c]\npreset = \"glm\"\n", |d| {
        d.set(&["providers", "c", "preset"], "glm").unwrap();
    });
    check("[\"*\"]", "[\"*\"]\n\n[routes.\"p/m:1\"]\ncontext_window = 7", |d| {
        d.set(&["routes", "p/m:1", "context_window"], 7).unwrap();
    });
    check("[\"*\"]", "[\"*\"]\n\n[main]\nroute = \"p/m\"", |d| d.set(&["main", "route"], "p/m").unwrap());
    assert_eq!(changed("", |d| d.set(&["main", "route"], "p/m").unwrap()), "[main]\nroute = \"p/m\"\n");
}

#[test]
fn a_table_below_the_first_takes_its_commented_values_along() {
    let text = "[providers.a]\npreset = \"x\"\n# base_url = 1\n\n[policy]\nenabled = true\n";
    let expect = "[providers.a]\npreset = \"x\"\n# base_url = 1\n\n[providers.b]\npreset = \"y\"\n\n[policy]\nenabled = true\n";
    assert_eq!(changed(text, |d| d.set(&["providers", "b", "preset"], "y").unwrap()), expect);
}

#[test]
fn what_is_removed_takes_its_lines_along_and_no_other_comment() {
    check("enabled = false # for now\n", "", |d| assert!(d.remove(&["policy", "enabled"]).unwrap()));
    check("kind = \"bearer\", ", "", |d| assert!(d.remove(&["providers", "b", "auth", "kind"]).unwrap()));
    check(", secret = \"env:B\"", "", |d| assert!(d.remove(&["providers", "b", "auth", "secret"]).unwrap()));
    check("[providers.a]\npreset = \"ollama\"   # local\n", "", |d| {
        assert!(d.remove(&["providers", "a"]).unwrap());
    });
    check("[providers.b]\nauth = { kind = \"bearer\", secret = \"env:B\" }\n\n", "", |d| {
        assert!(d.remove(&["providers", "b"]).unwrap());
    });
    assert_eq!(changed(FILE, |d| assert!(!d.remove(&["providers", "z"]).unwrap())), FILE);
}

#[test]
fn a_list_grows_and_shrinks_in_the_shape_that_it_has() {
    check("\"p/b\"\n", "\"p/b\",\n  \"p/c\",\n", |d| assert!(d.add(&["policy", "allowed"], "p/c").unwrap()));
    check("  \"p/a\", # fine\n", "", |d| assert!(d.take(&["policy", "allowed"], "p/a").unwrap()));
    check("  \"p/b\"\n", "", |d| assert!(d.take(&["policy", "allowed"], "p/b").unwrap()));
    check("[\"*\"]", "[\"*\", \"r\"]", |d| assert!(d.add(&["profiles", "default", "agents"], "r").unwrap()));
    check("[\"*\"]", "[]", |d| assert!(d.take(&["profiles", "default", "agents"], "*").unwrap()));
    check("[\"*\"]", "[\"*\"]\nargs = [\"-c\"]", |d| {
        assert!(d.add(&["profiles", "default", "args"], "-c").unwrap());
    });
    assert_eq!(changed(FILE, |d| assert!(!d.add(&["policy", "allowed"], "p/a").unwrap())), FILE);
}

#[test]
fn a_comment_in_a_list_stays_with_the_item_that_it_is_of() {
    let list = |items: &str| format!("[policy]\nallowed = [{items}]\n");
    let allowed = ["policy", "allowed"];
    for (before, after) in [
        ("\"a\", # keep a\n \"c\"", "\"a\", # keep a\n "),
        ("\"a\" # keep a\n ,\"c\" # cc\n", "\"a\" # keep a\n , # cc\n"),
        ("\"c\", # cc\n \"a\"", " # cc\n \"a\""),
    ] {
        assert_eq!(changed(&list(before), |d| assert!(d.take(&allowed, "c").unwrap())), list(after));
    }
    let empty = list("\n  # nothing yet\n");
    let expect = list("\n  # nothing yet\n  \"a\",\n");
    assert_eq!(changed(&empty, |d| assert!(d.add(&allowed, "a").unwrap())), expect);
}

#[test]
fn a_text_in_a_list_is_replaced_where_it_stands() {
    check("\"p/a\", # fine", "\"p/z\", # fine", |d| {
        assert!(d.replace(&["policy", "allowed"], "p/a", "p/z").unwrap());
    });
    check("  \"p/a\", # fine\n", "", |d| assert!(d.replace(&["policy", "allowed"], "p/a", "p/b").unwrap()));
    assert_eq!(changed(FILE, |d| assert!(!d.replace(&["policy", "allowed"], "x", "y").unwrap())), FILE);
}

#[test]
fn a_new_table_never_comes_between_a_heading_and_its_comment() {
    let text = "[providers.a]\npreset = \"x\"\n# The policy is strict.\n[policy]\nenabled = false\n";
    let expect = "[providers.a]\npreset = \"x\"\n\n[providers.b]\npreset = \"y\"\n\n# The policy is strict.\n[policy]\nenabled = false\n";
    assert_eq!(changed(text, |d| d.set(&["providers", "b", "preset"], "y").unwrap()), expect);
}

#[test]
fn line_ends_marks_and_dotted_keys_stay_as_they_are() {
    let text = "\u{feff}[providers.a]\r\nauth.kind = \"none\" # c\r\nx = 1\r\n";
    let expect = "\u{feff}[providers.a]\r\nauth.kind = \"none\" # c\r\nauth.secret = \"env:K\"\r\nx = 1\r\n";
    assert_eq!(changed(text, |d| d.set(&["providers", "a", "auth", "secret"], "env:K").unwrap()), expect);
    let text = "policy.enabled = true\n";
    let expect = "policy.enabled = true\npolicy.stray = \"pass\"\n";
    assert_eq!(changed(text, |d| d.set(&["policy", "stray"], "pass").unwrap()), expect);
}

#[test]
fn what_is_no_toml_or_stands_in_the_way_is_told_and_changes_nothing() {
    let error = Document::parse("[policy]\nenabled = \n").unwrap_err();
    assert!(matches!(error, DocumentError::Syntax { line: 2, .. }), "{error}");
    let mut document = Document::parse("[[routes]]\n[policy]\nallowed = 3\n").unwrap();
    let before = document.clone();
    assert!(document.set(&["policy", "allowed", "x"], 1).is_err());
    assert!(document.set(&["routes", "p/m", "tools"], true).is_err());
    assert!(document.add(&["policy", "allowed"], "x").is_err());
    assert!(document.remove(&["routes"]).is_err());
    assert_eq!(document, before);
}

/// Every way that people write tables in.
const SHAPES: [&str; 6] = [
    FILE,
    "policy.enabled = true\r\npolicy.allowed = [ 'p/a',\r\n 'p/b', ]\r\n[providers]\r\na = { preset = 'x' }\r\n",
    "\u{feff}# only a comment",
    "[providers.a.auth]\nkind = 'none'\n[providers.a]\npreset = 'x'\n\n\n[providers.b] # b\n[policy]\nallowed = []\n# end\n",
    "[policy]\nallowed = [ \"p/a\", # a\n \"p/b\" # b\n]\n# of the next\n[providers.a] # a\npreset = 'x'\n# of profiles\n[profiles.default]\nagents = [\n # none\n]\n",
    "policy = { enabled = true, allowed = [\"p/a\"] } # inline\n[profiles.default]\nargs = [\n]\nagents = ['*'\n  , 'x' # last\n]\n",
];

#[derive(Debug, Clone)]
enum Step {
    Set(Vec<&'static str>, i64),
    Remove(Vec<&'static str>),
    Add(Vec<&'static str>, &'static str),
    Take(Vec<&'static str>, &'static str),
}

fn values() -> impl Strategy<Value = Vec<&'static str>> {
    prop_oneof![
        Just(vec!["policy", "enabled"]),
        Just(vec!["main", "route"]),
        Just(vec!["providers", "a", "preset"]),
        Just(vec!["providers", "a", "auth", "kind"]),
        Just(vec!["providers", "c/d", "base_url"]),
        Just(vec!["routes", "p/m", "price", "input"]),
    ]
}

fn lists() -> impl Strategy<Value = Vec<&'static str>> {
    prop_oneof![Just(vec!["policy", "allowed"]), Just(vec!["profiles", "default", "agents"])]
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let items = || prop_oneof![Just("p/a"), Just("p/b"), Just("*"), Just("x\"\\\n")];
    let tables = prop_oneof![Just(vec!["providers", "a"]), Just(vec!["providers"]), Just(vec!["policy"])];
    let step = prop_oneof![
        (values(), any::<i64>()).prop_map(|(path, value)| Step::Set(path, value)),
        prop_oneof![values(), lists(), tables].prop_map(Step::Remove),
        (lists(), items()).prop_map(|(path, item)| Step::Add(path, item)),
        (lists(), items()).prop_map(|(path, item)| Step::Take(path, item)),
    ];
    prop::collection::vec(step, 1..12)
}

/// What the text means, without how it is written.
fn meaning(text: &str) -> toml::Table {
    toml::from_str(text.trim_start_matches('\u{feff}')).unwrap()
}

fn table<'m>(model: &'m mut toml::Table, path: &[&str]) -> &'m mut toml::Table {
    path.iter().fold(model, |table, key| {
        let below = table.entry(*key).or_insert_with(|| toml::Value::Table(toml::Table::new()));
        below.as_table_mut().unwrap()
    })
}

/// The same step on plain values.
fn apply(model: &mut toml::Table, step: &Step) {
    match step {
        Step::Set(path, value) => {
            let (key, tables) = path.split_last().unwrap();
            table(model, tables).insert((*key).to_owned(), toml::Value::Integer(*value));
        }
        Step::Remove(path) => {
            let (key, tables) = path.split_last().unwrap();
            let parent = tables.iter().try_fold(model, |table, key| table.get_mut(*key)?.as_table_mut());
            parent.and_then(|parent| parent.remove(*key));
        }
        Step::Add(path, item) => {
            let (key, tables) = path.split_last().unwrap();
            let list = table(model, tables).entry(*key).or_insert_with(|| toml::Value::Array(Vec::new()));
            let list = list.as_array_mut().unwrap();
            if !list.contains(&toml::Value::from(*item)) {
                list.push(toml::Value::from(*item));
            }
        }
        Step::Take(path, item) => {
            let (key, tables) = path.split_last().unwrap();
            let parent = tables.iter().try_fold(model, |table, key| table.get_mut(*key)?.as_table_mut());
            let list = parent.and_then(|parent| parent.get_mut(*key)).and_then(toml::Value::as_array_mut);
            if let Some(list) = list {
                list.retain(|kept| kept != &toml::Value::from(*item));
            }
        }
    }
}

fn perform(document: &mut Document, step: &Step) -> Result<(), DocumentError> {
    match step {
        Step::Set(path, value) => document.set(path, Value::from(*value)),
        Step::Remove(path) => document.remove(path).map(|_| ()),
        Step::Add(path, item) => document.add(path, item).map(|_| ()),
        Step::Take(path, item) => document.take(path, item).map(|_| ()),
    }
}

/// Empty tables mean nothing here, and a removal may leave them or not.
fn without_empty(table: toml::Table) -> toml::Table {
    let kept = table.into_iter().filter_map(|(key, value)| match value {
        toml::Value::Table(below) => {
            let below = without_empty(below);
            (!below.is_empty()).then_some((key, toml::Value::Table(below)))
        }
        value => Some((key, value)),
    });
    kept.collect()
}

/// Comments and blank lines are what a change may not touch outside of its own lines.
fn comments(text: &str) -> Vec<&str> {
    text.lines().filter(|line| line.trim_start_matches('\u{feff}').trim_start().starts_with('#')).collect()
}

proptest! {
    #[test]
    fn any_sequence_of_edits_means_what_it_should_and_leaves_the_rest_as_it_was(
        shape in prop::sample::select(SHAPES.to_vec()),
        steps in steps(),
    ) {
        let mut document = Document::parse(shape).unwrap();
        let mut model = meaning(shape);
        for step in &steps {
            let before = document.to_string();
            if perform(&mut document, step).is_ok() {
                apply(&mut model, step);
                let after = document.to_string();
                prop_assert_eq!(without_empty(meaning(&after)), without_empty(model.clone()), "{:?}\n{}\n->\n{}", step, before, after);
                if !matches!(step, Step::Remove(_)) {
                    prop_assert_eq!(comments(&after), comments(&before), "{:?}", step);
                }
            } else {
                prop_assert_eq!(document.to_string(), before);
            }
        }
    }
}
