//! A terminal's screen as a picture (SVG), for the documentation.

use std::fmt::Write;

use vt100::{Color, Screen};

/// Of one cell, in pixels.
const WIDTH: f32 = 8.4;
const HEIGHT: f32 = 18.0;

/// Around the cells.
const MARGIN: f32 = 12.0;

const BACKGROUND: &str = "#16181d";
const FOREGROUND: &str = "#d4d7dd";

/// The terminal's own sixteen colours.
const NAMED: [&str; 16] = [
    "#16181d", "#e06c75", "#98c379", "#e5c07b", "#61afef", "#c678dd", "#56b6c2", "#d4d7dd", "#6b7280",
    "#e06c75", "#98c379", "#e5c07b", "#61afef", "#c678dd", "#56b6c2", "#ffffff",
];

/// What one or more cells beside one another look like.
#[derive(Clone, PartialEq)]
struct Look {
    foreground: String,
    background: String,
    weight: &'static str,
}

/// The whole screen, with what it shows as its title.
pub(crate) fn svg(screen: &Screen, title: &str) -> String {
    let (rows, columns) = (screen.size().0.get(), screen.size().1.get());
    let (width, height) =
        (f32::from(columns) * WIDTH + 2.0 * MARGIN, f32::from(rows) * HEIGHT + 2.0 * MARGIN);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" role=\"img\" aria-label=\"{title}\">\n\
         <title>{title}</title>\n<style>text {{ font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, \
         \"DejaVu Sans Mono\", monospace; font-size: 14px; white-space: pre; }}</style>\n\
         <rect width=\"{width:.0}\" height=\"{height:.0}\" rx=\"8\" fill=\"{BACKGROUND}\"/>\n<g xml:space=\"preserve\">\n"
    );
    for row in 0..rows {
        for (column, text, look) in runs(screen, row) {
            draw(&mut svg, (row, column), &text, &look);
        }
    }
    svg.push_str("</g>\n</svg>\n");
    svg
}

/// What looks the same beside one another, from left to right.
fn runs(screen: &Screen, row: u16) -> Vec<(u16, String, Look)> {
    let mut runs: Vec<(u16, String, Look)> = Vec::new();
    for column in 0..screen.size().1.get() {
        let Some(cell) = screen.cell(row, column).filter(|cell| !cell.is_wide_continuation()) else {
            continue;
        };
        let text = if cell.has_contents() { cell.contents().to_owned() } else { " ".to_owned() };
        let look = look(cell);
        match runs.last_mut() {
            Some((_, run, before)) if *before == look && text.is_ascii() && run.is_ascii() => {
                run.push_str(&text);
            }
            _ => runs.push((column, text, look)),
        }
    }
    runs
}

fn look(cell: &vt100::Cell) -> Look {
    let (mut foreground, mut background) =
        (colour(cell.fgcolor(), FOREGROUND), colour(cell.bgcolor(), BACKGROUND));
    if cell.inverse() {
        std::mem::swap(&mut foreground, &mut background);
    }
    Look { foreground, background, weight: if cell.bold() { "bold" } else { "normal" } }
}

fn colour(colour: Color, own: &str) -> String {
    match colour {
        Color::Default => own.to_owned(),
        Color::Idx(index @ 0..=15) => NAMED[usize::from(index)].to_owned(),
        Color::Idx(index @ 16..=231) => {
            let level = |step: u8| if step == 0 { 0 } else { 55 + 40 * u16::from(step) };
            let cube = index - 16;
            format!("#{:02x}{:02x}{:02x}", level(cube / 36), level(cube / 6 % 6), level(cube % 6))
        }
        Color::Idx(index) => {
            let grey = 8 + 10 * (u16::from(index) - 232);
            format!("#{grey:02x}{grey:02x}{grey:02x}")
        }
        Color::Rgb(red, green, blue) => format!("#{red:02x}{green:02x}{blue:02x}"),
    }
}

fn draw(svg: &mut String, (row, column): (u16, u16), text: &str, look: &Look) {
    let count = u16::try_from(text.chars().count()).unwrap();
    let (x, y) = (MARGIN + f32::from(column) * WIDTH, MARGIN + f32::from(row) * HEIGHT);
    let width = f32::from(count) * WIDTH;
    if look.background != BACKGROUND {
        let fill = &look.background;
        writeln!(
            svg,
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{HEIGHT:.0}\" fill=\"{fill}\"/>"
        )
        .unwrap();
    }
    if !text.trim().is_empty() {
        let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        let Look { foreground, weight, .. } = look;
        let y = y + 13.5;
        writeln!(
            svg,
            "<text x=\"{x:.1}\" y=\"{y:.1}\" textLength=\"{width:.1}\" lengthAdjust=\"spacingAndGlyphs\" \
             fill=\"{foreground}\" font-weight=\"{weight}\">{text}</text>"
        )
        .unwrap();
    }
}
