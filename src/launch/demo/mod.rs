//! The offline demonstration: everything is real except the models.
//!
//! An embedded [`Provider`](provider::DemoProvider) answers in their place, so that launch, router, routes and
//! figures can be seen without an account, a key or a network.

pub mod provider;
pub mod stage;

mod answer;
mod paced;
mod reply;
mod request;
#[cfg(test)]
mod tests;
