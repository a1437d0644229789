//! Model of the informative vector machine.

use super::memory::MemoryEstimate;
use super::nodes::Nodes;
use super::observation::ObservationModel;
use super::options::{Coupling, IvmOptions, Rule};
use crate::error::InferenceError;
use gp_kernels::{Kernel, KernelExt};
use gp_likelihoods::{Likelihood, Support};
use gp_linalg::{JitterPolicy, Threading};
use gp_optim::{Parameter, ParameterSet, ParameterSetMut, Transform};

/// Zero-mean Gaussian processes observed through labels.
#[derive(Clone, Debug)]
pub struct Ivm {
    pub(super) kernels: Vec<Box<dyn Kernel>>,
    pub(super) likelihood: Box<dyn Likelihood>,
    pub(super) intercepts: Parameter,
    pub(super) coupling: Coupling,
    pub(super) rule: Rule,
    nodes: Nodes,
    pub(super) jitter: JitterPolicy,
    pub(super) threading: Threading,
}

impl Ivm {
    /// One kernel per latent, intercepts 0; several latents are coupled.
    ///
    /// # Errors
    /// [`InferenceError::Shape`] of `kernels`; [`InferenceError::Unsupported`] unless observations are single labels
    /// and several latents are one per class with a shift-invariant likelihood.
    pub fn new(
        kernels: Vec<Box<dyn Kernel>>,
        likelihood: Box<dyn Likelihood>,
    ) -> Result<Self, InferenceError> {
        let latents = likelihood.latents();
        crate::error::check_count("list of kernels", "entries", latents, kernels.len())?;
        let labels = matches!(likelihood.support(), Support::Signs | Support::Classes(_));
        if likelihood.outputs() != 1 || !labels {
            return Err(InferenceError::Unsupported {
                what: "an informative vector machine for observations other than labels",
            });
        }
        let mut intercepts = Parameter::vector("intercept", vec![0.0; latents], Transform::Identity)?;
        intercepts.fix_all(true);
        let rule = Rule::default();
        let model = Self {
            kernels,
            likelihood,
            intercepts,
            coupling: Coupling::Independent,
            rule,
            nodes: Nodes::new(&rule.cubature(latents)?),
            jitter: JitterPolicy::ladder(),
            threading: Threading::Pool,
        };
        if latents == 1 { Ok(model) } else { model.with_coupling(Coupling::Coupled) }
    }

    /// [`new`](Self::new) with one kernel for all latents.
    pub fn shared(kernel: &dyn Kernel, likelihood: Box<dyn Likelihood>) -> Result<Self, InferenceError> {
        let kernels = (0..likelihood.latents()).map(|_| kernel.clone_box()).collect();
        Self::new(kernels, likelihood)
    }

    /// Sets the coupling of classes.
    ///
    /// # Errors
    /// [`InferenceError::Unsupported`] as [`new`](Self::new), or for one coupled latent.
    pub fn with_coupling(mut self, coupling: Coupling) -> Result<Self, InferenceError> {
        let paired = self.likelihood.support().classes() == self.classes();
        if coupling == Coupling::Coupled && !(paired && self.is_shift_invariant()?) {
            let what = "coupled sites for a likelihood that changes when all latents move together";
            return Err(InferenceError::Unsupported { what });
        }
        self.coupling = coupling;
        Ok(self)
    }

    /// Sets the integration rule of several latents.
    ///
    /// # Errors
    /// [`InferenceError::Likelihood`] for an invalid number of nodes.
    pub fn with_rule(self, rule: Rule) -> Result<Self, InferenceError> {
        let nodes = Nodes::new(&rule.cubature(self.classes())?);
        Ok(Self { rule, nodes, ..self })
    }

    /// Sets threading; results do not change.
    #[must_use]
    pub fn with_threading(self, threading: Threading) -> Self {
        Self { threading, ..self }
    }

    /// Prior covariances, one per latent.
    #[must_use]
    pub fn kernels(&self) -> &[Box<dyn Kernel>] {
        &self.kernels
    }

    /// Prior covariances, to change parameters.
    pub fn kernels_mut(&mut self) -> &mut [Box<dyn Kernel>] {
        &mut self.kernels
    }

    /// Likelihood of labels given latents.
    #[must_use]
    pub fn likelihood(&self) -> &dyn Likelihood {
        self.likelihood.as_ref()
    }

    /// Constant per latent, initially fixed at 0.
    #[must_use]
    pub fn intercepts(&self) -> &Parameter {
        &self.intercepts
    }

    /// Intercepts, to change or free.
    pub fn intercepts_mut(&mut self) -> &mut Parameter {
        &mut self.intercepts
    }

    /// Coupling of classes in the posterior.
    #[must_use]
    pub fn coupling(&self) -> Coupling {
        self.coupling
    }

    /// Number of latents.
    #[must_use]
    pub fn classes(&self) -> usize {
        self.kernels.len()
    }

    /// Names of values, such as `kernel[2].rbf.lengthscale` and `intercept[0]`.
    #[must_use]
    pub fn parameter_names(&self) -> Vec<String> {
        let of_kernels = self.kernels.iter().enumerate().flat_map(|(c, kernel)| {
            kernel.parameter_names().into_iter().map(move |name| format!("kernel[{c}].{name}"))
        });
        of_kernels.chain((0..self.classes()).map(|c| format!("intercept[{c}]"))).collect()
    }

    /// Memory estimate for `points` rows.
    #[must_use]
    pub fn memory(&self, points: usize, options: &IvmOptions) -> MemoryEstimate {
        MemoryEstimate::new(points, self.classes(), self.coupling, options)
    }

    pub(super) fn observation_model(&self) -> ObservationModel<'_> {
        ObservationModel {
            likelihood: self.likelihood.as_ref(),
            intercepts: self.intercepts.values(),
            nodes: &self.nodes,
            coupled: self.coupling == Coupling::Coupled,
        }
    }

    /// `true` if log densities ignore a common shift.
    fn is_shift_invariant(&self) -> Result<bool, InferenceError> {
        let latents = self.classes();
        let support = self.likelihood.support();
        let mut worst = 0.0f64;
        for shift in [0.37, -1.9] {
            let f: Vec<f64> = (0..2 * latents)
                .map(|i| 0.3 * (i % latents) as f64 - 0.2 + if i < latents { 0.0 } else { shift })
                .collect();
            for class in 0..support.classes() {
                let mut out = [0.0; 2];
                self.likelihood.log_densities(&[support.label(class)], &f, &mut out)?;
                worst = worst.max((out[0] - out[1]).abs());
            }
        }
        // Tolerance: errors of numerical integrals.
        Ok(latents > 1 && worst < 1e-9)
    }
}

/// Kernels by latent, intercepts; no likelihood parameters.
impl ParameterSet for Ivm {
    fn visit(&self, visit: &mut dyn FnMut(&Parameter)) {
        self.kernels.iter().for_each(|kernel| kernel.for_each_parameter(visit));
        visit(&self.intercepts);
    }
}

impl ParameterSetMut for Ivm {
    fn visit_mut(&mut self, visit: &mut dyn FnMut(&mut Parameter)) {
        self.kernels.iter_mut().for_each(|kernel| kernel.for_each_parameter_mut(visit));
        visit(&mut self.intercepts);
    }
}
