//! Serialised factors: packed triangle, jitter record.

use super::{Cholesky, Storage};
use crate::error::LinalgError;
use crate::jitter_record::JitterRecord;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

#[derive(Serialize, Deserialize)]
#[serde(rename = "Cholesky")]
struct Packed {
    dim: usize,
    lower: Vec<f64>,
    jitter: JitterRecord,
}

impl Serialize for Cholesky {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (dim, l) = (self.dim(), self.l());
        let lower = (0..dim).flat_map(|j| (j..dim).map(move |i| l[(i, j)])).collect();
        Packed { dim, lower, jitter: self.jitter.clone() }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Cholesky {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Packed::deserialize(deserializer)?.unpack().map_err(serde::de::Error::custom)
    }
}

impl Packed {
    fn unpack(self) -> Result<Cholesky, LinalgError> {
        let dim = self.dim;
        let expected = dim.checked_add(1).and_then(|next| dim.checked_mul(next)).map(|twice| twice / 2);
        if expected != Some(self.lower.len()) {
            let reason = format!("dimension {dim} does not go with {} packed numbers", self.lower.len());
            return Err(LinalgError::InvalidFactor { reason });
        }
        let mut storage = Storage::with_capacity(dim);
        storage.set_dim(dim);
        let mut l = storage.factor_mut();
        let places = (0..dim).flat_map(|j| (j..dim).map(move |i| (i, j)));
        for ((i, j), value) in places.zip(self.lower) {
            let acceptable = value.is_finite() && (i != j || value > 0.0);
            if !acceptable {
                let reason = format!("{value} at row {i}, column {j}");
                return Err(LinalgError::InvalidFactor { reason });
            }
            l[(i, j)] = value;
        }
        Ok(Cholesky { storage, jitter: self.jitter })
    }
}
