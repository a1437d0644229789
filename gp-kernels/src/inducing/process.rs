//! Latent function with kernel and inducing inputs, all trainable.

use super::InducingInputs;
use crate::error::KernelError;
use crate::kernel::Kernel;
use crate::tree::KernelExt;
use gp_optim::{Parameter, ParameterSet, ParameterSetMut, Transform};
use std::sync::atomic::{AtomicU64, Ordering};

/// `f ~ GP(0, k)`, seen through M inducing inputs `Z`.
///
/// Parameters: the kernel's, Z by point, then the variances of windows, if any.
#[derive(Clone, Debug)]
pub struct SparseProcess {
    kernel: Box<dyn Kernel>,
    inputs: InducingInputs,
    /// Z and windows of `inputs`, as parameters.
    places: Vec<Parameter>,
    structure: Structure,
}

/// Structure of a kernel apart from parameter values: equal for copies until the kernel itself is accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Structure(u64);

impl Structure {
    /// New unique structure.
    fn unique() -> Self {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        Self(COUNT.fetch_add(1, Ordering::Relaxed))
    }
}

impl SparseProcess {
    /// Latent function with this prior covariance and inducing inputs, all trained.
    ///
    /// # Errors
    /// [`KernelError::NoInducingInputs`]; [`KernelError::Parameter`] for a window of variance 0, which
    /// cannot be trained.
    pub fn new(kernel: Box<dyn Kernel>, inputs: InducingInputs) -> Result<Self, KernelError> {
        if inputs.count() == 0 {
            return Err(KernelError::NoInducingInputs);
        }
        let mut values = inputs.values();
        let windows = values.split_off(inputs.count() * inputs.dim());
        let mut places = vec![Parameter::vector("z", values, Transform::Identity)?];
        if !windows.is_empty() {
            places.push(Parameter::vector("window", windows, Transform::Positive)?);
        }
        Ok(Self { kernel, inputs, places, structure: Structure::unique() })
    }

    /// Fixes inducing inputs and windows in training.
    #[must_use]
    pub fn with_fixed_inputs(mut self) -> Self {
        self.places.iter_mut().for_each(|parameter| parameter.fix_all(true));
        self
    }

    /// Fixes the widths of windows in training; centres may move.
    #[must_use]
    pub fn with_fixed_windows(mut self) -> Self {
        self.places.iter_mut().skip(1).for_each(|parameter| parameter.fix_all(true));
        self
    }

    /// Replaces the prior covariance.
    #[must_use]
    pub fn with_kernel(self, kernel: Box<dyn Kernel>) -> Self {
        Self { kernel, structure: Structure::unique(), ..self }
    }

    /// Prior covariance.
    #[must_use]
    pub fn kernel(&self) -> &dyn Kernel {
        self.kernel.as_ref()
    }

    /// Prior covariance, mutable: parameter values, fixed marks, bounds, priors.
    pub fn kernel_mut(&mut self) -> &mut dyn Kernel {
        self.structure = Structure::unique();
        self.kernel.as_mut()
    }

    pub(super) fn structure(&self) -> Structure {
        self.structure
    }

    /// Inducing inputs.
    #[must_use]
    pub fn inputs(&self) -> &InducingInputs {
        &self.inputs
    }

    /// `true` if any inducing input or window is trained.
    #[must_use]
    pub fn trains_inputs(&self) -> bool {
        self.places.iter().any(|parameter| parameter.free_len() > 0)
    }

    /// Name of every value: `kernel.rbf.lengthscale[1]`, then `z[m,d]` and `window[m,d]`.
    #[must_use]
    pub fn parameter_names(&self) -> Vec<String> {
        let kernel = self.kernel.parameter_names().into_iter().map(|name| format!("kernel.{name}"));
        let dim = self.inputs.dim();
        let places = self.places.iter().flat_map(|parameter| {
            (0..parameter.len()).map(move |i| format!("{}[{},{}]", parameter.name(), i / dim, i % dim))
        });
        kernel.chain(places).collect()
    }
}

impl ParameterSet for SparseProcess {
    fn visit(&self, visit: &mut dyn FnMut(&Parameter)) {
        self.kernel.for_each_parameter(visit);
        self.places.iter().for_each(visit);
    }
}

impl ParameterSetMut for SparseProcess {
    fn visit_mut(&mut self, visit: &mut dyn FnMut(&mut Parameter)) {
        self.kernel.for_each_parameter_mut(visit);
        self.places.iter_mut().for_each(visit);
        let (z, windows) = self.places.split_at(1);
        // A parameter only ever holds values of its set, which inducing inputs accept.
        let windows = windows.first().map(Parameter::values);
        let moved = self.inputs.move_to(z[0].values(), windows);
        debug_assert!(moved.is_ok());
    }
}
