//! Approximate posterior as parameters: `q(v) = Σ_k π_k Π_q N(v_q; m_kq, S_kq)` (Bonilla et al. 2019 eq. 8, whitened).
//!
//! Latent functions share components. `S = L_S L_Sᵀ` if full, variances if diagonal. π is the softmax of logits; the
//! first is 0.

use faer::{Mat, MatMut, MatRef};
use gp_ep::{InferenceError, check_count};
use gp_optim::{Parameter, ParameterSet, ParameterSetMut, Transform};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};
use serde::{Deserialize, Serialize};

/// Spread of components, in standard deviations.
const APART: f64 = 0.1;
/// Spread of [`Mixture::away`], in prior standard deviations.
const AWAY: f64 = 0.5;

/// Shape of covariances.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Covariance {
    /// `M(M + 1)/2` numbers per latent and component.
    #[default]
    Full,
    /// Variances: M numbers per latent and component.
    Diagonal,
}

/// K Gaussians over whitened inducing values.
#[derive(Clone, Debug, PartialEq)]
pub struct Mixture {
    covariance: Covariance,
    /// M per latent function.
    counts: Vec<usize>,
    logits: Option<Parameter>,
    parts: Vec<Part>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Part {
    mean: Parameter,
    /// Variances, or the diagonal of `L_S`.
    spread: Parameter,
    /// `L_S` below its diagonal, by columns, if full.
    lower: Option<Parameter>,
}

impl Mixture {
    /// Prior: one Gaussian, mean 0, `S = I`.
    ///
    /// # Errors
    /// [`InferenceError::Shape`] without inducing values.
    pub fn prior(counts: &[usize], covariance: Covariance) -> Result<Self, InferenceError> {
        if counts.is_empty() || counts.contains(&0) {
            let (what, axis) = ("posterior", "inducing values");
            return Err(InferenceError::Shape { what, axis, expected: 1, found: 0 });
        }
        let parts = counts.iter().map(|&count| Part::prior(count, covariance)).collect::<Result<_, _>>()?;
        Ok(Self { covariance, counts: counts.to_vec(), logits: None, parts })
    }

    /// Prior with random means of standard deviation ½, for products of latents, where the prior is a saddle point.
    ///
    /// # Errors
    /// As [`prior`](Self::prior).
    pub fn away(counts: &[usize], covariance: Covariance, seed: u64) -> Result<Self, InferenceError> {
        let mut moved = Self::prior(counts, covariance)?;
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        for part in &mut moved.parts {
            let draw = |_: &f64| AWAY * Distribution::<f64>::sample(&StandardNormal, &mut rng);
            let mean: Vec<f64> = part.mean.values().iter().map(draw).collect();
            part.mean.set_values(&mean)?;
        }
        Ok(moved)
    }

    /// K Gaussians: the prior after [`split`](Self::split).
    ///
    /// # Errors
    /// As [`prior`](Self::prior), and [`InferenceError::Shape`] for `K = 0`.
    pub fn spread(
        counts: &[usize],
        covariance: Covariance,
        components: usize,
        seed: u64,
    ) -> Result<Self, InferenceError> {
        Self::prior(counts, covariance)?.split(components, seed)
    }

    /// K copies of one Gaussian, preferably trained: equal proportions, means apart by a tenth of its
    /// standard deviation.
    ///
    /// # Errors
    /// As [`repeated`](Self::repeated).
    pub fn split(&self, components: usize, seed: u64) -> Result<Self, InferenceError> {
        let mut mixture = self.repeated(components)?;
        if components == 1 {
            return Ok(mixture);
        }
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        for (index, part) in mixture.parts.iter_mut().enumerate() {
            let factor = self.factor(0, index % self.counts.len());
            let draw = |_| APART * Distribution::<f64>::sample(&StandardNormal, &mut rng);
            let draws: Vec<f64> = (0..factor.nrows()).map(draw).collect();
            let moved =
                |(i, mean): (usize, &f64)| mean + (0..=i).map(|j| factor[(i, j)] * draws[j]).sum::<f64>();
            let mean: Vec<f64> = part.mean.values().iter().enumerate().map(moved).collect();
            part.mean.set_values(&mean)?;
        }
        Ok(mixture)
    }

    /// K identical copies, equal proportions.
    ///
    /// # Errors
    /// [`InferenceError::Shape`] for `K = 0` or several components.
    pub fn repeated(&self, components: usize) -> Result<Self, InferenceError> {
        check_count("posterior", "components", 1, self.components())?;
        if components == 0 {
            let (what, axis) = ("posterior", "components");
            return Err(InferenceError::Shape { what, axis, expected: 1, found: 0 });
        }
        let mut repeated = self.clone();
        repeated.parts = (0..components).flat_map(|_| self.parts.iter().cloned()).collect();
        if components > 1 {
            let mut logits = Parameter::vector("logit", vec![0.0; components], Transform::Identity)?;
            logits.fix(0, true)?;
            repeated.logits = Some(logits);
        }
        Ok(repeated)
    }

    /// Placeholder without memory.
    pub(super) fn nothing() -> Self {
        Self { covariance: Covariance::Full, counts: Vec::new(), logits: None, parts: Vec::new() }
    }

    /// Shape of the covariances.
    #[must_use]
    pub fn covariance(&self) -> Covariance {
        self.covariance
    }

    /// M of each latent function.
    #[must_use]
    pub fn counts(&self) -> &[usize] {
        &self.counts
    }

    /// Number K of components.
    #[must_use]
    pub fn components(&self) -> usize {
        self.parts.len() / self.counts.len()
    }

    /// Proportions π, with sum 1.
    #[must_use]
    pub fn weights(&self) -> Vec<f64> {
        let mut weights = vec![1.0; self.components()];
        self.write_weights(&mut weights);
        weights
    }

    pub(super) fn write_weights(&self, weights: &mut [f64]) {
        let Some(logits) = &self.logits else {
            return weights.fill(1.0);
        };
        let largest = logits.values().iter().copied().fold(f64::NEG_INFINITY, f64::max);
        weights.iter_mut().zip(logits.values()).for_each(|(w, logit)| *w = (logit - largest).exp());
        let total: f64 = weights.iter().sum();
        weights.iter_mut().for_each(|w| *w /= total);
    }

    /// Mean of whitened inducing values (M).
    ///
    /// # Panics
    /// Unknown component or latent.
    #[must_use]
    pub fn mean(&self, component: usize, latent: usize) -> &[f64] {
        self.part(component, latent).mean.values()
    }

    /// Lower Cholesky factor of the covariance (M×M).
    ///
    /// # Panics
    /// Unknown component or latent.
    #[must_use]
    pub fn factor(&self, component: usize, latent: usize) -> Mat<f64> {
        let count = self.counts[latent];
        let mut factor = Mat::zeros(count, count);
        let part = self.part(component, latent);
        match self.covariance {
            Covariance::Full => part.write_factor(factor.as_mut()),
            Covariance::Diagonal => {
                part.spread.values().iter().enumerate().for_each(|(i, w)| factor[(i, i)] = w.sqrt());
            }
        }
        factor
    }

    /// Sets mean and covariance by the factor's lower triangle (or diagonal).
    ///
    /// # Errors
    /// [`InferenceError::Shape`]; [`InferenceError::Parameter`] unless finite with positive diagonal.
    pub fn set(
        &mut self,
        component: usize,
        latent: usize,
        mean: &[f64],
        factor: MatRef<'_, f64>,
    ) -> Result<(), InferenceError> {
        check_count("posterior", "components", self.components().max(component + 1), self.components())?;
        check_count("posterior", "latent functions", self.counts.len().max(latent + 1), self.counts.len())?;
        check_count("covariance factor", "rows", self.counts[latent], factor.nrows())?;
        check_count("covariance factor", "columns", self.counts[latent], factor.ncols())?;
        let (covariance, q) = (self.covariance, self.counts.len());
        self.parts[component * q + latent].set(covariance, mean, factor, &mut Vec::new())
    }

    pub(super) fn parts_mut(&mut self) -> &mut [Part] {
        &mut self.parts
    }

    fn part(&self, component: usize, latent: usize) -> &Part {
        &self.parts[component * self.counts.len() + latent]
    }

    pub(super) fn variances(&self, component: usize, latent: usize) -> &[f64] {
        self.part(component, latent).spread.values()
    }

    /// Does not write the upper triangle.
    pub(super) fn write_factor(&self, component: usize, latent: usize, out: MatMut<'_, f64>) {
        self.part(component, latent).write_factor(out);
    }

    pub(super) fn parameter_names(&self) -> Vec<String> {
        let mut names = Vec::new();
        let logits =
            self.logits.iter().flat_map(|logits| (0..logits.len()).map(|k| format!("posterior.logit[{k}]")));
        names.extend(logits);
        let (several, latents) = (self.components() > 1, self.counts.len());
        for (index, part) in self.parts.iter().enumerate() {
            let (k, q) = (index / latents, index % latents);
            let front = if several { format!("posterior[{k},{q}]") } else { format!("posterior[{q}]") };
            for parameter in part.parameters() {
                names.extend((0..parameter.len()).map(|i| format!("{front}.{}[{i}]", parameter.name())));
            }
        }
        names
    }
}

impl Part {
    fn prior(count: usize, covariance: Covariance) -> Result<Self, InferenceError> {
        let spread = if covariance == Covariance::Full { "diagonal" } else { "variance" };
        let below = if covariance == Covariance::Full { count * (count - 1) / 2 } else { 0 };
        let lower = (below > 0).then(|| Parameter::vector("lower", vec![0.0; below], Transform::Identity));
        Ok(Self {
            mean: Parameter::vector("mean", vec![0.0; count], Transform::Identity)?,
            spread: Parameter::vector(spread, vec![1.0; count], Transform::Positive)?,
            lower: lower.transpose()?,
        })
    }

    /// [`Mixture::set`] without shape checks; `room` is scratch.
    pub(super) fn set(
        &mut self,
        covariance: Covariance,
        mean: &[f64],
        factor: MatRef<'_, f64>,
        room: &mut Vec<f64>,
    ) -> Result<(), InferenceError> {
        self.mean.set_values(mean)?;
        for i in 0..factor.nrows() {
            let root = factor[(i, i)];
            self.spread.set(i, if covariance == Covariance::Full { root } else { root * root })?;
        }
        let Some(lower) = &mut self.lower else { return Ok(()) };
        room.clear();
        for j in 0..factor.ncols() {
            room.extend(factor.col(j).subrows(j + 1, factor.nrows() - j - 1).iter());
        }
        Ok(lower.set_values(room)?)
    }

    fn parameters(&self) -> impl Iterator<Item = &Parameter> {
        [&self.mean, &self.spread].into_iter().chain(&self.lower)
    }

    fn write_factor(&self, mut out: MatMut<'_, f64>) {
        let mut rest = self.lower.as_ref().map_or(&[][..], |lower| lower.values());
        for (j, diagonal) in self.spread.values().iter().enumerate() {
            out[(j, j)] = *diagonal;
            let (column, later) = rest.split_at(self.spread.len() - j - 1);
            out.as_mut()
                .col_mut(j)
                .subrows_mut(j + 1, column.len())
                .iter_mut()
                .zip(column)
                .for_each(|(out, l)| *out = *l);
            rest = later;
        }
    }
}

impl ParameterSet for Mixture {
    fn visit(&self, visit: &mut dyn FnMut(&Parameter)) {
        self.logits.iter().for_each(&mut *visit);
        for part in &self.parts {
            part.parameters().for_each(&mut *visit);
        }
    }
}

impl ParameterSetMut for Mixture {
    fn visit_mut(&mut self, visit: &mut dyn FnMut(&mut Parameter)) {
        self.logits.iter_mut().for_each(&mut *visit);
        for part in &mut self.parts {
            visit(&mut part.mean);
            visit(&mut part.spread);
            part.lower.iter_mut().for_each(&mut *visit);
        }
    }
}
