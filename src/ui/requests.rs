//! Requests one by one, as a table. Pure.

use jiff::Timestamp;

use super::colour::Colour;
use super::table::table;
use super::text::{counted, duration, short};
use crate::ledger::Request;

const HEADS: [&str; 9] = ["time", "session", "agent", "model", "status", "ttfb", "total", "in", "out"];

/// The table, and how many older ones it leaves out.
pub fn requests(requests: &[Request], older: u64) -> String {
    if requests.is_empty() {
        return "No request is remembered that fits.".to_owned();
    }
    let rows: Vec<Vec<String>> = requests.iter().map(row).collect();
    let mut text = table(&HEADS, &rows, Colour::Never);
    if older > 0 {
        text = format!("{text}\n{} left out; --limit lists more.", counted(older, "older request"));
    }
    text
}

fn row(request: &Request) -> Vec<String> {
    let time = Timestamp::from_millisecond(request.at).map(|time| time.strftime("%FT%TZ").to_string());
    let tokens = |count: Option<u64>| count.map(short).unwrap_or_default();
    vec![
        time.unwrap_or_default(),
        request.name.clone().unwrap_or_else(|| request.session.clone()),
        request.agent.clone(),
        request.wire_model.clone().unwrap_or_default(),
        request.status.map_or_else(|| request.outcome.clone(), |status| status.to_string()),
        request.ttfb.map(duration).unwrap_or_default(),
        duration(request.total),
        tokens(request.input_tokens),
        tokens(request.output_tokens),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_known_is_left_out_and_the_older_are_counted() {
        let known = Request {
            name: Some("shop".to_owned()),
            agent: "reviewer".to_owned(),
            wire_model: Some("reviewer@glm/glm-5".to_owned()),
            status: Some(200),
            ttfb: Some(7),
            total: 12_345,
            input_tokens: Some(1_500),
            ..Request::default()
        };
        let cancelled = Request {
            session: "0b54".to_owned(),
            agent: "main".to_owned(),
            outcome: "cancelled".to_owned(),
            ..Request::default()
        };
        insta::assert_snapshot!(requests(&[known, cancelled], 3), @r"
        TIME                  SESSION  AGENT     MODEL               STATUS     TTFB  TOTAL  IN    OUT
        1970-01-01T00:00:00Z  shop     reviewer  reviewer@glm/glm-5  200        7ms   12.3s  1.5k  -
        1970-01-01T00:00:00Z  0b54     main      -                   cancelled  -     0ms    -     -
        3 older requests left out; --limit lists more.
        ");
        assert_eq!(requests(&[], 0), "No request is remembered that fits.");
    }
}
