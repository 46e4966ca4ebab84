//! What it costs to make a request fit its provider, and an answer fit Claude Code, beside what every routed request has
//! anyway: `cargo bench --bench dialect`. Pure functions in this process; read the ratios.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a table on stdout is all that this program is for"
)]

use std::collections::VecDeque;
use std::error::Error;
use std::hint::black_box;
use std::time::Instant;

use bytes::Bytes;
use serde_json::{Value, json};
use subagents::config;
use subagents::config::ChatOptions;
use subagents::dialect::repair::Plan;
use subagents::dialect::{Rewrite, chat, responses};
use subagents::router::peek::{Scanner, Seen, Splicer};
use subagents::router::tap::Tap;

type Fallible<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// Each is measured so often, all in turn, and the middle one counts.
const ROUNDS: usize = 21;

/// Turns of a recorded conversation, repeated until the body is about 2 MB.
const TURN: &str = include_str!("../../src/dialect/repair/testdata/turn-10.json");
const BODY: usize = 2_000_000;

const EVENTS: usize = 2000;
/// Bytes that come at once from a socket.
const PIECE: usize = 4096;

struct Measured {
    name: &'static str,
    work: Box<dyn FnMut()>,
}

#[expect(clippy::cast_precision_loss, reason = "sizes of a few MB")]
fn main() -> Fallible<()> {
    if !std::env::args().any(|argument| argument == "--bench") {
        // `cargo test --all-targets` starts benchmarks too, and figures of an unoptimised build mean nothing.
        eprintln!("measures only under `cargo bench`");
        return Ok(());
    }
    let body = body()?;
    println!("a request of {} KB: ms per MB, and beside the model's name alone", body.len() / 1000);
    table(&mut requests(&body)?, body.len() as f64 / 1e6 * 1e3);
    println!("\na stream of {EVENTS} events: µs per event, and beside counting alone");
    table(&mut streams(), EVENTS as f64);
    Ok(())
}

/// The first row is what the others are compared with. `units`: by what microseconds are divided.
fn table(all: &mut [Measured], units: f64) {
    let mut times = vec![Vec::new(); all.len()];
    for _ in 0..ROUNDS {
        for (at, measured) in all.iter_mut().enumerate() {
            let begun = Instant::now();
            (measured.work)();
            times[at].push(begun.elapsed().as_secs_f64() * 1e6 / units);
        }
    }
    let middle = |times: &mut Vec<f64>| {
        times.sort_by(f64::total_cmp);
        times[times.len() / 2]
    };
    let times: Vec<f64> = times.iter_mut().map(middle).collect();
    for (measured, time) in all.iter().zip(&times) {
        println!("  {:<44} {time:>8.3} {:>7.2}x", measured.name, time / times[0]);
    }
}

fn body() -> Fallible<String> {
    let mut body: Value = serde_json::from_str(TURN)?;
    let turns = body["messages"].as_array().cloned().unwrap_or_default();
    let mut size = body.to_string().len();
    while size < BODY {
        size += turns.iter().map(|turn| turn.to_string().len() + 1).sum::<usize>();
        body["messages"].as_array_mut().into_iter().for_each(|all| all.extend(turns.clone()));
    }
    Ok(body.to_string())
}

fn splicer(body: &str) -> Fallible<Splicer> {
    match Scanner::default().next(body.as_bytes()).1 {
        Some(Seen::Model(Some(model))) => {
            Ok(Splicer::new(model.start..model.end, Bytes::from_static(b"\"m\"")))
        }
        _ => Err("the body's first key is its model".into()),
    }
}

fn spliced(mut splicer: Splicer, pieces: &[Bytes]) {
    let mut out = VecDeque::new();
    for piece in pieces {
        let _ = black_box(splicer.feed(piece, &mut out));
        out.clear();
    }
}

/// All repairs, and those that hold by themselves for a provider.
fn plans() -> Fallible<[Plan; 2]> {
    let folder = tempfile::tempdir()?;
    let all = config::Repair::ALL.map(|repair| format!("{repair} = true")).join(", ");
    let file = format!(
        "[providers.deepseek]\npreset = \"deepseek\"\n[providers.all]\nbase_url = \"http://127.0.0.1:1\"\nrepairs = {{ {all} }}\n"
    );
    std::fs::write(folder.path().join(config::CONFIG_FILE), file)?;
    let (config, _) = config::load(folder.path());
    let plan =
        |route: &str| Ok::<_, Box<dyn Error + Send + Sync>>(Plan::new(config.repairs(&route.parse()?)));
    Ok([plan("deepseek/deepseek-chat")?, plan("all/m")?])
}

fn requests(body: &str) -> Fallible<Vec<Measured>> {
    let bytes = Bytes::from(body.to_owned());
    let pieces: Vec<Bytes> =
        (0..bytes.len()).step_by(65536).map(|at| bytes.slice(at..(at + 65536).min(bytes.len()))).collect();
    let [deepseek, all] = plans()?;
    let work = |name: &'static str, work: Box<dyn FnMut()>| Measured { name, work };
    let (text, held) = (body.to_owned(), pieces.clone());
    let plain = move || spliced(splicer(&text).expect("it was one before"), &held);
    let (text, held) = (body.to_owned(), pieces);
    let blanked = move || spliced(splicer(&text).expect("it was one before").without_attribution(), &held);
    let whole = |act: fn(&[u8]) -> usize| {
        let body = bytes.clone();
        Box::new(move || {
            black_box(act(&body));
        }) as Box<dyn FnMut()>
    };
    let planned = |plan: Plan| {
        let body = bytes.clone();
        Box::new(move || drop(black_box(plan.request(&body)))) as Box<dyn FnMut()>
    };
    Ok(vec![
        work("the model's name (every route)", Box::new(plain)),
        work("and the attribution blanked (the usual)", Box::new(blanked)),
        work("repairs of DeepSeek", planned(deepseek)),
        work("all repairs", planned(all)),
        work(
            "into Chat Completions",
            whole(|body| chat::request(body, ChatOptions::default()).map_or(0, |sent| sent.len())),
        ),
        work("into Responses", whole(|body| responses::request(body, None).map_or(0, |sent| sent.len()))),
        work(
            "through a JSON value, for comparison",
            whole(|body| serde_json::from_slice::<Value>(body).map_or(0, |value| value.to_string().len())),
        ),
    ])
}

fn streams() -> Vec<Measured> {
    let anthropic = anthropic();
    let chunks = completion();
    let counted = move || {
        let mut tap = Tap::new(Some("text/event-stream"), None);
        anthropic.chunks(PIECE).for_each(|piece| tap.feed(piece));
        black_box(tap.finish());
    };
    let translated = move || {
        let (mut stream, mut out) = (chat::stream("msg_bench".to_owned()), Vec::new());
        let mut tap = Tap::new(Some("text/event-stream"), None);
        for piece in chunks.chunks(PIECE) {
            stream.feed(piece, &mut out);
            tap.feed(&out);
            out.clear();
        }
        stream.finish(&mut out);
        tap.feed(&out);
        black_box(tap.finish());
    };
    vec![
        Measured { name: "counted (every route)", work: Box::new(counted) },
        Measured { name: "from Chat Completions, and counted", work: Box::new(translated) },
    ]
}

const WORDS: &str = "a few words of text ";

fn anthropic() -> Vec<u8> {
    let event =
        |data: Value| format!("event: {}\ndata: {data}\n\n", data["type"].as_str().unwrap_or_default());
    let delta = event(
        json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": WORDS}}),
    );
    let begin = [
        event(
            json!({"type": "message_start", "message": {"usage": {"input_tokens": 1, "output_tokens": 1}}}),
        ),
        event(
            json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}),
        ),
    ];
    let end = [
        event(json!({"type": "content_block_stop", "index": 0})),
        event(
            json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 9}}),
        ),
        event(json!({"type": "message_stop"})),
    ];
    [begin.concat(), delta.repeat(EVENTS), end.concat()].concat().into()
}

fn completion() -> Vec<u8> {
    let chunk = |choice: Value| {
        format!("data: {}\n\n", json!({"id": "c-1", "object": "chat.completion.chunk", "choices": [choice]}))
    };
    let delta = chunk(json!({"index": 0, "delta": {"content": WORDS}}));
    let end = chunk(json!({"index": 0, "delta": {}, "finish_reason": "stop"}));
    [delta.repeat(EVENTS), end, "data: [DONE]\n\n".to_owned()].concat().into()
}
