//! How a launch of today differs from the recorded one, a line for each thing. Pure.

use super::colour::Colour;
use super::table::table;
use super::text::counted;
use crate::launch::resume::{Change, Difference, Field, Part};

/// A table, or one line where nothing differs.
pub fn differences(found: &[Difference], colour: Colour) -> String {
    if found.is_empty() {
        return "Today's configuration is the recorded one.".to_owned();
    }
    let rows: Vec<Vec<String>> = found.iter().flat_map(rows).collect();
    let heads = ["what", "name", "field", "recorded", "today"];
    let count = counted(found.len() as u64, "thing");
    format!("{count} not as recorded; today's configuration counts:\n{}", table(&heads, &rows, colour))
}

fn rows(difference: &Difference) -> Vec<Vec<String>> {
    let row = |what: &str, recorded: &str, today: &str| {
        let part = part(difference.part).to_owned();
        vec![part, difference.name.clone(), what.to_owned(), recorded.to_owned(), today.to_owned()]
    };
    match difference.change {
        Change::Added => vec![row("", "-", "new")],
        Change::Removed => vec![row("", "there", "gone")],
        Change::Changed => {
            let cells =
                |field: &Field| row(&field.name, text(field.recorded.as_ref()), text(field.current.as_ref()));
            difference.fields.iter().map(cells).collect()
        }
    }
}

fn text(value: Option<&String>) -> &str {
    value.map_or("(long)", String::as_str)
}

fn part(part: Part) -> &'static str {
    match part {
        Part::Agent => "agent",
        Part::Route => "route",
        Part::Provider => "provider",
        Part::Policy => "policy",
        Part::Main => "main",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_thing_has_its_line() {
        let of =
            |part, name: &str, change, fields| Difference { part, name: name.to_owned(), change, fields };
        let field = |name: &str, recorded: Option<&str>, current: Option<&str>| Field {
            name: name.to_owned(),
            recorded: recorded.map(str::to_owned),
            current: current.map(str::to_owned),
        };
        let model = field("model", Some("glm/glm-5"), Some("ollama/q"));
        let found = [
            of(Part::Agent, "rev", Change::Changed, vec![model, field("prompt", None, None)]),
            of(Part::Agent, "new", Change::Added, vec![]),
            of(Part::Provider, "glm", Change::Removed, vec![]),
            of(Part::Policy, "", Change::Changed, vec![field("enabled", Some("false"), Some("true"))]),
        ];
        insta::assert_snapshot!(differences(&found, Colour::Never), @r"
        4 things not as recorded; today's configuration counts:
        WHAT      NAME  FIELD    RECORDED   TODAY
        agent     rev   model    glm/glm-5  ollama/q
        agent     rev   prompt   (long)     (long)
        agent     new   -        -          new
        provider  glm   -        there      gone
        policy    -     enabled  false      true
        ");
        assert_eq!(differences(&[], Colour::Never), "Today's configuration is the recorded one.");
    }
}
