//! Variational inference with the posteriors of Bonilla et al. 2019.

use super::fitted::Fitted;
use super::rule::Rule;
use super::{kernels, scores};
use crate::data::{Part, Split, Task};
use crate::error::ExperimentError;
use crate::harness::{Effort, Outcome};
use gp_ep::{Inference as _, Learning, LearningRecord, Posterior, Predictor};
use gp_kernels::Kernel;
use gp_kernels::KernelExt as _;
use gp_kernels::data::{DataSource, Table};
use gp_likelihoods::Likelihood;
use gp_optim::{Batches, MinimiseOptions, TrainingProgress};
use gp_variational::savigp::{BoundLearning, Covariance, Mixture};
use gp_variational::{DenseVariational, Draws, Expectation, NaturalOptions, Sampling, Savigp};

/// First-order steps per L-BFGS iteration.
const FIRST_ORDER: u64 = 15;

/// Posterior over latents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gaussians {
    /// Full Gaussian; dense for share 1.
    Full,
    /// Diagonal Gaussian.
    Diagonal,
    /// Two diagonal Gaussians.
    TwoDiagonal,
}

/// Variational model and training settings.
#[derive(Clone, Copy, Debug)]
pub struct Automated<'a> {
    /// Likelihood of the observations.
    pub likelihood: &'a dyn Likelihood,
    /// Kernel of every latent; None: length-scale per input.
    pub kernel: Option<&'a dyn Kernel>,
    /// Method for expectations.
    pub expectation: Expectation,
    /// Maximum L-BFGS iterations; fifteen first-order steps each.
    pub iterations: u64,
    /// Inducing inputs per observation; 1: dense posterior.
    pub share: f64,
}

/// Result of learning.
#[derive(Debug)]
pub struct Found {
    /// Trained predictor.
    pub posterior: Predictor<Box<dyn Posterior>>,
    /// Kernel of the first latent.
    pub kernel: Box<dyn Kernel>,
    /// Lower bound on log evidence.
    pub bound: f64,
    /// Training record.
    pub effort: Effort,
}

impl Automated<'_> {
    /// Trains posterior and parameters. Inducing inputs: fixed random rows, nested by share.
    ///
    /// # Errors
    /// Failed training.
    pub fn learn(&self, posterior: Gaussians, training: &Part) -> Result<Found, ExperimentError> {
        let natural = NaturalOptions { tolerance: 1e-8, ..Default::default() };
        let table = Table::new(training.inputs.as_ref(), training.targets.as_ref())?;
        let likelihood = self.likelihood.clone_box();
        let latents = likelihood.latents();
        let kernel = || match self.kernel {
            Some(kernel) => Ok(kernel.clone_box()),
            None => kernels::one_scale_an_input(training.dim()),
        };
        if self.share >= 1.0 && posterior == Gaussians::Full {
            let kernels = (0..latents).map(|_| kernel()).collect::<Result<_, _>>()?;
            let mut model = DenseVariational::new(kernels, likelihood)?.with_expectation(self.expectation)?;
            let trained = model.learn_with(&table, outer(self.iterations), &natural, &mut |_| {})?;
            let (effort, (mut state, ascent)) = (Effort::from(&trained.run), trained.state);
            let (bound, kernel) = (ascent.bound, model.kernels()[0].clone());
            let posterior = state.predictor(&model)?.map(|found| Box::new(found) as Box<dyn Posterior>);
            return Ok(self.found(posterior, kernel, bound, effort));
        }
        let count = ((self.share * training.len() as f64).ceil() as usize).clamp(1, training.len());
        let process = |_| {
            let process = kernels::at_random_rows(kernel()?, training.inputs.as_ref(), count, 1)?;
            Ok(process.with_fixed_inputs())
        };
        let processes = (0..latents).map(process).collect::<Result<Vec<_>, ExperimentError>>()?;
        let mut model = Savigp::new(processes, likelihood)?.with_expectation(self.expectation)?;
        let (bound, effort) = if posterior == Gaussians::Full {
            let settings = BoundLearning::converged(natural);
            let trained = model.learn_with(&table, outer(self.iterations), &settings, &mut |_| {})?;
            let bound = trained.state.ascent.map_or(f64::NAN, |ascent| ascent.bound);
            (bound, Effort::from(&trained.run))
        } else {
            diagonal(&mut model, posterior, &table, FIRST_ORDER * self.iterations)?
        };
        let kernel = model.processes()[0].kernel().clone_box();
        let posterior = model.predictor()?.map(|found| Box::new(found) as Box<dyn Posterior>);
        Ok(self.found(posterior, kernel, bound, effort.with("inducing", count)))
    }

    fn found(
        &self,
        posterior: Predictor<Box<dyn Posterior>>,
        kernel: Box<dyn Kernel>,
        bound: f64,
        effort: Effort,
    ) -> Found {
        let effort = effort
            .with("kernel learned", kernel.expression())
            .with("likelihood learned", posterior.likelihood().expression())
            .with("expectation", format!("{:?}", self.expectation))
            .with("iterations at most", self.iterations);
        Found { posterior, kernel, bound, effort }
    }

    /// Trains and scores: `bound`, `seconds`; numbers: `sse` (mean squared error over test variance), `nlpd`
    /// (in file units); labels: `error`, `nlp`.
    ///
    /// # Errors
    /// Failed training or prediction.
    pub fn run(&self, posterior: Gaussians, split: &Split) -> Result<Outcome, ExperimentError> {
        let (found, seconds) = scores::timed(|| self.learn(posterior, &split.training))?;
        let outcome = scored(&found.posterior, split)?.with("bound", found.bound);
        Ok(outcome.with("seconds", seconds).by(found.effort))
    }
}

pub(crate) fn scored(fitted: &dyn Fitted, split: &Split) -> Result<Outcome, ExperimentError> {
    if split.task == Task::Number {
        let misses = scores::of_numbers(fitted, split)?;
        return Ok(Outcome::of([("sse", misses.relative[0]), ("nlpd", misses.nlpd)]));
    }
    let (error, each) = scores::of_each_label(fitted, &split.test)?;
    Ok(Outcome::of([("error", error), ("nlp", each.iter().sum::<f64>() / split.test.len() as f64)]))
}

/// Trains parameters and one diagonal Gaussian, then two if requested; returns the bound.
pub(crate) fn diagonal(
    model: &mut Savigp,
    posterior: Gaussians,
    table: &Table<'_>,
    iterations: u64,
) -> Result<(f64, Effort), ExperimentError> {
    model.set_posterior(Mixture::prior(model.posterior().counts(), Covariance::Diagonal)?)?;
    let (bound, effort) = together(model, table, iterations)?;
    if posterior != Gaussians::TwoDiagonal {
        return Ok((bound, effort));
    }
    model.set_posterior(model.posterior().split(2, 1)?)?;
    let (bound, second) = together(model, table, iterations)?;
    Ok((bound, second.after(effort)))
}

/// Exactly `steps` batches; `natural`: rate of the posterior's natural gradients, if any.
pub(crate) fn in_batches(
    model: &mut Savigp,
    data: &dyn DataSource,
    batches: Batches,
    rule: Rule,
    (steps, natural): (u64, Option<f64>),
    mut watch: impl FnMut(TrainingProgress),
) -> Result<Effort, ExperimentError> {
    let batch = batches.size();
    let mut settings = BoundLearning::default();
    settings.rate = natural;
    let how = Learning::Batches(batches, rule.steps(steps));
    let run = model.learn_with(data, how, &settings, &mut |now| watch(now.progress))?.run;
    let posterior =
        natural.map_or("as all else".to_owned(), |rate| format!("natural gradients, rate {rate}"));
    Ok(Effort::from(&run)
        .with("optimizer", rule)
        .with("posterior", posterior)
        .with("batch", batch)
        .with("steps at most", steps)
        .with("likelihood learned", model.likelihood().expression()))
}

/// Trains everything by L-BFGS; returns the bound.
pub(crate) fn together(
    model: &mut Savigp,
    data: &dyn DataSource,
    iterations: u64,
) -> Result<(f64, Effort), ExperimentError> {
    let settings = BoundLearning::all_together();
    let run = model.learn_with(data, outer(iterations), &settings, &mut |_| {})?.run;
    let effort = Effort::from(&run)
        .with("optimizer", "L-BFGS")
        .with("iterations at most", iterations)
        .with("likelihood learned", model.likelihood().expression());
    Ok((log_evidence(&run), effort))
}

pub(crate) fn log_evidence(run: &LearningRecord) -> f64 {
    run.training().map_or(f64::NAN, |training| training.log_marginal_likelihood)
}

pub(crate) fn outer(iterations: u64) -> Learning {
    Learning::Outer(MinimiseOptions { max_iterations: iterations, ..MinimiseOptions::default() })
}

pub(crate) fn sampled(samples: usize) -> Expectation {
    Expectation::Sampled(Sampling { samples, draws: Draws::QuasiRandom, ..Sampling::default() })
}
