//! What one label says about a correlated Gaussian belief, by one rule for Gaussian integrals.

use super::small::{Root, factor, inner, product, times};
use crate::error::InferenceError;
use faer::{Accum, Mat, MatMut, MatRef};
use gp_likelihoods::quadrature::Cubature;
use gp_likelihoods::{Latent, Likelihood, PointSlopes, Slopes, Workspace};
use gp_linalg::product::{GramScratch, matmul, symmetrise_lower, weighted_gram};
use gp_linalg::{LinalgError, Threading};

/// A rule for integrals over independent standard normal numbers: nodes, one a column, and their weights.
#[derive(Clone, Debug)]
pub(super) struct Nodes {
    points: Mat<f64>,
    weights: Vec<f64>,
}

impl Nodes {
    pub(super) fn new(rule: &Cubature) -> Self {
        let mut points = Mat::zeros(rule.dimensions(), rule.weights().len());
        for (j, (node, _)) in rule.iter().enumerate() {
            points.col_as_slice_mut(j).copy_from_slice(node);
        }
        Self { points, weights: rule.weights().to_vec() }
    }
}

/// A likelihood with intercepts, p(y | γ u + β), and the rule its integrals are taken by.
#[derive(Clone, Copy, Debug)]
pub(super) struct ObservationModel<'m> {
    pub(super) likelihood: &'m dyn Likelihood,
    pub(super) intercepts: &'m [f64],
    pub(super) nodes: &'m Nodes,
    /// Whether sites have the null direction 1, so that only differences of latents matter.
    pub(super) coupled: bool,
}

/// A Gaussian belief about the Q latents of one observation.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Belief {
    pub(super) mean: Vec<f64>,
    pub(super) covariance: Mat<f64>,
}

/// Memory of integrals, kept from one to the next.
#[derive(Clone, Debug, Default)]
pub(super) struct Scratch {
    /// Latents at all nodes, node after node, and a number for each node.
    latents: Vec<f64>,
    values: Vec<f64>,
    gram: GramScratch,
    point: PointSlopes,
    slopes: Slopes,
    workspace: Workspace,
}

/// The product of a belief and one observation's likelihood.
#[derive(Clone, Debug)]
pub(super) struct Tilted {
    /// ln of its integral.
    pub(super) log_z: f64,
    /// ∂ log Z/∂h.
    pub(super) gradient: Vec<f64>,
    /// Its mean and covariance.
    pub(super) belief: Belief,
    /// For several latents.
    whitened: Option<Whitened>,
}

/// The moments of s, u = h + R s.
#[derive(Clone, Debug)]
struct Whitened {
    root: Root,
    mean: Vec<f64>,
    covariance: Mat<f64>,
}

/// The expected log density with its derivatives.
#[derive(Clone, Debug)]
pub(super) struct Expected {
    pub(super) value: f64,
    /// By the mean.
    pub(super) by_mean: Vec<f64>,
    /// By the entries of the covariance matrix, symmetric.
    pub(super) by_covariance: Mat<f64>,
}

impl ObservationModel<'_> {
    pub(super) fn latents(&self) -> usize {
        self.intercepts.len()
    }

    pub(super) fn classes(&self) -> usize {
        self.likelihood.support().classes()
    }

    /// The moments of `p(y | γ u + β) N(u; h, A)`; none where the rule finds no mass, or no covariance matrix, as rules
    /// with negative weights may.
    pub(super) fn tilt(
        &self,
        y: f64,
        gamma: f64,
        q: &Belief,
        at: &mut Scratch,
    ) -> Result<Option<Tilted>, InferenceError> {
        let several = self.latents() > 1;
        let found = if several { self.tilt_many(y, gamma, q, at) } else { self.tilt_one(y, q, at) };
        Ok(found?.filter(|found| found.log_z.is_finite()))
    }

    /// One latent: the likelihood knows better.
    fn tilt_one(&self, y: f64, q: &Belief, at: &mut Scratch) -> Result<Option<Tilted>, InferenceError> {
        let (mean, a) = (q.mean[0], q.covariance[(0, 0)]);
        self.likelihood.tilted(&[y], &[self.latent(q)?], 1.0, &mut at.workspace, &mut at.slopes)?;
        let (log_z, g) = (at.slopes.value, at.slopes.by_mean[0]);
        // ∂² log Z/∂h² = 2 ∂ log Z/∂a − (∂ log Z/∂h)².
        let ratio = 1.0 + a * (2.0 * at.slopes.by_variance[0] - g * g);
        let belief = Belief { mean: vec![mean + a * g], covariance: Mat::full(1, 1, a * ratio) };
        let found = Tilted { log_z, gradient: vec![g], belief, whitened: None };
        Ok((ratio > 0.0).then_some(found))
    }

    fn tilt_many(
        &self,
        y: f64,
        gamma: f64,
        q: &Belief,
        at: &mut Scratch,
    ) -> Result<Option<Tilted>, InferenceError> {
        let root = Root::new(&q.covariance, self.coupled);
        self.place(gamma, q, &root, at)?;
        self.likelihood.log_densities(&[y], &at.latents, &mut at.values)?;
        let largest = at.values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        at.values.iter_mut().zip(&self.nodes.weights).for_each(|(p, w)| *p = w * (*p - largest).exp());
        let total: f64 = at.values.iter().sum();
        // Not a number, too, where no density is finite.
        if total.is_nan() || total <= 0.0 {
            return Ok(None);
        }
        at.values.iter_mut().for_each(|p| *p /= total);
        let (nodes, q_count) = (self.nodes.points.as_ref(), self.latents());
        let mean = weighted_sum(nodes, &at.values)?;
        let mut covariance = Mat::from_fn(q_count, q_count, |i, j| -mean[i] * mean[j]);
        let target = covariance.as_mut();
        weighted_gram(target, Accum::Add, nodes, &at.values, &mut at.gram, Threading::Here)?;
        symmetrise_lower(covariance.as_mut())?;
        Ok(Some(Tilted::new(largest + total.ln(), q, Whitened { root, mean, covariance })))
    }

    fn latent(&self, q: &Belief) -> Result<Latent, InferenceError> {
        Ok(Latent::new(q.mean[0] + self.intercepts[0], q.covariance[(0, 0)])?)
    }

    /// γ(h + R s) + β for every node s.
    fn place(&self, gamma: f64, q: &Belief, root: &Root, at: &mut Scratch) -> Result<(), LinalgError> {
        let (latents, count) = (self.latents(), self.nodes.weights.len());
        let centre: Vec<f64> = q.mean.iter().zip(self.intercepts).map(|(h, beta)| gamma * h + beta).collect();
        at.values.resize(count, 0.0);
        at.latents.resize(count * latents, 0.0);
        at.latents.chunks_exact_mut(latents).for_each(|node| node.copy_from_slice(&centre));
        let out = MatMut::from_column_major_slice_mut(&mut at.latents, latents, count);
        matmul(out, Accum::Add, root.root.as_ref(), self.nodes.points.as_ref(), gamma, Threading::Here)
    }

    /// E log p(y | u + β) and its derivatives: exactly those of the sum that stands for the integral.
    pub(super) fn expectation(
        &self,
        y: f64,
        q: &Belief,
        at: &mut Scratch,
    ) -> Result<Expected, InferenceError> {
        let latents = self.latents();
        if latents == 1 {
            let q = [self.latent(q)?];
            self.likelihood.expected_log_density(&[y], &q, &mut at.workspace, &mut at.slopes)?;
            let by_covariance = Mat::full(1, 1, at.slopes.by_variance[0]);
            return Ok(Expected {
                value: at.slopes.value,
                by_mean: vec![at.slopes.by_mean[0]],
                by_covariance,
            });
        }
        let root = Root::new(&q.covariance, self.coupled);
        self.place(1.0, q, &root, at)?;
        let mut value = 0.0;
        // Slopes take the place of the nodes they belong to.
        for (node, weight) in at.latents.chunks_exact_mut(latents).zip(&self.nodes.weights) {
            self.likelihood.log_density_slopes(&[y], node, &mut at.point)?;
            value += weight * at.point.value;
            node.copy_from_slice(&at.point.by_latent);
        }
        let slopes = MatRef::from_column_major_slice(&at.latents, latents, self.nodes.weights.len());
        let by_mean = weighted_sum(slopes, &self.nodes.weights)?;
        let weighted =
            Mat::from_fn(slopes.ncols(), latents, |k, j| self.nodes.weights[k] * self.nodes.points[(j, k)]);
        let mut by_root = Mat::zeros(latents, latents);
        matmul(by_root.as_mut(), Accum::Replace, slopes, weighted.as_ref(), 1.0, Threading::Here)?;
        // Half of g sᵀ and half of its transpose: the derivative by a symmetric root.
        let by_root = Mat::from_fn(latents, latents, |i, j| 0.5 * (by_root[(i, j)] + by_root[(j, i)]));
        Ok(Expected { value, by_mean, by_covariance: root.reverse(&by_root) })
    }

    /// The probabilities of all classes under the belief.
    pub(super) fn probabilities(&self, q: &Belief, at: &mut Scratch) -> Result<Vec<f64>, InferenceError> {
        let mut out = vec![0.0; self.classes()];
        if self.latents() == 1 {
            self.likelihood.class_probabilities(&[self.latent(q)?], &mut at.workspace, &mut out)?;
            return Ok(out);
        }
        let root = Root::new(&q.covariance, self.coupled);
        self.place(1.0, q, &root, at)?;
        for (class, probability) in out.iter_mut().enumerate() {
            let label = self.likelihood.support().label(class);
            self.likelihood.log_densities(&[label], &at.latents, &mut at.values)?;
            let weighted = at.values.iter().zip(&self.nodes.weights).map(|(log_p, w)| w * log_p.exp());
            // Rules with negative weights may find less than nothing.
            *probability = weighted.sum::<f64>().max(0.0);
        }
        let total: f64 = out.iter().sum();
        out.iter_mut().for_each(|probability| *probability /= total);
        Ok(out)
    }

    /// The probabilities of all classes given the latents.
    pub(super) fn given(&self, latents: &[f64]) -> Result<Vec<f64>, InferenceError> {
        let shifted: Vec<f64> = latents.iter().zip(self.intercepts).map(|(u, beta)| u + beta).collect();
        let probability = |class: usize| {
            let (label, mut log_p) = (self.likelihood.support().label(class), [0.0]);
            self.likelihood.log_densities(&[label], &shifted, &mut log_p)?;
            Ok(log_p[0].exp())
        };
        (0..self.classes()).map(probability).collect()
    }
}

/// `A w`.
fn weighted_sum(a: MatRef<'_, f64>, weights: &[f64]) -> Result<Vec<f64>, LinalgError> {
    let mut out = vec![0.0; a.nrows()];
    let target = MatMut::from_column_major_slice_mut(&mut out, a.nrows(), 1);
    let weights = MatRef::from_column_major_slice(weights, a.ncols(), 1);
    matmul(target, Accum::Replace, a, weights, 1.0, Threading::Here)?;
    Ok(out)
}

impl Tilted {
    /// g = R⁺ E s, ĥ = h + A g, Â = A + A R⁺ (cov s − I) R⁺ A: nothing is inverted but what has variance.
    fn new(log_z: f64, q: &Belief, whitened: Whitened) -> Self {
        let Whitened { root, mean, covariance } = &whitened;
        let (a, gradient) = (&q.covariance, times(root.inverse.as_ref(), mean));
        let moved = times(a.as_ref(), &gradient);
        let hat = q.mean.iter().zip(&moved).map(|(h, moved)| h + moved).collect();
        let w = product(root.inverse.as_ref(), a.as_ref());
        let change = product(covariance.as_ref(), w.as_ref()) - &w;
        let covariance = a + product(w.transpose(), change.as_ref());
        let belief = Belief { mean: hat, covariance };
        Self { log_z, gradient, belief, whitened: Some(whitened) }
    }

    /// The divergence D\[N(ĥ, Â) ‖ N(h, A)\] of the tilted moments from the belief they came from, in the coordinates of
    /// its root (Seeger & Jordan 2004 eq. 14 with M⁻¹ = A⁻¹Â); nothing where cov s is no covariance.
    pub(super) fn gain(&self) -> Option<f64> {
        let Whitened { root, mean, covariance } = self.whitened.as_ref()?;
        let projector = root.projector();
        let p = projector.as_ref();
        // P (cov s) P, and 1 in the directions that the likelihood does not see.
        let excess = product(p, product(covariance.as_ref(), p).as_ref()) - &projector;
        let seen = &excess + Mat::<f64>::identity(p.nrows(), p.ncols());
        let trace: f64 = (0..p.nrows()).map(|i| excess[(i, i)]).sum();
        let shift = times(p, mean);
        Some(0.5 * (trace - factor(&seen)?.log_det() + inner(&shift, &shift)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gp_likelihoods::Softmax;

    const A: [f64; 9] = [2.0, 0.5, -0.3, 0.5, 1.0, 0.2, -0.3, 0.2, 0.7];

    fn covariance() -> Mat<f64> {
        Mat::from_fn(3, 3, |i, j| A[3 * i + j])
    }

    fn observed<'m>(likelihood: &'m Softmax, nodes: &'m Nodes) -> ObservationModel<'m> {
        ObservationModel { likelihood, intercepts: &[0.1, -0.2, 0.3], nodes, coupled: true }
    }

    fn belief(mean: [f64; 3]) -> Belief {
        Belief { mean: mean.to_vec(), covariance: covariance() }
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
    fn tilted_moments_are_derivatives_of_log_z() -> Result<(), InferenceError> {
        let (likelihood, rule) = (Softmax::new(3)?, Nodes::new(&Cubature::product(15, 3)?));
        let observed = observed(&likelihood, &rule);
        let (mut at, mean, h) = (Scratch::default(), [0.4, -0.3, 0.2], 1e-3);
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

    /// ½ (ln|A|/|Â| + tr A⁻¹Â − 3 + gᵀA g) with determinants and solves written out.
    #[test]
    fn the_gain_is_the_divergence_of_the_tilted_moments() -> Result<(), InferenceError> {
        let (likelihood, rule) = (Softmax::new(3)?, Nodes::new(&Cubature::product(5, 3)?));
        let (observed, belief) = (observed(&likelihood, &rule), belief([0.5, 0.1, -0.6]));
        let at = observed.tilt(2.0, 1.0, &belief, &mut Scratch::default())?.unwrap();
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
        assert!(at.gain().is_some_and(|gain| (gain - expected).abs() < 1e-12 && gain > 0.01), "{expected}");
        Ok(())
    }
}
