//! Variational inference for any likelihood, with the three posteriors of seed 004.

use super::kernels;
use crate::data::{Part, Split};
use crate::error::ExperimentError;
use crate::harness::{Outcome, Stopwatch};
use gp_kernels::data::Table;
use gp_kernels::{Evaluator, Kernel};
use gp_likelihoods::Likelihood;
use gp_optim::MinimiseOptions;
use gp_variational::savigp::{Covariance, Mixture};
use gp_variational::{
    DenseVariational, Expectation, NaturalOptions, Savigp, VariationalError, VariationalPosterior,
};

/// Iterations of a mixture for each of a full Gaussian, whose posterior moves by natural gradients within one.
const FIRST_ORDER: u64 = 15;

/// The Gaussians that stand for what is believed about latent functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Posterior {
    /// One full Gaussian, at every observation where the share of inducing inputs is 1.
    Full,
    /// One diagonal Gaussian.
    Diagonal,
    /// A mixture of two diagonal Gaussians.
    TwoDiagonal,
}

/// A problem, and how it is gone about.
#[derive(Clone, Copy, Debug)]
pub struct Setup<'a> {
    /// The likelihood as text.
    pub likelihood: &'a str,
    /// Whether every input has a length-scale of its own.
    pub ard: bool,
    /// How expectations are computed.
    pub expectation: Expectation,
    /// How many steps of L-BFGS at most; of first-order kinds, fifteen times as many.
    pub iterations: u64,
    /// The share of observations that are inducing inputs; 1 for the dense posterior.
    pub share: f64,
}

/// What was learned.
#[derive(Debug)]
pub struct Found {
    /// For predictions.
    pub posterior: VariationalPosterior,
    /// The kernel of the first latent function.
    pub kernel: Box<dyn Kernel>,
    /// The bound on the log evidence.
    pub bound: f64,
    /// Processor time.
    pub seconds: f64,
}

impl Setup<'_> {
    /// Learns a posterior and all parameters; inducing inputs are random training rows, those of a small share among
    /// those of a larger one, and stay.
    ///
    /// # Errors
    /// Whatever learning failed of.
    pub fn learn(&self, posterior: Posterior, training: &Part) -> Result<Found, ExperimentError> {
        let (watch, natural) = (Stopwatch::start(), NaturalOptions { tolerance: 1e-8, ..Default::default() });
        let table = Table::new(training.inputs.as_ref(), training.targets.as_ref())?;
        let options = MinimiseOptions { max_iterations: self.iterations, ..MinimiseOptions::default() };
        let likelihood = self.likelihood()?;
        let latents = likelihood.latents();
        if self.share >= 1.0 && posterior == Posterior::Full {
            let kernels = (0..latents).map(|_| self.kernel(training.dim())).collect::<Result<_, _>>()?;
            let mut model = DenseVariational::new(kernels, likelihood)?.with_expectation(self.expectation)?;
            let mut trained = model.train(&table, &natural, &options, |_| {})?;
            let (bound, kernel) = (trained.run.1.bound, model.kernels()[0].clone());
            let posterior = trained.state.predictor(&model)?;
            return Ok(Found { posterior, kernel, bound, seconds: watch.seconds() });
        }
        let count = ((self.share * training.len() as f64).ceil() as usize).clamp(1, training.len());
        let process = |_| {
            let kernel = self.kernel(training.dim())?;
            let process = kernels::at_random_rows(kernel, training.inputs.as_ref(), count, 1)?;
            Ok(process.with_fixed_inputs())
        };
        let processes = (0..latents).map(process).collect::<Result<Vec<_>, ExperimentError>>()?;
        let mut model = Savigp::new(processes, likelihood)?.with_expectation(self.expectation)?;
        let bound = match posterior {
            Posterior::Full => model.train_outer(&table, &natural, &options, |_| {})?.run.1.bound,
            Posterior::Diagonal => self.diagonal(&mut model, &table, 1)?,
            Posterior::TwoDiagonal => self.diagonal(&mut model, &table, 2)?,
        };
        let kernel = model.processes()[0].kernel().clone_box();
        Ok(Found { posterior: model.predictor()?, kernel, bound, seconds: watch.seconds() })
    }

    /// Diagonal Gaussians: one, then split in two if there are to be two.
    fn diagonal(
        &self,
        model: &mut Savigp,
        table: &Table<'_>,
        components: usize,
    ) -> Result<f64, VariationalError> {
        let options =
            MinimiseOptions { max_iterations: FIRST_ORDER * self.iterations, ..MinimiseOptions::default() };
        model.set_posterior(Mixture::prior(model.posterior().counts(), Covariance::Diagonal)?)?;
        let mut bound = model.train(table, &options, |_| {})?.run.log_marginal_likelihood;
        if components > 1 {
            model.set_posterior(model.posterior().split(components, 1)?)?;
            bound = model.train(table, &options, |_| {})?.run.log_marginal_likelihood;
        }
        Ok(bound)
    }

    fn likelihood(&self) -> Result<Box<dyn Likelihood>, ExperimentError> {
        Ok(gp_likelihoods::parse(self.likelihood)?)
    }

    fn kernel(&self, dim: usize) -> Result<Box<dyn Kernel>, ExperimentError> {
        if self.ard { kernels::one_scale_an_input(dim) } else { kernels::one_scale(dim) }
    }
}

impl Found {
    /// `sse` and `nlpd` of numbers: mean squared error over the variance of the test targets, and mean negative log
    /// density in the units of the file.
    ///
    /// # Errors
    /// For predictions that cannot be made.
    pub fn number_scores(&self, split: &Split) -> Result<Outcome, ExperimentError> {
        let (by, test) = (Evaluator::default(), &split.test);
        let (targets, count) = (test.labels(), test.len() as f64);
        let moments = self.posterior.moments(test.inputs.as_ref(), &by)?;
        let mean = targets.iter().sum::<f64>() / count;
        let variance: f64 = targets.iter().map(|y| (y - mean).powi(2)).sum();
        let squares: f64 = targets.iter().zip(&moments).map(|(y, found)| (y - found.mean).powi(2)).sum();
        let densities = self.posterior.log_densities(test.inputs.as_ref(), test.targets.as_ref(), &by)?;
        let nlpd = split.log_units() - densities.iter().sum::<f64>() / count;
        Ok(self.course([("sse", squares / variance), ("nlpd", nlpd)]))
    }

    /// `error` and `nlp` of labels.
    ///
    /// # Errors
    /// For predictions that cannot be made.
    pub fn label_scores(&self, split: &Split) -> Result<Outcome, ExperimentError> {
        let (error, nlp) = super::scores::of_labels(&self.posterior, &split.test)?;
        Ok(self.course([("error", error), ("nlp", nlp)]))
    }

    fn course(&self, scores: [(&str, f64); 2]) -> Outcome {
        Outcome::of(scores).with("bound", self.bound).with("seconds", self.seconds)
    }
}
