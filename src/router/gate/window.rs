//! The context guard: a prompt that a route's window can't hold is refused before the model silently loses its beginning.

use std::num::NonZeroU64;

use crate::dialect::weight;
use crate::router::count::Pace;
use crate::router::error::Error;

/// Tokens of an image, roughly: what its encoding's length says nothing of.
const IMAGE: u64 = 1600;

/// A body of `bytes` may be too long for the window: it has to be looked into, as it may hold images.
pub(in crate::router) fn may_not_fit(bytes: Option<u64>, window: Option<NonZeroU64>, pace: &Pace) -> bool {
    bytes.zip(window).is_some_and(|(bytes, window)| pace.tokens(bytes) > window.get())
}

/// Refuses a body that is too long by what the route's answers have taught of its tokens.
///
/// # Errors
/// [`Error::TooLong`]
pub(in crate::router) fn fits(
    body: &[u8],
    window: Option<NonZeroU64>,
    pace: &Pace,
    route: &str,
) -> Result<(), Error> {
    let Some(window) = window.map(NonZeroU64::get) else { return Ok(()) };
    if pace.tokens(body.len() as u64) <= window {
        return Ok(());
    }
    let weight = weight::of(body);
    let tokens = pace.tokens(weight.text) + weight.images * IMAGE;
    if tokens <= window {
        return Ok(());
    }
    Err(Error::TooLong { route: route.to_owned(), tokens, window })
}
