//! Scores of predictions on a test set.

use crate::data::Part;
use crate::error::ExperimentError;
use faer::Mat;
use gp_ep::power_ep::Predictor;
use gp_kernels::Evaluator;
use gp_kernels::posterior::InducingPosterior;
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

    /// Inducing inputs of each latent function, M×D; none where there are no such things.
    fn inducing(&self) -> Vec<Mat<f64>> {
        Vec::new()
    }
}

impl Labels for Predictor {
    fn probabilities(&self, test: &Part) -> Result<Mat<f64>, ExperimentError> {
        Ok(self.class_probabilities(test.inputs.as_ref())?)
    }

    fn log_densities(&self, test: &Part) -> Result<Vec<f64>, ExperimentError> {
        Ok(self.log_densities(test.inputs.as_ref(), &test.labels())?)
    }

    fn label(&self, class: usize) -> f64 {
        self.likelihood().support().label(class)
    }

    fn inducing(&self) -> Vec<Mat<f64>> {
        self.posteriors().iter().map(places).collect()
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

    fn inducing(&self) -> Vec<Mat<f64>> {
        (0..self.likelihood().latents()).filter_map(|q| self.component(0, q)).map(places).collect()
    }
}

/// Where the inducing inputs of a latent function are.
fn places(posterior: &InducingPosterior) -> Mat<f64> {
    let z = posterior.inputs().z();
    Mat::from_fn(z.nrows(), z.ncols(), |i, d| z[(i, d)])
}

/// The share of wrong labels, and the mean negative log probability of the right ones.
///
/// # Errors
/// As those of the predictor.
pub fn of_labels(predictor: &dyn Labels, test: &Part) -> Result<(f64, f64), ExperimentError> {
    let (wrong, each) = of_each_label(predictor, test)?;
    Ok((wrong, each.iter().sum::<f64>() / test.len() as f64))
}

/// The share of wrong labels, and the negative log probability of every right one.
///
/// # Errors
/// As those of the predictor.
pub fn of_each_label(predictor: &dyn Labels, test: &Part) -> Result<(f64, Vec<f64>), ExperimentError> {
    let (found, labels) = (predictor.probabilities(test)?, test.labels());
    let wrong = labels.iter().enumerate().filter(|(i, label)| {
        let best =
            (0..found.ncols()).fold(0, |best, c| if found[(*i, c)] > found[(*i, best)] { c } else { best });
        predictor.label(best) != **label
    });
    let wrong = wrong.count() as f64 / test.len() as f64;
    Ok((wrong, predictor.log_densities(test)?.iter().map(|log| -log).collect()))
}

/// The share of inducing inputs at which the second most probable class has at least a tenth, over the share of training
/// rows at which it has: how much inducing inputs seek boundaries.
///
/// # Errors
/// As those of the predictor.
pub fn near_boundary(predictor: &dyn Labels, training: &Part) -> Result<f64, ExperimentError> {
    let share = |inputs: Mat<f64>| -> Result<f64, ExperimentError> {
        let (count, targets) = (inputs.nrows() as f64, Mat::zeros(inputs.nrows(), 1));
        let p = predictor.probabilities(&Part { inputs, targets })?;
        let second = |i: &usize| {
            let mut row: Vec<f64> = p.row(*i).iter().copied().collect();
            row.sort_by(f64::total_cmp);
            row.len() > 1 && row[row.len() - 2] >= 0.1
        };
        Ok((0..p.nrows()).filter(second).count() as f64 / count)
    };
    let places = predictor.inducing();
    let rows: usize = places.iter().map(Mat::nrows).sum();
    let mut near = 0.0;
    for points in places {
        let weight = points.nrows() as f64 / rows as f64;
        near += weight * share(points)?;
    }
    let everywhere = share(training.inputs.clone())?;
    Ok(near / everywhere.max(1.0 / training.len().max(1) as f64))
}
