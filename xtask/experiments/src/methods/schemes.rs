//! The schemes by which hyperparameters and sites of EP learn together, and what each makes of log Z against time.

use super::classify::{RATE, Setup};
use super::savigp::at_most;
use super::scores;
use crate::error::ExperimentError;
use crate::harness::{Outcome, Stopwatch};
use gp_ep::power_ep::{GradientKind, InnerOptions, Sharing};
use gp_ep::{BatchEp, EpOptions, PowerEp, Table, TrainingProgress};
use gp_optim::{Batches, SignAdaptive};

/// What a gradient needs.
const AT_REST: EpOptions = EpOptions {
    step: 0.5,
    max_sweeps: 500,
    tolerance: 1e-3,
    log_z_tolerance: 1e-5,
    negative: gp_ep::power_ep::NegativePrecision::Keep,
    schedule: gp_ep::power_ep::Schedule::Parallel,
};

/// How sites and hyperparameters take turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// EP comes to rest before every sign-adaptive step.
    Outer,
    /// EP comes to rest for everything that L-BFGS asks for.
    QuasiNewton,
    /// One sweep before every step, along the gradient that would be right at rest.
    Inner,
    /// One sweep before every step, along the gradient of the estimate.
    InnerExact,
    /// As `Inner`, with one site for all observations of a class.
    Tied,
}

impl Setup<'_> {
    /// Learns: `log Z by seconds` as it is estimated on the way, `log_z` with sites at rest in the end (with tied ones, the
    /// last estimate), `nll`, `error` and `seconds`.
    ///
    /// # Errors
    /// Whatever learning or predicting failed of.
    pub fn scheme(&self, scheme: Scheme) -> Result<Outcome, ExperimentError> {
        let training = &self.split.training;
        let labels = training.labels();
        let data = Table::with_targets(training.inputs.as_ref(), &labels)?;
        let (mut model, rule) = (self.power_ep()?, SignAdaptive::with_rate(RATE));
        let mut options = InnerOptions::default();
        (options.steps, options.ep) = (self.steps, AT_REST);
        let (watch, mut course) = (Stopwatch::start(), Vec::new());
        let mut note = |now: TrainingProgress| course.push((watch.seconds(), now.log_posterior));
        let (log_z, predictor) = match scheme {
            Scheme::QuasiNewton => {
                let mut found = model.train_outer(&data, &AT_REST, &at_most(self.steps), note)?;
                (at_rest(&mut found.state, &model)?, found.state.predictor(&model)?)
            }
            Scheme::Tied => {
                let batches = Batches::whole(training.len())?;
                let found = model.train_in_batches(&data, Sharing::Tied, batches, rule, &options, |now| {
                    note(now.progress);
                })?;
                let last = course.last().map_or(f64::NAN, |point| point.1);
                (last, found.state.predictor(&model)?)
            }
            Scheme::Outer | Scheme::Inner | Scheme::InnerExact => {
                if scheme == Scheme::Outer {
                    options.sweeps = AT_REST.max_sweeps;
                }
                if scheme == Scheme::InnerExact {
                    options.gradient = GradientKind::OfEstimate;
                }
                let mut found = model.train_inner(&data, rule, &options, |now| note(now.progress))?;
                (at_rest(&mut found.state, &model)?, found.state.predictor(&model)?)
            }
        };
        let seconds = course.last().map_or(f64::NAN, |point| point.0);
        let outcome = scores::of_labels(&predictor, &self.split.test, seconds)?.with("log_z", log_z);
        Ok(outcome.with("seconds_to_99", almost(&course)).with_curve("log Z by seconds", course))
    }
}

fn at_rest(state: &mut BatchEp, model: &PowerEp) -> Result<f64, ExperimentError> {
    state.converge(model, &EpOptions::default())?;
    Ok(state.log_z(model)?)
}

/// When the estimate had come 99 % of its way for good.
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
