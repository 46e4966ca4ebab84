//! The limit on a request's size, which holds before its body is read (in step 2) and before anything is sent.

use hyper::HeaderMap;
use hyper::header::CONTENT_LENGTH;

use crate::router::error::Error;

/// Bytes of a request's body when nothing else is said: twice what Anthropic takes.
pub const BODY_LIMIT: u64 = 64 * 1024 * 1024;

/// Refuses by its announcement what would be refused by its size.
///
/// # Errors
/// [`Error::TooLarge`]
pub(in crate::router) fn size(headers: &HeaderMap, limit: u64) -> Result<(), Error> {
    let announced = headers.get(CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
    if announced.is_some_and(|bytes| bytes > limit) { Err(Error::TooLarge { limit }) } else { Ok(()) }
}
