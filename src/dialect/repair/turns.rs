//! System turns among the messages, which most providers refuse.

use std::mem;

use super::text_block;
use crate::dialect::json::{Item, Object, Value};

/// How Claude Code itself marks what it tells a model in the user's turn, and what it sends once a system turn was refused.
const OPEN: &str = "<system-reminder>";
const CLOSE: &str = "</system-reminder>";

/// To the end of `system`. The prompt changes at its head with each new one, so caches of prefixes lose all of it.
pub(super) fn hoist(root: &mut Object<'_>) {
    let mut hoisted = Vec::new();
    let messages = root.get_mut("messages").and_then(Value::array);
    for turn in messages.into_iter().flat_map(|messages| &mut messages.items) {
        if let Some(turn) = turn.value.object().filter(|turn| turn.says("role", "system")) {
            hoisted.append(blocks(turn, "content"));
        }
    }
    if !hoisted.is_empty() {
        blocks(root, "system").append(&mut hoisted);
    }
    fold(root);
}

/// Into the user's turn before, where it stays in all later requests; else into the one behind; else it becomes one.
pub(super) fn fold(root: &mut Object<'_>) {
    let Some(messages) = root.get_mut("messages").and_then(Value::array) else { return };
    let mut turns = Turns::default();
    for turn in mem::take(&mut messages.items) {
        turns.take(turn);
    }
    messages.items = turns.finish();
}

/// The turns so far, without those of the system.
#[derive(Default)]
struct Turns<'a> {
    done: Vec<Item<'a>>,
    /// What the system has said since, with no user's turn before it.
    waiting: Vec<Item<'a>>,
    /// A system turn stood behind the last of `done`.
    gap: bool,
}

impl<'a> Turns<'a> {
    fn take(&mut self, mut turn: Item<'a>) {
        match role(&mut turn) {
            Role::System => self.take_system(turn),
            Role::User => self.take_user(turn),
            Role::Other => {
                self.place_waiting();
                self.push(turn);
            }
        }
    }

    fn take_system(&mut self, mut turn: Item<'a>) {
        let Some(turn) = turn.value.object() else { return };
        let mut told = mem::take(blocks(turn, "content"));
        told.retain_mut(|block| remind(&mut block.value));
        self.gap = true;
        match self.last_user() {
            Some(_) if told.is_empty() => {}
            Some(user) => blocks(user, "content").append(&mut told),
            None => self.waiting.append(&mut told),
        }
    }

    fn take_user(&mut self, mut turn: Item<'a>) {
        let Some(user) = turn.value.object() else { return };
        if !self.waiting.is_empty() {
            let said = blocks(user, "content");
            // Results of tools come first in a turn.
            let results =
                said.iter_mut().position(|block| !is_result(&mut block.value)).unwrap_or(said.len());
            said.splice(results..results, mem::take(&mut self.waiting));
        } else if self.gap && self.last_user().is_some() {
            let mut said = mem::take(blocks(user, "content"));
            self.last_user().into_iter().for_each(|last| blocks(last, "content").append(&mut said));
            self.gap = false;
            return;
        }
        self.push(turn);
    }

    fn push(&mut self, turn: Item<'a>) {
        self.done.push(turn);
        self.gap = false;
    }

    fn place_waiting(&mut self) {
        if self.waiting.is_empty() {
            return;
        }
        let mut user = Object::default();
        user.set("role", Value::string("user"));
        *blocks(&mut user, "content") = mem::take(&mut self.waiting);
        self.done.push(Item::new(Value::Object(user)));
    }

    fn last_user(&mut self) -> Option<&mut Object<'a>> {
        self.done.last_mut()?.value.object().filter(|turn| turn.says("role", "user"))
    }

    fn finish(mut self) -> Vec<Item<'a>> {
        self.place_waiting();
        self.done
    }
}

enum Role {
    System,
    User,
    Other,
}

fn role(turn: &mut Item<'_>) -> Role {
    match turn.value.object() {
        Some(turn) if turn.says("role", "system") => Role::System,
        Some(turn) if turn.says("role", "user") => Role::User,
        _ => Role::Other,
    }
}

fn is_result(block: &mut Value<'_>) -> bool {
    block.object().is_some_and(|block| block.says("type", "tool_result"))
}

/// The list of blocks under a key: a string becomes a block, and anything that is no content an empty list.
fn blocks<'o, 'a>(object: &'o mut Object<'a>, key: &str) -> &'o mut Vec<Item<'a>> {
    object.entry(key).list(|text| Item::new(text_block(text)))
}

/// Marks a block as the system's word. `false`: it says nothing.
fn remind(block: &mut Value<'_>) -> bool {
    let Some(text) =
        block.object().filter(|block| block.says("type", "text")).and_then(|b| b.get_mut("text"))
    else {
        return true;
    };
    let Some(said) = text.escaped() else { return true };
    if said.is_empty() {
        return false;
    }
    if !said.starts_with(OPEN) {
        *text = Value::new(format!(r#""{OPEN}\n{said}\n{CLOSE}""#));
    }
    true
}
