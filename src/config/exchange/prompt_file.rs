//! Prompts that opencode keeps in files of their own: `"prompt": "{file:./reviewer.txt}"`.
//!
//! Reads files below the folder of the JSON file and no others: a stranger's definition must not carry a file of
//! the person's into a prompt.

use std::fs;
use std::path::Path;

use serde_json::Value;

/// The text with every such prompt put in its place. One that can't be read stays as it is, and costs its agent:
/// the names are given back.
pub(super) fn put_in(text: &str, folder: &Path) -> String {
    let Ok(mut root) = serde_json::from_str::<Value>(text) else { return text.to_owned() };
    let mut found = false;
    for key in ["agent", "agents"] {
        for (_, agent) in root.get_mut(key).and_then(Value::as_object_mut).into_iter().flatten() {
            for key in ["prompt", "system"] {
                found |= agent.get_mut(key).is_some_and(|prompt| replace(prompt, folder));
            }
        }
    }
    if found { root.to_string() } else { text.to_owned() }
}

fn replace(prompt: &mut Value, folder: &Path) -> bool {
    let Some(name) = prompt.as_str().and_then(file_named) else { return false };
    // Without a prompt the agent is refused, which the preview tells.
    *prompt = read(name, folder).map_or(Value::Null, Value::String);
    true
}

fn file_named(prompt: &str) -> Option<&str> {
    prompt.trim().strip_prefix("{file:")?.strip_suffix('}').map(str::trim)
}

fn read(name: &str, folder: &Path) -> Option<String> {
    let folder = folder.canonicalize().ok()?;
    let file = folder.join(name).canonicalize().ok()?;
    file.starts_with(&folder).then(|| fs::read_to_string(file).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prompt_is_read_from_below_the_folder_and_from_nowhere_else() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("project");
        fs::create_dir_all(folder.join("prompts")).unwrap();
        fs::write(folder.join("prompts/a.txt"), "You review.").unwrap();
        fs::write(home.path().join("secret"), "canary").unwrap();
        let text =
            r#"{"agent": {"a": {"prompt": "{file:./prompts/a.txt}"}, "b": {"prompt": "{file:../secret}"}}}"#;
        let put = put_in(text, &folder);
        assert!(put.contains("You review.") && !put.contains("canary"), "{put}");
        let plain = r#"{ "a": 1 }"#;
        assert_eq!(put_in(plain, &folder), plain);
    }
}
