//! The table that `run` ends with.

use std::fmt::Write;

use crate::router::Figures;

/// What the table shows.
#[derive(Debug, Clone, Copy)]
pub struct Summary<'a> {
    pub figures: &'a Figures,
    pub hooks: bool,
    pub bypass: Option<&'a str>,
}

/// One line for each route.
pub fn summary(stats: &Summary<'_>) -> String {
    let mut text = String::new();
    for row in &stats.figures.routes {
        let _ = writeln!(text, "{}: {} requests, {} ok", row.route, row.requests, row.ok);
    }
    text
}
