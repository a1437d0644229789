//! Kernel score: penalised log evidence on some rows.

use super::structure::{Around, Priors, Structure};
use crate::error::{CliError, ErrorKind};
use crate::method::{Ep, Given, ITERATIONS, Method as _, Problem, Settings, TrainingRows, minimise_options};
use gp_ep::{DataSource as _, ExactGp, Inference as _, Learning};
use gp_kernels::inducing::InducingInputs;
use gp_kernels::{Kernel, KernelExt as _, Registry};
use gp_likelihoods::{Gaussian, Likelihood};
use gp_linalg::Threading;
use gp_optim::Control;

/// Maximum iterations per start: exact regression, EP.
const ITERATIONS_OF_NUMBERS: u64 = 40;
const ITERATIONS_OF_LABELS: u64 = 20;
/// Initial noise, for a target of variance 1.
pub(super) const NOISE: f64 = 0.2;

#[derive(Debug)]
pub(super) struct LabelEvidence {
    pub(super) likelihood: Box<dyn Likelihood>,
    pub(super) inducing: InducingInputs,
    pub(super) variances: Around,
}

#[derive(Debug)]
pub(super) struct Judge<'a> {
    pub(super) registry: &'a Registry,
    /// Real targets have mean 0, variance 1, Gaussian noise.
    pub(super) rows: TrainingRows,
    pub(super) labels: Option<LabelEvidence>,
    pub(super) control: Control,
}

#[derive(Clone, Debug)]
pub(super) struct Judged {
    pub(super) structure: Structure,
    pub(super) noise: f64,
    pub(super) evidence: f64,
}

impl Judge<'_> {
    /// Bayesian information criterion: ½ ln N.
    pub(super) fn cost_of_a_parameter(&self) -> f64 {
        0.5 * (self.rows.count() as f64).ln()
    }

    /// Best start; `None` after the time limit or without success.
    pub(super) fn best(&self, starts: &[Structure], noise: f64) -> Result<Option<Judged>, CliError> {
        let mut best: Option<Judged> = None;
        for start in starts {
            let found = self.train(start, noise)?;
            let is_better = |found: &Judged| best.as_ref().is_none_or(|best| found.evidence > best.evidence);
            if let Some(found) = found.filter(|found| found.evidence.is_finite() && is_better(found)) {
                best = Some(found);
            }
        }
        Ok(best)
    }

    fn train(&self, start: &Structure, noise: f64) -> Result<Option<Judged>, CliError> {
        let priors = Priors(self.labels.as_ref().map(|labels| labels.variances));
        let kernel = self.registry.parse_for(&start.text(priors, None), self.rows.dim());
        let kernel = kernel.map_err(|cause| {
            CliError::caused(ErrorKind::Usage, "--search needs the kernels of gp-kernels", cause)
        })?;
        if self.control.wants_end() {
            return Ok(None);
        }
        let trained = match &self.labels {
            None => self.of_numbers(kernel, noise)?,
            Some(labels) => self.of_labels(kernel, labels),
        };
        // Trainings cut short are not comparable.
        Ok(trained.filter(|_| !self.control.wants_end()).map(|(values, noise, evidence)| Judged {
            structure: start.with_values(&values),
            noise,
            evidence,
        }))
    }

    fn of_numbers(
        &self,
        kernel: Box<dyn Kernel>,
        noise: f64,
    ) -> Result<Option<(Vec<f64>, f64, f64)>, CliError> {
        // Kernels are trained in parallel, one thread each.
        let mut model = ExactGp::new(kernel, Gaussian::new(noise)?).with_threading(Threading::Here);
        let options = minimise_options(ITERATIONS_OF_NUMBERS, &self.control);
        if model.learn(&self.rows, Learning::Outer(options)).is_err() {
            return Ok(None);
        }
        let Ok(evidence) = model.log_evidence(&self.rows) else { return Ok(None) };
        Ok(Some((model.kernel().parameter_values(), model.noise().variance(), evidence.value)))
    }

    /// [`of_numbers`](Self::of_numbers) for labels, by EP; noise is meaningless.
    fn of_labels(&self, kernel: Box<dyn Kernel>, labels: &LabelEvidence) -> Option<(Vec<f64>, f64, f64)> {
        let latents = labels.likelihood.latents();
        let mut given = Given::default();
        given.insert(ITERATIONS.name(), ITERATIONS_OF_LABELS.into());
        let settings =
            Settings { given, fixed_inducing: true, control: self.control.clone(), ..Settings::default() };
        let fit = Ep::EP.fit(Problem {
            rows: self.rows.clone(),
            kernels: vec![kernel; latents],
            alike: true,
            inducing: vec![labels.inducing.clone(); latents],
            likelihood: labels.likelihood.clone_box(),
            settings,
        });
        let fit = fit.ok()?;
        let values = fit.posterior.describe().first()?.kernel.parameter_values();
        Some((values, NOISE, fit.objective))
    }
}
