//! Indices that pandas writes.

use serde_json::Value;

pub(super) const KEY: &str = "pandas";
const TIMES: &str = "date";

/// Index columns, except dates (targets may vary along them) and ranges (not columns).
pub(super) fn index_columns(text: &str) -> Vec<String> {
    let about: Value = serde_json::from_str(text).unwrap_or_default();
    let list = |key: &str| about[key].as_array().cloned().unwrap_or_default();
    let columns = list("columns");
    let holds_times = |name: &str| {
        let own = columns.iter().find(|column| column["field_name"] == name || column["name"] == name);
        own.and_then(|column| column["pandas_type"].as_str()).is_some_and(|kind| kind.starts_with(TIMES))
    };
    let indices = list("index_columns");
    let names = indices.iter().filter_map(Value::as_str).filter(|name| !holds_times(name));
    names.map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_indices_and_ranges_and_times_are_not() {
        let text = r#"{"index_columns": ["patient", {"kind": "range", "start": 0}, "when"], "columns": [
            {"name": "x", "field_name": "x", "pandas_type": "float64"},
            {"name": "patient", "field_name": "patient", "pandas_type": "int64"},
            {"name": "when", "field_name": "when", "pandas_type": "datetime"}]}"#;
        assert_eq!(index_columns(text), ["patient"]);
        for other in ["", "[]", "{\"index_columns\": 3}", "{\"index_columns\": [3]}"] {
            assert!(index_columns(other).is_empty(), "{other}");
        }
    }
}
