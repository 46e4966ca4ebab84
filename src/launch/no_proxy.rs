//! `NO_PROXY`: a corporate proxy must never be asked for the router's loopback address.

use std::collections::BTreeSet;

/// The addresses that the router can be reached by.
const LOOPBACK: [&str; 3] = ["127.0.0.1", "localhost", "::1"];

/// The value for both `NO_PROXY` and `no_proxy`: all that stood in `values` (comma or space lists), then
/// the loopback addresses that were missing. A lone `*` already means everything and is kept.
pub(super) fn extended<'a>(values: impl IntoIterator<Item = &'a str>) -> String {
    let mut seen = BTreeSet::new();
    let mut hosts = Vec::new();
    for value in values {
        if value.trim() == "*" {
            return "*".to_owned();
        }
        let split = value.split([',', ' ', '\t', '\n']).filter(|host| !host.is_empty());
        hosts.extend(split.filter(|host| seen.insert(host.to_ascii_lowercase())));
    }
    hosts.extend(LOOPBACK.into_iter().filter(|host| !seen.contains(*host)));
    hosts.join(",")
}

#[cfg(test)]
mod tests {
    use super::extended;

    #[test]
    fn a09_no_proxy_is_extended_never_replaced() {
        for (values, expect) in [
            (vec![], "127.0.0.1,localhost,::1"),
            (vec![""], "127.0.0.1,localhost,::1"),
            (vec!["corp.example,10.0.0.0/8"], "corp.example,10.0.0.0/8,127.0.0.1,localhost,::1"),
            (vec!["a b\tc"], "a,b,c,127.0.0.1,localhost,::1"),
            (vec!["a, localhost"], "a,localhost,127.0.0.1,::1"),
            (vec!["a", "b,A"], "a,b,127.0.0.1,localhost,::1"),
            (vec!["*"], "*"),
            (vec!["a", " * "], "*"),
            (vec!["*.corp"], "*.corp,127.0.0.1,localhost,::1"),
        ] {
            assert_eq!(extended(values.iter().copied()), expect, "{values:?}");
        }
    }
}
