//! Bayesian linear regression.

use crate::data::Part;
use crate::error::ExperimentError;
use crate::methods::fitted::{Fitted, Predicted};
use faer::{Accum, Mat, MatRef};
use gp_linalg::{Cholesky, JitterPolicy, Threading, product};

/// Maximum iterations, and relative change at convergence.
const ROUNDS: usize = 200;
const TOLERANCE: f64 = 1e-8;

/// `y = w·x + b + ε`, standard normal weights, noise variance of maximum evidence.
#[derive(Clone, Debug)]
pub struct BayesianLinear {
    /// Posterior mean weights, intercept last.
    mean: Mat<f64>,
    /// Factor of σ² times the posterior precision.
    factor: Cholesky,
    noise: f64,
}

impl BayesianLinear {
    /// Iterates σ² = |y − Xw|² / (N − γ), with γ well-determined weights, until the evidence is stationary.
    ///
    /// # Errors
    /// Failed factorisation.
    pub fn fit(training: &Part) -> Result<Self, ExperimentError> {
        let (count, x) = (training.len(), extended(training.inputs.as_ref()));
        let (y, width) = (training.targets.as_ref().subcols(0, 1), x.ncols());
        let (mut gram, mut cross) = (Mat::zeros(width, width), Mat::zeros(width, 1));
        product::matmul(gram.as_mut(), Accum::Replace, x.transpose(), x.as_ref(), 1.0, Threading::Here)?;
        product::matmul(cross.as_mut(), Accum::Replace, x.transpose(), y, 1.0, Threading::Here)?;
        let mut noise = y.col(0).iter().map(|y| y * y).sum::<f64>() / count as f64;
        for _ in 0..ROUNDS {
            let (mean, factor) = condition(&gram, &cross, noise)?;
            let mut predicted = Mat::zeros(count, 1);
            product::matmul(
                predicted.as_mut(),
                Accum::Replace,
                x.as_ref(),
                mean.as_ref(),
                1.0,
                Threading::Here,
            )?;
            let misfit: f64 =
                y.col(0).iter().zip(predicted.col(0).iter()).map(|(y, f)| (y - f).powi(2)).sum();
            // γ = tr (A⁻¹ XᵀX) with A = XᵀX + σ² I.
            let mut solved = gram.clone();
            factor.solve_in_place(solved.as_mut(), Threading::Here)?;
            let determined: f64 = (0..width).map(|d| solved[(d, d)]).sum();
            let next = misfit / (count as f64 - determined).max(1.0);
            let converged = (next - noise).abs() <= TOLERANCE * noise;
            noise = next.max(f64::MIN_POSITIVE);
            if converged {
                break;
            }
        }
        let (mean, factor) = condition(&gram, &cross, noise)?;
        Ok(Self { mean, factor, noise })
    }

    /// Noise variance.
    #[must_use]
    pub fn noise(&self) -> f64 {
        self.noise
    }
}

impl Fitted for BayesianLinear {
    fn predict(&self, inputs: MatRef<'_, f64>) -> Result<Predicted, ExperimentError> {
        let x = extended(inputs);
        let mut means = Mat::zeros(x.nrows(), 1);
        let threads = Threading::Here;
        product::matmul(means.as_mut(), Accum::Replace, x.as_ref(), self.mean.as_ref(), 1.0, threads)?;
        let mut solved = x.transpose().to_owned();
        self.factor.half_solve_in_place(solved.as_mut(), threads)?;
        let variance = |i: usize| self.noise * (1.0 + solved.col(i).iter().map(|v| v * v).sum::<f64>());
        Ok(Predicted::Numbers((0..x.nrows()).map(|i| (means[(i, 0)], variance(i))).collect()))
    }
}

/// `A = XᵀX + σ² I = L Lᵀ`, and the mean `A⁻¹ Xᵀy`.
fn condition(gram: &Mat<f64>, cross: &Mat<f64>, noise: f64) -> Result<(Mat<f64>, Cholesky), ExperimentError> {
    let mut precision = gram.clone();
    (0..precision.nrows()).for_each(|d| precision[(d, d)] += noise);
    let factor = Cholesky::factor(precision.as_ref(), &JitterPolicy::default())?;
    let mut mean = cross.clone();
    factor.solve_in_place(mean.as_mut(), Threading::Here)?;
    Ok((mean, factor))
}

fn extended(inputs: MatRef<'_, f64>) -> Mat<f64> {
    let dim = inputs.ncols();
    Mat::from_fn(inputs.nrows(), dim + 1, |i, d| if d < dim { inputs[(i, d)] } else { 1.0 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use gp_ep::exact::ExactWorkspace;
    use gp_ep::{ClosedEvidence as _, ExactGp, Inference as _, Observations};
    use gp_likelihoods::Gaussian;

    fn part(count: usize) -> Part {
        let inputs = Mat::from_fn(count, 2, |i, d| ((3 * i + 5 * d) as f64).sin());
        let targets = Mat::from_fn(count, 1, |i, _| {
            0.7 * inputs[(i, 0)] - 1.2 * inputs[(i, 1)] + 0.3 + 0.2 * (17.0 * i as f64).cos()
        });
        Part { inputs, targets }
    }

    #[test]
    fn predictions_are_those_of_a_process_with_a_linear_kernel() {
        let training = part(30);
        let found = BayesianLinear::fit(&training).unwrap();
        let kernel = gp_kernels::parse("linear(lengthscale=1) + constant(variance=1)").unwrap();
        let labels = training.labels();
        let data = Observations::new(training.inputs.as_ref(), &labels).unwrap();
        let process = ExactGp::new(kernel, Gaussian::new(found.noise()).unwrap());
        let test = part(45);
        let expected = process.posterior(&data).unwrap().moments(test.inputs.as_ref()).unwrap();
        let Predicted::Numbers(predicted) = found.predict(test.inputs.as_ref()).unwrap() else {
            panic!("labels")
        };
        for (i, (mean, variance)) in predicted.into_iter().enumerate() {
            assert!((mean - expected[i].mean).abs() < 1e-9);
            assert!((variance - expected[i].variance).abs() < 1e-9);
        }
    }

    #[test]
    fn the_noise_is_a_maximum_of_the_evidence() {
        let training = part(30);
        let found = BayesianLinear::fit(&training).unwrap();
        let labels = training.labels();
        let evidence = |noise: f64| {
            let kernel = gp_kernels::parse("linear(lengthscale=1) + constant(variance=1)").unwrap();
            let data = Observations::new(training.inputs.as_ref(), &labels).unwrap();
            let model = ExactGp::new(kernel, Gaussian::new(noise).unwrap());
            model.log_marginal_likelihood(&data, &mut ExactWorkspace::new(Threading::Here)).unwrap()
        };
        let top = evidence(found.noise());
        assert!(top > evidence(0.99 * found.noise()) && top > evidence(1.01 * found.noise()));
    }
}
