//! Moments of a belief times one label's likelihood (Seeger & Jordan 2004 §4.3, §4.4).

use super::numbers::Column;
use super::observation::{ClassBelief, IntegralScratch, ObservationModel};
use super::small::{Root, Square, inner};
use super::softmax;
use super::sums::sum;
use crate::error::InferenceError;

/// Softmax sum below which logarithms avoid underflow.
const LEAST: f64 = 1e-250;

#[derive(Clone, Debug)]
pub(super) struct Tilted {
    pub(super) log_z: f64,
    /// `∂ log Z/∂h`
    pub(super) gradient: Column,
    /// ĥ and Â.
    pub(super) belief: ClassBelief,
}

/// Moments of s, `u = h + R s`.
struct Whitened {
    log_z: f64,
    root: Root,
    mean: Column,
    /// `cov s − I`
    excess: Square,
}

impl ObservationModel<'_> {
    /// Moments of `p(y | γ u + β) N(u; h, A)`; None without mass or valid covariance.
    pub(super) fn tilt(
        &self,
        y: f64,
        gamma: f64,
        q: &ClassBelief,
        at: &mut IntegralScratch,
    ) -> Result<Option<Tilted>, InferenceError> {
        if self.latents() == 1 {
            return Ok(self.tilt_one(y, q, at)?.filter(|found| found.log_z.is_finite()));
        }
        Ok(self.whitened(y, gamma, q, at)?.map(|whitened| Tilted::new(q, &whitened)))
    }

    /// `D[N(ĥ, Â) ‖ N(h, A)]` for several latents; None if invalid.
    pub(super) fn gain(
        &self,
        y: f64,
        q: &ClassBelief,
        at: &mut IntegralScratch,
    ) -> Result<Option<f64>, InferenceError> {
        let several = self.latents() > 1;
        let found = if several { self.whitened(y, 1.0, q, at)? } else { None };
        Ok(found.and_then(|whitened| whitened.gain()))
    }

    /// Moments for one latent, from the likelihood.
    fn tilt_one(
        &self,
        y: f64,
        q: &ClassBelief,
        at: &mut IntegralScratch,
    ) -> Result<Option<Tilted>, InferenceError> {
        let (mean, a) = (q.mean[0], q.covariance[(0, 0)]);
        self.likelihood.tilted(&[y], &[self.latent(q)?], 1.0, &mut at.workspace, &mut at.slopes)?;
        let (log_z, g) = (at.slopes.value, at.slopes.by_mean[0]);
        // ∂² log Z/∂h² = 2 ∂ log Z/∂a − (∂ log Z/∂h)².
        let ratio = 1.0 + a * (2.0 * at.slopes.by_variance[0] - g * g);
        let covariance = Square::from_rows(1, &[a * ratio]);
        let belief = ClassBelief { mean: Column::of(&[mean + a * g]), covariance };
        Ok((ratio > 0.0).then_some(Tilted { log_z, gradient: Column::of(&[g]), belief }))
    }

    /// Moments for several latents, in root coordinates.
    fn whitened(
        &self,
        y: f64,
        gamma: f64,
        q: &ClassBelief,
        at: &mut IntegralScratch,
    ) -> Result<Option<Whitened>, InferenceError> {
        let root = Root::new(&q.covariance, self.coupled);
        let Some((log_z, total)) = self.weigh(y, gamma, (q, &root), at)? else { return Ok(None) };
        let size = root.root.size();
        let (mut mean, mut excess) = (Column::zeros(size), Square::zeros(size));
        self.nodes.moments((&at.values, total), &mut at.rows, (&mut mean, &mut excess));
        excess.add_to_diagonal(-1.0);
        Ok(Some(Whitened { log_z, root, mean, excess }))
    }

    /// log Z and sum of the contributions to Z, which it scales.
    fn weigh(
        &self,
        y: f64,
        gamma: f64,
        (q, root): (&ClassBelief, &Root),
        at: &mut IntegralScratch,
    ) -> Result<Option<(f64, f64)>, InferenceError> {
        let weights = self.nodes.weights();
        if self.likelihood.is_softmax() {
            softmax::probabilities(self, y as usize, gamma, (q, root), at);
            at.values.iter_mut().zip(weights).for_each(|(p, w)| *p *= w);
            let total = sum(&at.values);
            if total.is_finite() && total > LEAST {
                return Ok(Some((total.ln(), total)));
            }
        }
        self.place(gamma, q, root, at);
        self.likelihood.log_densities(&[y], &at.latents, &mut at.values)?;
        let largest = at.values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        at.values.iter_mut().zip(weights).for_each(|(p, w)| *p = w * (*p - largest).exp());
        let total = sum(&at.values);
        // Also NaN, if no density is finite.
        let log_z = largest + total.ln();
        Ok((total > 0.0 && log_z.is_finite()).then_some((log_z, total)))
    }
}

impl Tilted {
    /// `g = R⁺ E s`, `ĥ = h + A g`, `Â = A + A R⁺ (cov s − I) R⁺ A`.
    fn new(q: &ClassBelief, Whitened { log_z, root, mean, excess }: &Whitened) -> Self {
        let (a, gradient) = (&q.covariance, root.inverse.times(mean));
        let moved = a.times(&gradient);
        let hat = q.mean.iter().zip(&moved).map(|(h, moved)| h + moved).collect();
        let w = root.inverse.product(a);
        let covariance = a.plus_transpose_product(&w, &excess.product(&w));
        Self { log_z: *log_z, gradient, belief: ClassBelief { mean: hat, covariance } }
    }
}

impl Whitened {
    /// Divergence (Seeger & Jordan 2004 eq. 14, `M⁻¹ = A⁻¹Â`).
    fn gain(&self) -> Option<f64> {
        let p = self.root.projector();
        // Directions that the likelihood does not depend on get 1.
        let mut seen = p.product(&self.excess.product(&p));
        let trace: f64 = (0..p.size()).map(|i| seen[(i, i)]).sum();
        seen.add_to_diagonal(1.0);
        let shift = p.times(&self.mean);
        Some(0.5 * (trace - seen.factor()?.log_det() + inner(&shift, &shift)))
    }
}

#[cfg(test)]
mod tests {
    use super::super::nodes::Nodes;
    use super::*;
    use gp_likelihoods::Softmax;
    use gp_likelihoods::quadrature::Cubature;

    const A: [f64; 9] = [2.0, 0.5, -0.3, 0.5, 1.0, 0.2, -0.3, 0.2, 0.7];

    fn covariance() -> Square {
        Square::from_rows(3, &A)
    }

    fn observed<'m>(likelihood: &'m Softmax, nodes: &'m Nodes) -> ObservationModel<'m> {
        ObservationModel { likelihood, intercepts: &[0.1, -0.2, 0.3], nodes, coupled: true }
    }

    fn belief(mean: [f64; 3]) -> ClassBelief {
        ClassBelief { mean: Column::of(&mean), covariance: covariance() }
    }

    fn determinant(a: &[f64]) -> f64 {
        (0..3)
            .map(|i| {
                a[i] * (a[3 + (i + 1) % 3] * a[6 + (i + 2) % 3] - a[3 + (i + 2) % 3] * a[6 + (i + 1) % 3])
            })
            .sum()
    }

    /// `Â = A + A (∂² log Z) A`; accuracy 1e-6 of the rule, 1e-5 of differences.
    #[test]
    fn tilted_moments_are_derivatives_of_log_z() -> Result<(), InferenceError> {
        let (likelihood, rule) = (Softmax::new(3)?, Nodes::new(&Cubature::product(15, 3)?));
        let observed = observed(&likelihood, &rule);
        let (mut at, mean, h) = (IntegralScratch::default(), [0.4, -0.3, 0.2], 1e-3);
        for gamma in [1.0, 0.6] {
            let mut log_z = |i: usize, j: usize, a: f64, b: f64| -> Result<f64, InferenceError> {
                let mut moved = mean;
                moved[i] += a;
                moved[j] += b;
                Ok(observed.tilt(1.0, gamma, &belief(moved), &mut at)?.unwrap().log_z)
            };
            let (mut gradient, mut second) = ([0.0; 3], [0.0; 9]);
            for i in 0..3 {
                gradient[i] = (log_z(i, i, h, 0.0)? - log_z(i, i, -h, 0.0)?) / (2.0 * h);
                for j in 0..3 {
                    let (far, near) = (
                        log_z(i, j, h, h)? + log_z(i, j, -h, -h)?,
                        log_z(i, j, h, -h)? + log_z(i, j, -h, h)?,
                    );
                    second[3 * i + j] = (far - near) / (4.0 * h * h);
                }
            }
            let at = observed.tilt(1.0, gamma, &belief(mean), &mut at)?.unwrap();
            for i in 0..3 {
                assert!((at.gradient[i] - gradient[i]).abs() < 1e-5, "{:?} {gradient:?}", at.gradient);
                for j in 0..3 {
                    let change: f64 =
                        (0..9).map(|kl| A[3 * i + kl / 3] * second[kl] * A[3 * (kl % 3) + j]).sum();
                    assert!((at.belief.covariance[(i, j)] - A[3 * i + j] - change).abs() < 1e-4);
                }
            }
        }
        Ok(())
    }

    /// `½ (ln|A|/|Â| + tr A⁻¹Â − 3 + gᵀA g)`
    #[test]
    fn the_gain_is_the_divergence_of_the_tilted_moments() -> Result<(), InferenceError> {
        let (likelihood, rule) = (Softmax::new(3)?, Nodes::new(&Cubature::product(5, 3)?));
        let (observed, belief) = (observed(&likelihood, &rule), belief([0.5, 0.1, -0.6]));
        let at = observed.tilt(2.0, 1.0, &belief, &mut IntegralScratch::default())?.unwrap();
        let hat = |i: usize, j: usize| at.belief.covariance[(i, j)];
        let trace: f64 = (0..3)
            .map(|column| {
                // Cramer's rule for row `column` of A⁻¹ Â e_column.
                let mut replaced = A;
                (0..3).for_each(|i| replaced[3 * i + column] = hat(i, column));
                determinant(&replaced) / determinant(&A)
            })
            .sum();
        let moved: f64 = (0..9).map(|ij| at.gradient[ij / 3] * A[ij] * at.gradient[ij % 3]).sum();
        let hat: Vec<f64> = (0..9).map(|ij| hat(ij / 3, ij % 3)).collect();
        let expected = 0.5 * ((determinant(&A) / determinant(&hat)).ln() + trace - 3.0 + moved);
        let gain = observed.gain(2.0, &belief, &mut IntegralScratch::default())?;
        assert!(gain.is_some_and(|gain| (gain - expected).abs() < 1e-12 && gain > 0.01), "{expected}");
        Ok(())
    }
}
