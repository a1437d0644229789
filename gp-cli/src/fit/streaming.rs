//! Methods that can read rows from a file.

use super::spec::FitSpec;
use crate::error::{CliError, ErrorKind};
use crate::method::{Method, Methods, Optimizer};
use std::sync::Arc;

pub(super) fn check(
    method: &dyn Method,
    optimizer: Option<Optimizer>,
    methods: &Methods,
) -> Result<(), CliError> {
    let can = |optimizer: &Optimizer| method.takes_streams(*optimizer);
    let by = optimizer.filter(|optimizer| !can(optimizer) && method.optimizers().contains(optimizer));
    if method.optimizers().iter().any(can) && by.is_none() {
        return Ok(());
    }
    let by = by.map_or_else(String::new, |optimizer| format!(" with --optimizer {optimizer}"));
    let message = format!(
        "method {}{by} needs all rows in memory; those that do not are {}; or say --stream never",
        method.name(),
        able(methods).join(", ")
    );
    Err(CliError::new(ErrorKind::Usage, message))
}

/// [`check`] of the requested method, before reading.
pub(super) fn check_spec(spec: &FitSpec, methods: &Methods) -> Result<(), CliError> {
    if spec.is_auto() {
        return Ok(());
    }
    check(methods.find(&spec.method)?.as_ref(), spec.optimizer, methods)
}

pub(crate) fn able(methods: &Methods) -> Vec<String> {
    let with = |method: &Arc<dyn Method>| {
        let (can, cannot): (Vec<Optimizer>, Vec<Optimizer>) =
            method.optimizers().iter().partition(|optimizer| method.takes_streams(**optimizer));
        let names: Vec<String> = can.iter().map(ToString::to_string).collect();
        let by = if cannot.is_empty() { String::new() } else { format!(" (by {})", names.join(" or ")) };
        (!can.is_empty()).then(|| format!("{}{by}", method.name()))
    };
    methods.iter().filter_map(with).collect()
}
