//! Ends of a range.

use serde::{Deserialize, Serialize};

/// Number, row count, first place.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct FarEnd {
    pub value: f64,
    pub rows: usize,
    pub place: Place,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) enum Place {
    Row(usize),
    Said(String),
}

impl FarEnd {
    pub(super) fn place(&self) -> String {
        match &self.place {
            Place::Row(row) => row.to_string(),
            Place::Said(place) => place.clone(),
        }
    }
}
