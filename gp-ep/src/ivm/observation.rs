//! What one label says about a correlated Gaussian belief, by one rule for Gaussian integrals.

use super::symmetric::{Root, product, times};
use crate::error::EpError;
use gp_likelihoods::quadrature::Cubature;
use gp_likelihoods::small_factor::factorise;
use gp_likelihoods::{Latent, Likelihood, PointSlopes, Slopes, Workspace};

/// A likelihood with intercepts, p(y | γ u + β), and the rule its integrals are taken by.
#[derive(Clone, Copy, Debug)]
pub(super) struct ObservationModel<'m> {
    pub(super) likelihood: &'m dyn Likelihood,
    pub(super) intercepts: &'m [f64],
    pub(super) rule: &'m Cubature,
    /// Whether sites have the null direction 1, so that only differences of latents matter.
    pub(super) coupled: bool,
}

/// A Gaussian belief about the Q latents of one observation.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Belief {
    pub(super) mean: Vec<f64>,
    /// Q×Q, row by row.
    pub(super) covariance: Vec<f64>,
}

/// Memory of integrals, and the tilted moments found last.
#[derive(Clone, Debug, Default)]
pub(super) struct Moments {
    root: Root,
    nodes: Vec<f64>,
    log_p: Vec<f64>,
    /// E s and cov s of the tilted distribution, u = h + R s.
    e1: Vec<f64>,
    e2: Vec<f64>,
    point: PointSlopes,
    slopes: Slopes,
    workspace: Workspace,
    work: Vec<f64>,
    work2: Vec<f64>,
    /// ln of the integral of the likelihood under the belief.
    pub(super) log_z: f64,
    /// ∂ log Z/∂h.
    pub(super) gradient: Vec<f64>,
    /// Mean and covariance of the tilted distribution.
    pub(super) tilted: Belief,
}

/// The expected log density with its derivatives.
#[derive(Clone, Debug, Default)]
pub(super) struct Expected {
    pub(super) value: f64,
    /// By the mean.
    pub(super) by_mean: Vec<f64>,
    /// By the entries of the covariance matrix, symmetric.
    pub(super) by_covariance: Vec<f64>,
}

impl ObservationModel<'_> {
    pub(super) fn latents(&self) -> usize {
        self.intercepts.len()
    }

    /// The moments of `p(y | γ u + β) N(u; h, A)`: false where the rule finds no mass, or no covariance matrix, as rules
    /// with negative weights may.
    pub(super) fn tilt(&self, y: f64, gamma: f64, q: &Belief, at: &mut Moments) -> Result<bool, EpError> {
        at.root.set(&q.covariance, self.latents(), self.coupled);
        if self.latents() == 1 { self.tilt_one(y, q, at) } else { self.tilt_many(y, gamma, q, at) }
    }

    /// One latent: the likelihood knows better.
    fn tilt_one(&self, y: f64, q: &Belief, at: &mut Moments) -> Result<bool, EpError> {
        let (mean, a) = (q.mean[0], q.covariance[0]);
        let latent = Latent::new(mean + self.intercepts[0], a)?;
        self.likelihood.tilted(&[y], &[latent], 1.0, &mut at.workspace, &mut at.slopes)?;
        let (g, v) = (at.slopes.by_mean[0], at.slopes.by_variance[0]);
        // ∂² log Z/∂h² = 2 ∂ log Z/∂a − (∂ log Z/∂h)².
        let e2 = 1.0 + a * (2.0 * v - g * g);
        at.log_z = at.slopes.value;
        for (target, value) in [
            (&mut at.e1, a.sqrt() * g),
            (&mut at.e2, e2),
            (&mut at.gradient, g),
            (&mut at.tilted.mean, mean + a * g),
            (&mut at.tilted.covariance, a * e2),
        ] {
            target.clear();
            target.push(value);
        }
        Ok(e2 > 0.0 && at.log_z.is_finite())
    }

    fn tilt_many(&self, y: f64, gamma: f64, q: &Belief, at: &mut Moments) -> Result<bool, EpError> {
        self.place_nodes(gamma, q, at);
        self.likelihood.log_densities(&[y], &at.nodes, &mut at.log_p)?;
        if !at.sum_up(self.rule) {
            return Ok(false);
        }
        at.finish(q);
        Ok(true)
    }

    /// γ(h + R s) + β for every node s.
    fn place_nodes(&self, gamma: f64, q: &Belief, at: &mut Moments) {
        let latents = self.latents();
        at.nodes.resize(self.rule.weights().len() * latents, 0.0);
        at.log_p.resize(self.rule.weights().len(), 0.0);
        for ((s, _), node) in self.rule.iter().zip(at.nodes.chunks_exact_mut(latents)) {
            times(at.root.root(), s, node);
            for (c, value) in node.iter_mut().enumerate() {
                *value = gamma * (*value + q.mean[c]) + self.intercepts[c];
            }
        }
    }

    /// E log p(y | u + β) and its derivatives: exactly those of the sum that stands for the integral.
    pub(super) fn expectation(
        &self,
        y: f64,
        q: &Belief,
        at: &mut Moments,
        out: &mut Expected,
    ) -> Result<(), EpError> {
        let latents = self.latents();
        if latents == 1 {
            let latent = Latent::new(q.mean[0] + self.intercepts[0], q.covariance[0])?;
            self.likelihood.expected_log_density(&[y], &[latent], &mut at.workspace, &mut at.slopes)?;
            out.value = at.slopes.value;
            out.by_mean.clone_from(&at.slopes.by_mean);
            out.by_covariance.clone_from(&at.slopes.by_variance);
            return Ok(());
        }
        at.root.set(&q.covariance, latents, self.coupled);
        self.place_nodes(1.0, q, at);
        out.value = 0.0;
        for (target, count) in [(&mut out.by_mean, latents), (&mut out.by_covariance, latents * latents)] {
            target.clear();
            target.resize(count, 0.0);
        }
        for ((s, weight), node) in self.rule.iter().zip(at.nodes.chunks_exact(latents)) {
            self.likelihood.log_density_slopes(&[y], node, &mut at.point)?;
            out.value += weight * at.point.value;
            for (i, slope) in at.point.by_latent.iter().enumerate() {
                out.by_mean[i] += weight * slope;
                for (j, s) in s.iter().enumerate() {
                    // Half of g sᵀ and half of its transpose: the derivative by a symmetric root.
                    out.by_covariance[i * latents + j] += 0.5 * weight * slope * s;
                    out.by_covariance[j * latents + i] += 0.5 * weight * slope * s;
                }
            }
        }
        at.root.reverse(&mut out.by_covariance);
        Ok(())
    }

    /// The probabilities of all classes under the belief.
    pub(super) fn probabilities(&self, q: &Belief, at: &mut Moments, out: &mut [f64]) -> Result<(), EpError> {
        if self.latents() == 1 {
            let latent = Latent::new(q.mean[0] + self.intercepts[0], q.covariance[0])?;
            self.likelihood.class_probabilities(&[latent], &mut at.workspace, out)?;
            return Ok(());
        }
        at.root.set(&q.covariance, self.latents(), self.coupled);
        self.place_nodes(1.0, q, at);
        for (class, probability) in out.iter_mut().enumerate() {
            let label = self.likelihood.support().label(class);
            self.likelihood.log_densities(&[label], &at.nodes, &mut at.log_p)?;
            let weighted =
                at.log_p.iter().zip(self.rule.weights()).map(|(log_p, weight)| weight * log_p.exp());
            // Rules with negative weights may find less than nothing.
            *probability = weighted.sum::<f64>().max(0.0);
        }
        let total: f64 = out.iter().sum();
        out.iter_mut().for_each(|probability| *probability /= total);
        Ok(())
    }

    /// The probabilities of all classes given the latents.
    pub(super) fn given(&self, latents: &[f64], at: &mut Moments, out: &mut [f64]) -> Result<(), EpError> {
        at.work.clear();
        at.work.extend(latents.iter().zip(self.intercepts).map(|(u, beta)| u + beta));
        for (class, probability) in out.iter_mut().enumerate() {
            let label = self.likelihood.support().label(class);
            let mut log_p = [0.0];
            self.likelihood.log_densities(&[label], &at.work, &mut log_p)?;
            *probability = log_p[0].exp();
        }
        Ok(())
    }
}

impl Moments {
    /// log Z, E s and cov s from log densities at the nodes.
    fn sum_up(&mut self, rule: &Cubature) -> bool {
        let q = rule.dimensions();
        for (target, count) in [(&mut self.e1, q), (&mut self.e2, q * q)] {
            target.clear();
            target.resize(count, 0.0);
        }
        let largest = self.log_p.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let mut total = 0.0;
        for ((s, weight), log_p) in rule.iter().zip(&self.log_p) {
            let p = weight * (log_p - largest).exp();
            total += p;
            for i in 0..q {
                let first = p * s[i];
                self.e1[i] += first;
                (0..=i).for_each(|j| self.e2[i * q + j] += first * s[j]);
            }
        }
        if !(total > 0.0 && largest.is_finite()) {
            return false;
        }
        self.log_z = largest + total.ln();
        self.e1.iter_mut().for_each(|e| *e /= total);
        for i in 0..q {
            for j in 0..=i {
                let value = self.e2[i * q + j] / total - self.e1[i] * self.e1[j];
                (self.e2[i * q + j], self.e2[j * q + i]) = (value, value);
            }
        }
        true
    }

    /// g = R⁺ E s, ĥ = h + A g, Â = A + A R⁺ (cov s − I) R⁺ A: nothing is inverted but what has variance.
    fn finish(&mut self, q: &Belief) {
        let n = q.mean.len();
        let Self { root, e1, e2, work, work2, gradient, tilted, .. } = self;
        gradient.resize(n, 0.0);
        tilted.mean.resize(n, 0.0);
        times(root.inverse(), e1, gradient);
        times(&q.covariance, gradient, &mut tilted.mean);
        tilted.mean.iter_mut().zip(&q.mean).for_each(|(hat, h)| *hat += h);
        product(root.inverse(), &q.covariance, n, work);
        product(e2, work, n, work2);
        work2.iter_mut().zip(&*work).for_each(|(x, y)| *x -= y);
        tilted.covariance.clone_from(&q.covariance);
        for i in 0..n {
            for j in 0..n {
                tilted.covariance[i * n + j] +=
                    (0..n).map(|k| work[k * n + i] * work2[k * n + j]).sum::<f64>();
            }
        }
    }

    /// The divergence D\[N(ĥ, Â) ‖ N(h, A)\] of the tilted moments from the belief they came from, in the coordinates of
    /// its root (seed 002 eq. 14 with M⁻¹ = A⁻¹Â); nothing where cov s is no covariance.
    pub(super) fn gain(&mut self) -> Option<f64> {
        let q = self.e1.len();
        self.root.projector(&mut self.work);
        // P cov P, and 1 in the directions that the likelihood does not see.
        product(&self.work, &self.e2, q, &mut self.work2);
        let (projector, mut seen) = (&self.work, Vec::new());
        product(&self.work2, projector, q, &mut seen);
        let (mut trace, mut rank) = (0.0, 0.0);
        for i in 0..q {
            (trace, rank) = (trace + seen[i * q + i], rank + projector[i * q + i]);
        }
        for ij in 0..q * q {
            seen[ij] -= projector[ij];
        }
        (0..q).for_each(|i| seen[i * q + i] += 1.0);
        let mut shift = vec![0.0; q];
        times(projector, &self.e1, &mut shift);
        let squares: f64 = shift.iter().map(|x| x * x).sum();
        if !factorise(&mut seen, q, f64::EPSILON) {
            return None;
        }
        let log_det: f64 = (0..q).map(|i| 2.0 * seen[i * q + i].ln()).sum();
        Some(0.5 * (-log_det + trace - rank + squares))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gp_likelihoods::Softmax;

    const A: [f64; 9] = [2.0, 0.5, -0.3, 0.5, 1.0, 0.2, -0.3, 0.2, 0.7];

    fn observed<'m>(likelihood: &'m Softmax, rule: &'m Cubature) -> ObservationModel<'m> {
        ObservationModel { likelihood, intercepts: &[0.1, -0.2, 0.3], rule, coupled: true }
    }

    fn belief(mean: [f64; 3]) -> Belief {
        Belief { mean: mean.to_vec(), covariance: A.to_vec() }
    }

    fn determinant(a: &[f64]) -> f64 {
        (0..3)
            .map(|i| {
                a[i] * (a[3 + (i + 1) % 3] * a[6 + (i + 2) % 3] - a[3 + (i + 2) % 3] * a[6 + (i + 1) % 3])
            })
            .sum()
    }

    /// g and Â from differences of log Z by the mean: Â = A + A (∂² log Z) A. With 15 nodes a dimension the rule is right to
    /// 1e-6; differences of it are to 1e-5.
    #[test]
    fn tilted_moments_are_derivatives_of_log_z() -> Result<(), EpError> {
        let (likelihood, rule) = (Softmax::new(3)?, Cubature::product(15, 3)?);
        let observed = observed(&likelihood, &rule);
        let (mut at, mean, h) = (Moments::default(), [0.4, -0.3, 0.2], 1e-3);
        for gamma in [1.0, 0.6] {
            let mut log_z = |i: usize, j: usize, a: f64, b: f64| -> Result<f64, EpError> {
                let mut moved = mean;
                moved[i] += a;
                moved[j] += b;
                assert!(observed.tilt(1.0, gamma, &belief(moved), &mut at)?);
                Ok(at.log_z)
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
            assert!(observed.tilt(1.0, gamma, &belief(mean), &mut at)?);
            for i in 0..3 {
                assert!((at.gradient[i] - gradient[i]).abs() < 1e-5, "{:?} {gradient:?}", at.gradient);
                for j in 0..3 {
                    let change: f64 =
                        (0..9).map(|kl| A[3 * i + kl / 3] * second[kl] * A[3 * (kl % 3) + j]).sum();
                    assert!((at.tilted.covariance[3 * i + j] - A[3 * i + j] - change).abs() < 1e-4);
                }
            }
        }
        Ok(())
    }

    /// ½ (ln|A|/|Â| + tr A⁻¹Â − 3 + gᵀA g) with determinants and solves written out.
    #[test]
    fn the_gain_is_the_divergence_of_the_tilted_moments() -> Result<(), EpError> {
        let (likelihood, rule) = (Softmax::new(3)?, Cubature::product(5, 3)?);
        let mut at = Moments::default();
        assert!(observed(&likelihood, &rule).tilt(2.0, 1.0, &belief([0.5, 0.1, -0.6]), &mut at)?);
        let hat = at.tilted.covariance.clone();
        let trace: f64 = (0..3)
            .map(|column| {
                // Cramer's rule for row `column` of A⁻¹ Â e_column.
                let mut replaced = A;
                (0..3).for_each(|i| replaced[3 * i + column] = hat[3 * i + column]);
                determinant(&replaced) / determinant(&A)
            })
            .sum();
        let moved: f64 = (0..9).map(|ij| at.gradient[ij / 3] * A[ij] * at.gradient[ij % 3]).sum();
        let expected = 0.5 * ((determinant(&A) / determinant(&hat)).ln() + trace - 3.0 + moved);
        assert!(at.gain().is_some_and(|gain| (gain - expected).abs() < 1e-12 && gain > 0.01), "{expected}");
        Ok(())
    }
}
