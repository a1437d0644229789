//! Checks of cases with known results.

use super::MethodKit;
use super::answers::Answers;
use super::problems::{Subject, Table, elsewhere, see_through};
use super::report::Findings;
use crate::error::CliError;
use crate::method::{Fit, Problem, RepresentedBy};
use gp_ep::{ExactGp, Observations};
use gp_kernels::Evaluator;
use gp_kernels::posterior::LatentPosterior as _;
use gp_likelihoods::Gaussian;

const ROWS: usize = 60;
const CLOSED: f64 = 1e-6;

/// Gaussian noise, all rows inducing: latents and log evidence of exact regression.
pub(super) fn at_the_data(kit: &MethodKit<'_>, findings: &mut Findings) -> Result<(), CliError> {
    let Some(likelihood) = Subject::Numbers.accepted(kit, findings)? else { return Ok(()) };
    let table = Table::new(Subject::Numbers, ROWS);
    let mut problem = kit.fixed(likelihood.as_ref(), table.clone().in_memory())?;
    with_all_rows_as_inducing(kit, &mut problem, &table)?;
    compare_with_exact(kit, findings, ("at the data", problem), &table)
}

pub(super) fn compare_with_exact(
    kit: &MethodKit<'_>,
    findings: &mut Findings,
    (what, problem): (&str, Problem),
    table: &Table,
) -> Result<(), CliError> {
    let noise = Gaussian::new(problem.likelihood.parameters()[0].value())?;
    let exact = ExactGp::new(problem.kernels[0].clone_box(), noise);
    let exact = exact.condition(&Observations::new(table.points.as_ref(), &table.targets)?)?;
    let there = exact.predict(elsewhere().as_ref(), &Evaluator::default())?;
    let fit = kit.method.fit(problem)?;
    let expected: Vec<f64> = there.mean.into_iter().chain(there.variance).collect();
    let found = Answers::new(&fit.posterior, Subject::Numbers)?.latents;
    findings.close(&format!("latents {what}"), &found, &expected, kit.at_the_data);
    let evidence = exact.log_marginal_likelihood();
    findings.close(&format!("the objective {what}"), &[fit.objective], &[evidence], kit.at_the_data);
    Ok(())
}

pub(super) fn with_all_rows_as_inducing(
    kit: &MethodKit<'_>,
    problem: &mut Problem,
    table: &Table,
) -> Result<(), CliError> {
    match kit.method.represented_by() {
        RepresentedBy::InducingInputs => see_through(problem, table.points.as_ref())?,
        RepresentedBy::ActiveRows => problem.settings.active = Some(table.targets.len()),
        RepresentedBy::Rows => {}
    }
    Ok(())
}

pub(super) fn closed_form(kit: &MethodKit<'_>, findings: &mut Findings) -> Result<(), CliError> {
    let Some((name, given)) = &kit.closed_form else {
        findings.skip("no method was named that is its closed form");
        return Ok(());
    };
    let Some(likelihood) = Subject::Numbers.accepted(kit, findings)? else { return Ok(()) };
    let reference = kit.context.methods.find(name)?;
    let other = MethodKit { given: given.clone(), ..MethodKit::new(kit.context, reference.as_ref()) };
    let fit = |kit: &MethodKit<'_>| -> Result<Fit, CliError> {
        let rows = Table::new(Subject::Numbers, ROWS).in_memory();
        kit.method.fit(kit.fixed(likelihood.as_ref(), rows)?)
    };
    let (found, expected) = (fit(kit)?, fit(&other)?);
    let latents = |fit: &Fit| Answers::new(&fit.posterior, Subject::Numbers).map(|answers| answers.latents);
    findings.close(&format!("latents of {name}"), &latents(&found)?, &latents(&expected)?, CLOSED);
    findings.close(&format!("the objective of {name}"), &[found.objective], &[expected.objective], CLOSED);
    Ok(())
}

/// With one kernel, class latents' difference over √2 is the binary latent.
pub(super) fn two_classes(kit: &MethodKit<'_>, findings: &mut Findings) -> Result<(), CliError> {
    let mut probabilities = Vec::new();
    for task in [Subject::Signs, Subject::TwoClasses] {
        let Some(likelihood) = task.accepted(kit, findings)? else {
            findings.cases = 0;
            return Ok(());
        };
        let fit = kit.method.fit(kit.fixed(likelihood.as_ref(), Table::new(task, ROWS).in_memory())?)?;
        probabilities.push(Answers::new(&fit.posterior, task)?.probabilities.concat());
    }
    findings.close("probabilities of two classes", &probabilities[1], &probabilities[0], kit.two_classes);
    Ok(())
}
