//! Solver of a schedule.

use super::restricted::Restricted;
use super::{Groups, Schedule, Stage};
use crate::solvers::lbfgs::{Lbfgs, LbfgsState};
use crate::solvers::options::check;
use crate::solvers::{GroupError, OptimError, StopReason};
use argmin::core::{CostFunction, Error, Gradient, KV, Problem, Solver, State, TerminationStatus};
use serde::{Deserialize, Serialize};

/// L-BFGS over groups in turn, an argmin [`Solver`]. Fixed parameters have gradient zero.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct StagedLbfgs {
    schedule: Schedule,
    parameters: usize,
    moved: Vec<Vec<usize>>,
    at: Position,
    lbfgs: Lbfgs,
    earlier: Earlier,
    stop: Option<StopReason>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Position {
    rounds: u64,
    stage: usize,
    steps: u64,
    before: Option<f64>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Earlier {
    evaluations: u64,
    failures: u64,
    last_failure: Option<String>,
}

impl StagedLbfgs {
    /// Solver of a schedule.
    ///
    /// # Errors
    /// [`OptimError`] for invalid groups or settings.
    pub fn new(groups: &Groups, schedule: Schedule) -> Result<Self, OptimError> {
        let holds = |value: f64| value.is_finite() && value >= 0.0;
        check(&[("tolerance", schedule.tolerance)], "finite and not negative", holds)?;
        let first = schedule.stages.first().filter(|_| schedule.max_rounds > 0);
        let lbfgs = Lbfgs::new(first.ok_or(GroupError::NoStages)?.lbfgs.clone())?;
        schedule.stages.iter().try_for_each(|stage| stage.lbfgs.validate())?;
        let stages = schedule.stages.iter().enumerate();
        Ok(Self {
            parameters: groups.parameters(),
            moved: stages.map(|(index, stage)| positions(index, stage, groups)).collect::<Result<_, _>>()?,
            at: Position::default(),
            earlier: Earlier::default(),
            stop: None,
            schedule,
            lbfgs,
        })
    }

    /// Completed rounds.
    #[must_use]
    pub fn rounds(&self) -> u64 {
        self.at.rounds
    }

    /// Current stage, from 0.
    #[must_use]
    pub fn stage(&self) -> usize {
        self.at.stage
    }

    /// Evaluations, failures included.
    #[must_use]
    pub fn evaluations(&self) -> u64 {
        self.earlier.evaluations + self.lbfgs.evaluations()
    }

    /// Failed or non-finite evaluations.
    #[must_use]
    pub fn failed_evaluations(&self) -> u64 {
        self.earlier.failures + self.lbfgs.failed_evaluations()
    }

    /// Last failure's message.
    #[must_use]
    pub fn last_failure(&self) -> Option<&str> {
        self.lbfgs.last_failure().or(self.earlier.last_failure.as_deref())
    }

    /// Solver's own reason to stop.
    #[must_use]
    pub fn stop_reason(&self) -> Option<&StopReason> {
        self.stop.as_ref()
    }

    fn stage_is_over(&self) -> bool {
        let budget = self.schedule.stages.get(self.at.stage).map_or(0, |stage| stage.max_iterations);
        self.lbfgs.stop_reason().is_some() || self.at.steps >= budget
    }

    fn with_part<O>(
        &mut self,
        problem: &mut Problem<O>,
        mut state: LbfgsState,
        work: impl FnOnce(
            &mut Lbfgs,
            &mut Problem<Restricted<'_, O>>,
            LbfgsState,
        ) -> Result<(LbfgsState, Option<KV>), Error>,
    ) -> Result<LbfgsState, Error> {
        let (mut x, mut gradient) =
            (state.take_param().unwrap_or_default(), state.take_gradient().unwrap_or_default());
        gradient.resize(x.len(), 0.0);
        let moved = self.moved.get(self.at.stage).map_or(&[] as &[usize], Vec::as_slice);
        let Some(whole) = problem.problem.as_ref() else {
            return Err(OptimError::BrokenOff { message: "there is no objective".to_owned() }.into());
        };
        let take = |from: &[f64]| moved.iter().map(|&i| from[i]).collect::<Vec<f64>>();
        let part = LbfgsState::new().param(take(&x)).gradient(take(&gradient)).cost(state.cost);
        let mut restricted = Problem::new(Restricted::new(whole, &x, moved));
        let (mut part, _) = work(&mut self.lbfgs, &mut restricted, part)?;
        let put = |to: &mut [f64], from: Option<Vec<f64>>| {
            moved.iter().zip(from.unwrap_or_default()).for_each(|(&i, value)| to[i] = value);
        };
        gradient.fill(0.0);
        put(&mut x, part.take_param());
        put(&mut gradient, part.take_gradient());
        Ok(state.param(x).gradient(gradient).cost(part.cost))
    }

    fn go_on<O>(&mut self, problem: &mut Problem<O>, mut state: LbfgsState) -> Result<LbfgsState, Error>
    where
        O: CostFunction<Param = Vec<f64>, Output = f64> + Gradient<Param = Vec<f64>, Gradient = Vec<f64>>,
    {
        while self.stop.is_none() && self.stage_is_over() {
            if self.at.stage + 1 == self.schedule.stages.len() {
                self.end_round(state.cost);
                if self.stop.is_some() {
                    break;
                }
            }
            self.next_stage()?;
            state = self.with_part(problem, state, |lbfgs, part, state| lbfgs.init(part, state))?;
        }
        Ok(state)
    }

    fn end_round(&mut self, value: f64) {
        self.at.rounds += 1;
        let last = self.lbfgs.stop_reason().cloned().unwrap_or(StopReason::MaxIterations);
        // Stages never increase the value, so after a round without decrease the next has none either.
        let settled = self.at.before.is_some_and(|before| before - value <= self.schedule.tolerance);
        self.at.before = Some(value);
        self.stop = match (settled, self.at.rounds >= self.schedule.max_rounds) {
            (true, _) => Some(StopReason::Plateau),
            (false, true) if self.schedule.max_rounds == 1 => Some(last),
            (false, true) => Some(StopReason::MaxIterations),
            (false, false) => None,
        };
    }

    fn next_stage(&mut self) -> Result<(), OptimError> {
        self.at.stage = (self.at.stage + 1) % self.schedule.stages.len();
        self.at.steps = 0;
        let next = Lbfgs::new(self.schedule.stages[self.at.stage].lbfgs.clone())?;
        let last = std::mem::replace(&mut self.lbfgs, next);
        self.earlier.evaluations += last.evaluations();
        self.earlier.failures += last.failed_evaluations();
        if let Some(failure) = last.last_failure() {
            self.earlier.last_failure = Some(failure.to_owned());
        }
        Ok(())
    }
}

fn positions(index: usize, stage: &Stage, groups: &Groups) -> Result<Vec<usize>, GroupError> {
    let names: Vec<&str> = stage.groups.iter().map(String::as_str).collect();
    let rates = groups.stage(1, &names)?.rates;
    let moved: Vec<usize> = (0..rates.len()).filter(|&i| rates[i] > 0.0).collect();
    if moved.is_empty() { Err(GroupError::NothingTrained { stage: index }) } else { Ok(moved) }
}

impl<O> Solver<O, LbfgsState> for StagedLbfgs
where
    O: CostFunction<Param = Vec<f64>, Output = f64> + Gradient<Param = Vec<f64>, Gradient = Vec<f64>>,
{
    fn name(&self) -> &'static str {
        "guarded L-BFGS in stages"
    }

    fn init(
        &mut self,
        problem: &mut Problem<O>,
        state: LbfgsState,
    ) -> Result<(LbfgsState, Option<KV>), Error> {
        let x = state.param.as_deref().unwrap_or_default();
        if x.len() != self.parameters {
            let (groups, parameters) = (self.parameters, x.len());
            return Err(OptimError::from(GroupError::Length { groups, parameters }).into());
        }
        if let Some(index) = x.iter().position(|value| !value.is_finite()) {
            return Err(OptimError::StartNotFinite { index, value: x[index] }.into());
        }
        let state = self.with_part(problem, state, |lbfgs, part, state| lbfgs.init(part, state))?;
        Ok((self.go_on(problem, state)?, None))
    }

    fn next_iter(
        &mut self,
        problem: &mut Problem<O>,
        state: LbfgsState,
    ) -> Result<(LbfgsState, Option<KV>), Error> {
        if state.param.as_ref().map(Vec::len) != Some(self.parameters) {
            let message = "parameters and groups are of different lengths".to_owned();
            return Err(OptimError::BrokenOff { message }.into());
        }
        let state = self.with_part(problem, state, |lbfgs, part, state| lbfgs.next_iter(part, state))?;
        self.at.steps += 1;
        Ok((self.go_on(problem, state)?, None))
    }

    fn terminate(&mut self, _state: &LbfgsState) -> TerminationStatus {
        StopReason::status(self.stop.as_ref())
    }
}
