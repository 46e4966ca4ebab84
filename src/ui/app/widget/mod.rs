//! What several screens draw: lists, fields, boxes.

mod canvas;
mod columns;
mod field;
mod filter;
mod finder;
mod list;
mod measure;
mod page;
mod ranking;
mod spots;

pub use canvas::Canvas;
pub use columns::{Cell, Column, Side, columns, heads, row};
pub use field::Field;
pub use filter::Filter;
pub use finder::Finder;
pub use list::{List, Step};
pub use measure::{centred, cut, folded, inner, placed, width, wrapped};
pub use page::{Page, mark};
pub use ranking::ranked;
pub use spots::{NOTCH, Press, Spots};
