//! Sequences of changing commands: what none of them is about stays as it was, and an undo for each brings all back.

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use crate::stage::Stage;

/// Written as nobody but a person would, with Windows line ends in the middle.
const CONFIG: &str = "# mine, all mine\n\n[policy]   # strict\nenabled = false\nallowed = [ 'p/a', # why not\n  'p/b' ]\n\n\
                      \t# at home\n[ providers . p ]\npreset = 'ollama'  # local\n#base_url = \"http://127.0.0.1:1\"\r\n\r\n\
                      [providers.q]\npreset= \"vllm\"\n[profiles.x]\nargs = []\n\n# the end";

const AGENT: &str = "---\nname: rev\n# what it is for\ndescription:   'Reviews: all.'\nmodel: p/a # cheap\n\ntools: [Read,\n  Grep]\n---\n\
                     \n---\nmodel: no field\n\ttrailing  \n";

/// What no command below is about, in its order.
const KEPT: [&str; 9] = [
    "# mine, all mine\n\n[policy]   # strict\n",
    "# why not\n",
    "\t# at home\n[ providers . p ]\n",
    "  # local\n",
    "#base_url = \"http://127.0.0.1:1\"\r\n",
    "\r\n",
    "[profiles.x]\n",
    "args = []\n",
    "# the end",
];

const COMMANDS: [&[&str]; 14] = [
    &["policy", "on"],
    &["policy", "off"],
    &["route", "allow", "p/c"],
    &["route", "deny", "p/b"],
    &["route", "add", "p/c", "--context-window", "5", "--offline"],
    &["route", "rm", "p/c"],
    &["provider", "set", "p", "timeouts.idle", "7"],
    &["provider", "set", "p", "timeouts", "--unset"],
    &["provider", "add", "r", "--preset", "lm-studio"],
    &["provider", "rm", "q"],
    &["profile", "set", "y", "--agents", "rev"],
    &["agent", "set", "rev", "model", "opus"],
    &["agent", "set", "rev", "maxTurns", "3"],
    &["agent", "set", "rev", "tools", "Read"],
];

fn files(stage: &Stage) -> [String; 2] {
    [stage.read("config/config.toml"), stage.read("config/agents/rev.md")]
}

/// All of them, one after the other.
fn holds(text: &str, pieces: &[&str]) -> bool {
    pieces.iter().try_fold(text, |rest, piece| Some(rest.split_once(piece)?.1)).is_some()
}

fn check(sequence: &[usize]) {
    let stage = Stage::new().with("config/config.toml", CONFIG).with("config/agents/rev.md", AGENT);
    let mut before = vec![files(&stage)];
    for command in sequence {
        let ran = stage.run(COMMANDS[*command]);
        let now = files(&stage);
        assert!(ran.code == 0 || now == before[before.len() - 1], "refused, and changed: {}", ran.stderr);
        assert!(holds(&now[0], &KEPT), "{:?}\n{}", COMMANDS[*command], now[0]);
        assert!(now[1].ends_with("---\n\n---\nmodel: no field\n\ttrailing  \n"), "{}", now[1]);
        assert!(now[1].contains("# what it is for\ndescription:   'Reviews: all.'\n"), "{}", now[1]);
        if now != before[before.len() - 1] {
            before.push(now);
        }
    }
    let now = before.pop();
    assert_eq!(Some(files(&stage)), now);
    for older in before.iter().rev() {
        stage.run(&["config", "undo"]).ok();
        assert_eq!(&files(&stage), older);
    }
}

#[test]
fn any_sequence_of_commands_leaves_the_rest_as_it_was_and_is_undone_step_by_step() {
    let config = Config { cases: 12, failure_persistence: None, ..Config::default() };
    // Ten steps: so many are kept.
    let sequences = prop::collection::vec(0..COMMANDS.len(), 1..10);
    let tried = TestRunner::new(config).run(&sequences, |sequence| {
        check(&sequence);
        Ok(())
    });
    tried.unwrap();
}
