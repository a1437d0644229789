//! Sweeps until sites and log Z converge.

use super::batch::{BatchEp, Sweep};
use super::mixed::Remembered;
use super::model::PowerEp;
use super::posterior::WhitenedPosterior;
use super::rules::{EpOptions, SiteOrder};
use crate::error::InferenceError;

/// Sweeps without progress [`GAIN`] that end iteration.
const PATIENCE: usize = 50;
/// Sweeps without progress after which a change within [rounding](BatchEp::rounding) counts as convergence; more than
/// mixing remembers.
const FEW: usize = 6;
/// Largest change by rounding, in units of marginals.
const SMALL: f64 = 0.01;
/// Relative decrease that counts as progress.
const GAIN: f64 = 0.1;

/// Result of [`BatchEp::converge`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Convergence {
    /// `true` on convergence up to rounding.
    pub converged: bool,
    /// Number of sweeps.
    pub sweeps: usize,
    /// Last sweep.
    pub last: Sweep,
    /// Total updates with negative precision.
    pub negative: usize,
    /// Total skipped factors.
    pub improper: usize,
    /// Total step halvings.
    pub halvings: u32,
}

#[derive(Clone, Copy, Debug)]
struct Progress {
    /// Smallest change with progress.
    least: f64,
    /// Sweeps since then.
    since: usize,
}

impl Default for Progress {
    fn default() -> Self {
        Self { least: f64::INFINITY, since: 0 }
    }
}

impl Progress {
    fn note(&mut self, sweep: &Sweep) {
        if sweep.change < (1.0 - GAIN) * self.least {
            *self = Self { least: sweep.change, since: 0 };
        } else {
            self.since += 1;
        }
    }

    fn has_stalled(&self) -> bool {
        self.since >= PATIENCE
    }

    /// `true` after [`FEW`] sweeps without progress, if the change is within rounding.
    fn is_rounding(&self, sweep: &Sweep, rounding: f64) -> bool {
        self.since >= FEW && sweep.change <= rounding.min(SMALL)
    }
}

impl BatchEp {
    fn pass(
        &mut self,
        model: &PowerEp,
        options: &EpOptions,
        remembered: Option<&mut Remembered>,
    ) -> Result<Sweep, InferenceError> {
        match (options.schedule, remembered) {
            (SiteOrder::Parallel, Some(remembered)) => self.sweep_mixed(model, options, remembered),
            (SiteOrder::Parallel, None) => self.sweep(model, options),
            (SiteOrder::InTurn, _) => self.sweep_in_turn(model, options),
        }
    }

    /// Largest change by rounding, in units of marginals. Rounding of B by `ε ‖B‖` moves `φᵀm` by
    /// `φᵀB⁻¹ δB m`, in deviations `‖L_B⁻¹φ‖` at most `ε ‖B‖ ‖m‖`: eigenvalues of B are at least 1.
    fn rounding(&self) -> f64 {
        let of = |posterior: &WhitenedPosterior| {
            let (precision, mean) = (posterior.precision(), posterior.mean());
            let trace: f64 = (0..mean.len()).map(|place| precision[(place, place)]).sum();
            f64::EPSILON * trace * mean.iter().map(|m| m * m).sum::<f64>().sqrt()
        };
        self.posteriors.iter().map(of).fold(0.0, f64::max)
    }

    /// Sweeps until convergence, lack of progress, or [`EpOptions::max_sweeps`].
    ///
    /// # Errors
    /// As [`sweep`](Self::sweep). Missing [convergence](Convergence::converged) is no error.
    pub fn converge(&mut self, model: &PowerEp, options: &EpOptions) -> Result<Convergence, InferenceError> {
        self.converge_within(model, options, &|| false)
    }

    /// [`converge`](Self::converge) that also ends when `is_short` after a sweep.
    pub(super) fn converge_within(
        &mut self,
        model: &PowerEp,
        options: &EpOptions,
        is_short: &dyn Fn() -> bool,
    ) -> Result<Convergence, InferenceError> {
        options.check()?;
        let mut last = f64::NAN;
        let mut remembered = Remembered::new(model, options, &self.sums);
        let mut done = Convergence {
            converged: false,
            sweeps: 0,
            last: Sweep { log_z: f64::NAN, change: f64::INFINITY, improper: 0, negative: 0, halvings: 0 },
            negative: 0,
            improper: 0,
            halvings: 0,
        };
        let mut progress = Progress::default();
        while done.sweeps < options.max_sweeps && !done.converged && !progress.has_stalled() {
            if done.sweeps > 0 && is_short() {
                break;
            }
            let sweep = self.pass(model, options, remembered.as_mut())?;
            done.sweeps += 1;
            if remembered.as_ref().is_some_and(|remembered| remembered.reverted) {
                done.last = sweep;
                progress.since += 1;
                continue;
            }
            progress.note(&sweep);
            done.negative += sweep.negative;
            done.improper += sweep.improper;
            done.halvings += sweep.halvings;
            let rest = (sweep.log_z - last).abs() <= options.log_z_tolerance * (1.0 + last.abs());
            let is_small = rest && sweep.change <= options.tolerance;
            done.converged =
                sweep.improper == 0 && (is_small || progress.is_rounding(&sweep, self.rounding()));
            (done.last, last) = (sweep, sweep.log_z);
        }
        if let Some(mut remembered) = remembered {
            self.end_mixed(&mut remembered)?;
        }
        Ok(done)
    }
}
