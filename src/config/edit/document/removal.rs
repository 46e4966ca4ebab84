//! What goes with a value or a table that is removed: its lines and its comma, and no comment outside them.

use std::ops::Range;

use toml_edit::{InlineTable, Item, Table, TableLike};

use super::insertion::{end_of_lines, heading};
use super::splice::{Splice, line_start, next_line, without};

/// A first piece of what stands at the path, to be asked for until there is none. `None`: it can't be removed.
pub(super) fn splice(text: &str, root: &Table, path: &[&str]) -> Option<Splice> {
    let (first, rest) = path.split_first()?;
    let item = root.get(first)?;
    if rest.is_empty() {
        return piece(text, root, first, item);
    }
    match item {
        Item::Table(table) => splice(text, table, rest),
        Item::Value(value) => within(text, value.as_inline_table()?, rest),
        _ => None,
    }
}

fn within(text: &str, table: &InlineTable, path: &[&str]) -> Option<Splice> {
    let (first, rest) = path.split_first()?;
    if !rest.is_empty() {
        return within(text, table.get(first)?.as_inline_table()?, rest);
    }
    let entries: Option<Vec<Range<usize>>> = table.iter().map(|(key, _)| entry(table, key)).collect();
    let at = table.iter().position(|(key, _)| key == *first)?;
    Some(without(text, &entries?, at))
}

/// From the key to the value's end.
fn entry(table: &dyn TableLike, key: &str) -> Option<Range<usize>> {
    let start = table.key(key)?.span()?.start;
    let end = table.get(key)?.span()?.end;
    Some(start..end)
}

fn piece(text: &str, parent: &Table, key: &str, item: &Item) -> Option<Splice> {
    match item {
        Item::Value(_) => {
            let entry = entry(parent, key)?;
            Some(Splice::remove(line_start(text, entry.start)..next_line(text, entry.end)))
        }
        Item::Table(table) => match heading(table) {
            Some(heading) => section(text, &heading, table),
            None => table.iter().find_map(|(key, item)| piece(text, table, key, item)),
        },
        _ => None,
    }
}

/// The heading and the lines below it. Of the blank lines around it one stays.
fn section(text: &str, heading: &Range<usize>, table: &Table) -> Option<Splice> {
    let start = line_start(text, heading.start);
    let end = next_line(text, end_of_lines(table)?);
    let above = text[..start].trim_end_matches([' ', '\t', '\r', '\n', '\u{feff}']);
    let is_first = above.is_empty() || text[above.len()..start].matches('\n').count() > 1;
    let blank = text[end..].split_inclusive('\n').next().filter(|line| line.trim().is_empty());
    let end = if is_first { end + blank.map_or(0, str::len) } else { end };
    Some(Splice::remove(start..end))
}
