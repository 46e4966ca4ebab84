//! What becomes known of a session apart from what its child draws: its requests, its state, its dialogs.

use std::sync::Arc;

use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{broadcast, watch};

use super::audience::Audience;
use crate::launch::notice::{Notice, NoticeCommand};
use crate::launch::state::{Desk, Status};
use crate::launch::stats::Observer;

/// Where a session's news come from.
pub(super) struct News {
    pub(super) observer: Arc<Observer>,
    pub(super) desk: Arc<Desk>,
    in_flight: watch::Receiver<u64>,
    status: watch::Receiver<Status>,
    notices: broadcast::Receiver<Notice>,
    /// The person's own way of being told.
    command: Option<NoticeCommand>,
}

/// One of them.
pub(super) enum Item {
    Status(Status),
    /// It begins to wait for a person.
    Notice(Notice),
    /// A request has begun or ended.
    Request,
}

impl News {
    pub(super) fn of(observer: Arc<Observer>, desk: Arc<Desk>, command: Option<NoticeCommand>) -> Self {
        let (in_flight, status, notices) = (observer.in_flight(), desk.watch(), desk.notices());
        Self { observer, desk, in_flight, status, notices, command }
    }

    /// Tells the person by their own command and by all attached terminals.
    pub(super) fn tell(&self, notice: &Notice, audience: &Audience) {
        audience.notify(&notice.text());
        if let Some(Err(error)) = self.command.as_ref().map(|command| command.tell(notice)) {
            tracing::warn!(%error, "the person isn't told");
        }
    }

    /// The next. Nothing is lost when it is dropped before it is done.
    pub(super) async fn next(&mut self) -> Item {
        loop {
            // Senders go with the session, and so does this: a channel that has ended has nothing to wait for.
            tokio::select! {
                Ok(()) = self.in_flight.changed() => {
                    let count = *self.in_flight.borrow_and_update();
                    self.desk.requests(count);
                    return Item::Request;
                }
                Ok(()) = self.status.changed() => return Item::Status(self.status.borrow_and_update().clone()),
                notice = self.notices.recv() => match notice {
                    Ok(notice) => return Item::Notice(notice),
                    // Each would have said the same of another dialog.
                    Err(RecvError::Lagged(_)) => {}
                    Err(RecvError::Closed) => std::future::pending().await,
                },
                () = self.desk.keep_time() => {}
            }
        }
    }
}
