//! What requests are sorted by.

use std::cmp::Ordering;

use crate::ledger::Request;

/// The largest first; but for the time, where the newest is last.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Order {
    #[default]
    Time,
    Total,
    Ttfb,
    Tokens,
    Cost,
    /// What failed first.
    Failure,
}

impl Order {
    pub(super) fn next(self) -> Self {
        match self {
            Self::Time => Self::Total,
            Self::Total => Self::Ttfb,
            Self::Ttfb => Self::Tokens,
            Self::Tokens => Self::Cost,
            Self::Cost => Self::Failure,
            Self::Failure => Self::Time,
        }
    }

    /// For the title; `None`: nobody needs to be told.
    pub(super) fn word(self) -> Option<&'static str> {
        match self {
            Self::Time => None,
            Self::Total => Some("slowest first"),
            Self::Ttfb => Some("by ttfb"),
            Self::Tokens => Some("most output first"),
            Self::Cost => Some("dearest first"),
            Self::Failure => Some("failed first"),
        }
    }

    pub(super) fn compare(self, a: Option<&Request>, b: Option<&Request>) -> Ordering {
        let (Some(a), Some(b)) = (a, b) else { return Ordering::Equal };
        match self {
            Self::Time => Ordering::Equal,
            Self::Total => b.total.cmp(&a.total),
            Self::Ttfb => b.ttfb.cmp(&a.ttfb),
            Self::Tokens => b.output_tokens.cmp(&a.output_tokens),
            Self::Cost => cost(b).total_cmp(&cost(a)),
            Self::Failure => failure(b).cmp(&failure(a)),
        }
    }
}

fn cost(row: &Request) -> f64 {
    row.cost_usd.unwrap_or(-1.0)
}

fn failure(row: &Request) -> u8 {
    match row.outcome.as_str() {
        "ok" => 0,
        "cancelled" => 1,
        "client_error" => 2,
        _ => 3,
    }
}
