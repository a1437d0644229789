//! The expected log density by quadrature.

use super::expectation::expectation;
use super::sum_by_params;
use crate::error::LikelihoodError;
use crate::latent::Latent;
use crate::likelihood::Likelihood;
use crate::slopes::{PointSlopes, Slopes, only};
use crate::workspace::Workspace;

/// `E[ln p(y | f)]` for `f ~ q` with its derivatives, for any likelihood of one latent.
pub(crate) fn expected_log_density<L: Likelihood + ?Sized>(
    likelihood: &L,
    y: &[f64],
    q: Latent,
    ws: &mut Workspace,
    out: &mut Slopes,
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
    let sums = expectation(q, landmark, likelihood.is_log_concave() && likelihood.is_smooth(), ws, |f, t| {
        let (value, first, second) = match jet(likelihood, y, f, &mut point) {
            Ok(jet) => jet,
            Err(error) => {
                failure = Some(error);
                return [f64::NAN; 7];
            }
        };
        let moved = value * (t * t - 1.0);
        [value, first, second, value * t, moved, second.abs(), moved.abs()]
    });
    ws.point = point;
    if let Some(error) = failure {
        return Err(error);
    }
    let [value, first, second, along, moved, rough, spread] = sums?;
    // Two forms of the same derivatives, by parts: the one that sums the smaller numbers loses fewer digits.
    if likelihood.is_smooth() && rough * v <= spread {
        Ok((value, first, 0.5 * second))
    } else {
        Ok((value, along / v.sqrt(), 0.5 * moved / v))
    }
}

/// The log density at f with its two derivatives.
fn jet<L: Likelihood + ?Sized>(
    likelihood: &L,
    y: &[f64],
    f: f64,
    point: &mut PointSlopes,
) -> Result<(f64, f64, f64), LikelihoodError> {
    likelihood.log_density_slopes(y, &[f], point)?;
    Ok((point.value, only(&point.by_latent)?, only(&point.by_latent_twice)?))
}
