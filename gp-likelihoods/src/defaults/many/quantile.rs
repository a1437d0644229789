//! Quantiles for several latents.

use super::nodes::Nodes;
use super::room::Many;
use super::rules::Rules;
use crate::defaults::least::least;
use crate::error::LikelihoodError;
use crate::latent::Latent;
use crate::likelihood::Likelihood;

/// Difference that ends refinement.
const AGREEMENT: f64 = 1e-9;
/// Step reduction after a coarser rule.
const NEARER: f64 = 1e-3;

/// Fixed rules: non-decreasing distribution functions.
pub(crate) fn quantile<L: Likelihood + ?Sized>(
    likelihood: &L,
    q: &[Latent],
    (output, probability): (usize, f64),
    mut start: (f64, f64),
    many: &mut Many,
) -> Result<f64, LikelihoodError> {
    let Many { rules, nodes, .. } = many;
    let support = likelihood.support();
    let mut found: Option<(f64, f64)> = None;
    for &order in Rules::orders(q.len(), likelihood.is_smooth()) {
        nodes.place(rules.find(order, q.len())?, q);
        let below = |nodes: &Nodes, y: f64| nodes.sum(|f| likelihood.conditional_cdf(output, y, f));
        let excess = |nodes: &Nodes, y: f64| Ok(below(nodes, y)? - probability);
        if let Some((y, before)) = found {
            let now = excess(nodes, y)?;
            let is_least = now >= 0.0 && (y == 0.0 || excess(nodes, y - 1.0)? < 0.0);
            if (is_least || !support.is_discrete()) && (now - before).abs() <= AGREEMENT {
                break;
            }
            start = (y, NEARER * start.1);
        }
        let y = least(support, start, |y| excess(nodes, y))?;
        found = Some((y, excess(nodes, y)?));
    }
    Ok(found.map_or(f64::NAN, |(y, _)| y))
}
