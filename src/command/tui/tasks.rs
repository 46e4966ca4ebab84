//! What runs beside the loop, and ends with it.

use tokio::task::{AbortHandle, JoinSet};

/// Tasks that are aborted when this is dropped. Of those that have ended nothing is kept.
#[derive(Default)]
pub(super) struct Tasks(JoinSet<()>);

impl Tasks {
    /// Must be called within a tokio runtime.
    pub(super) fn spawn(&mut self, task: impl Future<Output = ()> + Send + 'static) -> AbortHandle {
        while self.0.try_join_next().is_some() {}
        self.0.spawn(task)
    }
}
