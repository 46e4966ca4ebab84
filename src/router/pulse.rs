//! A slow clock, shared by all who wait for an upstream: a timer of its own would cost each request two system calls.
//!
//! It beats only while somebody waits.

use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::{Instant, sleep};

/// How exact it is.
const STEP: Duration = Duration::from_secs(1);

#[derive(Debug, Default)]
pub struct Pulse {
    beat: Notify,
    wanted: Notify,
}

impl Pulse {
    /// Beats for ever.
    pub(super) async fn run(&self) {
        loop {
            self.wanted.notified().await;
            sleep(STEP).await;
            self.beat.notify_waiters();
        }
    }

    /// Waits for `time`, and up to a second longer.
    pub(super) async fn pass(&self, time: Duration) {
        let until = Instant::now() + time;
        while Instant::now() < until {
            let beat = self.beat.notified();
            self.wanted.notify_one();
            beat.await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn all_who_wait_are_told_in_time_and_nobody_too_early() {
        let pulse = Pulse::default();
        let wait = async |seconds: u64| {
            let begun = Instant::now();
            pulse.pass(Duration::from_secs(seconds)).await;
            begun.elapsed()
        };
        let waits = async { tokio::join!(wait(15), wait(3), wait(0)) };
        let (long, short, none) = tokio::select! {
            () = pulse.run() => unreachable!("it beats for ever"),
            waited = waits => waited,
        };
        for (waited, seconds) in [(long, 15), (short, 3)] {
            let wanted = Duration::from_secs(seconds);
            assert!(waited >= wanted && waited <= wanted + STEP, "{seconds}: {waited:?}");
        }
        assert_eq!(none, Duration::ZERO);
    }

    #[tokio::test(start_paused = true)]
    async fn it_stands_still_while_nobody_waits() {
        let pulse = Pulse::default();
        let a_day = tokio::time::timeout(Duration::from_hours(24), pulse.run());
        let (begun, mut beats) = (Instant::now(), 0);
        let count = async {
            loop {
                pulse.beat.notified().await;
                beats += 1;
            }
        };
        tokio::select! {
            ended = a_day => assert!(ended.is_err()),
            () = count => unreachable!("it counts for ever"),
        }
        assert_eq!((beats, begun.elapsed()), (0, Duration::from_hours(24)));
    }
}
