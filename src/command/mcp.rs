//! `subagents mcp`: the tools on stdio, for any client of the Model Context Protocol.

use std::process::ExitCode;

use clap::Args;

use super::station::{Station, asked_to_end};
use super::{Context, Failure, print};
use crate::mcp::stdio;

#[derive(Debug, Args)]
#[command(
    after_help = "A client starts this by itself: `claude mcp add subagents -- subagents mcp`, or `\"command\": \"subagents\", \
                  \"args\": [\"mcp\"]` in its settings. Sessions of this program have the tools already.\n\n\
                  Example:\n  subagents mcp --read-only"
)]
pub(super) struct Mcp {
    /// Only the tools that look: nothing can be started.
    #[arg(long)]
    read_only: bool,
}

impl Mcp {
    pub(super) async fn run(self, context: &Context) -> Result<ExitCode, Failure> {
        let station = Station::read(context, "mcp", None, None)?;
        let (keeper, delegator) = station.open(context).await?;
        let served = async {
            tokio::select! {
                served = stdio::serve(delegator, self.read_only) => served,
                () = asked_to_end() => Ok(()),
            }
        };
        let code = |served: &std::io::Result<()>| u8::from(served.is_err());
        let served = Box::pin(Station::while_working(keeper, served, code)).await;
        if let Err(error) = served {
            print::line_to_stderr(&format!("subagents: the client can't be understood: {error}"));
            return Ok(ExitCode::FAILURE);
        }
        Ok(ExitCode::SUCCESS)
    }
}
