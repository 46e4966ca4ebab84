//! Providers, the routes in use below each, and what else its catalogue lists.

use std::collections::{BTreeMap, BTreeSet};

use super::Routes;
use crate::catalogue::overview;
use crate::config::{ProviderName, RouteId};
use crate::ui::app::widget::Filter;
use crate::ui::app::world::World;

/// A catalogue with more models than this is folded, until somebody opens it.
const MANY: usize = 20;

/// One line of the tree.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Row {
    Provider(ProviderName),
    Route(RouteId),
    /// What a provider's catalogue lists and nothing uses.
    Catalogue(ProviderName),
}

/// Whether what is below a line is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fold {
    Open,
    Closed,
}

/// The routes of one provider.
#[derive(Debug, Clone, Default)]
struct Branch {
    /// Of agents, settings, the policy, the main session, or typed here.
    used: BTreeSet<RouteId>,
    /// The others that its catalogue lists, in its order.
    listed: Vec<RouteId>,
}

impl Row {
    pub(super) fn provider(&self) -> &ProviderName {
        match self {
            Self::Provider(name) | Self::Catalogue(name) => name,
            Self::Route(route) => route.provider(),
        }
    }
}

/// All of it as it stands.
#[derive(Debug, Clone, Default)]
pub(super) struct Tree {
    branches: BTreeMap<ProviderName, Branch>,
    /// The lines that are shown.
    pub(super) rows: Vec<Row>,
}

impl Tree {
    pub(super) fn of(screen: &Routes, world: &World) -> Self {
        let branches = branches(screen, world);
        let mut rows = Vec::new();
        for (name, branch) in &branches {
            if screen.filter == Filter::Off {
                unfiltered(screen, name, branch, &mut rows);
            } else {
                filtered(screen, name, branch, &mut rows);
            }
        }
        Self { branches, rows }
    }

    /// What a provider's catalogue lists and nothing uses.
    pub(super) fn listed(&self, provider: &ProviderName) -> &[RouteId] {
        self.branches.get(provider).map(|branch| branch.listed.as_slice()).unwrap_or_default()
    }
}

/// All providers, those too that only a route names.
fn branches(screen: &Routes, world: &World) -> BTreeMap<ProviderName, Branch> {
    let config = &world.configuration.config;
    let mut branches: BTreeMap<ProviderName, Branch> =
        config.providers.keys().map(|name| (name.clone(), Branch::default())).collect();
    let used = overview(config, |_| None).into_iter().map(|known| known.route);
    for route in used.chain(screen.typed.iter().cloned()) {
        branches.entry(route.provider().clone()).or_default().used.insert(route);
    }
    for (name, branch) in &mut branches {
        let listing = screen.catalogues.of(name).and_then(|catalogue| catalogue.listing.as_ref());
        let models = listing.map(|listing| listing.models.as_slice()).unwrap_or_default();
        let routes = models.iter().filter_map(|model| RouteId::new(name, &model.id).ok());
        branch.listed = routes.filter(|route| !branch.used.contains(route)).collect();
    }
    branches
}

fn unfiltered(screen: &Routes, name: &ProviderName, branch: &Branch, rows: &mut Vec<Row>) {
    let (provider, catalogue) = (Row::Provider(name.clone()), Row::Catalogue(name.clone()));
    let shows = screen.fold(&provider, 0) == Fold::Open;
    rows.push(provider);
    if !shows {
        return;
    }
    rows.extend(branch.used.iter().cloned().map(Row::Route));
    if branch.listed.is_empty() {
        return;
    }
    let shows = screen.fold(&catalogue, branch.listed.len()) == Fold::Open;
    rows.push(catalogue);
    if shows {
        rows.extend(branch.listed.iter().cloned().map(Row::Route));
    }
}

/// A filter looks into what is folded too.
fn filtered(screen: &Routes, name: &ProviderName, branch: &Branch, rows: &mut Vec<Row>) {
    let all = branch.used.iter().chain(&branch.listed);
    let found = all.filter(|route| screen.filter.keeps(&[&route.to_string()]));
    let found: Vec<Row> = found.cloned().map(Row::Route).collect();
    if !found.is_empty() || screen.filter.keeps(&[name.as_str()]) {
        rows.push(Row::Provider(name.clone()));
        rows.extend(found);
    }
}

impl Routes {
    /// As the person has put it, else open, but for a long catalogue.
    pub(super) fn fold(&self, row: &Row, below: usize) -> Fold {
        let default = match row {
            Row::Catalogue(_) if below > MANY => Fold::Closed,
            _ => Fold::Open,
        };
        self.folds.get(row).copied().unwrap_or(default)
    }
}
