//! Root of a non-decreasing function, for quantiles.

use crate::error::LikelihoodError;
use crate::special::logistic;

/// Exceeds a double's exponents.
const MAX_DOUBLINGS: u32 = 1100;
/// Every fourth step bisects: exhausts doubles.
const MAX_STEPS: u32 = 4800;
/// Steps allowed to halve a bracket.
const PATIENCE: u32 = 3;
/// Relative distance of equal ends.
const NARROW: f64 = 8.0 * f64::EPSILON;
/// Relative first step without known spread.
const SHORT: f64 = 1e-3;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Among {
    Reals,
    /// Log scale, > 0.
    Positives,
    /// Log-odds scale, in (0, 1).
    Shares,
    /// Scale `ln(1 + y)`, integers ≥ 0.
    Counts,
}

impl Among {
    fn before_all(self) -> f64 {
        match self {
            Self::Reals => f64::MIN,
            Self::Positives | Self::Shares => 0.0,
            Self::Counts => -1.0,
        }
    }

    fn after_all(self) -> f64 {
        if self == Self::Shares { 1.0 } else { f64::MAX }
    }

    fn place(self, y: f64) -> f64 {
        match self {
            Self::Reals => y,
            Self::Positives => y.max(0.5 * f64::MIN_POSITIVE).ln(),
            Self::Shares => y.max(0.5 * f64::MIN_POSITIVE).ln() - (-y.min(1.0 - 0.25 * f64::EPSILON)).ln_1p(),
            Self::Counts if y < 0.0 => -1.0,
            Self::Counts => y.ln_1p(),
        }
    }

    fn number(self, place: f64) -> f64 {
        match self {
            Self::Reals => place,
            Self::Positives => place.exp(),
            Self::Shares => logistic(place),
            Self::Counts => place.exp_m1().round(),
        }
    }

    fn start(self, (start, step): (f64, f64)) -> (f64, f64) {
        let start = if start.is_finite() { start } else { 0.0 };
        let step = if step.is_finite() && step > 0.0 { step } else { SHORT * start.abs().max(1.0) };
        match self {
            Self::Reals => (start, step),
            Self::Positives => {
                let start = start.max(f64::MIN_POSITIVE);
                (start, (step / start).ln_1p())
            }
            Self::Shares => {
                let start = start.clamp(f64::MIN_POSITIVE, 1.0 - f64::EPSILON);
                (start, (step / start / (1.0 - start)).ln_1p())
            }
            Self::Counts => {
                let start = start.round().max(0.0);
                (start, (step.max(1.0) / (1.0 + start)).ln_1p().max(NARROW))
            }
        }
    }

    fn away(self, y: f64, step: f64) -> f64 {
        let there = self.number(self.place(y) + step);
        match self {
            Self::Counts if step < 0.0 => there.min(y - 1.0),
            Self::Counts => there.max(y + 1.0),
            _ => there,
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct ValueAt {
    at: f64,
    value: f64,
}

impl ValueAt {
    fn reaches(self) -> bool {
        self.value >= 0.0
    }
}

/// Root in (low, high].
#[derive(Clone, Copy, Debug)]
struct Bracket {
    low: ValueAt,
    high: ValueAt,
}

/// Smallest number with `f` ≥ 0.
pub(crate) fn crossing(
    among: Among,
    (start, step): (f64, f64),
    f: &mut impl FnMut(f64) -> Result<f64, LikelihoodError>,
) -> Result<f64, LikelihoodError> {
    let (start, step) = among.start((start, step));
    let bracket = bracket(among, start, step, f)?;
    narrow(among, bracket, f)
}

pub(crate) fn crossing_between(
    among: Among,
    [low, high]: [f64; 2],
    f: &mut impl FnMut(f64) -> Result<f64, LikelihoodError>,
) -> Result<f64, LikelihoodError> {
    let [low, high] = [low, high].map(|at| ValueAt { at, value: f64::NAN });
    narrow(among, Bracket { low, high }, f)
}

fn bracket(
    among: Among,
    start: f64,
    mut step: f64,
    f: &mut impl FnMut(f64) -> Result<f64, LikelihoodError>,
) -> Result<Bracket, LikelihoodError> {
    // Outside the domain, f counts as negative below and positive above.
    let first = among.before_all();
    let mut here = ValueAt { at: start, value: f(start)? };
    let up = !here.reaches();
    for _ in 0..MAX_DOUBLINGS {
        let at = among.away(here.at, if up { step } else { -step });
        let next = if at >= among.after_all() {
            ValueAt { at: among.after_all(), value: f64::INFINITY }
        } else if at <= first {
            ValueAt { at: first, value: f64::NEG_INFINITY }
        } else {
            ValueAt { at, value: f(at)? }
        };
        match (up, next.reaches()) {
            (true, true) => return Ok(Bracket { low: here, high: next }),
            (false, false) => return Ok(Bracket { low: next, high: here }),
            _ => (here, step) = (next, 2.0 * step),
        }
    }
    Ok(Bracket { low: here, high: here })
}

/// Inverse quadratic interpolation where safe, else bisection (Chandrupatla 1997, Adv. Eng. Software 28).
fn narrow(
    among: Among,
    mut ends: Bracket,
    f: &mut impl FnMut(f64) -> Result<f64, LikelihoodError>,
) -> Result<f64, LikelihoodError> {
    let (mut share, mut patience, mut width) = (0.5, PATIENCE, ends.width(among));
    for _ in 0..MAX_STEPS {
        let is_one = ends.high.at - ends.low.at <= NARROW * ends.size();
        let Some(at) = ends.between(among, share).filter(|_| !is_one) else { break };
        let now = ValueAt { at, value: f(at)? };
        let side = if now.reaches() { &mut ends.high } else { &mut ends.low };
        let before = std::mem::replace(side, now);
        patience -= 1;
        let is_slow = ends.width(among) > 0.5 * width;
        share = if is_slow && patience == 0 { 0.5 } else { ends.next(among, now, before) };
        if !is_slow || patience == 0 {
            (patience, width) = (PATIENCE, ends.width(among));
        }
    }
    Ok(ends.high.at)
}

impl Bracket {
    fn width(&self, among: Among) -> f64 {
        among.place(self.high.at) - among.place(self.low.at)
    }

    fn size(&self) -> f64 {
        self.low.at.abs().max(self.high.at.abs())
    }

    /// Number at this fraction, else the middle, if inside.
    fn between(&self, among: Among, share: f64) -> Option<f64> {
        let inside = |at: &f64| *at > self.low.at && *at < self.high.at;
        let along = |share: f64| among.number(among.place(self.low.at) + share * self.width(among));
        let middle = 0.5 * self.low.at + 0.5 * self.high.at;
        match among {
            Among::Counts => {
                let at = along(share).max(self.low.at + 1.0).min(self.high.at - 1.0);
                Some(at).filter(inside).or(Some(middle.floor()).filter(inside))
            }
            _ => Some(along(share)).filter(inside).or(Some(middle).filter(inside)),
        }
    }

    /// Quadratic's root, away from the ends; ½ if unsafe.
    fn next(&self, among: Among, now: ValueAt, before: ValueAt) -> f64 {
        let other = if now.reaches() { self.low } else { self.high };
        let [a, b, c] = [now, other, before].map(|place| ValueAt { at: among.place(place.at), ..place });
        let (xi, phi) = ((a.at - b.at) / (c.at - b.at), (a.value - b.value) / (c.value - b.value));
        let is_safe = phi * phi < xi && (1.0 - phi) * (1.0 - phi) < 1.0 - xi;
        let along = a.value / (b.value - a.value) * c.value / (b.value - c.value)
            + (c.at - a.at) / (b.at - a.at) * a.value / (c.value - a.value) * b.value / (c.value - b.value);
        if !is_safe || !along.is_finite() {
            return 0.5;
        }
        let size = if among == Among::Reals { self.size() } else { 1.0 };
        let least = (0.5 * NARROW * size / self.width(among)).min(0.5);
        (if now.reaches() { 1.0 - along } else { along }).clamp(least, 1.0 - least)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(among: Among, about: (f64, f64), f: impl Fn(f64) -> f64) -> (f64, u32) {
        let mut count = 0;
        let at = crossing(among, about, &mut |y| {
            count += 1;
            Ok(f(y))
        });
        (at.unwrap(), count)
    }

    #[test]
    fn smooth_functions_take_few_evaluations() {
        for place in [-3.0f64, 1e-9, 0.3, 7e5] {
            for about in [(0.0, 1.0), (place + 0.1, 0.5)] {
                let (at, count) = found(Among::Reals, about, |y| (y - place).tanh());
                assert!((at - place).abs() <= 1e-15 + 2e-15 * place.abs(), "{at} is not {place}");
                assert!(count < 60, "{count} for {place} from {about:?}");
            }
        }
        let (_, count) = found(Among::Reals, (0.9, 0.3), |y| (y - 1.0).tanh() + 0.2);
        assert!(count <= 14, "{count}");
    }

    #[test]
    fn steps_and_level_pieces_have_their_first_point() {
        let (at, count) = found(Among::Reals, (0.0, 1.0), |y| if y >= 0.3 { 0.0 } else { -1.0 });
        assert!((at - 0.3).abs() < 1e-15 && count < 250, "{at}, {count}");
        let (at, _) = found(Among::Reals, (5.0, 1.0), |y| if y >= 0.3 { 0.0 } else { y - 0.3 });
        assert!((at - 0.3).abs() < 1e-15, "{at}");
        // All values negative, all positive, all NaN.
        assert_eq!(found(Among::Reals, (0.0, 1.0), |_| -1.0).0, f64::MAX);
        assert!(found(Among::Reals, (0.0, 1.0), |_| 1.0).0 < -1e300);
        assert_eq!(found(Among::Reals, (0.0, 1.0), |_| f64::NAN).0, f64::MAX);
    }

    #[test]
    fn counts_are_whole() {
        let starts = [(7.0, 2.0), (0.0, 1.0), (f64::NAN, f64::INFINITY), (1.1e6, 1e3)];
        for (threshold, start) in [0.0f64, 3.2, 3.2, 1e6].into_iter().zip(starts) {
            let (at, count) = found(Among::Counts, start, |y| y - threshold);
            assert_eq!(at, threshold.ceil());
            assert!(count < 30, "{count}");
        }
    }

    #[test]
    fn logarithms_make_all_sizes_near() {
        for place in [1e-290f64, 3e-9, 0.7, 1e6, 1e40, 1e290] {
            for start in [(1.0, 0.5), (0.9 * place, 0.1 * place)] {
                let (at, count) = found(Among::Positives, start, |y| (0.3 * (y.ln() - place.ln())).tanh());
                assert!((at / place - 1.0).abs() < 1e-12, "{at} instead of {place}");
                assert!(count < 120, "{count} for {place}");
                let (at, count) = found(Among::Counts, start, |y| (0.3 * (y.ln_1p() - place.ln())).tanh());
                let exact = (place - 1.0).ceil().max(0.0);
                // Where doubles are more than 1 apart, a neighbour is exact enough.
                assert!((at - exact).abs() <= 1e-12 * exact, "{at} instead of {exact}");
                assert!(count < 120, "{count} for the count {place}");
            }
        }
    }

    #[test]
    fn shares_stay_between_their_ends() {
        for odds in [-600.0, -30.0, 0.2, 20.0f64] {
            let (at, count) =
                found(Among::Shares, (0.5, 0.1), |y| (0.2 * (y.ln() - (-y).ln_1p() - odds)).tanh());
            assert!((at / logistic(odds) - 1.0).abs() < 1e-12 && count < 60, "{at} for {odds}, {count}");
        }
        assert_eq!(found(Among::Shares, (0.5, 0.1), |_| -1.0).0, 1.0);
        assert!(found(Among::Shares, (0.5, 0.1), |_| 1.0).0 < 1e-300);
    }

    #[test]
    fn two_ends_are_enough() {
        let at = |among| crossing_between(among, [-2.0, 9.0], &mut |y| Ok(y.powi(3) - 8.5)).unwrap();
        assert!((at(Among::Reals) - 8.5f64.cbrt()).abs() < 1e-14);
        assert_eq!(at(Among::Counts), 3.0);
        assert!((at(Among::Positives) - 8.5f64.cbrt()).abs() < 1e-14);
    }
}
