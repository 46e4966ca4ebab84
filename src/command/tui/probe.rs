//! Which providers answer on this machine: those whose presets name a place on it.

use std::time::Duration;

use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::config::preset;

/// A server on this machine answers at once, or isn't there.
const PATIENCE: Duration = Duration::from_millis(500);

/// The presets' names.
pub(super) async fn answering() -> Vec<String> {
    let mut answering = Vec::new();
    for preset in preset::all() {
        let Some(address) = preset.base_url.strip_prefix("http://127.0.0.1:") else { continue };
        let port = address.split('/').next().and_then(|port| port.parse::<u16>().ok());
        let Some(port) = port else { continue };
        let open = timeout(PATIENCE, TcpStream::connect(("127.0.0.1", port))).await;
        if matches!(open, Ok(Ok(_))) {
            answering.push(preset.name.clone());
        }
    }
    answering
}
