//! The methods of a program.

use super::contract::Method;
use super::setting::Setting;
use crate::error::CliError;
use gp_optim::did_you_mean;
use std::sync::Arc;

/// A list of methods, to which programs add their own.
#[derive(Clone, Debug)]
pub struct Methods {
    known: Vec<Arc<dyn Method>>,
}

impl Methods {
    /// A list of these.
    #[must_use]
    pub fn new(known: Vec<Arc<dyn Method>>) -> Self {
        Self { known }
    }

    /// Adds a method, or puts it in the place of one of the same name.
    #[must_use]
    pub fn with(mut self, method: Arc<dyn Method>) -> Self {
        match self.known.iter_mut().find(|known| known.name() == method.name()) {
            Some(place) => *place = method,
            None => self.known.push(method),
        }
        self
    }

    /// All of them, in the order of lists for people.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<dyn Method>> {
        self.known.iter()
    }

    /// Their names, in the same order.
    #[must_use]
    pub fn names(&self) -> Vec<&'static str> {
        self.known.iter().map(|method| method.name()).collect()
    }

    /// The method of this name.
    ///
    /// # Errors
    /// Of kind [`Usage`](crate::ErrorKind::Usage) with the names there are.
    pub fn find(&self, name: &str) -> Result<Arc<dyn Method>, CliError> {
        self.known.iter().find(|method| method.name() == name).cloned().ok_or_else(|| {
            let (names, meant) = (self.names().join(", "), did_you_mean(name, self.names()));
            CliError::usage(format!("there is no method `{name}`; choose auto, {names}{meant}"))
        })
    }

    /// Every name of a setting, with the declarations of it by the names of methods, in the order of methods.
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
