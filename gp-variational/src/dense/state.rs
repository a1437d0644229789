//! State λ and ν: convergence, bound, derivatives.

use super::latent::{DenseLatent, Sites};
use super::model::DenseVariational;
use crate::ascent::{Ascent, Climber, NaturalOptions, climb};
use crate::expectation::{Estimates, Expectation, Nodes, Observed};
use faer::Mat;
use gp_ep::{InferenceError, Predictor, check_count};
use gp_kernels::data::{DataSource, Lanes, Loaded, LocalReduction, Pool, lane_rows};
use gp_kernels::posterior::{DensePosterior, MixturePosterior};
use gp_kernels::{Evaluator, KernelError, parameter_count, stoppable};
use gp_likelihoods::{Latent, Targets};
use gp_optim::{Companion, Mixing, ParameterSet, StopSignal};

/// Posterior of a dense model on its data.
///
/// Parameters may change between calls. Memory: 2N² numbers per latent, plus 2N².
#[derive(Debug)]
pub struct DenseState {
    x: Mat<f64>,
    y: Vec<f64>,
    outputs: usize,
    latents: Vec<DenseLatent>,
    /// Current, full-step and attempted sites, per latent.
    sites: Vec<Sites>,
    targets: Vec<Sites>,
    trial: Vec<Sites>,
    lanes: Lanes<DenseLane>,
    pool: Pool<Vec<f64>>,
    /// Expected log density, derivatives by likelihood parameters.
    sums: Vec<f64>,
    nodes: Nodes,
    evaluator: Evaluator,
    room: Mat<f64>,
    upstream: Mat<f64>,
}

#[derive(Debug)]
struct DenseLane {
    estimates: Estimates,
    beliefs: Vec<Latent>,
    /// Derivatives by mean and variance.
    slopes: Vec<(f64, f64)>,
}

impl DenseState {
    /// Initial state: the prior.
    ///
    /// # Errors
    /// [`InferenceError::Data`], [`InferenceError::Shape`] or [`InferenceError::Observation`].
    pub fn new(model: &DenseVariational, data: &dyn DataSource) -> Result<Self, InferenceError> {
        let outputs = model.likelihood().outputs();
        let rows = Loaded::of(data, outputs)?;
        let (x, y, count) = (rows.inputs().to_owned(), rows.targets().to_vec(), rows.count());
        for (row, target) in y.chunks_exact(outputs).enumerate() {
            if let Some(column) = (0..x.ncols()).find(|&column| !x[(row, column)].is_finite()) {
                let (what, value) = ("inputs", x[(row, column)]);
                return Err(KernelError::NotFinite { what, row, column, value }.into());
            }
            let checked = model.likelihood().check_observation(target);
            checked.map_err(|fault| InferenceError::Observation { row, fault })?;
        }
        let params = gp_likelihoods::parameter_count(model.likelihood().parameters());
        let latents = model.kernels().len();
        let sites = || (0..latents).map(|_| Sites::flat(count)).collect::<Vec<_>>();
        let lanes = Lanes::new(count, model.threading(), &LocalReduction, |_| DenseLane {
            estimates: Estimates::default(),
            beliefs: Vec::with_capacity(latents),
            slopes: Vec::new(),
        });
        Ok(Self {
            x,
            y,
            outputs,
            latents: (0..latents).map(|_| DenseLatent::new(count)).collect(),
            sites: sites(),
            targets: sites(),
            trial: sites(),
            lanes,
            pool: Pool::default(),
            sums: vec![0.0; 1 + params],
            nodes: Nodes::default(),
            evaluator: Evaluator::new(model.threading()),
            room: Mat::zeros(count, count),
            upstream: Mat::zeros(count, count),
        })
    }

    /// Sets a stop signal, polled also in factorisations.
    pub fn set_stop_signal(&mut self, stop_signal: StopSignal) {
        self.evaluator = Evaluator::new(self.evaluator.threading()).with_stop_signal(stop_signal);
    }

    /// Number N of observations.
    #[must_use]
    pub fn count(&self) -> usize {
        self.x.nrows()
    }

    /// λ and ν of a latent.
    #[must_use]
    pub fn sites(&self, latent: usize) -> Option<(&[f64], &[f64])> {
        self.sites.get(latent).map(|sites| (sites.precision.as_slice(), sites.shift.as_slice()))
    }

    /// Natural-gradient steps to convergence.
    ///
    /// # Errors
    /// [`InferenceError::Option`]; [`InferenceError::ImproperPosterior`] if no step raises the bound; as
    /// [`value`](Self::value).
    pub fn converge(
        &mut self,
        model: &DenseVariational,
        options: &NaturalOptions,
    ) -> Result<Ascent, InferenceError> {
        self.converge_within(model, options, &|| false)
    }

    fn converge_within(
        &mut self,
        model: &DenseVariational,
        options: &NaturalOptions,
        is_short: &dyn Fn() -> bool,
    ) -> Result<Ascent, InferenceError> {
        options.check()?;
        let start = self.restore(model)?;
        self.aim();
        climb(&mut DenseClimb { state: self, model }, start, options, is_short)
    }

    /// Converges; after a failure, restarts from the prior.
    pub(super) fn converge_or_restart(
        &mut self,
        model: &DenseVariational,
        options: &NaturalOptions,
        is_short: &dyn Fn() -> bool,
    ) -> Result<Ascent, InferenceError> {
        match self.converge_within(model, options, is_short) {
            Err(error) if error == InferenceError::ImproperPosterior || error.is_local() => {
                let count = self.count();
                self.sites.iter_mut().for_each(|sites| *sites = Sites::flat(count));
                self.converge_within(model, options, is_short)
            }
            other => other,
        }
    }

    /// Bound at the current λ and ν.
    ///
    /// # Errors
    /// [`InferenceError::NotFinite`]; errors of kernels and likelihood.
    pub fn value(&mut self, model: &DenseVariational) -> Result<f64, InferenceError> {
        self.restore(model)
    }

    /// Bound; writes its gradient by all natural values, without priors, at constant m and S; at convergence, it is
    /// that of the maximal bound.
    ///
    /// # Errors
    /// As [`value`](Self::value), and [`InferenceError::Shape`].
    pub fn gradient(
        &mut self,
        model: &DenseVariational,
        gradient: &mut [f64],
    ) -> Result<f64, InferenceError> {
        check_count("gradient", "entries", model.parameter_count(), gradient.len())?;
        let value = self.restore(model)?;
        self.stoppable(|state| state.write_gradient(model, gradient))?;
        Ok(value)
    }

    fn write_gradient(
        &mut self,
        model: &DenseVariational,
        gradient: &mut [f64],
    ) -> Result<(), InferenceError> {
        let (threading, mut rest) = (self.evaluator.threading(), gradient);
        for (kernel, latent) in model.kernels().iter().zip(&self.latents) {
            let (own, later) = std::mem::take(&mut rest).split_at_mut(parameter_count(kernel.as_ref()));
            own.fill(0.0);
            latent.upstream(&mut self.room, &mut self.upstream, threading)?;
            let upstream = self.upstream.as_ref();
            self.evaluator.gram_reverse(kernel.as_ref(), self.x.as_ref(), upstream, own, None)?;
            rest = later;
        }
        rest.copy_from_slice(&self.sums[1..]);
        Ok(())
    }

    /// Predictor of the current posterior.
    ///
    /// # Errors
    /// As [`value`](Self::value).
    pub fn predictor(
        &mut self,
        model: &DenseVariational,
    ) -> Result<Predictor<MixturePosterior<DensePosterior>>, InferenceError> {
        self.restore(model)?;
        let each = model.kernels().iter().zip(&self.latents);
        let parts = each.map(|(kernel, latent)| latent.posterior(kernel.as_ref(), self.x.as_ref()));
        let functions = MixturePosterior::single(parts.collect::<Result<_, _>>()?);
        Predictor::new(functions, model.likelihood().clone_box(), model.threading())
    }

    fn restore(&mut self, model: &DenseVariational) -> Result<f64, InferenceError> {
        check_count("model", "latent functions", self.latents.len(), model.kernels().len())?;
        for (kernel, latent) in model.kernels().iter().zip(&mut self.latents) {
            latent.set_kernel(kernel.as_ref(), self.x.as_ref(), &self.evaluator)?;
        }
        if let Expectation::Sampled(sampling) = model.expectation() {
            self.nodes.prepare(sampling, self.latents.len())?;
        }
        self.trial.clone_from(&self.sites);
        self.evaluate(model)
    }

    fn stoppable<T>(
        &mut self,
        work: impl FnOnce(&mut Self) -> Result<T, InferenceError>,
    ) -> Result<T, InferenceError> {
        let stop_signal = self.evaluator.stop_signal().clone();
        stoppable(&stop_signal, || work(self))
    }

    fn evaluate(&mut self, model: &DenseVariational) -> Result<f64, InferenceError> {
        self.stoppable(|state| state.evaluate_whole(model))
    }

    fn evaluate_whole(&mut self, model: &DenseVariational) -> Result<f64, InferenceError> {
        let threading = self.evaluator.threading();
        for (latent, sites) in self.latents.iter_mut().zip(&self.trial) {
            latent.set_sites(sites, &mut self.room, threading)?;
        }
        let (latents, nodes, lanes, count) = (&self.latents, &self.nodes, self.lanes.count(), self.x.nrows());
        let (y, outputs) = (&self.y, self.outputs);
        let total = (&mut self.sums, &self.pool);
        self.lanes.fold(total, &LocalReduction, |lane, own, partial: &mut Vec<f64>| {
            own.slopes.clear();
            for row in lane_rows(lane, lanes, count) {
                let y = &y[row * outputs..(row + 1) * outputs];
                own.observe(model, (latents, nodes), (row, y), partial)?;
            }
            Ok::<(), InferenceError>(())
        })?;
        Ok(self.sums[0] - self.latents.iter().map(DenseLatent::divergence).sum::<f64>())
    }

    /// Full-step sites: `λ = −2h` (Bonilla et al. 2019 eq. 126), `ν = g + λ m`.
    fn aim(&mut self) {
        let (lanes, count, latents) = (self.lanes.count(), self.x.nrows(), self.latents.len());
        for (lane, own) in self.lanes.states().iter().enumerate() {
            for (place, row) in lane_rows(lane, lanes, count).enumerate() {
                for q in 0..latents {
                    let (g, h) = own.slopes[place * latents + q];
                    let lambda = (-2.0 * h).max(0.0);
                    self.targets[q].precision[row] = lambda;
                    self.targets[q].shift[row] = g + lambda * self.latents[q].mean[row];
                }
            }
        }
    }
}

impl DenseLane {
    fn observe(
        &mut self,
        model: &DenseVariational,
        (latents, nodes): (&[DenseLatent], &Nodes),
        (row, y): (usize, &[f64]),
        partial: &mut [f64],
    ) -> Result<(), InferenceError> {
        self.beliefs.clear();
        for latent in latents {
            self.beliefs.push(Latent::new(latent.mean[row], latent.variance[row])?);
        }
        let observed = Observed { likelihood: model.likelihood(), y, q: &self.beliefs, place: (row, 0) };
        let asked = (observed.likelihood, Targets { numbers: &[row], y });
        self.estimates.sample(asked, observed.q, 0, (model.expectation(), nodes))?;
        let done = self.estimates.estimate(observed, 0, model.expectation(), nodes);
        done.map_err(|error| error.at_row(row))?;
        let slopes = &self.estimates.slopes;
        partial[0] += slopes.value;
        partial[1..].iter_mut().zip(&slopes.by_params).for_each(|(sum, slope)| *sum += slope);
        self.slopes.extend(slopes.by_mean.iter().copied().zip(slopes.by_variance.iter().copied()));
        Ok(())
    }
}

/// λ and ν.
impl Companion for DenseState {
    type Memory = Vec<Sites>;
    const KIND: &'static str = "a converged dense posterior";

    fn memory(&self) -> Vec<Sites> {
        self.sites.clone()
    }

    fn recall(&mut self, sites: Vec<Sites>) -> Result<(), String> {
        let count = self.count();
        let fits = |sites: &Sites| sites.precision.len() == count && sites.shift.len() == count;
        if sites.len() != self.sites.len() || !sites.iter().all(fits) {
            return Err("its sites are those of another model or of other data".to_owned());
        }
        self.sites = sites;
        Ok(())
    }
}

struct DenseClimb<'a> {
    state: &'a mut DenseState,
    model: &'a DenseVariational,
}

impl Climber for DenseClimb<'_> {
    fn attempt(&mut self, rate: f64, mixing: &mut Mixing) -> Result<f64, InferenceError> {
        let DenseState { sites, targets, trial, .. } = &mut *self.state;
        for ((trial, from), to) in trial.iter_mut().zip(&*sites).zip(&*targets) {
            trial.between(from, to, rate);
        }
        let from = Sites::numbers(sites);
        let step = Sites::numbers(targets).iter().zip(&from).map(|(to, from)| to - from).collect();
        if let Some(mixed) = mixing.propose(from, step) {
            Sites::set_numbers(trial, mixed);
        }
        match self.state.evaluate(self.model) {
            Err(error) if error.is_local() => Ok(f64::NEG_INFINITY),
            other => other,
        }
    }

    fn accept(&mut self) -> Result<(), InferenceError> {
        let DenseState { sites, trial, .. } = &mut *self.state;
        std::mem::swap(sites, trial);
        self.state.aim();
        Ok(())
    }

    fn withdraw(&mut self) -> Result<(), InferenceError> {
        Ok(())
    }
}
