//! How often the chooser is right, how long it takes, and who is chosen where one can tell.

mod labelled;
mod properties;

use std::time::{Duration, Instant};

use super::*;
use labelled::{HALVES, Member, tasks, team};

fn twelve() -> Vec<Candidate> {
    let candidate = |Member { name, description }| Candidate { name, description };
    team().into_iter().map(candidate).collect()
}

fn candidates(pairs: &[(&str, &str)]) -> Candidates {
    let candidate = |(name, description): &(&str, &str)| Candidate {
        name: (*name).into(),
        description: (*description).into(),
    };
    Candidates::new(pairs.iter().map(candidate).collect()).unwrap()
}

/// Who is chosen, or `unsure`.
fn chosen(task: &str, candidates: &Candidates) -> String {
    match Ranking::new(task, candidates).verdict() {
        Verdict::Chosen { agent, .. } => agent,
        Verdict::Unsure(_) => "unsure".to_owned(),
    }
}

/// How a half of the labelled tasks went.
#[derive(Debug, Default)]
struct Figures {
    /// The agent that was meant was chosen.
    right: usize,
    /// Nobody was meant, and nobody was chosen.
    asked: usize,
    /// Nobody was chosen, though an agent was meant.
    unsure: usize,
    /// Another one was chosen, or one where nobody was meant.
    wrong: usize,
}

impl Figures {
    fn of(half: &str) -> Self {
        let team = Candidates::new(twelve()).unwrap();
        let mut figures = Self::default();
        for (label, task) in tasks(half) {
            *figures.place(&label, &chosen(&task, &team)) += 1;
        }
        figures
    }

    fn place(&mut self, label: &str, chosen: &str) -> &mut usize {
        match (label, chosen) {
            ("unsure", "unsure") => &mut self.asked,
            (_, "unsure") => &mut self.unsure,
            _ if label == chosen => &mut self.right,
            _ => &mut self.wrong,
        }
    }
}

/// The figures are printed with `cargo test --lib chooser -- --nocapture`. The floors are a little below what was
/// reached; that somebody is wrongly chosen weighs more than that nobody is.
#[test]
#[expect(clippy::print_stdout, reason = "the figures are what the test is for")]
fn the_labelled_tasks_go_mostly_right_and_seldom_wrong() {
    for ((half, text), (right, asked, wrong)) in HALVES.into_iter().zip([(53, 9, 2), (45, 9, 2)]) {
        let figures = Figures::of(text);
        println!("{half}: {figures:?}");
        let kept = figures.right >= right && figures.asked >= asked && figures.wrong <= wrong;
        assert!(kept, "{half}: {figures:?}");
    }
}

/// E5.
#[test]
fn nobody_to_choose_from_is_an_error_before_anything_is_asked() {
    assert_eq!(Candidates::new(Vec::new()), Err(Nobody));
}

#[test]
fn one_name_is_one_candidate() {
    let twice = candidates(&[("a", "later"), ("b", ""), ("a", "first")]);
    assert_eq!(twice, candidates(&[("a", "first"), ("b", "")]));
}

#[test]
fn who_is_chosen_follows_from_names_descriptions_and_warnings() {
    let plain: &[(&str, &str)] = &[("alpha", "Reviews edits."), ("beta", "Translates labels.")];
    let warned: &[(&str, &str)] = &[
        ("one", "Tidies modules. Do not use for parsers."),
        ("two", "Tidies modules."),
        ("three", "Writes letters."),
        ("four", "Draws maps."),
    ];
    for (task, team, expect) in [
        ("review my edit", plain, "alpha"),
        ("TRANSLATING a label", plain, "beta"),
        ("bake a cake", plain, "unsure"),
        ("", plain, "unsure"),
        ("tidy this module", warned, "unsure"),
        ("tidy this module of the parser", warned, "two"),
        // Boilerplate is no evidence, and examples count by what the user says in them.
        ("use it proactively", &[("a", "Use PROACTIVELY when needed."), ("b", "Tests.")], "unsure"),
        ("add a toggle", &[("a", "<example>assistant: \"toggle\"</example>"), ("b", "Tests.")], "unsure"),
        ("add a toggle", &[("a", "<example>\nuser: \"toggle\"\n</example>"), ("b", "Tests.")], "a"),
        // The only one is chosen for what it says, not for being the only one.
        ("review it", &[("a", "Reviews.")], "a"),
        ("bake it", &[("a", "Reviews.")], "unsure"),
    ] {
        assert_eq!(
            chosen(task, &candidates(team)),
            expect,
            "{task}: {:?}",
            Ranking::new(task, &candidates(team))
        );
    }
}

#[test]
fn a_name_says_more_than_a_description() {
    for name in ["parser-checker", "parser_checker", "parserChecker"] {
        let team = candidates(&[(name, "Helps."), ("a", "Checks the parser."), ("b", "Draws.")]);
        assert_eq!(Ranking::new("check the parser", &team).scores()[0].name, name);
    }
}

#[test]
fn equal_ones_stand_by_name() {
    let ranking = Ranking::new("tidy", &candidates(&[("c", "Tidies."), ("a", "Tidies."), ("b", "Tidies.")]));
    let names: Vec<&str> = ranking.scores().iter().map(|scored| scored.name.as_str()).collect();
    assert_eq!(names, ["a", "b", "c"]);
}

/// The same on every machine: a change of a score is a change that people see.
#[test]
fn the_scores_are_these() {
    let ranking =
        Ranking::new("Review my staged changes before I commit them", &Candidates::new(twelve()).unwrap());
    let best: Vec<String> = ranking.scores().iter().take(3).map(ToString::to_string).collect();
    insta::assert_snapshot!(best.join("\n"), @r"
    reviewer 16.40
    devops-engineer 4.41
    documenter 2.45
    ");
    let why = "reviewer 16.40, before devops-engineer 4.41".to_owned();
    assert_eq!(ranking.verdict(), Verdict::Chosen { agent: "reviewer".to_owned(), why });
}

/// The fastest of three: the machine may be busy.
fn fastest(task: &str, candidates: &Candidates) -> Duration {
    let once = || {
        let start = Instant::now();
        Ranking::new(task, candidates);
        start.elapsed()
    };
    (0..3).map(|_| once()).min().unwrap()
}

/// Bounds for a build without optimisation on a busy machine.
#[test]
#[expect(clippy::print_stdout, reason = "the figures are what the test is for")]
fn ranking_takes_little_time() {
    let twelve = twelve();
    let copy = |number: usize| {
        let Candidate { name, description } = &twelve[number % twelve.len()];
        Candidate { name: format!("{name}-{number}"), description: description.clone() }
    };
    let many = Candidates::new((0..700).map(copy).collect()).unwrap();
    let twelve = Candidates::new(twelve.clone()).unwrap();
    let task =
        "The search page got slow after the last import; find the bottleneck and prove it with a benchmark";
    let huge = (0..1_u32 << 20).fold(String::new(), |text, number| text + &format!("w{number:06x} "));
    assert_eq!(huge.len(), 8 << 20);
    for (what, task, candidates, most) in [
        ("12 agents", task, &twelve, 500),
        ("12 agents, a task of 8 MiB", &huge, &twelve, 2000),
        ("700 agents", task, &many, 10_000),
        ("700 agents, a task of 8 MiB", &huge, &many, 15_000),
    ] {
        let took = fastest(task, candidates);
        println!("{what}: {took:?}");
        assert!(took < Duration::from_millis(most), "{what}: {took:?}");
    }
}
