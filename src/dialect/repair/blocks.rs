//! Content blocks: those of `system`, of each message, and of the results of tools, in one walk.

use super::{Plan, text_block};
use crate::config::Repair;
use crate::dialect::json::{Object, Value};

/// Blocks lie in results of tools, and those in messages. What lies deeper is no block.
const DEEPEST: usize = 2;

/// In an image's place.
const NO_IMAGE: &str = "[An image stood here. This model reads text only.]";

pub(super) fn repair(plan: &Plan, root: &mut Object<'_>) {
    let walker = Walker::of(plan);
    if !walker.wants_anything() {
        return;
    }
    if walker.cache_control {
        root.remove("cache_control");
        root.get_mut("system").into_iter().for_each(|system| walker.content(system, 1));
    }
    let Some(messages) = root.get_mut("messages").and_then(Value::array) else { return };
    for message in messages.items.iter_mut().filter_map(|item| item.value.object()) {
        message.get_mut("content").into_iter().for_each(|content| walker.content(content, DEEPEST));
    }
}

/// What is done to each block.
struct Walker {
    cache_control: bool,
    references: bool,
    images: bool,
}

impl Walker {
    fn of(plan: &Plan) -> Self {
        Self {
            cache_control: plan.has(Repair::DropCacheControl),
            references: plan.has(Repair::ToolReferencesAsText),
            images: plan.has(Repair::ImagesAsText),
        }
    }

    fn wants_anything(&self) -> bool {
        self.cache_control || self.references || self.images
    }

    /// A list of blocks; a string has none. `depth` is how many levels of them there may be.
    fn content(&self, content: &mut Value<'_>, depth: usize) {
        let Some(blocks) = content.array() else { return };
        for item in &mut blocks.items {
            self.block(&mut item.value, depth);
        }
    }

    fn block(&self, value: &mut Value<'_>, depth: usize) {
        let Some(block) = value.object() else { return };
        if self.cache_control {
            block.remove("cache_control");
        }
        if self.references && block.says("type", "tool_reference") {
            let name = block.get("tool_name").and_then(Value::decoded).unwrap_or_default();
            let text = format!("[tool_reference: {name}]");
            replace(value, &text);
        } else if self.images && block.says("type", "image") {
            replace(value, NO_IMAGE);
        } else if depth > 1 && block.says("type", "tool_result") {
            block.get_mut("content").into_iter().for_each(|content| self.content(content, depth - 1));
        }
    }
}

/// Text instead of the block; a mark for the cache stays where it was.
fn replace(value: &mut Value<'_>, text: &str) {
    let mark = value.object().and_then(|block| block.get("cache_control").cloned());
    let mut block = text_block(Value::string(text));
    if let (Some(mark), Some(block)) = (mark, block.object()) {
        block.set("cache_control", mark);
    }
    *value = block;
}
