//! Of several agents with one name: the one that is said to win is the one that Claude Code runs.

use std::fs;
use std::path::Path;

use serde_json::json;
use subagents::config::{Environment, Places, load};
use subagents::launch::roster::{Claim, Fate, Roster};
use subagents::launch::scopes::others;
use subagents::launch::{Arguments, Places as ClaudePlaces, Settings};

use super::launch::headless;
use super::reply::{Script, agent};
use super::stage::Stage;
use super::upstream::Upstream;

/// Where a name's definitions stand, by what the machine calls them, and who is said to win.
const NAMES: [(&str, &[&str], &str); 7] = [
    ("u", &["user"], "user"),
    ("ur", &["user", "root"], "root"),
    ("urn", &["user", "root", "near", "above"], "near"),
    ("urno", &["user", "root", "near", "ours"], "ours"),
    ("two", &["near", "near-deeper"], "near-deeper"),
    ("one:p", &["plugin"], "plugin"),
    ("p", &["ours", "plugin"], "ours"),
];

/// Paths below the stage's folder; `NAME` stands for the agent's own name.
fn path(place: &str) -> &'static str {
    match place {
        "user" => "home/.claude/agents/NAME.md",
        "above" => ".claude/agents/NAME.md",
        "root" => "project/.claude/agents/NAME.md",
        "near" => "project/sub/.claude/agents/NAME.md",
        "near-deeper" => "project/sub/.claude/agents/NAME/AGENT.md",
        "plugin" => "market/plugins/one/agents/NAME.md",
        _ => "config/agents/NAME.md",
    }
}

fn write(file: &Path, text: &str) {
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, text).unwrap();
}

/// A repository with a folder in it, everyone's agents, and a plugin of a marketplace on this machine.
fn play() -> Stage {
    let stage = Stage::new();
    stage.config("");
    let root = stage.project().parent().unwrap().to_owned();
    for (name, places, _) in NAMES {
        let name = name.rsplit(':').next().unwrap();
        for place in places {
            let text =
                format!("---\nname: {name}\ndescription: Does {name}.\n---\nI am {name} of {place}.\n");
            write(&root.join(path(place).replace("NAME", name)), &text);
        }
    }
    write(&root.join("project/.git/HEAD"), "ref: refs/heads/main\n");
    write(&root.join(".claude/agents/x.md"), "---\nname: outside\ndescription: Is outside.\n---\nx\n");
    let market = root.join("market");
    let list = json!({"name": "mk", "owner": {"name": "o"}, "plugins": [{"name": "one", "source": "./plugins/one"}]});
    write(&market.join(".claude-plugin/marketplace.json"), &list.to_string());
    let source = json!({"source": "directory", "path": market});
    let known = json!({"mk": {"source": source, "installLocation": market, "lastUpdated": "2026-11-30T07:00:00.000Z"}});
    write(&stage.home().join(".claude/plugins/known_marketplaces.json"), &known.to_string());
    stage.settings(&json!({"enabledPlugins": {"one@mk": true}}));
    stage
}

/// What is said of the machine by the very code that `agent show` prints.
fn roster(stage: &Stage) -> Roster {
    let environment = Environment::from_iter([("HOME", stage.home())]);
    let claude = ClaudePlaces::of(&environment, &stage.project().join("sub"));
    let settings = Settings::read(&claude, &Arguments::parse(&[]), &environment);
    let places = Places::resolve(&environment, Some(&stage.config_dir())).unwrap();
    let (config, problems) = load(&places.config_dir);
    Roster::read(&places, others(&claude, &settings), &config, &problems)
}

/// `I am NAME of PLACE.`, as the file of the one that is said to win holds it.
fn said(roster: &Roster, name: &str) -> String {
    let (wanted, fate) = match name.split_once(':') {
        Some((_, own)) => (own, Fate::Beside),
        None => (name, Fate::Wins),
    };
    let is_it = |claim: &&Claim<'_>| claim.fate == fate && claim.by.name() == name;
    let claims = roster.claims(wanted);
    let file = claims.iter().find(is_it).unwrap_or_else(|| panic!("{name}: {claims:#?}")).by.file();
    fs::read_to_string(file).unwrap().lines().last().unwrap().to_owned()
}

#[test]
fn f14_the_definition_that_is_said_to_win_is_the_one_that_runs() {
    let main = Upstream::start(Script::main([NAMES.map(|(name, ..)| agent(name)).to_vec()]));
    let stage = play();
    let mut launch = stage.subagents(&main, &headless(&[]));
    launch.folder = stage.project().join("sub");
    let ended = launch.run().expect_code(0);
    let prompts: Vec<String> = main.questions().iter().map(super::request::Request::system).collect();
    let roster = roster(&stage);
    for (name, _, place) in NAMES {
        let own = name.rsplit(':').next().unwrap();
        let expect = format!("I am {own} of {place}.");
        assert_eq!(said(&roster, name), expect);
        assert!(prompts.iter().any(|prompt| prompt.contains(&expect)), "{expect} {ended:#?}");
    }
    let of_agents = prompts.iter().filter(|prompt| prompt.contains("I am ")).count();
    assert_eq!(of_agents, NAMES.len(), "nobody else ran");
    // Who is above the repository is offered to nobody and shown to nobody.
    assert!(main.questions().iter().all(|request| !request.holds("Is outside.")));
    assert!(roster.claims("outside").is_empty());
}
