//! Training of closed-form Power EP in several ways.

use super::crowding;
use crate::data::Split;
use crate::error::ExperimentError;
use crate::harness::{Effort, Outcome};
use crate::methods::regress::NOISE;
use crate::methods::savigp::log_evidence;
use crate::methods::{kernels, scores};
use faer::{Mat, MatRef};
use gp_cli::method::minimise_options;
use gp_ep::{
    Inference as _, InferenceError, Learning, LearningRecord, Observations, Powers, SparseProcess,
    SparseRegression,
};
use gp_kernels::inducing::{Coverage, InducingInputs};
use gp_kernels::placement::{KMeans, Placement};
use gp_kernels::{Evaluator, Kernel, KernelExt as _};
use gp_likelihoods::Gaussian;
use gp_optim::Control;
use rand::{RngExt as _, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// L-BFGS pairs: fixed, learned inducing inputs.
const PAIRS: usize = 10;
const PAIRS_OF_INPUTS: usize = 40;
/// Maximum length-scale factor of a start.
const FACTOR: f64 = 3.0;
/// Short trainings of quick fits: power, iterations, second length-scale factor.
const POWER_BEFORE: f64 = 0.5;
const ITERATIONS_BEFORE: u64 = 60;
const SHORT: f64 = 0.25;
/// Multiple of M in quick fits.
const MORE: usize = 2;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::items) enum Training {
    /// Kernel and noise; inducing inputs as placed.
    Fixed,
    /// Everything, one start.
    Learned,
    /// Kernel and noise, then everything.
    FixedThenLearned,
    /// Everything, briefly at power ½, then as requested.
    HalfThenWhole,
    /// Everything, briefly from two length-scales, then from the better.
    BetterOfTwo,
    /// `BetterOfTwo` at power ½ and 2M, then everything from its kernel and noise.
    QuickFit,
    /// Everything, twice; close inducing inputs are moved between.
    Spread,
    /// Everything, many iterations.
    Longer,
    /// Everything, ten starts.
    BestOfTen,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    pub(super) iterations: u64,
    pub(super) longer: u64,
    pub(super) starts: usize,
}

impl Limits {
    fn short(&self) -> u64 {
        self.iterations.min(ITERATIONS_BEFORE)
    }
}

#[derive(Clone, Copy)]
struct Problem<'a> {
    inputs: MatRef<'a, f64>,
    data: Observations<'a>,
    power: f64,
    inducing: usize,
}

struct End {
    model: SparseRegression,
    log_z: f64,
    effort: Effort,
}

impl End {
    fn or(self, other: Self) -> Self {
        if other.log_z > self.log_z { other } else { self }
    }
}

pub(super) fn run(
    split: &Split,
    (power, inducing): (f64, usize),
    training: Training,
    limits: Limits,
) -> Result<Outcome, ExperimentError> {
    let (inputs, labels) = (split.training.inputs.as_ref(), split.training.labels());
    let problem = Problem { inputs, data: Observations::new(inputs, &labels)?, power, inducing };
    let ((end, starts), seconds) = scores::timed(|| problem.train(training, limits))?;
    let predictor = end.model.posterior(&problem.data)?;
    let outcome = Outcome::of([
        ("log Z", end.log_z),
        ("log Z per row", end.log_z / labels.len() as f64),
        ("nlpd", scores::of_numbers(&predictor, split)?.nlpd),
        ("iterations", end.effort.steps as f64),
        ("seconds", seconds),
    ]);
    let process = end.model.process(0);
    let outcome = crowding::describe(outcome, process.kernel(), process.inputs().z().as_dyn_stride())?;
    let outcome = if starts.is_empty() { outcome } else { outcome.with_curve("log Z by start", starts) };
    Ok(outcome.by(end.effort.with("kernel learned", process.kernel().expression())))
}

impl Problem<'_> {
    /// Result, and log Z of several starts.
    fn train(&self, training: Training, limits: Limits) -> Result<(End, Vec<(f64, f64)>), ExperimentError> {
        let first = || self.start(0);
        let learned = |iterations| learn(&self.data, first()?, iterations);
        let end = match training {
            Training::Fixed => self.fixed(first()?, limits.iterations)?,
            Training::Learned => learned(limits.iterations)?,
            Training::Longer => learned(limits.longer)?,
            Training::FixedThenLearned => self.on(self.fixed(first()?, limits.iterations)?, limits)?,
            Training::HalfThenWhole => {
                let half = first()?.with_powers(Powers::Same(POWER_BEFORE));
                self.on(learn(&self.data, half, limits.short())?, limits)?
            }
            Training::BetterOfTwo => self.on(self.better_of_two(limits)?, limits)?,
            Training::QuickFit => {
                let quick = Problem { power: POWER_BEFORE, inducing: MORE * self.inducing, ..*self };
                let before = quick.better_of_two(limits)?;
                let inputs = first()?.process(0).inputs().clone();
                let end = learn(&self.data, self.again(&before.model, inputs)?, limits.iterations)?;
                End { effort: end.effort.after(before.effort), ..end }
            }
            Training::Spread => self.spread(learned(limits.iterations)?, limits.iterations)?,
            Training::BestOfTen => return self.best(limits),
        };
        Ok((end, Vec::new()))
    }

    /// Start 0 has default length-scales; centres differ.
    fn start(&self, start: usize) -> Result<SparseRegression, ExperimentError> {
        let mut kernel = kernels::one_scale_an_input(self.inputs.ncols())?;
        let placed = KMeans::new().place(kernel.as_ref(), self.inputs, self.inducing, 1 + start as u64)?;
        if start > 0 {
            let mut rng = ChaCha8Rng::seed_from_u64(start as u64);
            let factor = FACTOR.powf(2.0 * rng.random::<f64>() - 1.0);
            lengthen(kernel.as_mut(), factor)?;
        }
        self.model(kernel, placed.inputs, Gaussian::new(NOISE)?)
    }

    fn better_of_two(&self, limits: Limits) -> Result<End, ExperimentError> {
        let default = learn(&self.data, self.start(0)?, limits.short())?;
        Ok(default.or(learn(&self.data, self.short()?, limits.short())?))
    }

    fn short(&self) -> Result<SparseRegression, ExperimentError> {
        let mut model = self.start(0)?;
        lengthen(model.processes_mut()[0].kernel_mut(), SHORT)?;
        Ok(model)
    }

    fn model(
        &self,
        kernel: Box<dyn Kernel>,
        inputs: InducingInputs,
        noise: Gaussian,
    ) -> Result<SparseRegression, ExperimentError> {
        Ok(SparseRegression::new(SparseProcess::new(kernel, inputs)?, noise, Powers::Same(self.power)))
    }

    fn again(
        &self,
        model: &SparseRegression,
        inputs: InducingInputs,
    ) -> Result<SparseRegression, ExperimentError> {
        self.model(model.process(0).kernel().clone_box(), inputs, model.noise().clone())
    }

    fn on(&self, before: End, limits: Limits) -> Result<End, ExperimentError> {
        let inputs = before.model.process(0).inputs().clone();
        let end = learn(&self.data, self.again(&before.model, inputs)?, limits.iterations)?;
        Ok(End { effort: end.effort.after(before.effort), ..end })
    }

    fn fixed(&self, mut model: SparseRegression, iterations: u64) -> Result<End, ExperimentError> {
        let process = model.process(0).clone().with_fixed_inputs();
        model.processes_mut()[0] = process;
        learn(&self.data, model, iterations)
    }

    /// Moves close inducing inputs to the least explained rows, retrains; returns the better result.
    fn spread(&self, end: End, iterations: u64) -> Result<End, ExperimentError> {
        let process = end.model.process(0);
        let kept = crowding::apart(process.kernel(), process.inputs().z().as_dyn_stride())?;
        if kept.len() == process.inputs().count() {
            return Ok(end);
        }
        let inputs = self.filled_up(process, &kept)?;
        let second = learn(&self.data, self.again(&end.model, inputs)?, iterations)?;
        let second = End { effort: second.effort.after(end.effort.clone()), ..second };
        Ok(end.or(second))
    }

    /// Adds the least explained training row, repeatedly.
    fn filled_up(&self, process: &SparseProcess, kept: &[usize]) -> Result<InducingInputs, ExperimentError> {
        let (z, dim) = (process.inputs().z().as_dyn_stride(), self.inputs.ncols());
        let mut rows: Vec<MatRef<'_, f64>> = kept.iter().map(|&row| z.subrows(row, 1)).collect();
        loop {
            let points = Mat::from_fn(rows.len(), dim, |i, d| rows[i][(0, d)]);
            let inputs = InducingInputs::points(points.as_ref())?;
            if rows.len() == z.nrows() {
                return Ok(inputs);
            }
            let coverage = Coverage::new(process.kernel(), &inputs, self.inputs, &Evaluator::default())?;
            rows.push(self.inputs.subrows(coverage.worst_row, 1));
        }
    }

    fn best(&self, limits: Limits) -> Result<(End, Vec<(f64, f64)>), ExperimentError> {
        let (mut best, mut all): (Option<End>, _) = (None, Vec::new());
        for start in 0..limits.starts {
            let end = learn(&self.data, self.start(start)?, limits.iterations)?;
            all.push((start as f64, end.log_z));
            best = Some(match best {
                None => end,
                Some(best) => best.or(end),
            });
        }
        let none = || ExperimentError::Baseline { method: "best of ten", what: "no start".to_owned() };
        Ok((best.ok_or_else(none)?, all))
    }
}

fn learn(
    data: &Observations<'_>,
    mut model: SparseRegression,
    iterations: u64,
) -> Result<End, ExperimentError> {
    let mut options = minimise_options(iterations, &Control::new());
    options.lbfgs.memory = if model.process(0).trains_inputs() { PAIRS_OF_INPUTS } else { PAIRS };
    let run = model.learn(data, Learning::Outer(options))?.run;
    let log_z = log_evidence(&run);
    Ok(End { model, log_z, effort: described(&run, iterations) })
}

fn described(run: &LearningRecord, iterations: u64) -> Effort {
    Effort::from(run).with("optimizer", "L-BFGS").with("iterations at most", iterations)
}

fn lengthen(kernel: &mut dyn Kernel, factor: f64) -> Result<(), ExperimentError> {
    let mut done = Ok(());
    kernel.for_each_parameter_mut(&mut |parameter| {
        if parameter.name() == "lengthscale" {
            let values: Vec<f64> = parameter.values().iter().map(|value| factor * value).collect();
            done = parameter.set_values(&values);
        }
    });
    Ok(done.map_err(InferenceError::from)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spread_out(x: &Mat<f64>, y: &[f64], inducing: usize) -> (f64, SparseRegression) {
        let data = Observations::new(x.as_ref(), y).unwrap();
        let problem = Problem { inputs: x.as_ref(), data, power: 1.0, inducing };
        let start = problem.start(0).unwrap();
        let z = Mat::from_fn(inducing, 1, |i, _| if i == 0 { 0.0 } else { 1.0 });
        let crowded = InducingInputs::points(z.as_ref()).unwrap();
        let model = problem.again(&start, crowded).unwrap();
        let effort = Effort::ended("crowded", 0);
        let log_z = model.log_evidence(&problem.data).unwrap().value;
        let end = problem.spread(End { model, log_z, effort }, 20).unwrap();
        (end.log_z - log_z, end.model)
    }

    #[test]
    fn equal_points_move_to_rows_that_nothing_explains_and_log_z_rises() {
        let x = Mat::from_fn(40, 1, |i, _| 0.25 * i as f64);
        let y: Vec<f64> = (0..40).map(|i| (0.5 * i as f64).sin()).collect();
        let (gain, model) = spread_out(&x, &y, 4);
        let process = model.process(0);
        assert!(gain > 1.0, "{gain}");
        assert_eq!(crowding::apart(process.kernel(), process.inputs().z().as_dyn_stride()).unwrap().len(), 4);
    }

    #[test]
    fn starts_differ_and_the_better_end_is_kept() {
        let x = Mat::from_fn(30, 1, |i, _| 0.2 * i as f64);
        let y: Vec<f64> = (0..30).map(|i| (0.6 * i as f64).cos()).collect();
        let data = Observations::new(x.as_ref(), &y).unwrap();
        let problem = Problem { inputs: x.as_ref(), data, power: 0.5, inducing: 5 };
        let limits = Limits { iterations: 3, longer: 3, starts: 3 };
        let (end, all) = problem.train(Training::BestOfTen, limits).unwrap();
        assert_eq!(all.len(), 3);
        assert!(all.iter().all(|(_, log_z)| *log_z <= end.log_z) && all[0].1 != all[1].1, "{all:?}");
        let (one, none) = problem.train(Training::Learned, limits).unwrap();
        assert_eq!((one.log_z, none.len()), (all[0].1, 0));
    }
}
