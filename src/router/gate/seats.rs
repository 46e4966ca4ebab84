//! How many requests a route takes at once: the others wait in line, first come, first served.
//!
//! A local model that gets six agents' prompts at once answers none of them.

use std::num::NonZeroU64;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::router::error::Error;
use crate::router::meter::Flight;

/// The seats of one route.
#[derive(Debug)]
pub struct Seats {
    free: Arc<Semaphore>,
    places: u64,
    /// Requests that may wait.
    line: u64,
    waiting: AtomicU64,
}

/// A request's seat; free again when it is dropped.
#[derive(Debug)]
pub(in crate::router) struct Seat {
    _permit: OwnedSemaphorePermit,
}

/// A place in the line.
struct Place<'a>(&'a AtomicU64);

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Seats {
    /// `seats` requests at once, and `line` that wait.
    pub fn new(seats: NonZeroU64, line: u64) -> Self {
        let most = usize::try_from(seats.get()).unwrap_or(usize::MAX).min(Semaphore::MAX_PERMITS);
        let free = Arc::new(Semaphore::new(most));
        Self { free, places: seats.get(), line, waiting: AtomicU64::new(0) }
    }

    /// Waits for a seat. While it waits, the request is counted as queued.
    ///
    /// # Errors
    /// The line is full.
    pub(in crate::router) async fn take(&self, flight: &mut Flight) -> Result<Seat, Error> {
        // Whoever leaves hands its seat to the first in line: one that is free is nobody's.
        if let Ok(permit) = Arc::clone(&self.free).try_acquire_owned() {
            return Ok(Seat { _permit: permit });
        }
        let _place = self.line_up(flight)?;
        flight.queue();
        let permit = Arc::clone(&self.free).acquire_owned().await;
        flight.called();
        let permit = permit.map_err(|_| Error::Refused("the router ends".to_owned()))?;
        Ok(Seat { _permit: permit })
    }

    fn line_up(&self, flight: &mut Flight) -> Result<Place<'_>, Error> {
        let before = self.waiting.fetch_add(1, Ordering::Relaxed);
        let place = Place(&self.waiting);
        if before >= self.line {
            let route = flight.record().route.clone();
            return Err(Error::Full { route, seats: self.places, waiting: before });
        }
        Ok(place)
    }
}
