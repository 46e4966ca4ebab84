//! A list of lines with one selected and a window that follows it.

use crate::ui::app::action::Action;

/// Which line is selected, and which is in the middle of those that are seen.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct List {
    selected: usize,
    /// From the selected line to the middle: keys bring both together, and a click leaves the middle where it is.
    lean: isize,
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
    /// One up or down, while the list stays where it is.
    ReachUp,
    ReachDown,
}

/// Lines that a page goes.
pub(super) const PAGE: usize = 10;

impl Step {
    pub fn of(action: Action) -> Option<Self> {
        Some(match action {
            Action::Up | Action::PreviousField => Self::Up,
            Action::Down | Action::NextField => Self::Down,
            Action::PageUp => Self::PageUp,
            Action::PageDown => Self::PageDown,
            Action::First => Self::First,
            Action::Last => Self::Last,
            Action::ReachUp => Self::ReachUp,
            Action::ReachDown => Self::ReachDown,
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
            Step::Up | Step::ReachUp => at.saturating_sub(1),
            Step::Down | Step::ReachDown => at + 1,
            Step::PageUp => at.saturating_sub(PAGE),
            Step::PageDown => at + PAGE,
            Step::First => 0,
            Step::Last => length - 1,
        }
        .min(length - 1);
        self.lean -= match step {
            Step::ReachUp | Step::ReachDown => self.selected.cast_signed() - at.cast_signed(),
            // Little by little, as nothing is to jump.
            _ => self.lean.signum(),
        };
    }

    /// The first line that is seen where so many of all fit.
    fn offset(self, length: usize, height: usize) -> usize {
        let at = self.selected(length).unwrap_or(0);
        let middle = at.saturating_add_signed(self.lean);
        // As far as both ends allow, and never without the selected one.
        let offset = middle.saturating_sub(height / 2).min(length.saturating_sub(height));
        offset.max((at + 1).saturating_sub(height)).min(at)
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

    #[test]
    fn what_is_reached_for_stays_where_it_is_and_keys_bring_it_back_to_the_middle() {
        let (length, height) = (100, 10);
        for from in [0, 3, 50, 97, 99] {
            let mut list = List::default();
            list.select(from);
            let seen = list.seen(length, height);
            for to in seen.clone() {
                let mut list = list;
                let step = if to < from { Step::ReachUp } else { Step::ReachDown };
                (0..to.abs_diff(from)).for_each(|_| list.step(step, length));
                assert_eq!((list.selected(length), list.seen(length, height)), (Some(to), seen.clone()));
                let before = list.offset(length, height);
                list.step(Step::Up, length);
                assert!(list.offset(length, height).abs_diff(before) <= 2, "{from} {to}");
                (0..height).for_each(|_| list.step(Step::Down, length));
                let at = list.selected(length).unwrap();
                assert_eq!(list.offset(length, height), at.saturating_sub(5).min(90), "{from} {to}");
            }
        }
        let mut list = List::default();
        (0..9).for_each(|_| list.step(Step::ReachDown, length));
        assert!(list.seen(length, 3).contains(&9), "there is less room than before");
    }
}
