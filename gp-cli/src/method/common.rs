//! Settings shared by several methods.

use super::defaults::DefaultCase;
use super::given::Given;
use super::setting::Setting;
use gp_ep::operations::Extents;

/// Setting that marks a mini-batch method.
pub const BATCH_SIZE: &str = "batch-size";

/// Power α of Power EP.
pub const ALPHA: Setting =
    Setting::number("alpha", "A", [0.0, 1.0], "Power of Power EP, from 1 (EP) to 0 (the variational limit)");

/// Iteration limit, full batch.
pub const ITERATIONS: Setting =
    Setting::integer("iterations", "N", 0, "Maximum number of iterations of the optimiser");

/// Parameters in predictions: as learned, or uncertain.
pub const PARAMETERS: Setting = Setting::choice(
    "parameters",
    &[(KNOWN, "As learned"), (UNCERTAIN, "A mixture over those that the data allow")],
    "Whether predictions take learned parameters as known",
)
.default_word_by_case(&[MANY_KNOWN, FEW_UNCERTAIN]);
pub(super) const MANY_KNOWN: DefaultCase<&str> = DefaultCase::new(KNOWN, "");
pub(super) const FEW_UNCERTAIN: DefaultCase<&str> =
    DefaultCase::new(UNCERTAIN, "for one target under Gaussian noise with up to 200 rows");
pub(crate) const KNOWN: &str = "known";
pub(super) const UNCERTAIN: &str = "uncertain";

/// Number of passes over the data.
pub const EPOCHS: Setting = Setting::integer("epochs", "N", 1, "Passes over the data in mini-batches");

/// Minimum default steps, also for small tables.
pub(super) const MIN_STEPS: u64 = 1_000;

/// Steps of given epochs, or default ones, at least `least`.
pub(super) fn steps_in_batches(
    given: &Given,
    (epochs, case): (&Setting, DefaultCase<u64>),
    per_epoch: u64,
    least: u64,
) -> u64 {
    let steps = given.integer_in(epochs, case).saturating_mul(per_epoch);
    if given.has(epochs.name()) { steps } else { steps.max(least) }
}

/// Number of rows per batch.
#[must_use]
pub const fn batch_size(default: u64) -> Setting {
    Setting::integer(BATCH_SIZE, "B", 1, "Rows in a mini-batch").default_whole(default)
}

/// Covariances per evaluation: `K_zx`, diagonal of `K_xx`, half of `K_zz`.
pub(super) fn covariances(sizes: &Extents) -> f64 {
    let [rows, inducing, processes] = [sizes.rows, sizes.inducing, sizes.processes].map(|size| size as f64);
    processes * (rows + inducing * (rows + inducing / 2.0))
}

/// Values stored; passes recompute the rest.
pub(super) fn projections(rows: f64, latents: f64, inducing: f64) -> f64 {
    (rows * latents * inducing).min(gp_kernels::passes::HELD as f64)
}
