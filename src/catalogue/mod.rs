//! What providers say of themselves: their models, and how a route answers a trial.
//!
//! It asks over the network what `config` can't know, and advises only: no answer of a catalogue allows a route.
