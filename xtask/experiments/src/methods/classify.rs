//! Classification through inducing inputs: GFITC, EP with its own site for every observation or one for all, and
//! variational inference.

use super::course::{self, Course, Making};
use super::kernels;
use super::scores::{self, Labels};
use crate::data::{Split, Task};
use crate::error::ExperimentError;
use crate::harness::{Outcome, Stopwatch};
use gp_ep::power_ep::{InnerOptions, MiniBatchEp, Moment, Sharing};
use gp_ep::{BatchEp, EpOptions, Level, PowerEp, SparseProcess, Table};
use gp_likelihoods::{BernoulliProbit, Likelihood, RobustMax};
use gp_optim::{Batches, MinimiseOptions, SignAdaptive};
use gp_variational::savigp::Bound;
use gp_variational::{NaturalOptions, Savigp};

/// The first rate of sign-adaptive steps; the seeds are silent.
pub(super) const RATE: f64 = 0.01;
/// ε of the robust likelihood (seed 000 §3.2).
const ROBUST: f64 = 1e-3;

/// How a model is learned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Generalised FITC: EP comes to rest for every step of L-BFGS.
    Gfitc,
    /// EP with a site an observation; a sweep and a step in turns.
    OwnSites,
    /// The same with one site for all observations of a class.
    TiedSites,
    /// A variational bound, by L-BFGS on everything at once, from where natural gradients bring the posterior.
    Variational,
}

/// A problem, and how much is done about it.
#[derive(Clone, Copy, Debug)]
pub struct Setup<'a> {
    /// Training and test set.
    pub split: &'a Split,
    /// Two classes or several.
    pub task: Task,
    /// Inducing inputs, of each class where there are several.
    pub inducing: usize,
    /// Which training rows they start from.
    pub seed: u64,
    /// Iterations.
    pub steps: u64,
    /// The kernel of every latent function, as text, where it is not to be that of most items.
    pub kernel: Option<&'a str>,
}

impl Setup<'_> {
    /// Learns and predicts: `nll`, `error` and `seconds` of training.
    ///
    /// # Errors
    /// Whatever learning or predicting failed of.
    pub fn run(&self, method: Method) -> Result<Outcome, ExperimentError> {
        let watch = Stopwatch::start();
        let predictor = self.learned(method)?;
        let seconds = watch.seconds();
        let (error, nll) = scores::of_labels(predictor.as_ref(), &self.split.test)?;
        Ok(Outcome::of([("nll", nll), ("error", error), ("seconds", seconds)]))
    }

    /// The same, with `nll by seconds` and `error by seconds` after every power of two of iterations and in the end.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn course(&self, method: Method) -> Result<Outcome, ExperimentError> {
        let stops = course::stops(0, self.steps);
        if matches!(method, Method::Gfitc | Method::Variational) {
            let run = |steps| Self { steps, ..*self }.run(method);
            return course::started_anew(&stops, &["nll", "error"], "seconds", run);
        }
        let mut course = Course::start(&self.split.test, stops);
        let predictor = self.learn(method, &mut |step, make| course.look(step, make))?;
        course.end(predictor.as_ref())
    }

    /// Learns, and that is all.
    ///
    /// # Errors
    /// Whatever learning failed of.
    pub fn learned(&self, method: Method) -> Result<Box<dyn Labels>, ExperimentError> {
        self.learn(method, &mut |_, _| {})
    }

    /// `look` sees the steps of those methods that can be looked at.
    fn learn(
        &self,
        method: Method,
        look: &mut dyn FnMut(u64, &Making<'_>),
    ) -> Result<Box<dyn Labels>, ExperimentError> {
        let training = &self.split.training;
        let labels = training.labels();
        let data = Table::with_targets(training.inputs.as_ref(), &labels)?;
        let rule = SignAdaptive::with_rate(RATE);
        let mut inner = InnerOptions::default();
        inner.steps = self.steps;
        let options = MinimiseOptions { max_iterations: self.steps, ..MinimiseOptions::default() };
        match method {
            Method::OwnSites => {
                let mut model = self.power_ep()?;
                let watch = |now: Moment<'_, BatchEp>| {
                    look(now.progress.evaluation, &|| now.state.predictor(now.model));
                };
                Ok(Box::new(model.train_inner(&data, rule, &inner, watch)?.state.predictor(&model)?))
            }
            Method::TiedSites => {
                let mut model = self.power_ep()?;
                let batches = Batches::whole(training.len())?;
                let watch = |now: Moment<'_, MiniBatchEp>| {
                    look(now.progress.evaluation, &|| now.state.predictor(now.model));
                };
                let found = model.train_in_batches(&data, Sharing::Tied, batches, rule, &inner, watch)?;
                Ok(Box::new(found.state.predictor(&model)?))
            }
            Method::Gfitc => {
                let mut model = self.power_ep()?.with_level(Level::Latent);
                // As far as a gradient needs it.
                let ep = EpOptions { tolerance: 1e-4, log_z_tolerance: 1e-6, ..EpOptions::default() };
                Ok(Box::new(model.train_outer(&data, &ep, &options, |_| {})?.state.predictor(&model)?))
            }
            Method::Variational => {
                let likelihood: Box<dyn Likelihood> = match self.task {
                    Task::Classes(classes) => Box::new(RobustMax::new(classes, ROBUST)?),
                    Task::Binary | Task::Number => Box::new(BernoulliProbit),
                };
                let mut model = Savigp::new(self.processes()?, likelihood)?;
                // From the prior, kernels give up before the posterior has seen the data: on Vowel all become noise.
                let rest = NaturalOptions { tolerance: 1e-4, ..NaturalOptions::default() };
                model.come_to_rest(&mut Bound::new(&model, &data)?, &rest)?;
                model.train(&data, &options, |_| {})?;
                Ok(Box::new(model.predictor()?))
            }
        }
    }

    pub(super) fn power_ep(&self) -> Result<PowerEp, ExperimentError> {
        let processes = self.processes()?;
        Ok(match self.task {
            Task::Classes(_) => PowerEp::of_classes(processes, 0.0)?,
            Task::Binary | Task::Number => PowerEp::new(processes, Box::new(BernoulliProbit))?,
        })
    }

    /// Latent functions as they are at the start.
    pub(crate) fn processes(&self) -> Result<Vec<SparseProcess>, ExperimentError> {
        let functions = if let Task::Classes(classes) = self.task { classes } else { 1 };
        let training = &self.split.training;
        let process = |k: u64| {
            let kernel = match self.kernel {
                Some(text) => gp_kernels::parse(text)?,
                None => kernels::with_noise(training.dim(), 1.0)?,
            };
            kernels::at_random_rows(kernel, training.inputs.as_ref(), self.inducing, self.seed + k)
        };
        (0..functions as u64).map(process).collect()
    }
}
