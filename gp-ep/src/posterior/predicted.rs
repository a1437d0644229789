//! What is predicted of observations at some points.

use super::labels::Labels;
use super::{Posterior, Predictor};
use crate::error::{InferenceError, check_count};
use faer::Mat;
use gp_kernels::posterior::{LatentBeliefs, at_rows};
use gp_likelihoods::{Latent, LikelihoodError, ObservationMoments, Predictive, Workspace};

/// What beliefs about latent values say of the observations at these points.
#[derive(Clone, Copy, Debug)]
pub struct Predicted<'a, F> {
    predictor: &'a Predictor<F>,
    beliefs: &'a LatentBeliefs,
}

impl<F: Posterior> Predictor<F> {
    /// What beliefs of this posterior say of observations.
    #[must_use]
    pub fn given<'a>(&'a self, beliefs: &'a LatentBeliefs) -> Predicted<'a, F> {
        Predicted { predictor: self, beliefs }
    }
}

impl<F: Posterior> Predicted<'_, F> {
    /// Mean and variance of each output: N·P of them, observation by observation.
    ///
    /// # Errors
    /// What the likelihood reports, with the row.
    pub fn moments(&self) -> Result<Vec<ObservationMoments>, InferenceError> {
        if self.beliefs.are_correlated() {
            return self.by_labels(|_, labels| labels.moments());
        }
        let outputs = self.predictor.likelihood().outputs();
        let rows = self.each(|ws, _, beliefs| {
            let mut each = vec![ObservationMoments::default(); outputs];
            self.predictive().moments(beliefs, ws, &mut each)?;
            Ok(each)
        })?;
        Ok(rows.concat())
    }

    /// The least number that one output (counted from 0) does not exceed with this probability, at each point.
    ///
    /// # Errors
    /// As [`moments`](Self::moments), for a probability that is not strictly between 0 and 1, and for no such output.
    pub fn quantiles(&self, output: usize, probability: f64) -> Result<Vec<f64>, InferenceError> {
        if self.beliefs.are_correlated() {
            if !(probability > 0.0 && probability < 1.0) {
                let (what, allowed) = ("probability of a quantile", "strictly between 0 and 1");
                return Err(InferenceError::Option { what, value: probability, allowed });
            }
            check_count("observation", "outputs", 1, output + 1)?;
            return self.by_labels(|_, labels| labels.quantile(probability));
        }
        self.each(|ws, _, beliefs| self.predictive().quantile(beliefs, (output, probability), ws))
    }

    /// The probability of every class at each point: N×C, classes in the order of
    /// [`Support::label`](gp_likelihoods::Support::label).
    ///
    /// # Errors
    /// As [`moments`](Self::moments); [`InferenceError::Unsupported`] where observations are no classes.
    pub fn class_probabilities(&self) -> Result<Mat<f64>, InferenceError> {
        let by = self.predictor.evaluator();
        if let Some(found) = self.predictor.functions().class_probabilities(self.beliefs, &by)? {
            return Ok(found);
        }
        let classes = self.predictor.likelihood().support().classes();
        if classes == 0 {
            let what = "class probabilities of observations that are no classes";
            return Err(InferenceError::Unsupported { what });
        }
        let rows = self.each(|ws, _, beliefs| {
            let mut each = vec![0.0; classes];
            self.predictive().class_probabilities(beliefs, ws, &mut each)?;
            Ok(each)
        })?;
        Ok(Mat::from_fn(rows.len(), classes, |i, c| rows[i][c]))
    }

    /// `ln p(y_i | data)` of new observations at these points, `y` row after row.
    ///
    /// # Errors
    /// As [`moments`](Self::moments); [`InferenceError::Observation`] for one there cannot be;
    /// [`InferenceError::Shape`] for another number of targets.
    pub fn log_densities(&self, y: &[f64]) -> Result<Vec<f64>, InferenceError> {
        let (likelihood, outputs) = (self.predictor.likelihood(), self.predictor.likelihood().outputs());
        check_count("new targets", "entries", self.beliefs.len() * outputs, y.len())?;
        for (row, y) in y.chunks_exact(outputs).enumerate() {
            likelihood.check_observation(y).map_err(|error| InferenceError::from(error).at_row(row))?;
        }
        if self.beliefs.are_correlated() {
            return self.by_labels(|row, labels| labels.log_density(y[row]));
        }
        self.each(|ws, row, beliefs| {
            self.predictive().log_density(&y[row * outputs..(row + 1) * outputs], beliefs, ws)
        })
    }

    fn predictive(&self) -> Predictive<'_> {
        Predictive::new(self.predictor.likelihood(), self.predictor.functions().weights())
    }

    /// `of` at every point, with the beliefs about its latent values, component by component.
    fn each<T: Send>(
        &self,
        of: impl Fn(&mut Workspace, usize, &[Latent]) -> Result<T, LikelihoodError> + Sync,
    ) -> Result<Vec<T>, InferenceError> {
        let by = self.predictor.evaluator();
        at_rows(self.beliefs.components(), &by, Workspace::new, |ws, row, beliefs| {
            let beliefs: Result<Vec<Latent>, LikelihoodError> =
                beliefs.map(|(mean, variance)| Latent::new(mean, variance)).collect();
            let found = beliefs.and_then(|beliefs| of(ws, row, &beliefs));
            found.map_err(|error| InferenceError::from(error).at_row(row))
        })
    }

    /// `of` at every point, with the probabilities of its classes.
    fn by_labels<T>(&self, of: impl Fn(usize, Labels<'_>) -> T) -> Result<Vec<T>, InferenceError> {
        let (found, support) = (self.class_probabilities()?, self.predictor.likelihood().support());
        let row = |row: usize| {
            let probabilities: Vec<f64> = found.row(row).iter().copied().collect();
            of(row, Labels { probabilities: &probabilities, support })
        };
        Ok((0..found.nrows()).map(row).collect())
    }
}
