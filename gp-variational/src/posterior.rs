//! Predictions: mixtures over components of what each of them predicts (seed 004 eq. 36–39).

use crate::dense::DensePart;
use crate::error::{VariationalError, check_count};
use crate::expectation::scramble;
use crate::mixed::Mixed;
use faer::{Mat, MatRef};
use gp_kernels::Evaluator;
use gp_kernels::posterior::{InducingPosterior, LatentPrediction};
use gp_likelihoods::{Latent, Likelihood, ObservationMoments, Workspace};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// What is left of a model for predictions: a Gaussian, or a mixture of Gaussians, at every point.
#[derive(Clone, Debug)]
pub struct VariationalPosterior {
    likelihood: Box<dyn Likelihood>,
    weights: Vec<f64>,
    /// Component by component, one a latent function.
    parts: Vec<Part>,
    latents: usize,
}

/// The posterior of one latent function in one component.
#[derive(Clone, Debug)]
pub(crate) enum Part {
    Inducing(Box<InducingPosterior>),
    Dense(Box<DensePart>),
}

impl Part {
    fn predict(&self, x: MatRef<'_, f64>, by: &Evaluator) -> Result<LatentPrediction, VariationalError> {
        match self {
            Self::Inducing(part) => Ok(part.predict(x, by)?),
            Self::Dense(part) => part.predict(x, by),
        }
    }

    fn sample(
        &self,
        x: MatRef<'_, f64>,
        count: usize,
        seed: u64,
        by: &Evaluator,
    ) -> Result<Mat<f64>, VariationalError> {
        match self {
            Self::Inducing(part) => Ok(part.sample(x, count, seed, by)?.functions),
            Self::Dense(part) => part.sample(x, count, seed, by),
        }
    }
}

impl VariationalPosterior {
    /// Parts component by component, one a latent function.
    pub(crate) fn new(likelihood: Box<dyn Likelihood>, weights: Vec<f64>, parts: Vec<Part>) -> Self {
        let latents = parts.len() / weights.len();
        Self { likelihood, weights, parts, latents }
    }

    /// What ties an observation to its latent values.
    #[must_use]
    pub fn likelihood(&self) -> &dyn Likelihood {
        self.likelihood.as_ref()
    }

    /// The proportions of the components.
    #[must_use]
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// What the components together predict of one observation.
    fn mixed(&self) -> Mixed<'_> {
        Mixed::new(self.likelihood.as_ref(), &self.weights)
    }

    /// The posterior over the inducing values of one latent function in one component, where there are those: what a model
    /// file holds.
    #[must_use]
    pub fn component(&self, component: usize, latent: usize) -> Option<&InducingPosterior> {
        let part = self.parts.get(component * self.latents + latent).filter(|_| latent < self.latents)?;
        match part {
            Part::Inducing(part) => Some(part),
            Part::Dense(_) => None,
        }
    }

    /// Means and variances of each latent function at `x` (N×D), over all components: the variance of a mixture is the
    /// mean of variances and the variance of means.
    ///
    /// # Errors
    /// [`VariationalError::Kernel`] for points that do not suit the kernel or are not finite.
    pub fn latents(
        &self,
        x: MatRef<'_, f64>,
        by: &Evaluator,
    ) -> Result<Vec<LatentPrediction>, VariationalError> {
        let parts = self.marginals(x, by)?;
        let mut out = Vec::new();
        for q in 0..self.latents {
            let of = |k: usize| &parts[k * self.latents + q];
            let each = |i: usize| {
                self.mixed()
                    .combine(|k| ObservationMoments { mean: of(k).mean[i], variance: of(k).variance[i] })
            };
            let (mean, variance) = (0..x.nrows()).map(each).map(|m| (m.mean, m.variance)).unzip();
            out.push(LatentPrediction { mean, variance });
        }
        Ok(out)
    }

    /// Mean and variance of each output at `x`: N·P of them, observation by observation.
    ///
    /// # Errors
    /// As [`latents`](Self::latents), and what the likelihood reports.
    pub fn moments(
        &self,
        x: MatRef<'_, f64>,
        by: &Evaluator,
    ) -> Result<Vec<ObservationMoments>, VariationalError> {
        let mut ws = Workspace::new();
        let mut each = vec![ObservationMoments::default(); self.likelihood.outputs()];
        let mut all = Vec::with_capacity(x.nrows() * each.len());
        self.for_each_point(x, by, |_, beliefs| {
            self.mixed().moments(beliefs, &mut ws, &mut each)?;
            all.extend_from_slice(&each);
            Ok(())
        })?;
        Ok(all)
    }

    /// The probability of each class at `x`: N×C, classes in the order of [`Support::label`].
    ///
    /// [`Support::label`]: gp_likelihoods::Support::label
    ///
    /// # Errors
    /// As [`moments`](Self::moments); a likelihood without classes has no probabilities of them.
    pub fn class_probabilities(
        &self,
        x: MatRef<'_, f64>,
        by: &Evaluator,
    ) -> Result<Mat<f64>, VariationalError> {
        let classes = self.likelihood.support().classes();
        if classes == 0 {
            return Err(VariationalError::Unsupported { what: "classes of a likelihood that has none" });
        }
        let (mut ws, mut each) = (Workspace::new(), vec![0.0; classes]);
        let mut all = Mat::zeros(x.nrows(), classes);
        self.for_each_point(x, by, |i, beliefs| {
            self.mixed().class_probabilities(beliefs, &mut ws, &mut each)?;
            each.iter().enumerate().for_each(|(c, p)| all[(i, c)] = *p);
            Ok(())
        })?;
        Ok(all)
    }

    /// `ln p(y)` of new observations at `x`, with `y` N×P.
    ///
    /// # Errors
    /// As [`moments`](Self::moments); [`VariationalError::Shape`] for another number of observations;
    /// [`VariationalError::Observation`] for one there cannot be.
    pub fn log_densities(
        &self,
        x: MatRef<'_, f64>,
        y: MatRef<'_, f64>,
        by: &Evaluator,
    ) -> Result<Vec<f64>, VariationalError> {
        check_count("observations", "rows", x.nrows(), y.nrows())?;
        let (mut ws, mut all) = (Workspace::new(), Vec::with_capacity(x.nrows()));
        self.for_each_point(x, by, |i, beliefs| {
            let target: Vec<f64> = y.row(i).iter().copied().collect();
            let density = self.mixed().log_density(&target, beliefs, &mut ws);
            all.push(density.map_err(|fault| VariationalError::Observation { row: i, fault })?);
            Ok(())
        })?;
        Ok(all)
    }

    /// The least number that one output (counted from 0) does not exceed with this probability, at each row of `x`: two
    /// of them are an interval.
    ///
    /// # Errors
    /// As [`moments`](Self::moments), for a probability that is not strictly between 0 and 1, and for no such output.
    pub fn quantiles(
        &self,
        x: MatRef<'_, f64>,
        output: usize,
        probability: f64,
        by: &Evaluator,
    ) -> Result<Vec<f64>, VariationalError> {
        let (mut ws, mut all) = (Workspace::new(), Vec::with_capacity(x.nrows()));
        self.for_each_point(x, by, |_, beliefs| {
            all.push(self.mixed().quantile(beliefs, (output, probability), &mut ws)?);
            Ok(())
        })?;
        Ok(all)
    }

    /// `count` joint samples of all latent functions at `x`, the same for the same seed: for each latent function N×`count`,
    /// a sample a column. Each is of one component, which it shares with the other latent functions.
    ///
    /// # Errors
    /// As [`latents`](Self::latents), and when a covariance cannot be factored.
    pub fn sample_latents(
        &self,
        x: MatRef<'_, f64>,
        count: usize,
        seed: u64,
        by: &Evaluator,
    ) -> Result<Vec<Mat<f64>>, VariationalError> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let components: Vec<usize> = (0..count).map(|_| self.draw_component(rng.random())).collect();
        let mut samples = vec![Mat::zeros(x.nrows(), count); self.latents];
        for (index, part) in self.parts.iter().enumerate() {
            let (k, q) = (index / self.latents, index % self.latents);
            let own: Vec<usize> = (0..count).filter(|&i| components[i] == k).collect();
            if own.is_empty() {
                continue;
            }
            let seed = scramble(seed ^ scramble(index as u64));
            let drawn = part.sample(x, own.len(), seed, by)?;
            for (from, &to) in own.iter().enumerate() {
                samples[q].col_mut(to).copy_from(drawn.col(from));
            }
        }
        Ok(samples)
    }

    /// `count` samples of new observations at `x`, the same for the same seed: for each output N×`count`. Latent values
    /// of a sample are joint over all points.
    ///
    /// # Errors
    /// As [`sample_latents`](Self::sample_latents), and what the likelihood reports.
    pub fn sample(
        &self,
        x: MatRef<'_, f64>,
        count: usize,
        seed: u64,
        by: &Evaluator,
    ) -> Result<Vec<Mat<f64>>, VariationalError> {
        let latents = self.sample_latents(x, count, seed, by)?;
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(1);
        let mut samples = vec![Mat::zeros(x.nrows(), count); self.likelihood.outputs()];
        let (mut f, mut y) = (vec![0.0; self.latents], vec![0.0; self.likelihood.outputs()]);
        for j in 0..count {
            for i in 0..x.nrows() {
                f.iter_mut().zip(&latents).for_each(|(f, of)| *f = of[(i, j)]);
                self.likelihood.sample(&f, &mut rng, &mut y)?;
                samples.iter_mut().zip(&y).for_each(|(of, y)| of[(i, j)] = *y);
            }
        }
        Ok(samples)
    }

    /// The component at this place of the unit interval.
    fn draw_component(&self, place: f64) -> usize {
        let mut sum = 0.0;
        let found = self.weights.iter().position(|weight| {
            sum += weight;
            place < sum
        });
        found.unwrap_or(self.weights.len() - 1)
    }

    /// Moments of latent values at `x`, component by component, one a latent function.
    fn marginals(
        &self,
        x: MatRef<'_, f64>,
        by: &Evaluator,
    ) -> Result<Vec<LatentPrediction>, VariationalError> {
        self.parts.iter().map(|part| part.predict(x, by)).collect()
    }

    /// Calls `body` with every row of `x` and the beliefs about its latent values, component by component.
    fn for_each_point(
        &self,
        x: MatRef<'_, f64>,
        by: &Evaluator,
        mut body: impl FnMut(usize, &[Latent]) -> Result<(), VariationalError>,
    ) -> Result<(), VariationalError> {
        let parts = self.marginals(x, by)?;
        let mut beliefs = Vec::with_capacity(parts.len());
        for i in 0..x.nrows() {
            beliefs.clear();
            for part in &parts {
                beliefs.push(Latent::new(part.mean[i], part.variance[i])?);
            }
            body(i, &beliefs)?;
        }
        Ok(())
    }
}
