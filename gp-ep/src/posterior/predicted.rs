//! Observations predicted from beliefs.

use super::labels::Labels;
use super::temperature::{log_sum, sharpen};
use super::{Posterior, Predictor};
use crate::error::{InferenceError, check_count};
use faer::Mat;
use gp_kernels::posterior::{LatentBeliefs, at_rows};
use gp_likelihoods::{Latent, LikelihoodError, ObservationMoments, Predictive, Workspace};

/// Predictions of observations from beliefs; errors as [`Predictor`].
#[derive(Clone, Copy, Debug)]
pub struct Predicted<'a, F> {
    predictor: &'a Predictor<F>,
    beliefs: &'a LatentBeliefs,
}

impl<F: Posterior> Predictor<F> {
    /// Predictions from this posterior's beliefs.
    #[must_use]
    pub fn given<'a>(&'a self, beliefs: &'a LatentBeliefs) -> Predicted<'a, F> {
        Predicted { predictor: self, beliefs }
    }
}

impl<F: Posterior> Predicted<'_, F> {
    /// Mean and variance of outputs: N·P, by observation.
    pub fn moments(&self) -> Result<Vec<ObservationMoments>, InferenceError> {
        if self.is_of_labels() {
            return self.by_labels(|_, labels| labels.moments());
        }
        let outputs = self.predictor.likelihood().outputs();
        self.each(outputs, |ws, _, beliefs, out| self.predictive().moments(beliefs, ws, out))
    }

    /// Quantiles of one output (from 0), for a probability in (0, 1).
    pub fn quantiles(&self, output: usize, probability: f64) -> Result<Vec<f64>, InferenceError> {
        if self.is_of_labels() {
            if !(probability > 0.0 && probability < 1.0) {
                let (what, allowed) = ("probability of a quantile", "strictly between 0 and 1");
                return Err(InferenceError::Option { what, value: probability, allowed });
            }
            check_count("observation", "outputs", 1, output + 1)?;
            return self.by_labels(|_, labels| labels.quantile(probability));
        }
        self.each(1, |ws, _, beliefs, out| {
            out[0] = self.predictive().quantile(beliefs, (output, probability), ws)?;
            Ok(())
        })
    }

    /// Probabilities that an output (from 0) is at most `y_i`.
    pub fn cdfs(&self, output: usize, y: &[f64]) -> Result<Vec<f64>, InferenceError> {
        check_count("new targets", "entries", self.beliefs.len(), y.len())?;
        if self.is_of_labels() {
            check_count("observation", "outputs", 1, output + 1)?;
            return self.by_labels(|row, labels| labels.cdf(y[row]));
        }
        self.each(1, |ws, row, beliefs, out| {
            out[0] = self.predictive().cdf(beliefs, (output, y[row]), ws)?;
            Ok(())
        })
    }

    /// Probabilities, N×C, ordered as [`Support::label`](gp_likelihoods::Support::label).
    ///
    /// # Errors
    /// [`InferenceError::Unsupported`] without classes.
    pub fn class_probabilities(&self) -> Result<Mat<f64>, InferenceError> {
        let (mut found, sharpness) = (self.own_class_probabilities()?, self.sharpness());
        if sharpness != 1.0 {
            for i in 0..found.nrows() {
                let mut row = row_of(&found, i);
                sharpen(&mut row, sharpness);
                row.iter().enumerate().for_each(|(c, p)| found[(i, c)] = *p);
            }
        }
        Ok(found)
    }

    /// Class probabilities at temperature 1.
    fn own_class_probabilities(&self) -> Result<Mat<f64>, InferenceError> {
        let by = self.predictor.evaluator();
        if let Some(found) = self.predictor.functions().class_probabilities(self.beliefs, &by)? {
            return Ok(found);
        }
        let classes = self.predictor.likelihood().support().classes();
        if classes == 0 {
            let what = "class probabilities of observations without classes";
            return Err(InferenceError::Unsupported { what });
        }
        let all = self
            .each(classes, |ws, _, beliefs, out| self.predictive().class_probabilities(beliefs, ws, out))?;
        Ok(Mat::from_fn(all.len() / classes, classes, |i, c| all[i * classes + c]))
    }

    /// `ln p(y_i | data)` in nats; `y` has N·P values.
    pub fn log_densities(&self, y: &[f64]) -> Result<Vec<f64>, InferenceError> {
        let (likelihood, outputs) = (self.predictor.likelihood(), self.predictor.likelihood().outputs());
        check_count("new targets", "entries", self.beliefs.len() * outputs, y.len())?;
        for (row, y) in y.chunks_exact(outputs).enumerate() {
            likelihood.check_observation(y).map_err(|error| InferenceError::from(error).at_row(row))?;
        }
        if self.beliefs.are_correlated() {
            return self.by_labels(|row, labels| labels.log_density(y[row]));
        }
        let mut found = self.each(1, |ws, row, beliefs, out| {
            let y = &y[row * outputs..(row + 1) * outputs];
            out[0] = self.predictive().log_density(y, beliefs, ws)?;
            Ok(())
        })?;
        let sharpness = self.sharpness();
        if sharpness != 1.0 {
            // Scales logarithms, since probabilities can underflow.
            let all = self.own_class_probabilities()?;
            for (row, log_density) in found.iter_mut().enumerate() {
                *log_density = sharpness * *log_density - log_sum(&row_of(&all, row), sharpness);
            }
        }
        Ok(found)
    }

    fn sharpness(&self) -> f64 {
        1.0 / self.predictor.temperature()
    }

    fn is_of_labels(&self) -> bool {
        self.beliefs.are_correlated() || self.sharpness() != 1.0
    }

    fn predictive(&self) -> Predictive<'_> {
        Predictive::new(self.predictor.likelihood(), self.predictor.functions().weights())
    }

    /// `numbers` values per point.
    fn each<T: Clone + Default + Send>(
        &self,
        numbers: usize,
        of: impl Fn(&mut Workspace, usize, &[Latent], &mut [T]) -> Result<(), LikelihoodError> + Sync,
    ) -> Result<Vec<T>, InferenceError> {
        let by = self.predictor.evaluator();
        let scratch = || (Workspace::new(), Vec::new());
        at_rows(self.beliefs.components(), &by, numbers, scratch, |(ws, latents), row, beliefs, out| {
            latents.clear();
            let mut all = || {
                for (mean, variance) in &mut *beliefs {
                    latents.push(Latent::new(mean, variance)?);
                }
                of(ws, row, latents, out)
            };
            all().map_err(|error| InferenceError::from(error).at_row(row))
        })
    }

    fn by_labels<T>(&self, of: impl Fn(usize, Labels<'_>) -> T) -> Result<Vec<T>, InferenceError> {
        let (found, support) = (self.class_probabilities()?, self.predictor.likelihood().support());
        let row = |row: usize| of(row, Labels { probabilities: &row_of(&found, row), support });
        Ok((0..found.nrows()).map(row).collect())
    }
}

fn row_of(table: &Mat<f64>, row: usize) -> Vec<f64> {
    table.row(row).iter().copied().collect()
}
