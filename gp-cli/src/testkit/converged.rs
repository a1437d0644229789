//! Training results belong to final parameters.

use super::MethodKit;
use super::answers::Answers;
use super::problems::{Subject, TASKS, Table};
use super::report::Findings;
use crate::error::CliError;
use crate::method::{Fit, Optimizer, Problem, RepresentedBy};
use gp_ep::Posterior as _;
use gp_kernels::inducing::InducingInputs;
use gp_likelihoods::Likelihood;

const ROWS: usize = 60;

/// After few quasi-Newton steps, a fit at the learned parameters gives the same latents and objective; stale
/// sites fail.
pub(super) fn check(kit: &MethodKit<'_>, findings: &mut Findings) -> Result<(), CliError> {
    if kit.method.represented_by() == RepresentedBy::ActiveRows {
        findings.skip("the method chooses its active rows anew");
        return Ok(());
    }
    if !kit.method.optimizers().contains(&Optimizer::Lbfgs) {
        findings.skip("the method trains in mini-batches alone");
        return Ok(());
    }
    let Some(tolerance) = kit.converged else {
        findings.skip("the posterior is trained with the parameters");
        return Ok(());
    };
    for task in TASKS {
        let Some(likelihood) = task.accepted(kit, findings)? else { continue };
        let rows = || Table::new(task, ROWS).in_memory();
        let mut problem = kit.short_fit(likelihood.as_ref(), rows(), Optimizer::Lbfgs)?;
        problem.settings.known_parameters = true;
        let trained = kit.method.fit(problem)?;
        let again = kit.method.fit(kit.with_parameters_of(&trained, likelihood.as_ref(), task)?)?;
        let latents = |fit: &Fit| Answers::new(&fit.posterior, task).map(|answers| answers.latents);
        let what = format!("{task:?} with the learned parameters held fixed");
        findings.close(&format!("{what}: latents"), &latents(&trained)?, &latents(&again)?, tolerance);
        findings.close(&format!("{what}: objective"), &[trained.objective], &[again.objective], tolerance);
    }
    Ok(())
}

impl MethodKit<'_> {
    fn with_parameters_of(
        &self,
        fit: &Fit,
        likelihood: &dyn Likelihood,
        task: Subject,
    ) -> Result<Problem, CliError> {
        let mut problem = self.fixed(fit.posterior.likelihood(), Table::new(task, ROWS).in_memory())?;
        let latents = (0..likelihood.latents()).map(|latent| fit.posterior.functions().describe(latent));
        problem.inducing.clear();
        problem.kernels.clear();
        for latent in latents {
            problem.kernels.push(latent.kernel.clone_box());
            if let Some(places) = latent.represented_by {
                problem.inducing.push(InducingInputs::points(places)?);
            }
        }
        Self::fix_kernels(&mut problem);
        problem.settings.known_parameters = true;
        self.method.train_by(Optimizer::Lbfgs, &mut problem.settings);
        Ok(problem)
    }
}
