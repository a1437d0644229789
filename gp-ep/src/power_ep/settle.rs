//! End of mini-batch learning: own sites converge on new sums, and `ln p(y)` is estimated.

use super::minibatch::{MiniBatchEp, Sharing};
use super::model::PowerEp;
use super::rules::EpOptions;
use crate::error::InferenceError;
use gp_kernels::data::DataSource;

/// Maximum further epochs; final change, in units of marginals.
const EPOCHS_TO_CONVERGE: usize = 3;
const TOLERANCE: f64 = 0.01;
/// Maximum epochs of small steps, if the estimate is impossible.
const EPOCHS_BACK: usize = 10;
const SMALL_STEP: f64 = 0.1;
/// Rounding error per observation of log Z.
const ROUNDING: f64 = 1e-9;

/// Final estimate from own sites.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Settled {
    /// Estimate of `ln p(y)`.
    pub log_z: f64,
    /// Epochs of small steps before the estimate.
    pub epochs_back: usize,
}

impl MiniBatchEp {
    /// Estimate of `ln p(y)` with own sites, in one pass; sums must be current ([`rebuild`](Self::rebuild)).
    ///
    /// # Errors
    /// [`InferenceError::Unsupported`] for tied sites; [`InferenceError::ImproperCavity`]; otherwise as
    /// [`step`](Self::step).
    pub fn log_z(&mut self, model: &PowerEp, data: &dyn DataSource) -> Result<f64, InferenceError> {
        if self.sharing() == Sharing::Tied {
            return Err(InferenceError::Unsupported { what: "log Z of all observations with tied sites" });
        }
        let mut log_z = self.log_normaliser();
        for rows in self.blocks() {
            self.bring(model, data, &rows)?;
            log_z += self.evaluate_loaded(model)?;
        }
        Ok(log_z)
    }

    /// Recomputes sums and lets own sites converge. A probability of labels or counts above 1 means outdated
    /// sites: up to ten epochs of small steps, then [`InferenceError::ImpossibleEvidence`].
    pub(super) fn settle(
        &mut self,
        model: &PowerEp,
        data: &dyn DataSource,
        options: &EpOptions,
        (worth, is_over): (usize, impl Fn() -> bool),
    ) -> Result<Option<Settled>, InferenceError> {
        if self.sharing() == Sharing::Tied {
            return Ok(None);
        }
        self.rebuild(model, data)?;
        for _ in 0..worth.min(EPOCHS_TO_CONVERGE) {
            if is_over() {
                break;
            }
            let change = match self.sweep(model, data, options) {
                // A failed step leaves sites as they are.
                Err(InferenceError::ImproperPosterior) => break,
                change => change?,
            };
            if change <= TOLERANCE {
                break;
            }
        }
        if worth == 0 || is_over() {
            return Ok(None);
        }
        self.mend(model, data, options, is_over).map(Some)
    }

    /// Estimate of `ln p(y)`, after small steps if it is impossible.
    fn mend(
        &mut self,
        model: &PowerEp,
        data: &dyn DataSource,
        options: &EpOptions,
        is_over: impl Fn() -> bool,
    ) -> Result<Settled, InferenceError> {
        let is_probability = model.likelihood().support().is_discrete();
        let small = EpOptions { step: SMALL_STEP.min(options.step), ..*options };
        let mut epochs_back = 0;
        loop {
            let log_z = match self.log_z(model, data) {
                // Without Gaussian cavities there is no estimate, as in learning.
                Err(InferenceError::ImproperCavity { .. }) => f64::NAN,
                other => other?,
            };
            let rounding = ROUNDING * data.count() as f64;
            if !(is_probability && log_z > rounding) || is_over() {
                return Ok(Settled { log_z, epochs_back });
            }
            if epochs_back == EPOCHS_BACK {
                return Err(InferenceError::ImpossibleEvidence { log_z });
            }
            match self.sweep(model, data, &small) {
                Err(InferenceError::ImproperPosterior) => {
                    return Err(InferenceError::ImpossibleEvidence { log_z });
                }
                change => change?,
            };
            epochs_back += 1;
        }
    }

    /// Steps through all observations; returns the change.
    fn sweep(
        &mut self,
        model: &PowerEp,
        data: &dyn DataSource,
        options: &EpOptions,
    ) -> Result<f64, InferenceError> {
        let (mut squares, mut count) = (0.0, 0);
        for rows in self.blocks() {
            squares += rows.len() as f64 * self.step(model, data, &rows, options)?.change.powi(2);
            count += rows.len();
        }
        Ok((squares / count as f64).sqrt())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use faer::Mat;
    use gp_kernels::data::Table;
    use gp_kernels::inducing::{InducingInputs, SparseProcess};

    fn spoil(ep: &mut MiniBatchEp, times: f64) {
        for (i, site) in ep.sites_mut().iter_mut().enumerate() {
            site.precision *= times;
            site.shift *= if i % 2 == 0 { times } else { -0.3 * times };
        }
    }

    #[test]
    fn sites_that_cannot_be_go_back() {
        let inputs = Mat::from_fn(24, 1, |i, _| i as f64 / 4.0);
        let labels: Vec<f64> = (0..24).map(|i| if (i / 6) % 2 == 0 { 1.0 } else { -1.0 }).collect();
        let data = Table::with_targets(inputs.as_ref(), &labels).unwrap();
        let process = SparseProcess::new(
            gp_kernels::parse("4 * rbf(lengthscale=1)").unwrap(),
            InducingInputs::points(inputs.as_ref()).unwrap(),
        );
        let likelihood = gp_likelihoods::parse("bernoulli_probit").unwrap();
        let model = PowerEp::new(vec![process.unwrap()], likelihood).unwrap();
        let mut ep = MiniBatchEp::new(&model, &data, Sharing::Own, 8).unwrap();
        let options = EpOptions::default();
        for _ in 0..40 {
            ep.sweep(&model, &data, &options).unwrap();
        }
        let sound = ep.settle(&model, &data, &options, (3, || false)).unwrap().unwrap();
        assert!(sound.log_z < 0.0 && sound.epochs_back == 0, "{sound:?}");

        spoil(&mut ep, 10.0);
        ep.rebuild(&model, &data).unwrap();
        assert!(ep.log_z(&model, &data).unwrap() > 0.0);
        let mended = ep.mend(&model, &data, &options, || false).unwrap();
        assert!(mended.log_z < 0.0 && mended.epochs_back > 0, "{mended:?}");

        spoil(&mut ep, 1e4);
        ep.rebuild(&model, &data).unwrap();
        let fault = ep.mend(&model, &data, &options, || false).unwrap_err();
        assert!(matches!(fault, InferenceError::ImpossibleEvidence { .. }), "{fault}");
    }
}
