//! The documented shapes: all are listed, strict, and say their version.

use std::fs;
use std::path::Path;

use serde_json::Value;

fn folder() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/json")
}

fn schemas() -> Vec<(String, Value)> {
    let files = fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path());
    let files = files.filter(|file| file.to_str().unwrap().ends_with(".schema.json"));
    files
        .map(|file| {
            let name = file.file_name().unwrap().to_str().unwrap().replace(".schema.json", "");
            (name, serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap())
        })
        .collect()
}

/// An object whose keys are written down takes no other, and each that isn't optional is required.
fn check(schema: &Value, path: &str) {
    if schema["properties"].is_object() {
        assert_eq!(schema["additionalProperties"], false, "{path} takes keys that aren't documented");
        assert!(schema["required"].is_array(), "{path} requires nothing");
    }
    match schema {
        Value::Object(map) => map.iter().for_each(|(key, below)| check(below, &format!("{path}.{key}"))),
        Value::Array(items) => items.iter().for_each(|below| check(below, path)),
        _ => {}
    }
}

#[test]
fn every_shape_is_strict_and_has_a_version() {
    for (name, schema) in schemas() {
        check(&schema, &name);
        assert_eq!(schema["properties"]["version"]["const"], 1, "{name}");
        assert!(schema["title"].is_string(), "{name}");
    }
}

#[test]
fn every_shape_is_listed_and_nothing_else_is() {
    let listing = fs::read_to_string(folder().join("README.md")).unwrap();
    let mut listed: Vec<&str> =
        listing.lines().filter_map(|line| line.strip_prefix("| [")?.split(']').next()).collect();
    let mut names: Vec<String> = schemas().into_iter().map(|(name, _)| name).collect();
    listed.sort_unstable();
    names.sort();
    assert_eq!(listed, names);
}
