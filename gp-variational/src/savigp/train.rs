//! Learning of latent functions, likelihood and posterior by maximising the bound.
//!
//! - *All together*: L-BFGS on everything.
//! - *Alternating* (Bonilla et al. 2019 §9.2): L-BFGS on one group after the other.
//! - *Outer*: L-BFGS on the rest; natural gradients converge the posterior at every evaluation.
//! - *In batches*: first-order steps, optionally natural-gradient steps for the posterior.

use super::bound::{Bound, SamplingMemory};
use super::mixture::Mixture;
use super::model::Savigp;
use super::stepping::{NaturalSteps, Stepping};
use super::steps::Natural;
use crate::ascent::{Ascent, NaturalOptions};
use crate::expectation::{Expectation, MAX_SAMPLES, Sampling};
use gp_ep::{
    EvaluationState, InferenceError, LatentModel, LearningRecord, OnEvaluation, Predictor, Steps, Trained,
};
use gp_kernels::data::{DataError, DataSource};
use gp_kernels::posterior::{InducingPosterior, MixturePosterior};
use gp_optim::{
    Batch, Batches, Companion, DescentPlan, FirstOrder, Groups, MinimiseOptions, OptimError, Parameter,
    ParameterSet, ParameterSetMut, Schedule, Stage, Staged, minimise_in_stages, train, train_by_descent,
    train_with_companion,
};

/// Treatment of posterior and samples: *outer* in [`Learning::Outer`](gp_ep::Learning::Outer), *in steps* in `Inner`
/// and `Batches`.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct BoundLearning {
    /// Outer: natural gradients that converge one full Gaussian; `None`, or other posteriors: L-BFGS on all parameters.
    pub rest: Option<NaturalOptions>,
    /// In steps: length of the first, longest natural-gradient step of one full Gaussian; `None`: first-order steps on
    /// all parameters.
    pub rate: Option<f64>,
    /// In steps: adaptive number of samples; `None`: the model's number.
    pub noise: Option<NoiseTarget>,
}

impl Default for BoundLearning {
    fn default() -> Self {
        Self { rest: Some(NaturalOptions::default()), rate: None, noise: None }
    }
}

impl BoundLearning {
    /// Outer learning that converges one full Gaussian.
    #[must_use]
    pub fn converged(rest: NaturalOptions) -> Self {
        Self { rest: Some(rest), ..Self::default() }
    }

    /// One optimiser for all parameters.
    #[must_use]
    pub fn all_together() -> Self {
        Self { rest: None, ..Self::default() }
    }

    /// Natural gradients in steps, first length `rate`.
    #[must_use]
    pub fn in_steps(rate: f64) -> Self {
        Self { rate: Some(rate), ..Self::default() }
    }
}

/// Bound after learning, last batch loaded.
#[derive(Debug)]
pub struct BoundState {
    /// Bound with its memory.
    pub bound: Bound,
    /// Outer learning: final convergence of one full Gaussian.
    pub ascent: Option<Ascent>,
    /// Power of the observations in the last natural-gradient step; below 1 only if training stopped early under a
    /// likelihood that [saturates](gp_likelihoods::Described::saturates).
    pub power: f64,
}

type Watching<'a> = OnEvaluation<'a, MixturePosterior<InducingPosterior>>;

/// Adaptive samples, changed at most twofold per batch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NoiseTarget {
    /// Gradient noise by posterior means, relative to gradient length.
    pub relative: f64,
    /// Minimum number of samples.
    pub least: usize,
    /// Maximum number of samples.
    pub most: usize,
}

impl Default for NoiseTarget {
    fn default() -> Self {
        Self { relative: 1.0 / 3.0, least: 10, most: 1000 }
    }
}

impl NoiseTarget {
    fn check(&self) -> Result<(), InferenceError> {
        let fault = |what, value, allowed| Err(InferenceError::Option { what, value, allowed });
        if !(self.relative > 0.0 && self.relative.is_finite()) {
            return fault("target of noise", self.relative, "positive and finite");
        }
        if self.least == 0 || self.least > self.most || self.most > MAX_SAMPLES {
            let allowed = "at least 1, and not above the largest, which is at most 2^16";
            return fault("least number of samples", self.least as f64, allowed);
        }
        Ok(())
    }

    fn next(&self, samples: usize, noise: f64) -> usize {
        let wanted = samples as f64 * noise / self.relative.powi(2);
        let near = wanted.clamp(0.5 * samples as f64, 2.0 * samples as f64);
        (near.ceil() as usize).clamp(self.least, self.most)
    }
}

impl Savigp {
    pub(super) fn learn_together(
        &mut self,
        data: &dyn DataSource,
        options: &MinimiseOptions,
        watch: Watching<'_>,
    ) -> Result<Trained<BoundState>, InferenceError> {
        let mut bound = Bound::new(self, data)?;
        let options = bound.start_clock(options);
        let evaluate = |model: &Self, natural: &mut [f64]| bound.gradient(model, natural);
        let watch = |model: &Self, now| watch(EvaluationState::new(now, &|| model.predictor()));
        let run = LearningRecord::Minimised(train(self, &options, evaluate, watch)?);
        Ok(Trained { run, state: BoundState { bound, ascent: None, power: 1.0 } })
    }

    /// L-BFGS on posterior, kernels, likelihood and inducing inputs in turn, until a round gains at most 10⁻⁶ (Bonilla
    /// et al. 2019 §9.2). Iteration limits are per group and round.
    ///
    /// # Errors
    /// As [`learn_with`](gp_ep::Inference::learn_with).
    pub fn train_alternating(
        &mut self,
        data: &dyn DataSource,
        options: &MinimiseOptions,
    ) -> Result<Staged, InferenceError> {
        let mut bound = Bound::new(self, data)?;
        let options = &bound.start_clock(options);
        let (groups, schedule) = self.schedule(options)?;
        let mut start = vec![0.0; self.free_count()];
        self.write_free(&mut start)?;
        let (mut trial, mut natural) = (self.clone(), vec![0.0; self.parameter_count()]);
        let negative = |x: &[f64], gradient: &mut [f64]| -> Result<f64, InferenceError> {
            trial.set_free(x)?;
            let value = bound.gradient(&trial, &mut natural)? + trial.log_prior();
            trial.add_log_prior_gradient(&mut natural)?;
            trial.chain_gradient(&natural, gradient)?;
            gradient.iter_mut().for_each(|g| *g = -*g);
            Ok(-value)
        };
        let run = minimise_in_stages(negative, &start, &groups, &schedule)?;
        self.set_free(&run.x)?;
        Ok(run)
    }

    fn schedule(&self, options: &MinimiseOptions) -> Result<(Groups, Schedule), InferenceError> {
        let (mut groups, mut stages) = (Groups::new(), [vec![], vec![], vec![], vec![]]);
        let mut push = |stage: usize, name: String, count: usize| -> Result<(), InferenceError> {
            if count > 0 {
                groups.push(name.clone(), count).map_err(OptimError::from)?;
                stages[stage].push(name);
            }
            Ok(())
        };
        for (q, process) in self.processes().iter().enumerate() {
            let all = process.free_count();
            let mut kernel = 0;
            gp_kernels::KernelExt::for_each_parameter(process.kernel(), &mut |p| kernel += p.free_len());
            push(1, format!("kernel[{q}]"), kernel)?;
            push(3, format!("inducing[{q}]"), all - kernel)?;
        }
        push(
            2,
            "likelihood".to_owned(),
            self.likelihood().parameters().iter().map(Parameter::free_len).sum(),
        )?;
        push(0, "posterior".to_owned(), self.posterior().free_count())?;
        let stages = stages.into_iter().filter(|names| !names.is_empty()).map(|groups| Stage {
            groups,
            max_iterations: options.max_iterations,
            lbfgs: options.lbfgs.clone(),
        });
        let schedule = Schedule {
            stages: stages.collect(),
            control: options.control.about("groups in turn"),
            ..Schedule::alternating(&Groups::new(), options)
        };
        Ok((groups, schedule))
    }

    /// L-BFGS on the bound, the posterior converged.
    pub(super) fn learn_outside(
        &mut self,
        data: &dyn DataSource,
        options: &MinimiseOptions,
        natural: &NaturalOptions,
        watch: Watching<'_>,
    ) -> Result<Trained<BoundState>, InferenceError> {
        let mut bound = Bound::new(self, data)?;
        let options = &bound.start_clock(options);
        let is_short = || options.control.is_short();
        let (mut outer, mut converging) = (Outer(self.clone()), Converging(self.posterior().clone()));
        let evaluate = |outer: &Outer, Converging(posterior): &mut Converging, gradient: &mut [f64]| {
            converge(&mut bound, &outer.0, posterior, (natural, &is_short))?;
            bound.gradient_with(&outer.0, posterior, gradient)
        };
        let watch = |outer: &Outer, Converging(posterior): &Converging, now| {
            watch(EvaluationState::new(now, &|| outer.predictor(posterior)));
        };
        let run = LearningRecord::Minimised(train_with_companion(
            &mut outer,
            &mut converging,
            options,
            evaluate,
            watch,
        )?);
        let Converging(mut posterior) = converging;
        let ascent = Some(converge(&mut bound, &outer.0, &mut posterior, (natural, &is_short))?);
        *self = outer.0;
        self.set_posterior(posterior)?;
        Ok(Trained { run, state: BoundState { bound, ascent, power: 1.0 } })
    }

    /// First-order step per batch, natural-gradient step if set.
    pub(super) fn learn_in_batches(
        &mut self,
        data: &dyn DataSource,
        (batches, steps): (Batches, Steps),
        settings: &BoundLearning,
        watch: Watching<'_>,
    ) -> Result<Trained<BoundState>, InferenceError> {
        if let Some(noise) = &settings.noise {
            noise.check()?;
        }
        let mut bound = Bound::for_batches(self, data, batches.size())?;
        let plan = steps.plan(batches);
        bound.set_stop_signal(plan.control.stop_signal());
        if let Some(rate) = settings.rate {
            return self.learn_beside_posterior(data, bound, plan, (rate, settings), watch);
        }
        let (mut sampled, mut fault) = (Sampled { bound }, None);
        let evaluate =
            |model: &Self, Sampled { bound }: &mut Sampled, batch: Batch<'_>, gradient: &mut [f64]| {
                bound.next_batch(model, data, batch.indices, &mut fault)?;
                let value = bound.gradient(model, gradient)?;
                bound.follow_noise(model, settings.noise.as_ref())?;
                Ok::<f64, InferenceError>(value)
            };
        let watch = |model: &Self, _: &Sampled, now| watch(EvaluationState::new(now, &|| model.predictor()));
        let run = train_by_descent(self, &mut sampled, plan, evaluate, watch);
        let run = LearningRecord::Descended(unless(fault, run)?);
        let state = BoundState { bound: sampled.bound, ascent: None, power: 1.0 };
        Ok(Trained { run, state })
    }

    fn learn_beside_posterior(
        &mut self,
        data: &dyn DataSource,
        bound: Bound,
        plan: DescentPlan<FirstOrder>,
        (rate, settings): (f64, &BoundLearning),
        watch: Watching<'_>,
    ) -> Result<Trained<BoundState>, InferenceError> {
        NaturalOptions { rate, ..NaturalOptions::default() }.check()?;
        let (mut outer, posterior) = (Outer(self.clone()), self.posterior().clone());
        Natural::check(&posterior)?;
        let steps = NaturalSteps::new(rate, self.likelihood(), plan.steps);
        let (mut stepping, mut fault) = (Stepping { bound, posterior, steps }, None);
        let evaluate = |outer: &Outer, own: &mut Stepping, batch: Batch<'_>, gradient: &mut [f64]| {
            let Stepping { bound, posterior, steps } = own;
            bound.next_batch(&outer.0, data, batch.indices, &mut fault)?;
            let value = bound.gradient_with(&outer.0, posterior, gradient)?;
            bound.follow_noise(&outer.0, settings.noise.as_ref())?;
            bound.natural_step(posterior, steps.next(1.0 / batch.weight))?;
            Ok::<f64, InferenceError>(value)
        };
        let watch = |outer: &Outer, own: &Stepping, now| {
            watch(EvaluationState::new(now, &|| outer.predictor(&own.posterior)));
        };
        let run = train_by_descent(&mut outer, &mut stepping, plan, evaluate, watch);
        let run = LearningRecord::Descended(unless(fault, run)?);
        *self = outer.0;
        let Stepping { bound, posterior, steps } = stepping;
        self.set_posterior(posterior)?;
        Ok(Trained { run, state: BoundState { bound, ascent: None, power: steps.power() } })
    }
}

struct Converging(Mixture);

impl Companion for Converging {
    type Memory = Vec<f64>;
    const KIND: &'static str = "a converged posterior";

    fn memory(&self) -> Vec<f64> {
        self.0.parameter_values()
    }

    fn recall(&mut self, values: Vec<f64>) -> Result<(), String> {
        self.0.set_parameter_values(&values).map_err(|error| error.to_string())
    }
}

struct Sampled {
    bound: Bound,
}

impl Companion for Sampled {
    type Memory = SamplingMemory;
    const KIND: &'static str = "the bound in mini-batches";

    fn memory(&self) -> SamplingMemory {
        self.bound.sampling_memory()
    }

    fn recall(&mut self, memory: SamplingMemory) -> Result<(), String> {
        self.bound.recall_sampling(memory);
        Ok(())
    }
}

impl Bound {
    /// Starts the clock, sets the stop signal.
    fn start_clock(&mut self, options: &MinimiseOptions) -> MinimiseOptions {
        let options = MinimiseOptions { control: options.control.begun(), ..options.clone() };
        self.set_stop_signal(options.control.stop_signal());
        options
    }

    /// Next batch; keeps an error in `fault`.
    fn next_batch(
        &mut self,
        model: &Savigp,
        data: &dyn DataSource,
        rows: &[usize],
        fault: &mut Option<InferenceError>,
    ) -> Result<(), InferenceError> {
        self.redraw();
        let loaded = self.load(model, data, rows);
        loaded.map_err(|error| fault.get_or_insert(error).clone())
    }

    fn follow_noise(&mut self, model: &Savigp, target: Option<&NoiseTarget>) -> Result<(), InferenceError> {
        let (Some(target), Expectation::Sampled(sampling)) = (target, *self.expectation()) else {
            return Ok(());
        };
        let samples = target.next(sampling.samples, self.relative_noise());
        self.set_expectation(model, Expectation::Sampled(Sampling { samples, ..sampling }))
    }
}

/// Data faults first: smaller steps cannot help.
fn unless<R>(fault: Option<InferenceError>, run: Result<R, InferenceError>) -> Result<R, InferenceError> {
    fault.filter(|fault| *fault != DataError::Stopped.into()).map_or(run, Err)
}

/// Converges from the posterior or, after failures, the prior.
fn converge(
    bound: &mut Bound,
    model: &Savigp,
    posterior: &mut Mixture,
    (options, is_short): (&NaturalOptions, &dyn Fn() -> bool),
) -> Result<Ascent, InferenceError> {
    let done = bound.ascend(model, posterior, options, is_short);
    match done {
        Err(error) if error == InferenceError::ImproperPosterior || error.is_local() => {
            *posterior = Mixture::prior(posterior.counts(), posterior.covariance())?;
            bound.ascend(model, posterior, options, is_short)
        }
        other => other,
    }
}

/// Model without posterior parameters.
#[derive(Clone)]
struct Outer(Savigp);

impl Outer {
    fn predictor(&self, posterior: &Mixture) -> Result<Predictor, InferenceError> {
        self.0.clone().with_posterior(posterior.clone())?.predictor()
    }
}

impl ParameterSet for Outer {
    fn visit(&self, visit: &mut dyn FnMut(&Parameter)) {
        LatentModel::visit(&self.0, visit);
    }
}

impl ParameterSetMut for Outer {
    fn visit_mut(&mut self, visit: &mut dyn FnMut(&mut Parameter)) {
        LatentModel::visit_mut(&mut self.0, visit);
    }
}
