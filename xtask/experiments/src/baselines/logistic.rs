//! Multi-class logistic regression.

use crate::data::Part;
use crate::error::ExperimentError;
use crate::methods::fitted::{Fitted, Predicted};
use faer::{Accum, Mat, MatRef, RowRef};
use gp_linalg::{LinalgError, Threading, product};
use gp_optim::{MinimiseOptions, minimise};

const BLOCK: usize = 4096;

/// `p(y = c | x) ∝ exp(w_c·x + b_c)` with a Gaussian prior on weights.
#[derive(Clone, Debug)]
pub struct Logistic {
    /// Weights, (D + 1)×C, intercepts last.
    weights: Mat<f64>,
    labels: Vec<f64>,
}

impl Logistic {
    /// Most probable weights under a prior `precision` (not for intercepts); `labels` are class targets.
    ///
    /// # Errors
    /// Target outside `labels`, or failed optimisation.
    pub fn fit(training: &Part, labels: &[f64], precision: f64) -> Result<Self, ExperimentError> {
        let classes = classes_of(training, labels)?;
        let (rows, columns) = (training.dim() + 1, labels.len());
        let mut buffers = Buffers::new(rows, columns);
        let objective = |w: &[f64], gradient: &mut [f64]| {
            let weights = MatRef::from_column_major_slice(w, rows, columns);
            buffers.value_and_gradient(&training.inputs, &classes, weights, precision, gradient)
        };
        let options = MinimiseOptions { max_iterations: 500, ..MinimiseOptions::default() };
        let found = minimise(objective, &vec![0.0; rows * columns], &options)?;
        let weights = MatRef::from_column_major_slice(&found.x, rows, columns).to_owned();
        Ok(Self { weights, labels: labels.to_vec() })
    }

    fn log_probabilities(&self, inputs: MatRef<'_, f64>) -> Result<Mat<f64>, ExperimentError> {
        let mut all = Mat::zeros(inputs.nrows(), self.labels.len());
        let (dim, weights) = (inputs.ncols(), self.weights.as_ref());
        for class in 0..self.labels.len() {
            all.col_mut(class).fill(weights[(dim, class)]);
        }
        let slopes = weights.subrows(0, dim);
        product::matmul(all.as_mut(), Accum::Add, inputs, slopes, 1.0, Threading::Here)?;
        for row in all.row_iter_mut() {
            let total = log_sum_exp(row.as_ref());
            row.iter_mut().for_each(|value| *value -= total);
        }
        Ok(all)
    }
}

impl Fitted for Logistic {
    fn predict(&self, inputs: MatRef<'_, f64>) -> Result<Predicted, ExperimentError> {
        let mut all = self.log_probabilities(inputs)?;
        all.col_iter_mut().for_each(|column| column.iter_mut().for_each(|value| *value = value.exp()));
        Ok(Predicted::Classes(all, self.labels.clone()))
    }

    fn log_densities(&self, test: &Part) -> Result<Vec<f64>, ExperimentError> {
        let (all, classes) = (self.log_probabilities(test.inputs.as_ref())?, classes_of(test, &self.labels)?);
        Ok(classes.iter().enumerate().map(|(i, class)| all[(i, *class)]).collect())
    }
}

struct Buffers {
    /// BLOCK×C: scores, then probabilities minus indicators.
    scores: Mat<f64>,
    /// (D + 1)×C.
    gradient: Mat<f64>,
}

impl Buffers {
    fn new(rows: usize, columns: usize) -> Self {
        Self { scores: Mat::zeros(BLOCK, columns), gradient: Mat::zeros(rows, columns) }
    }

    fn value_and_gradient(
        &mut self,
        inputs: &Mat<f64>,
        classes: &[usize],
        weights: MatRef<'_, f64>,
        precision: f64,
        gradient: &mut [f64],
    ) -> Result<f64, LinalgError> {
        let (count, dim) = (inputs.nrows(), inputs.ncols());
        let slopes = weights.subrows(0, dim);
        self.gradient.fill(0.0);
        let mut value = 0.0;
        for first in (0..count).step_by(BLOCK) {
            let rows = BLOCK.min(count - first);
            let x = inputs.as_ref().subrows(first, rows);
            let mut scores = self.scores.as_mut().subrows_mut(0, rows);
            for class in 0..weights.ncols() {
                scores.as_mut().col_mut(class).fill(weights[(dim, class)]);
            }
            product::matmul(scores.as_mut(), Accum::Add, x, slopes, 1.0, Threading::Here)?;
            for (mut row, &class) in scores.as_mut().row_iter_mut().zip(&classes[first..]) {
                let total = log_sum_exp(row.as_ref());
                value += total - row[class];
                row.as_mut().iter_mut().for_each(|score| *score = (*score - total).exp());
                row[class] -= 1.0;
            }
            let sums = self.gradient.as_mut();
            let (upper, mut last) = sums.split_at_row_mut(dim);
            product::matmul(upper, Accum::Add, x.transpose(), scores.as_ref(), 1.0, Threading::Here)?;
            for class in 0..weights.ncols() {
                last[(0, class)] += scores.as_ref().col(class).iter().sum::<f64>();
            }
        }
        let scale = 1.0 / count as f64;
        for class in 0..weights.ncols() {
            for d in 0..=dim {
                let prior = if d < dim { precision * weights[(d, class)] } else { 0.0 };
                value += 0.5 * prior * weights[(d, class)];
                gradient[class * (dim + 1) + d] = scale * (self.gradient[(d, class)] + prior);
            }
        }
        Ok(scale * value)
    }
}

fn classes_of(part: &Part, labels: &[f64]) -> Result<Vec<usize>, ExperimentError> {
    let class = |y: &f64| {
        labels.iter().position(|label| label == y).ok_or_else(|| ExperimentError::Baseline {
            method: "logistic regression",
            what: format!("{y} is none of the labels {labels:?}"),
        })
    };
    part.targets.col(0).iter().map(class).collect()
}

fn log_sum_exp(row: RowRef<'_, f64>) -> f64 {
    let largest = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    largest + row.iter().map(|value| (value - largest).exp()).sum::<f64>().ln()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Digits, Store};

    fn probabilities(found: &Logistic, part: &Part) -> Mat<f64> {
        match found.predict(part.inputs.as_ref()).unwrap() {
            Predicted::Classes(p, _) => p,
            Predicted::Numbers(_) => panic!("labels are predicted by their probabilities"),
        }
    }

    #[test]
    fn intercepts_alone_give_shares_of_classes() {
        let targets = Mat::from_fn(8, 1, |i, _| if i < 2 { -1.0 } else { 1.0 });
        let part = Part { inputs: Mat::zeros(8, 1), targets };
        let found = Logistic::fit(&part, &[-1.0, 1.0], 1e-3).unwrap();
        let p = probabilities(&found, &part);
        assert!((p[(0, 0)] - 0.25).abs() < 1e-5 && (p[(0, 1)] - 0.75).abs() < 1e-5, "{p:?}");
    }

    #[test]
    fn the_gradient_is_that_of_the_value() {
        let part = Digits::load(&Store::Synthetic).unwrap().test;
        let labels: Vec<f64> = (0..10).map(f64::from).collect();
        let classes = classes_of(&part, &labels).unwrap();
        let (rows, columns) = (part.dim() + 1, 10);
        let mut buffers = Buffers::new(rows, columns);
        let w: Vec<f64> = (0..rows * columns).map(|k| 0.1 * (k as f64).sin()).collect();
        let mut evaluate = |w: &[f64]| {
            let mut gradient = vec![0.0; w.len()];
            let weights = MatRef::from_column_major_slice(w, rows, columns);
            let value =
                buffers.value_and_gradient(&part.inputs, &classes, weights, 0.5, &mut gradient).unwrap();
            (value, gradient)
        };
        let (_, gradient) = evaluate(&w);
        for k in [0, 63, 64, 65, 300, 649] {
            let mut at = |step: f64| {
                let mut moved = w.clone();
                moved[k] += step;
                evaluate(&moved).0
            };
            let difference = (at(1e-5) - at(-1e-5)) / 2e-5;
            assert!((difference - gradient[k]).abs() < 1e-8, "{k}: {difference} and {}", gradient[k]);
        }
    }

    /// With free intercepts, mean probabilities at the optimum are class frequencies.
    #[test]
    fn mean_probabilities_are_shares_and_digits_are_learned() {
        let digits = Digits::load(&Store::Synthetic).unwrap();
        let labels: Vec<f64> = (0..10).map(f64::from).collect();
        let found = Logistic::fit(&digits.training, &labels, 1.0).unwrap();
        let p = probabilities(&found, &digits.training);
        for c in 0..10 {
            let mean = p.col(c).iter().sum::<f64>() / p.nrows() as f64;
            assert!((mean - 0.1).abs() < 1e-4, "{mean}");
        }
        let (error, logs) = crate::methods::scores::of_each_label(&found, &digits.test).unwrap();
        let nll = logs.iter().sum::<f64>() / digits.test.len() as f64;
        assert!(error < 0.05 && nll < 0.3, "{error} and {nll}");
        assert!(classes_of(&digits.test, &labels[..9]).unwrap_err().to_string().contains("9 is none"));
    }
}
