//! Classifiers: GFITC, EP, variational inference, logistic regression.

use super::course::{Course, Making, level, started_anew, stops};
use super::fitted::Learned;
use super::plane::Plane;
use super::rule::Rule;
use super::{kernels, savigp, scores};
use crate::baselines::Logistic;
use crate::data::{Split, Task};
use crate::error::ExperimentError;
use crate::harness::{Effort, Outcome};
use gp_ep::power_ep::{EpLearning, Sharing};
use gp_ep::{
    EpOptions, EvaluationState, Inference as _, Learning, Level, PowerEp, Powers, SparseProcess, Table,
};
use gp_kernels::placement::{Placement, RandomSubset};
use gp_kernels::{Kernel, KernelExt as _};
use gp_likelihoods::{BernoulliProbit, Likelihood};
use gp_optim::Batches;
use gp_variational::savigp::Bound;
use gp_variational::{NaturalOptions, Predictor, Savigp};

/// Initial sign-adaptive rate (own choice).
pub(super) const RATE: f64 = 0.01;
/// ε of the robust likelihood (Villacampa-Calvo & Hernández-Lobato 2017 §3.2).
const ROBUST: f64 = 1e-3;
/// Site step in mini-batches (Hernández-Lobato & Hernández-Lobato 2016 §2).
const SITE_STEP: f64 = 0.99;

/// Shortest line of methods without curves, in seconds.
const LEVEL: f64 = 1000.0;

/// Classification method.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Method {
    /// Generalised FITC; EP converges per L-BFGS evaluation.
    Gfitc,
    /// EP, a site per observation; sweeps and parameter steps alternate.
    OwnSites,
    /// `OwnSites` with one site per class.
    TiedSites,
    /// Variational L-BFGS, from a posterior converged by natural gradients.
    Variational,
    /// Mini-batch Power EP of this power, own sites.
    OwnInBatches(f64),
    /// Mini-batch EP, one site per class.
    TiedInBatches,
    /// Mini-batch variational inference; posterior's natural-gradient rate, if any.
    VariationalInBatches(Option<f64>),
    /// Logistic regression on inputs.
    Logistic,
}

impl Method {
    /// `true` for methods in mini-batches.
    #[must_use]
    pub fn is_in_batches(self) -> bool {
        matches!(self, Self::OwnInBatches(_) | Self::TiedInBatches | Self::VariationalInBatches(_))
    }
}

/// Initial hyperparameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// Amplitude 1, noise 0.1, length-scales `Setup::lengthscale` √D.
    Broad,
    /// Authors' program: [`kernels::from_distances`].
    Authors,
}

/// Classification problem and training settings.
#[derive(Clone, Copy, Debug)]
pub struct Setup<'a> {
    /// Training and test set.
    pub split: &'a Split,
    /// Inducing inputs, per class if several.
    pub inducing: usize,
    /// Iterations or batches.
    pub steps: u64,
    /// Seed of inducing inputs (random training rows) and batches.
    pub seed: u64,
    /// Kernel of every latent; None for the default.
    pub kernel: Option<&'a dyn Kernel>,
    /// Initial length-scales of the default kernel over √D.
    pub lengthscale: f64,
    /// Rows per batch.
    pub batch: usize,
    /// Mini-batch optimiser.
    pub rule: Rule,
    /// Hyperparameters of the default kernel.
    pub start: Start,
}

impl<'a> Setup<'a> {
    /// Default kernel, length-scales √D.
    #[must_use]
    pub fn new(split: &'a Split, inducing: usize, steps: u64, seed: u64) -> Self {
        Self {
            split,
            inducing,
            steps,
            seed,
            kernel: None,
            lengthscale: 1.0,
            batch: split.training.len(),
            rule: Rule::ADAM,
            start: Start::Broad,
        }
    }

    /// Trains and scores: `nll`, `error`, training `seconds`.
    ///
    /// # Errors
    /// Failed training or prediction.
    pub fn run(&self, method: Method) -> Result<Outcome, ExperimentError> {
        let (Learned { fitted, effort }, seconds) = scores::timed(|| self.learned(method))?;
        Ok(scores::of_labels(fitted.as_ref(), &self.split.test, seconds)?.by(effort))
    }

    /// [`run`](Self::run) with curves `nll by seconds`, `error by seconds` at powers of two (mini-batches:
    /// from 16) and the end.
    ///
    /// L-BFGS and variational inference rerun per point.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn course(&self, method: Method) -> Result<Outcome, ExperimentError> {
        let stops = stops(if method.is_in_batches() { 4 } else { 0 }, self.steps);
        match method {
            Method::Logistic => {
                let found = self.run(method)?;
                let end = found.scores.get("seconds").map_or(LEVEL, |seconds| seconds.max(LEVEL));
                Ok(level(found, &["nll", "error"], "seconds", end))
            }
            Method::Gfitc | Method::Variational | Method::VariationalInBatches(_) => {
                started_anew(&stops, &["nll", "error"], "seconds", |steps| {
                    Self { steps, ..*self }.run(method)
                })
            }
            _ => {
                let mut course = Course::start(&self.split.test, stops);
                let found = self.learn(method, &mut |step, make| course.look(step, make))?;
                Ok(course.end(found.fitted.as_ref())?.by(self.effort(found.effort)))
            }
        }
    }

    /// [`run`](Self::run) with predictions on a plane ([`Plane::describe`]).
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn in_plane(&self, method: Method) -> Result<Outcome, ExperimentError> {
        let (Learned { fitted, effort }, seconds) = scores::timed(|| self.learned(method))?;
        let outcome = scores::of_labels(fitted.as_ref(), &self.split.test, seconds)?.by(effort);
        Plane::around(&self.split.training).describe(outcome, fitted.as_ref(), &self.split.training)
    }

    /// Trains without scoring.
    ///
    /// # Errors
    /// Failed training.
    pub fn learned(&self, method: Method) -> Result<Learned, ExperimentError> {
        let Learned { fitted, effort } = self.learn(method, &mut |_, _| {})?;
        Ok(Learned { fitted, effort: self.effort(effort) })
    }

    pub(super) fn effort(&self, effort: Effort) -> Effort {
        let effort = effort.with("inducing", self.inducing).with("seed", self.seed);
        effort.with("batch", self.batch).with("steps at most", self.steps)
    }

    fn learn(
        &self,
        method: Method,
        look: &mut dyn FnMut(u64, &Making<'_>),
    ) -> Result<Learned, ExperimentError> {
        match method {
            Method::Variational => self.variational(),
            Method::VariationalInBatches(natural) => {
                let (fitted, effort) = self.variational_in_batches(natural)?;
                Ok(Learned { fitted: Box::new(fitted), effort })
            }
            Method::Logistic => {
                let fitted = Logistic::fit(&self.split.training, &self.split.task.labels(), 1.0)?;
                let effort = Effort::ended("L-BFGS on all rows, to its own end", 0);
                Ok(Learned { fitted: Box::new(fitted), effort })
            }
            _ => self.by_sites(method, look),
        }
    }

    fn by_sites(
        &self,
        method: Method,
        look: &mut dyn FnMut(u64, &Making<'_>),
    ) -> Result<Learned, ExperimentError> {
        let labels = self.split.training.labels();
        let data = Table::with_targets(self.split.training.inputs.as_ref(), &labels)?;
        let (mut model, settings) = self.sites(method)?;
        let rule = if method.is_in_batches() { self.rule } else { Rule::Signs(RATE) };
        let steps = rule.steps(self.steps);
        let how = match method {
            Method::Gfitc => savigp::outer(self.steps),
            Method::OwnSites => Learning::Inner(steps),
            Method::TiedSites => Learning::Batches(Batches::whole(labels.len())?, steps),
            _ => Learning::Batches(self.batches()?, steps),
        };
        let started = model.processes()[0].kernel().expression();
        let mut watch = |now: EvaluationState<'_, _>| look(now.progress.evaluation, &|| now.predictor());
        let found = model.learn_with(&data, how, &settings, &mut watch)?;
        let effort = Effort::from(&found.run)
            .with("kernel at the start", started)
            .with("likelihood learned", model.likelihood().expression());
        let effort = match method {
            Method::Gfitc => effort.with("optimizer", "L-BFGS").with("EP tolerance", settings.ep.tolerance),
            _ => effort.with("optimizer", rule),
        };
        Ok(Learned { fitted: Box::new(found.state.predictor(&model)?), effort })
    }

    fn sites(&self, method: Method) -> Result<(PowerEp, EpLearning), ExperimentError> {
        let (model, mut settings) = (self.power_ep()?, EpLearning::default());
        Ok(match method {
            Method::Gfitc => {
                // Tolerances of the authors' program.
                let ep = EpOptions { tolerance: 1e-3, log_z_tolerance: 1e-5, ..EpOptions::default() };
                (model.with_level(Level::Latent), settings.with_ep(ep))
            }
            Method::TiedSites => (model, settings.with_sharing(Sharing::Tied)),
            Method::OwnInBatches(power) => {
                settings.ep.step = SITE_STEP;
                (model.with_powers(Powers::Same(power)), settings.with_sharing(Sharing::Own))
            }
            Method::TiedInBatches => {
                settings.ep.step = SITE_STEP;
                (model.with_powers(Powers::Same(1.0)), settings.with_sharing(Sharing::Tied))
            }
            _ => (model, settings),
        })
    }

    fn variational(&self) -> Result<Learned, ExperimentError> {
        let labels = self.split.training.labels();
        let data = Table::with_targets(self.split.training.inputs.as_ref(), &labels)?;
        let mut model = Savigp::new(self.processes()?, self.likelihood()?)?;
        // Starting from the prior, kernels can collapse to noise, as on Vowel.
        let rest = NaturalOptions { tolerance: 1e-4, ..NaturalOptions::default() };
        model.converge(&mut Bound::new(&model, &data)?, &rest)?;
        let started = model.processes()[0].kernel().expression();
        let (_, effort) = savigp::together(&mut model, &data, self.steps)?;
        let effort = effort.with("kernel at the start", started);
        Ok(Learned { fitted: Box::new(model.predictor()?), effort })
    }

    /// Mini-batch variational predictor, and training record.
    ///
    /// # Errors
    /// Failed training.
    pub fn variational_in_batches(
        &self,
        natural: Option<f64>,
    ) -> Result<(Predictor, Effort), ExperimentError> {
        let labels = self.split.training.labels();
        let data = Table::with_targets(self.split.training.inputs.as_ref(), &labels)?;
        let mut model = Savigp::new(self.processes()?, self.likelihood()?)?;
        let plan = (self.steps, natural);
        let effort = savigp::in_batches(&mut model, &data, self.batches()?, self.rule, plan, |_| {})?;
        Ok((model.predictor()?, self.effort(effort)))
    }

    fn batches(&self) -> Result<Batches, ExperimentError> {
        let count = self.split.training.len();
        Ok(Batches::shuffled(count, self.batch.min(count), self.seed)?)
    }

    fn likelihood(&self) -> Result<Box<dyn Likelihood>, ExperimentError> {
        Ok(match self.split.task {
            Task::Classes(classes) => {
                let text = format!("robust_max(classes={classes}, epsilon=fixed({ROBUST}))");
                gp_likelihoods::parse(&text)?
            }
            Task::Binary | Task::Number => Box::new(BernoulliProbit),
        })
    }

    pub(super) fn power_ep(&self) -> Result<PowerEp, ExperimentError> {
        let processes = self.processes()?;
        Ok(match self.split.task {
            Task::Classes(_) => PowerEp::of_classes(processes, 0.0)?,
            Task::Binary | Task::Number => PowerEp::new(processes, Box::new(BernoulliProbit))?,
        })
    }

    fn processes(&self) -> Result<Vec<SparseProcess>, ExperimentError> {
        let training = &self.split.training;
        let process = |k: u64| {
            let (inputs, count) = (training.inputs.as_ref(), self.inducing.min(training.len()));
            let broad = kernels::with_noise(training.dim(), self.lengthscale)?;
            let placed = RandomSubset.place(broad.as_ref(), inputs, count, self.seed + k)?.inputs;
            let kernel = match (self.kernel, self.start) {
                (Some(kernel), _) => kernel.clone_box(),
                (None, Start::Broad) => broad,
                (None, Start::Authors) => kernels::from_distances(placed.z().as_dyn_stride())?,
            };
            Ok(SparseProcess::new(kernel, placed)?)
        };
        (0..self.split.task.functions() as u64).map(process).collect()
    }
}
