//! Colours are for terminals, and `NO_COLOR` is heeded.

use crate::stage::Stage;
use crate::terminal::on_a_terminal;

#[test]
fn what_is_coloured_is_so_on_a_terminal_only_and_never_against_no_color() {
    for arguments in [&["doctor"][..], &["profile", "list"], &["info"]] {
        let plain = Stage::new();
        assert!(on_a_terminal(&plain, arguments, "").contains("\u{1b}["), "{arguments:?}");
        assert!(!plain.run(arguments).stdout.contains('\u{1b}'), "{arguments:?}: no terminal");
        let asked = Stage::new().with_variable("NO_COLOR", "1");
        assert!(!on_a_terminal(&asked, arguments, "").contains('\u{1b}'), "{arguments:?}: NO_COLOR");
        let empty = Stage::new().with_variable("NO_COLOR", "");
        assert!(on_a_terminal(&empty, arguments, "").contains("\u{1b}["), "an empty variable is none");
    }
    let json = on_a_terminal(&Stage::new(), &["profile", "list", "--json"], "");
    assert!(!json.contains('\u{1b}'), "data has no colour");
}
