//! Parameters of a model as one vector.

use crate::error::ParameterError;
use crate::number::all_finite;
use crate::parameter::Parameter;

/// Ordered collection of parameters.
///
/// *Natural* values include fixed ones; *free* values are unconstrained.
///
/// ```
/// use gp_optim::{Parameter, ParameterSet, ParameterSetMut, Transform};
///
/// struct Noise([Parameter; 2]);
/// impl ParameterSet for Noise {
///     fn visit(&self, visit: &mut dyn FnMut(&Parameter)) {
///         self.0.iter().for_each(visit);
///     }
/// }
/// impl ParameterSetMut for Noise {
///     fn visit_mut(&mut self, visit: &mut dyn FnMut(&mut Parameter)) {
///         self.0.iter_mut().for_each(visit);
///     }
/// }
///
/// let positive = |name, value| Parameter::scalar(name, value, Transform::Positive);
/// let mut noise = Noise([positive("scale", 1.0)?, positive("dof", 4.0)?]);
/// noise.0[1].fix_all(true);
/// assert_eq!((noise.parameter_count(), noise.free_count()), (2, 1));
/// noise.set_free(&[0.5f64.ln()])?;
/// assert!((noise.0[0].value() - 0.5).abs() < 1e-15);
/// # Ok::<(), gp_optim::ParameterError>(())
/// ```
pub trait ParameterSet {
    /// Calls `visit` with every parameter.
    fn visit(&self, visit: &mut dyn FnMut(&Parameter));

    /// Number of natural values.
    fn parameter_count(&self) -> usize {
        let mut count = 0;
        self.visit(&mut |parameter| count += parameter.len());
        count
    }

    /// All natural values.
    fn parameter_values(&self) -> Vec<f64> {
        let mut values = Vec::new();
        self.visit(&mut |parameter| values.extend_from_slice(parameter.values()));
        values
    }

    /// Number of free values.
    fn free_count(&self) -> usize {
        let mut count = 0;
        self.visit(&mut |parameter| count += parameter.free_len());
        count
    }

    /// Writes the [`free_count`](ParameterSet::free_count) free values.
    ///
    /// # Errors
    /// [`ParameterError::SetLength`]
    fn write_free(&self, out: &mut [f64]) -> Result<(), ParameterError> {
        check_len("unconstrained parameters", self.free_count(), out.len())?;
        let (mut rest, mut result) = (out, Ok(()));
        self.visit(&mut |parameter| {
            let (now, later) = std::mem::take(&mut rest).split_at_mut(parameter.free_len());
            rest = later;
            if result.is_ok() {
                result = parameter.write_free_unconstrained(now);
            }
        });
        result
    }

    /// Converts a gradient from natural to free values.
    ///
    /// # Errors
    /// [`ParameterError::SetLength`]
    fn chain_gradient(&self, natural: &[f64], out: &mut [f64]) -> Result<(), ParameterError> {
        check_len("natural gradient", self.parameter_count(), natural.len())?;
        check_len("unconstrained gradient", self.free_count(), out.len())?;
        let (mut from, mut to, mut result) = (natural, out, Ok(()));
        self.visit(&mut |parameter| {
            let (now, later) = from.split_at(parameter.len());
            let (out_now, out_later) = std::mem::take(&mut to).split_at_mut(parameter.free_len());
            (from, to) = (later, out_later);
            if result.is_ok() {
                result = parameter.chain_gradient(now, out_now);
            }
        });
        result
    }

    /// Sum of log prior densities.
    fn log_prior(&self) -> f64 {
        let mut sum = 0.0;
        self.visit(&mut |parameter| sum += parameter.log_prior());
        sum
    }

    /// Adds the gradient of [`log_prior`](ParameterSet::log_prior) by natural values.
    ///
    /// # Errors
    /// [`ParameterError::SetLength`]
    fn add_log_prior_gradient(&self, natural: &mut [f64]) -> Result<(), ParameterError> {
        check_len("natural gradient", self.parameter_count(), natural.len())?;
        let (mut rest, mut result) = (natural, Ok(()));
        self.visit(&mut |parameter| {
            let (now, later) = std::mem::take(&mut rest).split_at_mut(parameter.len());
            rest = later;
            if result.is_ok() {
                result = parameter.add_log_prior_gradient(now);
            }
        });
        result
    }
}

/// [`ParameterSet`] with mutable values.
pub trait ParameterSetMut: ParameterSet {
    /// Calls `visit` in the order of [`ParameterSet::visit`].
    fn visit_mut(&mut self, visit: &mut dyn FnMut(&mut Parameter));

    /// Sets [`parameter_values`](ParameterSet::parameter_values).
    ///
    /// # Errors
    /// [`ParameterError::SetLength`], or the first error of a parameter, with earlier ones changed.
    fn set_parameter_values(&mut self, natural: &[f64]) -> Result<(), ParameterError> {
        check_len("natural parameters", self.parameter_count(), natural.len())?;
        let (mut rest, mut result) = (natural, Ok(()));
        self.visit_mut(&mut |parameter| {
            let (now, later) = rest.split_at(parameter.len());
            rest = later;
            if result.is_ok() {
                result = parameter.set_values(now);
            }
        });
        result
    }

    /// Sets all free values, or none after an error.
    ///
    /// # Errors
    /// [`ParameterError::SetLength`] or the first error of a parameter.
    fn set_free(&mut self, unconstrained: &[f64]) -> Result<(), ParameterError> {
        check_len("unconstrained parameters", self.free_count(), unconstrained.len())?;
        let (mut rest, mut result) = (unconstrained, Ok(()));
        self.visit(&mut |parameter| {
            let (now, later) = rest.split_at(parameter.free_len());
            rest = later;
            if result.is_ok() && !all_finite(now) {
                // Tries a copy, to get its error.
                result = parameter.clone().set_free_unconstrained(now);
            }
        });
        result?;
        (rest, result) = (unconstrained, Ok(()));
        self.visit_mut(&mut |parameter| {
            let (now, later) = rest.split_at(parameter.free_len());
            rest = later;
            if result.is_ok() {
                result = parameter.set_free_unconstrained(now);
            }
        });
        result
    }
}

fn check_len(what: &'static str, expected: usize, found: usize) -> Result<(), ParameterError> {
    if expected == found { Ok(()) } else { Err(ParameterError::SetLength { what, expected, found }) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transform::Transform;

    struct Two([Parameter; 2]);

    impl ParameterSet for Two {
        fn visit(&self, visit: &mut dyn FnMut(&Parameter)) {
            self.0.iter().for_each(visit);
        }
    }

    impl ParameterSetMut for Two {
        fn visit_mut(&mut self, visit: &mut dyn FnMut(&mut Parameter)) {
            self.0.iter_mut().for_each(visit);
        }
    }

    fn two() -> Two {
        let free = Parameter::vector("shift", vec![1.0, 2.0], Transform::Identity).unwrap();
        let mut set = Two([free, Parameter::scalar("scale", 4.0, Transform::Positive).unwrap()]);
        set.0[0].fix(0, true).unwrap();
        set
    }

    #[test]
    fn free_values_go_out_and_in_again() {
        let mut set = two();
        let mut free = [0.0; 2];
        set.write_free(&mut free).unwrap();
        assert_eq!(free, [2.0, 4f64.ln()]);
        set.set_free(&[7.0, 0.0]).unwrap();
        assert_eq!(set.parameter_values(), [1.0, 7.0, 1.0]);
        let mut chained = [0.0; 2];
        set.chain_gradient(&[5.0, 6.0, 3.0], &mut chained).unwrap();
        assert_eq!(chained, [6.0, 3.0]);
    }

    #[test]
    fn natural_values_go_out_and_in_again() {
        let mut set = two();
        set.set_parameter_values(&[7.0, -1.0, 0.5]).unwrap();
        assert_eq!(set.parameter_values(), [7.0, -1.0, 0.5]);
        assert!(
            set.set_parameter_values(&[1.0]).is_err() && set.set_parameter_values(&[1.0, 1.0, -1.0]).is_err()
        );
    }

    #[test]
    fn a_refused_value_changes_nothing_and_is_named() {
        let mut set = two();
        let error = set.set_free(&[7.0, f64::NAN]).unwrap_err();
        assert!(error.to_string().contains("scale"), "{error}");
        assert_eq!(set.parameter_values(), [1.0, 2.0, 4.0]);
        let error = set.set_free(&[7.0]).unwrap_err();
        assert_eq!(error.to_string(), "unconstrained parameters: expected 2 numbers, found 1");
    }
}
