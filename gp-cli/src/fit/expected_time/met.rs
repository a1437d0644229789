//! Beliefs and parameters typical of training.

use crate::error::CliError;
use gp_likelihoods::{Latent, LatentDerivatives, Likelihood, Pieces as _, Support, Workspace};

/// Belief variance relative to the prior's; wider beliefs slow count integrals.
const VARIANCE: f64 = 0.05;
/// Squared heavy-tail scale over target variance; narrow densities integrate slower.
const LEARNED_SCALE: f64 = 0.03;
/// Minimum scale over its least value; excludes degrees of freedom.
const IS_SCALE: f64 = 1e3;

/// Heavy-tailed scales typical of training.
pub(super) fn likelihood(initial: &dyn Likelihood) -> Result<Box<dyn Likelihood>, CliError> {
    let mut learned = initial.clone_box();
    if initial.support() != Support::Real {
        return Ok(learned);
    }
    let least = initial.least_values(1.0);
    for parameter in learned.parameters_mut() {
        let Some((_, least)) = least.iter().find(|(name, _)| *name == parameter.name()) else { continue };
        let is_free = parameter.free_len() == parameter.len();
        let values: Vec<f64> = parameter.values().iter().map(|value| LEARNED_SCALE * value).collect();
        if is_free && values.iter().all(|value| *value > IS_SCALE * least) {
            parameter.set_values(&values)?;
        }
    }
    Ok(learned)
}

/// Latent beliefs after one observation.
pub(super) fn beliefs(likelihood: &dyn Likelihood, y: &[f64]) -> Result<Vec<Latent>, CliError> {
    let prior = Latent::new(0.0, 1.0)?;
    let mut means = vec![0.0; likelihood.latents()];
    let (mut ws, mut slopes) = (Workspace::default(), LatentDerivatives::default());
    for piece in 0..likelihood.piece_count() {
        let count = likelihood.touched_count(piece);
        let q = vec![prior; count];
        // Likelihoods without integrals keep the prior mean.
        if likelihood.is_sampled()
            || likelihood.tilted_piece(y, piece, &q, 1.0, &mut ws, &mut slopes).is_err()
        {
            continue;
        }
        for (slot, step) in slopes.by_mean.iter().enumerate().filter(|(_, step)| step.is_finite()) {
            means[likelihood.touched_latent(y, piece, slot)] += step;
        }
    }
    Ok(means.into_iter().map(|mean| Latent::new(mean, VARIANCE)).collect::<Result<_, _>>()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parameters(text: &str) -> Vec<f64> {
        let likelihood = likelihood(gp_likelihoods::parse(text).unwrap().as_ref()).unwrap();
        likelihood.parameters().iter().flat_map(|parameter| parameter.values().to_vec()).collect()
    }

    #[test]
    fn only_free_scales_of_heavy_tails_shrink() {
        assert_eq!(parameters("student_t(scale=1, dof=4)"), [LEARNED_SCALE, 4.0]);
        assert_eq!(parameters("student_t(scale=fixed(1), dof=4)"), [1.0, 4.0]);
        assert_eq!(parameters("gaussian(variance=2)"), [2.0]);
    }

    #[test]
    fn observations_move_beliefs() {
        let mean = |text: &str, y: f64| {
            beliefs(gp_likelihoods::parse(text).unwrap().as_ref(), &[y]).unwrap()[0].mean()
        };
        assert!(mean("poisson", 20.0) > 1.5 && mean("poisson", 0.0) < 0.0);
        assert!(mean("bernoulli_probit", -1.0) < 0.0);
        let [near, far] = [0.5, 100.0].map(|y| mean("student_t(scale=0.1, dof=4)", y));
        assert!(near > 0.4 && far.abs() < 0.5, "{near} {far}");
        let classes =
            beliefs(gp_likelihoods::parse("multiclass_probit(classes=3)").unwrap().as_ref(), &[2.0]);
        let means: Vec<f64> = classes.unwrap().iter().map(|belief| belief.mean()).collect();
        assert!(means[2] > 0.0 && means[0] < 0.0 && means[1] < 0.0, "{means:?}");
    }
}
