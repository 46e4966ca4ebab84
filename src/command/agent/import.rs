//! `subagents agent import [SOURCE]…`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;

use super::{pair, preview, text_of};
use crate::command::{Context, Failure, print};
use crate::config::exchange::{
    Choice, Form, NoDefinition, Planned, Source, Step, Wishes, find, from_text, import, prepare,
};
use crate::launch::scopes::project_folders;

#[derive(Debug, Args)]
#[command(
    after_help = "A source is a file (Markdown or JSON), a project, a plugin, a collection of plugins or any folder; `-` is \
                        stdin. Nothing that is there is written over, and no name is changed, unless you say so.\n\nExamples:\n  \
                        subagents agent import --dry-run\n  \
                        subagents agent import .claude/agents --skip\n  \
                        subagents agent import agents.json --rename reviewer=critic --model opus=inherit"
)]
pub(super) struct Import {
    /// Where the agents are; this project's .claude/agents and ~/.claude/agents if nothing is named.
    #[arg(value_name = "SOURCE")]
    sources: Vec<PathBuf>,
    /// Show what would happen, and change nothing.
    #[arg(long = "dry-run")]
    preview: bool,
    /// Import this agent only, by its new name; may be given several times.
    #[arg(long, value_name = "NAME")]
    only: Vec<String>,
    /// Give an agent another name; OLD may also be the end of its path.
    #[arg(long, value_name = "OLD=NEW", value_parser = pair)]
    rename: Vec<(String, String)>,
    /// Put another model in a model's place; `inherit` is the caller's.
    #[arg(long, value_name = "OLD=NEW", value_parser = pair)]
    model: Vec<(String, String)>,
    #[command(flatten)]
    taken: Taken,
    /// Put descriptions in quotes that are no YAML without; else files come in as they are.
    #[arg(long)]
    mend: bool,
    /// Print what happens as JSON.
    #[arg(long)]
    json: bool,
}

/// What happens where a name is taken.
#[derive(Debug, Args)]
struct Taken {
    /// Where a name is taken, put the newcomer in its place.
    #[arg(long, conflicts_with = "skip")]
    replace: bool,
    /// Where a name is taken, leave the newcomer out.
    #[arg(long)]
    skip: bool,
}

impl Import {
    pub(super) fn run(self, context: &Context) -> Result<ExitCode, Failure> {
        let sources = self.sources(context)?;
        let wishes = Wishes { rename: self.rename.clone(), models: self.model.clone(), form: self.form() };
        let store = context.store();
        // The plan is made under the lock, so that it still holds when it is carried out.
        let mut transaction = store.begin()?;
        let (config, folder) = (context.config().0, context.places.agents_dir());
        let (planned, left) = prepare(&sources, (&wishes, self.choice()), &self.only, (&config, &folder));
        self.check_names(&planned)?;
        let is_held_up = is_held_up(&planned);
        if !self.preview && !is_held_up {
            import(&planned, &mut transaction)?;
            transaction.commit(&format!("import {} agents", count(&planned, is_written)))?;
        }
        self.tell(&planned, &left, context);
        if is_held_up {
            let hint = "some names are taken: nothing was imported; choose with --rename OLD=NEW, --replace or --skip";
            return Err(Failure::failed(hint));
        }
        let refused = count(&planned, |step| *step == Step::Refuse)
            + left.iter().filter(|left| is_broken(left)).count();
        Ok(if refused == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }

    fn sources(&self, context: &Context) -> Result<Vec<Source>, Failure> {
        let mut sources = Vec::new();
        for path in self.paths(context)? {
            if path == Path::new("-") {
                sources.push(from_text("stdin", "stdin", &text_of(&path)?));
            } else {
                sources.extend(find(&path).map_err(Failure::failed)?);
            }
        }
        Ok(sources)
    }

    /// The project's stand first, as they are the stronger ones.
    fn paths(&self, context: &Context) -> Result<Vec<PathBuf>, Failure> {
        if !self.sources.is_empty() {
            return Ok(self.sources.clone());
        }
        let claude = context.claude_places()?;
        let user = claude.user.join("agents");
        let mut folders = project_folders(&claude);
        folders.push(user.clone());
        folders.retain(|folder| folder.is_dir());
        if folders.is_empty() {
            let nothing = format!("there is no .claude/agents here and no {}: name a source", user.display());
            return Err(Failure::failed(nothing));
        }
        Ok(folders)
    }

    /// A name that is nowhere was mistyped, and the person believes that it was heeded.
    fn check_names(&self, planned: &[Planned]) -> Result<(), Failure> {
        let is_there = |name: &String| planned.iter().any(|planned| planned.candidate.name == *name);
        if let Some((old, new)) = self.rename.iter().find(|(_, new)| !is_there(new)) {
            return Err(Failure::usage(format!(
                "--rename {old}={new}: there is no agent `{old}` in the sources"
            )));
        }
        match self.only.iter().find(|name| !is_there(name)) {
            Some(name) => {
                Err(Failure::usage(format!("--only {name}: there is no such agent in the sources")))
            }
            None => Ok(()),
        }
    }

    fn form(&self) -> Form {
        if self.mend { Form::Mended } else { Form::Kept }
    }

    fn choice(&self) -> Choice {
        match (self.taken.replace, self.taken.skip) {
            (true, _) => Choice::Replace,
            (_, true) => Choice::Skip,
            _ => Choice::Refuse,
        }
    }

    fn tell(&self, planned: &[Planned], left: &[NoDefinition], context: &Context) {
        if self.json {
            print::json(&preview::json(planned, left, self.preview));
            return;
        }
        let text = preview::text(planned, print::colour(&context.environment));
        if !text.is_empty() {
            print::line(&text);
        }
        for left in left {
            if let NoDefinition::Broken { problems, .. } = left {
                for problem in problems {
                    print::line_to_stderr(&problem.to_string());
                }
            }
        }
        print::line_to_stderr(&self.summary(planned, left));
    }

    fn summary(&self, planned: &[Planned], left: &[NoDefinition]) -> String {
        let verb = if self.preview || is_held_up(planned) { "to import" } else { "imported" };
        let broken = left.iter().filter(|left| is_broken(left)).count();
        let parts = [
            (count(planned, is_written), verb),
            (count(planned, |step| matches!(step, Step::Same { .. })), "the same already"),
            (count(planned, |step| matches!(step, Step::Skip { .. })), "skipped"),
            (count(planned, |step| matches!(step, Step::Clash { .. })), "in the way"),
            (count(planned, |step| *step == Step::Refuse) + broken, "refused"),
            (left.len() - broken, "no agents"),
        ];
        let told = parts.iter().enumerate().filter(|(at, (number, _))| *at == 0 || *number > 0);
        let told: Vec<String> = told.map(|(_, (number, what))| format!("{number} {what}")).collect();
        told.join(", ")
    }
}

fn count(planned: &[Planned], wanted: impl Fn(&Step) -> bool) -> usize {
    planned.iter().filter(|planned| wanted(&planned.step)).count()
}

fn is_held_up(planned: &[Planned]) -> bool {
    count(planned, |step| matches!(step, Step::Clash { .. })) > 0
}

fn is_written(step: &Step) -> bool {
    matches!(step, Step::Add { .. } | Step::Replace { .. })
}

fn is_broken(left: &NoDefinition) -> bool {
    matches!(left, NoDefinition::Broken { .. })
}
