//! Serde support: likelihoods as their expressions.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::likelihood::Likelihood;
use crate::registry::parse;

impl Serialize for dyn Likelihood + '_ {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.expression())
    }
}

/// Reads this crate's likelihoods; [`Registry::parse`](crate::Registry::parse) reads others.
impl<'de> Deserialize<'de> for Box<dyn Likelihood> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        parse(&text).map_err(D::Error::custom)
    }
}
