//! Classification in mini-batches: EP with its own sites or with one for all, and variational inference.

use super::course::{self, Course};
use super::kernels;
use super::scores::{self, Labels};
use crate::data::{Part, Task};
use crate::error::ExperimentError;
use crate::harness::{Outcome, Stopwatch};
use gp_ep::power_ep::{InnerOptions, MiniBatchEp, Moment, Sharing};
use gp_ep::{PowerEp, Powers, SparseProcess, Table};
use gp_likelihoods::{BernoulliProbit, Likelihood, RobustMax};
use gp_optim::{Adam, Batches};
use gp_variational::savigp::BatchOptions;
use gp_variational::{Savigp, VariationalPosterior};

/// How far sites move in mini-batches, where less damping is needed (seed 003 §2).
const SITE_STEP: f64 = 0.99;
/// The length of natural-gradient steps of variational posteriors.
const NATURAL: f64 = 0.1;
/// ε of the robust likelihood.
const ROBUST: f64 = 1e-3;

/// How a model is learned.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Method {
    /// Power EP of this power with a site an observation.
    Own(f64),
    /// EP with one site for all observations of a class.
    Tied,
    /// A variational bound, the posterior by natural gradients.
    Variational,
}

/// A problem, and how it is gone about.
#[derive(Clone, Copy, Debug)]
pub struct Stream<'a> {
    /// To learn from.
    pub training: &'a Part,
    /// To be predicted.
    pub test: &'a Part,
    /// Two classes or several.
    pub task: Task,
    /// Inducing inputs, of each class where there are several.
    pub inducing: usize,
    /// Rows of a batch.
    pub batch: usize,
    /// Batches.
    pub steps: u64,
    /// The rate of Adam.
    pub rate: f64,
    /// Length-scales to start from are so many times √D.
    pub lengthscale: f64,
    /// Of inducing inputs and of batches.
    pub seed: u64,
}

impl Stream<'_> {
    /// Learns and predicts: `nll`, `error` and `seconds` at the end.
    ///
    /// # Errors
    /// Whatever learning or predicting failed of.
    pub fn run(&self, method: Method) -> Result<Outcome, ExperimentError> {
        let mut watch = Stopwatch::start();
        let predictor = self.learned(method)?;
        let seconds = watch.seconds();
        let (error, nll) = watch.pause(|| scores::of_labels(predictor.as_ref(), self.test))?;
        Ok(Outcome::of([("nll", nll), ("error", error), ("seconds", seconds)]))
    }

    /// The same, with `nll by seconds` and `error by seconds` after every power of two of batches and in the end. A
    /// variational run is started anew for each of these, for nobody can look at it while it goes on; it takes the same
    /// way every time.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn course(&self, method: Method) -> Result<Outcome, ExperimentError> {
        let stops = course::stops(4, self.steps);
        if method == Method::Variational {
            let run = |steps| Self { steps, ..*self }.run(method);
            return course::started_anew(&stops, &["nll", "error"], "seconds", run);
        }
        let mut course = Course::start(self.test, stops);
        let predictor = self.learn(method, |now| {
            course.look(now.progress.evaluation, &|| now.state.predictor(now.model));
        })?;
        course.end(predictor.as_ref())
    }

    /// Learns, and that is all.
    ///
    /// # Errors
    /// Whatever learning failed of.
    pub fn learned(&self, method: Method) -> Result<Box<dyn Labels>, ExperimentError> {
        self.learn(method, |_| {})
    }

    fn learn(
        &self,
        method: Method,
        look: impl FnMut(Moment<'_, MiniBatchEp>),
    ) -> Result<Box<dyn Labels>, ExperimentError> {
        let labels = self.training.labels();
        let data = Table::with_targets(self.training.inputs.as_ref(), &labels)?;
        let (batches, rule) = (self.batches()?, Adam::with_rate(self.rate));
        let (sharing, power) = match method {
            Method::Variational => return Ok(Box::new(self.variational()?)),
            Method::Own(power) => (Sharing::Own, power),
            Method::Tied => (Sharing::Tied, 1.0),
        };
        let processes = self.processes()?;
        let model = match self.task {
            Task::Classes(_) => PowerEp::of_classes(processes, 0.0)?,
            Task::Binary | Task::Number => PowerEp::new(processes, Box::new(BernoulliProbit))?,
        };
        let mut model = model.with_powers(Powers::Same(power));
        let mut options = InnerOptions::default();
        (options.steps, options.ep.step) = (self.steps, SITE_STEP);
        let found = model.train_in_batches(&data, sharing, batches, rule, &options, look)?;
        Ok(Box::new(found.state.predictor(&model)?))
    }

    /// Learns a variational posterior.
    ///
    /// # Errors
    /// Whatever learning failed of.
    pub fn variational(&self) -> Result<VariationalPosterior, ExperimentError> {
        let labels = self.training.labels();
        let data = Table::with_targets(self.training.inputs.as_ref(), &labels)?;
        let mut model = Savigp::new(self.processes()?, self.likelihood()?)?;
        let mut options = BatchOptions::default();
        (options.steps, options.natural) = (self.steps, Some(NATURAL));
        model.train_in_batches(&data, self.batches()?, Adam::with_rate(self.rate), &options, |_| {})?;
        Ok(model.predictor()?)
    }

    fn batches(&self) -> Result<Batches, ExperimentError> {
        let count = self.training.len();
        Ok(Batches::shuffled(count, self.batch.min(count), self.seed)?)
    }

    fn likelihood(&self) -> Result<Box<dyn Likelihood>, ExperimentError> {
        Ok(match self.task {
            Task::Classes(classes) => Box::new(RobustMax::new(classes, ROBUST)?),
            Task::Binary | Task::Number => Box::new(BernoulliProbit),
        })
    }

    fn processes(&self) -> Result<Vec<SparseProcess>, ExperimentError> {
        let functions = if let Task::Classes(classes) = self.task { classes } else { 1 };
        let process = |k: u64| {
            let kernel = kernels::with_noise(self.training.dim(), self.lengthscale)?;
            let inputs = self.training.inputs.as_ref();
            kernels::at_random_rows(kernel, inputs, self.inducing.min(self.training.len()), self.seed + k)
        };
        (0..functions as u64).map(process).collect()
    }
}
