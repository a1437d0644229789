//! Unknown names in model files.

use super::posteriors::Posteriors;
use crate::error::{CliError, ErrorKind};
use crate::memory::Budget;
use gp_kernels::{KernelError, Registry};
use gp_likelihoods::LikelihoodError;
use serde_json::{Map, Value};

/// Stored keys besides the posterior's name.
const BESIDE: [&str; 3] = ["likelihood", "temperature", "weights"];

/// Names that a program knows.
pub trait Vocabulary {
    /// Known kernels.
    fn kernels(&self) -> &Registry;

    /// Known likelihoods.
    fn likelihoods(&self) -> &gp_likelihoods::Registry;

    /// Known posteriors.
    fn posteriors(&self) -> &Posteriors;

    /// `true` for a known method.
    fn has_method(&self, name: &str) -> bool;

    /// Memory budget for a model.
    fn budget(&self) -> Budget {
        Budget::default()
    }
}

pub(super) fn check(model: &Value, source: &str, names: &dyn Vocabulary) -> Result<(), CliError> {
    let mut lacking = Vec::new();
    for part in ["posterior", "baseline"] {
        collect(&model[part], names, &mut lacking);
        let name = model[part].as_object().and_then(posterior_name);
        lacking.extend(name.and_then(|name| lacking_posterior(name, names.posteriors())));
    }
    if let Some(method) = model["training"]["method"].as_str().filter(|name| !names.has_method(name)) {
        lacking.push(format!("the method `{method}`"));
    }
    lacking.dedup();
    if lacking.is_empty() {
        return Ok(());
    }
    let message = format!(
        "`{source}` needs {}, which this program does not have; use the program that wrote it, or one that registers what is missing",
        lacking.join(" and ")
    );
    Err(CliError::new(ErrorKind::Model, message))
}

pub(super) fn posterior_name(stored: &Map<String, Value>) -> Option<&str> {
    stored.keys().map(String::as_str).find(|name| !BESIDE.contains(name))
}

/// Collects unknown names; parsing finds other faults.
fn collect(value: &Value, names: &dyn Vocabulary, lacking: &mut Vec<String>) {
    match value {
        Value::Object(entries) => {
            for (key, value) in entries {
                let found = match (key.as_str(), value) {
                    ("kernel", Value::String(text)) => lacking_kernel(text, names.kernels()),
                    ("likelihood", Value::String(text)) => lacking_likelihood(text, names.likelihoods()),
                    ("posterior", Value::String(name)) => lacking_posterior(name, names.posteriors()),
                    _ => {
                        collect(value, names, lacking);
                        None
                    }
                };
                lacking.extend(found.filter(|what| !lacking.contains(what)));
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, names, lacking)),
        _ => {}
    }
}

fn lacking_kernel(text: &str, known: &Registry) -> Option<String> {
    let Err(KernelError::Expression(fault)) = known.parse(text) else { return None };
    let name = name_at(text, fault.column);
    let refusal = known.find(name).err()?.to_string();
    (refusal == fault.message).then(|| format!("the kernel `{name}`"))
}

fn lacking_likelihood(text: &str, known: &gp_likelihoods::Registry) -> Option<String> {
    let Err(LikelihoodError::Expression { column, message, .. }) = known.parse(text) else { return None };
    let name = name_at(text, column);
    let refusal = known.find(name).err()?.to_string();
    (refusal == message).then(|| format!("the likelihood `{name}`"))
}

fn lacking_posterior(name: &str, known: &Posteriors) -> Option<String> {
    (!known.has(name)).then(|| format!("the posterior `{name}`"))
}

fn name_at(text: &str, column: usize) -> &str {
    let start = text.char_indices().nth(column.saturating_sub(1)).map_or(text.len(), |(start, _)| start);
    let rest = &text[start..];
    let end = rest.find(|letter: char| !letter.is_alphanumeric() && letter != '_').unwrap_or(rest.len());
    &rest[..end]
}
