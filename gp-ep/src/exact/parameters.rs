//! Parameters: kernel, then noise variance.

use super::model::ExactGp;
use gp_kernels::KernelExt;
use gp_optim::{Parameter, ParameterSet, ParameterSetMut};

impl ExactGp {
    /// Names such as `kernel.rbf.lengthscale[1]`, then `noise.variance`.
    #[must_use]
    pub fn parameter_names(&self) -> Vec<String> {
        let kernel = self.kernel.parameter_names().into_iter().map(|name| format!("kernel.{name}"));
        kernel.chain(["noise.variance".to_owned()]).collect()
    }
}

impl ParameterSet for ExactGp {
    fn visit(&self, visit: &mut dyn FnMut(&Parameter)) {
        self.kernel.for_each_parameter(visit);
        self.noise.parameters().iter().for_each(visit);
    }
}

impl ParameterSetMut for ExactGp {
    fn visit_mut(&mut self, visit: &mut dyn FnMut(&mut Parameter)) {
        self.kernel.for_each_parameter_mut(visit);
        self.noise.parameters_mut().iter_mut().for_each(visit);
    }
}
