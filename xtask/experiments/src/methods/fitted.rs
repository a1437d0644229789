//! One way to ask whatever was fitted.

use crate::data::Part;
use crate::error::ExperimentError;
use faer::{Mat, MatRef};
use gp_ep::ivm::IvmPosterior;
use gp_ep::power_ep::Predictor;
use gp_ep::{ExactPosterior, RegressionPosterior};
use gp_kernels::Evaluator;
use gp_kernels::posterior::InducingPosterior;
use gp_likelihoods::Support;
use gp_variational::VariationalPosterior;
use std::f64::consts::TAU;

/// What is believed of observations.
#[derive(Clone, Debug)]
pub enum Predicted {
    /// Of labels: N×C probabilities, and how the classes are written in targets.
    Classes(Mat<f64>, Vec<f64>),
    /// Of numbers: N·P means and variances, noise included, row by row.
    Numbers(Vec<(f64, f64)>),
}

/// A model that has been fitted.
pub trait Fitted {
    /// What it believes of observations at some inputs, N×D.
    ///
    /// # Errors
    /// For another number of inputs.
    fn predict(&self, inputs: MatRef<'_, f64>) -> Result<Predicted, ExperimentError>;

    /// `ln p(y)` of each observation.
    ///
    /// # Errors
    /// As [`predict`](Self::predict), and for targets there cannot be.
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

    /// Inducing inputs of each latent function, M×D; none where there are no such things.
    fn inducing(&self) -> Vec<Mat<f64>> {
        Vec::new()
    }
}

/// Probabilities, with the labels of the set they are of.
pub(super) fn classes(probabilities: Mat<f64>, support: Support) -> Predicted {
    let labels = (0..probabilities.ncols()).map(|class| support.label(class)).collect();
    Predicted::Classes(probabilities, labels)
}

impl Fitted for Predictor {
    fn predict(&self, inputs: MatRef<'_, f64>) -> Result<Predicted, ExperimentError> {
        Ok(classes(self.class_probabilities(inputs)?, self.likelihood().support()))
    }

    fn log_densities(&self, test: &Part) -> Result<Vec<f64>, ExperimentError> {
        Ok(self.log_densities(test.inputs.as_ref(), &test.labels())?)
    }

    fn inducing(&self) -> Vec<Mat<f64>> {
        self.posteriors().iter().map(places).collect()
    }
}

impl Fitted for VariationalPosterior {
    fn predict(&self, inputs: MatRef<'_, f64>) -> Result<Predicted, ExperimentError> {
        let (by, support) = (Evaluator::default(), self.likelihood().support());
        if support.classes() > 0 {
            return Ok(classes(self.class_probabilities(inputs, &by)?, support));
        }
        let moments = self.moments(inputs, &by)?;
        Ok(Predicted::Numbers(moments.iter().map(|found| (found.mean, found.variance)).collect()))
    }

    fn log_densities(&self, test: &Part) -> Result<Vec<f64>, ExperimentError> {
        Ok(self.log_densities(test.inputs.as_ref(), test.targets.as_ref(), &Evaluator::default())?)
    }

    fn inducing(&self) -> Vec<Mat<f64>> {
        (0..self.likelihood().latents()).filter_map(|q| self.component(0, q)).map(places).collect()
    }
}

impl Fitted for IvmPosterior {
    fn predict(&self, inputs: MatRef<'_, f64>) -> Result<Predicted, ExperimentError> {
        let probabilities = self.probabilities(inputs)?;
        let support = Support::Classes(probabilities.ncols());
        Ok(classes(probabilities, support))
    }
}

impl Fitted for ExactPosterior {
    fn predict(&self, inputs: MatRef<'_, f64>) -> Result<Predicted, ExperimentError> {
        Ok(numbers(self.predict(inputs)?))
    }
}

impl Fitted for RegressionPosterior {
    fn predict(&self, inputs: MatRef<'_, f64>) -> Result<Predicted, ExperimentError> {
        Ok(numbers(self.predict(inputs)?))
    }
}

/// Under Gaussian noise the mean of an observation is that of the function.
fn numbers(found: gp_ep::exact::Prediction) -> Predicted {
    Predicted::Numbers(found.latent_mean.into_iter().zip(found.observation_variance).collect())
}

/// Where the inducing inputs of a latent function are.
fn places(posterior: &InducingPosterior) -> Mat<f64> {
    let z = posterior.inputs().z();
    Mat::from_fn(z.nrows(), z.ncols(), |i, d| z[(i, d)])
}
