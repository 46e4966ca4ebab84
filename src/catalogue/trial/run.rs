//! Asks a route, one thing after another.

use std::num::NonZeroU64;
use std::time::{Duration, Instant};

use hyper::header::{CONTENT_ENCODING, CONTENT_TYPE};
use serde_json::Value;

use super::dialect::{COMPLETION, COUNT, others};
use super::loaded;
use super::question::{self, Tools};
use super::reading::{Progress, Reading, Seen};
use super::report::{Completion, Elsewhere, Failed, Report, Step, Verdict};
use crate::catalogue::client::Stream;
use crate::catalogue::{Client, Fault};
use crate::config::{Auth, ChatOptions, Dialect, Provider, RouteId, Secret};
use crate::dialect::Speech;
use crate::router::Shared;
use crate::router::tap::{Tap, Usage};

/// For the head of an answer, where the provider has no limit of its own: a local model may have to be loaded.
const PATIENCE: Duration = Duration::from_mins(2);

/// Bytes of a stream that are read; a tiny completion is a few thousand.
const STREAM_LIMIT: usize = 4 * 1024 * 1024;

/// A trial to be run.
pub struct Trial<'a> {
    pub provider: &'a Provider,
    pub route: &'a RouteId,
    /// `None` where the provider wants none.
    pub secret: Option<&'a Secret>,
    /// Tokens, as the configuration says.
    pub window: Option<NonZeroU64>,
    pub shared: &'a Shared,
    /// What the route wants where its provider's dialect is one of `OpenAI`'s.
    pub chat: ChatOptions,
}

/// A completion as it was answered.
struct Answered {
    completion: Completion,
    streaming: Verdict,
    tools: Verdict,
    seen: Seen,
    path: String,
}

/// How long an answer took, and what it cost.
#[derive(Clone, Copy)]
struct Times {
    first_byte: Duration,
    began: Instant,
    usage: Usage,
}

impl Answered {
    fn new(streaming: Verdict, seen: Seen, path: String, times: Times) -> Self {
        let Times { first_byte, began, usage } = times;
        let stop_reason = seen.stop_reason.clone();
        let tools = if seen.called { Verdict::Works } else { Verdict::Accepted };
        let completion = Completion { first_byte, total: began.elapsed(), stop_reason, usage };
        Self { completion, streaming, tools, seen, path }
    }
}

/// When a stream has shown enough.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Until {
    End,
    /// The model itself has begun to answer.
    Content,
}

impl Trial<'_> {
    /// Asks for a completion, then for what Claude Code makes use of besides. Tells each step before it is taken.
    ///
    /// # Errors
    /// No completion came: why, and where one would.
    pub async fn run(&self, mut tell: impl FnMut(Step)) -> Result<Report, Box<Failed>> {
        let mut first = None;
        let mut tried = Vec::new();
        for auth in self.styles() {
            tell(Step::Completion(auth.kind()));
            tried.push(auth.kind());
            let answered = match self.client(&self.provider.base_url, &auth) {
                Ok(client) => self.complete(&client, &mut tell).await.map(|found| (client, found)),
                Err(fault) => Err(fault),
            };
            match answered {
                Ok((client, answered)) => return Ok(self.report(&client, auth, answered, &mut tell).await),
                Err(fault @ Fault::Denied { .. }) => first = first.or(Some(fault)),
                Err(fault) => {
                    first = first.or(Some(fault));
                    break;
                }
            }
        }
        Err(Box::new(self.failed(first.unwrap_or(Fault::NoList), tried, &mut tell).await))
    }

    /// The configured way to send the key, then those that may be meant (A05). Never two in one request, unless
    /// the configuration says so.
    fn styles(&self) -> Vec<Auth> {
        if self.provider.dialect != Dialect::Anthropic {
            return vec![self.provider.auth.for_dialect(self.provider.dialect)];
        }
        let auth = self.provider.auth.clone();
        let others = match &auth {
            Auth::None | Auth::Header { .. } => vec![],
            Auth::Bearer(key) => vec![Auth::XApiKey(key.clone())],
            Auth::XApiKey(key) => vec![Auth::Bearer(key.clone())],
            Auth::Both(key) => vec![Auth::Bearer(key.clone()), Auth::XApiKey(key.clone())],
        };
        std::iter::once(auth).chain(others).collect()
    }

    fn client(&self, base_url: &str, auth: &Auth) -> Result<Client, Fault> {
        Client::new(self.provider, base_url, auth, self.secret, self.shared)
    }

    /// The completion. A refusal may be the tool's fault: then without it.
    async fn complete(&self, client: &Client, tell: &mut impl FnMut(Step)) -> Result<Answered, Fault> {
        let refused = match self.ask(client, self.provider.dialect, Tools::Offered).await {
            Err(fault @ (Fault::Refused { .. } | Fault::ErrorBody { .. })) if !fault.may_pass() => fault,
            answered => return answered,
        };
        tell(Step::WithoutTools);
        match self.ask(client, self.provider.dialect, Tools::Left).await {
            Ok(answered) => Ok(Answered { tools: Verdict::Fails(refused.to_string()), ..answered }),
            Err(_) => Err(refused),
        }
    }

    async fn ask(&self, client: &Client, dialect: Dialect, tools: Tools) -> Result<Answered, Fault> {
        let body = question::completion(self.route.model(), tools);
        exchange(client, Speech::new(dialect, self.chat), &body, Until::End).await
    }

    async fn report(
        &self,
        client: &Client,
        auth: Auth,
        answered: Answered,
        tell: &mut impl FnMut(Step),
    ) -> Report {
        let (count_tokens, thinking, system_turn) = match self.provider.dialect {
            Dialect::Anthropic => self.more(client, tell).await,
            Dialect::OpenaiChat | Dialect::OpenaiResponses => {
                let foreign = || Verdict::Unknown("this dialect has no such thing".to_owned());
                (foreign(), foreign(), foreign())
            }
        };
        Report {
            route: self.route.clone(),
            dialect: self.provider.dialect,
            path: answered.path,
            auth,
            completion: answered.completion,
            streaming: answered.streaming,
            tools: answered.tools,
            count_tokens,
            thinking,
            system_turn,
            context: self.context(tell).await,
        }
    }

    /// With how much context the model, which has just answered, is loaded, where that is the server's to decide.
    async fn context(&self, tell: &mut impl FnMut(Step)) -> Option<Verdict> {
        let (base_url, auth) = loaded::place(self.provider)?;
        tell(Step::Loaded);
        let answer = async {
            let client = self.client(&base_url, &auth)?;
            client.json(&client.get(loaded::CALL, PATIENCE).await?)
        };
        Some(loaded::judge(answer.await, self.route.model(), self.window))
    }

    /// What else Claude Code makes use of: counts, thinking, system turns.
    async fn more(&self, client: &Client, tell: &mut impl FnMut(Step)) -> (Verdict, Verdict, Verdict) {
        let model = self.route.model();
        tell(Step::Counting);
        let count = client.post(COUNT, &question::count(model), PATIENCE).await;
        let count = verdict(count.and_then(|answer| client.json(&answer)), |value| {
            let whole = value["input_tokens"].is_u64();
            if whole {
                Verdict::Works
            } else {
                Verdict::Fails("it answered without `input_tokens`".to_owned())
            }
        });
        tell(Step::Thinking);
        let thinking = exchange(client, Speech::Anthropic, &question::thinking(model), Until::Content).await;
        let thinking =
            verdict(
                thinking,
                |answered| {
                    if answered.seen.thought { Verdict::Works } else { Verdict::Accepted }
                },
            );
        tell(Step::SystemTurn);
        let turn = exchange(client, Speech::Anthropic, &question::system_turn(model), Until::Content).await;
        (count, thinking, verdict(turn, |_| Verdict::Works))
    }

    /// Where the configured path is the trouble, another may do: it is looked for, and named.
    async fn failed(&self, fault: Fault, tried: Vec<&'static str>, tell: &mut impl FnMut(Step)) -> Failed {
        let speech = Speech::new(self.provider.dialect, self.chat);
        let path = client_path(&self.provider.base_url, speech);
        let mut failed = Failed { fault, path, tried, elsewhere: None };
        if !(failed.fault.is_wrong_path() || matches!(failed.fault, Fault::Denied { .. })) {
            return failed;
        }
        tell(Step::Elsewhere);
        for (dialect, base_url) in others(self.provider) {
            let Ok(client) = self.client(&base_url, &self.provider.auth.for_dialect(dialect)) else {
                continue;
            };
            if let Ok(answered) = self.ask(&client, dialect, Tools::Left).await {
                failed.elsewhere = Some(Elsewhere { dialect, base_url, path: answered.path });
                break;
            }
        }
        failed
    }
}

/// One completion, asked for in the provider's dialect and read until it has shown enough.
async fn exchange(client: &Client, speech: Speech, body: &Value, until: Until) -> Result<Answered, Fault> {
    let began = Instant::now();
    let body = question::said(body, speech);
    let stream = client.open(speech.path(COMPLETION), &body, PATIENCE).await?;
    if stream.status().is_success() && stream.media_type() == "text/event-stream" {
        streamed(client, stream, Reading::new(speech), until, began).await
    } else {
        whole(client, stream, speech, began).await
    }
}

async fn streamed(
    client: &Client,
    mut stream: Stream<'_>,
    mut reading: Reading,
    until: Until,
    began: Instant,
) -> Result<Answered, Fault> {
    let mut tap = Tap::new(stream.header(&CONTENT_TYPE), stream.header(&CONTENT_ENCODING));
    let (mut first_byte, mut size) = (None, 0);
    while let Some(piece) = stream.data().await? {
        first_byte.get_or_insert_with(|| began.elapsed());
        size += piece.len();
        tap.feed(&reading.feed(&piece));
        let enough = reading.seen().progress >= Progress::Content && until == Until::Content;
        if enough || reading.seen().error.is_some() {
            break;
        }
        if size > STREAM_LIMIT {
            return Err(Fault::TooLarge { limit: STREAM_LIMIT });
        }
    }
    tap.feed(&reading.finish());
    let seen = whole_enough(client, reading.seen(), until)?;
    let usage = tap.finish().usage;
    let first_byte = first_byte.unwrap_or_default();
    Ok(Answered::new(Verdict::Works, seen, stream.path().to_owned(), Times { first_byte, began, usage }))
}

/// An answer that is no stream: an error, or the message in one piece.
async fn whole(
    client: &Client,
    stream: Stream<'_>,
    speech: Speech,
    began: Instant,
) -> Result<Answered, Fault> {
    let first_byte = began.elapsed();
    let answer = stream.collect().await?;
    client.json(&answer)?;
    let seen = Seen::of_whole(speech, answer.body.to_vec());
    if seen.progress == Progress::Nothing {
        return Err(Fault::NoJson { status: answer.status.as_u16() });
    }
    let streaming = Verdict::Fails(format!("it answered with {}, in one piece", answer.media_type));
    Ok(Answered::new(streaming, seen, answer.path, Times { first_byte, began, usage: Usage::default() }))
}

/// What was seen of a stream, unless it failed in the middle.
fn whole_enough(client: &Client, seen: &Seen, until: Until) -> Result<Seen, Fault> {
    if let Some(error) = &seen.error {
        return Err(client.in_disguise(200, error));
    }
    let needed = if until == Until::Content { Progress::Content } else { Progress::Ended };
    if seen.progress >= needed {
        return Ok(seen.clone());
    }
    let reason = match seen.progress {
        Progress::Nothing => "the stream holds no message",
        _ => "the stream ended before its last event",
    };
    Err(Fault::Cut { reason: reason.to_owned() })
}

fn verdict<T>(answer: Result<T, Fault>, judge: impl FnOnce(T) -> Verdict) -> Verdict {
    match answer {
        Ok(answer) => judge(answer),
        Err(fault) if fault.may_pass() => Verdict::Unknown(fault.to_string()),
        Err(fault) => Verdict::Fails(fault.to_string()),
    }
}

fn client_path(base_url: &str, speech: Speech) -> String {
    let base = base_url.parse::<hyper::Uri>().map(|uri| uri.path().trim_end_matches('/').to_owned());
    let call = speech.path(COMPLETION).split('?').next().unwrap_or_default();
    format!("{}{call}", base.unwrap_or_default())
}
