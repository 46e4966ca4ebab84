//! Decodes an encoded body as it comes: whatever can be decoded of a chunk is read with that chunk.
//!
//! The bytes are a stranger's. Windows are bounded, and so is what one body may grow to.

use std::io::{self, Write};

use brotli_decompressor::DecompressorWriter;
use flate2::write::{DeflateDecoder, MultiGzDecoder, ZlibDecoder};
use zstd::stream::{raw::DParameter, write::Decoder as ZstdDecoder};

use super::Reader;
use super::body::Body;

/// How many decoded bytes of one body are looked at: far more than any answer, and little enough that a
/// compressed bomb costs no noticeable time.
const DECODED_LIMIT: usize = 64 * 1024 * 1024;
/// 8 MiB, the largest window that RFC 9659 lets a server use.
const ZSTD_WINDOW_LOG: u32 = 23;
const BROTLI_BUFFER: usize = 8 * 1024;

/// A content coding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Coding {
    Identity,
    Gzip,
    Deflate,
    Brotli,
    Zstd,
}

impl Coding {
    /// `None` for one that the tap doesn't know. Several at once are not worth knowing: nobody sends them.
    pub(super) fn of(content_encoding: Option<&str>) -> Option<Self> {
        match content_encoding.unwrap_or_default().trim().to_ascii_lowercase().as_str() {
            "" | "identity" => Some(Self::Identity),
            "gzip" | "x-gzip" => Some(Self::Gzip),
            "deflate" => Some(Self::Deflate),
            "br" => Some(Self::Brotli),
            "zstd" => Some(Self::Zstd),
            _ => None,
        }
    }
}

/// A decoder with the reader behind it.
pub(super) enum Decoder {
    Gzip(MultiGzDecoder<Decoded>),
    Zlib(ZlibDecoder<Decoded>),
    /// What some servers mean by `deflate`.
    Deflate(DeflateDecoder<Decoded>),
    Brotli(Box<DecompressorWriter<Decoded>>),
    Zstd(ZstdDecoder<'static, Decoded>),
    /// Refused before the first byte.
    Refused(Decoded),
}

impl Decoder {
    /// A decoder for a body that begins with `first`, which is not empty and is still to be fed.
    pub(super) fn new(coding: Coding, reader: Reader, first: &[u8]) -> Self {
        let decoded = Decoded { reader: Some(reader), left: DECODED_LIMIT };
        let first = first.first().copied().unwrap_or_default();
        match coding {
            Coding::Identity => Self::Refused(decoded),
            Coding::Gzip => Self::Gzip(MultiGzDecoder::new(decoded)),
            Coding::Deflate if is_zlib(first) => Self::Zlib(ZlibDecoder::new(decoded)),
            Coding::Deflate => Self::Deflate(DeflateDecoder::new(decoded)),
            Coding::Brotli if has_large_window(first) => Self::Refused(decoded),
            Coding::Brotli => Self::Brotli(Box::new(DecompressorWriter::new(decoded, BROTLI_BUFFER))),
            Coding::Zstd => zstd_decoder(decoded),
        }
    }

    /// Decodes and reads what can be decoded so far. After an error nothing more may be fed.
    pub(super) fn feed(&mut self, bytes: &[u8]) -> io::Result<()> {
        let writer = self.writer()?;
        writer.write_all(bytes)?;
        writer.flush()
    }

    /// Takes the reader out; the decoder is of no use without it.
    pub(super) fn take(&mut self) -> Reader {
        let decoded = match self {
            Self::Gzip(decoder) => decoder.get_mut(),
            Self::Zlib(decoder) => decoder.get_mut(),
            Self::Deflate(decoder) => decoder.get_mut(),
            Self::Brotli(decoder) => decoder.get_mut(),
            Self::Zstd(decoder) => decoder.get_mut(),
            Self::Refused(decoded) => decoded,
        };
        decoded.reader.take().unwrap_or(Reader::Body(Body::TooLong))
    }

    fn writer(&mut self) -> io::Result<&mut dyn Write> {
        match self {
            Self::Gzip(decoder) => Ok(decoder),
            Self::Zlib(decoder) => Ok(decoder),
            Self::Deflate(decoder) => Ok(decoder),
            Self::Brotli(decoder) => Ok(decoder),
            Self::Zstd(decoder) => Ok(decoder),
            Self::Refused(_) => Err(io::ErrorKind::Unsupported.into()),
        }
    }
}

impl std::fmt::Debug for Decoder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Decoder")
    }
}

/// Where decoders write to.
pub(super) struct Decoded {
    /// Gone once taken: a decoder that is dropped writes what it still holds.
    reader: Option<Reader>,
    /// Bytes that may still come.
    left: usize,
}

impl Write for Decoded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.left = self.left.checked_sub(bytes.len()).ok_or(io::ErrorKind::FileTooLarge)?;
        let reader = self.reader.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
        reader.feed(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn zstd_decoder(decoded: Decoded) -> Decoder {
    let limited = zstd::stream::raw::Decoder::new().and_then(|mut context| {
        context.set_parameter(DParameter::WindowLogMax(ZSTD_WINDOW_LOG))?;
        Ok(context)
    });
    match limited {
        Ok(context) => Decoder::Zstd(ZstdDecoder::with_decoder(decoded, context)),
        Err(_) => Decoder::Refused(decoded),
    }
}

/// A zlib header begins with the method (8) and a window of at most 7. A raw deflate stream can't: it would
/// be a stored block with something in its padding.
fn is_zlib(first: u8) -> bool {
    first & 0x0f == 8 && first >> 4 <= 7
}

/// Brotli outside of RFC 7932, whose windows reach 1 GiB; no HTTP server may send it.
fn has_large_window(first: u8) -> bool {
    first & 0x7f == 0x11
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codings_are_known_by_their_names() {
        let check = |header, expect| assert_eq!(Coding::of(header), expect, "{header:?}");
        check(None, Some(Coding::Identity));
        check(Some(""), Some(Coding::Identity));
        check(Some("identity"), Some(Coding::Identity));
        check(Some("GZip "), Some(Coding::Gzip));
        check(Some("x-gzip"), Some(Coding::Gzip));
        check(Some("deflate"), Some(Coding::Deflate));
        check(Some("br"), Some(Coding::Brotli));
        check(Some("zstd"), Some(Coding::Zstd));
        check(Some("gzip, br"), None);
        check(Some("compress"), None);
    }

    #[test]
    fn zlib_is_told_from_raw_deflate_by_its_first_byte() {
        for (first, expect) in [(0x78, true), (0x08, true), (0x88, false), (0x4b, false), (0x01, false)] {
            assert_eq!(is_zlib(first), expect, "{first:#x}");
        }
    }
}
