//! Observations that stand for all that may come.

use super::Scratch;
use super::marginal::Marginal;
use crate::error::InferenceError;
use gp_likelihoods::{Latent, Likelihood, Support};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// Probability beyond the outermost observations on either side.
const TAIL: f64 = 1e-6;
/// Steps between the outermost numbers, and counts between them at most.
const STEPS: i32 = 64;
const COUNTS: f64 = 128.0;
/// Observations that are drawn, where they are of several latent values or have several outputs.
const DRAWS: usize = 128;

/// One observation.
pub(super) struct Observed {
    pub(super) y: Vec<f64>,
    /// The width of what it stands for: its share is this times its density. Drawn ones have equal shares, and none.
    pub(super) width: Option<f64>,
}

/// Every label; counts and numbers between far quantiles of the predictive distribution of one latent value; or
/// observations that are drawn, the same ones for the same beliefs.
pub(super) fn observations(
    likelihood: &dyn Likelihood,
    marginal: &Marginal,
    scratch: &mut Scratch,
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

/// Numbers that are dense about the median and far apart in the tails, `median + s sinh t` for t in equal steps; or counts,
/// every so many.
fn between_quantiles(
    likelihood: &dyn Likelihood,
    latent: Latent,
    scratch: &mut Scratch,
) -> Result<Vec<Observed>, InferenceError> {
    let mut quantile = |p: f64| likelihood.predictive_quantile(&[latent], 0, p, &mut scratch.workspace);
    let (low, high) = (quantile(TAIL)?, quantile(1.0 - TAIL)?);
    let support = likelihood.support();
    if support == Support::Counts {
        let step = ((high - low + 1.0) / COUNTS).ceil().max(1.0);
        let count = ((high - low) / step).floor() as usize + 1;
        let at = |i: usize| Observed { y: vec![low + step * i as f64], width: Some(step) };
        return Ok((0..count).map(at).collect());
    }
    let (lower, median, upper) = (quantile(0.25)?, quantile(0.5)?, quantile(0.75)?);
    let unit = (0.5 * (upper - lower)).max(1e-9 * (high - low)).max(f64::MIN_POSITIVE);
    let [from, to] = [low, high].map(|end| ((end - median) / unit).asinh());
    let at = |i: i32| {
        let t = from + (to - from) * f64::from(i) / f64::from(STEPS);
        Observed { y: vec![median + unit * t.sinh()], width: Some(unit * t.cosh()) }
    };
    Ok((0..=STEPS).map(at).filter(|observed| support.contains(observed.y[0])).collect())
}
