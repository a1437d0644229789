//! Interface of fitted models.

use crate::data::Part;
use crate::error::ExperimentError;
use crate::harness::Effort;
use faer::{Mat, MatRef};
use gp_ep::{Posterior, Predictor};
use gp_likelihoods::Support;
use std::f64::consts::TAU;
use std::fmt;

/// Predictions for N observations.
#[derive(Clone, Debug)]
pub enum Predicted {
    /// N×C probabilities, and class target values.
    Classes(Mat<f64>, Vec<f64>),
    /// N·P means and variances with noise, row-major.
    Numbers(Vec<(f64, f64)>),
}

/// Fitted model and training record.
pub struct Learned {
    /// Fitted model.
    pub fitted: Box<dyn Fitted>,
    /// Training record.
    pub effort: Effort,
}

impl fmt::Debug for Learned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Learned").field("effort", &self.effort).finish_non_exhaustive()
    }
}

/// Model of classes or numbers.
pub trait Fitted {
    /// Predictions at N×D inputs.
    ///
    /// # Errors
    /// Wrong number of inputs.
    fn predict(&self, inputs: MatRef<'_, f64>) -> Result<Predicted, ExperimentError>;

    /// `ln p(y)` per observation.
    ///
    /// # Errors
    /// As [`predict`](Self::predict); impossible targets.
    fn log_densities(&self, test: &Part) -> Result<Vec<f64>, ExperimentError> {
        let targets = test.labels().into_iter().enumerate();
        Ok(match self.predict(test.inputs.as_ref())? {
            Predicted::Classes(p, labels) => {
                let class = |y: f64| labels.iter().position(|label| *label == y);
                targets.map(|(i, y)| class(y).map_or(f64::NAN, |class| p[(i, class)].ln())).collect()
            }
            Predicted::Numbers(moments) => {
                let density = |y: f64, (mean, variance): (f64, f64)| {
                    -0.5 * ((TAU * variance).ln() + (y - mean).powi(2) / variance)
                };
                targets.map(|(i, y)| density(y, moments[i])).collect()
            }
        })
    }

    /// Inducing inputs per latent, M×D.
    fn inducing(&self) -> Vec<Mat<f64>> {
        Vec::new()
    }
}

fn classes(probabilities: Mat<f64>, support: Support) -> Predicted {
    let labels = (0..probabilities.ncols()).map(|class| support.label(class)).collect();
    Predicted::Classes(probabilities, labels)
}

impl<F: Posterior> Fitted for Predictor<F> {
    fn predict(&self, inputs: MatRef<'_, f64>) -> Result<Predicted, ExperimentError> {
        let support = self.likelihood().support();
        if support.classes() > 0 {
            return Ok(classes(self.class_probabilities(inputs)?, support));
        }
        let moments = self.moments(inputs)?;
        Ok(Predicted::Numbers(moments.iter().map(|found| (found.mean, found.variance)).collect()))
    }

    fn log_densities(&self, test: &Part) -> Result<Vec<f64>, ExperimentError> {
        let targets: Vec<f64> = test.targets.row_iter().flat_map(|row| row.iter()).copied().collect();
        Ok(self.log_densities(test.inputs.as_ref(), &targets)?)
    }

    fn inducing(&self) -> Vec<Mat<f64>> {
        self.describe().iter().filter_map(|function| function.represented_by).map(|z| z.to_owned()).collect()
    }
}
