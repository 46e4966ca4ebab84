//! What repairs do: to the body of a request, to the `anthropic-beta` header, to an answer on its way back.
//!
//! Only the bytes that a repair is named after change; applied twice, it does nothing the second time; and the same
//! beginning of a conversation comes out the same each time, so that a provider finds it in its cache again.

mod answer;
mod attribution;
mod betas;
mod blocks;
mod fields;
#[cfg(test)]
mod tests;
mod tools;
mod turns;

use std::num::NonZeroU64;

use super::Rewrite;
use super::json::{Document, Value};
use crate::config::Repair;
use crate::config::repair::{Standing, Switch};

use answer::Mender;

/// The repairs of one route.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Plan {
    /// Those that are on.
    on: Vec<(Repair, Switch)>,
}

/// What becomes of a request's body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bodies {
    /// It goes on as it is.
    Untouched,
    /// The attribution block is blanked on its way ([`super::ATTRIBUTION`]).
    WithoutAttribution,
    /// It has to be held, and repaired as a whole.
    Whole,
}

/// A body that is no JSON object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the request's body is no JSON object")]
pub struct Unreadable;

impl Plan {
    /// Of `Config::repairs`, those that are on.
    pub fn new(standings: Vec<Standing>) -> Self {
        let on = standings.into_iter().filter(Standing::is_on);
        Self { on: on.map(|standing| (standing.repair, standing.switch)).collect() }
    }

    /// What becomes of a request's body.
    pub fn bodies(&self) -> Bodies {
        let mut changing = self.on.iter().map(|(repair, _)| *repair).filter(|repair| repair.changes_body());
        match (changing.next(), changing.next()) {
            (None, _) => Bodies::Untouched,
            (Some(Repair::DropAttribution), None) => Bodies::WithoutAttribution,
            (Some(_), _) => Bodies::Whole,
        }
    }

    /// The whole body of a request, repaired.
    ///
    /// # Errors
    /// The body is no JSON object.
    pub fn request(&self, body: &[u8]) -> Result<Vec<u8>, Unreadable> {
        let text = std::str::from_utf8(body).map_err(|_| Unreadable)?;
        let mut document = Document::read(text).ok_or(Unreadable)?;
        let root = &mut document.root;
        // At first: what comes to stand in `system` is repaired there.
        if self.has(Repair::HoistSystemTurns) {
            turns::hoist(root);
        }
        if self.has(Repair::DropAttribution) {
            attribution::drop(root);
        }
        fields::repair(self, root);
        tools::repair(self, root);
        blocks::repair(self, root);
        // At last: what is folded has been repaired.
        if self.has(Repair::FoldSystemTurns) {
            turns::fold(root);
        }
        Ok(document.write().into_bytes())
    }

    /// Whether any value of the `anthropic-beta` header may change.
    pub fn changes_betas(&self) -> bool {
        betas::changes(self)
    }

    /// The value of the `anthropic-beta` header. `None`: nothing of it is left.
    pub fn betas(&self, value: &str) -> Option<String> {
        betas::repaired(self, value)
    }

    /// What mends an event stream of Anthropic's on its way back; `None`: it goes on as it comes.
    ///
    /// `estimate` is how many tokens the request is thought to have, for [`Repair::UsageAtStart`].
    pub fn answer(&self, estimate: Option<NonZeroU64>) -> Option<Box<dyn Rewrite>> {
        self.changes_answers().then(|| -> Box<dyn Rewrite> { Box::new(Mender::new(self, estimate)) })
    }

    /// Whether event streams are mended on their way back.
    pub fn changes_answers(&self) -> bool {
        self.on.iter().any(|(repair, _)| repair.changes_answer())
    }

    fn has(&self, repair: Repair) -> bool {
        self.switch(repair).is_some()
    }

    fn switch(&self, repair: Repair) -> Option<&Switch> {
        self.on.iter().find(|(on, _)| *on == repair).map(|(_, switch)| switch)
    }

    /// The number of tokens that a repair is switched to.
    fn tokens(&self, repair: Repair) -> Option<u64> {
        match self.switch(repair)? {
            Switch::Tokens(tokens) => Some(tokens.get()),
            Switch::Plain(_) | Switch::Values(_) => None,
        }
    }
}

/// A text block.
fn text_block(text: Value<'_>) -> Value<'_> {
    let mut block = super::json::Object::default();
    block.set("type", Value::string("text"));
    block.set("text", text);
    Value::Object(block)
}
