//! Line search of bounded cost that recovers from failed evaluations.

mod cubic;
mod more_thuente;

use more_thuente::MoreThuente;

/// Sufficient decrease, per initial slope.
const DECREASE: f64 = 1e-3;
/// Curvature condition, per initial slope; loose: unit steps mostly pass.
const FLATNESS: f64 = 0.9;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Trial {
    pub(super) step: f64,
    pub(super) value: f64,
    pub(super) slope: f64,
}

impl Trial {
    fn decreases(&self, start: &Self) -> bool {
        self.value <= start.value + DECREASE * start.slope * self.step
    }

    fn satisfies_wolfe(&self, start: &Self) -> bool {
        self.decreases(start) && self.slope.abs() <= -FLATNESS * start.slope
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Outcome {
    Finite(Trial),
    Failed,
    /// Known point; not evaluated.
    Known,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SearchCost {
    pub(super) evaluations: u64,
    pub(super) failures: u64,
}

/// Searches from `start` for the strong Wolfe conditions.
///
/// After a failure, sufficient decrease is enough: flat slopes may lie beyond it. Callers keep the lowest trial.
pub(super) fn search(
    start: Trial,
    first_step: f64,
    limit: u64,
    mut evaluate: impl FnMut(f64) -> Outcome,
) -> SearchCost {
    let mut cost = SearchCost { evaluations: 0, failures: 0 };
    let mut interval = MoreThuente::new(start, first_step);
    let mut wall = f64::INFINITY;
    let mut step = first_step;
    while cost.evaluations < limit {
        let outcome = evaluate(step);
        cost.evaluations += u64::from(outcome != Outcome::Known);
        let next = match outcome {
            Outcome::Known => break,
            Outcome::Finite(trial) if trial.satisfies_wolfe(&start) => break,
            Outcome::Finite(trial) if cost.failures > 0 && trial.decreases(&start) => break,
            Outcome::Finite(trial) => {
                interval.next_step(trial).map(|next| short_of(wall, next, interval.best_step()))
            }
            Outcome::Failed => {
                cost.failures += 1;
                wall = if step > interval.best_step() { wall.min(step) } else { wall };
                step_back(step, interval.best_step(), cost.failures)
            }
        };
        match next {
            Some(next) => step = next,
            None => break,
        }
    }
    cost
}

fn short_of(wall: f64, next: f64, best: f64) -> f64 {
    if next < wall { next } else { best + 0.5 * (wall - best) }
}

fn step_back(failed: f64, best: f64, failures: u64) -> Option<f64> {
    let share = if failures == 1 { 0.5 } else { 0.1 };
    let next = best + share * (failed - best);
    (next != best && next != failed).then_some(next)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lowest(f: impl Fn(f64) -> Option<(f64, f64)>, first: f64, limit: u64) -> (Trial, SearchCost) {
        let trial = |step: f64| f(step).map(|(value, slope)| Trial { step, value, slope });
        let start = trial(0.0).unwrap_or(Trial { step: 0.0, value: f64::NAN, slope: f64::NAN });
        let mut lowest = start;
        let cost = search(start, first, limit, |step| {
            let found = trial(step);
            lowest = found.filter(|found| found.value < lowest.value).unwrap_or(lowest);
            found.map_or(Outcome::Failed, Outcome::Finite)
        });
        (lowest, cost)
    }

    // Functions 1 to 3 of Moré and Thuente (1994).
    const FIRST_STEPS: [f64; 5] = [1e-3, 1e-1, 1.0, 1e1, 1e3];

    #[test]
    fn a_long_valley_ends_with_the_strong_wolfe_conditions() {
        let rational = |t: f64| Some((-t / (t * t + 2.0), (t * t - 2.0) / (t * t + 2.0).powi(2)));
        for first in FIRST_STEPS {
            let (end, cost) = lowest(rational, first, 20);
            let start = Trial { step: 0.0, value: 0.0, slope: -0.5 };
            assert!(end.satisfies_wolfe(&start), "from {first}: {end:?}");
            assert!(cost.evaluations <= 12 && cost.failures == 0, "from {first}: {cost:?}");
        }
    }

    #[test]
    fn a_slope_too_small_to_match_ends_near_the_minimum() {
        // With an initial slope of −5e-7, brackets of relative width 0.1 cannot meet the conditions.
        let power = |t: f64| {
            let s = t + 0.004;
            Some((s.powi(5) - 2.0 * s.powi(4), 5.0 * s.powi(4) - 8.0 * s.powi(3)))
        };
        for first in FIRST_STEPS {
            let (end, cost) = lowest(power, first, 20);
            assert!((end.step - 1.596).abs() < 0.16, "from {first}: {end:?}");
            assert!(cost.evaluations < 20, "from {first}: {cost:?}");
        }
    }

    #[test]
    fn ripples_on_the_way_down_do_not_catch_it() {
        let ripples = |t: f64| {
            let half = std::f64::consts::FRAC_PI_2 * 39.0;
            let bend = if t <= 0.99 {
                1.0 - t
            } else if t >= 1.01 {
                t - 1.0
            } else {
                50.0 * (t - 1.0).powi(2) + 0.005
            };
            let slope = if t <= 0.99 {
                -1.0
            } else if t >= 1.01 {
                1.0
            } else {
                100.0 * (t - 1.0)
            };
            let size = 2.0 * 0.99 / (39.0 * std::f64::consts::PI);
            Some((bend + size * (half * t).sin(), slope + 0.99 * (half * t).cos()))
        };
        for first in FIRST_STEPS {
            let (end, cost) = lowest(ripples, first, 20);
            assert!(end.value < ripples(0.0).unwrap().0 && cost.evaluations <= 20, "from {first}: {end:?}");
        }
    }

    #[test]
    fn a_wall_is_stepped_back_from_and_counted() {
        for wall in [0.3, 1e-3, 1e-9] {
            let (end, cost) = lowest(|t| (t < wall).then_some((-t, -1.0)), 1.0, 20);
            assert!(end.step > 0.0 && end.step < wall, "{wall}: {end:?}");
            assert!(cost.failures > 0 && cost.failures < cost.evaluations);
        }
    }

    #[test]
    fn a_huge_penalty_is_left_behind() {
        let (end, cost) = lowest(|t| Some(if t < 0.3 { (-t, -1.0) } else { (1e30, 0.0) }), 1.0, 20);
        assert!(end.step > 0.0 && end.step < 0.3 && cost.evaluations <= 20, "{end:?} {cost:?}");
    }

    #[test]
    fn nowhere_to_go_ends_within_the_limit() {
        let (end, cost) = lowest(|t| (t == 0.0).then_some((0.0, -1.0)), 1.0, 20);
        assert_eq!((end.step, cost), (0.0, SearchCost { evaluations: 20, failures: 20 }));
        let (end, cost) = lowest(|t| Some((t.abs(), -1.0)), 1.0, 20);
        assert!(end.step == 0.0 && cost.evaluations <= 20);
    }
}
