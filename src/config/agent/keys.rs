//! The keys that Claude Code knows in an agent file, and what a mistyped one was meant to be.

use super::super::similar::nearest;

/// Read into fields of their own.
pub(super) const OWN: [&str; 6] = ["name", "description", "prompt", "tools", "model", "subagents"];

/// Handed on to Claude Code as JSON.
pub(super) const HANDED_ON: [&str; 14] = [
    "disallowedTools",
    "permissionMode",
    "mcpServers",
    "hooks",
    "maxTurns",
    "skills",
    "initialPrompt",
    "memory",
    "effort",
    "background",
    "omitClaudeMd",
    "isolation",
    "color",
    "experimental",
];

/// Other programs' names for `tools`; without case, `-` and `_`.
const TOOLS_ELSEWHERE: [&str; 6] = ["allowedtools", "allowtools", "tool", "toolset", "toollist", "usetools"];

/// And for `disallowedTools`.
const DISALLOWED_ELSEWHERE: [&str; 4] = ["deniedtools", "denytools", "blockedtools", "excludedtools"];

pub(super) fn is_known(key: &str) -> bool {
    OWN.contains(&key) || HANDED_ON.contains(&key)
}

/// The known key that an unknown one stands for in all likelihood.
pub(in crate::config) fn meant_by(key: &str) -> Option<&'static str> {
    let plain: String = key.chars().filter(char::is_ascii_alphanumeric).collect();
    let plain = plain.to_ascii_lowercase();
    if TOOLS_ELSEWHERE.contains(&plain.as_str()) {
        return Some("tools");
    }
    if DISALLOWED_ELSEWHERE.contains(&plain.as_str()) {
        return Some("disallowedTools");
    }
    nearest(key, OWN.into_iter().chain(HANDED_ON))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn f11_a_near_miss_of_every_known_key_is_recognised() {
        for (key, expect) in [
            ("allowed-tools", "tools"),
            ("allowedTools", "tools"),
            ("allowed_tools", "tools"),
            ("Tools", "tools"),
            ("tool", "tools"),
            ("toosl", "tools"),
            ("disallowed-tools", "disallowedTools"),
            ("DisallowedTools", "disallowedTools"),
            ("denied_tools", "disallowedTools"),
            ("max_turns", "maxTurns"),
            ("permission-mode", "permissionMode"),
            ("mcp_servers", "mcpServers"),
            ("Model", "model"),
            ("modle", "model"),
            ("descripton", "description"),
            ("hook", "hooks"),
            ("colour", "color"),
        ] {
            assert_eq!(meant_by(key), Some(expect), "{key}");
        }
        for key in ["version", "author", "license", "metadata", "tags", "x"] {
            assert_eq!(meant_by(key), None, "{key}");
        }
    }
}
