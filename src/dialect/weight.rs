//! How much of a body is text, for an estimate of its tokens.

use memchr::memmem;

/// What a body holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Weight {
    /// Bytes that are no picture's (or document's) encoding.
    pub text: u64,
    /// Pictures and documents that are written into the body.
    pub images: u64,
}

/// How an encoded picture begins, as Claude Code writes it.
const DATA: &[u8] = b"\"data\":\"";
/// What shorter strings are called `data` for isn't known.
const SHORTEST: usize = 1024;

/// Weighs an Anthropic body.
pub fn of(body: &[u8]) -> Weight {
    let mut weight = Weight { text: body.len() as u64, images: 0 };
    for at in memmem::find_iter(body, DATA) {
        let encoded = &body[at + DATA.len()..];
        let length = encoded.iter().take_while(|&&byte| is_base64(byte)).count();
        if length >= SHORTEST && encoded.get(length) == Some(&b'"') {
            weight.text -= length as u64;
            weight.images += 1;
        }
    }
    weight
}

fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_weigh_by_their_number_and_text_by_its_bytes() {
        let picture = "QUJD".repeat(400);
        let image = format!(r#"{{"type":"image","source":{{"type":"base64","data":"{picture}"}}}}"#);
        let frame = image.len() as u64 - 1600;
        assert_eq!(of(image.as_bytes()), Weight { text: frame, images: 1 });
        let two = [&*image, &*image].concat();
        assert_eq!(of(two.as_bytes()), Weight { text: 2 * frame, images: 2 });
        for text in [
            "",
            "{}",
            r#"{"data":"QUJD"}"#,
            &format!("\"data\":\"{picture}"),
            &format!("\"data\":\"{picture} x\""),
        ] {
            assert_eq!(of(text.as_bytes()), Weight { text: text.len() as u64, images: 0 });
        }
    }
}
