//! The size of the session is that of the terminal that shows it.

use rustix::process::Signal;

use crate::ground::{ECHO, Ground};
use crate::window::{Kind, Window};

/// Prints its size at its start and whenever it changes.
const SIZES: &str =
    "trap 'stty size' WINCH; printf 'first '; stty size; echo ready; while :; do sleep 0.01 & wait $!; done";

#[test]
fn p2_the_child_has_the_size_of_the_terminal_that_starts_it_and_of_the_one_that_shows_it() {
    let ground = Ground::new(SIZES);
    let start = ground.0.command(&["run", "--detach", "--name", "shop"]);
    let mut window = Window::open(&start, (101, 31), Kind::Answers);
    assert_eq!(window.code(), 0);
    let mut window = Window::open(&ground.0.command(&["attach"]), (90, 20), Kind::Answers);
    window.expect("first 31 101");
    window.expect("\n20 90");
    window.resize(63, 17);
    window.expect("\n17 63");
}

#[test]
fn g09_a_storm_of_sizes_is_a_few_for_the_child_and_ends_with_the_last() {
    let script = "n=0; x=; trap 'n=$((n+1)); echo $n >\"$HOME/count\"; stty size >\"$HOME/size\"' WINCH; stty -echo; echo ready; while [ \"$x\" != end ]; do read -r x; done; echo \"heard $n\"; sleep 1000";
    let ground = Ground::new(script);
    ground.begin("shop");
    let mut window = Window::attached(&ground, "shop");
    window.expect("ready");
    ground.file_with("home/size", "24 80");
    let before: u32 = ground.file_with("home/count", "\n").trim().parse().unwrap();
    for columns in 81..=130 {
        window.resize(columns, 24);
        // Each is told, as a window's manager does.
        window.signal(Signal::WINCH);
    }
    ground.file_with("home/size", "24 130");
    let after: u32 = ground.file_with("home/count", "\n").trim().parse().unwrap();
    assert!(after - before <= 20, "{} signals for fifty sizes", after - before);
    window.send("end\n");
    window.expect(&format!("heard {after}"));
}

#[test]
fn the_last_who_acts_of_two_terminals_decides_the_size_and_the_other_sees_a_part() {
    let ground = Ground::new(ECHO);
    ground.begin("shop");
    let open = |size| Window::open(&ground.0.command(&["attach", "shop"]), size, Kind::Answers);
    let (mut wide, mut narrow) = (open((100, 30)), open((40, 10)));
    let size = || {
        let json: serde_json::Value =
            serde_json::from_str(&ground.0.run(&["sessions", "--json"]).ok()).unwrap();
        json["sessions"][0]["attached"].as_u64()
    };
    wide.expect("ready");
    narrow.expect("ready");
    assert_eq!(size(), Some(2));
    wide.send("x".repeat(90));
    wide.until("a line of 90", |window| window.row(1) == "x".repeat(90));
    narrow.until("a part of it", |window| window.row(1) == "x".repeat(40));
    assert_eq!(narrow.row(2), "");
    narrow.send("y");
    let has = |window: &Window, line: &str| window.text().lines().any(|row| row == line);
    let last = "x".repeat(10) + "y";
    narrow.until("all of it in lines of 40", |window| has(window, &last));
    wide.until("the same", |window| has(window, &last));
    narrow.send("\x1dd");
    assert_eq!(narrow.code(), 0);
    wide.until("all of it in one line again", |window| has(window, &("x".repeat(90) + "y")));
}
