//! Settings that several methods declare.

use super::setting::{Given, Setting};
use gp_ep::operations::Extents;

/// The name of the setting by which a method says that it works in mini-batches.
pub const BATCH_SIZE: &str = "batch-size";

/// The power of Power EP.
pub const ALPHA: Setting =
    Setting::number("alpha", "A", [0.0, 1.0], "Power of Power EP, from 1 (EP) to 0 (the variational limit)");

/// The budget of an optimiser that works on all rows.
pub const ITERATIONS: Setting = Setting::integer("iterations", "N", 0, "Most iterations of the optimiser");

/// Treatment of learned parameters in predictions: known or uncertain.
pub const PARAMETERS: Setting = Setting::choice(
    "parameters",
    &[(KNOWN, "As learned"), (UNCERTAIN, "A mixture over those that the data allow")],
    "Whether predictions take learned parameters as known; by default they do, except under Gaussian noise with up to \
     200 rows",
);
pub(crate) const KNOWN: &str = "known";
pub(super) const UNCERTAIN: &str = "uncertain";

/// The number of passes over the data.
pub const EPOCHS: Setting = Setting::integer("epochs", "N", 1, "Passes over the data in mini-batches");

/// Fewest steps in mini-batches unless asked otherwise: small tables need as many as large ones.
const FEWEST_STEPS: u64 = 1_000;

/// Steps in mini-batches: those of the epochs given, or of the usual number of epochs and no fewer than a thousand.
pub(super) fn steps_in_batches(given: &Given, usual_epochs: u64, per_epoch: u64) -> u64 {
    let usual = || usual_epochs.saturating_mul(per_epoch).max(FEWEST_STEPS);
    given.integer(&EPOCHS).map_or_else(usual, |epochs| epochs.saturating_mul(per_epoch))
}

/// Number of rows per batch.
#[must_use]
pub const fn batch_size(usual: u64) -> Setting {
    Setting::integer(BATCH_SIZE, "B", 1, "Rows in a mini-batch").usually_whole(usual)
}

/// Covariances of one evaluation: of rows with inducing inputs, and of these among themselves.
pub(super) fn covariances(sizes: &Extents) -> f64 {
    let [rows, inducing, processes] = [sizes.rows, sizes.inducing, sizes.processes].map(|size| size as f64);
    processes * inducing * (rows + inducing / 2.0)
}

/// Numbers of projections; beyond a limit they are recomputed by every pass.
pub(super) fn projections(rows: f64, latents: f64, inducing: f64) -> f64 {
    (rows * latents * inducing).min(gp_kernels::passes::HELD as f64)
}
