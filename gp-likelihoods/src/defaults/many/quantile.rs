//! Quantiles of the next observation of several latents.

use super::Many;
use super::nodes::Nodes;
use super::rules::Rules;
use crate::defaults::quantile::least;
use crate::error::LikelihoodError;
use crate::latent::Latent;
use crate::likelihood::Likelihood;

/// A rule is followed by a finer one unless the two agree to this about the probability at the quantile.
const AGREEMENT: f64 = 1e-9;
/// How much shorter the steps of a search are that starts from what a coarser rule found.
const NEARER: f64 = 1e-3;

/// The quantile of one output, whose distribution function is a sum over the nodes of one rule: it does not fall with y.
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
        let excess = |nodes: &Nodes, y: f64| Ok(nodes.cdf(likelihood, output, y)? - probability);
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
