//! Schedules of hyperparameter and site updates in EP.

use super::classify::{RATE, Setup};
use super::rule::Rule;
use super::savigp::outer;
use super::scores;
use crate::error::ExperimentError;
use crate::harness::{Effort, Outcome, Stopwatch};
use gp_ep::power_ep::{EpLearning, EpState, GradientKind, Sharing};
use gp_ep::{EpOptions, EvaluationState, Inference as _, Learning, PowerEp, Table};
use gp_optim::Batches;

/// Convergence required before a gradient.
const CONVERGED: EpOptions = EpOptions {
    step: 0.5,
    max_sweeps: 500,
    tolerance: 1e-3,
    log_z_tolerance: 1e-5,
    negative: gp_ep::power_ep::NegativePrecision::Keep,
    schedule: gp_ep::power_ep::SiteOrder::Parallel,
    // No mixing, as in the paper.
    memory: 0,
};

/// Schedule of site and hyperparameter updates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// EP converges before each sign-adaptive step.
    Outer,
    /// EP converges at each L-BFGS evaluation.
    QuasiNewton,
    /// One sweep per step; gradient valid at convergence.
    Inner,
    /// One sweep per step; gradient of the estimate.
    InnerExact,
    /// `Inner` with one site per class.
    Tied,
}

impl Setup<'_> {
    /// Trains and scores: curve `log Z by seconds`; `log_z` of converged sites (tied: last estimate), `nll`,
    /// `error`, `seconds`, `seconds_to_99`.
    ///
    /// # Errors
    /// Failed training or prediction.
    pub fn scheme(&self, scheme: Scheme) -> Result<Outcome, ExperimentError> {
        let training = &self.split.training;
        let labels = training.labels();
        let data = Table::with_targets(training.inputs.as_ref(), &labels)?;
        let (mut model, rule) = (self.power_ep()?, Rule::Signs(RATE));
        let mut settings = EpLearning::default().with_ep(CONVERGED).with_sharing(Sharing::Tied);
        let steps = rule.steps(self.steps);
        let how = match scheme {
            Scheme::QuasiNewton => outer(self.steps),
            Scheme::Tied => Learning::Batches(Batches::whole(training.len())?, steps),
            Scheme::Outer | Scheme::Inner | Scheme::InnerExact => Learning::Inner(steps),
        };
        match scheme {
            Scheme::Outer => settings.sweeps = CONVERGED.max_sweeps,
            Scheme::InnerExact => settings.gradient = GradientKind::OfEstimate,
            _ => {}
        }
        let (watch, mut course) = (Stopwatch::start(), Vec::new());
        let mut note =
            |now: EvaluationState<'_, _>| course.push((watch.seconds(), now.progress.log_posterior));
        let trained = model.learn_with(&data, how, &settings, &mut note)?;
        let optimizer = if scheme == Scheme::QuasiNewton { "L-BFGS".to_owned() } else { rule.to_string() };
        let effort = Effort::from(&trained.run).with("optimizer", optimizer);
        let mut state = trained.state;
        let last = course.last().copied().unwrap_or((f64::NAN, f64::NAN));
        let log_z = converged(&mut state, &model)?.unwrap_or(last.1);
        let predictor = state.predictor(&model)?;
        let outcome = scores::of_labels(&predictor, &self.split.test, last.0)?.with("log_z", log_z);
        let outcome = outcome.with("seconds_to_99", almost(&course));
        Ok(outcome.with_curve("log Z by seconds", course).by(self.effort(effort)))
    }
}

/// Log Z of converged sites; None if tied.
fn converged(state: &mut EpState, model: &PowerEp) -> Result<Option<f64>, ExperimentError> {
    let Some(state) = state.batch() else { return Ok(None) };
    state.converge(model, &EpOptions::default())?;
    Ok(Some(state.log_z(model)?))
}

/// Seconds until the estimate stays within 1 % of its total change.
fn almost(course: &[(f64, f64)]) -> f64 {
    let (Some(first), Some(last)) = (course.first(), course.last()) else { return f64::NAN };
    let goal = first.1 + 0.99 * (last.1 - first.1);
    let below = course.iter().rposition(|(_, value)| *value < goal);
    below.and_then(|k| course.get(k + 1)).map_or(first.0, |point| point.0)
}

#[cfg(test)]
mod tests {
    use super::almost;

    #[test]
    fn the_way_is_nearly_done_where_it_stays_above_99_percent() {
        let course = [(0.0, -100.0), (1.0, -0.5), (2.0, -5.0), (3.0, -0.9), (4.0, 0.0)];
        assert_eq!(almost(&course), 3.0);
        assert_eq!(almost(&course[..1]), 0.0);
    }
}
