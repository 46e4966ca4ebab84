//! What a JSON answer says went wrong, whatever its status: each shape here has been seen with a 200. Pure.

use serde_json::Value;

/// Types of errors that pass.
const PASSING: [&str; 3] = ["overloaded_error", "rate_limit_error", "timeout_error"];

/// What went wrong, in the provider's words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Complaint {
    /// It says nothing of what the provider can do: later it may.
    Overload(String),
    Error(String),
}

impl Complaint {
    /// `None`: the answer is no error.
    pub(super) fn of(value: &Value) -> Option<Self> {
        let told = told_in(value)?;
        let error = &value["error"];
        let is_passing = PASSING.iter().any(|kind| error["type"] == *kind) || passes(&error["code"]);
        Some(if is_passing { Self::Overload(told) } else { Self::Error(told) })
    }

    pub(super) fn told(&self) -> &str {
        match self {
            Self::Overload(told) | Self::Error(told) => told,
        }
    }
}

/// Some repeat the status that it would have been.
fn passes(code: &Value) -> bool {
    matches!(code.as_u64(), Some(429 | 500..=599))
}

fn told_in(value: &Value) -> Option<String> {
    let error = &value["error"];
    let base = &value["base_resp"];
    let said = match error {
        Value::Null => match () {
            () if base["status_code"].as_i64().is_some_and(|code| code != 0) => &base["status_msg"],
            () if value["success"] == false => &value["msg"],
            () if value["type"] == "error" || value["object"] == "error" => &value["message"],
            () => return value["detail"].as_str().map(str::to_owned),
        },
        Value::Object(error) => error.get("message").unwrap_or(&Value::Null),
        other => other,
    };
    Some(said.as_str().map_or_else(|| said.to_string(), str::to_owned))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_error_in_disguise_is_found_whatever_its_shape() {
        for (value, expect) in [
            (json!({"type": "error", "error": {"type": "x", "message": "no"}}), Some("no")),
            (json!({"error": "Unexpected endpoint"}), Some("Unexpected endpoint")),
            (json!({"code": 500, "msg": "404 NOT_FOUND", "success": false}), Some("404 NOT_FOUND")),
            (json!({"base_resp": {"status_code": 1004, "status_msg": "login fail"}}), Some("login fail")),
            (json!({"object": "error", "message": "bad"}), Some("bad")),
            (json!({"detail": "Not Found"}), Some("Not Found")),
            (json!({"error": {"code": 1}}), Some("null")),
            (json!({"data": [], "error": null}), None),
            (json!({"base_resp": {"status_code": 0}, "data": []}), None),
            (json!([1]), None),
        ] {
            let expect = expect.map(|told| Complaint::Error(told.to_owned()));
            assert_eq!(Complaint::of(&value), expect, "{value}");
        }
    }

    #[test]
    fn an_overload_is_known_by_its_type_or_its_code() {
        for error in [
            json!({"type": "overloaded_error", "message": "Overloaded"}),
            json!({"type": "rate_limit_error", "message": "Overloaded"}),
            json!({"code": 429, "message": "Overloaded"}),
            json!({"code": 502, "message": "Overloaded"}),
        ] {
            let expect = Some(Complaint::Overload("Overloaded".to_owned()));
            assert_eq!(Complaint::of(&json!({"type": "error", "error": error})), expect, "{error}");
        }
    }
}
