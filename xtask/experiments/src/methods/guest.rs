//! Guest methods: methods of a program's [`Context`], by name, with an optional likelihood.

use crate::data::Part;
use crate::error::ExperimentError;
use crate::harness::Effort;
use gp_cli::Context;
use gp_cli::method::{Fit, ITERATIONS, Method, Optimizer, Problem, RepresentedBy, Settings, TrainingRows};
use gp_kernels::Kernel;
use gp_kernels::placement::{Placement, RandomSubset};
use gp_likelihoods::Likelihood;
use std::sync::Arc;

/// Method, and optional likelihood.
#[derive(Clone, Debug)]
pub struct Guest {
    method: Arc<dyn Method>,
    likelihood: Option<Box<dyn Likelihood>>,
}

/// Initial model for a guest.
#[derive(Clone, Debug)]
pub struct Start<'a> {
    /// Kernel of every latent.
    pub kernel: &'a dyn Kernel,
    /// Likelihood, if the guest has none.
    pub likelihood: Box<dyn Likelihood>,
    /// Inducing inputs (random training rows) or active rows.
    pub inducing: usize,
    /// Iterations, for methods with this setting.
    pub steps: u64,
    /// Random seed.
    pub seed: u64,
}

/// Training record of a guest.
#[must_use]
pub fn effort(found: &Fit) -> Effort {
    Effort::ended(&found.reason, found.iterations)
}

impl Guest {
    /// Parses a method and optional likelihood, as in `svgp: bernoulli_logit`.
    ///
    /// # Errors
    /// Unknown names; lists known ones.
    pub fn named(name: &str, names: &Context) -> Result<Self, ExperimentError> {
        let (method, likelihood) = match name.split_once(':') {
            Some((method, text)) => (method, Some(names.likelihoods.parse(text.trim())?)),
            None => (name, None),
        };
        Ok(Self { method: names.methods.find(method.trim())?, likelihood })
    }

    /// Trains; the method decides whether inducing inputs are learned.
    ///
    /// # Errors
    /// Unsupported likelihood, or failed training.
    pub fn fit(&self, training: &Part, start: Start<'_>) -> Result<Fit, ExperimentError> {
        let likelihood = self.likelihood.clone().unwrap_or(start.likelihood);
        if let Some(objection) = self.method.objection(likelihood.as_ref()) {
            let what = format!("{} cannot be used: {objection}", self.method.name());
            return Err(gp_cli::CliError::new(gp_cli::ErrorKind::Usage, what).into());
        }
        let (labels, count) = (training.labels(), start.inducing.clamp(1, training.len()));
        labels.iter().try_for_each(|&y| likelihood.check_observation(&[y]))?;
        let inducing = match self.method.represented_by() {
            RepresentedBy::InducingInputs => {
                let placed = RandomSubset.place(start.kernel, training.inputs.as_ref(), count, start.seed)?;
                vec![placed.inputs; likelihood.latents()]
            }
            RepresentedBy::Rows | RepresentedBy::ActiveRows => Vec::new(),
        };
        let problem = Problem {
            rows: TrainingRows::in_memory(training.inputs.clone(), labels),
            kernels: vec![start.kernel.clone_box(); likelihood.latents()],
            alike: true,
            inducing,
            likelihood,
            settings: self.settings(start.steps, count, start.seed),
        };
        Ok(self.method.fit(problem)?)
    }

    fn settings(&self, steps: u64, count: usize, seed: u64) -> Settings {
        let mut settings = Settings { seed, ..Settings::default() };
        if self.method.settings().iter().any(|setting| setting.name() == ITERATIONS.name()) {
            settings.given.insert(ITERATIONS.name(), steps.into());
        }
        let optimizer = self.method.optimizers().first().copied().unwrap_or(Optimizer::Lbfgs);
        settings.batch_size = self.method.batch_size(&settings.given, optimizer);
        settings.active = (self.method.represented_by() == RepresentedBy::ActiveRows).then_some(count);
        settings
    }
}
