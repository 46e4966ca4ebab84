//! Agents of plugins: which plugins are enabled, where they are, and what their agents are called.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::path::{Component, Path, PathBuf};

use serde_json::{Map, Value};

use super::files::{Links, json, markdown, read};
use super::{OtherAgent, Scope};
use crate::config::agent::heading;
use crate::launch::settings::{Places, Settings};

/// Stands for the marketplace of plugins that lie among the skills.
const SKILLS: &str = "skills-dir";

const MANIFEST: &str = ".claude-plugin/plugin.json";

/// All agents of all enabled plugins; of two with one name the first counts.
pub(super) fn agents(places: &Places, settings: &Settings) -> Vec<OtherAgent> {
    let switches = switches(settings);
    let store = Store::read(places);
    let on = switches.iter().filter(|(_, on)| **on).map(|(id, _)| id);
    let installed = on.filter_map(|id| store.plugin(id, &places.project));
    let among_skills = among_skills(places).into_iter().filter(|plugin| {
        let id = format!("{}@{SKILLS}", plugin.name);
        switches.get(&id).is_none_or(|on| *on)
    });
    installed.chain(among_skills).flat_map(|plugin| plugin.agents()).collect()
}

/// `enabledPlugins`: for each `plugin@marketplace` the strongest layer that names it decides.
fn switches(settings: &Settings) -> BTreeMap<String, bool> {
    let mut switches = BTreeMap::new();
    for (id, on) in settings.values("enabledPlugins").filter_map(|(_, map)| map.as_object()).flatten() {
        switches.entry(id.clone()).or_insert(*on == Value::Bool(true));
    }
    switches
}

/// Folders with a manifest among the user's skills, and among the project's once it is trusted.
fn among_skills(places: &Places) -> Vec<Plugin> {
    let project = places.is_trusted().then(|| places.project.join(".claude"));
    let homes = std::iter::once(places.user.clone()).chain(project);
    let mut folders: Vec<PathBuf> = homes
        .filter_map(|home| fs::read_dir(home.join("skills")).ok())
        .flat_map(|entries| entries.filter_map(Result::ok).map(|entry| entry.path()))
        .filter(|folder| folder.join(MANIFEST).is_file())
        .collect();
    folders.sort();
    folders.into_iter().filter_map(|folder| Plugin::read(&folder, "", &Value::Null)).collect()
}

/// What Claude Code has written down of marketplaces, and of what was installed from them.
struct Store {
    marketplaces: Value,
    installed: Value,
}

impl Store {
    fn read(places: &Places) -> Self {
        let of = |name: &str| json(&places.user.join("plugins").join(name)).unwrap_or_default();
        Self { marketplaces: of("known_marketplaces.json"), installed: of("installed_plugins.json") }
    }

    fn plugin(&self, id: &str, project: &Path) -> Option<Plugin> {
        let (name, marketplace) = id.rsplit_once('@')?;
        let marketplace = &self.marketplaces[marketplace];
        let root = Path::new(marketplace["installLocation"].as_str()?);
        let list = json(&root.join(".claude-plugin/marketplace.json"))?;
        let entry = list["plugins"].as_array()?.iter().find(|entry| entry["name"] == name)?;
        // A marketplace that is a folder of this machine is read in its place.
        let source = entry["source"].as_str().filter(|_| marketplace["source"]["source"] == "directory");
        let folder = match source {
            Some(source) => root.join(list["metadata"]["pluginRoot"].as_str().unwrap_or(".")).join(source),
            None => self.copy(id, project)?,
        };
        Plugin::read(&folder, name, &entry["agents"])
    }

    /// The first copy that was installed for the user, or for this very project.
    fn copy(&self, id: &str, project: &Path) -> Option<PathBuf> {
        let is_for_us =
            |copy: &&Value| copy["projectPath"].as_str().is_none_or(|of| Path::new(of) == project);
        let copy = self.installed["plugins"][id].as_array()?.iter().find(is_for_us)?;
        copy["installPath"].as_str().map(PathBuf::from)
    }
}

/// A plugin's name and the files that its agents may stand in, each with what stands before its agent's name.
struct Plugin {
    name: String,
    files: Vec<(String, PathBuf)>,
}

impl Plugin {
    /// `None`: there is a manifest, and it can't be understood. What the manifest lists takes the place of the folder
    /// `agents`; what the marketplace lists comes beside it.
    fn read(folder: &Path, name: &str, listed_by_marketplace: &Value) -> Option<Self> {
        let manifest = match folder.join(MANIFEST) {
            file if file.exists() => serde_json::from_value(json(&file)?).ok()?,
            _ => Map::new(),
        };
        let name = manifest.get("name").and_then(Value::as_str).unwrap_or(name);
        let mut files = match manifest.get("agents") {
            Some(list) => listed(folder, list),
            None => below(&folder.join("agents")),
        };
        files.extend(listed(folder, listed_by_marketplace));
        let files = files.into_iter().map(|(before, file)| (format!("{name}:{before}"), file)).collect();
        Some(Self { name: name.to_owned(), files })
    }

    fn agents(&self) -> Vec<OtherAgent> {
        self.files.iter().filter_map(|(before, file)| agent(before, file)).collect()
    }
}

/// A plugin's agent needs neither a description nor a name.
fn agent(before: &str, file: &Path) -> Option<OtherAgent> {
    let heading = heading(&read(file)?)?;
    let stem = || file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    Some(OtherAgent {
        name: format!("{before}{}", heading.name.unwrap_or_else(stem)),
        model: heading.model,
        description: heading.description.unwrap_or_default(),
        tools: heading.tools,
        file: file.to_owned(),
        scope: Scope::Plugin,
    })
}

/// Before the name of what stands in `agents/a/b/x.md` comes `a:b:`.
fn below(agents: &Path) -> Vec<(String, PathBuf)> {
    let before = |file: &Path| {
        let folders = file.parent().and_then(|folder| folder.strip_prefix(agents).ok()).into_iter().flatten();
        let words = folders.map(OsStr::to_string_lossy).chain([Cow::Borrowed("")]);
        words.collect::<Vec<_>>().join(":")
    };
    markdown(agents, Links::LeftOut).into_iter().map(|file| (before(&file), file)).collect()
}

/// One path or several, of files within the plugin.
fn listed(folder: &Path, list: &Value) -> Vec<(String, PathBuf)> {
    let paths = list.as_array().map_or(std::slice::from_ref(list), Vec::as_slice);
    let within = |path: &&Path| {
        let steps = |step| matches!(step, Component::Normal(_) | Component::CurDir);
        path.components().all(steps) && path.extension().is_some_and(|extension| extension == "md")
    };
    let paths = paths.iter().filter_map(Value::as_str).map(Path::new).filter(within);
    paths.map(|path| (String::new(), folder.join(path))).collect()
}
