//! The tools for one client that has started us and speaks over our input and output.

use std::io;
use std::sync::Arc;

use rmcp::ServiceExt;
use rmcp::service::ServerInitializeError;
use rmcp::transport::io::stdio;

use super::server::Server;
use crate::launch::delegation::grant::{Grant, PermissionMode};
use crate::launch::delegation::{Delegator, Visitor};

/// Serves until the client goes away.
///
/// # Errors
/// It said something first that can't be understood.
pub async fn serve(delegator: Arc<Delegator>, read_only: bool) -> io::Result<()> {
    // Nobody tells us how much the client's own user has allowed: it asks before it calls.
    let grant = Grant { writes: !read_only, ..Grant::main(PermissionMode::Default) };
    let client = Visitor::new("client", grant, Arc::default(), Arc::default());
    let server = Server::new(delegator, read_only).of_client(client);
    let running = match server.serve(stdio()).await {
        Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        running => running.map_err(io::Error::other)?,
    };
    running.waiting().await.map_err(io::Error::other)?;
    Ok(())
}
