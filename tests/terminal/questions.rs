//! A child that asks its terminal, and prints the answers that it gets.

use super::pane::{Pane, run};

/// Asks, and shows what came back.
async fn ask(question: &str) -> String {
    // The answer ends where the answer to the last question, a position, ends.
    let script =
        format!("stty raw -echo; printf '{question}\\033[6n'; dd bs=1 count=1 2>/dev/null | cat -v; cat -v");
    let mut pane = Pane::sh(&script);
    pane.expect("R").await;
    let shown = pane.screen.text().replace('\n', "");
    let answers = shown.trim().to_owned();
    answers.rsplit_once("^[[").map(|(before, _)| before.to_owned()).unwrap_or(answers)
}

#[test]
fn p7_g14_each_question_is_answered() {
    run(async {
        for (question, answer) in [
            ("\\033[c", "^[[?62;22;52c"),
            ("\\033[>c", "^[[>1;100;0c"),
            ("\\033[>0q", concat!("^[P>|subagents ", env!("CARGO_PKG_VERSION"), "^[\\")),
            ("\\033[?u", "^[[?0u"),
            ("\\033]10;?\\007", "^[]10;rgb:d8d8/d8d8/d8d8^G"),
            ("\\033]11;?\\007", "^[]11;rgb:0000/0000/0000^G"),
            ("\\033]4;2;?\\007", "^[]4;2;rgb:0000/cdcd/0000^G"),
            ("\\033[?2026$p", "^[[?2026;2$y"),
            // In the order of the questions.
            ("\\033[?u\\033]11;?\\007\\033[c", "^[[?0u^[]11;rgb:0000/0000/0000^G^[[?62;22;52c"),
        ] {
            assert_eq!(ask(question).await, answer, "{question}");
        }
    });
}
