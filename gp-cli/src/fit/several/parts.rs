//! Several targets as separate problems.

use super::super::observed::Observed;
use super::super::spec::FitSpec;

/// One part per target; none for shared latents or kernels.
pub(in crate::fit) fn parts(observed: &Observed, spec: &FitSpec) -> Vec<Observed> {
    if observed.others.is_empty() || spec.kernel.len() == 1 {
        return Vec::new();
    }
    let alone = |(output, target): (usize, &crate::model::FurtherTarget)| {
        let own = observed.likelihood.own_latent(output)?;
        Some(Observed {
            task: observed.task,
            reason: observed.reason.clone(),
            target: target.target.clone(),
            roles: observed.roles.of_target(output),
            weights: observed.weights.get(output).copied().into_iter().collect(),
            summary: target.summary.clone(),
            rows: target.rows,
            others: Vec::new(),
            likelihood: own.likelihood,
        })
    };
    let all = observed.targets();
    all.iter().enumerate().map(alone).collect::<Option<_>>().unwrap_or_default()
}
