//! Everything that is logged on a test's thread, at the most talkative level.

use std::io;
use std::sync::{Arc, Mutex};

use tracing::subscriber::DefaultGuard;
use tracing_subscriber::fmt::MakeWriter;

/// Collects from its making to its end, on one thread.
pub(crate) struct Logs {
    text: Sink,
    _guard: DefaultGuard,
}

impl Logs {
    pub(crate) fn collect() -> Self {
        let text = Sink::default();
        let subscriber = tracing_subscriber::fmt()
            .with_max_level(tracing::Level::TRACE)
            .with_ansi(false)
            .without_time()
            .with_writer(text.clone())
            .finish();
        Self { text, _guard: tracing::subscriber::set_default(subscriber) }
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.text.0.lock().expect("no panic")).into_owned()
    }

    /// Lines of this level or a graver one.
    pub(crate) fn count(&self, levels: &[&str]) -> usize {
        let text = self.text();
        text.lines().filter(|line| levels.iter().any(|level| line.trim_start().starts_with(level))).count()
    }
}

#[derive(Clone, Default)]
struct Sink(Arc<Mutex<Vec<u8>>>);

impl io::Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("no panic").extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Sink {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}
