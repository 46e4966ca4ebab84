//! A person's machine, thrown away at the end: a HOME whose first questions are answered, a project, a configuration.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tempfile::TempDir;

use super::claude_code;
use super::launch::Launch;
use super::upstream::Upstream;

/// The user's own credential for the main session.
pub(crate) const USER_TOKEN: &str = "canary-of-the-user-0123456789";
/// The key of the provider `glm`.
pub(crate) const GLM_KEY: &str = "key-of-glm-0123456789";
/// The device's id in Claude Code's state, which it sends in `metadata.user_id`.
pub(crate) const DEVICE: &str = "cafe00000000000000000000000000000000000000000000000000000000cafe";

pub(crate) struct Stage {
    folder: TempDir,
    claude: PathBuf,
}

impl Stage {
    /// With the real Claude Code.
    pub(crate) fn new() -> Self {
        Self::of(|_| claude_code::real().to_owned())
    }

    /// With a shell script in Claude Code's place.
    pub(crate) fn with_script(body: &str) -> Self {
        Self::of(|folder| claude_code::script(folder, body))
    }

    fn of(claude: impl FnOnce(&Path) -> PathBuf) -> Self {
        let folder = TempDir::with_prefix("subagents-test-").unwrap();
        let claude = claude(folder.path());
        let stage = Self { folder, claude };
        for folder in [stage.home().join(".claude"), stage.project(), stage.config_dir().join("agents")] {
            fs::create_dir_all(folder).unwrap();
        }
        fs::write(stage.home().join(".claude.json"), answered(&stage.project()).to_string()).unwrap();
        stage
    }

    /// As if Claude Code had been started in the folder and the person had trusted it.
    pub(crate) fn trust(&self, folder: &Path) {
        let file = self.home().join(".claude.json");
        let mut state: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
        state["projects"][folder.to_str().unwrap()] = json!({"hasTrustDialogAccepted": true});
        fs::write(file, state.to_string()).unwrap();
    }

    /// Claude Code's executable.
    pub(crate) fn claude(&self) -> &Path {
        &self.claude
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.folder.path().join("project")
    }

    pub(crate) fn config_dir(&self) -> PathBuf {
        self.folder.path().join("config")
    }

    /// Where the sessions' own folders are made.
    pub(crate) fn sessions(&self) -> PathBuf {
        self.home().join(".local/share/subagents/run")
    }

    /// `config.toml`, which always says where Claude Code is.
    pub(crate) fn config(&self, text: &str) -> &Self {
        let claude = format!("[claude]\npath = \"{}\"\n", self.claude.display());
        fs::write(self.config_dir().join("config.toml"), claude + text).unwrap();
        self
    }

    /// Adds to `config.toml`.
    pub(crate) fn config_more(&self, text: &str) -> &Self {
        let file = self.config_dir().join("config.toml");
        let before = fs::read_to_string(&file).unwrap();
        fs::write(file, before + text).unwrap();
        self
    }

    /// A provider `glm` with a key, and one `local` without.
    pub(crate) fn providers(&self, glm: &str, local: &str) -> &Self {
        self.config(&format!(
            "[providers.glm]\nbase_url = \"{glm}/anthropic\"\nauth = {{ kind = \"bearer\", secret = \"env:GLM_KEY\" }}\n\
             [providers.local]\nbase_url = \"{local}\"\n"
        ))
    }

    /// An agent file, with all tools.
    pub(crate) fn agent(&self, name: &str, model: &str) -> &Self {
        self.agent_saying(name, model, &format!("You are {name}."))
    }

    pub(crate) fn agent_saying(&self, name: &str, model: &str, prompt: &str) -> &Self {
        let text = format!("---\nname: {name}\ndescription: Does {name}.\nmodel: {model}\n---\n{prompt}\n");
        fs::write(self.config_dir().join(format!("agents/{name}.md")), text).unwrap();
        self
    }

    /// An agent file with more lines in its front matter.
    pub(crate) fn agent_with(&self, name: &str, model: &str, lines: &str) -> &Self {
        let text = format!(
            "---\nname: {name}\ndescription: Does {name}.\nmodel: {model}\n{lines}\n---\nYou are {name}.\n"
        );
        fs::write(self.config_dir().join(format!("agents/{name}.md")), text).unwrap();
        self
    }

    /// The user's own `settings.json`.
    pub(crate) fn settings(&self, settings: &Value) -> &Self {
        fs::write(self.home().join(".claude/settings.json"), settings.to_string()).unwrap();
        self
    }

    /// `subagents ARGS…` in the project, by a user whose main session goes to `main`.
    pub(crate) fn subagents(&self, main: &Upstream, args: &[&str]) -> Launch {
        let launch = self.bare(args);
        launch
            .env("ANTHROPIC_BASE_URL", &main.url())
            .env("ANTHROPIC_AUTH_TOKEN", USER_TOKEN)
            .env("GLM_KEY", GLM_KEY)
    }

    /// The same by a user who has set nothing.
    pub(crate) fn bare(&self, args: &[&str]) -> Launch {
        let launch = Launch::new(args, self.project(), self.folder.path().join("stats.json"));
        let launch = launch.env("HOME", self.home().to_str().unwrap());
        launch.env("SUBAGENTS_CONFIG_DIR", self.config_dir().to_str().unwrap())
    }
}

/// Claude Code's state with its first questions answered: theme, login, trust in the project's folder.
fn answered(project: &Path) -> Value {
    let trusted = json!({"hasTrustDialogAccepted": true, "hasCompletedProjectOnboarding": true});
    let projects = json!({project.to_str().unwrap(): trusted});
    json!({"hasCompletedOnboarding": true, "theme": "dark", "numStartups": 2, "userID": DEVICE, "projects": projects})
}
