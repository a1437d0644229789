//! Predictions by quadrature over one latent.

use super::expectation::{expectation, on_a_grid};
use super::transition::Transition;
use crate::derivatives::ObservationMoments;
use crate::error::LikelihoodError;
use crate::latent::Latent;
use crate::likelihood::Likelihood;
use crate::workspace::Workspace;

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
        // Relative to the centre's mean: no difference of large numbers.
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
    let at = |f: f64| likelihood.conditional_cdf(output, y, &[f]).unwrap_or(f64::NAN);
    let Some(place) = landmark.filter(|f| f.is_finite() && likelihood.grows_with_latent()) else {
        return Ok(expectation(q, landmark, Some(1.0), ws, |f, _| [at(f)])?.values[0]);
    };
    let mut along = |t: f64| at(q.mean() + q.variance().sqrt() * t);
    let transition = Transition::find(q, place, &mut along);
    if transition.is_broad()
        && let Some(found) = on_a_grid(1.0, ws, &mut |t| [along(t)])
    {
        return Ok(found.values[0]);
    }
    let found = transition.expectation(&mut along);
    let unresolved = LikelihoodError::Unresolved { low: place, high: place };
    if found.is_nan() { Err(unresolved) } else { Ok(found) }
}
