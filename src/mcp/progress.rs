//! What is told of a child while somebody waits for it.

use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::{Peer, RoleServer};
use tokio::sync::mpsc::UnboundedReceiver;

use crate::launch::delegation::Step;

/// Tells each step, until there are no more. Clients that gave no token are told nothing.
pub(super) async fn tell(
    mut steps: UnboundedReceiver<Step>,
    peer: Peer<RoleServer>,
    token: Option<ProgressToken>,
) {
    let mut progress = 0.0;
    while let Some(step) = steps.recv().await {
        let Some(token) = token.clone() else { continue };
        progress += 1.0;
        let told = ProgressNotificationParam::new(token, progress).with_message(line(&step));
        if peer.notify_progress(told).await.is_err() {
            return;
        }
    }
}

fn line(step: &Step) -> String {
    match step {
        Step::Tool { name, on } => format!("{name} {on}").trim_end().to_owned(),
        Step::Said(text) => text.lines().next().unwrap_or_default().chars().take(200).collect(),
    }
}
