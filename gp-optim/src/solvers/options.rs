//! Validation of settings.

use super::error::OptimError;

pub(super) fn check(
    settings: &[(&'static str, f64)],
    allowed: &'static str,
    holds: impl Fn(f64) -> bool,
) -> Result<(), OptimError> {
    match settings.iter().find(|&&(_, value)| !holds(value)) {
        Some(&(name, value)) => Err(OptimError::InvalidOption { name, value, allowed }),
        None => Ok(()),
    }
}
