//! Smallest value reaching a probability.

use crate::crossing::{Among, crossing};
use crate::error::LikelihoodError;
use crate::support::Support;

/// Smallest value with `f` ≥ 0, non-decreasing. `start`: value, step.
pub(super) fn least(
    support: Support,
    start: (f64, f64),
    mut f: impl FnMut(f64) -> Result<f64, LikelihoodError>,
) -> Result<f64, LikelihoodError> {
    let Some(last) = support.classes().checked_sub(1) else {
        return crossing(among(support), start, &mut f);
    };
    for class in 0..last {
        if f(support.label(class))? >= 0.0 {
            return Ok(support.label(class));
        }
    }
    Ok(support.label(last))
}

pub(crate) fn among(support: Support) -> Among {
    match support {
        Support::Positive => Among::Positives,
        Support::UnitInterval => Among::Shares,
        support if support.is_discrete() => Among::Counts,
        _ => Among::Reals,
    }
}
