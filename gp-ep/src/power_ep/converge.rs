//! Sweeps until sites and log Z converge.

use super::batch::{BatchEp, Sweep};
use super::mixed::Remembered;
use super::model::PowerEp;
use super::posterior::WhitenedPosterior;
use super::rules::{EpOptions, SiteOrder};
use crate::error::InferenceError;

/// Sweeps without the progress [`GAIN`] after which iteration stops: what remains is rounding or a cycle.
const PATIENCE: usize = 50;
/// Sweeps without progress after which changes that [rounding](BatchEp::rounding) explains count as convergence: more than
/// mixing remembers.
const FEW: usize = 6;
/// Largest change of sites, in units of their marginals, that is attributed to rounding.
const SMALL: f64 = 0.01;
/// Relative decrease of the change of sites that counts as progress.
const GAIN: f64 = 0.1;

/// Result of [`BatchEp::converge`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Convergence {
    /// `true` if sites and log Z converged, or if only rounding still changes them.
    pub converged: bool,
    /// Number of sweeps.
    pub sweeps: usize,
    /// Last sweep.
    pub last: Sweep,
    /// Number of site updates with a negative precision, over all sweeps.
    pub negative: usize,
    /// Number of skipped factors, over all sweeps.
    pub improper: usize,
    /// Number of halvings of the step, over all sweeps.
    pub halvings: u32,
}

#[derive(Clone, Copy, Debug)]
struct Progress {
    /// Smallest change of sites so far, among those that counted as progress.
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

    /// `true` if the sweep changed sites by no more than rounding does, like those before it.
    fn is_rounding(&self, sweep: &Sweep, rounding: f64) -> bool {
        self.since >= FEW && sweep.change <= rounding.min(SMALL)
    }
}

impl BatchEp {
    /// Sweeps once, in the order of `options`.
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

    /// Largest change of sites by rounding, in units of their marginals.
    ///
    /// Rounding of B by `ε ‖B‖` moves `φᵀm` by `φᵀB⁻¹ δB m`. In units of the standard deviation `‖L_B⁻¹φ‖` that is at
    /// most `ε ‖B‖ ‖m‖`, since no eigenvalue of B is below 1.
    fn rounding(&self) -> f64 {
        let of = |posterior: &WhitenedPosterior| {
            let (precision, mean) = (posterior.precision(), posterior.mean());
            let trace: f64 = (0..mean.len()).map(|place| precision[(place, place)]).sum();
            f64::EPSILON * trace * mean.iter().map(|m| m * m).sum::<f64>().sqrt()
        };
        self.posteriors.iter().map(of).fold(0.0, f64::max)
    }

    /// Sweeps until sites and log Z converge, up to rounding, make no more progress, or reach
    /// [`EpOptions::max_sweeps`].
    ///
    /// # Errors
    /// As [`sweep`](Self::sweep). Not converging is no error: see [`Convergence::converged`].
    pub fn converge(&mut self, model: &PowerEp, options: &EpOptions) -> Result<Convergence, InferenceError> {
        self.converge_within(model, options, &|| false)
    }

    /// [`converge`](Self::converge) that also stops after a sweep if `is_short` returns `true`.
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
