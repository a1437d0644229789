//! Sweeps until sites and log Z converge.

use super::batch::{BatchEp, Sweep};
use super::mixed::Remembered;
use super::model::PowerEp;
use super::rules::{EpOptions, SiteOrder};
use crate::error::InferenceError;

/// Sweeps without [`GAIN`] before giving up: the rest is rounding or a cycle.
const PATIENCE: usize = 50;
/// Least relative fall of the change of sites in that many sweeps.
const GAIN: f64 = 0.1;

/// Result of iterating.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Convergence {
    /// `true` if sites and log Z converged.
    pub converged: bool,
    /// Number of sweeps.
    pub sweeps: usize,
    /// Last sweep.
    pub last: Sweep,
    /// Sites that asked for a negative precision, over all sweeps.
    pub negative: usize,
    /// Factors left alone, over all sweeps.
    pub improper: usize,
    /// Halvings, over all sweeps.
    pub halvings: u32,
}

/// Progress of sweeps towards convergence.
#[derive(Clone, Copy, Debug)]
struct Progress {
    /// Least change of sites, which later ones have to undercut.
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
}

impl BatchEp {
    /// Updates all sites in the requested order.
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

    /// Sweeps until sites and log Z converge, or stop getting closer.
    ///
    /// # Errors
    /// As [`sweep`](Self::sweep). Not converging is no error, see the result.
    pub fn converge(&mut self, model: &PowerEp, options: &EpOptions) -> Result<Convergence, InferenceError> {
        self.converge_within(model, options, &|| false)
    }

    /// [`converge`](Self::converge), unless `is_short` says after a sweep that there is no time for another.
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
            if remembered.as_ref().is_some_and(|remembered| remembered.turned_back) {
                done.last = sweep;
                continue;
            }
            progress.note(&sweep);
            done.negative += sweep.negative;
            done.improper += sweep.improper;
            done.halvings += sweep.halvings;
            let rest = (sweep.log_z - last).abs() <= options.log_z_tolerance * (1.0 + last.abs());
            done.converged = rest && sweep.improper == 0 && sweep.change <= options.tolerance;
            (done.last, last) = (sweep, sweep.log_z);
        }
        if let Some(mut remembered) = remembered {
            self.end_mixed(&mut remembered)?;
        }
        Ok(done)
    }
}
