//! Checks of gradients against finite differences.

use super::MethodKit;
use super::problems::{TASKS, Table};
use super::report::Findings;
use crate::error::CliError;

/// Few: differences need some hundred evaluations.
const ROWS: usize = 24;

pub(super) fn check(kit: &MethodKit<'_>, findings: &mut Findings) -> Result<(), CliError> {
    for task in TASKS {
        let Some(likelihood) = task.accepted(kit, findings)? else { continue };
        let problem = kit.problem(likelihood.as_ref(), Table::new(task, ROWS).in_memory())?;
        let checks = kit.method.gradients(&problem)?;
        findings.require(!checks.is_empty(), || format!("{task:?}: no gradient of parameters that are free"));
        for check in checks {
            let holds = check.relative_error <= kit.gradients;
            findings.require(holds, || {
                let (name, gradient, difference) = (&check.parameter, check.gradient, check.difference);
                format!("{task:?}: {name} has the gradient {gradient:e}, differences have {difference:e}")
            });
        }
    }
    Ok(())
}
