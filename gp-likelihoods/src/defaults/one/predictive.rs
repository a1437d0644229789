//! What the next observation will be, by quadrature over the latent.

use super::expectation::expectation;
use crate::error::LikelihoodError;
use crate::latent::Latent;
use crate::likelihood::Likelihood;
use crate::slopes::ObservationMoments;
use crate::workspace::Workspace;

/// Mean and variance of each output under `f ~ q`: `E[μ(f)]` and `E[σ²(f)] + Var[μ(f)]`.
pub(crate) fn predictive_moments<L: Likelihood + ?Sized>(
    likelihood: &L,
    q: Latent,
    ws: &mut Workspace,
    out: &mut [ObservationMoments],
) -> Result<(), LikelihoodError> {
    likelihood.conditional_moments(&[q.mean()], out)?;
    let mut given = std::mem::take(&mut ws.moments);
    given.clear();
    given.resize(out.len(), ObservationMoments::default());
    for (output, middle) in out.iter_mut().enumerate() {
        // Means relative to the one at the middle: their variance is then no difference of large numbers.
        if q.variance() == 0.0 || !middle.variance.is_finite() {
            continue;
        }
        let found = expectation(q, None, Some(1.0), ws, |f, _| {
            if likelihood.conditional_moments(&[f], &mut given).is_err() {
                return [f64::NAN; 3];
            }
            let away = given[output].mean - middle.mean;
            [away, away * away, given[output].variance]
        })?;
        let [shift, square, variance] = found.values;
        middle.mean += shift;
        middle.variance = variance + (square - shift * shift).max(0.0);
    }
    ws.moments = given;
    Ok(())
}

/// `P(output ≤ y)` under `f ~ q`.
pub(crate) fn cdf<L: Likelihood + ?Sized>(
    likelihood: &L,
    q: Latent,
    output: usize,
    y: f64,
    ws: &mut Workspace,
) -> Result<f64, LikelihoodError> {
    if q.variance() == 0.0 {
        return likelihood.conditional_cdf(output, y, &[q.mean()]);
    }
    let landmark = if likelihood.outputs() == 1 { likelihood.landmark(&[y]) } else { None };
    let found = expectation(q, landmark, Some(1.0), ws, |f, _| {
        [likelihood.conditional_cdf(output, y, &[f]).unwrap_or(f64::NAN)]
    })?;
    Ok(found.values[0])
}
