//! The tools that the model may call, and whether it must.
//!
//! Tools that Anthropic's servers run have no schema and mean nothing elsewhere: they are left out (E10).

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::{Body, Unsayable};
use crate::dialect::text::Text;

/// As the request gives it.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Given<'a> {
    #[serde(borrow)]
    name: Text<'a>,
    description: Option<Text<'a>>,
    input_schema: Option<&'a RawValue>,
    strict: Option<bool>,
}

/// `tool_choice`
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Demand<'a> {
    #[serde(rename = "type", borrow)]
    kind: Cow<'a, str>,
    name: Option<Text<'a>>,
    disable_parallel_tool_use: Option<bool>,
}

#[derive(Debug)]
pub(in crate::dialect) struct Tool<'a> {
    pub(in crate::dialect) name: Text<'a>,
    pub(in crate::dialect) description: Option<Text<'a>>,
    pub(in crate::dialect) schema: &'a RawValue,
    pub(in crate::dialect) strict: Option<bool>,
}

#[derive(Debug)]
pub(in crate::dialect) enum Choice<'a> {
    Auto,
    None,
    Required,
    Function(Text<'a>),
}

#[derive(Debug)]
pub(in crate::dialect) struct Tools<'a> {
    pub(in crate::dialect) functions: Vec<Tool<'a>>,
    /// `None` where there is nothing to choose from.
    pub(in crate::dialect) choice: Option<Choice<'a>>,
    /// One call at a time was asked for.
    pub(in crate::dialect) single: bool,
}

impl<'a> Tools<'a> {
    pub(in crate::dialect) fn of(body: &Body<'a>) -> Result<Self, Unsayable> {
        let given = body.tools.as_deref().unwrap_or_default();
        let functions: Vec<Tool<'a>> = given.iter().filter_map(Given::function).collect();
        if functions.is_empty() {
            if !given.is_empty() {
                return Err(Unsayable::OnlyServerTools(given.iter().map(|tool| plain(&tool.name)).collect()));
            }
            return Ok(Self { functions, choice: None, single: false });
        }
        let demand = body.tool_choice.as_ref();
        let choice = demand.map(|demand| demand.choice(&functions)).transpose()?;
        let single = demand.and_then(|demand| demand.disable_parallel_tool_use) == Some(true);
        Ok(Self { functions, choice, single })
    }
}

impl<'a> Given<'a> {
    fn function(&self) -> Option<Tool<'a>> {
        Some(Tool {
            name: self.name.clone(),
            description: self.description.clone(),
            schema: self.input_schema?,
            strict: self.strict,
        })
    }
}

impl<'a> Demand<'a> {
    fn choice(&self, functions: &[Tool<'a>]) -> Result<Choice<'a>, Unsayable> {
        match (&*self.kind, &self.name) {
            ("any", _) => Ok(Choice::Required),
            ("none", _) => Ok(Choice::None),
            ("tool", Some(name)) if functions.iter().any(|tool| tool.name.escaped() == name.escaped()) => {
                Ok(Choice::Function(name.clone()))
            }
            ("tool", Some(name)) => Err(Unsayable::DemandsMissingTool(plain(name))),
            _ => Ok(Choice::Auto),
        }
    }
}

/// For a message.
fn plain(name: &Text<'_>) -> String {
    name.escaped().to_owned()
}
