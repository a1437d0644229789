//! Operation counts of runs and learning.
//!
//! N rows, D inputs, Q latents, d active points, s candidates per inclusion, L liquid points; J = Q if coupled, else 1:
//!
//! | work | operations | integrals |
//! |---|---|---|
//! | choice, independent | `Q N d²` | `Q N d` |
//! | choice, coupled | `Q s d³ + 4 Q² L³ d` | `d (s + sweeps L)` |
//! | step to converged sites | `N d² Q (4 + 3 J) + Q J² d³` | `N` |
//! | evaluation with gradient | `6 Q N d² + 4 Q d³` | `N` |
//!
//! Distances add `6 Q N d D` to the last two rows.

use super::model::Ivm;
use super::options::{Coupling, IvmOptions};

/// Relative work without gradient.
const VALUE: f64 = 0.5;

/// Counts for one kind of work.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct IvmOperations {
    /// Floating-point operations of linear algebra.
    pub products: f64,
    /// Covariance values with gradients; without, half.
    pub covariances: f64,
    /// Expected log densities.
    pub expectations: f64,
    /// Tilted distributions.
    pub tilts: f64,
}

/// Operation counts of learning.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IvmWork {
    /// One active set with moment-matched sites.
    pub choice: IvmOperations,
    /// One step of all sites.
    pub step: IvmOperations,
    /// Criterion with its gradient.
    pub evaluation: IvmOperations,
}

impl Ivm {
    /// Counts for `rows` rows of `dim` inputs.
    #[must_use]
    pub fn operations(&self, (rows, dim): (usize, usize), options: &IvmOptions) -> IvmWork {
        let active = options.active.min(rows);
        let coupled = self.coupling() == Coupling::Coupled;
        let candidates = options.candidate_count(rows, self.classes(), self.coupling()) as f64;
        let [n, dim, q, d] = [rows, dim, self.classes(), active].map(|size| size as f64);
        let (liquid, sweeps) = (options.liquid.min(active) as f64, options.sweeps as f64);
        let choice = if coupled {
            IvmOperations {
                products: q * candidates * d.powi(3) + 4.0 * q * q * liquid.powi(3) * d,
                covariances: VALUE * q * candidates * d * d / 4.0,
                expectations: 0.0,
                tilts: d * (candidates + sweeps * liquid),
            }
        } else {
            IvmOperations {
                products: q * n * d * d,
                covariances: VALUE * q * n * d,
                expectations: 0.0,
                tilts: q * n * d,
            }
        };
        let (distances, pairs) = (6.0 * q * n * d * dim, q * n * d);
        let joint = if coupled { q } else { 1.0 };
        let step = IvmOperations {
            products: distances + n * d * d * q * (4.0 + 3.0 * joint) + q / joint * (joint * d).powi(3),
            covariances: VALUE * pairs,
            expectations: n,
            tilts: 0.0,
        };
        let evaluation = IvmOperations {
            products: distances + 6.0 * q * n * d * d + 4.0 * q * d.powi(3),
            covariances: pairs,
            expectations: n,
            tilts: 0.0,
        };
        IvmWork { choice, step, evaluation }
    }

    /// Integration nodes; unused for one latent.
    #[must_use]
    pub fn node_count(&self) -> usize {
        self.observation_model().nodes.count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gp_likelihoods::{BernoulliProbit, Likelihood, Softmax};

    #[test]
    fn counts_are_those_made_by_hand() {
        let model = |likelihood: Box<dyn Likelihood>| {
            Ivm::shared(gp_kernels::parse("rbf").unwrap().as_ref(), likelihood).unwrap()
        };
        let options = IvmOptions { active: 10, liquid: 5, ..IvmOptions::default() };
        let binary = model(Box::new(BernoulliProbit));
        let IvmWork { choice, step, evaluation } = binary.operations((200, 3), &options);
        // 200 rows scored for each of ten inclusions; 200·10²·1 operations extend their stubs.
        assert_eq!((choice.tilts, choice.products, choice.expectations), (2_000.0, 20_000.0, 0.0));
        // 6·200·10·3, 7·200·10² and 10³; then 6·200·10² and 4·10³.
        assert_eq!((step.expectations, step.products), (200.0, 36_000.0 + 140_000.0 + 1_000.0));
        assert_eq!((evaluation.expectations, evaluation.products), (200.0, 36_000.0 + 120_000.0 + 4_000.0));
        assert_eq!((evaluation.covariances, step.covariances), (2_000.0, 1_000.0));
        assert_eq!(binary.node_count(), 1);
        let three = model(Box::new(Softmax::new(3).unwrap()));
        // 50 candidates and two sweeps over five liquid points for each inclusion.
        let work = three.operations((200, 3), &options);
        assert_eq!(work.choice.tilts, 10.0 * (50.0 + 10.0));
        assert_eq!(work.step.products, 108_000.0 + 3.0 * 13.0 * 20_000.0 + 27_000.0);
        assert_eq!(three.node_count(), 343);
    }
}
