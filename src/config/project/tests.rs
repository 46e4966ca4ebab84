//! A project's file from its first sight to its use, on a real disk.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};

use super::*;
use crate::config::{Config, Environment, Places};

struct Ground {
    root: tempfile::TempDir,
    trust: Trust,
}

impl Ground {
    /// A project `p` with this profile, and a folder `p/src/deep`.
    fn new(text: &str) -> Self {
        let root = tempfile::tempdir().unwrap();
        let home = root.path().join("home");
        let environment = Environment::from_iter([("HOME", home.to_str().unwrap())]);
        let trust = Trust::new(&Places::resolve(&environment, None).unwrap());
        let ground = Self { root, trust };
        fs::create_dir_all(ground.at("p/src/deep")).unwrap();
        fs::create_dir(ground.at("p/.subagents")).unwrap();
        ground.write(text);
        ground
    }

    fn at(&self, path: &str) -> PathBuf {
        self.root.path().join(path)
    }

    fn file(&self) -> PathBuf {
        self.at("p/.subagents/profile.toml")
    }

    fn write(&self, text: &str) {
        fs::write(self.file(), text).unwrap();
        fs::set_permissions(self.file(), Permissions::from_mode(0o644)).unwrap();
    }

    fn standing(&self) -> Standing {
        Project::above(&self.at("p/src/deep"), &self.trust).unwrap().standing
    }

    fn grant(&self) {
        self.trust.grant(&ProjectFile::read(&self.file()).unwrap()).unwrap();
    }
}

const TEXT: &str = "agents = [\"reviewer\"]\nargs = [\"--model\", \"opus\"]\n";

#[test]
fn a_file_counts_once_it_is_trusted_and_until_it_changes() {
    let ground = Ground::new(TEXT);
    assert_eq!(ground.standing(), Standing::Unknown);
    ground.grant();
    let Standing::Trusted(profile) = ground.standing() else { panic!("{:?}", ground.standing()) };
    assert_eq!((profile.agents.concat(), profile.args.len()), ("reviewer".to_owned(), 2));
    ground.write("agents = [\"reviewer\"]\nargs = [\"--model\", \"haiku\"]\n");
    assert_eq!(ground.standing(), Standing::Changed);
    ground.write(TEXT);
    assert!(matches!(ground.standing(), Standing::Trusted(_)), "it says again what was trusted");
    assert!(ground.trust.revoke(&ground.file()).unwrap());
    assert_eq!(ground.standing(), Standing::Unknown);
    assert!(!ground.trust.revoke(&ground.file()).unwrap());
}

#[test]
fn trust_is_of_a_place_too() {
    let ground = Ground::new(TEXT);
    ground.grant();
    fs::create_dir_all(ground.at("q/.subagents")).unwrap();
    fs::copy(ground.file(), ground.at("q/.subagents/profile.toml")).unwrap();
    assert_eq!(Project::above(&ground.at("q"), &ground.trust).unwrap().standing, Standing::Unknown);
}

#[test]
fn the_nearest_file_counts_alone() {
    let ground = Ground::new(TEXT);
    ground.grant();
    fs::create_dir(ground.at("p/src/.subagents")).unwrap();
    fs::write(ground.at("p/src/.subagents/profile.toml"), "").unwrap();
    let project = Project::above(&ground.at("p/src/deep"), &ground.trust).unwrap();
    assert!(project.file.ends_with("src/.subagents/profile.toml"));
    assert_eq!(project.standing, Standing::Unknown);
    assert!(find(&ground.at("nowhere")).is_none_or(|file| !file.starts_with(ground.root.path())));
}

#[test]
fn records_are_private_and_a_broken_one_is_none() {
    let ground = Ground::new(TEXT);
    ground.grant();
    let folder = ground.at("home/.local/share/subagents/trust");
    let record = fs::read_dir(&folder).unwrap().next().unwrap().unwrap().path();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&folder), mode(&record)), (0o700, 0o600));
    fs::write(record, "{").unwrap();
    assert_eq!(ground.standing(), Standing::Unknown);
}

#[test]
fn a_project_may_name_agents_and_arguments_and_nothing_else() {
    for (text, part) in [
        ("folder = \"/\"\n", "has no key `folder`"),
        ("agents = [\"*\"]\n[claude]\npath = \"/tmp/x\"\n", "has no key `claude`"),
        ("[providers.p]\nbase_url = \"http://x\"\n", "has no key `providers`"),
        ("agents = \"*\"\n", "it is a list of strings"),
        ("args = [\"--x\", 1]\n", "no string"),
        ("args = [", "no TOML"),
    ] {
        let ground = Ground::new(text);
        let Standing::Wrong(problems) = ground.standing() else { panic!("{text}") };
        let (reason, remedy) = ground.standing().reason().unwrap();
        assert!(format!("{reason} {remedy}").contains(part), "{text}: {problems:?}");
        assert_eq!(problems[0].file, ground.file());
    }
    assert_eq!(Ground::new("").standing(), Standing::Unknown, "an empty file is the default profile");
}

#[test]
fn what_others_could_exchange_is_never_used_however_trusted() {
    let writable = Ground::new(TEXT);
    writable.grant();
    fs::set_permissions(writable.file(), Permissions::from_mode(0o666)).unwrap();
    assert_eq!(writable.standing(), Standing::Unfit(Unfit::Writable(writable.file(), 0o666)));

    let open_folder = Ground::new(TEXT);
    open_folder.grant();
    fs::set_permissions(open_folder.at("p/.subagents"), Permissions::from_mode(0o777)).unwrap();
    assert!(matches!(open_folder.standing(), Standing::Unfit(Unfit::Writable(..))));

    let linked = Ground::new(TEXT);
    linked.grant();
    fs::rename(linked.file(), linked.at("real.toml")).unwrap();
    symlink(linked.at("real.toml"), linked.file()).unwrap();
    assert_eq!(linked.standing(), Standing::Unfit(Unfit::Link(linked.file())));

    let linked_folder = Ground::new(TEXT);
    linked_folder.grant();
    fs::rename(linked_folder.at("p/.subagents"), linked_folder.at("real")).unwrap();
    symlink(linked_folder.at("real"), linked_folder.at("p/.subagents")).unwrap();
    assert_eq!(linked_folder.standing(), Standing::Unfit(Unfit::Link(linked_folder.at("p/.subagents"))));

    let dangling = Ground::new(TEXT);
    fs::remove_file(dangling.file()).unwrap();
    symlink("nowhere", dangling.file()).unwrap();
    assert_eq!(dangling.standing(), Standing::Unfit(Unfit::Link(dangling.file())));
}

#[test]
fn what_is_no_short_text_is_unfit_and_nothing_waits_for_it() {
    let folder = Ground::new("");
    fs::remove_file(folder.file()).unwrap();
    fs::create_dir(folder.file()).unwrap();
    assert_eq!(folder.standing(), Standing::Unfit(Unfit::NoFile(folder.file())));

    let large = Ground::new(&"#".repeat(64 * 1024 + 1));
    assert_eq!(large.standing(), Standing::Unfit(Unfit::Large(large.file())));

    let binary = Ground::new("");
    fs::write(binary.file(), b"\xff").unwrap();
    assert!(matches!(binary.standing(), Standing::Unfit(Unfit::Unreadable(..))));
}

#[test]
#[cfg(target_os = "linux")]
fn a_pipe_is_unfit_and_nobody_is_waited_for() {
    let pipe = Ground::new("");
    fs::remove_file(pipe.file()).unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, pipe.file(), 0o600.into()).unwrap();
    assert_eq!(pipe.standing(), Standing::Unfit(Unfit::NoFile(pipe.file())));
}

#[test]
fn the_named_profile_comes_first_then_the_trusted_project_then_the_default() {
    let ground = Ground::new(TEXT);
    let own = Profile { args: vec!["--own".to_owned()], ..Profile::default() };
    let named = Profile { args: vec!["--named".to_owned()], ..Profile::default() };
    let profiles = [("default".to_owned(), own.clone()), ("fast".to_owned(), named.clone())];
    let config = Config { profiles: profiles.into(), ..Config::default() };
    let project = || Project::above(&ground.at("p"), &ground.trust);

    let untrusted = choose(None, &config, project()).unwrap();
    assert_eq!((untrusted.profile, untrusted.source), (own.clone(), Source::Default));
    let problem = untrusted.problem.unwrap();
    assert!(problem.message.contains("isn't trusted") && problem.remedy.contains("subagents trust"));

    ground.grant();
    let trusted = choose(None, &config, project()).unwrap();
    assert_eq!((trusted.source, trusted.problem), (Source::Project(ground.file()), None));
    assert_eq!(trusted.profile.args, ["--model", "opus"], "whole, not mixed with the default");

    let chosen = choose(Some("fast"), &config, project()).unwrap();
    assert_eq!((chosen.profile, chosen.source), (named, Source::Named("fast".to_owned())));
    assert_eq!(choose(Some("default"), &config, project()).unwrap().profile, own);
    assert_eq!(choose(Some("default"), &Config::default(), None).unwrap().profile, Profile::default());
    let error = choose(Some("fas"), &config, project()).unwrap_err().to_string();
    assert!(error.contains("did you mean `fast`"), "{error}");
}
