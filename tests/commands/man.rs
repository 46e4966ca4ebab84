//! The man page: every command is in it.

use std::fs;

use crate::examples::commands;
use crate::stage::Stage;

#[test]
fn one_page_holds_every_command_and_its_examples() {
    let stage = Stage::new();
    let page = stage.run(&["man"]).ok();
    assert!(page.contains(".TH "), "{page}");
    for command in commands(&stage).iter().filter(|command| command.is_leaf()) {
        let name = command.words().join(" ").to_uppercase();
        assert!(page.contains(&format!(".SH \"{name}\"\n")), "{name}");
        for example in command.examples() {
            let roff = example.replace('\\', "\\\\").replace('-', "\\-").replace('\'', "\\*(Aq");
            assert!(page.contains(&roff) || page.contains(&example), "{example}");
        }
    }
    assert_eq!(page.matches("\n.TH ").count() + usize::from(page.starts_with(".TH ")), 1);
}

#[test]
fn a_folder_gets_a_page_for_each_command() {
    let stage = Stage::new();
    stage.run(&["man", "--dir", "pages"]).ok();
    for command in commands(&stage) {
        let file = stage.at("project/pages").join(format!("{}.1", command.words().join("-")));
        assert!(fs::metadata(&file).is_ok_and(|page| page.len() > 100), "{}", file.display());
    }
}
