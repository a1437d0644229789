//! Registry of methods.

use super::contract::Method;
use super::setting::Setting;
use crate::error::CliError;
use gp_optim::did_you_mean;
use serde_json::Value;
use std::sync::Arc;

/// Method names of other programs, with equivalents.
const ELSEWHERE: [(&str, &str); 6] = [
    ("sgpr", "method vfe"),
    ("gpr", "method exact"),
    ("vgp", "method svgp, or ep"),
    ("pitc", "method pep with --alpha 1 and --blocks COL"),
    ("fic", "method fitc"),
    ("laplace", "not among them; method ep serves the same likelihoods"),
];

/// Extensible registry of methods.
#[derive(Clone, Debug)]
pub struct Methods {
    known: Vec<Arc<dyn Method>>,
}

impl Methods {
    /// Registry of these methods.
    #[must_use]
    pub fn new(known: Vec<Arc<dyn Method>>) -> Self {
        Self { known }
    }

    /// Adds a method, or replaces its namesake.
    #[must_use]
    pub fn with(mut self, method: Arc<dyn Method>) -> Self {
        match self.known.iter_mut().find(|known| known.name() == method.name()) {
            Some(place) => *place = method,
            None => self.known.push(method),
        }
        self
    }

    /// All methods, in display order.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<dyn Method>> {
        self.known.iter()
    }

    /// Names in display order.
    #[must_use]
    pub fn names(&self) -> Vec<&'static str> {
        self.known.iter().map(|method| method.name()).collect()
    }

    /// Method of this name.
    ///
    /// # Errors
    /// [`Usage`](crate::ErrorKind::Usage), listing the names.
    pub fn find(&self, name: &str) -> Result<Arc<dyn Method>, CliError> {
        let called = |method: &&Arc<dyn Method>| method.name().eq_ignore_ascii_case(name);
        let found = self.known.iter().find(|method| method.name() == name);
        found.or_else(|| self.known.iter().find(called)).cloned().ok_or_else(|| {
            let elsewhere = ELSEWHERE.iter().find(|(other, _)| other.eq_ignore_ascii_case(name));
            let meant = match elsewhere {
                Some((_, here)) => format!("; {name} is {here}"),
                None => did_you_mean(name, self.names()),
            };
            let names = self.names().join(", ");
            CliError::usage(format!("there is no method `{name}`; choose auto, {names}{meant}"))
        })
    }

    /// Default of a setting for all fits, if methods agree.
    #[must_use]
    pub fn default_value(&self, name: &str) -> Option<Value> {
        let declared = self.settings().into_iter().find(|declared| declared[0].1.name() == name)?;
        let first = declared[0].1.default_value()?;
        declared.iter().all(|(_, setting)| setting.default_value().as_ref() == Some(&first)).then_some(first)
    }

    /// Settings by name, with all declarations, in method order.
    #[must_use]
    pub fn settings(&self) -> Vec<Vec<(&'static str, Setting)>> {
        let mut found: Vec<Vec<(&'static str, Setting)>> = Vec::new();
        for method in &self.known {
            for setting in method.settings() {
                let own = (method.name(), *setting);
                match found.iter_mut().find(|known| known[0].1.name() == setting.name()) {
                    Some(known) => known.push(own),
                    None => found.push(vec![own]),
                }
            }
        }
        found
    }
}
