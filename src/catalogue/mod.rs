//! What providers say of themselves: their models, and how a route answers a trial.
//!
//! It asks over the network what `config` can't know, and advises only: no answer of a catalogue allows a route.
//! A key goes into the one header that it belongs in, and into no error, no file and no value that prints.

mod cache;
mod client;
mod complaint;
mod fault;
mod fetch;
mod listing;
mod model;
mod overview;
mod place;
pub mod trial;

pub use cache::Cache;
pub use client::Client;
pub use fault::Fault;
pub use fetch::{Catalogue, Freshness};
pub use model::{Listing, Model};
pub use overview::{Authorised, Fact, RouteInUse, known, overview};
pub use place::{Place, places};
pub use trial::Trial;
