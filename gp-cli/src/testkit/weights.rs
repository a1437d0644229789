//! Checks of row weights.

use super::MethodKit;
use super::accuracy::{compare_with_exact, with_all_rows_as_inducing};
use super::answers::Answers;
use super::problems::{Subject, Table};
use super::report::Findings;
use crate::encode::Role;
use crate::error::CliError;
use crate::method::{Fit, Problem, TrainingRows};
use faer::Mat;
use gp_likelihoods::{Adjusted, Likelihood};

const ROWS: usize = 40;
/// Negligible weight, permitted change.
const LIGHT: f64 = 1e-10;
const UNCHANGED: f64 = 1e-5;

pub(super) fn check(kit: &MethodKit<'_>, findings: &mut Findings) -> Result<(), CliError> {
    if !kit.method.supports(Role::Weights) {
        findings.skip("the method takes no weights");
        return Ok(());
    }
    copies(kit, findings)?;
    light_rows(kit, findings)
}

/// Weights equal copies in exact regression: Gaussian noise, all rows inducing.
fn copies(kit: &MethodKit<'_>, findings: &mut Findings) -> Result<(), CliError> {
    let Some(likelihood) = Subject::Numbers.accepted(kit, findings)? else { return Ok(()) };
    let table = Table::new(Subject::Numbers, ROWS);
    let weight = |i: usize| 1 + i % 3;
    let mut problem = weighted(kit, likelihood.as_ref(), &table, |i| weight(i) as f64)?;
    with_all_rows_as_inducing(kit, &mut problem, &table)?;
    let copies: Vec<usize> = (0..ROWS).flat_map(|i| std::iter::repeat_n(i, weight(i))).collect();
    let repeated = Table {
        points: Mat::from_fn(copies.len(), table.points.ncols(), |i, d| table.points[(copies[i], d)]),
        targets: copies.iter().map(|&i| table.targets[i]).collect(),
    };
    compare_with_exact(kit, findings, ("with weights of 1, 2 and 3", problem), &repeated)
}

/// Three classes are too expensive: weights below 1 may need quadrature.
fn light_rows(kit: &MethodKit<'_>, findings: &mut Findings) -> Result<(), CliError> {
    for task in [Subject::Numbers, Subject::Signs] {
        let Some(likelihood) = task.accepted(kit, findings)? else { continue };
        let table = Table::new(task, ROWS);
        let kept = 3 * ROWS / 4;
        let fewer = Table {
            points: table.points.as_ref().subrows(0, kept).to_owned(),
            targets: table.targets[..kept].to_vec(),
        };
        let light = weighted(kit, likelihood.as_ref(), &table, |i| if i < kept { 1.0 } else { LIGHT })?;
        if let Some(why) = kit.method.objection(light.likelihood.as_ref()) {
            findings.skip(format!("{task:?} with weights below 1: {why}"));
            continue;
        }
        let latents = |fit: &Fit| Answers::new(&fit.posterior, task).map(|answers| answers.latents);
        let found = kit.method.fit(light)?;
        let expected = kit.method.fit(kit.fixed(likelihood.as_ref(), fewer.in_memory())?)?;
        let what = format!("{task:?} with rows of almost no weight");
        findings.close(&format!("{what}: latents"), &latents(&found)?, &latents(&expected)?, UNCHANGED);
        findings.close(&format!("{what}: objective"), &[found.objective], &[expected.objective], UNCHANGED);
    }
    Ok(())
}

fn weighted(
    kit: &MethodKit<'_>,
    likelihood: &dyn Likelihood,
    table: &Table,
    weight: impl Fn(usize) -> f64,
) -> Result<Problem, CliError> {
    let rows = table.targets.iter().enumerate();
    let observed = rows.flat_map(|(i, &y)| [y, 0.0, weight(i)]).collect();
    let adjusted = Adjusted::new(likelihood.clone_box());
    kit.fixed(&adjusted, TrainingRows::in_memory(table.points.clone(), observed))
}
