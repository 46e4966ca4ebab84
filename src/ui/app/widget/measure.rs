//! Places and texts that fit into them.

use ratatui::layout::Rect;
use ratatui::widgets::Block;
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use crate::ui::app::look::Look;

/// The room within a box that is drawn elsewhere.
pub fn inner(area: Rect) -> Rect {
    Block::bordered().inner(area)
}

/// A part of the area in its middle, at most so large.
pub fn centred(area: Rect, columns: u16, rows: u16) -> Rect {
    let (width, height) = (columns.min(area.width), rows.min(area.height));
    Rect { x: area.x + (area.width - width) / 2, y: area.y + (area.height - height) / 2, width, height }
}

/// The text, or its beginning with a sign that there is more, in so many columns.
pub fn cut(text: &str, columns: usize, look: &Look) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let mut cut = String::new();
    for cluster in text.graphemes(true) {
        if width(&cut) + width(cluster) + 1 > columns {
            break;
        }
        cut.push_str(cluster);
    }
    if columns > 0 {
        cut.push_str(look.glyphs.more);
    }
    cut
}

/// How many columns a text takes.
pub fn width(text: &str) -> usize {
    UnicodeWidthStr::width(text)
}
