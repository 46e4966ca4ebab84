//! Each command's `--help` has examples, and each of them works as it stands there.
//!
//! A new command needs nothing here as long as its examples find what they need on the [`prepared`] stage; what one
//! needs beyond that is a line in [`PREPARATIONS`].

use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};

use rustix::process::{Pid, Signal, kill_process};

use crate::fake::{Provider, with_an_ended_session, with_claude};
use crate::inbox::with_dialogs;
use crate::stage::Stage;
use crate::terminal::on_a_terminal;

/// Makes one thing more ready.
type Prepare = fn(Stage) -> Stage;

/// What an example needs that begins with these words.
const PREPARATIONS: [(&str, Prepare); 26] = [
    ("subagents serve", |stage| stage.with("project/token.txt", "0123456789abcdef0123456789abcdef")),
    ("subagents agent new fixer", |stage| stage.with("project/prompt.txt", "Fix one bug.\n")),
    ("subagents agent new critic --file", |stage| stage.with("project/critic.md", CRITIC)),
    ("subagents agent set reviewer --file", |stage| {
        stage.with("project/reviewer.md", &CRITIC.replace("critic", "reviewer"))
    }),
    ("subagents agent import agents.json", |stage| stage.with("project/agents.json", DEFINITIONS)),
    ("subagents provider add ollama", without_a_configuration),
    ("subagents provider rm gateway", with_a_gateway),
    ("subagents provider models openrouter", with_openrouter),
    ("subagents budget rm", with_a_budget),
    ("subagents budget set night --unset", with_a_budget),
    ("subagents policy explain glm/glm-5 --session", with_an_ended_session),
    ("subagents delegate", |stage| stage.with_variable("THEN", WORKS)),
    ("subagents delegate --auto", |stage| {
        stage.with("config/agents/builder.md", BUILDER).with("project/build.log", "error: it fails\n")
    }),
    ("subagents inbox allow", with_dialogs),
    ("subagents inbox deny", with_dialogs),
    ("subagents attach shop", with_a_session),
    ("subagents logs shop", with_a_session),
    ("subagents stop shop", with_a_session),
    ("subagents ledger check", with_a_ledger),
    ("subagents ledger vacuum", with_a_ledger),
    ("subagents ledger export", with_a_ledger),
    ("subagents ledger import", with_an_export),
    ("subagents resume", with_an_ended_session),
    ("subagents config init", without_a_configuration),
    ("subagents config undo", with_a_change),
    ("subagents config undo --redo", with_a_change_undone),
];

/// An agent's file.
const CRITIC: &str = "---\nname: critic\ndescription: Finds faults.\n---\n\nFind them.\n";

/// The one that fits a question about a build.
const BUILDER: &str = "---\nname: builder\ndescription: Finds out why a build fails.\n---\nFind it out.\n";

/// What `claude --agents` takes.
const DEFINITIONS: &str =
    r#"{"reviewer": {"description": "Reviews.", "prompt": "Review it.", "model": "opus"}}"#;

/// How a Claude Code says that it has done its task.
const WORKS: &str = r#"cat > /dev/null; echo '{"type":"result","subtype":"success","result":"It is done."}'"#;

/// Examples that serve until they are ended.
const SERVING: [&str; 1] = ["subagents serve"];

/// Examples that need a terminal, with the keys that end them and what is said then.
const ON_A_TERMINAL: [(&str, &str, &str); 2] =
    [("subagents attach", "\x1dd", "left session shop alone"), ("subagents tui", "q", "\x1b[?1049l")];

/// A command as its `--help` describes it.
pub(crate) struct Command {
    words: Vec<String>,
    help: String,
}

impl Command {
    /// With `subagents` at their head.
    pub(crate) fn words(&self) -> &[String] {
        &self.words
    }

    /// Whether it does something itself.
    pub(crate) fn is_leaf(&self) -> bool {
        self.below().is_empty()
    }

    /// The lines of its `Example:` or `Examples:` block.
    pub(crate) fn examples(&self) -> Vec<String> {
        let after = self.help.lines().skip_while(|line| !matches!(*line, "Example:" | "Examples:")).skip(1);
        let lines = after.take_while(|line| line.starts_with("  "));
        lines.map(|line| line.trim().to_owned()).collect()
    }

    fn below(&self) -> Vec<String> {
        let listed = self.help.lines().skip_while(|line| *line != "Commands:").skip(1);
        let listed = listed.take_while(|line| line.is_empty() || line.starts_with("  "));
        // In long help a command's description stands below its name, further in.
        let names = listed.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
        let names = names.filter_map(|line| line.split_whitespace().next());
        names.filter(|name| *name != "help").map(str::to_owned).collect()
    }
}

/// Every command, the program itself first, as the real binary tells it.
pub(crate) fn commands(stage: &Stage) -> Vec<Command> {
    let mut found = vec![described(stage, &[])];
    let mut at = 0;
    while let Some(command) = found.get(at) {
        let path = command.words[1..].to_vec();
        let below = command.below().into_iter().map(|name| [path.as_slice(), &[name]].concat());
        let below: Vec<Command> = below.map(|path| described(stage, &path)).collect();
        found.extend(below);
        at += 1;
    }
    found
}

fn described(stage: &Stage, path: &[String]) -> Command {
    let arguments: Vec<&str> = path.iter().map(String::as_str).chain(["--help"]).collect();
    let help = stage.run(&arguments).ok();
    Command { words: [&["subagents".to_owned()], path].concat(), help }
}

/// A configuration with a bit of everything, and files that an example may name.
fn prepared(provider: &Provider) -> Stage {
    let url = provider.url();
    let keyed = |name: &str, variable: &str| {
        format!(
            "[providers.{name}]\npreset = \"{name}\"\nbase_url = \"{url}\"\n\
             auth = {{ secret = \"env:{variable}\" }}\n"
        )
    };
    let config = [
        format!("[providers.ollama]\npreset = \"ollama\"\nbase_url = \"{url}\"\n"),
        keyed("glm", "ZAI_API_KEY"),
        "[routes.\"ollama/qwen3-coder:30b\"]\ncontext_window = 32768\n".to_owned(),
        "[routes.\"glm/glm-5\"]\ncontext_window = 200000\nprice = { input = 1.0, output = 3.2 }\n".to_owned(),
        "[policy]\nallowed = [\"glm/glm-5\"]\n[profiles.default]\nargs = [\"--permission-mode\", \"acceptEdits\"]\n"
            .to_owned(),
        "[profiles.fast]\nagents = [\"scout\"]\n".to_owned(),
    ];
    let agent = |name: &str, model: &str| {
        format!("---\nname: {name}\ndescription: Does {name}.\nmodel: {model}\n---\nDo it.\n")
    };
    let stage = Stage::new()
        .with("config/config.toml", &config.concat())
        .with("config/agents/reviewer.md", &agent("reviewer", "ollama/qwen3-coder:30b"))
        .with("config/agents/scout.md", &agent("scout", "glm/glm-5"))
        .with("home/.claude/agents/helper.md", &agent("helper", "sonnet"))
        .with("project/.claude/agents/planner.md", &agent("planner", "opus"))
        .with("project/.subagents/profile.toml", "agents = [\"reviewer\"]\n")
        .only_own("project/.subagents/profile.toml")
        .only_own("project/.subagents")
        .with_variable("ZAI_API_KEY", "a-key")
        .with_variable("ANTHROPIC_BASE_URL", &url)
        .with_variable("EDITOR", "true");
    with_claude(stage)
}

fn without_a_configuration(stage: Stage) -> Stage {
    std::fs::remove_file(stage.at("config/config.toml")).unwrap();
    stage
}

fn with_a_budget(stage: Stage) -> Stage {
    let config = format!("{}[budgets.night]\nusd = 5\n", stage.read("config/config.toml"));
    stage.with("config/config.toml", &config)
}

fn with_a_change(stage: Stage) -> Stage {
    stage.run(&["policy", "on"]).ok();
    stage
}

fn with_a_gateway(stage: Stage) -> Stage {
    stage.run(&["provider", "add", "gateway", "--base-url", "http://127.0.0.1:1", "--auth", "none"]).ok();
    stage
}

/// At the address where the stage's own provider listens.
fn with_openrouter(stage: Stage) -> Stage {
    let config = stage.read("config/config.toml");
    let url = config.split('"').find(|text| text.starts_with("http://")).unwrap().to_owned();
    stage.run(&["provider", "add", "openrouter", "--base-url", &url, "--auth", "none"]).ok();
    stage
}

fn with_a_ledger(stage: Stage) -> Stage {
    stage.run_with(&["ledger", "import", "-"], "").ok();
    stage
}

/// One that lives until its stage ends.
fn with_a_session(stage: Stage) -> Stage {
    let stage = stage.with_variable("THEN", "echo ready; sleep 1000");
    stage.run(&["run", "--detach", "--name", "shop"]).ok();
    stage
}

fn with_an_export(stage: Stage) -> Stage {
    let stage = with_a_ledger(stage);
    stage.run(&["ledger", "export", "ledger.jsonl"]).ok();
    stage
}

/// After [`with_a_change`].
fn with_a_change_undone(stage: Stage) -> Stage {
    stage.run(&["config", "undo"]).ok();
    stage
}

fn prepared_for(example: &str, provider: &Provider) -> Stage {
    let fitting = PREPARATIONS.iter().filter(|(words, _)| example.starts_with(words));
    fitting.fold(prepared(provider), |stage, (_, prepare)| prepare(stage))
}

/// Runs the line in a home of its own; what it said, if it didn't end with 0.
fn run(example: &str, provider: &Provider) -> Result<(), String> {
    let words = shlex::split(example).ok_or("it is no command line")?;
    // A port of the example's own could be somebody else's here.
    let words: Vec<String> = words.iter().map(|word| word.replace("127.0.0.1:4000", "127.0.0.1:0")).collect();
    let arguments: Vec<&str> = words[1..].iter().map(String::as_str).collect();
    let stage = prepared_for(example, provider);
    if SERVING.iter().any(|words| example.starts_with(words)) {
        return serve(stage.command(&arguments).stdout(Stdio::piped()).spawn().unwrap());
    }
    if let Some((_, keys, told)) = ON_A_TERMINAL.iter().find(|(words, ..)| example.starts_with(words)) {
        let shown = on_a_terminal(&stage, &arguments, keys);
        return if shown.contains(told) { Ok(()) } else { Err(shown) };
    }
    let ran = match arguments.as_slice() {
        [before @ .., "<", file] => stage.run_with(before, &stage.read(&format!("project/{file}"))),
        all => stage.run(all),
    };
    if ran.code == 0 { Ok(()) } else { Err(format!("{}: {}{}", ran.code, ran.stdout, ran.stderr)) }
}

/// Its first line tells that it serves; a signal ends it.
fn serve(mut child: Child) -> Result<(), String> {
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
    let ended = child.wait().unwrap();
    if ended.success() && line.contains("base_url") { Ok(()) } else { Err(format!("{ended}: {line}")) }
}

#[test]
fn every_command_has_an_example() {
    let without: Vec<String> = commands(&Stage::new())
        .iter()
        .filter(|command| command.is_leaf() && command.examples().is_empty())
        .map(|command| command.words.join(" "))
        .collect();
    assert!(without.is_empty(), "no `Example:` in the help of: {without:?}");
}

#[test]
fn every_example_is_of_its_command_and_works() {
    let provider = Provider::start();
    let mut failed = Vec::new();
    let mut tried = 0;
    for command in commands(&Stage::new()) {
        let name = command.words.join(" ");
        for example in command.examples() {
            tried += 1;
            if !example.starts_with(&name) {
                failed.push(format!("{example}: stands in the help of `{name}`"));
            } else if let Err(said) = run(&example, &provider) {
                failed.push(format!("{example}\n    {said}"));
            }
        }
    }
    assert!(failed.is_empty() && tried > 20, "{tried} tried:\n{}", failed.join("\n"));
}

#[test]
fn the_preparations_are_still_needed() {
    let all: Vec<String> = commands(&Stage::new()).iter().flat_map(Command::examples).collect();
    let terminal = ON_A_TERMINAL.map(|(words, ..)| words);
    for words in PREPARATIONS.iter().map(|(words, _)| *words).chain(SERVING).chain(terminal) {
        assert!(all.iter().any(|example| example.starts_with(words)), "no example begins with `{words}`");
    }
}
