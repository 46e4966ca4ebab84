//! What holds for every command: usage errors, `--help`.

use crate::stage::Stage;

#[test]
fn an_unknown_command_is_a_usage_error_that_names_it() {
    let told = Stage::new().run(&["agnet"]).failed(2);
    assert!(told.contains("agnet"), "{told}");
}
