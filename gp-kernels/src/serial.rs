//! serde by expressions of built-in kernels; other kernels need [`Registry::parse`](crate::Registry::parse).

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::kernel::Kernel;
use crate::registry::parse;
use crate::tree::KernelExt;

impl Serialize for dyn Kernel + '_ {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.expression())
    }
}

impl<'de> Deserialize<'de> for Box<dyn Kernel> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        parse(&text).map_err(D::Error::custom)
    }
}
