//! `GET /v1/models` where the main session runs on a route: the default upstream is nobody's then, and a provider's own
//! list holds none of the names that a request may carry here.
//!
//! Claude Code keeps of such a list what is called after one of Anthropic's models only; a sub-agent can run on the others
//! all the same.

use serde_json::json;

/// The most that one page holds, as Anthropic's API has it.
const MOST: usize = 1000;
const USUAL: usize = 20;

/// A page in the shape of Anthropic's list. `query` is what follows the `?`; of it, `limit` counts.
pub(super) fn page(names: &[String], query: &str) -> String {
    let limit = query.split('&').find_map(|pair| pair.strip_prefix("limit=")?.parse::<usize>().ok());
    let shown = &names[..names.len().min(limit.unwrap_or(USUAL).clamp(1, MOST))];
    let entry =
        |name: &String| json!({"type": "model", "id": name, "display_name": name, "created_at": EPOCH});
    json!({
        "data": shown.iter().map(entry).collect::<Vec<_>>(),
        "has_more": shown.len() < names.len(),
        "first_id": shown.first(),
        "last_id": shown.last(),
    })
    .to_string()
}

/// When a model came isn't known here.
const EPOCH: &str = "1970-01-01T00:00:00Z";

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn a17_a_page_has_the_apis_shape_and_its_limit() {
        let names: Vec<String> = ["main@p/m", "p/n", "p/o"].map(str::to_owned).into();
        for (query, shown, more) in [
            ("", 3, false),
            ("limit=1000", 3, false),
            ("beta=true&limit=2", 2, true),
            ("limit=x&y", 3, false),
        ] {
            let page: Value = serde_json::from_str(&page(&names, query)).unwrap();
            assert_eq!(
                (page["data"].as_array().unwrap().len(), page["has_more"].as_bool()),
                (shown, Some(more))
            );
            assert_eq!((&page["first_id"], &page["last_id"]), (&json!("main@p/m"), &json!(names[shown - 1])));
            assert_eq!(page["data"][0]["type"], "model");
        }
        assert_eq!(serde_json::from_str::<Value>(&page(&[], "")).unwrap()["last_id"], Value::Null);
    }
}
