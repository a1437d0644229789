//! Names used by model files, and those that a program lacks.

use crate::error::{CliError, ErrorKind};
use crate::memory::Budget;
use gp_kernels::{KernelError, Registry};
use gp_likelihoods::LikelihoodError;
use serde_json::Value;

/// The kernels, likelihoods and methods that a program knows by name.
pub trait Vocabulary {
    /// The kernels of expressions.
    fn kernels(&self) -> &Registry;

    /// The likelihoods of expressions.
    fn likelihoods(&self) -> &gp_likelihoods::Registry;

    /// `true` if there is a method of this name.
    fn has_method(&self, name: &str) -> bool;

    /// Memory budget of a model.
    fn budget(&self) -> Budget {
        Budget::default()
    }
}

/// Refuses a model, as it is written, of a kernel, a likelihood or a method that is not known.
pub(super) fn check(model: &Value, source: &str, names: &dyn Vocabulary) -> Result<(), CliError> {
    let mut lacking = Vec::new();
    for part in ["posterior", "baseline"] {
        collect(&model[part], names, &mut lacking);
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

/// Looks through all expressions. What else is wrong with them is found when they are read.
fn collect(value: &Value, names: &dyn Vocabulary, lacking: &mut Vec<String>) {
    match value {
        Value::Object(entries) => {
            for (key, value) in entries {
                let found = match (key.as_str(), value) {
                    ("kernel", Value::String(text)) => lacking_kernel(text, names.kernels()),
                    ("likelihood", Value::String(text)) => lacking_likelihood(text, names.likelihoods()),
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

/// The kernel that an expression cannot be read for the lack of.
fn lacking_kernel(text: &str, known: &Registry) -> Option<String> {
    let Err(KernelError::Expression(fault)) = known.parse(text) else { return None };
    let name = name_at(text, fault.column);
    let refusal = known.find(name).err()?.to_string();
    (refusal == fault.message).then(|| format!("the kernel `{name}`"))
}

/// The likelihood that an expression cannot be read for the lack of.
fn lacking_likelihood(text: &str, known: &gp_likelihoods::Registry) -> Option<String> {
    let Err(LikelihoodError::Expression { column, message, .. }) = known.parse(text) else { return None };
    let name = name_at(text, column);
    let refusal = known.find(name).err()?.to_string();
    (refusal == message).then(|| format!("the likelihood `{name}`"))
}

/// The name at a column, counted from 1 in characters.
fn name_at(text: &str, column: usize) -> &str {
    let start = text.char_indices().nth(column.saturating_sub(1)).map_or(text.len(), |(start, _)| start);
    let rest = &text[start..];
    let end = rest.find(|letter: char| !letter.is_alphanumeric() && letter != '_').unwrap_or(rest.len());
    &rest[..end]
}
