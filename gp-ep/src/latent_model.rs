//! Latent functions and likelihood of all methods.

use crate::error::{InferenceError, check_count};
use crate::posterior::Predictor;
use crate::power_ep::WhitenedPosterior;
use gp_kernels::data::{DataError, DataSource, Reduction};
use gp_kernels::inducing::SparseProcess;
use gp_kernels::passes::{HELD, Setup};
use gp_kernels::posterior::{InducingPosterior, MixturePosterior, PosteriorFactor};
use gp_likelihoods::Likelihood;
use gp_linalg::{JitterPolicy, Threading};
use gp_optim::{Parameter, ParameterSet, ParameterSetMut};
use std::sync::Arc;

/// Builders, `Deref` and parameters (of the listed fields, in order) by the field `latent`, a
/// [`LatentModel`](crate::LatentModel).
///
/// ```
/// use gp_ep::{LatentModel, on_latent_model};
/// #[derive(Clone, Debug)]
/// struct Model {
///     latent: LatentModel,
/// }
/// on_latent_model! { Model: LatentModel { latent } }
/// ```
#[macro_export]
macro_rules! on_latent_model {
    ($model:ty: $latent:ty { $($field:ident),+ }) => {
        impl $model {
            /// Sets the jitter policy of `K_zz`.
            #[must_use]
            pub fn with_jitter(mut self, jitter: ::gp_linalg::JitterPolicy) -> Self {
                self.set_jitter(jitter);
                self
            }

            /// Sets threading; results do not change.
            #[must_use]
            pub fn with_threading(mut self, threading: ::gp_linalg::Threading) -> Self {
                self.set_threading(threading);
                self
            }

            /// Sets the reduction over processes; results do not change.
            #[must_use]
            pub fn with_reduction(
                mut self,
                reduction: ::std::option::Option<::std::sync::Arc<dyn $crate::Reduction>>,
            ) -> Self {
                self.set_reduction(reduction);
                self
            }
        }

        impl ::std::ops::Deref for $model {
            type Target = $latent;

            fn deref(&self) -> &$latent {
                &self.latent
            }
        }

        impl ::std::ops::DerefMut for $model {
            fn deref_mut(&mut self) -> &mut $latent {
                &mut self.latent
            }
        }

        impl ::gp_optim::ParameterSet for $model {
            fn visit(&self, visit: &mut dyn FnMut(&::gp_optim::Parameter)) {
                $(::gp_optim::ParameterSet::visit(&self.$field, visit);)+
            }
        }

        impl ::gp_optim::ParameterSetMut for $model {
            fn visit_mut(&mut self, visit: &mut dyn FnMut(&mut ::gp_optim::Parameter)) {
                $(::gp_optim::ParameterSetMut::visit_mut(&mut self.$field, visit);)+
            }
        }
    };
}

/// Gaussian processes with inducing inputs, and likelihood.
///
/// One process per latent, or one for all, projected and differentiated once. Parameters: processes, then
/// likelihood.
#[derive(Debug)]
pub struct LatentModel<L: ?Sized = dyn Likelihood> {
    processes: Vec<SparseProcess>,
    likelihood: Box<L>,
    jitter: JitterPolicy,
    threading: Threading,
    reduction: Option<Arc<dyn Reduction>>,
}

impl<L: ?Sized> Clone for LatentModel<L>
where
    Box<L>: Clone,
{
    fn clone(&self) -> Self {
        let (processes, likelihood) = (self.processes.clone(), self.likelihood.clone());
        Self { processes, likelihood, reduction: self.reduction.clone(), ..*self }
    }
}

impl LatentModel {
    /// One process per latent, or one for all; [weights](gp_likelihoods::Described::weight) of the
    /// likelihood, rayon's current pool, [`JitterPolicy::ladder`].
    ///
    /// # Errors
    /// [`InferenceError::Shape`] of `processes`.
    pub fn new(
        processes: Vec<SparseProcess>,
        likelihood: Box<dyn Likelihood>,
    ) -> Result<Self, InferenceError> {
        if processes.len() != 1 {
            check_count("model", "latent functions", likelihood.latents(), processes.len())?;
        }
        Ok(Self::of(processes, likelihood))
    }
}

impl<L: Likelihood + ?Sized> LatentModel<L> {
    pub(crate) fn of(processes: Vec<SparseProcess>, likelihood: Box<L>) -> Self {
        let (jitter, threading) = (JitterPolicy::ladder(), Threading::Pool);
        Self { processes, likelihood, jitter, threading, reduction: None }
    }

    pub(crate) fn fix_inputs(&mut self) {
        self.processes.iter_mut().for_each(|process| *process = process.clone().with_fixed_inputs());
    }

    /// Sets the jitter policy of `K_zz`.
    pub fn set_jitter(&mut self, jitter: JitterPolicy) {
        self.jitter = jitter;
    }

    /// Sets threading; results do not change.
    pub fn set_threading(&mut self, threading: Threading) {
        self.threading = threading;
    }

    /// Sets the reduction over processes; None for one.
    pub fn set_reduction(&mut self, reduction: Option<Arc<dyn Reduction>>) {
        self.reduction = reduction;
    }

    /// One per latent, or one for all.
    #[must_use]
    pub fn processes(&self) -> &[SparseProcess] {
        &self.processes
    }

    /// Processes, to change parameters.
    pub fn processes_mut(&mut self) -> &mut [SparseProcess] {
        &mut self.processes
    }

    /// Process of one latent.
    ///
    /// # Panics
    /// For an unknown latent.
    #[must_use]
    pub fn process(&self, latent: usize) -> &SparseProcess {
        &self.processes[if self.processes.len() == 1 { 0 } else { latent }]
    }

    /// Number M of inducing inputs per latent.
    #[must_use]
    pub fn counts(&self) -> Vec<usize> {
        (0..self.likelihood.latents()).map(|latent| self.process(latent).inputs().count()).collect()
    }

    /// Likelihood of the observations.
    #[must_use]
    pub fn likelihood(&self) -> &L {
        self.likelihood.as_ref()
    }

    /// Likelihood, to change parameters.
    pub fn likelihood_mut(&mut self) -> &mut L {
        self.likelihood.as_mut()
    }

    /// Jitter policy of `K_zz`.
    #[must_use]
    pub fn jitter(&self) -> &JitterPolicy {
        &self.jitter
    }

    /// Policy for large computations.
    #[must_use]
    pub fn threading(&self) -> Threading {
        self.threading
    }

    /// Reduction over processes; None for one.
    #[must_use]
    pub fn reduction(&self) -> Option<Arc<dyn Reduction>> {
        self.reduction.clone()
    }

    /// Passes over `data`, with memory for `capacity` observations. `reduction` replaces the model's.
    ///
    /// # Errors
    /// [`InferenceError::Data`] without observations; [`InferenceError::Shape`] of columns.
    pub fn passes_over<'a>(
        &'a self,
        data: &'a dyn DataSource,
        capacity: usize,
        reduction: Option<Arc<dyn Reduction>>,
    ) -> Result<Setup<'a>, InferenceError> {
        if data.count() == 0 {
            return Err(DataError::NoData.into());
        }
        check_count("targets", "columns", self.likelihood.outputs(), data.outputs())?;
        for process in &self.processes {
            check_count("inputs", "columns", process.inputs().dim(), data.dim())?;
        }
        Ok(Setup { reduction: reduction.or_else(|| self.reduction()), ..self.setup(data, capacity) })
    }

    pub(crate) fn setup<'a>(&'a self, data: &'a dyn DataSource, capacity: usize) -> Setup<'a> {
        Setup {
            processes: &self.processes,
            latents: self.likelihood.latents(),
            data,
            capacity,
            threading: self.threading,
            reduction: self.reduction(),
            records: capacity < data.count(),
            held: HELD,
        }
    }

    pub(crate) fn predictor_of(&self, posteriors: &[WhitenedPosterior]) -> Result<Predictor, InferenceError> {
        check_count("model", "latent functions", self.likelihood.latents(), posteriors.len())?;
        let parts = self.posteriors(1, |_, latent| posteriors[latent].parts())?;
        Predictor::new(MixturePosterior::single(parts), self.likelihood.clone_box(), self.threading)
    }

    /// Posteriors over inducing values by component, then latent, from mean and factor of `whitened`, by
    /// [`InducingPosterior::new`]. Latents of one process share the factor of `K_zz`.
    pub fn posteriors(
        &self,
        components: usize,
        whitened: impl Fn(usize, usize) -> (Vec<f64>, PosteriorFactor),
    ) -> Result<Vec<InducingPosterior>, InferenceError> {
        let latents = self.likelihood.latents();
        let mut parts: Vec<InducingPosterior> = Vec::with_capacity(components * latents);
        for place in 0..components * latents {
            let (component, latent) = (place / latents, place % latents);
            let whitened = whitened(component, latent);
            let first_of_process = if self.processes.len() == 1 { 0 } else { latent };
            parts.push(match parts.get(first_of_process) {
                Some(first) => first.alike(whitened.0, whitened.1)?,
                None => self.posterior_of(latent, whitened)?,
            });
        }
        Ok(parts)
    }

    pub(crate) fn posterior_of(
        &self,
        latent: usize,
        (mean, factor): (Vec<f64>, PosteriorFactor),
    ) -> Result<InducingPosterior, InferenceError> {
        let process = self.process(latent);
        let (kernel, inputs) = (process.kernel().clone_box(), process.inputs().clone());
        Ok(InducingPosterior::new(kernel, inputs, self.jitter, mean, factor)?)
    }

    /// Names of all values, such as `kernel.rbf.lengthscale[1]`, `z[3,0]` and `likelihood.scale`; with
    /// several processes after `latent[0].`.
    #[must_use]
    pub fn parameter_names(&self) -> Vec<String> {
        let mut names = Vec::new();
        for (q, process) in self.processes.iter().enumerate() {
            let several = self.processes.len() > 1;
            let front = if several { format!("latent[{q}].") } else { String::new() };
            names.extend(process.parameter_names().into_iter().map(|name| format!("{front}{name}")));
        }
        for parameter in self.likelihood.parameters() {
            for i in 0..parameter.len() {
                let element = if parameter.is_vector() { format!("[{i}]") } else { String::new() };
                names.push(format!("likelihood.{}{element}", parameter.name()));
            }
        }
        names
    }
}

impl<L: Likelihood + ?Sized> ParameterSet for LatentModel<L> {
    fn visit(&self, visit: &mut dyn FnMut(&Parameter)) {
        self.processes.iter().for_each(|process| process.visit(visit));
        self.likelihood.parameters().iter().for_each(visit);
    }
}

impl<L: Likelihood + ?Sized> ParameterSetMut for LatentModel<L> {
    fn visit_mut(&mut self, visit: &mut dyn FnMut(&mut Parameter)) {
        self.processes.iter_mut().for_each(|process| process.visit_mut(visit));
        self.likelihood.parameters_mut().iter_mut().for_each(visit);
    }
}
