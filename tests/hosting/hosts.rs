//! The host itself: its life, its socket, and who may do what.

use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::process::{Command, Stdio};

use rustix::process::Signal;

use crate::ground::{self, ECHO, Ground, until};
use crate::stage::Stage;
use crate::window::{Kind, Window};

#[test]
fn the_socket_is_the_users_alone() {
    let ground = Ground::new(ECHO);
    let live = ground.begin("shop");
    let socket = live.socket.clone().unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&socket), mode(socket.parent().unwrap())), (0o600, 0o700));
    assert_eq!(mode(&ground.live_folder()), 0o700);
    ground.0.run(&["stop"]).ok();
    until("the end of its host", || !socket.exists());
    assert_eq!(fs::read_dir(ground.live_folder()).unwrap().count(), 0);
}

#[test]
fn another_user_is_refused() {
    let ground = Ground::new(ECHO);
    let live = ground.begin("shop");
    let socket = live.socket.clone().unwrap();
    if !rustix::process::geteuid().is_root() {
        let _ = writeln!(std::io::stderr(), "only root can be another user, so this was not tried");
        return;
    }
    // Even where the folders would let them in.
    for folder in socket
        .ancestors()
        .skip(1)
        .take_while(|folder| *folder != Path::new("/tmp") && *folder != Path::new("/"))
    {
        fs::set_permissions(folder, fs::Permissions::from_mode(0o755)).unwrap();
    }
    fs::set_permissions(&socket, fs::Permissions::from_mode(0o666)).unwrap();
    let connect = "import socket,sys; s=socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]); s.sendall(b'subagents\\x00\\x01'); \
                   s.settimeout(30); print(len(s.recv(100)))";
    let Ok(output) = Command::new("setpriv")
        .args([
            "--reuid=65534",
            "--regid=65534",
            "--clear-groups",
            "/usr/bin/python3",
            "-c",
            connect,
            socket.to_str().unwrap(),
        ])
        .output()
    else {
        return;
    };
    let said =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(
        said.trim() == "0"
            || said.contains("reset")
            || said.contains("Broken pipe")
            || said.contains("No such file"),
        "{said}"
    );
    let mut window = Window::attached(&ground, "shop");
    window.expect("ready");
}

#[test]
fn a_host_ends_its_session_on_a_signal_and_tells_whoever_is_attached() {
    for signal in [Signal::HUP, Signal::TERM, Signal::INT] {
        let ground = Ground::new(ECHO);
        let live = ground.begin("shop");
        let mut window = Window::attached(&ground, "shop");
        window.expect("ready");
        ground::signal(&live, signal);
        assert_eq!(window.code(), 129, "{signal:?}");
        window.assert_given_back();
        ground.until_gone(&live);
        until("nothing that runs", || ground.processes().is_empty());
    }
}

#[test]
fn h01_nothing_of_a_session_is_left_after_it_was_stopped() {
    let script = "trap '' HUP; (trap '' HUP TERM; setsid sh -c 'trap \"\" HUP TERM; while :; do sleep 0.05; done' &) ; \
                  (trap '' HUP; sleep 1000) & echo ready; while :; do sleep 0.05; done";
    let ground = Ground::new(script);
    let live = ground.begin("shop");
    ground.0.run(&["logs"]).ok();
    until("all of them", || ground.processes().len() >= 4);
    let json = ground.0.run(&["stop", "shop", "--json"]).json("stop");
    let stopped = &json["stopped"][0];
    assert_eq!((&stopped["how"], &stopped["exit_code"]), (&"asked".into(), &143.into()), "{json}");
    assert_eq!(stopped["steps"], serde_json::json!(["hangup", "terminate"]), "{json}");
    assert!(!stopped["swept"].as_array().unwrap().is_empty(), "{json}");
    ground.until_gone(&live);
    until("nothing that runs", || ground.processes().is_empty());
}

#[test]
fn a_session_in_a_terminal_of_its_own_is_listed_and_stopped_but_not_attached_to() {
    let stage = Stage::new().with(
        "config/config.toml",
        "[policy]\nenabled = true\nallowed = [\"ollama/m\"]\n[providers.ollama]\npreset = \"ollama\"\n",
    );
    let ground = Ground::with(stage, "stty -echo; echo ready; while :; do sleep 0.05; done");
    let mut window = Window::open(&ground.0.command(&["run", "--name", "here"]), (80, 24), Kind::Silent);
    window.expect("ready");
    until("its entry", || ground.living().len() == 1);
    let json = ground.0.run(&["sessions", "--json"]).json("sessions");
    assert_eq!(
        (&json["sessions"][0]["name"], &json["sessions"][0]["place"]),
        (&"here".into(), &"terminal".into())
    );
    let refused = ground.0.run(&["logs", "here"]).failed(1);
    assert!(refused.contains("runs in a terminal of its own"), "{refused}");
    let mut attach = Window::open(&ground.0.command(&["attach", "here"]), (80, 24), Kind::Silent);
    assert_eq!(attach.code(), 1);
    assert!(attach.text().contains("runs in a terminal of its own"), "{}", attach.text());
    assert!(ground.0.run(&["stop", "here"]).ok().contains("here: ended (SIGTERM to its process)"));
    assert_eq!(window.code(), 143);
}

/// Attaches from within a session, on a terminal, and keeps what is said.
fn attach_from_within(name: &str) -> String {
    let attach = format!("{} attach {name}", env!("CARGO_BIN_EXE_subagents"));
    format!("script -qec '{attach}' /dev/null >\"$HOME/said\" 2>&1; echo done >>\"$HOME/said\"")
}

/// What a session's script has written into `$HOME/said`. It draws something, or it would be waited for.
fn said(ground: &Ground, script: &str) -> String {
    fs::remove_file(ground.0.at("home/said")).ok();
    fs::write(ground.0.at("bin/claude"), format!("#!/bin/sh\necho begun\n{script}\nsleep 1000\n")).unwrap();
    let agent = ground.begin("agent");
    let said = ground.file_with("home/said", "done");
    ground.0.run(&["stop", "agent"]).ok();
    ground.until_gone(&agent);
    said
}

#[test]
fn what_descends_from_a_session_may_look_and_stop_but_not_attach() {
    let ground = Ground::new(ECHO);
    ground.begin("shop");
    let refusal = "a process of a session can neither attach nor decide: use a terminal of your own";
    // To another session, and to its own.
    for target in ["shop", "agent"] {
        let heard = said(&ground, &attach_from_within(target));
        assert!(heard.contains(refusal), "{target}: {heard}");
    }
    // One that has lost its parents and its mark of the terminal is known by the other mark.
    fs::write(ground.0.at("home/attach.sh"), format!("sleep 0.2; {}", attach_from_within("shop"))).unwrap();
    let heard = said(&ground, "sh -c 'unset SUBAGENTS_TERMINAL; setsid sh \"$HOME/attach.sh\" &'");
    assert!(heard.contains(refusal), "{heard}");
    let looks = ["sessions", "logs shop", "stop shop"]
        .map(|verb| format!("{} {verb} >>\"$HOME/said\" 2>&1; ", env!("CARGO_BIN_EXE_subagents")));
    let heard = said(&ground, &(looks.concat() + "echo done >>\"$HOME/said\""));
    for part in ["shop", "ready", "shop: ended with exit code 129"] {
        assert!(heard.contains(part), "{heard}");
    }
}

#[test]
fn what_descends_from_a_session_allows_nothing() {
    let ground = Ground::new(ECHO);
    ground.begin("shop");
    let allow = format!(
        "{} inbox allow 0123456789 >\"$HOME/said\" 2>&1; echo done >>\"$HOME/said\"",
        env!("CARGO_BIN_EXE_subagents")
    );
    let heard = said(&ground, &allow);
    assert!(heard.contains("can neither attach nor decide"), "{heard}");
}

#[test]
fn another_version_says_so_and_can_be_stopped_all_the_same() {
    let ground = Ground::new(ECHO);
    let live = ground.begin("shop");
    let socket = live.socket.clone().unwrap();
    // In the host's place somebody who greets otherwise.
    fs::remove_file(&socket).unwrap();
    let listener = UnixListener::bind(&socket).unwrap();
    let greeter = std::thread::spawn(move || {
        for stream in listener.incoming().take(3) {
            greet(stream.unwrap());
        }
    });
    let mut window = Window::open(&ground.0.command(&["attach", "shop"]), (80, 24), Kind::Answers);
    assert_eq!(window.code(), 1);
    let text = window.text().replace('\n', "");
    assert!(
        text.contains("speaks another protocol (7; ours is 1)") && text.contains("subagents stop shop"),
        "{text}"
    );
    assert!(!window.tail(4000).contains("\x1b[?1049l"), "nothing was drawn");
    window.assert_modes_are_back();
    let json = ground.0.run(&["sessions", "--json"]).json("sessions");
    assert_eq!(json["sessions"][0]["state"], "silent");
    assert!(json["sessions"][0]["problem"].as_str().unwrap().contains("another protocol"), "{json}");
    let json = ground.0.run(&["stop", "shop", "--json"]).json("stop");
    assert_eq!(json["stopped"][0]["how"], "signalled");
    greeter.join().unwrap();
    assert_eq!(ground.living(), []);
}

fn greet(mut stream: UnixStream) {
    stream.write_all(b"subagents\x00\x07").unwrap();
    let mut theirs = Vec::new();
    // It goes as soon as it has read that.
    _ = stream.read_to_end(&mut theirs);
}

#[test]
fn a_host_that_hangs_costs_a_list_a_second_and_is_stopped_harder() {
    let ground = Ground::new(ECHO);
    let hung = ground.begin("hung");
    ground.begin("shop");
    ground::signal(&hung, Signal::STOP);
    let begun = std::time::Instant::now();
    let json = ground.0.run(&["sessions", "--json"]).json("sessions");
    assert!(begun.elapsed() < std::time::Duration::from_secs(3), "{:?}", begun.elapsed());
    let states: Vec<_> =
        json["sessions"].as_array().unwrap().iter().map(|one| one["state"].clone()).collect();
    assert_eq!(states[0], "silent");
    let mut window = Window::open(&ground.0.command(&["attach", "hung"]), (80, 24), Kind::Answers);
    assert_eq!(window.code(), 1);
    assert!(window.text().contains("doesn't answer"), "{}", window.text());
    window.assert_modes_are_back();
    let json = ground.0.run(&["stop", "hung", "--json"]).json("stop");
    assert_eq!(json["stopped"][0]["how"], "signalled");
    assert_eq!(ground.living().len(), 1);
}

#[test]
fn h03_twenty_hosts_at_once_are_twenty_sessions() {
    let ground = Ground::new(ECHO);
    let names: Vec<String> = (0..20).map(|number| format!("s{number}")).collect();
    let starts: Vec<_> = names
        .iter()
        .map(|name| {
            ground.0.command(&["run", "--detach", "--name", name]).stdout(Stdio::null()).spawn().unwrap()
        })
        .collect();
    for mut start in starts {
        assert!(start.wait().unwrap().success());
    }
    assert_eq!(ground.living().len(), 20);
    let json = ground.0.run(&["sessions", "--json"]).json("sessions");
    assert!(
        json["sessions"]
            .as_array()
            .unwrap()
            .iter()
            .all(|one| one["place"] == "host" && one["problem"].is_null()),
        "{json}"
    );
    let mut window = Window::attached(&ground, "s7");
    window.send("seven");
    window.expect("seven");
    assert!(!ground.0.run(&["logs", "s8"]).ok().contains("seven"));
    ground.0.run(&["stop", "--all"]).ok();
    assert_eq!(ground.living(), []);
    until("nothing that runs", || ground.processes().iter().all(|process| *process == window.child.id()));
    let owned = fs::metadata(ground.live_folder()).unwrap().uid();
    assert_eq!(owned, rustix::process::geteuid().as_raw());
}

#[test]
fn a_session_is_announced_however_busily_its_child_writes() {
    let ground = Ground::new("while :; do printf x; sleep 0.001; done");
    for round in 0..10 {
        // Its timer elapses while there is something else to do.
        let live = ground.begin(&format!("busy-{round}"));
        ground::signal(&live, Signal::KILL);
        ground.until_gone(&live);
    }
}
