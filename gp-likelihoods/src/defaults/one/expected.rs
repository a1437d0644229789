//! Expected log density by quadrature.

use super::expectation::expectation;
use super::{grid_width, sum_by_params, width_of_bend};
use crate::derivatives::{LatentDerivatives, PointDerivatives, only};
use crate::error::LikelihoodError;
use crate::latent::Latent;
use crate::likelihood::Likelihood;
use crate::workspace::Workspace;

pub(crate) fn expected_log_density<L: Likelihood + ?Sized>(
    likelihood: &L,
    y: &[f64],
    q: Latent,
    ws: &mut Workspace,
    out: &mut LatentDerivatives,
) -> Result<(), LikelihoodError> {
    let (value, by_mean, by_variance) = if q.variance() == 0.0 {
        ws.rule.clear();
        ws.rule.push((q.mean(), 1.0));
        let (value, first, second) = jet(likelihood, y, q.mean(), &mut ws.point)?;
        (value, first, 0.5 * second)
    } else {
        integrate(likelihood, y, q, ws)?
    };
    sum_by_params(likelihood, y, 1.0, ws)?;
    out.set(value, by_mean, by_variance, &ws.by_params);
    Ok(())
}

fn integrate<L: Likelihood + ?Sized>(
    likelihood: &L,
    y: &[f64],
    q: Latent,
    ws: &mut Workspace,
) -> Result<(f64, f64, f64), LikelihoodError> {
    let (v, landmark) = (q.variance(), likelihood.landmark(y));
    let (mut point, mut failure) = (std::mem::take(&mut ws.point), None);
    let grid = if likelihood.is_smooth() { grid(likelihood, y, q, landmark, &mut point)? } else { None };
    let integrals = expectation(q, landmark, grid, ws, |f, t| match jet(likelihood, y, f, &mut point) {
        Ok((value, first, second)) => [value, first, second, value * t, value * (t * t - 1.0)],
        Err(error) => {
            failure = Some(error);
            [f64::NAN; 5]
        }
    });
    ws.point = point;
    if let Some(error) = failure {
        return Err(error);
    }
    let integrals = integrals?;
    let [value, first, second, along, moved] = integrals.values;
    let [_, _, rough, _, spread] = integrals.sizes;
    // Equal by parts: the form with smaller terms loses fewer digits.
    if likelihood.is_smooth() && rough * v <= spread {
        Ok((value, first, 0.5 * second))
    } else {
        Ok((value, along / v.sqrt(), 0.5 * moved / v))
    }
}

/// Narrowest width, if a grid resolves it.
fn grid<L: Likelihood + ?Sized>(
    likelihood: &L,
    y: &[f64],
    q: Latent,
    landmark: Option<f64>,
    point: &mut PointDerivatives,
) -> Result<Option<f64>, LikelihoodError> {
    if likelihood.is_log_concave() {
        return Ok(Some(1.0));
    }
    let Some(f) = landmark.filter(|f| f.is_finite()) else { return Ok(None) };
    let (_, first, second) = jet(likelihood, y, f, point)?;
    Ok(grid_width(width_of_bend(first, second, q.variance())))
}

fn jet<L: Likelihood + ?Sized>(
    likelihood: &L,
    y: &[f64],
    f: f64,
    point: &mut PointDerivatives,
) -> Result<(f64, f64, f64), LikelihoodError> {
    likelihood.log_density_slopes(y, &[f], point)?;
    Ok((point.value, only(&point.by_latent)?, only(&point.by_latent_twice)?))
}
