//! Asks a provider for its models, at each likely place until one answers.

use std::time::Duration;

use jiff::Timestamp;
use serde_json::{Value, json};

use super::listing::{lm_studio, models, ollama};
use super::{Cache, Client, Fault, Listing, Model, Place, places};
use crate::config::preset::ListShape;
use crate::config::secret::resolve;
use crate::config::{Environment, Provider, Secret};
use crate::router::Shared;

/// For the head of a list.
const PATIENCE: Duration = Duration::from_secs(20);

/// Pages of one list; a provider that never ends is not followed for ever.
const PAGES: usize = 50;

/// Models whose description is asked for one by one.
const DESCRIBED: usize = 200;

/// What asking takes. A key is read only when somebody is asked.
pub struct Catalogue<'a> {
    pub environment: &'a Environment,
    pub shared: &'a Shared,
    pub cache: Cache,
}

/// Whether a list that was kept will do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Freshness {
    AnHour,
    Now,
}

impl Catalogue<'_> {
    /// The provider's models. Reading the key may block, for a command up to 30 s.
    ///
    /// # Errors
    /// What the likeliest place answered, where none had a list.
    pub async fn models(
        &self,
        provider: &Provider,
        freshness: Freshness,
        now: Timestamp,
    ) -> Result<Listing, Fault> {
        if freshness == Freshness::AnHour
            && let Some(listing) = self.cache.read(provider, now)
        {
            return Ok(listing);
        }
        let secret = self.secret(provider)?;
        let (path, models) = self.ask(provider, secret.as_ref()).await?;
        let listing = Listing { fetched: now, path, models };
        // The next time asks again, that is all.
        if let Err(error) = self.cache.write(provider, &listing) {
            tracing::warn!(provider = %provider.name, %error, "the list of models can't be kept");
        }
        Ok(listing)
    }

    /// The provider's key; `None` where it wants none.
    ///
    /// # Errors
    /// The reference leads to no key.
    pub fn secret(&self, provider: &Provider) -> Result<Option<Secret>, Fault> {
        let reference = provider.auth.secret();
        Ok(reference.map(|reference| resolve(reference, self.environment)).transpose()?)
    }

    async fn ask(&self, provider: &Provider, secret: Option<&Secret>) -> Result<(String, Vec<Model>), Fault> {
        let mut first = None;
        for place in places(provider) {
            let client = Client::new(provider, &place.base_url, &place.auth, secret, self.shared)?;
            match read(&client, &place).await {
                Ok(found) => return Ok(found),
                Err(fault) if fault.is_wrong_path() => first = first.or(Some(fault)),
                Err(fault) => return Err(first.unwrap_or(fault)),
            }
        }
        Err(first.unwrap_or(Fault::NoList))
    }
}

async fn read(client: &Client, place: &Place) -> Result<(String, Vec<Model>), Fault> {
    let answer = client.get(&place.path, PATIENCE).await?;
    let value = client.json(&answer)?;
    let found = match place.shape {
        ListShape::Models => all_pages(client, place, value).await?,
        ListShape::LmStudio => lm_studio::read(&value).ok_or(Fault::NoList)?,
        ListShape::Ollama => described(client, ollama::read(&value).ok_or(Fault::NoList)?).await,
    };
    if found.is_empty() { Err(Fault::Empty) } else { Ok((answer.path, found)) }
}

async fn all_pages(client: &Client, place: &Place, first: Value) -> Result<Vec<Model>, Fault> {
    let mut found = models::read(&first).ok_or(Fault::NoList)?;
    let mut page = first;
    for _ in 1..PAGES {
        let Some(last) = models::next_page(&page) else { break };
        let call = format!("{}?after_id={}", place.path, escaped(last));
        let next = client.json(&client.get(&call, PATIENCE).await?)?;
        let more = models::read(&next).ok_or(Fault::NoList)?;
        // A provider that doesn't page gives its first page again.
        let news: Vec<Model> =
            more.into_iter().filter(|model| !found.iter().any(|old| old.id == model.id)).collect();
        if news.is_empty() {
            break;
        }
        found.extend(news);
        page = next;
    }
    Ok(found)
}

/// One after the other, over one connection. A model that isn't described is listed all the same.
async fn described(client: &Client, models: Vec<Model>) -> Vec<Model> {
    let mut found = Vec::with_capacity(models.len());
    for (at, model) in models.into_iter().enumerate() {
        if at >= DESCRIBED {
            found.push(model);
            continue;
        }
        let answer = client.post("/api/show", &json!({"model": model.id}), PATIENCE).await;
        match answer.and_then(|answer| client.json(&answer)) {
            Ok(shown) => found.extend(ollama::described(model, &shown)),
            Err(_) => found.push(model),
        }
    }
    found
}

/// For a query: everything but the plainest characters as `%XX`.
fn escaped(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    text.bytes()
        .map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_asked_for_by_an_id_that_a_query_can_hold() {
        assert_eq!(escaped("a/b:c d"), "a%2Fb%3Ac%20d");
    }
}
