//! Settings laid over settings, as Claude Code does it: maps key by key, arrays joined, the rest replaced.

use serde_json::{Map, Value};

/// Lays `over` on `base`. Keys of `base` keep their place; an array keeps its items and gets the new ones.
pub(super) fn merge(base: &mut Map<String, Value>, over: Map<String, Value>) {
    for (key, value) in over {
        match (base.get_mut(&key), value) {
            (Some(Value::Object(below)), Value::Object(above)) => merge(below, above),
            (Some(Value::Array(below)), Value::Array(above)) => join(below, above),
            (_, value) => {
                base.insert(key, value);
            }
        }
    }
}

fn join(below: &mut Vec<Value>, above: Vec<Value>) {
    for item in above {
        if !below.contains(&item) {
            below.push(item);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::merge;

    fn check(base: Value, over: Value, expect: &Value) {
        let (Value::Object(mut base), Value::Object(over)) = (base, over) else { panic!("maps") };
        merge(&mut base, over);
        assert_eq!(&Value::Object(base), expect);
    }

    #[test]
    fn maps_merge_arrays_join_scalars_are_replaced() {
        check(
            json!({"a": 1, "m": {"x": 1, "y": 2}, "l": [1, 2]}),
            json!({"a": 2, "m": {"y": 3}, "l": [2, 3], "n": null}),
            &json!({"a": 2, "m": {"x": 1, "y": 3}, "l": [1, 2, 3], "n": null}),
        );
        check(json!({"a": [1]}), json!({"a": {"b": 1}}), &json!({"a": {"b": 1}}));
    }
}
