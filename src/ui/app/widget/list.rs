//! A list of lines with one selected and a window that follows it.

use crate::ui::app::action::Action;

/// Which line is selected, and which is at the top.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct List {
    selected: usize,
}

/// How far a step goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    Up,
    Down,
    PageUp,
    PageDown,
    First,
    Last,
}

/// Lines that a page goes.
const PAGE: usize = 10;

impl Step {
    pub fn of(action: Action) -> Option<Self> {
        Some(match action {
            Action::Up | Action::PreviousField => Self::Up,
            Action::Down | Action::NextField => Self::Down,
            Action::PageUp => Self::PageUp,
            Action::PageDown => Self::PageDown,
            Action::First => Self::First,
            Action::Last => Self::Last,
            _ => return None,
        })
    }
}

impl List {
    /// The selected line of so many; `None`: there is none.
    pub fn selected(self, length: usize) -> Option<usize> {
        Some(self.selected.min(length.checked_sub(1)?))
    }

    pub fn select(&mut self, line: usize) {
        self.selected = line;
    }

    pub fn step(&mut self, step: Step, length: usize) {
        let Some(at) = self.selected(length) else { return };
        self.selected = match step {
            Step::Up => at.saturating_sub(1),
            Step::Down => at + 1,
            Step::PageUp => at.saturating_sub(PAGE),
            Step::PageDown => at + PAGE,
            Step::First => 0,
            Step::Last => length - 1,
        }
        .min(length - 1);
    }

    /// The first line that is seen where so many of all fit.
    fn offset(self, length: usize, height: usize) -> usize {
        let at = self.selected(length).unwrap_or(0);
        // The selected one stays in the middle, as far as both ends allow.
        at.saturating_sub(height / 2).min(length.saturating_sub(height))
    }

    /// The lines that are seen where so many of all fit.
    pub fn seen(self, length: usize, height: usize) -> std::ops::Range<usize> {
        let offset = self.offset(length, height);
        offset..length.min(offset + height)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_selected_line_is_always_one_that_is_there_and_seen() {
        let mut list = List::default();
        assert_eq!(list.selected(0), None);
        list.step(Step::Down, 0);
        for (step, expect) in [
            (Step::Up, 0),
            (Step::Down, 1),
            (Step::PageDown, 11),
            (Step::Last, 29),
            (Step::Down, 29),
            (Step::First, 0),
        ] {
            list.step(step, 30);
            assert_eq!(list.selected(30), Some(expect));
            let offset = list.offset(30, 7);
            assert!(offset <= expect && expect < offset + 7, "{step:?}: {offset}");
        }
        list.select(29);
        assert_eq!(list.selected(3), Some(2), "the list has become shorter");
    }
}
