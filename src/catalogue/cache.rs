//! Lists of models, kept for an hour: a private file for each provider, and never a key in it.

use std::fs;
use std::io;
use std::path::PathBuf;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::Listing;
use crate::config::write::{create_private_folder, write_private_file};
use crate::config::{Places, Provider};

/// How long a list is believed.
const FRESH: SignedDuration = SignedDuration::from_hours(1);

/// Changes with what is kept: a file of another version is none.
const VERSION: u32 = 1;

/// The folder of kept lists.
#[derive(Debug, Clone)]
pub struct Cache {
    folder: PathBuf,
}

#[derive(Serialize, Deserialize)]
struct Kept {
    version: u32,
    base_url: String,
    #[serde(flatten)]
    listing: Listing,
}

impl Cache {
    pub fn new(places: &Places) -> Self {
        Self { folder: places.state_dir.join("catalogue") }
    }

    /// What was kept of this provider at its present address, while it is fresh.
    pub fn read(&self, provider: &Provider, now: Timestamp) -> Option<Listing> {
        let kept: Kept = serde_json::from_slice(&fs::read(self.file(provider)).ok()?).ok()?;
        let age = now.duration_since(kept.listing.fetched);
        let fresh = !age.is_negative() && age < FRESH;
        let fits = kept.version == VERSION && kept.base_url == provider.base_url;
        (fresh && fits).then_some(kept.listing)
    }

    /// Keeps it in place of what was kept before.
    ///
    /// # Errors
    /// The file can't be written; nobody needs it to be.
    pub fn write(&self, provider: &Provider, listing: &Listing) -> io::Result<()> {
        create_private_folder(&self.folder)?;
        let base_url = provider.base_url.clone();
        let kept = Kept { version: VERSION, base_url, listing: listing.clone() };
        write_private_file(&self.file(provider), serde_json::to_string(&kept)?.as_bytes())
    }

    fn file(&self, provider: &Provider) -> PathBuf {
        self.folder.join(format!("{}.json", provider.name))
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;
    use crate::catalogue::Model;
    use crate::config::{Auth, Dialect, Timeouts, Tls};

    fn provider(base_url: &str) -> Provider {
        Provider {
            name: "p".parse().unwrap(),
            base_url: base_url.to_owned(),
            dialect: Dialect::Anthropic,
            auth: Auth::None,
            tls: Tls::System,
            timeouts: Timeouts::default(),
            preset: None,
        }
    }

    #[test]
    fn a_list_is_believed_for_an_hour_and_at_its_own_address_only() {
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
        assert_eq!(cache.read(&home, now), Some(listing));
        assert_eq!(cache.read(&provider("http://b"), now), None);
        let mode = fs::metadata(cache.file(&home)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        fs::write(cache.file(&home), "{").unwrap();
        assert_eq!(cache.read(&home, now), None, "half a file is none");
    }
}
