//! Length units in stored configurations.

use serde_json::{Map, Value};

/// Flag for length units; value if absent.
pub(crate) const UNITS: &str = "units";
pub(crate) const MODEL: &str = "model";

pub(crate) fn says_nothing_of_lengths(config: &Map<String, Value>) -> bool {
    ["kernel", "bound", "prior"].iter().all(|name| !config.contains_key(*name))
}

pub(crate) fn are_of_model(config: &Map<String, Value>) -> bool {
    with_units(config).get(UNITS).is_some_and(|units| units == MODEL)
}

/// Adds length units: for older files, those of the model.
pub(crate) fn with_units(config: &Map<String, Value>) -> Map<String, Value> {
    let mut config = config.clone();
    if !says_nothing_of_lengths(&config) {
        config.entry(UNITS).or_insert_with(|| MODEL.into());
    }
    config
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn configurations_without_units_mean_those_of_the_model() {
        let units = |json: &str| {
            let config: Map<String, Value> = serde_json::from_str(json).unwrap();
            with_units(&config).get(UNITS).cloned()
        };
        assert_eq!(units(r#"{"kernel": ["rbf(lengthscale=2)"]}"#), Some(MODEL.into()));
        assert_eq!(units(r#"{"bound": ["rbf.lengthscale=1..2"]}"#), Some(MODEL.into()));
        assert_eq!(units(r#"{"kernel": ["rbf"], "units": "data"}"#), Some("data".into()));
        assert_eq!(units(r#"{"seed": 1}"#), None);
        let of_model = |json: &str| are_of_model(&serde_json::from_str(json).unwrap());
        assert!(of_model(r#"{"bound": ["rbf.lengthscale=1..2"]}"#));
        assert!(!of_model(r#"{"kernel": ["rbf"], "units": "data"}"#) && !of_model("{}"));
    }
}
