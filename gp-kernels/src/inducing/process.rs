//! Latent function with inducing inputs.

use super::InducingInputs;
use crate::error::KernelError;
use crate::kernel::Kernel;
use crate::tree::KernelExt;
use gp_optim::{Parameter, ParameterSet, ParameterSetMut, Transform};
use std::sync::atomic::{AtomicU64, Ordering};

/// `f ~ GP(0, k)` with M inducing inputs `Z`.
///
/// Parameters: kernel, Z by rows, window variances.
#[derive(Clone, Debug)]
pub struct SparseProcess {
    kernel: Box<dyn Kernel>,
    inputs: InducingInputs,
    /// Z and window variances.
    places: Vec<Parameter>,
    structure: Structure,
}

/// Identity of a kernel's structure, shared by copies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Structure(u64);

impl Structure {
    fn unique() -> Self {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        Self(COUNT.fetch_add(1, Ordering::Relaxed))
    }
}

impl SparseProcess {
    /// Process with all parameters trained.
    ///
    /// # Errors
    /// [`KernelError::NoInducingInputs`]; [`KernelError::Parameter`] for window variance 0.
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

    /// Fixes inducing inputs and windows.
    #[must_use]
    pub fn with_fixed_inputs(mut self) -> Self {
        self.places.iter_mut().for_each(|parameter| parameter.fix_all(true));
        self
    }

    /// Fixes window widths, not centres.
    #[must_use]
    pub fn with_fixed_windows(mut self) -> Self {
        self.places.iter_mut().skip(1).for_each(|parameter| parameter.fix_all(true));
        self
    }

    /// Replaces the kernel.
    #[must_use]
    pub fn with_kernel(self, kernel: Box<dyn Kernel>) -> Self {
        Self { kernel, structure: Structure::unique(), ..self }
    }

    /// Prior covariance.
    #[must_use]
    pub fn kernel(&self) -> &dyn Kernel {
        self.kernel.as_ref()
    }

    /// Kernel, mutable.
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

    /// `true` if inputs or windows are trained.
    #[must_use]
    pub fn trains_inputs(&self) -> bool {
        self.places.iter().any(|parameter| parameter.free_len() > 0)
    }

    /// `kernel.rbf.lengthscale[1]` …, then `z[m,d]` and `window[m,d]`.
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
        // Values of a parameter are within its domain, so inducing inputs accept them.
        let windows = windows.first().map(Parameter::values);
        let moved = self.inputs.move_to(z[0].values(), windows);
        debug_assert!(moved.is_ok());
    }
}
