//! Tilted integrals of observations far outside the belief.

use gp_likelihoods::{Latent, LatentDerivatives, Likelihood, StudentT, Workspace};

#[test]
fn an_outlier_far_away_is_ignored_by_heavy_tails() {
    let (mut ws, mut out) = (Workspace::new(), LatentDerivatives::default());
    for dof in [1.0, 4.0] {
        let likelihood = StudentT::new(0.01, dof).unwrap();
        for y in [-1e4, -1e6, 1e8] {
            for (m, v) in [(0.0, 1.0), (0.3, 0.01), (-2.0, 30.0), (1.0, 1e-6)] {
                for power in [1.0, 0.5, 0.1] {
                    let q = Latent::new(m, v).unwrap();
                    likelihood.tilted(&[y], &[q], power, &mut ws, &mut out).unwrap();
                    // Flat density over the belief: ln Z is `power` times the log density at the mean.
                    let mut density = [0.0];
                    likelihood.log_densities(&[y], &[m], &mut density).unwrap();
                    let flat = power * density[0];
                    // Its relative slope there is (dof + 1)/|y|, over up to 5.5 standard deviations.
                    let slope = (dof + 1.0) * v.sqrt() / y.abs();
                    let off = (out.value - flat).abs();
                    assert!(off <= slope * slope + 1e-9 * flat.abs(), "{dof} {y} {m} {v} {power}: {off:e}");
                }
            }
        }
    }
}
