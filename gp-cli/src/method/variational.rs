//! What the variational methods share: settings, the rates of mini-batches, and the posterior of a model.

use super::common;
use super::optimizer::Optimizer;
use super::setting::Setting;
use crate::error::CliError;
use crate::model::{Approximation, Functions};
use gp_variational::Savigp;

const IN_BATCHES: &[Optimizer] = &[Optimizer::Adam, Optimizer::Adadelta];
/// On all of the data.
pub(super) const ITERATIONS: Setting = common::ITERATIONS.only_by(&[Optimizer::Lbfgs]);
/// In batches.
pub(super) const EPOCHS: Setting = common::EPOCHS.usually_whole(30).only_by(IN_BATCHES);
pub(super) const BATCH_SIZE: Setting = common::batch_size(256).only_by(IN_BATCHES);
/// How far the posterior moves after a batch towards where its gradient says.
pub(super) const NATURAL_RATE: f64 = 0.1;
/// So many blocks of batches in a row up to which the objective was not found to fall, by more than its noise and by
/// more than this share of it, are a plateau.
pub(super) const PLATEAU: u64 = 5;
pub(super) const VALUE_TOLERANCE: f64 = 1e-4;
/// The rate of Adam.
pub(super) const RATE: f64 = 0.01;

/// The posterior as a model file holds it.
pub(super) fn approximation(model: &Savigp) -> Result<Approximation, CliError> {
    Ok(model.predictor()?.map(Functions::from))
}
