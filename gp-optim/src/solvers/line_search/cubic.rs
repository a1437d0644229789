//! Safeguarded interpolation between two trials: four cases of Moré and Thuente (1994), section 4.

use super::Trial;

/// Limit in case 3, as share of the bracket.
const SHARE: f64 = 0.66;

#[derive(Clone, Copy, Debug)]
pub(super) struct Ends {
    pub(super) best: Trial,
    pub(super) other: Trial,
    pub(super) trial: Trial,
}

impl Ends {
    /// `true` above the best: bracketed.
    pub(super) fn is_higher(&self) -> bool {
        self.trial.value > self.best.value
    }

    /// `true` if sloping back, not above: bracketed.
    pub(super) fn turns(&self) -> bool {
        !self.is_higher() && self.trial.slope * self.best.slope.signum() < 0.0
    }

    /// Next step; not finite on failure.
    pub(super) fn propose(&self, bracketed: bool, range: [f64; 2]) -> f64 {
        if self.is_higher() {
            self.between_higher()
        } else if self.turns() {
            self.between_opposite()
        } else if self.trial.slope.abs() < self.best.slope.abs() {
            self.beyond_flatter(bracketed, range)
        } else if bracketed {
            Cubic::through(self.trial, self.other).minimiser()
        } else {
            self.far_end(range)
        }
    }

    /// Case 1: cubic, or half way to a nearer parabola.
    fn between_higher(&self) -> f64 {
        let cubic = Cubic::through(self.best, self.trial).minimiser();
        let parabola = parabola_minimiser(self.best, self.trial);
        let nearer = (cubic - self.best.step).abs() <= (parabola - self.best.step).abs();
        if nearer { cubic } else { cubic + 0.5 * (parabola - cubic) }
    }

    /// Case 2: cubic or secant, the farther.
    fn between_opposite(&self) -> f64 {
        let cubic = Cubic::through(self.trial, self.best).minimiser();
        let secant = secant_zero(self.trial, self.best);
        let further = (cubic - self.trial.step).abs() > (secant - self.trial.step).abs();
        if further { cubic } else { secant }
    }

    /// Case 3: flatter; the minimum lies beyond.
    fn beyond_flatter(&self, bracketed: bool, range: [f64; 2]) -> f64 {
        let trial = self.trial.step;
        let cubic = Cubic::through(self.trial, self.best).minimiser_beyond().unwrap_or(self.far_end(range));
        let secant = secant_zero(self.trial, self.best);
        let cubic_nearer = (cubic - trial).abs() < (secant - trial).abs();
        if bracketed {
            let step = if cubic_nearer { cubic } else { secant };
            let limit = trial + SHARE * (self.other.step - trial);
            if trial > self.best.step { step.min(limit) } else { step.max(limit) }
        } else {
            let step = if cubic_nearer { secant } else { cubic };
            step.max(range[0]).min(range[1])
        }
    }

    fn far_end(&self, range: [f64; 2]) -> f64 {
        if self.trial.step > self.best.step { range[1] } else { range[0] }
    }
}

struct Cubic {
    from: Trial,
    towards: Trial,
    /// Minimiser: `from + ratio · (towards − from)`.
    ratio: f64,
    /// Root in the formula; 0 for none.
    root: f64,
}

impl Cubic {
    fn through(from: Trial, towards: Trial) -> Self {
        let stride = towards.step - from.step;
        let theta = 3.0 * (from.value - towards.value) / stride + from.slope + towards.slope;
        let scale = theta.abs().max(from.slope.abs()).max(towards.slope.abs());
        let discriminant = (theta / scale).powi(2) - (from.slope / scale) * (towards.slope / scale);
        let root = scale * discriminant.max(0.0).sqrt() * stride.signum();
        let ratio = (root - from.slope + theta) / (root - from.slope + root + towards.slope);
        Self { from, towards, ratio, root }
    }

    fn minimiser(&self) -> f64 {
        self.from.step + self.ratio * (self.towards.step - self.from.step)
    }

    /// Minimiser beyond `from`, away from `towards`.
    fn minimiser_beyond(&self) -> Option<f64> {
        (self.ratio < 0.0 && self.root != 0.0).then(|| self.minimiser())
    }
}

fn parabola_minimiser(from: Trial, to: Trial) -> f64 {
    let stride = to.step - from.step;
    let chord = (from.value - to.value) / stride;
    from.step + 0.5 * from.slope / (chord + from.slope) * stride
}

fn secant_zero(from: Trial, to: Trial) -> f64 {
    from.step + from.slope / (from.slope - to.slope) * (to.step - from.step)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cubic(step: f64) -> Trial {
        Trial { step, value: step.powi(3) / 3.0 - step.powi(2), slope: step.powi(2) - 2.0 * step }
    }

    #[test]
    fn cubics_are_found_exactly_from_either_side() {
        for (from, to) in [(0.5, 3.0), (3.0, 0.5), (2.5, 5.0), (1.5, 1.9)] {
            let minimiser = Cubic::through(cubic(from), cubic(to)).minimiser();
            // A few roundings of numbers of size ten.
            assert!((minimiser - 2.0).abs() < 1e-14, "{from} {to}: {minimiser}");
        }
    }

    #[test]
    fn parabolas_are_found_exactly() {
        let parabola = |step: f64| Trial { step, value: (step - 2.0).powi(2), slope: 2.0 * (step - 2.0) };
        assert_eq!(parabola_minimiser(parabola(0.0), parabola(5.0)), 2.0);
        assert_eq!(secant_zero(parabola(0.0), parabola(4.0)), 2.0);
    }

    #[test]
    fn extrapolation_goes_to_the_far_end_when_the_cubic_falls_forever() {
        let falling = |step: f64| Trial { step, value: -step * step, slope: -2.0 * step };
        let ends = Ends { best: falling(1.0), other: falling(1.0), trial: falling(2.0) };
        assert_eq!(ends.propose(false, [3.1, 6.0]), 6.0);
    }
}
