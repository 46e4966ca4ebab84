//! Lists of models, kept for an hour: a private file for each provider, and never a key in it.

use std::fs;
use std::io;
use std::path::PathBuf;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::Listing;
use crate::config::write::{create_private_folder, write_private_file};
use crate::config::{Auth, Places, Provider};

/// How long a list is believed.
const FRESH: SignedDuration = SignedDuration::from_hours(1);

/// Changes with what is kept: a file of another version is none.
const VERSION: u32 = 2;

/// The folder of kept lists.
#[derive(Debug, Clone)]
pub struct Cache {
    folder: PathBuf,
}

#[derive(Serialize, Deserialize)]
struct Kept {
    version: u32,
    base_url: String,
    /// The kind of auth, and where the key is found: another key may see another list.
    auth: String,
    #[serde(flatten)]
    listing: Listing,
}

impl Cache {
    pub fn new(places: &Places) -> Self {
        Self { folder: places.state_dir.join("catalogue") }
    }

    /// What was kept of this provider at its present address with its present key, while it is fresh.
    pub fn read(&self, provider: &Provider, now: Timestamp) -> Option<Listing> {
        let kept: Kept = serde_json::from_slice(&fs::read(self.file(provider)).ok()?).ok()?;
        let age = now.duration_since(kept.listing.fetched);
        let fresh = !age.is_negative() && age < FRESH;
        let fits = kept.version == VERSION
            && kept.base_url == provider.base_url
            && kept.auth == described(&provider.auth);
        (fresh && fits).then_some(kept.listing)
    }

    /// Keeps it in place of what was kept before.
    ///
    /// # Errors
    /// The file can't be written; nobody needs it to be.
    pub fn write(&self, provider: &Provider, listing: &Listing) -> io::Result<()> {
        create_private_folder(&self.folder)?;
        let (base_url, auth) = (provider.base_url.clone(), described(&provider.auth));
        let kept = Kept { version: VERSION, base_url, auth, listing: listing.clone() };
        write_private_file(&self.file(provider), serde_json::to_string(&kept)?.as_bytes())
    }

    fn file(&self, provider: &Provider) -> PathBuf {
        self.folder.join(format!("{}.json", provider.name))
    }
}

/// With the reference to the key, never the key.
fn described(auth: &Auth) -> String {
    let header = if let Auth::Header { name, .. } = auth { name } else { "" };
    let reference = auth.secret().map(ToString::to_string).unwrap_or_default();
    [auth.kind(), header, &reference].join(" ")
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;
    use crate::catalogue::Model;
    use crate::config::{ChatOptions, Dialect, Repairs, SecretRef, Timeouts, Tls};

    fn provider(base_url: &str) -> Provider {
        Provider {
            name: "p".parse().unwrap(),
            base_url: base_url.to_owned(),
            dialect: Dialect::Anthropic,
            auth: Auth::None,
            tls: Tls::System,
            timeouts: Timeouts::default(),
            preset: None,
            repairs: Repairs::default(),
            chat: ChatOptions::default(),
        }
    }

    #[test]
    fn a_list_is_believed_for_an_hour_at_its_own_address_and_with_its_own_key_only() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache { folder: folder.path().join("catalogue") };
        let now = Timestamp::from_second(1_800_000_000).unwrap();
        let models = vec![Model { id: "m".into(), ..Model::default() }];
        let listing = Listing { fetched: now, path: "/v1/models".into(), models };
        let home = provider("http://a");
        assert_eq!(cache.read(&home, now), None);
        cache.write(&home, &listing).unwrap();
        let at = |seconds| now + SignedDuration::from_secs(seconds);
        for (seconds, known) in [(0, true), (3599, true), (3600, false), (-1, false)] {
            assert_eq!(cache.read(&home, at(seconds)).is_some(), known, "{seconds}");
        }
        assert_eq!(cache.read(&home, now), Some(listing.clone()));
        assert_eq!(cache.read(&provider("http://b"), now), None);
        let key: SecretRef = "env:K".parse().unwrap();
        let with = |auth: Auth| Provider { auth, ..provider("http://a") };
        let keyed = with(Auth::Bearer(key.clone()));
        assert_eq!(cache.read(&keyed, now), None);
        cache.write(&keyed, &listing).unwrap();
        let other = Auth::Bearer("env:OTHER".parse().unwrap());
        for (auth, known) in [(Auth::Bearer(key.clone()), true), (Auth::XApiKey(key), false), (other, false)]
        {
            assert_eq!(cache.read(&with(auth), now).is_some(), known);
        }
        let mode = fs::metadata(cache.file(&home)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        fs::write(cache.file(&home), "{").unwrap();
        assert_eq!(cache.read(&home, now), None, "half a file is none");
    }
}
