//! Sessions: a list of them, and one of them in a line. Pure.

use super::colour::Colour;
use super::table::{table, visible};
use super::text::{counted, dollars, short};
use crate::launch::host::protocol::About;
use crate::launch::sessions::{Listed, Place, State, Tally};
use crate::launch::state::{self, Status, Wait};

const HEADS: [&str; 9] = ["name", "state", "agents", "routes", "req", "cost", "age", "folder", "id"];

/// Characters of an id that are enough to tell a few from each other.
const ID: usize = 8;

/// The list, at this time in milliseconds since 1970, and below it why some say nothing.
pub fn sessions(listed: &[Listed], now: i64, colour: Colour) -> String {
    if listed.is_empty() {
        return "No session lives.".to_owned();
    }
    let rows: Vec<Vec<String>> = listed.iter().map(|one| row(one, now)).collect();
    let notes = listed.iter().filter_map(|one| match &one.state {
        State::Silent(reason) => Some(visible(reason)),
        _ => None,
    });
    std::iter::once(table(&HEADS, &rows, colour)).chain(notes).collect::<Vec<_>>().join("\n")
}

/// What changed about a session, in a line; `None`: it isn't in the list any more.
pub fn session_line(name: &str, listed: Option<&Listed>) -> String {
    let name = visible(name);
    match listed {
        None => format!("{name}: gone"),
        Some(one) => format!("{name}: {}, {}", state(one), sums(&one.tally)),
    }
}

/// A session that is shown on a terminal, in one line.
pub fn session_status(about: &About, tally: &Tally, now: i64) -> String {
    let agents = tally.agents.join(" ");
    let parts = [
        about.name.clone(),
        doing(&about.status),
        sums(tally),
        agents,
        counted(about.attached.try_into().unwrap_or(u64::MAX), "terminal"),
        format!("since {}", age(now - about.started)),
        about.session.to_string(),
    ];
    let told: Vec<String> = parts.iter().filter(|part| !part.is_empty()).map(|part| visible(part)).collect();
    told.join(" · ")
}

fn row(one: &Listed, now: i64) -> Vec<String> {
    let Tally { agents, routes, requests, cost_usd, .. } = &one.tally;
    vec![
        one.name.clone(),
        state(one),
        agents.join(" "),
        routes.join(" "),
        short(*requests),
        cost(*requests, *cost_usd),
        age(now - one.started),
        one.folder.display().to_string(),
        one.session.to_string().chars().take(ID).collect(),
    ]
}

fn state(one: &Listed) -> String {
    match (&one.state, one.place) {
        (State::Ended(code), _) => format!("ended ({code})"),
        (State::Silent(_), _) => "doesn't answer".to_owned(),
        (State::Live(status), Some(Place::Host(Some(1..)))) => format!("{} (attached)", doing(status)),
        (State::Live(status), _) => doing(status),
        (State::Background(jobs), _) => format!("claude attach {}", jobs.join(" ")),
        (state, Some(Place::Terminal)) => format!("{} (in its terminal)", state.word()),
        (state, Some(Place::Host(Some(1..)))) => format!("{} (attached)", state.word()),
        (state, _) => state.word().to_owned(),
    }
}

/// What a session does, and what it waits for.
fn doing(status: &Status) -> String {
    let waits = |wait: &Wait| {
        let dialog = wait.dialog.as_ref()?;
        let agent = dialog.agent.as_ref().map(|agent| format!(" ({agent})")).unwrap_or_default();
        Some(format!("waiting: {}{agent}", dialog.tool))
    };
    match &status.state {
        state::State::Waiting(wait) => waits(wait).unwrap_or_else(|| "waiting".to_owned()),
        state::State::Starting => "starting".to_owned(),
        state::State::Working => "working".to_owned(),
        state::State::Idle => "idle".to_owned(),
        state::State::Exited { .. } | state::State::Failed { .. } => "ending".to_owned(),
        state::State::Unknown => "unknown".to_owned(),
    }
}

fn sums(tally: &Tally) -> String {
    let requests = counted(tally.requests, "request");
    let in_flight =
        if tally.in_flight > 0 { format!(" ({} running)", tally.in_flight) } else { String::new() };
    let cost = tally.cost_usd.map(|cost| ", ".to_owned() + &dollars(cost)).unwrap_or_default();
    requests + &in_flight + &cost
}

/// J05: no price is no cost.
fn cost(requests: u64, cost_usd: Option<f64>) -> String {
    match cost_usd {
        Some(cost) => dollars(cost),
        None if requests > 0 => "n/a".to_owned(),
        None => String::new(),
    }
}

/// `7s`, `12m`, `5h`, `3d`: of milliseconds.
fn age(millis: i64) -> String {
    let seconds = millis.max(0) / 1000;
    match seconds {
        0..60 => format!("{seconds}s"),
        60..3600 => format!("{}m", seconds / 60),
        3600..172_800 => format!("{}h", seconds / 3600),
        _ => format!("{}d", seconds / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn listed(name: &str, state: State, place: Option<Place>) -> Listed {
        Listed {
            session: Uuid::from_u128(0xa1b2_c3d4 << 96),
            name: name.to_owned(),
            folder: format!("/work/{name}").into(),
            state,
            place,
            started: 1_000,
            tally: Tally::default(),
        }
    }

    fn used(name: &str) -> Listed {
        let tally = Tally {
            agents: vec!["main".to_owned(), "reviewer".to_owned()],
            routes: vec!["default".to_owned(), "glm/glm-5".to_owned()],
            requests: 1234,
            in_flight: 2,
            cost_usd: Some(0.25),
        };
        Listed { tally, ..listed(name, State::Running, Some(Place::Host(Some(2)))) }
    }

    #[test]
    fn each_session_is_a_line() {
        let unpriced = Tally { requests: 3, ..Tally::default() };
        let all = [
            used("shop"),
            Listed { tally: unpriced, ..listed("blog", State::Running, Some(Place::Terminal)) },
            listed(
                "hung",
                State::Silent("session `hung` doesn't answer\u{202e}".to_owned()),
                Some(Place::Host(None)),
            ),
            listed("old", State::Ended(7), None),
            listed("dead\u{1b}", State::Interrupted, None),
        ];
        insta::assert_snapshot!(sessions(&all, 3_661_000 + 1_000, Colour::Never), @r"
        NAME        STATE                      AGENTS         ROUTES             REQ   COST     AGE  FOLDER            ID
        shop        running (attached)         main reviewer  default glm/glm-5  1.2k  $0.2500  1h   /work/shop        a1b2c3d4
        blog        running (in its terminal)  -              -                  3     n/a      1h   /work/blog        a1b2c3d4
        hung        doesn't answer             -              -                  0     -        1h   /work/hung        a1b2c3d4
        old         ended (7)                  -              -                  0     -        1h   /work/old         a1b2c3d4
        dead\u{1b}  interrupted                -              -                  0     -        1h   /work/dead\u{1b}  a1b2c3d4
        session `hung` doesn't answer\u{202e}
        ");
        assert_eq!(sessions(&[], 0, Colour::Never), "No session lives.");
    }

    #[test]
    fn a_change_is_a_line() {
        assert_eq!(
            session_line("shop", Some(&used("shop"))),
            "shop: running (attached), 1234 requests (2 running), $0.2500"
        );
        assert_eq!(session_line("a\nb", None), "a\\nb: gone");
    }

    #[test]
    fn ages_are_short() {
        for (millis, expect) in
            [(-5, "0s"), (59_999, "59s"), (60_000, "1m"), (7_200_000, "2h"), (172_800_000, "2d")]
        {
            assert_eq!(age(millis), expect);
        }
    }
}
