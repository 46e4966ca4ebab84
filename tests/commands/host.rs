//! A host in name only: a socket and an entry among the living, with answers that a test gives.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};

use serde_json::{Value, json};

use crate::stage::Stage;

/// What every session of this kind is called.
pub(crate) const SESSION: &str = "0b5f3c52-8d7e-4a61-9c57-6f1d2a3b4c5d";

/// The protocol that it speaks.
const VERSION: u16 = 1;

/// What is answered to a question.
type Answer = fn(&Value) -> Value;

/// Puts a session `shop` on the stage, which lives as long as this test's process does.
pub(crate) fn with_a_host(stage: Stage, answer: Answer) -> Stage {
    speaking(stage, VERSION, answer)
}

/// The same of another version.
pub(crate) fn speaking(stage: Stage, version: u16, answer: Answer) -> Stage {
    let folder = stage.at("home/.local/share/subagents/live");
    fs::create_dir_all(&folder).unwrap();
    let socket = stage.at("s");
    let listener = UnixListener::bind(&socket).unwrap();
    let lock = File::create(folder.join(format!("{SESSION}.lock"))).unwrap();
    lock.try_lock().unwrap();
    let live = json!({
        "session": SESSION, "name": "shop", "process": std::process::id(), "folder": "/work/shop", "started": 1,
        "socket": socket,
    });
    fs::write(folder.join(format!("{SESSION}.json")), live.to_string()).unwrap();
    std::thread::spawn(move || {
        let _lock = lock;
        for guest in listener.incoming() {
            let guest = guest.unwrap();
            std::thread::spawn(move || serve(guest, version, answer));
        }
    });
    stage
}

/// Until the guest goes.
fn serve(mut guest: UnixStream, version: u16, answer: Answer) -> Option<()> {
    guest.write_all(&[b"subagents".as_slice(), &version.to_be_bytes()].concat()).ok()?;
    guest.read_exact(&mut [0; 11]).ok()?;
    loop {
        let mut header = [0; 5];
        guest.read_exact(&mut header).ok()?;
        let length = u32::from_be_bytes([header[0], header[1], header[2], header[3]]) as usize - 1;
        let mut payload = vec![0; length];
        guest.read_exact(&mut payload).ok()?;
        let told = answer(&serde_json::from_slice(&payload).unwrap()).to_string();
        let length = u32::try_from(told.len() + 1).unwrap().to_be_bytes();
        guest.write_all(&[&length, &[0][..], told.as_bytes()].concat()).ok()?;
    }
}
