//! Interval update of Moré and Thuente (ACM TOMS 20, 1994), with two safeguards for values that no cubic fits.

use super::cubic::Ends;
use super::{DECREASE, Trial};

/// Relative width at the end.
const NARROW: f64 = 0.1;
/// Brackets that two trials do not shrink to this share are bisected.
const SHRINK: f64 = 0.66;
/// Smallest and largest extrapolation, in strides.
const STRIDE: [f64; 2] = [1.1, 4.0];
/// Smallest shortening: with a penalty of 1e30, rounding hides differences.
const STEP_BACK: f64 = 0.01;

#[derive(Debug)]
pub(super) struct MoreThuente {
    start: Trial,
    best: Trial,
    other: Trial,
    bracketed: bool,
    /// True until sufficient decrease, slope ≥ 0: minimises ψ.
    seeking_decrease: bool,
    range: [f64; 2],
    /// Widths after the last two trials.
    widths: [f64; 2],
}

impl MoreThuente {
    pub(super) fn new(start: Trial, first_step: f64) -> Self {
        Self {
            start,
            best: start,
            other: start,
            bracketed: false,
            seeking_decrease: true,
            range: [0.0, first_step + STRIDE[1] * first_step],
            widths: [f64::INFINITY; 2],
        }
    }

    pub(super) fn best_step(&self) -> f64 {
        self.best.step
    }

    /// None if the interval is small.
    pub(super) fn next_step(&mut self, trial: Trial) -> Option<f64> {
        let decreases = trial.decreases(&self.start);
        if decreases && trial.slope >= 0.0 {
            self.seeking_decrease = false;
        }
        let tilt = if self.seeking_decrease && trial.value <= self.best.value && !decreases {
            DECREASE * self.start.slope
        } else {
            0.0
        };
        let proposal = self.absorb(trial, tilt);
        let step = self.bisected_if_slow(proposal);
        self.allow_beyond(step);
        (!self.is_spent(step)).then_some(step)
    }

    /// Replaces an end; returns the interpolated step.
    ///
    /// `ψ(t) = φ(t) − φ(0) − tilt · t`
    fn absorb(&mut self, trial: Trial, tilt: f64) -> f64 {
        let tilted = |t: Trial| Trial { step: t.step, value: t.value - tilt * t.step, slope: t.slope - tilt };
        let ends = Ends { best: tilted(self.best), other: tilted(self.other), trial: tilted(trial) };
        let mut step = ends.propose(self.bracketed, self.range);
        if ends.is_higher() {
            let stride = trial.step - self.best.step;
            let back = (step - self.best.step) / stride;
            step = self.best.step + back.max(STEP_BACK) * stride;
            self.other = trial;
        } else {
            if ends.turns() {
                self.other = self.best;
            }
            self.best = trial;
        }
        self.bracketed |= ends.is_higher() || ends.turns();
        step
    }

    fn bisected_if_slow(&mut self, step: f64) -> f64 {
        let middle = self.best.step + 0.5 * (self.other.step - self.best.step);
        if !self.bracketed {
            return if step.is_finite() { step } else { self.range[1] };
        }
        let width = (self.other.step - self.best.step).abs();
        let slow = width >= SHRINK * self.widths[1];
        self.widths = [width, self.widths[0]];
        if slow || !step.is_finite() { middle } else { step }
    }

    fn allow_beyond(&mut self, step: f64) {
        self.range = if self.bracketed {
            [self.best.step.min(self.other.step), self.best.step.max(self.other.step)]
        } else {
            STRIDE.map(|stride| step + stride * (step - self.best.step))
        };
    }

    fn is_spent(&self, step: f64) -> bool {
        let [lower, upper] = self.range;
        let narrow = upper - lower <= NARROW * upper;
        !step.is_finite() || (self.bracketed && (step <= lower || step >= upper || narrow))
    }
}
