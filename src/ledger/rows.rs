//! The rows that a session adds while it lives, as SQL.

use rusqlite::{Connection, params};

use super::{Answer, Ending};
use crate::router::{Blame, Record};

pub(super) fn request(connection: &Connection, session: &str, record: &Record) -> rusqlite::Result<()> {
    let sql = "INSERT INTO requests (session, at, claude_session, prompt_id, agent_id, parent_agent_id, class, attempt, \
               agent, route, wire_model, upstream_model, effort, path, status, outcome, blame, bytes_in, bytes_out, \
               ttfb, total, stop_reason, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, \
               price_input, price_output, price_cache_read, price_cache_write, cost, stray, queued, instead_of, \
               mending) VALUES \
               (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
    let (caller, usage, price) = (&record.caller, record.usage, record.price);
    connection.prepare_cached(sql)?.execute(params![
        session,
        record.at,
        caller.session,
        caller.prompt_id,
        caller.agent_id,
        caller.parent_id,
        caller.class,
        caller.attempt,
        record.agent,
        record.route,
        record.wire_model,
        record.upstream_model,
        record.effort,
        record.path,
        record.status,
        record.outcome.as_str(),
        record.blame.map(Blame::as_str),
        record.bytes_in.cast_signed(),
        record.bytes_out.cast_signed(),
        record.ttfb.map(u64::cast_signed),
        record.total.cast_signed(),
        record.stop_reason,
        usage.input.map(u64::cast_signed),
        usage.output.map(u64::cast_signed),
        usage.cache_read.map(u64::cast_signed),
        usage.cache_write.map(u64::cast_signed),
        price.map(|price| price.input),
        price.map(|price| price.output),
        price.and_then(|price| price.cache_read),
        price.and_then(|price| price.cache_write),
        record.cost,
        record.stray,
        record.queued.map(u64::cast_signed),
        record.instead_of,
        record.mending,
    ])?;
    Ok(())
}

/// Claude Code's own id of what is said now. The one that was said last is no news.
pub(super) fn conversation(
    connection: &Connection,
    session: &str,
    at: i64,
    conversation: &str,
) -> rusqlite::Result<()> {
    let sql = "INSERT INTO conversations (session, at, conversation) SELECT ?1, ?2, ?3 WHERE ?3 IS NOT \
               (SELECT conversation FROM conversations WHERE session = ?1 ORDER BY id DESC LIMIT 1)";
    connection.execute(sql, params![session, at, conversation]).map(|_| ())
}

pub(super) fn answer(connection: &Connection, session: &str, answer: &Answer) -> rusqlite::Result<()> {
    let Answer { at, tool, agent, decision, by } = answer;
    let sql =
        "INSERT INTO answers (session, at, tool, agent, decision, \"by\") VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    let row = params![session, at, tool, agent, decision.as_str(), by.as_str()];
    connection.execute(sql, row).map(|_| ())
}

pub(super) fn end(connection: &Connection, session: &str, ending: Ending) -> rusqlite::Result<()> {
    let sql = "UPDATE sessions SET ended = ?2, exit_code = ?3 WHERE id = ?1";
    connection.execute(sql, params![session, ending.at, ending.exit_code]).map(|_| ())
}

pub(super) fn gap(connection: &Connection, session: &str, requests: u64) -> rusqlite::Result<()> {
    let sql = "INSERT INTO gaps (session, at, requests) VALUES (?1, unixepoch('subsec') * 1000, ?2)";
    connection.execute(sql, params![session, requests.cast_signed()]).map(|_| ())
}
