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
    assert_eq!(folder.store().undo().unwrap().what, "write");
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
    assert!(matches!(folder.store().undo(), Err(EditError::Changed(_))));
    assert_eq!(folder.text(), "# theirs\n");
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
    assert_eq!(mode(state.join("edit.lock")), 0o600);
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
