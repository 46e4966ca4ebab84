//! What is remembered: sessions, snapshots of what they were launched with, records of their requests.
//!
//! The room is kept, and empty: today figures live as long as their session. What comes here reads
//! [`Record`](crate::router::Record)s from the meter's bounded channel, and must never hold up a request.
