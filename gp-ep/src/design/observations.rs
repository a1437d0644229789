//! Representative observations for expectations over outcomes.

use super::DesignScratch;
use super::marginal::LatentMarginal;
use crate::error::InferenceError;
use gp_likelihoods::{Latent, Likelihood, Support};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// Probability beyond each outermost observation.
const TAIL: f64 = 1e-6;
/// Steps between outermost observations.
const STEPS: i32 = 64;
/// Numbers of single counts and, above, of ranges.
const SINGLE_COUNTS: f64 = 64.0;
const STRETCHES: f64 = 128.0;
/// Draws for several latents or outputs.
const DRAWS: usize = 128;

pub(super) struct Observed {
    pub(super) y: Vec<f64>,
    /// Width of the represented interval; its probability is width times density. None for equiprobable draws.
    pub(super) width: Option<f64>,
}

/// Labels; for one latent, counts or numbers between quantiles; otherwise draws.
pub(super) fn observations(
    likelihood: &dyn Likelihood,
    marginal: &LatentMarginal,
    scratch: &mut DesignScratch,
) -> Result<Vec<Observed>, InferenceError> {
    let support = likelihood.support();
    if support.classes() > 0 {
        let labels = (0..support.classes()).map(|class| support.label(class));
        return Ok(labels.map(|label| Observed { y: vec![label], width: Some(1.0) }).collect());
    }
    if let (&[mean], &[variance], 1) = (marginal.means(), marginal.variances(), likelihood.outputs()) {
        return between_quantiles(likelihood, Latent::new(mean, variance)?, scratch);
    }
    let mut rng = ChaCha8Rng::seed_from_u64(0);
    let draw = |f: &[f64]| {
        let mut y = vec![0.0; likelihood.outputs()];
        likelihood.sample(f, &mut rng, &mut y)?;
        Ok(Observed { y, width: None })
    };
    marginal.spread(DRAWS)?.chunks_exact(marginal.means().len()).map(draw).collect()
}

/// Counts, or numbers `median + s sinh t` at equal steps of t: logarithms if positive, logits for proportions.
fn between_quantiles(
    likelihood: &dyn Likelihood,
    latent: Latent,
    scratch: &mut DesignScratch,
) -> Result<Vec<Observed>, InferenceError> {
    let mut quantile = |p: f64| likelihood.predictive_quantile(&[latent], 0, p, &mut scratch.workspace);
    let (low, high) = (quantile(TAIL)?, quantile(1.0 - TAIL)?);
    let support = likelihood.support();
    if support == Support::Counts {
        return Ok(counts(low, high));
    }
    let [lower, median, upper] = [quantile(0.25)?, quantile(0.5)?, quantile(0.75)?];
    let [low, lower, median, upper, high] = [low, lower, median, upper, high].map(|y| unbounded(&support, y));
    let unit = (0.5 * (upper - lower)).max(1e-9 * (high - low)).max(f64::MIN_POSITIVE);
    let [from, to] = [low, high].map(|end| ((end - median) / unit).asinh());
    let at = |i: i32| {
        let t = from + (to - from) * f64::from(i) / f64::from(STEPS);
        let (y, slope) = bounded(&support, median + unit * t.sinh());
        Observed { y: vec![y], width: Some(slope * unit * t.cosh()) }
    };
    Ok((0..=STEPS).map(at).filter(|observed| support.contains(observed.y[0])).collect())
}

fn counts(low: f64, high: f64) -> Vec<Observed> {
    let growth = ((high - low) / SINGLE_COUNTS).max(1.0).powf(1.0 / STRETCHES) - 1.0;
    let (mut found, mut next) = (Vec::new(), low);
    while next <= high {
        let width = (growth * (next - low)).ceil().clamp(1.0, high - next + 1.0);
        found.push(Observed { y: vec![next + ((width - 1.0) / 2.0).floor()], width: Some(width) });
        next += width;
    }
    found
}

fn unbounded(support: &Support, y: f64) -> f64 {
    let near_one = 1.0 - f64::EPSILON;
    match support {
        Support::Positive => y.max(f64::MIN_POSITIVE).ln(),
        Support::UnitInterval => {
            let y = y.clamp(f64::MIN_POSITIVE, near_one);
            y.ln() - (-y).ln_1p()
        }
        _ => y,
    }
}

/// Inverse of [`unbounded`] with derivative.
fn bounded(support: &Support, x: f64) -> (f64, f64) {
    match support {
        Support::Positive => (x.exp(), x.exp()),
        Support::UnitInterval => {
            let y = 1.0 / (1.0 + (-x).exp());
            (y, y * (1.0 / (1.0 + x.exp())))
        }
        _ => (x, 1.0),
    }
}
