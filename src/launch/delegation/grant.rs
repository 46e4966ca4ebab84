//! How much a caller may hand on: never more than it has itself. Pure.

use super::limits::Limits;
use super::refusal::Refusal;

/// Claude Code's permission modes, the strictest first.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, serde::Deserialize, serde::Serialize,
)]
#[serde(rename_all = "camelCase")]
pub enum PermissionMode {
    /// Nothing is changed.
    Plan,
    /// What isn't allowed beforehand is denied.
    DontAsk,
    /// The person is asked.
    #[default]
    Default,
    AcceptEdits,
    /// Claude Code judges for itself.
    Auto,
    BypassPermissions,
}

impl PermissionMode {
    /// As a hook says it; a mode that isn't known is the usual one.
    pub fn of_hook(mode: &str) -> Self {
        match mode {
            "plan" => Self::Plan,
            "dontAsk" => Self::DontAsk,
            "acceptEdits" => Self::AcceptEdits,
            "auto" => Self::Auto,
            "bypassPermissions" => Self::BypassPermissions,
            _ => Self::Default,
        }
    }

    /// For a child, which nobody sits before: auto mode's check is answered by Anthropic's own servers only.
    pub fn of_child(self) -> &'static str {
        match self {
            Self::Plan => "plan",
            Self::DontAsk | Self::Default | Self::Auto => "dontAsk",
            Self::AcceptEdits => "acceptEdits",
            Self::BypassPermissions => "bypassPermissions",
        }
    }
}

/// What a caller may hand on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grant {
    /// 0 for the main agent.
    pub depth: u32,
    /// It may start what writes.
    pub writes: bool,
    /// `None`: all.
    pub tools: Option<Vec<String>>,
    pub permission: PermissionMode,
    /// `None`: nothing but the settings limits it.
    pub limits: Option<Limits>,
}

impl Grant {
    /// Of a session's main agent, and of a person.
    pub fn main(permission: PermissionMode) -> Self {
        Self { depth: 0, writes: true, tools: None, permission, limits: None }
    }

    /// What a child of this caller has.
    ///
    /// # Errors
    /// The caller is too deep, or it may not write itself.
    pub fn child(
        &self,
        writes: bool,
        tools: Option<Vec<String>>,
        limits: Limits,
        max_depth: u32,
    ) -> Result<Self, Refusal> {
        if self.depth >= max_depth {
            return Err(Refusal::Depth { depth: self.depth, limit: max_depth });
        }
        if writes && !self.writes {
            return Err(Refusal::Permission(
                "you were asked to change nothing, so what you hand on may change nothing either: leave `read_only` out"
                    .to_owned(),
            ));
        }
        if writes && self.permission == PermissionMode::Plan {
            return Err(Refusal::Permission(
                "in plan mode nothing is changed: leave `read_only` out".to_owned(),
            ));
        }
        let depth = self.depth + 1;
        Ok(Self { depth, writes, tools, permission: self.permission, limits: Some(limits) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Limits = Limits { turns: 15, seconds: None, tokens: None };

    #[test]
    fn d4_depth_is_counted_from_the_main_agent() {
        let main = Grant::main(PermissionMode::Default);
        let child = main.child(false, None, LIMITS, 2).unwrap();
        let grandchild = child.child(false, None, LIMITS, 2).unwrap();
        assert_eq!((child.depth, grandchild.depth), (1, 2));
        assert_eq!(grandchild.child(false, None, LIMITS, 2), Err(Refusal::Depth { depth: 2, limit: 2 }));
    }

    #[test]
    fn a_child_that_only_reads_hands_on_no_writing() {
        let reading = Grant::main(PermissionMode::AcceptEdits).child(false, None, LIMITS, 5).unwrap();
        assert!(matches!(reading.child(true, None, LIMITS, 5), Err(Refusal::Permission(_))));
        assert!(Grant::main(PermissionMode::Plan).child(true, None, LIMITS, 5).is_err());
        assert!(Grant::main(PermissionMode::Plan).child(false, None, LIMITS, 5).is_ok());
    }

    #[test]
    fn a_childs_mode_is_never_looser() {
        for mode in
            ["plan", "dontAsk", "default", "acceptEdits", "auto", "bypassPermissions", "something-new"]
        {
            let caller = PermissionMode::of_hook(mode);
            assert!(PermissionMode::of_hook(caller.of_child()) <= caller, "{mode}");
        }
    }
}
