//! Objective along a search direction.

use super::Work;
use crate::solvers::BadEvaluation;
use crate::solvers::line_search::{Outcome, Trial};
use crate::solvers::vector::dot;
use argmin::core::{CostFunction, Gradient, Problem};

/// Objective at x + step · direction.
pub(super) struct Ray<'a> {
    origin: &'a [f64],
    start: Trial,
    work: &'a mut Work,
    lowest: Option<Found>,
    failure: Option<String>,
}

pub(super) struct Found {
    pub(super) step: f64,
    pub(super) value: f64,
    pub(super) gradient: Vec<f64>,
}

impl<'a> Ray<'a> {
    pub(super) fn new(origin: &'a [f64], value: f64, slope: f64, work: &'a mut Work) -> Self {
        let start = Trial { step: 0.0, value, slope };
        // NaN differs from every trial.
        work.point.clear();
        work.point.resize(origin.len(), f64::NAN);
        Self { origin, start, work, lowest: None, failure: None }
    }

    pub(super) fn start(&self) -> Trial {
        self.start
    }

    pub(super) fn try_step<O>(&mut self, problem: &mut Problem<O>, step: f64) -> Outcome
    where
        O: CostFunction<Param = Vec<f64>, Output = f64> + Gradient<Param = Vec<f64>, Gradient = Vec<f64>>,
    {
        if !self.go_to(step) {
            return Outcome::Known;
        }
        match self.evaluate_here(problem) {
            Ok((value, gradient, slope)) => {
                self.remember(step, value, gradient);
                Outcome::Finite(Trial { step, value, slope })
            }
            Err(bad) => {
                self.failure = Some(bad.to_string());
                Outcome::Failed
            }
        }
    }

    /// `true` if neither origin nor last point.
    fn go_to(&mut self, step: f64) -> bool {
        let Work { direction, point, .. } = &mut *self.work;
        let (mut left_origin, mut left_last) = (false, false);
        for ((point, &origin), direction) in point.iter_mut().zip(self.origin).zip(direction.iter()) {
            let next = origin + step * direction;
            left_origin |= next != origin;
            left_last |= next != *point;
            *point = next;
        }
        left_origin && left_last
    }

    fn evaluate_here<O>(&self, problem: &mut Problem<O>) -> Result<(f64, Vec<f64>, f64), BadEvaluation>
    where
        O: CostFunction<Param = Vec<f64>, Output = f64> + Gradient<Param = Vec<f64>, Gradient = Vec<f64>>,
    {
        if self.work.point.iter().any(|x| !x.is_finite()) {
            return Err(BadEvaluation::Overflow);
        }
        let (value, gradient) = evaluate(problem, &self.work.point)?;
        let slope = dot(&gradient, &self.work.direction);
        if slope.is_finite() { Ok((value, gradient, slope)) } else { Err(BadEvaluation::Overflow) }
    }

    fn remember(&mut self, step: f64, value: f64, gradient: Vec<f64>) {
        let bar = self.lowest.as_ref().map_or(self.start.value, |lowest| lowest.value);
        if value < bar {
            self.lowest = Some(Found { step, value, gradient });
        }
    }

    pub(super) fn finish(self) -> (Option<Found>, Option<String>) {
        (self.lowest, self.failure)
    }
}

pub(super) fn evaluate<O>(
    problem: &mut Problem<O>,
    point: &Vec<f64>,
) -> Result<(f64, Vec<f64>), BadEvaluation>
where
    O: CostFunction<Param = Vec<f64>, Output = f64> + Gradient<Param = Vec<f64>, Gradient = Vec<f64>>,
{
    let failed = |error: argmin::core::Error| BadEvaluation::Failed { message: format!("{error:#}") };
    let value = problem.cost(point).map_err(failed)?;
    if !value.is_finite() {
        return Err(BadEvaluation::Value { value });
    }
    let gradient = problem.gradient(point).map_err(failed)?;
    if gradient.len() != point.len() {
        return Err(BadEvaluation::GradientLength { parameters: point.len(), entries: gradient.len() });
    }
    match gradient.iter().position(|entry| !entry.is_finite()) {
        Some(index) => Err(BadEvaluation::Gradient { index, value: gradient[index] }),
        None => Ok((value, gradient)),
    }
}
