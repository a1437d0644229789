//! Parameter vector that is cheap to clone.

use super::state::GradientState;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::ops::Deref;
use std::sync::Arc;

/// argmin's state of a [`Descent`](super::Descent).
pub type DescentState = GradientState<Point>;

/// Parameter vector, shared by clones.
///
/// argmin clones it often.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Point(Arc<Vec<f64>>);

impl Point {
    /// Numbers; copied only if shared.
    #[must_use]
    pub fn into_vec(self) -> Vec<f64> {
        Arc::unwrap_or_clone(self.0)
    }

    /// None if shared.
    pub(super) fn into_unshared(self) -> Option<Vec<f64>> {
        Arc::try_unwrap(self.0).ok()
    }
}

impl From<Vec<f64>> for Point {
    fn from(numbers: Vec<f64>) -> Self {
        Self(Arc::new(numbers))
    }
}

impl Deref for Point {
    type Target = [f64];

    fn deref(&self) -> &[f64] {
        &self.0
    }
}

impl Serialize for Point {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.as_slice().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Point {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Vec::deserialize(deserializer).map(Self::from)
    }
}
