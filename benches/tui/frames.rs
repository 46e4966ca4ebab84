//! How long the making of a frame takes: taking in what has come, drawing, finding what has changed, and its bytes.

use std::fs;
use std::io::{self, Sink};
use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use ratatui::backend::{Backend, CrosstermBackend};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use serde_json::json;
use subagents::config;
use subagents::launch::screen::Size;
use subagents::launch::screen::input::{Key, Modifiers, Stroke};
use subagents::launch::sessions::{Listed, Place, State, Tally};
use subagents::ledger::Request;
use subagents::ui::app::App;
use subagents::ui::app::event::{Configuration, Done, Event, Moment, News, Purpose, Task};
use subagents::ui::app::input::Input;
use subagents::ui::app::keymap::Keymap;
use subagents::ui::app::look::Terminal;
use uuid::Uuid;

use crate::pane::page;
use crate::{Fallible, LARGE, spread};

/// Frames that are timed.
const FRAMES: u32 = 1000;

/// Providers, and models that each lists.
const PROVIDERS: usize = 3;
const MODELS: usize = 1000;

/// Lines of the log.
const REQUESTS: i64 = 10_000;

pub(crate) fn all() -> Fallible<()> {
    println!("\n| a frame at {}x{} | p50 | p99 |\n|---|---:|---:|", LARGE.0, LARGE.1);
    let mut stage = Stage::new()?;
    let page = |number| News::Drawn { session: Uuid::from_u128(0), bytes: page(number).into_bytes() };
    println!("| Sessions, all of a pane changes | {} |", stage.frames(|number| Event::News(page(number)))?);
    stage.catalogues()?;
    let lines = PROVIDERS * MODELS;
    println!("| Routes, going down {lines} models | {} |", stage.frames(|_| key(Key::Down))?);
    stage.take(key(Key::Character('4')));
    stage.take(requests(0..REQUESTS));
    let one = |number| requests(REQUESTS + i64::from(number)..REQUESTS + i64::from(number) + 1);
    println!("| Monitor, {REQUESTS} requests and one more | {} |", stage.frames(one)?);
    println!("| Monitor, going down them | {} |", stage.frames(|_| key(Key::Down))?);
    Ok(())
}

/// An app, and what is on its terminal.
struct Stage {
    app: App,
    shown: Buffer,
    backend: CrosstermBackend<Sink>,
}

impl Stage {
    /// With ten sessions.
    fn new() -> Fallible<Self> {
        let area = Rect::new(0, 0, LARGE.0, LARGE.1);
        let app = App::new(Timestamp::now(), Keymap::with("")?, Terminal::default());
        let (shown, backend) = (Buffer::empty(area), CrosstermBackend::new(io::sink()));
        let mut stage = Self { app, shown, backend };
        stage.take(Event::Input(Input::Resize(Size::new(LARGE.0, LARGE.1))));
        stage.take(Event::News(News::Sessions((0..10).map(listed).collect())));
        Ok(stage)
    }

    fn take(&mut self, event: Event) {
        // What it asks of the world is not what is measured.
        drop(self.app.update(event, Moment { time: Timestamp::now(), instant: Instant::now() }));
    }

    /// `p50 | p99` of frames with one event each.
    fn frames(&mut self, event: impl Fn(u32) -> Event) -> Fallible<String> {
        let times: Fallible<Vec<Duration>> = (0..FRAMES).map(|number| self.frame(event(number))).collect();
        Ok(spread(times?))
    }

    fn frame(&mut self, event: Event) -> Fallible<Duration> {
        let begun = Instant::now();
        self.take(event);
        let mut next = Buffer::empty(self.shown.area);
        // It decides only where the cursor goes.
        let _ = self.app.draw(next.area, &mut next);
        self.backend.draw(self.shown.diff(&next).into_iter())?;
        self.shown = next;
        Ok(begun.elapsed())
    }

    /// Some providers with long catalogues, all of which are open.
    fn catalogues(&mut self) -> Fallible<()> {
        let folder = tempfile::tempdir()?;
        let names: Vec<String> = (0..PROVIDERS).map(|number| format!("p{number}")).collect();
        let text = names.iter().map(|name| format!("[providers.{name}]\npreset = \"ollama\"\n"));
        fs::write(folder.path().join("config.toml"), text.collect::<String>())?;
        let (config, problems) = config::load(folder.path());
        let configuration = Configuration { config, problems, ..Configuration::default() };
        self.take(Event::News(News::Configuration(Arc::new(configuration))));
        self.take(key(Key::Character('3')));
        for name in &names {
            let models =
                (0..MODELS).map(|number| json!({"id": format!("model-{number}:30b"), "efforts": []}));
            let models: Vec<_> = models.collect();
            let listing = json!({"fetched": Timestamp::now(), "path": "/", "models": models});
            let task = Task::new(Purpose::Models(name.parse()?), &["provider", "models"]);
            let (stdout, stderr) = (listing.to_string(), String::new());
            self.take(Event::News(News::Done(Done { task, code: Some(0), stdout, stderr })));
        }
        // From the last one up, so that none moves what is still to be opened.
        self.take(key(Key::End));
        for _ in &names {
            self.take(key(Key::Right));
            self.take(key(Key::Up));
            self.take(key(Key::Up));
        }
        Ok(())
    }
}

fn key(key: Key) -> Event {
    Event::Input(Input::Key(Stroke::new(key, Modifiers::NONE)))
}

fn listed(number: u128) -> Listed {
    Listed {
        session: Uuid::from_u128(number),
        name: format!("session-{number}"),
        folder: "/home/me/shop".into(),
        state: State::Silent(String::new()),
        place: Some(Place::Host(None)),
        started: 0,
        tally: Tally::default(),
    }
}

fn requests(ids: std::ops::Range<i64>) -> Event {
    let at = Timestamp::now().as_millisecond();
    let row = |id: i64| {
        let route = format!("glm/glm-{}", id % 7);
        Arc::new(Request {
            id,
            session: Uuid::from_u128(u128::from(id.unsigned_abs() % 10)).to_string(),
            at: at - 1000 + id % 1000,
            agent: format!("agent-{}", id % 20),
            wire_model: Some(format!("agent-{}@{route}", id % 20)),
            route,
            status: Some(200),
            outcome: "ok".to_owned(),
            ttfb: Some(200),
            total: 2000,
            input_tokens: Some(1000),
            output_tokens: Some(300),
            ..Request::default()
        })
    };
    Event::News(News::Requests { rows: ids.map(row).collect(), skipped: 0, lost: 0 })
}
