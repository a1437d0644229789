//! Effect of one label on a correlated Gaussian belief, by one integration rule.

use super::small::{Root, Square, add, dot, inner};
use crate::error::InferenceError;
use gp_likelihoods::quadrature::Cubature;
use gp_likelihoods::{Latent, Likelihood, PointSlopes, Slopes, Workspace};

/// Nodes and weights over independent standard normal numbers.
#[derive(Clone, Debug)]
pub(super) struct Nodes {
    /// Coordinates: first ones of all nodes, then second ones, …
    coordinates: Vec<f64>,
    weights: Vec<f64>,
}

impl Nodes {
    pub(super) fn new(rule: &Cubature) -> Self {
        let coordinates = (0..rule.dimensions()).flat_map(|i| rule.iter().map(move |(node, _)| node[i]));
        Self { coordinates: coordinates.collect(), weights: rule.weights().to_vec() }
    }

    fn count(&self) -> usize {
        self.weights.len()
    }

    /// Coordinates of all nodes, one after the other.
    fn coordinates(&self) -> impl Iterator<Item = &[f64]> {
        self.coordinates.chunks_exact(self.count())
    }
}

/// Likelihood with intercepts, p(y | γ u + β), and its integration rule.
#[derive(Clone, Copy, Debug)]
pub(super) struct ObservationModel<'m> {
    pub(super) likelihood: &'m dyn Likelihood,
    pub(super) intercepts: &'m [f64],
    pub(super) nodes: &'m Nodes,
    /// `true` if sites have the null direction 1, so that only differences of latents matter.
    pub(super) coupled: bool,
}

/// Gaussian belief about the Q latents of one observation.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ClassBelief {
    pub(super) mean: Vec<f64>,
    pub(super) covariance: Square,
}

/// Reused memory of integrals.
#[derive(Clone, Debug, Default)]
pub(super) struct IntegralScratch {
    /// Latents by node, and a number per node.
    latents: Vec<f64>,
    values: Vec<f64>,
    /// Numbers by latent for all nodes.
    rows: Vec<f64>,
    point: PointSlopes,
    slopes: Slopes,
    workspace: Workspace,
}

/// Product of a belief and one observation's likelihood.
#[derive(Clone, Debug)]
pub(super) struct Tilted {
    /// Log of its integral.
    pub(super) log_z: f64,
    /// ∂ log Z/∂h.
    pub(super) gradient: Vec<f64>,
    /// Its mean and covariance.
    pub(super) belief: ClassBelief,
    /// Whitened moments, for several latents.
    whitened: Option<Whitened>,
}

/// Moments of s, u = h + R s.
#[derive(Clone, Debug)]
struct Whitened {
    root: Root,
    mean: Vec<f64>,
    /// cov s − I
    excess: Square,
}

/// Expected log density with derivatives.
#[derive(Clone, Debug)]
pub(super) struct Expected {
    pub(super) value: f64,
    /// Derivatives by the mean.
    pub(super) by_mean: Vec<f64>,
    /// Derivatives by the entries of the covariance matrix, symmetric.
    pub(super) by_covariance: Square,
}

impl ObservationModel<'_> {
    pub(super) fn latents(&self) -> usize {
        self.intercepts.len()
    }

    pub(super) fn classes(&self) -> usize {
        self.likelihood.support().classes()
    }

    /// Moments of `p(y | γ u + β) N(u; h, A)`; None if the rule finds no mass or no valid covariance,
    /// possible with negative weights.
    pub(super) fn tilt(
        &self,
        y: f64,
        gamma: f64,
        q: &ClassBelief,
        at: &mut IntegralScratch,
    ) -> Result<Option<Tilted>, InferenceError> {
        let several = self.latents() > 1;
        let found = if several { self.tilt_many(y, gamma, q, at) } else { self.tilt_one(y, q, at) };
        Ok(found?.filter(|found| found.log_z.is_finite()))
    }

    /// Moments for one latent, by the likelihood.
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
        let belief = ClassBelief { mean: vec![mean + a * g], covariance: Square::from_rows(1, &[a * ratio]) };
        let found = Tilted { log_z, gradient: vec![g], belief, whitened: None };
        Ok((ratio > 0.0).then_some(found))
    }

    fn tilt_many(
        &self,
        y: f64,
        gamma: f64,
        q: &ClassBelief,
        at: &mut IntegralScratch,
    ) -> Result<Option<Tilted>, InferenceError> {
        let root = Root::new(&q.covariance, self.coupled);
        self.place(gamma, q, &root, at);
        self.likelihood.log_densities(&[y], &at.latents, &mut at.values)?;
        let largest = at.values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        at.values.iter_mut().zip(&self.nodes.weights).for_each(|(p, w)| *p = w * (*p - largest).exp());
        let total: f64 = at.values.iter().sum();
        // Not a number, too, where no density is finite.
        if total.is_nan() || total <= 0.0 {
            return Ok(None);
        }
        at.values.iter_mut().for_each(|p| *p /= total);
        // p s for every node.
        at.rows.clear();
        for s in self.nodes.coordinates() {
            at.rows.extend(s.iter().zip(&at.values).map(|(s, p)| s * p));
        }
        let weighted = || at.rows.chunks_exact(self.nodes.count());
        let mean: Vec<f64> = weighted().map(|row| row.iter().sum()).collect();
        let mut excess = Square::zeros(mean.len());
        for (i, row) in weighted().enumerate() {
            for (j, s) in self.nodes.coordinates().enumerate().take(i + 1) {
                excess[(i, j)] = dot(row, s) - mean[i] * mean[j];
                excess[(j, i)] = excess[(i, j)];
            }
        }
        excess.add_to_diagonal(-1.0);
        Ok(Some(Tilted::new(largest + total.ln(), q, Whitened { root, mean, excess })))
    }

    fn latent(&self, q: &ClassBelief) -> Result<Latent, InferenceError> {
        Ok(Latent::new(q.mean[0] + self.intercepts[0], q.covariance[(0, 0)])?)
    }

    /// γ(h + R s) + β for every node s.
    fn place(&self, gamma: f64, q: &ClassBelief, root: &Root, at: &mut IntegralScratch) {
        let (latents, count) = (self.latents(), self.nodes.count());
        at.values.resize(count, 0.0);
        at.latents.resize(count * latents, 0.0);
        // One latent at all nodes, which then go to their places.
        at.rows.resize(count, 0.0);
        let row = &mut at.rows[..count];
        for (c, (mean, intercept)) in q.mean.iter().zip(self.intercepts).enumerate() {
            row.fill(gamma * mean + intercept);
            let root = root.root.row(c);
            root.iter().zip(self.nodes.coordinates()).for_each(|(root, s)| add(row, gamma * root, s));
            let places = at.latents[c..].iter_mut().step_by(latents);
            places.zip(&*row).for_each(|(place, value)| *place = *value);
        }
    }

    /// E log p(y | u + β) with the exact derivatives of its sum over nodes.
    pub(super) fn expectation(
        &self,
        y: f64,
        q: &ClassBelief,
        at: &mut IntegralScratch,
    ) -> Result<Expected, InferenceError> {
        let latents = self.latents();
        if latents == 1 {
            let q = [self.latent(q)?];
            self.likelihood.expected_log_density(&[y], &q, &mut at.workspace, &mut at.slopes)?;
            let by_covariance = Square::from_rows(1, &at.slopes.by_variance[..1]);
            return Ok(Expected {
                value: at.slopes.value,
                by_mean: vec![at.slopes.by_mean[0]],
                by_covariance,
            });
        }
        let root = Root::new(&q.covariance, self.coupled);
        self.place(1.0, q, &root, at);
        let (mut value, count) = (0.0, self.nodes.count());
        // Slopes times weights.
        at.rows.resize(count * latents, 0.0);
        for (k, (node, weight)) in at.latents.chunks_exact(latents).zip(&self.nodes.weights).enumerate() {
            self.likelihood.log_density_slopes(&[y], node, &mut at.point)?;
            value += weight * at.point.value;
            let places = at.rows[k..].iter_mut().step_by(count);
            places.zip(&at.point.by_latent).for_each(|(place, slope)| *place = weight * slope);
        }
        let by_mean = at.rows.chunks_exact(count).map(|row| row.iter().sum()).collect();
        let mut by_root = Square::zeros(latents);
        for (i, slopes) in at.rows.chunks_exact(count).enumerate() {
            for (j, s) in self.nodes.coordinates().enumerate() {
                // Half of g sᵀ and half of its transpose: the derivative by a symmetric root.
                let half = 0.5 * dot(slopes, s);
                by_root[(i, j)] += half;
                by_root[(j, i)] += half;
            }
        }
        Ok(Expected { value, by_mean, by_covariance: root.reverse(&by_root) })
    }

    /// Probabilities of all classes under the belief.
    pub(super) fn probabilities(
        &self,
        q: &ClassBelief,
        at: &mut IntegralScratch,
    ) -> Result<Vec<f64>, InferenceError> {
        let mut out = vec![0.0; self.classes()];
        if self.latents() == 1 {
            self.likelihood.class_probabilities(&[self.latent(q)?], &mut at.workspace, &mut out)?;
            return Ok(out);
        }
        let root = Root::new(&q.covariance, self.coupled);
        self.place(1.0, q, &root, at);
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

    /// Probabilities of all classes given the latents.
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

impl Tilted {
    /// Moments g = R⁺ E s, ĥ = h + A g, Â = A + A R⁺ (cov s − I) R⁺ A, without inverting directions of no
    /// variance.
    fn new(log_z: f64, q: &ClassBelief, whitened: Whitened) -> Self {
        let Whitened { root, mean, excess } = &whitened;
        let (a, gradient) = (&q.covariance, root.inverse.times(mean));
        let moved = a.times(&gradient);
        let hat = q.mean.iter().zip(&moved).map(|(h, moved)| h + moved).collect();
        let w = root.inverse.product(a);
        let covariance = a.plus_transpose_product(&w, &excess.product(&w));
        let belief = ClassBelief { mean: hat, covariance };
        Self { log_z, gradient, belief, whitened: Some(whitened) }
    }

    /// Divergence D\[N(ĥ, Â) ‖ N(h, A)\] in coordinates of the belief's root (Seeger & Jordan 2004 eq. 14
    /// with M⁻¹ = A⁻¹Â); None if cov s is invalid.
    pub(super) fn gain(&self) -> Option<f64> {
        let Whitened { root, mean, excess } = self.whitened.as_ref()?;
        let p = root.projector();
        // P (cov s − I) P, and 1 in the directions that the likelihood does not see.
        let mut seen = p.product(&excess.product(&p));
        let trace: f64 = (0..p.size()).map(|i| seen[(i, i)]).sum();
        seen.add_to_diagonal(1.0);
        let shift = p.times(mean);
        Some(0.5 * (trace - seen.factor()?.log_det() + inner(&shift, &shift)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gp_likelihoods::Softmax;

    const A: [f64; 9] = [2.0, 0.5, -0.3, 0.5, 1.0, 0.2, -0.3, 0.2, 0.7];

    fn covariance() -> Square {
        Square::from_rows(3, &A)
    }

    fn observed<'m>(likelihood: &'m Softmax, nodes: &'m Nodes) -> ObservationModel<'m> {
        ObservationModel { likelihood, intercepts: &[0.1, -0.2, 0.3], nodes, coupled: true }
    }

    fn belief(mean: [f64; 3]) -> ClassBelief {
        ClassBelief { mean: mean.to_vec(), covariance: covariance() }
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

    /// ½ (ln|A|/|Â| + tr A⁻¹Â − 3 + gᵀA g) with determinants and solves written out.
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
        assert!(at.gain().is_some_and(|gain| (gain - expected).abs() < 1e-12 && gain > 0.01), "{expected}");
        Ok(())
    }
}
