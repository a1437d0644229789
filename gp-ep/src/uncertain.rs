//! Predictions with uncertain parameters.
//!
//! Laplace's approximation `N(θ̂, A⁻¹)` at the optimum in free coordinates, such as logarithms,
//! `A = −∂²ln p(y, θ)/∂θ² + I/s²`; s keeps uninformed directions within a factor of e^s. Predictions average K draws,
//! weighted by `p(y, θ) N(θ; θ̂, s² I) / N(θ; θ̂, A⁻¹)`, truncated at √K times the mean (Ionides 2008).

use crate::column::column_mut;
use crate::error::InferenceError;
use crate::posterior::Predictor;
use faer::Mat;
use gp_kernels::data::DataError;
use gp_kernels::posterior::{LatentPosterior, MixturePosterior};
use gp_likelihoods::{Gaussian, Likelihood};
use gp_linalg::{Cholesky, JitterPolicy, Threading};
use gp_optim::{Control, ParameterSetMut};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

/// Difference step, in free coordinates.
const STEP: f64 = 1e-3;
/// First value added to the diagonal, relative to its maximum; later ones grow tenfold.
const FIRST_ADDED: f64 = 1e-6;
const MAX_ADDED: f64 = 1e3;
/// Largest deviation of draws, in prior widths.
const WIDEST: f64 = 2.0;

/// Options of parameter draws.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ParameterDraws {
    /// Opposite pairs of draws, besides the optimum.
    pub pairs: usize,
    /// Prior width s in free coordinates, such as logarithms.
    pub width: f64,
    /// Random seed.
    pub seed: u64,
    /// Time limit and interrupt; earlier draws are kept.
    pub control: Control,
}

impl Default for ParameterDraws {
    /// Twenty pairs, width 2.
    fn default() -> Self {
        Self { pairs: 20, width: 2.0, seed: 0, control: Control::default() }
    }
}

/// Model, and `ln N(θ; θ̂, s² I) − ln N(θ; θ̂, A⁻¹)` up to a constant.
struct Drawn<M> {
    model: M,
    log_ratio: f64,
}

pub(crate) type Conditioned<P> = Result<(f64, Predictor<MixturePosterior<P>>), InferenceError>;

/// Mixture of predictions at drawn parameters, the optimum first. `gradient`: `ln p(y)` with natural derivatives,
/// without priors. Components share the optimum's likelihood, with mean Gaussian noise.
///
/// Failing draws are omitted. Errors: of the model at and next to the optimum; [`DataError::Stopped`] before the first
/// draw.
pub(crate) fn over_parameters<M, P, S>(
    model: &M,
    how: &ParameterDraws,
    state: &mut S,
    gradient: impl Fn(&M, &mut S, &mut [f64]) -> Result<f64, InferenceError>,
    condition: impl Fn(&M, &mut S) -> Conditioned<P>,
) -> Result<Predictor<MixturePosterior<P>>, InferenceError>
where
    M: ParameterSetMut + Clone,
    P: LatentPosterior + Clone,
{
    let control = how.control.begun();
    let (log_evidence, optimum) = condition(model, state)?;
    if model.free_count() == 0 {
        return Ok(optimum);
    }
    let factor = precision(model, how.width, &control, |model, out| gradient(model, state, out))?;
    let mut log_weights = vec![log_evidence + model.log_prior()];
    let mut variances: Vec<f64> = variance(&optimum).into_iter().collect();
    let mut parts = optimum.functions().parts().to_vec();
    for Drawn { model, log_ratio } in draws(model, how, &factor)? {
        if control.wants_end() {
            break;
        }
        let Ok((log_evidence, predictor)) = condition(&model, state) else { continue };
        log_weights.push(log_evidence + model.log_prior() + log_ratio);
        variances.extend(variance(&predictor));
        parts.extend(predictor.functions().parts().iter().cloned());
    }
    let weights = truncated_weights(&log_weights);
    let mut likelihood = optimum.likelihood().clone_box();
    if !variances.is_empty() {
        set_mean(likelihood.as_mut(), &variances, &weights)?;
    }
    Predictor::new(MixturePosterior::new(weights, parts)?, likelihood, Threading::Pool)
}

fn variance<P: LatentPosterior>(predictor: &Predictor<MixturePosterior<P>>) -> Option<f64> {
    predictor.likelihood().gaussian_noise().map(Gaussian::variance)
}

/// Sets Gaussian noise, unless fixed, to the weighted mean.
fn set_mean(noise: &mut dyn Likelihood, variances: &[f64], weights: &[f64]) -> Result<(), InferenceError> {
    let mean: f64 = weights.iter().zip(variances).map(|(weight, variance)| weight * variance).sum();
    // Rounding could take the mean below all variances, past a bound.
    let least = variances.iter().copied().fold(f64::INFINITY, f64::min);
    let mean = mean.max(least);
    for parameter in noise.parameters_mut().iter_mut().filter(|parameter| parameter.free_len() > 0) {
        parameter.set_values(&[mean])?;
    }
    Ok(())
}

fn precision<M: ParameterSetMut + Clone>(
    model: &M,
    width: f64,
    control: &Control,
    mut gradient: impl FnMut(&M, &mut [f64]) -> Result<f64, InferenceError>,
) -> Result<Cholesky, InferenceError> {
    let (free, mut trial) = (model.free_count(), model.clone());
    let (mut natural, mut centre) = (vec![0.0; model.parameter_count()], vec![0.0; free]);
    model.write_free(&mut centre)?;
    let mut slope = |x: &[f64]| -> Result<Vec<f64>, InferenceError> {
        trial.set_free(x)?;
        gradient(&trial, &mut natural)?;
        trial.add_log_prior_gradient(&mut natural)?;
        let mut slope = vec![0.0; free];
        trial.chain_gradient(&natural, &mut slope)?;
        Ok(slope)
    };
    let mut precision = Mat::zeros(free, free);
    for j in 0..free {
        if control.wants_end() {
            return Err(DataError::Stopped.into());
        }
        let mut beside = |step: f64| {
            let mut x = centre.clone();
            x[j] += step;
            slope(&x)
        };
        let (above, below) = (beside(STEP)?, beside(-STEP)?);
        for i in 0..free {
            let half = -(above[i] - below[i]) / (4.0 * STEP);
            precision[(i, j)] += half;
            precision[(j, i)] += half;
        }
        precision[(j, j)] += width.powi(-2);
    }
    positive(&precision, (WIDEST * width).powi(-2))
}

/// Factor, diagonal raised until eigenvalues reach `least`: near-zero ones make draws arbitrarily wide.
fn positive(matrix: &Mat<f64>, least: f64) -> Result<Cholesky, InferenceError> {
    let largest = (0..matrix.nrows()).map(|i| matrix[(i, i)].abs()).fold(0.0, f64::max);
    let factor = |added: f64| {
        let mut trial = matrix.clone();
        (0..trial.nrows()).for_each(|i| trial[(i, i)] += added);
        Cholesky::factor(trial.as_ref(), &JitterPolicy::none())
    };
    let mut added = 0.0;
    while factor(added * largest - least).is_err() && added < MAX_ADDED {
        added = (added * 10.0).max(FIRST_ADDED);
    }
    Ok(factor(added * largest)?)
}

fn draws<M: ParameterSetMut + Clone>(
    model: &M,
    how: &ParameterDraws,
    factor: &Cholesky,
) -> Result<Vec<Drawn<M>>, InferenceError> {
    let mut centre = vec![0.0; model.free_count()];
    model.write_free(&mut centre)?;
    let mut rng = ChaCha8Rng::seed_from_u64(how.seed);
    let mut drawn = Vec::new();
    for _ in 0..how.pairs {
        let mut apart: Vec<f64> = centre.iter().map(|_| StandardNormal.sample(&mut rng)).collect();
        let of_gaussian = 0.5 * apart.iter().map(|z: &f64| z * z).sum::<f64>();
        // θ − θ̂ = L⁻ᵀ z has the covariance A⁻¹ of A = L Lᵀ.
        factor.half_solve_transpose_in_place(column_mut(&mut apart), Threading::Here)?;
        let of_width = 0.5 * apart.iter().map(|d| (d / how.width).powi(2)).sum::<f64>();
        for side in [1.0, -1.0] {
            let x: Vec<f64> =
                centre.iter().zip(&apart).map(|(centre, apart)| centre + side * apart).collect();
            let mut other = model.clone();
            // Omits draws beyond bounds.
            if other.set_free(&x).is_ok() {
                drawn.push(Drawn { model: other, log_ratio: of_gaussian - of_width });
            }
        }
    }
    Ok(drawn)
}

/// Normalised exponentials, truncated at √K times their mean.
fn truncated_weights(log_weights: &[f64]) -> Vec<f64> {
    let largest = log_weights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut weights: Vec<f64> = log_weights.iter().map(|log| (log - largest).exp()).collect();
    let count = weights.len() as f64;
    let most = weights.iter().sum::<f64>() / count * count.sqrt();
    weights.iter_mut().for_each(|weight| *weight = weight.min(most));
    let sum: f64 = weights.iter().sum();
    weights.iter_mut().for_each(|weight| *weight /= sum);
    weights
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_weight_is_more_than_its_share() {
        let equal = truncated_weights(&[-1e5; 4]);
        assert_eq!(equal, [0.25; 4]);
        // One of four has all the weight: truncated at √4/4 of the sum, then normalised to 1.
        let one = truncated_weights(&[0.0, -50.0, -60.0, f64::NEG_INFINITY]);
        assert!((one[0] - 1.0).abs() < 1e-15 && one[3] == 0.0);
        let two = truncated_weights(&[0.0, (0.1_f64).ln(), (0.1_f64).ln(), (0.1_f64).ln()]);
        // Sum 1.3, mean 0.325, so at most 0.65.
        assert!((two[0] - 0.65 / 0.95).abs() < 1e-15, "{two:?}");
    }

    /// Weights whose sum is rounded.
    #[test]
    fn the_mean_of_equal_variances_at_a_bound_is_not_beyond_it() {
        let at_bound = 1e-9f64.next_up();
        let mut noise = gp_likelihoods::parse("gaussian(variance=1 in [1e-9, none])").unwrap();
        set_mean(noise.as_mut(), &[at_bound, at_bound], &[0.5, 0.5 - 1e-15]).unwrap();
        assert_eq!(noise.parameters()[0].value(), at_bound);
    }

    #[test]
    fn a_matrix_that_curves_the_wrong_way_is_bent() {
        let matrix = Mat::from_fn(2, 2, |i, j| if i == j { [2.0, -0.5][i] } else { 0.0 });
        let factor = positive(&matrix, 0.1).unwrap();
        assert!(factor.log_det().is_finite());
    }

    /// Curvature that nearly cancels the prior's.
    #[test]
    fn no_draw_is_much_wider_than_the_prior() {
        for smallest in [-0.5, -1e-6, 0.0, 1e-12, 0.05] {
            let matrix = Mat::from_fn(2, 2, |i, j| if i == j { [20.0, smallest][i] } else { 0.0 });
            let factor = positive(&matrix, 0.1).unwrap();
            let narrowest = factor.l()[(1, 1)].powi(2);
            assert!(narrowest >= 0.1, "{smallest}: {narrowest}");
        }
        // A matrix whose eigenvalues suffice is unchanged.
        let matrix = Mat::from_fn(2, 2, |i, j| if i == j { [20.0, 0.2][i] } else { 0.0 });
        let found = positive(&matrix, 0.1).unwrap().l()[(1, 1)];
        assert!((found - 0.2f64.sqrt()).abs() < 1e-15, "{found}");
    }
}
