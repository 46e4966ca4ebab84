//! Everything that the demonstration stands on: a throw-away HOME, a configuration, an environment.

use std::io;
use std::path::{Path, PathBuf};

use serde_json::json;
use tempfile::TempDir;

use crate::config::write::write_private_file;
use crate::config::{
    Agent, Auth, ChatOptions, Config, Dialect, Environment, Model, Provider, Repairs, RouteId, Timeouts, Tls,
};

/// Variables of the person's that the demonstration keeps; no login and no setting is among them.
const KEPT: [&str; 14] = [
    "PATH",
    "TERM",
    "COLORTERM",
    "TERM_PROGRAM",
    "TERM_PROGRAM_VERSION",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "TMPDIR",
    "TZ",
    "NO_COLOR",
    "SHELL",
    "USER",
    "LOGNAME",
];

/// The sample agents, and the routes that they run on.
const AGENTS: [(&str, &str, &str); 2] = [
    (
        "scout",
        "local/demo-small",
        "Looks around in the project and says what is there. Use it before any change.",
    ),
    ("critic", "cloud/demo-large", "Says what is wrong with a plan or a change. Use it after each of them."),
];

/// A demonstration that is set up. Dropped, its folder is gone.
#[derive(Debug)]
pub struct Stage {
    folder: TempDir,
    base_url: String,
}

impl Stage {
    /// `base_url` is the embedded provider's.
    ///
    /// # Errors
    /// The throw-away folder can't be written.
    pub fn set(base_url: String) -> io::Result<Self> {
        let folder = TempDir::with_prefix("subagents-demo-")?;
        let stage = Self { folder, base_url };
        std::fs::create_dir_all(stage.home())?;
        std::fs::create_dir_all(stage.project())?;
        let readme = "# A project to try things in\n\nIt is removed when the demonstration ends.\n";
        std::fs::write(stage.project().join("README.md"), readme)?;
        write_private_file(&stage.home().join(".claude.json"), answered(&stage.project()).as_bytes())?;
        Ok(stage)
    }

    /// The names of the sample agents.
    pub fn agents() -> Vec<String> {
        AGENTS.iter().map(|(name, ..)| (*name).to_owned()).collect()
    }

    /// The folder that Claude Code is started in.
    pub fn project(&self) -> PathBuf {
        self.folder.path().join("project")
    }

    /// The session's own folder.
    pub fn session(&self) -> PathBuf {
        self.folder.path().join("session")
    }

    fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    /// Two providers and the main session's upstream, all of them the embedded one.
    pub fn config(&self) -> Config {
        let mut config = Config::default();
        config.main.upstream = Some(format!("{}/main", self.base_url));
        for (name, route, description) in AGENTS {
            let Ok(route) = route.parse::<RouteId>() else { continue };
            config.providers.insert(route.provider().clone(), self.provider(&route));
            config.agents.push(agent(name, route, description));
        }
        config
    }

    fn provider(&self, route: &RouteId) -> Provider {
        Provider {
            name: route.provider().clone(),
            base_url: format!("{}/{}", self.base_url, route.provider()),
            dialect: Dialect::Anthropic,
            auth: Auth::None,
            tls: Tls::System,
            timeouts: Timeouts::default(),
            preset: None,
            repairs: Repairs::default(),
            chat: ChatOptions::default(),
        }
    }

    /// What the child sees: nothing of the person's own login, settings or history.
    pub fn environment(&self, own: &Environment) -> Environment {
        let kept = KEPT.iter().filter_map(|name| Some(((*name).to_owned(), own.get(name)?.to_owned())));
        let home = self.home().to_string_lossy().into_owned();
        let set = [
            ("HOME", home.as_str()),
            ("ANTHROPIC_AUTH_TOKEN", "demo"),
            ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
            ("DISABLE_AUTOUPDATER", "1"),
        ];
        let set = set.map(|(name, value)| (name.to_owned(), value.to_owned()));
        kept.chain(set).collect()
    }
}

/// Claude Code's state with its first questions answered: theme, login, trust in the project's folder.
fn answered(project: &Path) -> String {
    let trusted = json!({"hasTrustDialogAccepted": true, "hasCompletedProjectOnboarding": true});
    json!({
        "hasCompletedOnboarding": true,
        "theme": "dark",
        "numStartups": 2,
        "projects": {project.to_string_lossy().into_owned(): trusted},
    })
    .to_string()
}

fn agent(name: &str, route: RouteId, description: &str) -> Agent {
    Agent {
        name: name.to_owned(),
        description: description.to_owned(),
        prompt: format!("You are {name}, a sub-agent of a demonstration. Answer in one sentence."),
        tools: Some(vec!["Read".to_owned()]),
        model: Model::Route(route),
        visibility: crate::config::Visibility::Model,
        read_only: false,
        fields: serde_json::Map::new(),
        unknown: serde_json::Map::new(),
        file: PathBuf::from(format!("{name}.md")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_child_sees_nothing_of_the_persons_own() {
        let stage = Stage::set("http://127.0.0.1:1".into()).unwrap();
        let own = [
            ("PATH", "/bin"),
            ("HOME", "/home/me"),
            ("ANTHROPIC_API_KEY", "canary"),
            ("HTTPS_PROXY", "http://p"),
        ];
        let seen = stage.environment(&own.into_iter().collect());
        assert_eq!(seen.get("PATH"), Some("/bin"));
        assert_eq!((seen.get("ANTHROPIC_API_KEY"), seen.get("HTTPS_PROXY")), (None, None));
        assert!(seen.get("HOME").unwrap().starts_with(&*stage.folder.path().to_string_lossy()));
    }

    #[test]
    fn every_sample_agent_can_be_bound() {
        let stage = Stage::set("http://127.0.0.1:1".into()).unwrap();
        let config = stage.config();
        let (bound, refused) = crate::launch::bind::bind(&config);
        assert_eq!((bound.len(), refused.len()), (AGENTS.len(), 0));
        assert!(bound.iter().all(|bound| bound.wire.is_some()));
    }
}
