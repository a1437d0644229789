//! Objectives for argmin, evaluated once per point.

use super::run::Remembers;
use crate::objective::Objective;
use argmin::core::{CostFunction, Error, Gradient};
use serde::{Deserialize, Serialize};
use std::cell::RefCell;

/// Points kept: line searches return to start and best.
const REMEMBERED: usize = 4;

/// Error of an objective.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[error("{message}")]
pub struct EvaluationFailed {
    /// Message of the objective.
    pub message: String,
}

/// [`Objective`] as argmin's [`CostFunction`] and [`Gradient`].
///
/// Keeps the last four results, including failures; compares points bitwise.
///
/// ```
/// use argmin::core::{CostFunction, Gradient};
/// use gp_optim::{CachedObjective, argmin};
/// use std::convert::Infallible;
///
/// let parabola = |x: &[f64], gradient: &mut [f64]| {
///     gradient[0] = 2.0 * x[0];
///     Ok::<f64, Infallible>(x[0] * x[0])
/// };
/// let problem = CachedObjective::new(parabola);
/// let at = vec![3.0];
/// assert_eq!(problem.cost(&at)?, 9.0);
/// assert_eq!(problem.gradient(&at)?, [6.0]);
/// assert_eq!(problem.evaluations(), 1);
/// # Ok::<(), argmin::core::Error>(())
/// ```
#[derive(Debug)]
pub struct CachedObjective<O> {
    // argmin evaluates through a shared reference.
    inner: RefCell<Inner<O>>,
}

#[derive(Debug)]
struct Inner<O> {
    objective: O,
    remembered: Vec<Remembered>,
    /// Oldest entry, overwritten next.
    next: usize,
    evaluations: u64,
}

#[derive(Debug, Serialize, Deserialize)]
struct Remembered {
    point: Vec<f64>,
    value: Result<f64, EvaluationFailed>,
    gradient: Vec<f64>,
}

/// Points, next, evaluations, objective's state.
type CachedMemory = (Vec<Remembered>, usize, u64, Vec<u8>);

impl<O: Objective> CachedObjective<O> {
    /// Wraps an objective without evaluations.
    pub fn new(objective: O) -> Self {
        let inner = Inner { objective, remembered: Vec::with_capacity(REMEMBERED), next: 0, evaluations: 0 };
        Self { inner: RefCell::new(inner) }
    }

    /// Evaluations, failures included.
    #[must_use]
    pub fn evaluations(&self) -> u64 {
        self.inner.borrow().evaluations
    }

    /// Returns the objective.
    #[must_use]
    pub fn into_inner(self) -> O {
        self.inner.into_inner().objective
    }
}

impl<O: Objective> Inner<O> {
    fn at(&mut self, point: &[f64]) -> &Remembered {
        let known = self.remembered.iter().position(|entry| same_bits(&entry.point, point));
        let index = known.unwrap_or_else(|| self.evaluate(point));
        &self.remembered[index]
    }

    /// Index of the new entry.
    fn evaluate(&mut self, point: &[f64]) -> usize {
        let index = self.next;
        self.next = (index + 1) % REMEMBERED;
        if index == self.remembered.len() {
            self.remembered.push(Remembered { point: Vec::new(), value: Ok(0.0), gradient: Vec::new() });
        }
        let entry = &mut self.remembered[index];
        entry.point.clear();
        entry.point.extend_from_slice(point);
        // Unwritten entries must not look like derivatives.
        entry.gradient.clear();
        entry.gradient.resize(point.len(), f64::NAN);
        self.evaluations += 1;
        let value = self.objective.evaluate(point, &mut entry.gradient);
        entry.value = value.map_err(|error| EvaluationFailed { message: error.to_string() });
        index
    }
}

impl<O: Objective> CostFunction for CachedObjective<O> {
    type Param = Vec<f64>;
    type Output = f64;

    fn cost(&self, param: &Vec<f64>) -> Result<f64, Error> {
        Ok(self.inner.borrow_mut().at(param).value.clone()?)
    }
}

impl<O: Objective> Gradient for CachedObjective<O> {
    type Param = Vec<f64>;
    type Gradient = Vec<f64>;

    fn gradient(&self, param: &Vec<f64>) -> Result<Vec<f64>, Error> {
        let mut inner = self.inner.borrow_mut();
        let entry = inner.at(param);
        entry.value.clone()?;
        Ok(entry.gradient.clone())
    }
}

/// Includes cached points, for the same values.
impl<O: Objective> Remembers for CachedObjective<O> {
    fn has_memory(&self) -> bool {
        self.inner.borrow().objective.memory().is_ok_and(|memory| !memory.is_empty())
    }

    fn memory(&self) -> Result<Vec<u8>, String> {
        let inner = self.inner.borrow();
        let own = inner.objective.memory()?;
        let whole = (&inner.remembered, inner.next, inner.evaluations, own);
        postcard::to_stdvec(&whole).map_err(|error| error.to_string())
    }

    fn recall(&mut self, memory: &[u8]) -> Result<(), String> {
        let inner = self.inner.get_mut();
        let (remembered, next, evaluations, own): CachedMemory =
            postcard::from_bytes(memory).map_err(|error| error.to_string())?;
        if remembered.len() > REMEMBERED || next >= REMEMBERED || next > remembered.len() {
            return Err("it remembers more points than there is room for".to_owned());
        }
        (inner.remembered, inner.next, inner.evaluations) = (remembered, next, evaluations);
        inner.objective.recall(&own)
    }
}

pub(super) fn own_memory(memory: &[u8]) -> Result<Vec<u8>, String> {
    let (_, _, _, own): CachedMemory = postcard::from_bytes(memory).map_err(|error| error.to_string())?;
    Ok(own)
}

fn same_bits(a: &[f64], b: &[f64]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.to_bits() == b.to_bits())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square(x: &[f64], gradient: &mut [f64]) -> Result<f64, String> {
        gradient[0] = 2.0 * x[0];
        if x[0] < 0.0 { Err(format!("{} is negative", x[0])) } else { Ok(x[0] * x[0]) }
    }

    #[test]
    fn each_point_is_evaluated_once_while_remembered() {
        let problem = CachedObjective::new(square);
        let points: Vec<Vec<f64>> = (0..4).map(|i| vec![f64::from(i)]).collect();
        for point in points.iter().chain(&points) {
            assert_eq!(problem.cost(point).unwrap(), point[0] * point[0]);
            assert_eq!(problem.gradient(point).unwrap(), [2.0 * point[0]]);
        }
        assert_eq!(problem.evaluations(), 4);
        problem.cost(&vec![4.0]).unwrap();
        problem.cost(&points[3]).unwrap();
        assert_eq!(problem.evaluations(), 5);
        problem.cost(&points[0]).unwrap();
        assert_eq!(problem.evaluations(), 6);
    }

    #[test]
    fn zero_and_minus_zero_are_two_points() {
        let problem = CachedObjective::new(square);
        problem.cost(&vec![0.0]).unwrap();
        problem.cost(&vec![-0.0]).unwrap();
        assert_eq!(problem.evaluations(), 2);
    }

    #[test]
    fn failures_keep_their_message_and_are_remembered() {
        let problem = CachedObjective::new(square);
        let at = vec![-1.5];
        assert_eq!(problem.cost(&at).unwrap_err().to_string(), "-1.5 is negative");
        assert_eq!(problem.gradient(&at).unwrap_err().to_string(), "-1.5 is negative");
        assert_eq!(problem.evaluations(), 1);
    }

    #[test]
    fn forgotten_gradient_entries_are_not_numbers() {
        let problem = CachedObjective::new(|_: &[f64], _: &mut [f64]| Ok::<f64, String>(1.0));
        assert!(problem.gradient(&vec![0.0]).unwrap()[0].is_nan());
    }
}
