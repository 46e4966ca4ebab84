//! What the mouse can do: places on the screen that stand for keys.
//!
//! Whatever is drawn says what it stands for, and the mouse does what those keys would do. So it can do nothing that a
//! keyboard can't, and no screen has to know of it.

use ratatui::layout::{Position, Rect};

use crate::ui::app::action::Action;
use crate::ui::app::input::Chord;

/// Lines that one notch of the wheel goes.
pub const NOTCH: usize = 3;

/// As if something had been pressed so often.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Press {
    /// Whatever key does it.
    Does(Action, usize),
    Types(Chord, usize),
}

/// A place, and what it stands for; `None`: what lies below it counts.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Spot {
    area: Rect,
    click: Option<Vec<Press>>,
    wheel: Option<[Vec<Press>; 2]>,
}

/// All places of a frame; what was drawn later lies above.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Spots(Vec<Spot>);

impl Press {
    /// From one line of a list to another, which stays under the pointer.
    pub fn steps(from: usize, to: usize) -> Self {
        if to < from {
            Self::Does(Action::ReachUp, from - to)
        } else {
            Self::Does(Action::ReachDown, to - from)
        }
    }
}

impl From<Action> for Press {
    fn from(action: Action) -> Self {
        Self::Does(action, 1)
    }
}

impl From<Chord> for Press {
    fn from(chord: Chord) -> Self {
        Self::Types(chord, 1)
    }
}

impl Spots {
    /// Nothing that lies below can be reached.
    pub fn cover(&mut self, area: Rect) {
        self.0.push(Spot { area, click: Some(Vec::new()), wheel: Some([Vec::new(), Vec::new()]) });
    }

    /// A click there.
    pub fn click(&mut self, area: Rect, presses: impl Into<Vec<Press>>) {
        self.0.push(Spot { area, click: Some(presses.into()), wheel: None });
    }

    /// A notch of the wheel there, up and down.
    pub fn wheel(&mut self, area: Rect, up: impl Into<Vec<Press>>, down: impl Into<Vec<Press>>) {
        self.0.push(Spot { area, click: None, wheel: Some([up.into(), down.into()]) });
    }

    /// The wheel goes through the lines there.
    pub fn scroll(&mut self, area: Rect) {
        self.wheel(area, [Press::Does(Action::Up, NOTCH)], [Press::Does(Action::Down, NOTCH)]);
    }

    /// What a click at this place stands for.
    pub fn clicked(&self, at: Position) -> Vec<Press> {
        self.found(at, |spot| spot.click.as_ref()).cloned().unwrap_or_default()
    }

    /// What the wheel at this place stands for; up where negative.
    pub fn turned(&self, at: Position, lines: i16) -> Vec<Press> {
        let turned = self.found(at, |spot| spot.wheel.as_ref());
        turned.map(|[up, down]| if lines < 0 { up.clone() } else { down.clone() }).unwrap_or_default()
    }

    fn found<'s, T>(&'s self, at: Position, what: impl Fn(&'s Spot) -> Option<T>) -> Option<T> {
        self.0.iter().rev().filter(|spot| spot.area.contains(at)).find_map(what)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_above_counts_and_what_it_leaves_open_is_asked_below() {
        let area = |x, width| Rect { x, y: 0, width, height: 1 };
        let at = |x| Position { x, y: 0 };
        let mut spots = Spots::default();
        spots.scroll(area(0, 10));
        spots.click(area(2, 3), [Press::steps(4, 1)]);
        spots.click(area(3, 1), [Press::steps(1, 4), Action::Toggle.into()]);
        assert_eq!(spots.clicked(at(0)), []);
        assert_eq!(spots.clicked(at(2)), [Press::Does(Action::ReachUp, 3)]);
        assert_eq!(spots.clicked(at(3)), [Press::Does(Action::ReachDown, 3), Press::Does(Action::Toggle, 1)]);
        assert_eq!(spots.turned(at(3), -3), [Press::Does(Action::Up, NOTCH)]);
        assert_eq!(spots.turned(at(9), 3), [Press::Does(Action::Down, NOTCH)]);
        assert_eq!(spots.turned(at(10), 3), []);
        spots.cover(area(0, 4));
        assert_eq!((spots.clicked(at(3)), spots.turned(at(3), 3)), (vec![], vec![]));
        assert_eq!(spots.turned(at(4), 3).len(), 1);
    }
}
