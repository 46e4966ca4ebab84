//! Step 4: what holds a request back before anything of it is sent.
//!
//! Everything here refuses, or lets wait; what runs is never cut.

mod allowance;
mod breaker;
mod seats;
mod size;
mod window;

pub use allowance::Allowances;
pub(super) use allowance::Order;
pub use breaker::{Breaker, Circuit};
pub(super) use seats::Seat;
pub use seats::Seats;
pub use size::BODY_LIMIT;
pub(super) use size::size;
pub(super) use window::{fits, may_not_fit};
