//! Diagonal D: observations are factors. An update takes the portion `a = min(α, w)` of weight w, so `d = (Σ + a s)/w`,
//! and `log Z` has the terms `w ln Σ + w ln(1 + a s/Σ)/a`.

use super::lane::{LaneFactors, log_scale};
use super::model::SparseRegression;
use super::posterior::{MeanOf, RegressionPosterior};
use super::pulled::{Pulled, PulledBeliefs};
use crate::error::InferenceError;
use crate::noisy::NoisyTarget;
use crate::powers::scaled_ln_1p;
use gp_kernels::passes::{LaneBlock, Layout, Pass, Passes, Sums};

/// Known noise, weights, `1/d_i`.
#[derive(Debug, Default)]
pub(super) struct PointFactors {
    known_noise: Vec<f64>,
    weights: Vec<f64>,
    precision: Vec<f64>,
}

impl PointFactors {
    /// `Σ_i`
    fn noise(&self, model: &SparseRegression, place: usize) -> f64 {
        model.noise().variance() + self.known_noise[place]
    }

    /// w, and `min(α, w)` for a power α.
    fn weight(&self, place: usize, power: f64) -> (f64, f64) {
        let weight = self.weights[place];
        (weight, power.min(weight))
    }
}

impl LaneFactors for PointFactors {
    fn take(&mut self, place: usize, observation: NoisyTarget) {
        self.known_noise.truncate(place);
        self.known_noise.push(observation.known_noise);
        self.weights.truncate(place);
        self.weights.push(observation.weight);
        self.precision.resize(place + 1, 0.0);
    }

    fn absorb(
        passes: &mut Passes<Self>,
        model: &SparseRegression,
        layout: &Layout,
        sums: &mut Sums,
    ) -> Result<(), InferenceError> {
        let pass = Pass::new(layout);
        passes.run(pass, sums, |block, extra| {
            let LaneBlock { own, places, seen, latents, .. } = block;
            for (i, place) in places.enumerate() {
                let (noise, s) = (own.noise(model, place), seen.residual(0, i));
                let (weight, power) = own.weight(place, model.powers().of(seen.row(i)));
                let precision = weight / (noise + power * s);
                own.precision[place] = precision;
                latents[0].gram[i] = precision;
                latents[0].shift[i] = seen.target(i)[0] * precision;
                extra[0] += log_scale(weight, noise) + weight * scaled_ln_1p(power, s / noise);
            }
            Ok(())
        })
    }

    fn explain(
        passes: &mut Passes<Self>,
        posterior: &RegressionPosterior,
        sums: &mut Sums,
    ) -> Result<(), InferenceError> {
        let mean = MeanOf(posterior);
        let pass = Pass::new(&posterior.number).with_beliefs(&mean);
        passes.run(pass, sums, |block, misfit| {
            let LaneBlock { own, places, seen, latents, .. } = block;
            for (i, place) in places.enumerate() {
                let residual = seen.target(i)[0] - latents[0].mean[i];
                misfit[0] += residual * (residual * own.precision[place]);
            }
            Ok(())
        })
    }

    /// `φ̄_i = β_i m − Vφ_i/d_i` and `s̄_i`; the projection's reverse pass adds `−2 s̄_i φ_i`.
    fn reverse(
        passes: &mut Passes<Self>,
        model: &SparseRegression,
        posterior: &RegressionPosterior,
        pulled: Option<&mut Pulled>,
        sums: &mut Sums,
    ) -> Result<(), InferenceError> {
        if let Some(pulled) = pulled {
            return reverse_pulled(passes, model, (posterior, pulled), sums);
        }
        let pass = Pass::new(&posterior.number).with_beliefs(posterior);
        passes.run(pass, sums, |block, by_noise| {
            let LaneBlock { own, places, seen, latents, .. } = block;
            let latent = &mut latents[0];
            for (i, place) in places.enumerate() {
                let (precision, noise) = (own.precision[place], own.noise(model, place));
                let (weight, power) = own.weight(place, model.powers().of(seen.row(i)));
                let beta = (seen.target(i)[0] - latent.mean[i]) * precision;
                // (β_i² + ‖h_i‖²)/w; β_i is large only where the fit is poor.
                let pull = (beta * beta + latent.variance[i] * precision * precision) / weight;
                (latent.on_mean[i], latent.on_spread[i]) = (beta, -precision);
                latent.on_residual[i] = 0.5 * (power * pull - precision);
                by_noise[0] += 0.5 * (pull - (weight - seen.residual(0, i) * precision) / noise);
            }
            Ok(())
        })
    }
}

/// Reverse pass of the bound, `d_i = σ²`.
fn reverse_pulled(
    passes: &mut Passes<PointFactors>,
    model: &SparseRegression,
    (posterior, pulled): (&RegressionPosterior, &mut Pulled),
    sums: &mut Sums,
) -> Result<(), InferenceError> {
    pulled.set(&passes.priors()[0], posterior, model.threading())?;
    let beliefs = PulledBeliefs(posterior, pulled);
    let pass = Pass::new(&posterior.number).with_beliefs(&beliefs);
    let precision = 1.0 / model.noise().variance();
    passes.run(pass, sums, |block, by_noise| {
        let LaneBlock { seen, latents, .. } = block;
        let latent = &mut latents[0];
        for i in 0..seen.count() {
            let beta = (seen.target(i)[0] - latent.mean[i]) * precision;
            (latent.on_mean[i], latent.on_spread[i]) = (beta, precision);
            latent.on_residual[i] = -0.5 * precision;
            by_noise[0] += 0.5 * (beta * beta - (1.0 - seen.residual(0, i) * precision) * precision);
        }
        Ok::<(), InferenceError>(())
    })?;
    sums.numbers[0] += 0.5 * pulled.explained * precision;
    sums.gradients_mut().iter_mut().for_each(|gradients| pulled.add_by_factor(gradients));
    Ok(())
}
