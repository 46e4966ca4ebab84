//! A provider's catalogue as a table. Pure.

use super::colour::Colour;
use super::table::table;
use crate::catalogue::Model;
use crate::config::Price;

/// One line for each model; what the catalogue doesn't say is `-`.
pub fn models(models: &[Model], colour: Colour) -> String {
    let heads = ["model", "context", "output", "in/out usd", "tools", "thinking", "efforts"];
    let rows: Vec<Vec<String>> = models.iter().map(row).collect();
    table(&heads, &rows, colour)
}

fn row(model: &Model) -> Vec<String> {
    vec![
        model.id.clone(),
        model.context_window.map(|tokens| tokens.to_string()).unwrap_or_default(),
        model.output_limit.map(|tokens| tokens.to_string()).unwrap_or_default(),
        model.price.map(price).unwrap_or_default(),
        model.tools.map(yes_or_no).unwrap_or_default(),
        model.thinking.map(yes_or_no).unwrap_or_default(),
        model.efforts.join(","),
    ]
}

/// USD per million tokens, in and out: `0.6/2.2`.
pub(super) fn price(price: Price) -> String {
    format!("{}/{}", price.input, price.output)
}

pub(super) fn yes_or_no(able: bool) -> String {
    if able { "yes" } else { "no" }.to_owned()
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
}
