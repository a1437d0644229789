//! Classification in mini-batches: EP with its own sites or with one for all, and variational inference.

use super::kernels;
use super::scores::{self, Labels};
use crate::data::{Part, Task};
use crate::error::ExperimentError;
use crate::harness::{Outcome, Stopwatch};
use gp_ep::power_ep::{InnerOptions, MiniBatchEp, Moment, Sharing};
use gp_ep::{PowerEp, Powers, SparseProcess, Table};
use gp_likelihoods::{BernoulliProbit, Likelihood, RobustMax};
use gp_optim::{Adam, Batches};
use gp_variational::Savigp;
use gp_variational::savigp::BatchOptions;

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
        let predictor = self.learn(method, |_| Ok(()))?;
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
        let (mut nll, mut error) = (Vec::new(), Vec::new());
        let mut last = Outcome::default();
        if method == Method::Variational {
            for steps in stops(self.steps) {
                last = Self { steps, ..*self }.run(method)?;
                let score = |name: &str| last.scores.get(name).copied().unwrap_or(f64::NAN);
                nll.push((score("seconds"), score("nll")));
                error.push((score("seconds"), score("error")));
            }
        } else {
            let (mut watch, stops) = (Stopwatch::start(), stops(self.steps));
            let look = |now: &Moment<'_, MiniBatchEp>| {
                if stops.contains(&now.progress.evaluation) {
                    let seconds = watch.seconds();
                    let found: (f64, f64) = watch.pause(|| {
                        let predictor = now.state.predictor(now.model)?;
                        scores::of_labels(&predictor, self.test)
                    })?;
                    error.push((seconds, found.0));
                    nll.push((seconds, found.1));
                }
                Ok(())
            };
            let predictor = self.learn(method, look)?;
            let seconds = nll.last().map_or(f64::NAN, |point| point.0);
            let (wrong, density) = scores::of_labels(predictor.as_ref(), self.test)?;
            last = Outcome::of([("nll", density), ("error", wrong), ("seconds", seconds)]);
        }
        Ok(last.with_curve("nll by seconds", nll).with_curve("error by seconds", error))
    }

    fn learn(
        &self,
        method: Method,
        mut look: impl FnMut(&Moment<'_, MiniBatchEp>) -> Result<(), ExperimentError>,
    ) -> Result<Box<dyn Labels>, ExperimentError> {
        let labels = self.training.labels();
        let data = Table::with_targets(self.training.inputs.as_ref(), &labels)?;
        let batches = Batches::shuffled(self.training.len(), self.batch.min(self.training.len()), self.seed)?;
        let rule = Adam::with_rate(self.rate);
        let (sharing, power) = match method {
            Method::Variational => {
                let mut model = Savigp::new(self.processes()?, self.likelihood()?)?;
                let mut options = BatchOptions::default();
                (options.steps, options.natural) = (self.steps, Some(NATURAL));
                model.train_in_batches(&data, batches, rule, &options, |_| {})?;
                return Ok(Box::new(model.predictor()?));
            }
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
        let mut failed = None;
        let watch = |now: Moment<'_, MiniBatchEp>| {
            if let (None, Err(error)) = (&failed, look(&now)) {
                failed = Some(error);
            }
        };
        let found = model.train_in_batches(&data, sharing, batches, rule, &options, watch)?;
        failed.map_or(Ok(()), Err)?;
        Ok(Box::new(found.state.predictor(&model)?))
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

/// Powers of two from 16 on, and the end.
fn stops(steps: u64) -> Vec<u64> {
    let powers = (4..63).map(|power| 1u64 << power).take_while(|stop| *stop < steps);
    powers.chain([steps]).collect()
}
