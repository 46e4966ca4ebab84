//! Who wakes a connection, and whether it has to be polled at all.
//!
//! hyper's parts wake each other by their task. Here one task polls them all, so it would be woken once more for each
//! event by what it has just done itself, and by requests of other tasks. A [`Bell`] stands between: what rings
//! while the connection is being polled is answered on the spot, and a connection that didn't ring is left alone.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Wake, Waker};

/// How often a connection is answered in a row before other tasks get their turn.
const ROUNDS: usize = 4;

/// One connection's. Its waker is the only one that the connection ever gets.
pub(super) struct Bell {
    waker: Waker,
    ringing: Arc<Ringing>,
}

struct Ringing {
    rung: AtomicBool,
    /// Who is woken. `None`: the connection is being polled, or nobody waits for it.
    task: Mutex<Option<Waker>>,
}

impl Bell {
    /// Rung from the start: a new connection wants to be polled.
    pub(super) fn new() -> Self {
        let ringing = Arc::new(Ringing { rung: AtomicBool::new(true), task: Mutex::default() });
        Self { waker: Waker::from(Arc::clone(&ringing)), ringing }
    }

    /// Polls until there is a result or nothing rings any more; then the task waits for the next ring. With a result,
    /// nobody waits: a ring is kept for the next call.
    pub(super) fn attend<T>(
        &self,
        cx: &mut Context<'_>,
        mut poll: impl FnMut(&mut Context<'_>) -> Poll<T>,
    ) -> Poll<T> {
        self.ringing.listen(None);
        for _ in 0..ROUNDS {
            let polled = poll(&mut Context::from_waker(&self.waker));
            if polled.is_ready() {
                return polled;
            }
            if !self.is_rung() {
                self.ringing.listen(Some(cx.waker()));
                // It may have rung while nobody was there to be woken.
                if !self.is_rung() {
                    return Poll::Pending;
                }
            }
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    }

    /// Takes note of the ring, if there was one: what rang has to be polled now.
    pub(super) fn take(&self) -> bool {
        self.is_rung() && self.ringing.rung.swap(false, Ordering::AcqRel)
    }

    fn is_rung(&self) -> bool {
        self.ringing.rung.load(Ordering::Acquire)
    }
}

impl Ringing {
    fn listen(&self, waker: Option<&Waker>) {
        let mut task = self.task.lock().unwrap_or_else(PoisonError::into_inner);
        *task = waker.cloned();
    }
}

impl Wake for Ringing {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.rung.store(true, Ordering::Release);
        let task = self.task.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(task) = task {
            task.wake();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;

    use super::*;

    #[derive(Default)]
    struct Task(AtomicUsize);

    impl Wake for Task {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// What one call of [`Bell::attend`] gives, how often it polls and how often the task is woken meanwhile.
    fn attend(bell: &Bell, mut poll: impl FnMut(&Waker) -> Poll<()>) -> (Poll<()>, usize, usize) {
        let task = Arc::new(Task::default());
        let waker = Waker::from(Arc::clone(&task));
        let mut polls = 0;
        let result = bell.attend(&mut Context::from_waker(&waker), |cx| {
            polls += 1;
            bell.take();
            poll(cx.waker())
        });
        (result, polls, task.0.load(Ordering::Relaxed))
    }

    #[test]
    fn what_rings_while_it_is_polled_is_answered_at_once_and_wakes_nobody() {
        let bell = Bell::new();
        let mut rings = 2;
        let answered = attend(&bell, |waker| {
            if rings > 0 {
                rings -= 1;
                waker.wake_by_ref();
            }
            Poll::Pending
        });
        assert_eq!(answered, (Poll::Pending, 3, 0));
    }

    #[test]
    fn what_never_stops_ringing_lets_others_have_their_turn() {
        let bell = Bell::new();
        let answered = attend(&bell, |waker| {
            waker.wake_by_ref();
            Poll::Pending
        });
        assert_eq!(answered, (Poll::Pending, ROUNDS, 1), "and is woken again");
    }

    #[test]
    fn a_later_ring_wakes_the_task_that_waits_once() {
        let bell = Bell::new();
        let task = Arc::new(Task::default());
        let waker = Waker::from(Arc::clone(&task));
        let waits = bell.attend(&mut Context::from_waker(&waker), |_| {
            bell.take();
            Poll::<()>::Pending
        });
        assert!(waits.is_pending());
        bell.waker.wake_by_ref();
        bell.waker.wake_by_ref();
        assert_eq!(task.0.load(Ordering::Relaxed), 1);
        assert!(bell.take() && !bell.take());
    }

    #[test]
    fn with_a_result_nobody_is_woken_and_the_ring_is_kept() {
        let bell = Bell::new();
        let answered = attend(&bell, |waker| {
            waker.wake_by_ref();
            Poll::Ready(())
        });
        assert_eq!(answered, (Poll::Ready(()), 1, 0));
        assert!(bell.take());
    }
}
