//! What was used, by day, session, agent, route and model, and the requests that it was used by.
//!
//! Everything is asked of `stats` and `ledger requests`, when the screen is entered and when the person asks again.

mod draw;
mod sums;
#[cfg(test)]
mod tests;

use ratatui::layout::{Position, Rect};
use uuid::Uuid;

use super::log::Log;
use super::{Reaction, Screen, Wish};
use crate::ledger::{By, Sum};
use crate::ui::app::action::{Action, Place};
use crate::ui::app::event::{Done, Effect, News, Purpose, Task};
use crate::ui::app::input::Chord;
use crate::ui::app::widget::{Canvas, Field, Filter, List, Step};
use crate::ui::app::world::World;
use sums::{Measure, Sums, VIEWS, requests_of};

/// What this screen remembers.
#[derive(Default)]
pub struct History {
    /// Which of [`VIEWS`] is shown.
    view: usize,
    sums: [Sums; VIEWS.len()],
    measure: Measure,
    list: List,
    filter: Filter,
    /// The requests of one row.
    opened: Option<Opened>,
    /// The name of the file that is written.
    file: Option<Field>,
}

/// Requests that are shown one by one.
struct Opened {
    title: String,
    /// Where they are a session's.
    session: Option<Uuid>,
    /// `None`: they are asked for.
    log: Option<Log>,
}

impl History {
    fn by(&self) -> By {
        VIEWS[self.view].0
    }

    /// Those that the filter leaves.
    fn rows(&self) -> Vec<&Sum> {
        let has = |sum: &&Sum| self.filter.keeps(&[&sum.key, sum.name.as_deref().unwrap_or_default()]);
        self.sums[self.view].rows().iter().filter(has).collect()
    }

    fn selected(&self) -> Option<&Sum> {
        let rows = self.rows();
        self.list.selected(rows.len()).map(|at| rows[at])
    }

    /// Asks for what is shown.
    fn ask(&mut self) -> Reaction {
        let by = self.by();
        self.sums[self.view].asked();
        Effect::Run(Task::new(Purpose::Usage(by), &["stats", "--by", by.word(), "--json"])).into()
    }

    fn turn(&mut self, by: usize) -> Reaction {
        self.view = (self.view + by) % VIEWS.len();
        self.list = List::default();
        self.ask()
    }

    fn act(&mut self, action: Action, world: &World) -> Reaction {
        if let Some(step) = Step::of(action) {
            let length = self.rows().len();
            self.list.step(step, length);
            return Reaction::default();
        }
        match action {
            Action::NextView | Action::Right => self.turn(1),
            Action::Left => self.turn(VIEWS.len() - 1),
            Action::Sort => {
                self.measure = self.measure.next();
                let measure = self.measure;
                self.sums.iter_mut().zip(VIEWS).for_each(|(sums, (by, _))| sums.sort(by, measure));
                Reaction::default()
            }
            Action::Resume if self.by() == By::Session => resume(self.session(), world),
            Action::Resume | Action::Reload => self.ask(),
            Action::Export => {
                self.file = Some(Field::new(&format!("usage-by-{}.csv", self.by().word())));
                Reaction::default()
            }
            Action::Open => self.open(),
            Action::Filter => {
                self.filter.begin();
                Reaction::default()
            }
            Action::Back => {
                self.filter.end();
                Reaction::default()
            }
            _ => Reaction::default(),
        }
    }

    fn session(&self) -> Option<Uuid> {
        self.selected().filter(|_| self.by() == By::Session).and_then(|sum| sum.key.parse().ok())
    }

    /// The requests of the selected row.
    fn open(&mut self) -> Reaction {
        let by = self.by();
        let Some(sum) = self.selected() else { return Reaction::default() };
        let Some(which) = requests_of(by, &sum.key) else {
            return Wish::Say("Requests aren't listed by model; open a route instead.".to_owned()).into();
        };
        let name = sum.name.as_deref().unwrap_or(&sum.key);
        let title = format!("Requests of {} {}", by.word(), crate::ui::table::visible(name));
        self.opened = Some(Opened { title, session: self.session(), log: None });
        let mut task = Task::new(Purpose::Requests(by), &["ledger", "requests", "--json"]);
        task.arguments.extend(which);
        Effect::Run(task).into()
    }

    /// Keys while requests are shown.
    fn press_opened(&mut self, chord: Chord, action: Option<Action>, world: &World) -> Reaction {
        let Some(opened) = &mut self.opened else { return Reaction::default() };
        let pressed = match (&mut opened.log, action) {
            (Some(log), action) if action.is_some() || log.is_typed_in() => log.press(chord, action, world),
            (_, Some(action)) => Err(action),
            (_, None) => return Reaction::default(),
        };
        let session = opened.session;
        match pressed {
            Ok(reaction) => return reaction,
            Err(Action::Back | Action::Left) => self.opened = None,
            Err(Action::Resume) => return resume(session, world),
            Err(_) => {}
        }
        Reaction::default()
    }

    /// Keys while a file's name is typed.
    fn press_file(&mut self, chord: Chord, action: Option<Action>, world: &World) -> Reaction {
        match (&mut self.file, action) {
            (Some(file), Some(Action::Accept)) => {
                let name = file.text().trim().to_owned();
                self.file = None;
                return if name.is_empty() { Reaction::default() } else { self.export(&name, world) };
            }
            (_, Some(Action::Back)) => self.file = None,
            (Some(file), _) => drop(file.press(chord)),
            (None, _) => {}
        }
        Reaction::default()
    }

    /// A spreadsheet's lines are these sums; anything else is the whole ledger.
    fn export(&self, name: &str, world: &World) -> Reaction {
        let home = world.configuration.home.as_ref();
        let file = match (name.strip_prefix("~/"), home) {
            (Some(rest), Some(home)) => home.join(rest).to_string_lossy().into_owned(),
            _ => name.to_owned(),
        };
        let is_csv = file.to_lowercase().ends_with(".csv");
        let task = if is_csv {
            Task::new(Purpose::Tell, &["stats", "--by", self.by().word(), "--csv", "--output", &file])
        } else {
            Task::new(Purpose::Tell, &["ledger", "export", "--", &file])
        };
        Effect::Run(task).into()
    }

    fn done(&mut self, done: &Done) -> Reaction {
        match done.task.purpose {
            Purpose::Usage(by) => {
                let place = VIEWS.iter().position(|(view, _)| *view == by).unwrap_or(0);
                self.sums[place].told(done, by, self.measure);
            }
            Purpose::Requests(_) if self.opened.is_some() => match sums::requests(done) {
                Ok(log) => self.opened.iter_mut().for_each(|opened| opened.log = Some(log.take())),
                Err(why) => {
                    self.opened = None;
                    return Wish::Say(why).into();
                }
            },
            _ => {}
        }
        Reaction::default()
    }
}

impl Screen for History {
    fn place(&self) -> Place {
        let is_typed = |opened: &Opened| opened.log.as_ref().is_some_and(Log::is_typed_in);
        match &self.opened {
            _ if self.file.is_some() || self.filter.is_typed() => Place::Line,
            Some(opened) if is_typed(opened) => Place::Line,
            Some(_) => Place::Requests,
            None => Place::History,
        }
    }

    fn press(&mut self, chord: Chord, action: Option<Action>, world: &World) -> Reaction {
        if self.file.is_some() {
            return self.press_file(chord, action, world);
        }
        if self.opened.is_some() {
            return self.press_opened(chord, action, world);
        }
        match self.filter.press(chord, action) {
            Some(action) => self.act(action, world),
            None => Reaction::default(),
        }
    }

    fn paste(&mut self, text: &str) {
        match (&mut self.file, &mut self.opened) {
            (Some(file), _) => file.insert(text),
            (None, Some(Opened { log: Some(log), .. })) => log.paste(text),
            _ => self.filter.paste(text),
        }
    }

    fn enter(&mut self, _world: &World) -> Reaction {
        self.ask()
    }

    fn learn(&mut self, news: &News, _world: &World) -> Reaction {
        match news {
            News::Done(done) => return self.done(done),
            News::Requests { .. } => self.sums.iter_mut().for_each(Sums::outdate),
            _ => {}
        }
        Reaction::default()
    }

    fn draw(&self, world: &World, canvas: &mut Canvas<'_>, area: Rect) -> Option<Position> {
        draw::draw(self, world, canvas, area);
        None
    }
}

/// Takes the session up again, or shows it where it lives.
fn resume(session: Option<Uuid>, world: &World) -> Reaction {
    let Some(session) = session else { return Wish::Say("No session is selected.".to_owned()).into() };
    if world.living().any(|listed| listed.session == session) {
        return Wish::Session(session).into();
    }
    let id = session.to_string();
    Effect::Run(Task::new(Purpose::Resume, &["resume", &id, "--detach", "--json"])).into()
}
