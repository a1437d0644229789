//! A race as an integral on panels about the mode of its integrand, for rivals whose variances are small beside the
//! winner's: steps, as it sees them.

use super::Rival;
use crate::defaults::{Shape, tilted_along};
use crate::error::LikelihoodError;
use crate::latent::Latent;
use crate::slopes::Slopes;
use crate::special::{inverse_mills, log_normal_cdf_slopes};
use crate::workspace::Workspace;

/// Sets value and slopes of `ln P(all rivals lose)`; `own` is the winner's variance.
pub(super) fn win(
    winner: usize,
    own: f64,
    rivals: &[Rival],
    ws: &mut Workspace,
    out: &mut Slopes,
) -> Result<(), LikelihoodError> {
    let strongest = rivals.iter().map(|rival| rival.lead).fold(f64::NEG_INFINITY, f64::max);
    let shape = Shape { landmark: Some(strongest), single: true, smooth: false };
    let [value, by_mean, by_variance] = tilted_along(Latent::new(0.0, own)?, shape, ws, |u| {
        let mut sum = [0.0; 3];
        for rival in rivals {
            let [value, ratio, excess] = log_normal_cdf_slopes((u - rival.lead) / rival.deviation);
            sum[0] += value;
            sum[1] += ratio / rival.deviation;
            sum[2] -= ratio * excess / rival.variance;
        }
        sum
    })?;
    out.value = value;
    (out.by_mean[winner], out.by_variance[winner]) = (by_mean, by_variance);
    for &(u, weight) in ws.rule.iter().filter(|(_, weight)| *weight != 0.0) {
        for rival in rivals {
            let z = (u - rival.lead) / rival.deviation;
            let pull = weight * inverse_mills(z) / rival.deviation;
            out.by_mean[rival.class] -= pull;
            out.by_variance[rival.class] -= 0.5 * pull * z / rival.deviation;
        }
    }
    Ok(())
}
