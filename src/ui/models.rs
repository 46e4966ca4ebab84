//! A provider's catalogue as a table. Pure.

use super::colour::Colour;
use super::table::{table, visible};
use super::text::columns;
use crate::catalogue::Model;
use crate::config::Price;

/// Columns of one cell. Every id that is known fits; what somebody made up must not pad the whole table.
const WIDEST: usize = 72;

/// One line for each model; what the catalogue doesn't say is `-`.
pub fn models(models: &[Model], colour: Colour) -> String {
    let heads = ["model", "context", "output", "in/out usd", "tools", "thinking", "efforts"];
    let rows: Vec<Vec<String>> = models.iter().map(row).collect();
    table(&heads, &rows, colour)
}

fn row(model: &Model) -> Vec<String> {
    vec![
        cut(&model.id),
        model.context_window.map(|tokens| tokens.to_string()).unwrap_or_default(),
        model.output_limit.map(|tokens| tokens.to_string()).unwrap_or_default(),
        model.price.map(price).unwrap_or_default(),
        model.tools.map(yes_or_no).unwrap_or_default(),
        model.thinking.map(yes_or_no).unwrap_or_default(),
        cut(&model.efforts.join(",")),
    ]
}

/// USD per million tokens, in and out: `0.6/2.2`.
pub(super) fn price(price: Price) -> String {
    format!("{}/{}", price.input, price.output)
}

pub(super) fn yes_or_no(able: bool) -> String {
    if able { "yes" } else { "no" }.to_owned()
}

/// The text as it is shown, with `…` where it is too long for a cell.
fn cut(text: &str) -> String {
    let shown = visible(text);
    if columns(&shown) <= WIDEST {
        return shown;
    }
    let mut kept = String::new();
    for character in shown.chars() {
        kept.push(character);
        if columns(&kept) >= WIDEST {
            kept.pop();
            break;
        }
    }
    kept + "…"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_known_is_shown_as_a_dash() {
        let price = Some(Price { input: 0.6, output: 2.2, ..Price::default() });
        let known = Model { id: "a".into(), price, tools: Some(false), ..Model::default() };
        let drawn = models(&[known], Colour::Never);
        assert!(drawn.ends_with("a      -        -       0.6/2.2     no     -         -"), "{drawn}");
    }

    #[test]
    fn a_long_id_is_cut_and_an_ordinary_one_is_not() {
        let plain = "cognitivecomputations/dolphin-mistral-24b-venice-edition:free";
        assert_eq!(cut(plain), plain);
        for long in ["m".repeat(300), "模".repeat(300), "\u{1b}".repeat(300)] {
            let shown = cut(&long);
            assert!(shown.ends_with('…') && (71..=72).contains(&columns(&shown)), "{shown}");
        }
    }
}
