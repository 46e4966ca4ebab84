//! Changes to a real folder: whole or not at all, one after the other, and back again.

use std::fs;
use std::path::PathBuf;

use super::*;
use crate::config::{Environment, Places, Severity};

struct Folder {
    root: tempfile::TempDir,
    places: Places,
}

impl Folder {
    fn new(config: &str) -> Self {
        let root = tempfile::tempdir().unwrap();
        let home = root.path().to_str().unwrap().to_owned();
        let environment = Environment::from_iter([("HOME", home.as_str())]);
        let places = Places::resolve(&environment, Some(&root.path().join("config"))).unwrap();
        fs::create_dir_all(places.agents_dir()).unwrap();
        let folder = Self { root, places };
        fs::write(folder.config_file(), config).unwrap();
        folder
    }

    fn config_file(&self) -> PathBuf {
        self.places.config_file()
    }

    fn text(&self) -> String {
        fs::read_to_string(self.config_file()).unwrap()
    }

    fn store(&self) -> Store {
        Store::new(&self.places)
    }

    fn write(&self, text: &str) -> Result<Vec<Change>, EditError> {
        let store = self.store();
        let mut transaction = store.begin()?;
        transaction.put(&self.config_file(), Some(text.to_owned()))?;
        transaction.commit("write")
    }
}

const ONE: &str = "[providers.p]\npreset = \"ollama\"\n";
const TWO: &str = "[providers.p]\npreset = \"vllm\"\n";

#[test]
fn a_change_is_written_and_taken_back_and_done_again() {
    let folder = Folder::new(ONE);
    assert_eq!(folder.write(TWO).unwrap().len(), 1);
    assert!(folder.write(TWO).unwrap().is_empty(), "nothing changes, so nothing is kept");
    let undone = folder.store().undo().unwrap();
    assert_eq!((undone.what.as_str(), undone.changes.len()), ("write", 1));
    assert_eq!(folder.text(), ONE);
    assert!(matches!(folder.store().undo(), Err(EditError::NothingToUndo)));
    folder.store().redo().unwrap();
    assert_eq!(folder.text(), TWO);
    assert!(matches!(folder.store().redo(), Err(EditError::NothingToRedo)));
}

#[test]
fn ten_changes_are_kept_and_undone_in_their_order() {
    let folder = Folder::new("");
    for number in 0..13 {
        folder.write(&format!("# {number}\n")).unwrap();
    }
    assert_eq!(folder.store().versions().unwrap().len(), 10);
    for number in (2..12).rev() {
        folder.store().undo().unwrap();
        assert_eq!(folder.text(), format!("# {number}\n"));
    }
    assert!(matches!(folder.store().undo(), Err(EditError::NothingToUndo)));
    folder.write("# new\n").unwrap();
    assert!(matches!(folder.store().redo(), Err(EditError::NothingToRedo)), "a new change ends the old line");
}

#[test]
fn several_files_change_together_and_an_undo_takes_all_back() {
    let folder = Folder::new(ONE);
    let (old, new) = (folder.places.agents_dir().join("a.md"), folder.places.agents_dir().join("b.md"));
    let agent = "---\nname: a\ndescription: d\nmodel: p/m\n---\nDo.\n";
    fs::write(&old, agent).unwrap();
    let store = folder.store();
    let mut transaction = store.begin().unwrap();
    transaction.put(&new, Some(agent.replace("name: a", "name: b"))).unwrap();
    transaction.put(&old, None).unwrap();
    transaction.commit("rename").unwrap();
    assert!(new.exists() && !old.exists());
    store.undo().unwrap();
    assert_eq!(fs::read_to_string(&old).unwrap(), agent);
    assert!(!new.exists());
}

#[test]
fn a_change_that_breaks_something_is_refused_and_says_what() {
    let folder = Folder::new(ONE);
    let agent = "---\nname: a\ndescription: d\nmodel: p/m\n---\nDo.\n";
    fs::write(folder.places.agents_dir().join("a.md"), agent).unwrap();
    let Err(EditError::Breaks(problems)) = folder.write("") else { panic!("written") };
    let [problem] = problems.as_slice() else { panic!("{problems:?}") };
    assert!(problem.severity == Severity::Error && problem.file.ends_with("agents/a.md"));
    assert_eq!(folder.text(), ONE);
    assert!(folder.store().versions().unwrap().is_empty());
}

#[test]
fn what_was_wrong_before_does_not_stand_in_the_way() {
    let folder = Folder::new("[providers.q]\npreset = \"nonesuch\"\n");
    folder.write(&format!("# above\n{ONE}[providers.q]\npreset = \"nonesuch\"\n")).unwrap();
}

#[test]
fn i05_a_file_that_changed_since_it_was_read_is_not_written_over() {
    let folder = Folder::new(ONE);
    let store = folder.store();
    let mut transaction = store.begin().unwrap();
    transaction.put(&folder.config_file(), Some(TWO.to_owned())).unwrap();
    fs::write(folder.config_file(), "# theirs\n").unwrap();
    assert!(matches!(transaction.commit("write"), Err(EditError::Changed(_))));
    assert_eq!(folder.text(), "# theirs\n");

    let mut transaction = store.begin().unwrap();
    transaction.began_with(&folder.config_file(), Some(ONE.to_owned()));
    transaction.put(&folder.config_file(), Some(TWO.to_owned())).unwrap();
    assert!(matches!(transaction.commit("edit"), Err(EditError::Changed(_))));
}

#[test]
fn an_undo_does_not_write_over_what_somebody_changed_since() {
    let folder = Folder::new(ONE);
    folder.write(TWO).unwrap();
    fs::write(folder.config_file(), "# theirs\n").unwrap();
    let told = folder.store().undo().unwrap_err();
    assert!(matches!(&told, EditError::ChangedByHand { what, .. } if what == "write"), "{told}");
    assert_eq!(folder.text(), "# theirs\n");
    folder.store().undo_anyway().unwrap();
    assert_eq!(folder.text(), ONE);
    folder.store().undo().unwrap();
    assert_eq!(folder.text(), "# theirs\n", "nothing is lost by force either");
}

#[test]
fn an_undo_of_what_is_back_already_says_so_and_touches_nothing_older() {
    let folder = Folder::new("");
    folder.write(ONE).unwrap();
    folder.write(TWO).unwrap();
    fs::write(folder.config_file(), ONE).unwrap();
    assert_eq!(folder.store().undo().unwrap().changes, []);
    assert_eq!(folder.text(), ONE);
}

#[test]
fn what_a_killed_writer_left_is_no_change_and_goes() {
    let folder = Folder::new(ONE);
    folder.write(TWO).unwrap();
    let history = folder.places.state_dir.join("history");
    let made = fs::read_to_string(history.join("00000001.json")).unwrap();
    // One was killed before its file had a name, one before its change was made.
    fs::write(history.join(".tmpABC"), &made).unwrap();
    let begun = made.replace("\"made\"", "\"begun\"").replace("\"number\":1", "\"number\":2");
    fs::write(history.join("00000002.json"), begun.replace("vllm", "x").replace("ollama", "vllm")).unwrap();
    folder.store().undo().unwrap();
    assert_eq!(folder.text(), ONE);
    folder.write(TWO).unwrap();
    assert!(!history.join(".tmpABC").exists());
}

#[test]
#[cfg(target_os = "linux")]
fn a_change_that_fails_costs_neither_an_undo_nor_a_redo() {
    let folder = Folder::new("");
    folder.write(ONE).unwrap();
    folder.store().undo().unwrap();
    let store = folder.store();
    let mut transaction = store.begin().unwrap();
    transaction.put(std::path::Path::new("/proc/no-such-file"), Some("x".to_owned())).unwrap();
    assert!(transaction.commit_anyway("fail").is_err());
    store.redo().unwrap();
    assert_eq!(folder.text(), ONE);
}

#[test]
fn i05_two_at_once_lose_nothing() {
    let folder = Folder::new("");
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let folder = &folder;
            scope.spawn(move || {
                for number in 0..10 {
                    let store = folder.store();
                    let mut transaction = store.begin().unwrap();
                    let text = transaction.read(&folder.config_file()).unwrap().unwrap();
                    let mut document = Document::parse(&text).unwrap();
                    let name = format!("w{writer}-{number}");
                    document.set(&["providers", &name, "preset"], "ollama").unwrap();
                    transaction.put(&folder.config_file(), Some(document.to_string())).unwrap();
                    transaction.commit("add").unwrap();
                }
            });
        }
    });
    assert_eq!(folder.text().matches("preset").count(), 40);
}

#[test]
fn i05_what_is_kept_is_private() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new(ONE);
    folder.write(TWO).unwrap();
    let mode = |path: PathBuf| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let state = &folder.places.state_dir;
    assert_eq!((mode(state.join("history")), mode(state.join("history/00000001.json"))), (0o700, 0o600));
    assert_eq!(mode(folder.places.config_dir.join(".lock")), 0o600);
}

#[test]
fn what_cannot_be_written_leaves_everything_as_it_was() {
    let folder = Folder::new(ONE);
    let blocked = folder.root.path().join("file/agents/x.md");
    fs::write(folder.root.path().join("file"), "").unwrap();
    let store = folder.store();
    let mut transaction = store.begin().unwrap();
    transaction.put(&folder.config_file(), Some(TWO.to_owned())).unwrap();
    let failed = transaction.put(&blocked, Some("x".to_owned())).and_then(|()| transaction.commit("both"));
    assert!(failed.is_err());
    assert_eq!(folder.text(), ONE);
}

#[test]
fn i05_a_symlink_and_a_mode_outlive_a_rename_a_removal_and_their_undo() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new("");
    let agents = folder.places.agents_dir();
    let (link, real, new) = (agents.join("a.md"), folder.root.path().join("real.md"), agents.join("b.md"));
    let text = "---\nname: a\ndescription: d\n---\nDo.\n";
    fs::write(&real, text).unwrap();
    fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
    std::os::unix::fs::symlink("../../real.md", &link).unwrap();
    let is_whole = |link: &std::path::Path| {
        fs::read_link(link).unwrap().ends_with("real.md")
            && fs::metadata(link).unwrap().permissions().mode() & 0o777 == 0o640
    };
    let store = folder.store();
    let mut transaction = store.begin().unwrap();
    transaction.rename(&link, &new, text.replace("name: a", "name: b")).unwrap();
    transaction.commit("rename").unwrap();
    assert!(is_whole(&new) && !link.exists());
    store.undo().unwrap();
    assert!(is_whole(&link) && !new.exists());
    assert_eq!(fs::read_to_string(&link).unwrap(), text);
    let mut transaction = store.begin().unwrap();
    transaction.put(&link, None).unwrap();
    transaction.commit("rm").unwrap();
    assert!(real.exists(), "only the link goes");
    store.undo().unwrap();
    assert!(is_whole(&link));
    // A plain file keeps its mode too.
    fs::remove_file(&link).unwrap();
    fs::write(&link, text).unwrap();
    fs::set_permissions(&link, fs::Permissions::from_mode(0o644)).unwrap();
    let mut transaction = store.begin().unwrap();
    transaction.put(&link, None).unwrap();
    transaction.commit("rm").unwrap();
    store.undo().unwrap();
    assert_eq!(fs::metadata(&link).unwrap().permissions().mode() & 0o777, 0o644);
}

#[test]
fn a_pipe_is_no_file_and_is_not_waited_for() {
    let folder = Folder::new("");
    fs::remove_file(folder.config_file()).unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, folder.config_file(), 0o600.into()).unwrap();
    assert!(matches!(folder.write(ONE), Err(EditError::NoFile(_))));
    let (_, problems) = crate::config::load(&folder.places.config_dir);
    assert!(problems[0].message.contains("no file"), "{problems:?}");
}
