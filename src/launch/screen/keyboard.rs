//! Which keys the child wants told apart: kitty's flags, and xterm's modifyOtherKeys.
//!
//! The emulator has this too, but its answers leave out what was set without a stack, and a deep stack makes it
//! panic.

/// Kitty's progressive enhancement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct KittyFlags(u8);

impl KittyFlags {
    /// Escape and keys with modifiers can't be taken for others.
    pub const DISAMBIGUATE: Self = Self(1);
    /// Repeats and releases are told.
    pub const EVENTS: Self = Self(2);
    /// The shifted key is told as well.
    pub const ALTERNATES: Self = Self(4);
    /// Text keys come as sequences too.
    pub const ALL_KEYS: Self = Self(8);
    /// With the text that they make.
    pub const TEXT: Self = Self(16);

    /// Unknown flags are left out.
    pub fn from_bits(bits: u8) -> Self {
        Self(bits & 0b1_1111)
    }

    pub fn bits(self) -> u8 {
        self.0
    }

    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
}

/// Xterm's way to tell more keys apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ModifyOtherKeys {
    #[default]
    Off,
    /// Except for keys that have a code of their own with modifiers.
    ExceptWellKnown,
    All,
}

/// How deep a child may stack flags; the oldest go.
const DEPTH: usize = 32;

/// The flags of both screens.
#[derive(Default)]
pub(super) struct Keyboard {
    pub(super) modify_other_keys: ModifyOtherKeys,
    main: Stack,
    alternate: Stack,
}

#[derive(Default)]
struct Stack {
    now: KittyFlags,
    below: Vec<KittyFlags>,
}

/// Which of the child's two screens is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Shown {
    #[default]
    Main,
    Alternate,
}

/// How flags are set.
pub(super) enum Change {
    Replace,
    Add,
    Remove,
}

impl Keyboard {
    pub(super) fn flags(&self, shown: Shown) -> KittyFlags {
        match shown {
            Shown::Main => self.main.now,
            Shown::Alternate => self.alternate.now,
        }
    }

    pub(super) fn push(&mut self, shown: Shown, flags: KittyFlags) {
        let stack = self.stack(shown);
        if stack.below.len() == DEPTH {
            stack.below.remove(0);
        }
        stack.below.push(stack.now);
        stack.now = flags;
    }

    pub(super) fn pop(&mut self, shown: Shown, count: u16) {
        let stack = self.stack(shown);
        for _ in 0..usize::from(count).min(DEPTH + 1) {
            stack.now = stack.below.pop().unwrap_or_default();
        }
    }

    pub(super) fn set(&mut self, shown: Shown, flags: KittyFlags, change: &Change) {
        let now = &mut self.stack(shown).now.0;
        match change {
            Change::Replace => *now = flags.0,
            Change::Add => *now |= flags.0,
            Change::Remove => *now &= !flags.0,
        }
    }

    fn stack(&mut self, shown: Shown) -> &mut Stack {
        match shown {
            Shown::Main => &mut self.main,
            Shown::Alternate => &mut self.alternate,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn g03_each_screen_has_its_own_flags() {
        let mut keyboard = Keyboard::default();
        let flags = KittyFlags::from_bits;
        keyboard.push(Shown::Main, flags(1));
        keyboard.push(Shown::Alternate, flags(5));
        assert_eq!((keyboard.flags(Shown::Main), keyboard.flags(Shown::Alternate)), (flags(1), flags(5)));
        keyboard.set(Shown::Main, flags(2), &Change::Add);
        assert_eq!(keyboard.flags(Shown::Main), flags(3));
        keyboard.set(Shown::Main, flags(1), &Change::Remove);
        assert_eq!(keyboard.flags(Shown::Main), flags(2));
        keyboard.set(Shown::Main, flags(255), &Change::Replace);
        assert_eq!(keyboard.flags(Shown::Main), flags(31));
        keyboard.pop(Shown::Main, 1);
        assert_eq!(keyboard.flags(Shown::Main), flags(0));
        assert_eq!(keyboard.flags(Shown::Alternate), flags(5));
    }

    #[test]
    fn a_stack_without_end_is_bounded() {
        let mut keyboard = Keyboard::default();
        (0..100_000).for_each(|_| keyboard.push(Shown::Main, KittyFlags::DISAMBIGUATE));
        assert_eq!(keyboard.main.below.len(), DEPTH);
        keyboard.pop(Shown::Main, u16::MAX);
        assert!(keyboard.flags(Shown::Main).is_empty());
    }
}
