//! Whole agent files: what they come to, and that what is written reads back.

use std::path::Path;

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::config::{Problem, Severity};

fn read(front_matter: &str) -> (Option<Agent>, Vec<Problem>) {
    let text = format!("---\nname: a\ndescription: d\n{front_matter}\n---\nDo it.\n");
    parse(Path::new("a.md"), text.as_bytes())
}

/// The agent must be used, and nothing must be wrong.
fn fine(front_matter: &str) -> Agent {
    let (agent, problems) = read(front_matter);
    assert!(problems.is_empty(), "{front_matter}: {problems:?}");
    agent.unwrap()
}

/// Exactly one problem: its severity, its line, a part of its text. Gives the agent if it is still used.
fn wrong(front_matter: &str, expect: (Severity, usize, &str)) -> Option<Agent> {
    let (agent, problems) = read(front_matter);
    let [problem] = problems.as_slice() else { panic!("{front_matter}: {problems:?}") };
    assert_eq!((problem.severity, problem.line), (expect.0, Some(expect.1)), "{problem}");
    assert!(problem.to_string().contains(expect.2), "{problem}");
    assert_eq!(agent.is_none(), problem.severity == Severity::Error);
    agent
}

use Severity::{Error, Info, Warning};

#[test]
fn a_whole_file_is_understood() {
    let text = "---\nname: reviewer\ndescription: Reviews changes.\ntools: Read, Grep\nmodel: ollama/qwen3:30b # local\n\
                effort: high\nmaxTurns: 12\nskills: a, b\ndisallowedTools: [Shell]\nsubagents:\n  visibility: hidden\n  \
                read_only: true\n---\n\nYou review.\n\n---\nEnd.\n";
    let (agent, problems) = parse(Path::new("r.md"), text.as_bytes());
    assert_eq!(problems, []);
    let agent = agent.unwrap();
    assert_eq!((agent.name.as_str(), agent.prompt.as_str()), ("reviewer", "You review.\n\n---\nEnd."));
    assert_eq!(agent.tools, Some(vec!["Read".to_owned(), "Grep".to_owned()]));
    assert_eq!(agent.model.route().unwrap().to_string(), "ollama/qwen3:30b");
    assert_eq!((agent.visibility, agent.read_only), (Visibility::Hidden, true));
    let expect = json!({"effort": "high", "maxTurns": 12, "skills": ["a", "b"], "disallowedTools": ["Bash"]});
    assert_eq!(Value::Object(agent.fields), expect);
}

#[test]
fn the_model_is_a_route_a_claude_model_or_the_callers() {
    for (line, expect) in [
        ("", Model::Inherit),
        ("model:", Model::Inherit),
        ("model: inherit", Model::Inherit),
        ("model: sonnet", Model::Claude("sonnet".to_owned())),
        ("model: claude-opus-5[1m]", Model::Claude("claude-opus-5[1m]".to_owned())),
        ("model: or/anthropic/x", Model::Route("or/anthropic/x".parse().unwrap())),
    ] {
        assert_eq!(fine(line).model, expect, "{line}");
    }
    wrong("model: a b", (Error, 4, "no model's name"));
    wrong("model: ''", (Error, 4, "no model's name"));
    wrong("model: [a]", (Error, 4, "no model's name"));
}

#[test]
fn l4_a_missing_list_means_all_an_empty_one_none_and_nothing_is_ever_widened() {
    assert_eq!(fine("").tools, None);
    assert_eq!(fine("tools: '*'").tools, None);
    for line in ["tools:", "tools: []", "tools: ''"] {
        assert_eq!(fine(line).tools, Some(Vec::new()), "{line}");
    }
    wrong("tools: [3, 'a b']", (Error, 4, "no tool of agent `a` is known"));
    wrong("tools: {Read: true}", (Error, 4, "no list"));
    let agent = wrong("tools: Read, a b", (Warning, 4, "agent `a`: `a b` is no tool"));
    assert_eq!(agent.unwrap().tools, Some(vec!["Read".to_owned()]));
    wrong("disallowedTools: Bash, a b", (Error, 4, "no tool"));
}

#[test]
fn l4_a_list_that_is_no_yaml_still_limits() {
    for (line, expect) in [("tools: *", None), ("tools: [Read, *]", Some(vec!["Read".to_owned()]))] {
        let (agent, problems) = read(line);
        assert!(problems.iter().any(|problem| problem.message.contains("line by line")), "{problems:?}");
        assert_eq!(agent.unwrap().tools, expect, "{line}");
    }
}

#[test]
fn f09_a_flow_list_and_a_block_list_do_as_well_as_a_comma_string() {
    let expect = Some(vec!["Read".to_owned(), "Bash(git log:*, x)".to_owned()]);
    for line in [
        "tools: Read, Bash(git log:*, x)",
        "tools: [\"Read\", \"Bash(git log:*, x)\"]",
        "tools: [Read, Bash(git log:*, x)]",
        "tools:\n  - Read\n  - Bash(git log:*, x)",
        "tools:\n- Read\n- Bash(git log:*, x)",
    ] {
        assert_eq!(fine(line).tools, expect, "{line}");
    }
}

#[test]
fn f11_a_mistyped_tools_key_is_told_to_mean_all_tools() {
    for key in ["allowed-tools", "allowedTools", "Tools", "tool"] {
        let agent = wrong(&format!("{key}: [Read]"), (Warning, 4, "has ALL tools")).unwrap();
        assert_eq!((agent.tools, agent.unknown.len()), (None, 1), "{key}");
    }
    wrong("disallowed_tools: Bash", (Warning, 4, "forbids agent `a` nothing"));
    wrong("max-turns: 3", (Warning, 4, "did you mean `maxTurns`"));
    let agent = wrong("version: 1.0", (Info, 4, "it is kept")).unwrap();
    assert_eq!(Value::Object(agent.unknown), json!({"version": 1.0}));
}

#[test]
fn l11_name_description_and_prompt_must_not_be_blank() {
    for (text, part) in [
        ("---\ndescription: d\n---\np", "no `name`"),
        ("---\nname: ' '\ndescription: d\n---\np", "no `name`"),
        ("---\nname: a\n---\np", "no `description`"),
        ("---\nname: a\ndescription:\n---\np", "no `description`"),
        ("---\nname: a\ndescription: d\n---\n \n", "no prompt"),
    ] {
        let (agent, problems) = parse(Path::new("a.md"), text.as_bytes());
        assert!(agent.is_none() && problems.len() == 1, "{text}: {problems:?}");
        assert!(problems[0].message.contains(part), "{problems:?}");
    }
    let (agent, _) = parse(Path::new("a.md"), b"---\nname: 12\ndescription: d\nprompt: p\n---\n");
    assert_eq!(agent.map(|agent| (agent.name, agent.prompt)), Some(("12".to_owned(), "p".to_owned())));
}

#[test]
fn names_that_claude_code_or_the_router_keeps_for_itself_are_refused() {
    for name in ["-x", "plugin:x", "main", "'*'", "../x", "\"a\\nb\""] {
        let text = format!("---\nname: {name}\ndescription: d\n---\np");
        let (agent, problems) = parse(Path::new("a.md"), text.as_bytes());
        assert!(agent.is_none(), "{name}");
        assert!(problems[0].message.contains("can't be an agent's name"), "{problems:?}");
    }
}

#[test]
fn f01_a_byte_order_mark_costs_a_warning_and_is_never_written() {
    let text = "\u{feff}---\nname: a\ndescription: d\n---\nGo \u{feff}on.\n";
    let (agent, problems) = parse(Path::new("a.md"), text.as_bytes());
    assert_eq!(problems.len(), 1);
    assert!(problems[0].message.contains("byte order mark"));
    let written = write_markdown(&agent.unwrap(), "");
    assert!(written.starts_with("---\n") && written.contains("Go \u{feff}on."));
}

#[test]
fn f03_a_description_with_a_colon_is_read_with_a_warning() {
    let text = "---\nname: a\ndescription: Use this when: task A\ntools: Read\n---\np";
    let (agent, problems) = parse(Path::new("a.md"), text.as_bytes());
    assert_eq!((problems.len(), problems[0].severity, problems[0].line), (1, Warning, Some(3)));
    let agent = agent.unwrap();
    assert_eq!((agent.description.as_str(), agent.tools.unwrap().len()), ("Use this when: task A", 1));
}

#[test]
fn a_description_that_yaml_cuts_at_a_number_sign_is_told() {
    let text = "---\nname: a\ndescription: Fixes bug #12 and bug#13\n---\np";
    let (agent, problems) = parse(Path::new("a.md"), text.as_bytes());
    assert_eq!((problems.len(), problems[0].severity, problems[0].line), (1, Warning, Some(3)));
    assert_eq!(agent.unwrap().description, "Fixes bug");
    assert!(
        parse(
            Path::new("a.md"),
            text.replace("Fixes bug #", "'Fixes bug #").replace("#13", "#13'").as_bytes()
        )
        .1
        .is_empty()
    );
}

#[test]
fn a_model_is_shown_as_it_is_written() {
    for text in ["inherit", "sonnet", "ollama/qwen3:30b"] {
        assert_eq!(fine(&format!("model: {text}")).model.to_string(), text);
    }
}

#[test]
fn f12_what_is_no_agent_is_said_to_be_none() {
    for (text, severity) in
        [("# Notes\n", Info), ("", Info), ("\n---\nname: a\n---\n", Error), ("---\nname: a\n", Error)]
    {
        let (agent, problems) = parse(Path::new("a.md"), text.as_bytes());
        assert!(agent.is_none());
        assert_eq!(problems.iter().map(|p| p.severity).collect::<Vec<_>>(), [severity], "{text}");
    }
    let (_, problems) = parse(Path::new("a.md"), b"---\nname: a\n---\nx\n\xff\n");
    assert_eq!((problems[0].severity, problems[0].line), (Error, Some(5)));
    let long = format!("---\nname: a\nx: {}\n---\np", "y".repeat(70_000));
    assert!(parse(Path::new("a.md"), long.as_bytes()).1[0].message.contains("64 KiB"));
}

#[test]
fn e1_a_visibility_that_cannot_be_read_costs_the_agent() {
    for (value, expect) in
        [("model", Visibility::Model), ("hidden", Visibility::Hidden), ("off", Visibility::Off)]
    {
        assert_eq!(fine(&format!("subagents: {{ visibility: {value} }}")).visibility, expect);
    }
    wrong("subagents: { visibility: hiden }", (Error, 4, "unknown"));
    wrong("subagents: { read_only: sure }", (Error, 4, "neither"));
    wrong("subagents: hidden", (Error, 4, "no map"));
    wrong("subagents: { visibilty: off }", (Warning, 4, "did you mean `visibility`"));
}

#[test]
fn f07_a_value_that_would_make_claude_code_refuse_the_launch_costs_the_agent() {
    for line in [
        "maxTurns: many",
        "maxTurns: 0",
        "background: 'on'",
        "hooks: x",
        "permissionMode: sometimes",
        "effort: huge",
        "memory: here",
        "isolation: none",
    ] {
        wrong(line, (Error, 4, "is not"));
    }
    assert!(fine("maxTurns:").fields.is_empty());
}

#[test]
fn what_is_written_reads_back_as_the_same_agent() {
    let agent = fine(
        "tools: Read, Bash(git log:*, x)\nmodel: opus\nmaxTurns: 3\nhooks: { Stop: [{ a: 'x: y' }] }\n\
         subagents: { visibility: off, read_only: true }",
    );
    let written = write_markdown(&agent, "opus");
    assert!(written.contains("tools: \"Read, Bash(git log:*, x)\"\n"), "{written}");
    assert_eq!(parse(Path::new("a.md"), written.as_bytes()), (Some(agent), Vec::new()), "{written}");
    let nothing = fine("tools: []");
    assert_eq!(parse(Path::new("a.md"), write_markdown(&nothing, "").as_bytes()).0, Some(nothing));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn f03_any_description_reads_back_from_strict_yaml(description in "\\PC*|[\\x00-\\x7f]{0,40}|.{0,40}") {
        let agent = Agent { description: description.clone(), ..fine("") };
        let written = write_markdown(&agent, "");
        let parts = front_matter::split(&written).unwrap();
        let map = yaml::mapping(parts.yaml).map_err(|error| TestCaseError::fail(format!("{error:?}\n{written}")))?;
        prop_assert_eq!(map["description"].as_str(), Some(description.as_str()));
    }

    #[test]
    fn any_bytes_are_read_without_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = parse(Path::new("a.md"), &bytes);
    }

    #[test]
    fn any_front_matter_is_read_without_a_panic(lines in prop::collection::vec(
        "(name|description|tools|model|x|subagents|hooks)?(:| : |: )?[\\[\\]{}|>&*\"'#,a -]{0,12}", 0..8)
    ) {
        let text = format!("---\n{}\n---\nbody", lines.join("\n"));
        let _ = parse(Path::new("a.md"), text.as_bytes());
    }
}

#[test]
fn f03_the_descriptions_that_broke_others_read_back() {
    for description in [
        "Use when: a, b",
        "# no",
        "- no",
        "---",
        "a\n---\nb",
        " lead and trail ",
        "\"q\" 'q'",
        "😀 \u{1F}\u{7f}\u{85}",
        "\u{2028}\u{feff}\u{fffe}\u{10ffff}",
        "a\r\nb\tc",
        "yes",
        "12",
        "\\",
        "%a",
        "@a",
        "`a",
        "&a *b",
        "null",
    ] {
        let agent = Agent { description: description.to_owned(), ..fine("") };
        let (read, problems) = parse(Path::new("a.md"), write_markdown(&agent, "").as_bytes());
        assert_eq!((read.map(|read| read.description).as_deref(), problems), (Some(description), Vec::new()));
    }
}
