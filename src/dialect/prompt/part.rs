//! What a person, or a tool, shows the model.

use serde_json::value::RawValue;

use super::Unsayable;
use super::block::{Block, Source, blocks};
use crate::dialect::text::Text;

#[derive(Debug, Clone)]
pub(in crate::dialect) enum Part<'a> {
    Text(Text<'a>),
    /// By its address, which may be a `data:` URL.
    Image(Text<'a>),
    File {
        name: Text<'a>,
        /// A `data:` URL.
        data: Text<'a>,
    },
}

/// What `content` shows, without blank texts (E16).
pub(super) fn parts(content: Option<&RawValue>) -> Result<Vec<Part<'_>>, Unsayable> {
    let mut parts = Vec::new();
    for block in content.map(blocks).transpose()?.unwrap_or_default() {
        add(block, &mut parts)?;
    }
    Ok(parts)
}

/// Adds what one block shows.
pub(super) fn add<'a>(block: Block<'a>, parts: &mut Vec<Part<'a>>) -> Result<(), Unsayable> {
    match &*block.kind {
        "text" => parts.extend(block.text.filter(|text| !text.is_blank()).map(Part::Text)),
        "image" => parts.push(image(block.source)?),
        "document" => document(&block, parts)?,
        "search_result" => {
            parts.extend(block.title.map(Part::Text));
            parts.extend(self::parts(block.content)?);
        }
        "tool_reference" => {
            let name = block.tool_name.unwrap_or_else(|| Text::of("?"));
            parts.push(Part::Text(Text::from_escaped(&format!("[tool_reference: {}]", name.escaped()))));
        }
        other => parts.push(left_out(other)),
    }
    Ok(())
}

fn left_out(kind: &str) -> Part<'static> {
    Part::Text(Text::of(&format!("[{kind} left out]")))
}

fn image(source: Option<&RawValue>) -> Result<Part<'_>, Unsayable> {
    let Some(source) = source.map(read).transpose()? else { return Ok(left_out("image")) };
    let url = if source.kind == "url" { source.url } else { data_url(&source, "image/png") };
    Ok(url.map_or_else(|| left_out("image"), Part::Image))
}

fn document<'a>(block: &Block<'a>, parts: &mut Vec<Part<'a>>) -> Result<(), Unsayable> {
    let Some(source) = block.source.map(read).transpose()? else { return Ok(()) };
    match &*source.kind {
        "text" => {
            parts.extend(block.title.clone().map(Part::Text));
            parts.extend(source.data.map(Part::Text));
        }
        "content" => {
            parts.extend(block.title.clone().map(Part::Text));
            parts.extend(self::parts(source.content)?);
        }
        "base64" => {
            let name = block.title.clone().unwrap_or_else(|| Text::of("document.pdf"));
            let data = data_url(&source, "application/pdf");
            parts.extend(data.map(|data| Part::File { name, data }));
        }
        _ => {
            let url = source.url.map_or_else(|| left_out("document"), Part::Text);
            parts.push(url);
        }
    }
    Ok(())
}

fn read(source: &RawValue) -> Result<Source<'_>, Unsayable> {
    Ok(serde_json::from_str(source.get())?)
}

fn data_url(source: &Source<'_>, media_type: &'static str) -> Option<Text<'static>> {
    let data = source.data.as_ref()?.escaped();
    let media_type = source.media_type.as_ref().map_or(media_type, Text::escaped);
    Some(Text::from_escaped(&format!("data:{media_type};base64,{data}")))
}
