//! `--dry-run`: the command as it would run, with a placeholder where the router's address would stand.
//!
//! Pure, and it shows no secret: the plan behind it holds none, and what the user's own settings and agents
//! hold under `env` and `headers` is masked.

use serde_json::{Map, Value, json};
use shlex::Quoter;
use uuid::Uuid;

use super::command::{Command, Router};
use super::overlay::Dialogs;
use super::private_files::PrivateFile;

/// What stands where a value is not shown.
const MASK: &str = "***";

/// Maps whose values may be secrets, wherever they stand.
const MASKED: [&str; 2] = ["env", "headers"];

/// A router that is not there: no port, no token, and a conversation id that is only an example.
pub fn placeholder() -> Router {
    Router {
        session: Uuid::nil(),
        base_url: "http://127.0.0.1:PORT/s/TOKEN".to_owned(),
        hook_url: Some("http://127.0.0.1:PORT/.subagents/TOKEN/hook".to_owned()),
        dialogs: Dialogs::Passed,
        mcp: None,
        main: None,
        window: None,
    }
}

/// One line that a shell understands: `env -u X A=B claude …`, without `env` where nothing differs.
pub fn shell_line(command: &Command) -> String {
    let mut words = Vec::new();
    if !command.env_set.is_empty() || !command.env_remove.is_empty() {
        words.push("env".to_owned());
        words.extend(command.env_remove.iter().flat_map(|name| ["-u".to_owned(), name.clone()]));
        words.extend(command.env_set.iter().map(|(name, value)| format!("{name}={value}")));
    }
    words.push(command.program.to_string_lossy().into_owned());
    words.extend(shown_args(command));
    words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
}

/// The warnings with the line, then each file with its content: for a person.
pub fn text(command: &Command) -> String {
    let files = command.files.iter().map(|file| {
        format!(
            "\n# {} (mode {:04o})\n{}\n",
            file.path.display(),
            PrivateFile::MODE,
            shown(command, file).trim_end()
        )
    });
    let warnings = command.warnings.iter().map(|warning| format!("# warning: {warning}\n"));
    warnings.chain([shell_line(command), "\n".to_owned()]).chain(files).collect()
}

/// `{"version","program","args","env":{"set","remove"},"files":[{"path","mode","contents"}],"agents","warnings","shell"}`.
pub fn json(command: &Command) -> Value {
    let set: Map<String, Value> =
        command.env_set.iter().map(|(name, value)| (name.clone(), value.as_str().into())).collect();
    let mode = format!("{:04o}", PrivateFile::MODE);
    let file =
        |file: &PrivateFile| json!({"path": file.path, "mode": mode, "contents": shown(command, file)});
    let files: Vec<Value> = command.files.iter().map(file).collect();
    json!({
        "version": 1,
        "program": command.program,
        "args": shown_args(command),
        "env": {"set": set, "remove": command.env_remove},
        "files": files,
        "agents": masked(command, Value::Object(command.agents.clone())),
        "warnings": command.warnings,
        "shell": shell_line(command),
    })
}

/// The arguments, with secrets masked in those that are JSON: agents, and the user's own settings and MCP servers.
fn shown_args(command: &Command) -> Vec<String> {
    command.args.iter().map(|arg| shown_arg(command, arg)).collect()
}

/// `JSON` or `--option=JSON`. Where nothing is masked, it stays as written.
fn shown_arg(command: &Command, arg: &str) -> String {
    let option = arg.starts_with("--").then(|| arg.find('=')).flatten();
    let (option, text) = arg.split_at(option.map_or(0, |at| at + 1));
    let Ok(value @ Value::Object(_)) = serde_json::from_str(text) else { return arg.to_owned() };
    let hidden = masked(command, value.clone());
    if hidden == value { arg.to_owned() } else { format!("{option}{hidden}") }
}

fn shown(command: &Command, file: &PrivateFile) -> String {
    match serde_json::from_str::<Value>(&file.contents) {
        Ok(value) => format!("{:#}\n", masked(command, value)),
        Err(_) => shown_markdown(command, &file.contents),
    }
}

/// An agent file: its front matter's values are JSON, one a line.
fn shown_markdown(command: &Command, contents: &str) -> String {
    let line = |line: &str| match line.split_once(": ") {
        Some((key, value)) if value.starts_with(['{', '[']) => match serde_json::from_str(value) {
            Ok(value) => format!("{key}: {}\n", masked_under(command, key, value)),
            Err(_) => format!("{line}\n"),
        },
        _ => format!("{line}\n"),
    };
    contents.lines().map(line).collect()
}

fn masked(command: &Command, value: Value) -> Value {
    match value {
        Value::Object(map) => {
            let values = map.into_iter().map(|(key, value)| {
                let value = masked_under(command, &key, value);
                (key, value)
            });
            Value::Object(values.collect())
        }
        Value::Array(items) => items.into_iter().map(|item| masked(command, item)).collect(),
        other => other,
    }
}

fn masked_under(command: &Command, key: &str, value: Value) -> Value {
    match value {
        Value::Object(map) if MASKED.contains(&key) => {
            let ours = |name: &str, value: &Value| {
                let set = command.env_set.iter().any(|(own, text)| own == name && value == text.as_str());
                set || value == ""
            };
            let hide = |(name, value): (String, Value)| {
                let shown = if ours(&name, &value) { value } else { MASK.into() };
                (name, shown)
            };
            Value::Object(map.into_iter().map(hide).collect())
        }
        other => masked(command, other),
    }
}

fn quoted(word: &str) -> String {
    // A NUL can't be in an argument at all, so it needs no refusal here.
    Quoter::new().allow_nul(true).quote(word).map_or_else(|_| word.to_owned(), std::borrow::Cow::into_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::launch::bind::tests::agent;
    use crate::launch::command::tests::Case;
    use crate::launch::settings::Layer;

    fn shown_case() -> Command {
        let mut rev = agent("rev", "ollama/m");
        rev.fields =
            json!({"mcpServers": [{"x": {"env": {"KEY": "sk-secret"}}}]}).as_object().cloned().unwrap();
        let case = Case {
            agents: vec![rev],
            line: "--settings x -p \"it's\"",
            environment: vec![("ZAI_API_KEY", "zai-secret")],
            settings: vec![(Layer::Arguments, json!({"env": {"MY_TOKEN": "my-secret", "NO_PROXY": "corp"}}))],
            secrets: vec!["ZAI_API_KEY"],
            router: Some(placeholder()),
            ..Case::default()
        };
        case.compose().unwrap_or_else(|error| panic!("{error}"))
    }

    #[test]
    fn l2_the_line_can_be_pasted_into_a_shell() {
        let command = shown_case();
        let words = shlex::split(&shell_line(&command)).unwrap();
        assert_eq!(
            words[..5],
            [
                "env",
                "-u",
                "ZAI_API_KEY",
                "SUBAGENTS_SESSION=00000000-0000-0000-0000-000000000000",
                "ANTHROPIC_BASE_URL=http://127.0.0.1:PORT/s/TOKEN"
            ]
        );
        assert_eq!(words[words.len() - 2..], ["-p", "it's"]);
        let untouched = Case { line: "-p 'a b'", ..Case::default() }.compose();
        assert_eq!(untouched.map(|command| shell_line(&command)), Ok("/bin/claude -p 'a b'".to_owned()));
    }

    #[test]
    fn l2_neither_form_shows_a_secret() {
        let command = shown_case();
        for shown in [text(&command), json(&command).to_string()] {
            for secret in ["zai-secret", "my-secret", "sk-secret"] {
                assert!(!shown.contains(secret), "{secret}: {shown}");
            }
            assert!(shown.contains("http://127.0.0.1:PORT/s/TOKEN"));
            assert!(shown.contains("MY_TOKEN"));
        }
    }

    #[test]
    fn l2_json_in_the_users_own_arguments_is_masked_and_other_words_stay() {
        let line = concat!(
            r#"--mcp-config '{"mcpServers": {"x": {"headers": {"K": "sk-secret"}}}}' "#,
            r#"--settings='{"env": {"K": "sk-secret"}}' --json-schema '{"a":  1}' -p 'x={"a":  1}'"#,
        );
        let command = Case { line, ..Case::default() }.compose().unwrap_or_else(|error| panic!("{error}"));
        for shown in [text(&command), json(&command).to_string()] {
            assert!(shown.contains(MASK) && !shown.contains("sk-secret"), "{shown}");
        }
        let words = shlex::split(&shell_line(&command)).unwrap();
        assert_eq!(words[3], r#"--settings={"env":{"K":"***"}}"#);
        assert_eq!(words[4..], ["--json-schema", r#"{"a":  1}"#, "-p", r#"x={"a":  1}"#]);
    }

    #[test]
    fn l2_files_are_shown_with_their_content_and_agents_as_json() {
        let json = json(&shown_case());
        assert_eq!(json["files"][0]["mode"], "0600");
        let settings: Value = serde_json::from_str(json["files"][0]["contents"].as_str().unwrap()).unwrap();
        assert_eq!(settings["env"]["NO_PROXY"], "corp,127.0.0.1,localhost,::1");
        assert_eq!(json["agents"]["rev"]["model"], "rev@ollama/m");
        assert!(text(&shown_case()).contains("# /run/s/settings.json (mode 0600)"));
    }

    #[test]
    fn l2_agents_in_files_are_masked_too() {
        let mut rev = agent("rev", "ollama/m");
        rev.prompt = "x".repeat(200_000);
        rev.fields =
            json!({"mcpServers": {"x": {"headers": {"K": "sk-secret"}}}}).as_object().cloned().unwrap();
        let case = Case { agents: vec![rev], router: Some(placeholder()), ..Case::default() };
        let shown = case.compose().map(|command| text(&command)).unwrap_or_default();
        let head = shown.split("\n\n").next().unwrap_or_default();
        assert!(head.contains("# warning: ") && head.contains("Yes, add it") && head.contains("--add-dir"));
        assert!(shown.contains("mcpServers: ") && !shown.contains("sk-secret"));
    }
}
