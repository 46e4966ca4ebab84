//! From a source to a plan, and the way back.

use std::path::Path;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::config::agent::{Model, parse};
use crate::config::{Config, Severity, load};

/// A configuration with the provider `p`.
fn config() -> Config {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("config.toml"), "[providers.p]\npreset = \"vllm\"\n").unwrap();
    load(folder.path()).0
}

fn candidate(file: &str, text: &str, wishes: &Wishes) -> Candidate {
    let stem = Path::new(file).file_stem().unwrap().to_str().unwrap();
    let source = Source { origin: file.to_owned(), ..from_text(file, stem, text) };
    let definition = definitions(&source).remove(0).unwrap();
    settle(definition, wishes, &config())
}

fn plain(file: &str, text: &str) -> Candidate {
    candidate(file, text, &Wishes::default())
}

fn told(candidate: &Candidate, kind: NoteKind) -> Vec<&str> {
    candidate.notes.iter().filter(|note| note.kind == kind).map(|note| note.text.as_str()).collect()
}

const FILE: &str = "---\n# Mine.\nname:   reviewer\ndescription: Use when: asked\ntools: Read, Grep # two\nmodel: opus\n\
                    author: me\n---\n\nReview.\n\n---\nEnd.  \n";

#[test]
fn a_file_of_claude_codes_comes_in_byte_for_byte() {
    for text in [FILE.to_owned(), FILE.replace('\n', "\r\n"), FILE.replace("model: opus\n", "")] {
        let candidate = plain("reviewer.md", &text);
        assert!(candidate.agent.is_some(), "{:?}", candidate.problems);
        assert_eq!((candidate.text, candidate.notes), (text, Vec::new()));
    }
}

#[test]
fn f01_a_byte_order_mark_goes_and_nothing_else_does() {
    let candidate = plain("reviewer.md", &format!("\u{feff}{FILE}"));
    assert_eq!(candidate.text, FILE);
    assert!(told(&candidate, NoteKind::Changed)[0].contains("byte order mark"));
}

#[test]
fn f12_blank_lines_before_the_front_matter_go_and_nothing_else_does() {
    let candidate = plain("reviewer.md", &format!("\n\r\n{FILE}"));
    assert_eq!((candidate.text.as_str(), told(&candidate, NoteKind::Changed).len()), (FILE, 1));
}

#[test]
fn f11_a_mistyped_tools_key_limits_again() {
    let text = "---\nname: a\ndescription: d\nallowedTools:\n  - read\n  - shell\nauthor: me\n---\nx\n";
    let candidate = plain("a.md", text);
    assert_eq!(candidate.agent.as_ref().unwrap().tools.as_ref().unwrap(), &["Read", "Bash"]);
    assert_eq!(candidate.text, "---\nname: a\ndescription: d\nauthor: me\ntools: Read, Bash\n---\nx\n");
    let denied = plain("a.md", "---\nname: a\ndescription: d\ndisallowed-tools: Bash\n---\nx\n");
    assert_eq!(denied.agent.unwrap().fields["disallowedTools"], json!(["Bash"]));
}

#[test]
fn f03_a_description_that_is_no_yaml_is_mended_when_asked_and_only_then() {
    let text = "---\nname: a\ndescription: Use when: asked\n  user: \"x\"\ntools: Read\n---\nx\n";
    assert_eq!(plain("a.md", text).text, text);
    let mended = candidate("a.md", text, &Wishes { form: Form::Mended, ..Wishes::default() });
    assert_eq!(mended.problems, [], "{}", mended.text);
    assert_eq!(mended.agent, plain("a.md", text).agent);
}

#[test]
fn f03_examples_that_look_like_keys_are_mended_too() {
    let text = "---\nname: a\ndescription: Use it. <example>\\nContext: asked\nuser: \"x\"\nassistant: \"y\"\n</example>\n\
                color: blue\ntools: Read, Grep\n---\n\nx\n";
    let mended = candidate("a.md", text, &Wishes { form: Form::Mended, ..Wishes::default() });
    assert!(mended.problems.iter().all(|problem| problem.severity == Severity::Info), "{}", mended.text);
    assert_eq!(mended.agent, plain("a.md", text).agent);
}

#[test]
fn a_file_without_a_name_is_called_after_its_file() {
    let text = "---\ndescription: d\n---\nDo.\n";
    let candidate = plain("agents/fixer.md", text);
    assert_eq!(candidate.agent.unwrap().name, "fixer");
    assert_eq!(candidate.text.replace("name: fixer\n", ""), text);
}

#[test]
fn f12_what_is_no_agent_is_told_apart_from_one_that_is_broken() {
    let no = |text: &str| definitions(&from_text("x.md", "x", text)).remove(0).unwrap_err();
    for text in [
        "# Notes\n\n---\nname: x\n---\n",
        "---\ntitle: Notes\n---\nx",
        "---\ndescription: d\nargument-hint: x\n---\nx",
    ] {
        assert!(matches!(no(text), NoDefinition::NotAnAgent { .. }), "{text}");
    }
    for text in ["\n---\nname: x\n", "---\nname: x\n"] {
        assert!(matches!(no(text), NoDefinition::Broken { .. }), "{text}");
    }
}

#[test]
fn l4_a_list_of_which_nothing_is_a_tool_costs_the_agent_and_never_means_all() {
    for tools in ["Raed, Grip", "[3]", "computer-use, x y"] {
        let candidate = plain("a.md", &format!("---\nname: a\ndescription: d\ntools: {tools}\n---\nx"));
        assert_eq!(candidate.agent, None, "{tools}");
        let told: Vec<String> = candidate.problems.iter().map(ToString::to_string).collect();
        assert!(told.iter().any(|told| told.contains("no tool of agent `a` is known")), "{told:?}");
    }
    let candidate = plain("a.md", "---\nname: a\ndescription: d\ntools: Read, Raed, b c\n---\nx");
    assert_eq!(told(&candidate, NoteKind::UnresolvedTool), ["Raed", "b c"]);
    assert!(candidate.agent.is_some());
}

#[test]
fn a_tool_in_another_spelling_is_mended() {
    let candidate =
        plain("a.md", "---\nname: a\ndescription: d\ntools: [\"read\", \"bash(ls:*)\", \"Grep\"]\n---\nx");
    assert_eq!(candidate.agent.unwrap().tools.unwrap(), ["Read", "Bash(ls:*)", "Grep"]);
}

#[test]
fn a_route_stays_where_it_can_be_used_and_is_told_where_it_cannot() {
    let file = |model: &str| format!("---\nname: a\ndescription: d\nmodel: {model}\n---\nx\n");
    let good = plain("a.md", &file("p/m"));
    assert_eq!(
        (good.text.as_str(), told(&good, NoteKind::Model)),
        (file("p/m").as_str(), vec!["it runs on route `p/m`"])
    );
    let bad = plain("a.md", &file("q/m"));
    assert_eq!(bad.agent.as_ref().unwrap().model, Model::Inherit);
    assert!(told(&bad, NoteKind::Model)[0].contains("provider `q`"), "{:?}", bad.notes);
    let wishes = Wishes { models: vec![("q/m".to_owned(), "p/m".to_owned())], ..Wishes::default() };
    assert_eq!(candidate("a.md", &file("q/m"), &wishes).agent.unwrap().model.to_string(), "p/m");
}

#[test]
fn an_agent_is_renamed_by_its_name_or_by_its_place_and_only_when_asked() {
    let text = "---\nname: a\ndescription: d\n---\nx";
    for (from, expect) in [("a", "b"), ("p/a.md", "b"), ("q/p/a.md", "b"), ("a.md", "a"), ("c", "a")] {
        let wishes = Wishes { rename: vec![(from.to_owned(), "b".to_owned())], ..Wishes::default() };
        let candidate = candidate("/q/p/a.md", text, &wishes);
        assert_eq!(
            (candidate.name.as_str(), candidate.agent.unwrap().name.as_str()),
            (expect, expect),
            "{from}"
        );
    }
}

#[test]
fn every_json_format_is_recognised() {
    for (text, format, name) in [
        (json!({"a": {"description": "d", "prompt": "p"}}), Format::AgentsJson, "a"),
        (json!({"agents": {"a": {"description": "d", "prompt": "p"}}}), Format::AgentsJson, "a"),
        (json!({"agent": {"description": "d", "prompt": "p"}}), Format::AgentsJson, "agent"),
        (json!({"agent": {"a": {"description": "d", "prompt": "p"}}}), Format::OpenCode, "a"),
        (json!({"a": {"description": "d", "prompt": "p", "mode": "subagent"}}), Format::OpenCode, "a"),
        (json!({"a": {"description": "d", "prompt": "p", "model_id": "m"}}), Format::Granite, "a"),
        (json!({"description": "d", "prompt": "p", "max_turns": 3}), Format::ChatCli, "x"),
        (
            json!({"name": "delegate_subagent", "arguments": {"description": "d", "prompt": "p"}}),
            Format::ChatCli,
            "x",
        ),
    ] {
        let candidate = plain("x.json", &text.to_string());
        assert_eq!((candidate.format, candidate.name.as_str()), (format, name), "{text}");
        assert_eq!(candidate.agent.unwrap().prompt, "p");
    }
}

#[test]
fn f07_json_that_is_no_object_of_agents_is_refused_with_its_place() {
    for (text, part) in [("{", "no JSON"), ("{}", "no agents"), ("{\"a\": 1}", "no object")] {
        let Err(NoDefinition::Broken { problems, .. }) = definitions(&from_text("x", "x", text)).remove(0)
        else {
            panic!("{text}")
        };
        assert!(
            problems[0].severity == Severity::Error && problems[0].message.contains(part),
            "{problems:?}"
        );
    }
    for entry in
        [json!({"prompt": "p"}), json!({"description": "d"}), json!({"description": " ", "prompt": "p"})]
    {
        let text = json!({"a": entry, "b": {"description": "d", "prompt": "p"}}).to_string();
        assert!(plain("x.json", &text).agent.is_none(), "{text}");
    }
}

#[test]
fn f09_every_way_to_write_tools_in_gives_an_array_out() {
    for tools in [
        "Read, Bash(git log:*, x)",
        "[\"Read\", \"Bash(git log:*, x)\"]",
        "\n  - Read\n  - Bash(git log:*, x)",
    ] {
        let agent =
            plain("a.md", &format!("---\nname: a\ndescription: d\ntools: {tools}\n---\nx")).agent.unwrap();
        let (json, _) = export_json(&[&agent], &Stand::Inherit);
        assert_eq!(json["a"]["tools"], json!(["Read", "Bash(git log:*, x)"]));
        let back = plain("a.json", &Value::Object(json).to_string());
        assert!(back.text.contains("tools: \"Read, Bash(git log:*, x)\"\n"), "{}", back.text);
        assert_eq!(back.agent.unwrap().tools, agent.tools);
    }
}

fn existing(name: &str, file: &str, text: &str) -> Existing {
    Existing { name: name.to_owned(), file: file.into(), text: text.to_owned() }
}

#[test]
fn a_name_that_is_taken_is_never_written_over_or_changed_unless_asked() {
    let text = |body: &str| format!("---\nname: a\ndescription: d\n---\n{body}");
    let there = [existing("a", "/f/a.md", &text("mine"))];
    let steps = |candidates: &[&str], choice| {
        let candidates = candidates.iter().map(|body| plain(&format!("/s/{body}.md"), &text(body))).collect();
        plan(candidates, &there, Path::new("/f"), choice)
            .into_iter()
            .map(|planned| planned.step)
            .collect::<Vec<_>>()
    };
    let (mine, taken) = ("/f/a.md".to_owned(), "/f/a.md".to_owned());
    assert_eq!(steps(&["mine"], Choice::Refuse), [Step::Same { with: mine }]);
    assert_eq!(steps(&["new"], Choice::Refuse), [Step::Clash { taken_by: taken.clone() }]);
    assert_eq!(steps(&["new"], Choice::Skip), [Step::Skip { taken_by: taken }]);
    let replaced = steps(&["new", "other", "new"], Choice::Replace);
    let first = "/s/new.md".to_owned();
    assert_eq!(
        replaced,
        [
            Step::Replace { file: "/f/a.md".into() },
            Step::Skip { taken_by: first.clone() },
            Step::Same { with: first }
        ]
    );
}

#[test]
fn two_newcomers_of_one_name_clash_and_a_file_of_another_agents_is_left_alone() {
    let text = |name: &str, body: &str| format!("---\nname: {name}\ndescription: d\n---\n{body}");
    let candidates = vec![
        plain("/s/1.md", &text("a", "1")),
        plain("/s/2.md", &text("a", "2")),
        plain("/s/3.md", &text("B", "3")),
        plain("/s/4.md", &text(".hidden", "4")),
    ];
    let there = [existing("other", "/f/b.md", "")];
    let steps: Vec<Step> = plan(candidates, &there, Path::new("/f"), Choice::Refuse)
        .into_iter()
        .map(|planned| planned.step)
        .collect();
    assert_eq!(
        steps,
        [
            Step::Add { file: "/f/a.md".into() },
            Step::Clash { taken_by: "/s/1.md".to_owned() },
            Step::Add { file: "/f/B-2.md".into() },
            Step::Add { file: "/f/-.hidden.md".into() },
        ]
    );
}

fn exported(text: &str, stand: &Stand) -> ExportedFile {
    let (agent, problems) = parse(Path::new("a.md"), text.as_bytes());
    let agent = agent.unwrap_or_else(|| panic!("{problems:?}"));
    export_files(&[(&agent, text)], stand).unwrap().remove(0)
}

#[test]
fn what_claude_code_understands_goes_out_as_it_is_and_a_route_comes_back() {
    assert_eq!(exported(FILE, &Stand::Inherit).text, FILE);
    let routed =
        "---\nname: a\ndescription: d\nmodel: p/m # mine\nsubagents:\n  visibility: hidden\n---\nx\n";
    let out = exported(routed, &Stand::Claude("sonnet".to_owned()));
    assert!(out.text.contains("model: sonnet") && out.notes.len() == 2, "{out:?}");
    let back = plain("a.md", &out.text).agent.unwrap();
    let agent = parse(Path::new("a.md"), routed.as_bytes()).0.unwrap();
    assert_eq!(back, agent);
}

#[test]
fn a_read_only_agent_can_write_nothing_elsewhere_either() {
    let text = "---\nname: a\ndescription: d\ndisallowedTools: WebFetch, Bash\nsubagents: { read_only: true }\n---\nx\n";
    let out = exported(text, &Stand::Inherit);
    assert!(
        out.text.contains("disallowedTools: WebFetch, Bash, Write, Edit, NotebookEdit, Agent, Task\n"),
        "{}",
        out.text
    );
}

#[test]
fn f14_the_json_never_names_a_model_that_the_file_does_not_and_tells_what_it_loses() {
    let text =
        "---\nname: a\ndescription: d\ncolor: red\nauthor: me\nsubagents: { visibility: off }\n---\nx\n";
    let agent = parse(Path::new("a.md"), text.as_bytes()).0.unwrap();
    let (json, notes) = export_json(&[&agent], &Stand::Claude("opus".to_owned()));
    assert_eq!(Value::Object(json), json!({"a": {"description": "d", "prompt": "x"}}));
    let lost: Vec<&str> = notes.iter().map(|(_, note)| note.text.split(':').next().unwrap()).collect();
    assert_eq!(lost, ["`color", "`author", "`subagents.visibility"]);
}

proptest! {
    #[test]
    fn f03_any_description_goes_through_json_into_a_file_and_back(description in "\\PC*[a-z]", prompt in "[a-z](\\PC|\n)*[a-z]") {
        let json = json!({"a": {"description": description, "prompt": prompt}});
        let agent = plain("a.json", &json.to_string()).agent.unwrap();
        prop_assert_eq!(Value::Object(export_json(&[&agent], &Stand::Inherit).0), json);
    }

    #[test]
    fn any_json_is_read_without_a_panic(text in "\\{(\"(agent|agents|tools|permission|mode|prompt|a)\"|:|\\{|\\}|\\[|\\]|,|true|\"deny\"|1){0,24}\\}") {
        for definition in definitions(&from_text("x", "x", &text)).into_iter().flatten() {
            settle(definition, &Wishes::default(), &Config::default());
        }
    }
}
