//! What is told of a child while somebody waits for it.

use std::time::Duration;

use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::{Peer, RoleServer};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::timeout;

use crate::launch::delegation::Step;

/// A client takes a call that is silent for long for a dead one (Claude Code after five minutes), and a model may think
/// for longer.
const SILENCE: Duration = Duration::from_secs(30);

/// Tells each step, and the last one again in a silence, until there are no more. Clients that gave no token are told
/// nothing.
pub(super) async fn tell(
    steps: UnboundedReceiver<Step>,
    peer: Peer<RoleServer>,
    token: Option<ProgressToken>,
) {
    let mut lines = Lines::of(steps);
    let mut progress = 0.0;
    while let Some(line) = lines.next().await {
        let Some(token) = token.clone() else { continue };
        progress += 1.0;
        let told = ProgressNotificationParam::new(token, progress).with_message(line);
        if peer.notify_progress(told).await.is_err() {
            return;
        }
    }
}

struct Lines {
    steps: UnboundedReceiver<Step>,
    last: String,
}

impl Lines {
    fn of(steps: UnboundedReceiver<Step>) -> Self {
        Self { steps, last: "it works".to_owned() }
    }

    async fn next(&mut self) -> Option<String> {
        if let Ok(step) = timeout(SILENCE, self.steps.recv()).await {
            self.last = line(&step?);
        }
        Some(self.last.clone())
    }
}

fn line(step: &Step) -> String {
    match step {
        Step::Tool { name, on } => format!("{name} {on}").trim_end().to_owned(),
        Step::Said(text) => text.lines().next().unwrap_or_default().chars().take(200).collect(),
    }
}

#[cfg(test)]
mod tests {
    use tokio::sync::mpsc::unbounded_channel;
    use tokio::time::Instant;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_silence_is_broken_again_and_again_and_the_end_ends_it() {
        let (steps, seen) = unbounded_channel();
        let mut lines = Lines::of(seen);
        let start = Instant::now();
        assert_eq!(lines.next().await.as_deref(), Some("it works"));
        assert_eq!(start.elapsed(), SILENCE);
        steps.send(Step::Tool { name: "Read".to_owned(), on: "/a".to_owned() }).unwrap();
        for seconds in [0, 30, 60] {
            assert_eq!(lines.next().await.as_deref(), Some("Read /a"));
            assert_eq!(start.elapsed(), SILENCE + Duration::from_secs(seconds));
        }
        drop(steps);
        assert_eq!(lines.next().await, None);
    }
}
