//! Limited-memory BFGS that recovers from failed evaluations.

mod memory;
mod options;
mod ray;

pub use options::LbfgsOptions;

use super::error::OptimError;
use super::line_search::{SearchCost, search};
use super::state::GradientState;
use super::stop::StopReason;
use super::vector::{add_scaled, dot, norm};
use argmin::core::{CostFunction, Error, Gradient, KV, Problem, Solver, TerminationStatus};
use memory::Memory;
use ray::{Found, Ray, evaluate};
use serde::{Deserialize, Serialize};

/// Largest predicted decrease at a minimum, in units of negligible ones; barriers predict more.
const KEPT_PROMISE: f64 = 100.0;
/// Decrease tried along a steep gradient, in the same units.
const SEEN_TO_FALL: f64 = 0.1;
/// Smallest measurable decrease, in rounding errors.
const ROUNDINGS: f64 = 1e3;

/// argmin's state of an [`Lbfgs`].
pub type LbfgsState = GradientState<Vec<f64>>;

/// L-BFGS, an argmin [`Solver`] that recovers from failed evaluations.
///
/// Evaluates [`CostFunction`] and [`Gradient`] at equal points; see [`CachedObjective`](super::CachedObjective).
///
/// - Failed or non-finite evaluations shorten the step; at the start, an [`OptimError`].
/// - The state's point is the lowest so far.
///
/// Line search: Moré and Thuente (1994), strong Wolfe conditions, L-BFGS-B's constants, bounded cost.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Lbfgs {
    options: LbfgsOptions,
    memory: Memory,
    /// Length of the last step.
    length: f64,
    counts: Counts,
    last_failure: Option<String>,
    stop: Option<StopReason>,
    #[serde(skip)]
    work: Work,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Counts {
    evaluations: u64,
    failures: u64,
    idle: u64,
}

#[derive(Clone, Debug, Default)]
struct Work {
    direction: Vec<f64>,
    point: Vec<f64>,
    shares: Vec<f64>,
}

struct Iterate {
    x: Vec<f64>,
    value: f64,
    gradient: Vec<f64>,
}

impl Lbfgs {
    /// Solver with these settings.
    ///
    /// # Errors
    /// [`OptimError::InvalidOption`].
    pub fn new(options: LbfgsOptions) -> Result<Self, OptimError> {
        options.validate()?;
        Ok(Self {
            memory: Memory::new(options.memory),
            length: options.first_step,
            counts: Counts::default(),
            last_failure: None,
            stop: None,
            work: Work::default(),
            options,
        })
    }

    /// Settings from construction.
    #[must_use]
    pub fn options(&self) -> &LbfgsOptions {
        &self.options
    }

    /// Evaluations, failures included.
    #[must_use]
    pub fn evaluations(&self) -> u64 {
        self.counts.evaluations
    }

    /// Failed or non-finite evaluations.
    #[must_use]
    pub fn failed_evaluations(&self) -> u64 {
        self.counts.failures
    }

    /// Last failure's message.
    #[must_use]
    pub fn last_failure(&self) -> Option<&str> {
        self.last_failure.as_deref()
    }

    /// Solver's own reason to stop.
    #[must_use]
    pub fn stop_reason(&self) -> Option<&StopReason> {
        self.stop.as_ref()
    }

    fn advance<O>(&mut self, problem: &mut Problem<O>, here: Iterate) -> Iterate
    where
        O: CostFunction<Param = Vec<f64>, Output = f64> + Gradient<Param = Vec<f64>, Gradient = Vec<f64>>,
    {
        let (mut found, mut cost, promise) = self.descend(problem, &here);
        if found.is_none() && !self.memory.is_empty() {
            self.memory.clear();
            let (retried, more, _) = self.descend(problem, &here);
            found = retried;
            cost = SearchCost {
                evaluations: cost.evaluations + more.evaluations,
                failures: cost.failures + more.failures,
            };
        }
        let there = match found {
            Some(found) => self.accept(here, found, promise),
            None => {
                self.stop = Some(self.reason_to_give_up(&here, cost, promise));
                here
            }
        };
        self.question_plateau(problem, there)
    }

    /// Turns a plateau into [`StopReason::Blocked`] if the value ignores a steep gradient.
    fn question_plateau<O>(&mut self, problem: &mut Problem<O>, at: Iterate) -> Iterate
    where
        O: CostFunction<Param = Vec<f64>, Output = f64> + Gradient<Param = Vec<f64>, Gradient = Vec<f64>>,
    {
        if self.stop != Some(StopReason::Plateau) || relative_gradient(&at) <= self.steep_gradient() {
            return at;
        }
        if self.counts.evaluations >= self.options.max_evaluations {
            self.stop = Some(StopReason::MaxEvaluations);
            return at;
        }
        let (short, fall) = self.short_step_down(&at);
        self.counts.evaluations += 1;
        let found = evaluate(problem, &short);
        if !found.as_ref().is_ok_and(|(value, _)| at.value - value >= 0.5 * fall) {
            self.stop = Some(StopReason::Blocked);
        }
        match found {
            Ok((value, gradient)) if value < at.value => Iterate { x: short, value, gradient },
            Ok(_) => at,
            Err(bad) => {
                self.counts.failures += 1;
                self.last_failure = Some(bad.to_string());
                at
            }
        }
    }

    fn short_step_down(&self, at: &Iterate) -> (Vec<f64>, f64) {
        let rounding = ROUNDINGS * f64::EPSILON * at.value.abs().max(1.0);
        let fall = (SEEN_TO_FALL * self.no_decrease(at.value)).max(rounding);
        let mut point = at.x.clone();
        add_scaled(&mut point, -fall / dot(&at.gradient, &at.gradient), &at.gradient);
        (point, fall)
    }

    /// Relative gradient above which plateaus are checked: at curvature |f|, it predicts a plateau's largest decrease.
    fn steep_gradient(&self) -> f64 {
        (2.0 * KEPT_PROMISE * self.options.value_tolerance).sqrt().max(self.options.gradient_tolerance)
    }

    /// Lowest point below `here`, cost, predicted decrease (infinite without pairs).
    fn descend<O>(&mut self, problem: &mut Problem<O>, here: &Iterate) -> (Option<Found>, SearchCost, f64)
    where
        O: CostFunction<Param = Vec<f64>, Output = f64> + Gradient<Param = Vec<f64>, Gradient = Vec<f64>>,
    {
        let slope = self.aim(&here.gradient);
        let (first, promise) = if self.memory.is_empty() {
            (self.length / norm(&here.gradient), f64::INFINITY)
        } else {
            (1.0, -0.5 * slope)
        };
        let left = self.options.max_evaluations.saturating_sub(self.counts.evaluations);
        let limit = self.options.search_evaluations.min(left);
        let mut ray = Ray::new(&here.x, here.value, slope, &mut self.work);
        let cost = search(ray.start(), first, limit, |step| ray.try_step(problem, step));
        let (found, failure) = ray.finish();
        self.counts.evaluations += cost.evaluations;
        self.counts.failures += cost.failures;
        self.last_failure = failure.or(self.last_failure.take());
        (found, cost, promise)
    }

    /// Negative slope; clears a memory that points uphill.
    fn aim(&mut self, gradient: &[f64]) -> f64 {
        loop {
            self.memory.direction(gradient, &mut self.work.shares, &mut self.work.direction);
            let slope = dot(gradient, &self.work.direction);
            if self.memory.is_empty() || (slope < 0.0 && slope.is_finite()) {
                return slope;
            }
            self.memory.clear();
        }
    }

    fn accept(&mut self, here: Iterate, found: Found, promise: f64) -> Iterate {
        let mut x = std::mem::take(&mut self.work.point);
        x.clone_from(&here.x);
        add_scaled(&mut x, found.step, &self.work.direction);
        let there = Iterate { x, value: found.value, gradient: found.gradient };
        self.memory.learn((&here.x, &here.gradient), (&there.x, &there.gradient));
        self.length = found.step * norm(&self.work.direction);
        let idle = here.value - there.value <= self.no_decrease(there.value);
        self.counts.idle = if idle { self.counts.idle + 1 } else { 0 };
        self.stop = self.reason_to_stop(&there, promise);
        self.work.point = here.x;
        there
    }

    fn no_decrease(&self, value: f64) -> f64 {
        self.options.value_tolerance * value.abs().max(1.0)
    }

    fn reason_to_stop(&self, at: &Iterate, promise: f64) -> Option<StopReason> {
        if relative_gradient(at) <= self.options.gradient_tolerance {
            Some(StopReason::SmallGradient)
        } else if self.counts.idle >= self.options.plateau {
            let flat = promise <= KEPT_PROMISE * self.no_decrease(at.value);
            Some(if flat { StopReason::Plateau } else { StopReason::Blocked })
        } else if self.counts.evaluations >= self.options.max_evaluations {
            Some(StopReason::MaxEvaluations)
        } else {
            None
        }
    }

    fn reason_to_give_up(&self, here: &Iterate, cost: SearchCost, promise: f64) -> StopReason {
        if self.counts.evaluations >= self.options.max_evaluations {
            StopReason::MaxEvaluations
        } else if promise <= KEPT_PROMISE * self.no_decrease(here.value) {
            StopReason::Plateau
        } else if cost.failures > 0 {
            StopReason::Blocked
        } else {
            StopReason::NoProgress
        }
    }
}

impl<O> Solver<O, LbfgsState> for Lbfgs
where
    O: CostFunction<Param = Vec<f64>, Output = f64> + Gradient<Param = Vec<f64>, Gradient = Vec<f64>>,
{
    fn name(&self) -> &'static str {
        "guarded L-BFGS"
    }

    fn init(
        &mut self,
        problem: &mut Problem<O>,
        mut state: LbfgsState,
    ) -> Result<(LbfgsState, Option<KV>), Error> {
        let x = state.take_param().unwrap_or_default();
        let start = start(problem, x)?;
        self.counts.evaluations += 1;
        self.stop = self.reason_to_stop(&start, f64::INFINITY);
        Ok((with_iterate(state, start), None))
    }

    fn next_iter(
        &mut self,
        problem: &mut Problem<O>,
        mut state: LbfgsState,
    ) -> Result<(LbfgsState, Option<KV>), Error> {
        let x = state.take_param().unwrap_or_default();
        let gradient = state.take_gradient().unwrap_or_default();
        if x.is_empty() || gradient.len() != x.len() || !self.memory.fits(x.len()) {
            let message = "parameters, gradient and memory are of different lengths".to_owned();
            return Err(OptimError::BrokenOff { message }.into());
        }
        let here = Iterate { x, value: state.cost, gradient };
        let there = self.advance(problem, here);
        Ok((with_iterate(state, there), None))
    }

    fn terminate(&mut self, _state: &LbfgsState) -> TerminationStatus {
        StopReason::status(self.stop.as_ref())
    }
}

fn with_iterate(state: LbfgsState, iterate: Iterate) -> LbfgsState {
    state.param(iterate.x).cost(iterate.value).gradient(iterate.gradient)
}

fn start<O>(problem: &mut Problem<O>, x: Vec<f64>) -> Result<Iterate, OptimError>
where
    O: CostFunction<Param = Vec<f64>, Output = f64> + Gradient<Param = Vec<f64>, Gradient = Vec<f64>>,
{
    if x.is_empty() {
        return Err(OptimError::NoParameters);
    }
    if let Some(index) = x.iter().position(|value| !value.is_finite()) {
        return Err(OptimError::StartNotFinite { index, value: x[index] });
    }
    let (value, gradient) = evaluate(problem, &x).map_err(OptimError::Start)?;
    Ok(Iterate { x, value, gradient })
}

/// `max |gᵢ| max(|xᵢ|, 1) / max(|f|, 1)`
fn relative_gradient(at: &Iterate) -> f64 {
    let scaled = at.gradient.iter().zip(&at.x).map(|(g, x)| g.abs() * x.abs().max(1.0));
    scaled.fold(0.0, f64::max) / at.value.abs().max(1.0)
}
