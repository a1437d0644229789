//! Scores of predictions on a test set.

use crate::data::Part;
use crate::error::ExperimentError;
use faer::Mat;
use gp_ep::power_ep::Predictor;
use gp_kernels::Evaluator;
use gp_variational::VariationalPosterior;

/// Whoever has probabilities of labels.
pub trait Labels {
    /// N×C, classes in the order of [`label`](Self::label).
    ///
    /// # Errors
    /// Where there are no such probabilities.
    fn probabilities(&self, test: &Part) -> Result<Mat<f64>, ExperimentError>;

    /// `ln p(y)` of the labels of the test set.
    ///
    /// # Errors
    /// For labels there cannot be.
    fn log_densities(&self, test: &Part) -> Result<Vec<f64>, ExperimentError>;

    /// How a class, counted from 0, is written in targets.
    fn label(&self, class: usize) -> f64;
}

impl Labels for Predictor {
    fn probabilities(&self, test: &Part) -> Result<Mat<f64>, ExperimentError> {
        Ok(self.class_probabilities(test.inputs.as_ref())?)
    }

    fn log_densities(&self, test: &Part) -> Result<Vec<f64>, ExperimentError> {
        Ok(self.log_densities(test.inputs.as_ref(), &test.labels())?)
    }

    fn label(&self, class: usize) -> f64 {
        self.factors().support().label(class)
    }
}

impl Labels for VariationalPosterior {
    fn probabilities(&self, test: &Part) -> Result<Mat<f64>, ExperimentError> {
        Ok(self.class_probabilities(test.inputs.as_ref(), &Evaluator::default())?)
    }

    fn log_densities(&self, test: &Part) -> Result<Vec<f64>, ExperimentError> {
        Ok(self.log_densities(test.inputs.as_ref(), test.targets.as_ref(), &Evaluator::default())?)
    }

    fn label(&self, class: usize) -> f64 {
        self.likelihood().support().label(class)
    }
}

/// The share of wrong labels, and the mean negative log probability of the right ones.
///
/// # Errors
/// As those of the predictor.
pub fn of_labels(predictor: &dyn Labels, test: &Part) -> Result<(f64, f64), ExperimentError> {
    let found = predictor.probabilities(test)?;
    let (count, labels) = (test.len() as f64, test.labels());
    let wrong = labels.iter().enumerate().filter(|(i, label)| {
        let best =
            (0..found.ncols()).fold(0, |best, c| if found[(*i, c)] > found[(*i, best)] { c } else { best });
        predictor.label(best) != **label
    });
    let wrong = wrong.count() as f64;
    let nll = -predictor.log_densities(test)?.iter().sum::<f64>() / count;
    Ok((wrong / count, nll))
}
