//! `auth = { kind = …, secret = …, header = … }` of a provider.
//!
//! What stands in the file where a reference belongs may be the key itself: it is never repeated.

use super::Around;
use crate::config::raw::{Lined, Section};
use crate::config::report::Report;
use crate::config::{Auth, SecretRef, similar};

/// Headers that HTTP itself needs, so that no credential may replace them.
const RESERVED_HEADERS: [&str; 8] =
    ["host", "content-length", "content-type", "connection", "transfer-encoding", "upgrade", "te", "trailer"];

/// The provider's credential; what the section leaves out is the preset's. `None`: reported, and the provider
/// can't be used, since a request without its credential or with another's must not leave.
pub(super) fn read(
    mut section: Section<'_>,
    preset: Option<&Auth>,
    around: &Around<'_>,
    report: &mut Report,
) -> Option<Auth> {
    let (kind_is_written, secret_is_written) = (section.has("kind"), section.has("secret"));
    let kind = section.string("kind", report);
    let secret = section.string("secret", report).and_then(|secret| reference(secret, around, report));
    let header = section.string("header", report);
    let line = section.line;
    section.finish(report);
    if (kind_is_written && kind.is_none()) || (secret_is_written && secret.is_none()) {
        return None;
    }
    let secret = secret.or_else(|| preset.and_then(Auth::secret).cloned());
    match kind {
        Some(kind) => of_kind(kind, secret, header, report),
        None => of_preset(preset, secret, line, report),
    }
}

fn of_kind(
    kind: Lined<&str>,
    secret: Option<SecretRef>,
    header: Option<Lined<&str>>,
    report: &mut Report,
) -> Option<Auth> {
    if kind.value == "none" {
        return Some(Auth::None);
    }
    if !Auth::KINDS.contains(&kind.value) {
        report.error(kind.line, "`auth` is of an unknown kind", similar::suggestion(kind.value, Auth::KINDS));
        return None;
    }
    let Some(secret) = secret else {
        let message = format!("`auth` of kind `{}` names no secret", kind.value);
        report.error(kind.line, message, "add `secret = \"env:NAME\"` (or cmd:, file:, keyring:)");
        return None;
    };
    match kind.value {
        "bearer" => Some(Auth::Bearer(secret)),
        "x-api-key" => Some(Auth::XApiKey(secret)),
        "both" => Some(Auth::Both(secret)),
        _ => header_name(kind.line, header, report).map(|name| Auth::Header { name, secret }),
    }
}

fn of_preset(
    preset: Option<&Auth>,
    secret: Option<SecretRef>,
    line: Option<usize>,
    report: &mut Report,
) -> Option<Auth> {
    let Some(secret) = secret else { return Some(Auth::None) };
    match preset {
        Some(Auth::Bearer(_)) => Some(Auth::Bearer(secret)),
        Some(Auth::XApiKey(_)) => Some(Auth::XApiKey(secret)),
        Some(Auth::Both(_)) => Some(Auth::Both(secret)),
        Some(Auth::Header { name, .. }) => Some(Auth::Header { name: name.clone(), secret }),
        Some(Auth::None) | None => {
            let message = "`auth` names a secret and no kind, so it is not known how to send it";
            report.error(line, message, "add `kind = \"bearer\"` or `kind = \"x-api-key\"`");
            None
        }
    }
}

fn header_name(line: Option<usize>, header: Option<Lined<&str>>, report: &mut Report) -> Option<String> {
    let Some(header) = header else {
        report.error(line, "`auth` of kind `header` names no header", "add `header = \"x-my-key\"`");
        return None;
    };
    let name = hyper::header::HeaderName::from_bytes(header.value.as_bytes()).ok();
    let name = name.filter(|name| !RESERVED_HEADERS.contains(&name.as_str()));
    if name.is_none() {
        report.error(header.line, "`header` of `auth` can't carry a key", "use a header such as `x-my-key`");
    }
    name.map(|_| header.value.to_owned())
}

fn reference(text: Lined<&str>, around: &Around<'_>, report: &mut Report) -> Option<SecretRef> {
    match text.value.parse() {
        Ok(SecretRef::File(path)) => Some(SecretRef::File(around.expand(&path.to_string_lossy()))),
        Ok(reference) => Some(reference),
        Err(error) => {
            report.error(
                text.line,
                error.to_string(),
                "put the key elsewhere, and write down only where it is found",
            );
            None
        }
    }
}
