//! Where a value belongs that is set: over the old one, in a line of its table, in an inline table, or under a
//! heading of its own.

use std::ops::Range;

use toml_edit::{InlineTable, Item, Key, Table, TableLike, Value};

use super::find;
use super::splice::{Splice, line_end, next_line};

/// Tables down to this depth get a heading: `[providers.glm]`. Deeper ones are written inline.
const HEADED: usize = 2;

/// `None`: the path leads through something that isn't a table, or to one.
pub(super) fn splice(text: &str, root: &Table, path: &[&str], value: &Value) -> Option<Splice> {
    if let Some(item) = find(root, path) {
        return item.as_value().and_then(Value::span).map(|at| Splice { at, text: value.to_string() });
    }
    let home = Home::of(root, path)?;
    match home.container {
        Container::Inline(table) => inline(table, &home.entry(value)),
        Container::Table(table) if home.wants_heading(table) => Some(section(text, root, path, value)),
        Container::Table(table) => line(text, table, &home.entry(value)),
    }
}

enum Container<'t> {
    Inline(&'t InlineTable),
    Table(&'t Table),
}

/// The innermost table on the path that is there.
struct Home<'t, 'p> {
    container: Container<'t>,
    path: &'p [&'p str],
    /// Parts of the path that lead to the container.
    depth: usize,
    /// Parts that lead to the table whose lines the container's are: less than `depth` for `auth.kind = …`.
    heading: usize,
}

impl<'t, 'p> Home<'t, 'p> {
    fn of(root: &'t Table, path: &'p [&'p str]) -> Option<Self> {
        let mut home = Self { container: Container::Table(root), path, depth: 0, heading: 0 };
        while home.depth + 1 < path.len() {
            let tables: &dyn TableLike = match home.container {
                Container::Inline(table) => table,
                Container::Table(table) => table,
            };
            let Some(item) = tables.get(path[home.depth]) else { break };
            home.depth += 1;
            home.container = match item {
                Item::Table(table) => Container::Table(table),
                Item::Value(Value::InlineTable(table)) => Container::Inline(table),
                _ => return None,
            };
            if !matches!(item, Item::Table(table) if table.is_dotted()) {
                home.heading = home.depth;
            }
        }
        Some(home)
    }

    /// Whether what is missing is a table that has a heading.
    fn wants_heading(&self, table: &Table) -> bool {
        let headed = (self.path.len() - 1).min(HEADED);
        !table.is_dotted() && (self.depth < headed || table.is_implicit())
    }

    /// `key = value`, with what is missing in between: dotted where the rest is, else inline.
    fn entry(&self, value: &Value) -> String {
        let dotted = match self.container {
            Container::Inline(_) => self.depth,
            Container::Table(_) => self.heading,
        };
        let keys: Vec<String> = self.path[dotted..=self.depth].iter().map(|key| quoted(key)).collect();
        format!("{} = {}", keys.join("."), nested(&self.path[self.depth + 1..], value))
    }
}

fn quoted(key: &str) -> String {
    Key::new(key).to_string()
}

fn nested(path: &[&str], value: &Value) -> String {
    path.iter().rev().fold(value.to_string(), |inner, key| format!("{{ {} = {inner} }}", quoted(key)))
}

fn inline(table: &InlineTable, entry: &str) -> Option<Splice> {
    let Some(last) = table.iter().filter_map(|(_, value)| value.span()).map(|span| span.end).max() else {
        return table.span().map(|at| Splice { at, text: format!("{{ {entry} }}") });
    };
    Some(Splice::insert(last, format!(", {entry}")))
}

/// After the table's last line that is its own.
fn line(text: &str, table: &Table, entry: &str) -> Option<Splice> {
    let at = next_line(text, end_of_lines(table)?);
    Some(Splice::insert(at, on_own_line(text, at, entry)))
}

/// After everything else of the same first part: providers stay with providers.
fn section(text: &str, root: &Table, path: &[&str], value: &Value) -> Splice {
    let (heading, rest) = path.split_at((path.len() - 1).min(HEADED));
    let heading: Vec<String> = heading.iter().map(|key| quoted(key)).collect();
    let newline = line_end(text);
    let entry = format!("{} = {}", quoted(rest[0]), nested(&rest[1..], value));
    let family = root.get(path[0]).and_then(end);
    let at = family.map_or(text.len(), |end| after_comments(text, next_line(text, end)));
    let gap = if text[..at].trim_start_matches('\u{feff}').is_empty() { "" } else { newline };
    let after =
        if text[at..].lines().next().is_none_or(|line| line.trim().is_empty()) { "" } else { newline };
    let section = format!("[{}]{newline}{entry}", heading.join("."));
    let body = on_own_line(text, at, &section);
    // The line break that ends an unfinished last line comes before the gap.
    match body.strip_prefix(newline) {
        Some(unbroken) => Splice::insert(at, format!("{newline}{gap}{unbroken}")),
        None => Splice::insert(at, format!("{gap}{body}{after}")),
    }
}

/// With the line breaks that keep it apart from what stands around it.
fn on_own_line(text: &str, at: usize, lines: &str) -> String {
    let newline = line_end(text);
    let unfinished = at > 0 && !text[..at].ends_with('\n') && !text[..at].ends_with('\u{feff}');
    if unfinished { format!("{newline}{lines}") } else { format!("{lines}{newline}") }
}

/// Comments right below a section are its own, mostly values that are commented out; those right above a heading are
/// that heading's.
fn after_comments(text: &str, at: usize) -> usize {
    let comments = text[at..].split_inclusive('\n').take_while(|line| line.trim_start().starts_with('#'));
    let end = at + comments.map(str::len).sum::<usize>();
    let is_next_ones = text[end..].lines().next().is_some_and(|line| !line.trim().is_empty());
    if is_next_ones { at } else { end }
}

/// Where a table's own lines end: heading, values and dotted keys, without the tables below it.
pub(super) fn end_of_lines(table: &Table) -> Option<usize> {
    let own = |(_, item): (&str, &Item)| match item {
        Item::Value(value) => value.span().map(|span| span.end),
        Item::Table(table) if table.is_dotted() => end_of_lines(table),
        _ => None,
    };
    table.iter().filter_map(own).chain(heading(table).map(|span| span.end)).max()
}

/// `[a.b]`, where it is written.
pub(super) fn heading(table: &Table) -> Option<Range<usize>> {
    table.span().filter(|_| !table.is_implicit() && !table.is_dotted())
}

/// Where everything in an item ends.
fn end(item: &Item) -> Option<usize> {
    match item {
        Item::Table(table) => {
            let below = table.iter().filter_map(|(_, item)| end(item));
            below.chain(end_of_lines(table)).max()
        }
        _ => item.span().map(|span| span.end),
    }
}
