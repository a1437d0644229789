//! Textbook binary EP without inducing inputs (Rasmussen and Williams 2006, Algorithms 3.5 and 3.6).

use crate::data::Part;
use crate::error::ExperimentError;
use crate::methods::fitted::{Fitted, Predicted};
use faer::{Mat, MatRef};
use gp_kernels::Kernel;
use gp_likelihoods::special::{inverse_mills, log_normal_cdf, standard_normal_cdf};
use gp_linalg::{Cholesky, JitterPolicy, Threading};

/// Maximum sweeps; tolerance of log Z.
const SWEEPS: usize = 200;
const TOLERANCE: f64 = 1e-9;

/// Probit posterior for labels −1 and 1.
#[derive(Debug)]
pub struct TextbookEp<'a> {
    kernel: &'a dyn Kernel,
    training: &'a Part,
    /// Factor of B = I + S^½ K S^½.
    factor: Cholesky,
    /// τ̃
    precision: Vec<f64>,
    /// ν̃ − S^½ B⁻¹ S^½ K ν̃ = (K + S⁻¹)⁻¹ μ̃
    weights: Vec<f64>,
    log_z: f64,
    sweeps: usize,
}

impl<'a> TextbookEp<'a> {
    /// Runs sequential EP updates until log Z converges.
    ///
    /// # Errors
    /// Other labels, failed factorisation, or no convergence.
    pub fn fit(kernel: &'a dyn Kernel, training: &'a Part) -> Result<Self, ExperimentError> {
        let labels = training.labels();
        if let Some(y) = labels.iter().find(|y| y.abs() != 1.0) {
            return Err(failure(format!("{y} is neither −1 nor 1")));
        }
        let gram = gp_kernels::gram(kernel, training.inputs.as_ref())?;
        let mut state = State::new(gram);
        let mut before = f64::NEG_INFINITY;
        for sweep in 1..=SWEEPS {
            for (i, y) in labels.iter().enumerate() {
                state.update(i, *y);
            }
            let factor = state.refresh()?;
            let log_z = state.log_z(&factor, &labels)?;
            if (log_z - before).abs() <= TOLERANCE * (1.0 + log_z.abs()) {
                let weights = state.weights(&factor)?;
                let precision = state.precision;
                return Ok(Self { kernel, training, factor, precision, weights, log_z, sweeps: sweep });
            }
            before = log_z;
        }
        Err(failure(format!("sites did not converge in {SWEEPS} sweeps")))
    }

    /// Estimate of `ln p(y)` (eq. 3.65).
    #[must_use]
    pub fn log_z(&self) -> f64 {
        self.log_z
    }

    /// Number of sweeps run.
    #[must_use]
    pub fn sweeps(&self) -> usize {
        self.sweeps
    }

    /// Φ⁻¹ of the probability of label 1 (eqs. 3.60 and 3.61): m / √(1 + v).
    fn margins(&self, points: MatRef<'_, f64>) -> Result<Vec<f64>, ExperimentError> {
        let known = self.training.inputs.as_ref();
        let mut cross = gp_kernels::cross(self.kernel, known, points)?;
        let mean: Vec<f64> = (0..points.nrows())
            .map(|j| cross.col(j).iter().zip(&self.weights).map(|(k, w)| k * w).sum())
            .collect();
        for j in 0..points.nrows() {
            cross.col_mut(j).iter_mut().zip(&self.precision).for_each(|(k, tau)| *k *= tau.sqrt());
        }
        self.factor.half_solve_in_place(cross.as_mut(), Threading::Here)?;
        let prior = gp_kernels::diagonal(self.kernel, points)?;
        let margin = |j: usize| {
            let variance = prior[j] - cross.col(j).iter().map(|v| v * v).sum::<f64>();
            mean[j] / (1.0 + variance.max(0.0)).sqrt()
        };
        Ok((0..points.nrows()).map(margin).collect())
    }
}

impl Fitted for TextbookEp<'_> {
    fn predict(&self, inputs: MatRef<'_, f64>) -> Result<Predicted, ExperimentError> {
        let (margins, labels) = (self.margins(inputs)?, vec![-1.0, 1.0]);
        let p = Mat::from_fn(margins.len(), 2, |i, c| standard_normal_cdf(labels[c] * margins[i]));
        Ok(Predicted::Classes(p, labels))
    }

    fn log_densities(&self, test: &Part) -> Result<Vec<f64>, ExperimentError> {
        let margins = self.margins(test.inputs.as_ref())?;
        Ok(margins.iter().zip(test.labels()).map(|(margin, y)| log_normal_cdf(y * margin)).collect())
    }
}

/// Sites, and their posterior N(μ, Σ).
struct State {
    gram: Mat<f64>,
    /// Σ
    covariance: Mat<f64>,
    /// μ
    mean: Vec<f64>,
    /// τ̃
    precision: Vec<f64>,
    /// ν̃
    shift: Vec<f64>,
}

impl State {
    fn new(gram: Mat<f64>) -> Self {
        let count = gram.nrows();
        let zeros = || vec![0.0; count];
        Self { covariance: gram.clone(), gram, mean: zeros(), precision: zeros(), shift: zeros() }
    }

    /// τ₋ᵢ and ν₋ᵢ (eq. 3.56).
    fn cavity(&self, i: usize) -> (f64, f64) {
        let variance = self.covariance[(i, i)];
        (1.0 / variance - self.precision[i], self.mean[i] / variance - self.shift[i])
    }

    /// Updates a site, and the posterior by rank one (eqs. 3.58, 3.59 and 3.70).
    fn update(&mut self, i: usize, y: f64) {
        let (tau, nu) = self.cavity(i);
        let (mean, variance) = (nu / tau, 1.0 / tau);
        let z = y * mean / (1.0 + variance).sqrt();
        let slope = inverse_mills(z);
        let tilted_mean = mean + y * variance * slope / (1.0 + variance).sqrt();
        let tilted = variance - variance * variance * slope / (1.0 + variance) * (z + slope);
        // τ̃ ≥ 0 up to rounding, because the probit likelihood is log-concave.
        let precision = (1.0 / tilted - tau).max(0.0);
        let change = precision - self.precision[i];
        self.precision[i] = precision;
        self.shift[i] = tilted_mean / tilted - nu;
        let column: Vec<f64> = self.covariance.col(i).iter().copied().collect();
        let share = change / (1.0 + change * column[i]);
        for (j, s) in column.iter().enumerate() {
            let scale = share * s;
            self.covariance.col_mut(j).iter_mut().zip(&column).for_each(|(to, s)| *to -= scale * s);
        }
        for (j, mean) in self.mean.iter_mut().enumerate() {
            *mean = self.covariance.col(j).iter().zip(&self.shift).map(|(s, nu)| s * nu).sum();
        }
    }

    /// Recomputes Σ and μ (eqs. 3.67 and 3.68); returns B's factor.
    fn refresh(&mut self) -> Result<Cholesky, ExperimentError> {
        let count = self.gram.nrows();
        let root: Vec<f64> = self.precision.iter().map(|tau| tau.sqrt()).collect();
        let b = Mat::from_fn(count, count, |i, j| {
            f64::from(u8::from(i == j)) + root[i] * self.gram[(i, j)] * root[j]
        });
        let factor = Cholesky::factor(b.as_ref(), &JitterPolicy::default())?;
        let mut half = Mat::from_fn(count, count, |i, j| root[i] * self.gram[(i, j)]);
        factor.half_solve_in_place(half.as_mut(), Threading::Here)?;
        let columns: Vec<Vec<f64>> = (0..count).map(|j| half.col(j).iter().copied().collect()).collect();
        let dot = |i: usize, j: usize| columns[i].iter().zip(&columns[j]).map(|(a, b)| a * b).sum::<f64>();
        for j in 0..count {
            for i in j..count {
                let value = self.gram[(i, j)] - dot(i, j);
                (self.covariance[(i, j)], self.covariance[(j, i)]) = (value, value);
            }
        }
        for (j, mean) in self.mean.iter_mut().enumerate() {
            *mean = self.covariance.col(j).iter().zip(&self.shift).map(|(s, nu)| s * nu).sum();
        }
        Ok(factor)
    }

    /// ν̃ − S^½ B⁻¹ S^½ K ν̃.
    fn weights(&self, factor: &Cholesky) -> Result<Vec<f64>, ExperimentError> {
        let count = self.gram.nrows();
        let row = |i: usize| self.gram.col(i).iter().zip(&self.shift).map(|(k, nu)| k * nu).sum::<f64>();
        let mut z = Mat::from_fn(count, 1, |i, _| self.precision[i].sqrt() * row(i));
        factor.solve_in_place(z.as_mut(), Threading::Here)?;
        Ok((0..count).map(|i| self.shift[i] - self.precision[i].sqrt() * z[(i, 0)]).collect())
    }

    /// Log Z (eqs. 3.65, 3.73 and 3.74), without division by τ̃, which may be 0.
    fn log_z(&self, factor: &Cholesky, labels: &[f64]) -> Result<f64, ExperimentError> {
        let weights = self.weights(factor)?;
        // ½ ν̃ᵀ Σ ν̃ with Σ ν̃ = μ = K (ν̃ − S^½ B⁻¹ S^½ K ν̃).
        let predicted = |i: usize| self.gram.col(i).iter().zip(&weights).map(|(k, w)| k * w).sum::<f64>();
        let mut log_z = -0.5 * factor.log_det();
        for (i, y) in labels.iter().enumerate() {
            let ((tau, nu), site, shift) = (self.cavity(i), self.precision[i], self.shift[i]);
            let (mean, variance) = (nu / tau, 1.0 / tau);
            log_z += log_normal_cdf(y * mean / (1.0 + variance).sqrt());
            log_z += 0.5 * (1.0 + site / tau).ln() + 0.5 * shift * predicted(i);
            // −½ ν̃² / (τ₋ + τ̃) + ½ μ₋ τ₋ (τ̃ μ₋ − 2 ν̃) / (τ₋ + τ̃)
            log_z += 0.5 * (mean * tau * (site * mean - 2.0 * shift) - shift * shift) / (tau + site);
        }
        Ok(log_z)
    }
}

fn failure(what: String) -> ExperimentError {
    ExperimentError::Baseline { method: "textbook EP", what }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(count: usize, seed: f64) -> Part {
        let inputs = Mat::from_fn(count, 2, |i, d| 1.5 * ((3.0 + seed) * i as f64 + 5.0 * d as f64).sin());
        let targets = Mat::from_fn(count, 1, |i, _| {
            if inputs[(i, 0)] + 0.5 * (7.0 * i as f64).sin() > 0.0 { 1.0 } else { -1.0 }
        });
        Part { inputs, targets }
    }

    /// One observation: p(y) = ½ for any kernel, and EP gives the exact moments.
    #[test]
    fn one_observation_is_exact() {
        let kernel = gp_kernels::parse("3 * rbf(lengthscale=1)").unwrap();
        let training = Part { inputs: Mat::zeros(1, 1), targets: Mat::full(1, 1, 1.0) };
        let found = TextbookEp::fit(kernel.as_ref(), &training).unwrap();
        assert!((found.log_z() - 0.5f64.ln()).abs() < 1e-12, "{}", found.log_z());
        // p(y* = 1 | y = 1) at the same point, by sums over a fine grid: Φ(f)² N(f; 0, 3) over Φ(f) N(f; 0, 3).
        let (mut two, mut one) = (0.0, 0.0);
        for k in -20_000..=20_000 {
            let f = f64::from(k) * 1e-3;
            let weight = (-f * f / 6.0).exp() * standard_normal_cdf(f);
            (one, two) = (one + weight, two + weight * standard_normal_cdf(f));
        }
        let Predicted::Classes(p, _) = found.predict(training.inputs.as_ref()).unwrap() else {
            panic!("labels are predicted by their probabilities")
        };
        let p = p[(0, 1)];
        // Mean and variance are exact, but the prediction assumes a Gaussian posterior.
        assert!((p - two / one).abs() < 0.01, "{p} and {}", two / one);
    }

    #[test]
    fn observations_far_apart_do_not_see_each_other() {
        let kernel = gp_kernels::parse("2 * rbf(lengthscale=0.1)").unwrap();
        let inputs = Mat::from_fn(3, 1, |i, _| 100.0 * i as f64);
        let targets = Mat::from_fn(3, 1, |i, _| if i == 1 { -1.0 } else { 1.0 });
        let training = Part { inputs, targets };
        let found = TextbookEp::fit(kernel.as_ref(), &training).unwrap();
        assert!((found.log_z() - 3.0 * 0.5f64.ln()).abs() < 1e-12);
        assert_eq!(found.log_densities(&training).unwrap().len(), 3);
    }

    /// Exactly, p(y) = ¼ + arcsin(ρ)/2π with ρ the correlation of f + ε.
    #[test]
    fn two_labels_have_nearly_their_probability() {
        let kernel = gp_kernels::parse("4 * rbf(lengthscale=1)").unwrap();
        let inputs = Mat::from_fn(2, 1, |i, _| 0.5 * i as f64);
        let covariance = 4.0 * (-0.125f64).exp();
        for sign in [1.0, -1.0] {
            let targets = Mat::from_fn(2, 1, |i, _| if i == 0 { 1.0 } else { sign });
            let training = Part { inputs: inputs.clone(), targets };
            let found = TextbookEp::fit(kernel.as_ref(), &training).unwrap();
            let exact = (0.25 + sign * (covariance / 5.0).asin() / std::f64::consts::TAU).ln();
            assert!((found.log_z() - exact).abs() < 0.02, "{} and {exact}", found.log_z());
        }
    }

    #[test]
    fn power_ep_with_inducing_inputs_at_the_data_is_the_same() {
        use crate::methods::scores;
        use gp_ep::{BatchEp, EpOptions, PowerEp, SparseProcess, Table};
        use gp_kernels::inducing::InducingInputs;
        let (training, test) = (part(25, 0.0), part(40, 0.7));
        let kernel = gp_kernels::parse("2 * rbf(lengthscale=0.9)").unwrap();
        let found = TextbookEp::fit(kernel.as_ref(), &training).unwrap();
        let inputs = InducingInputs::points(training.inputs.as_ref()).unwrap();
        let process = SparseProcess::new(kernel.clone(), inputs).unwrap();
        let model = PowerEp::new(vec![process], Box::new(gp_likelihoods::BernoulliProbit)).unwrap();
        let labels = training.labels();
        let data = Table::with_targets(training.inputs.as_ref(), &labels).unwrap();
        let mut state = BatchEp::new(&model, &data).unwrap();
        state
            .converge(&model, &EpOptions { tolerance: 1e-10, log_z_tolerance: 1e-12, ..EpOptions::default() })
            .unwrap();
        let log_z = state.log_z(&model).unwrap();
        assert!((found.log_z() - log_z).abs() < 1e-6, "{} and {log_z}", found.log_z());
        let nll = |fitted: &dyn Fitted| scores::of_labels(fitted, &test, 0.0).unwrap().scores["nll"];
        let (ours, theirs) = (nll(&found), nll(&state.predictor(&model).unwrap()));
        assert!((ours - theirs).abs() < 1e-6, "{ours} and {theirs}");
        assert!(found.sweeps() > 2);
    }

    #[test]
    fn other_labels_are_refused() {
        let kernel = gp_kernels::parse("rbf").unwrap();
        let training = Part { inputs: Mat::zeros(1, 1), targets: Mat::full(1, 1, 2.0) };
        assert!(
            TextbookEp::fit(kernel.as_ref(), &training).unwrap_err().to_string().contains("2 is neither")
        );
    }
}
