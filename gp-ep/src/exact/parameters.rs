//! The parameters of the model as one list: those of the kernel, then the noise variance.

use super::model::ExactGp;
use crate::error::{EpError, check_count};
use gp_kernels::KernelExt;
use gp_optim::Parameter;

impl ExactGp {
    /// The number of parameter values, fixed ones included.
    #[must_use]
    pub fn parameter_count(&self) -> usize {
        self.kernel.parameter_count() + 1
    }

    /// The name of every value, such as `kernel.rbf.lengthscale[1]` and, at the end, `noise.variance`.
    #[must_use]
    pub fn parameter_names(&self) -> Vec<String> {
        let kernel = self.kernel.parameter_names().into_iter().map(|name| format!("kernel.{name}"));
        kernel.chain(["noise.variance".to_owned()]).collect()
    }

    /// Every value in natural units.
    #[must_use]
    pub fn parameter_values(&self) -> Vec<f64> {
        let mut values = self.kernel.parameter_values();
        values.push(self.noise.variance());
        values
    }

    /// The number of values that are trained.
    #[must_use]
    pub fn free_count(&self) -> usize {
        self.kernel.free_count() + self.free_noise_count()
    }

    /// Writes the trained values in unconstrained coordinates.
    ///
    /// # Errors
    /// [`EpError::Shape`] unless `out` holds [`free_count`](Self::free_count) numbers.
    pub fn write_free(&self, out: &mut [f64]) -> Result<(), EpError> {
        check_count("unconstrained parameters", "entries", self.free_count(), out.len())?;
        let (kernel, noise) = out.split_at_mut(self.kernel.free_count());
        self.kernel.write_free(kernel)?;
        Ok(self.noise_parameter().write_free_unconstrained(noise)?)
    }

    /// Sets the trained values from unconstrained coordinates.
    ///
    /// # Errors
    /// [`EpError::Shape`] for a wrong length; [`EpError::Kernel`] or [`EpError::Parameter`] for numbers that are not
    /// finite.
    pub fn set_free(&mut self, unconstrained: &[f64]) -> Result<(), EpError> {
        check_count("unconstrained parameters", "entries", self.free_count(), unconstrained.len())?;
        let (kernel, noise) = unconstrained.split_at(self.kernel.free_count());
        self.kernel.set_free(kernel)?;
        Ok(self.noise.parameters_mut()[0].set_free_unconstrained(noise)?)
    }

    /// From a gradient in natural units of all values to one in unconstrained coordinates of the trained ones.
    ///
    /// # Errors
    /// [`EpError::Shape`] for a wrong length of either.
    pub fn chain_gradient(&self, natural: &[f64], out: &mut [f64]) -> Result<(), EpError> {
        check_count("natural gradient", "entries", self.parameter_count(), natural.len())?;
        check_count("unconstrained gradient", "entries", self.free_count(), out.len())?;
        let (kernel, noise) = natural.split_at(self.kernel.parameter_count());
        let (kernel_out, noise_out) = out.split_at_mut(self.kernel.free_count());
        self.kernel.chain_gradient(kernel, kernel_out)?;
        Ok(self.noise_parameter().chain_gradient(noise, noise_out)?)
    }

    /// The sum of the log densities of all priors on trained values.
    #[must_use]
    pub fn log_prior(&self) -> f64 {
        self.kernel.log_prior() + self.noise_parameter().log_prior()
    }

    /// Adds the gradient of [`log_prior`](Self::log_prior) to a gradient in natural units.
    ///
    /// # Errors
    /// [`EpError::Shape`] for a wrong length.
    pub fn add_log_prior_gradient(&self, natural: &mut [f64]) -> Result<(), EpError> {
        check_count("natural gradient", "entries", self.parameter_count(), natural.len())?;
        let (kernel, noise) = natural.split_at_mut(self.kernel.parameter_count());
        self.kernel.add_log_prior_gradient(kernel)?;
        Ok(self.noise_parameter().add_log_prior_gradient(noise)?)
    }

    fn noise_parameter(&self) -> &Parameter {
        &self.noise.parameters()[0]
    }

    fn free_noise_count(&self) -> usize {
        self.noise_parameter().free_len()
    }
}
