//! Training interrupted after every iteration and resumed has the bits of uninterrupted training: parameters, reports,
//! sites, posteriors.
#![expect(clippy::unwrap_used, reason = "a helper that fails is a failed test")]

use faer::Mat;
use gp_ep::ivm::{Coupling, Ivm, IvmLearning, IvmOptions, IvmTraining};
use gp_ep::power_ep::{EpLearning, GradientKind, Sharing, SiteOrder};
use gp_ep::{
    EpOptions, EvaluationState, ExactGp, Inference as _, InferenceError, Learning, Level, Observations,
    PowerEp, Powers, SparseProcess, SparseRegression, Steps, Table,
};
use gp_kernels::data::{DataError, DataSource, Rows};
use gp_kernels::inducing::InducingInputs;
use gp_kernels::posterior::InducingPosterior;
use gp_likelihoods::{Gaussian, Softmax};
use gp_linalg::Threading;
use gp_optim::{
    Adadelta, Adam, Batches, CheckpointFile, Control, DescentOptions, FirstOrder, Interrupt, MinimiseOptions,
    OptimError, ParameterSet, StopReason,
};
use std::fmt::Debug;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

struct Problem {
    x: Mat<f64>,
    y: Vec<f64>,
}

fn problem(count: usize) -> Problem {
    let x = Mat::from_fn(count, 2, |i, d| ((i * (17 + 6 * d)) % 41) as f64 / 10.0 - 2.0);
    let y = (0..count).map(|i| (2.0 * x[(i, 0)]).sin() + 0.4 * x[(i, 1)] + 0.3 * (37.0 * i as f64).sin());
    Problem { y: y.collect(), x }
}

impl Problem {
    fn signs(&self) -> Vec<f64> {
        self.y.iter().map(|&y| if y > 0.1 { 1.0 } else { -1.0 }).collect()
    }

    fn classes(&self) -> Vec<f64> {
        self.y.iter().map(|&y| if y < -0.5 { 0.0 } else { f64::from(u8::from(y > 0.5)) + 1.0 }).collect()
    }

    fn process(&self) -> SparseProcess {
        let z = Mat::from_fn(5, 2, |i, d| self.x[(3 * i, d)] + 0.05);
        let kernel = gp_kernels::parse("1.5 * rbf(lengthscale=1.2)").unwrap();
        SparseProcess::new(kernel, InducingInputs::points(z.as_ref()).unwrap()).unwrap()
    }

    fn power_ep(&self, likelihood: &str) -> PowerEp {
        let likelihood = gp_likelihoods::parse(likelihood).unwrap();
        PowerEp::new(vec![self.process()], likelihood).unwrap()
    }
}

/// Compares `run` whole and in pieces of one iteration.
fn in_pieces<T: PartialEq + Debug>(run: impl Fn(Control) -> Result<T, InferenceError>) {
    let straight = run(Control::new()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let interrupt = Interrupt::new();
    interrupt.request();
    let file = CheckpointFile::new(folder.path().join("run"), "pieces");
    let control = Control::new().with_checkpoint(file).with_interrupt(interrupt);
    let mut pieces = 0;
    let resumed = loop {
        match run(control.clone()) {
            Ok(end) => break end,
            Err(error) => {
                let interrupted = matches!(error, InferenceError::Optim(OptimError::Interrupted { .. }));
                assert!(interrupted, "{error}");
                pieces += 1;
            }
        }
    };
    assert!(pieces > 5, "{pieces} pieces");
    assert_eq!(resumed, straight);
}

fn outer(iterations: u64, control: Control) -> Learning {
    Learning::Outer(MinimiseOptions { max_iterations: iterations, control, ..MinimiseOptions::default() })
}

fn steps(rule: impl Into<FirstOrder>, count: u64, control: Control) -> Steps {
    let mut steps = Steps::new(rule, count);
    (steps.descent, steps.control) = (DescentOptions { plateau: 300, ..DescentOptions::default() }, control);
    steps
}

fn in_batches(count: u64, control: Control) -> Learning {
    Learning::Batches(Batches::shuffled(40, 7, 3).unwrap(), steps(Adam::with_rate(0.05), count, control))
}

/// Mean and precision of whitened inducing values, to the bit.
fn numbers(posterior: &InducingPosterior) -> String {
    format!("{:?}", posterior.mean())
}

#[test]
fn exact_regression() {
    let problem = problem(25);
    in_pieces(|control| {
        let mut gp = ExactGp::new(gp_kernels::parse("1 * rbf").unwrap(), Gaussian::new(0.5).unwrap());
        let data = Observations::new(problem.x.as_ref(), &problem.y)?;
        let training = gp.learn(&data, outer(40, control))?.run;
        Ok((training, gp.parameter_values()))
    });
}

#[test]
fn regression_in_closed_form() {
    let problem = problem(40);
    in_pieces(|control| {
        let noise = Gaussian::new(0.5).unwrap();
        let mut model = SparseRegression::new(problem.process(), noise, Powers::Same(0.5));
        let data = Observations::new(problem.x.as_ref(), &problem.y)?;
        let training = model.learn(&data, outer(15, control))?.run;
        Ok((training, model.parameter_values()))
    });
}

#[test]
fn converged_power_ep() {
    let problem = problem(40);
    let signs = problem.signs();
    for (level, schedule) in [
        (Level::Projection, SiteOrder::Parallel),
        (Level::Latent, SiteOrder::Parallel),
        (Level::Projection, SiteOrder::InTurn),
    ] {
        in_pieces(|control| {
            let data = Table::with_targets(problem.x.as_ref(), &signs)?;
            let mut model = problem.power_ep("bernoulli_probit").with_level(level);
            // Sites stay far from convergence: every evaluation depends on the previous sites.
            let ep = EpOptions { max_sweeps: 3, schedule, ..EpOptions::default() };
            let settings = EpLearning::default().with_ep(ep);
            let mut trained = model.learn_with(&data, outer(10, control), &settings, &mut |_| {})?;
            let posterior = numbers(&trained.state.posterior(&model, 0)?);
            let sites: Vec<_> = trained.state.batch().unwrap().sites().collect();
            Ok((trained.run, sites, posterior, model.parameter_values()))
        });
    }
}

#[test]
fn power_ep_beside_its_parameters() {
    let problem = problem(40);
    let counts: Vec<f64> = problem.y.iter().map(|y| (1.0 + y).exp().round()).collect();
    for gradient in [GradientKind::Converged, GradientKind::OfEstimate] {
        in_pieces(|control| {
            let data = Table::with_targets(problem.x.as_ref(), &counts)?;
            let mut model = problem.power_ep("poisson").with_powers(Powers::Same(0.7));
            let mut settings = EpLearning::default();
            settings.gradient = gradient;
            let how = Learning::Inner(steps(Adadelta::default(), 12, control));
            let mut watched = 0;
            let mut watch = |now: EvaluationState<'_, _>| watched = now.progress.evaluation;
            let trained = model.learn_with(&data, how, &settings, &mut watch)?;
            let posterior = numbers(&trained.state.posterior(&model, 0)?);
            Ok((trained.run, posterior, model.parameter_values()))
        });
    }
}

#[test]
fn power_ep_in_mini_batches() {
    let problem = problem(40);
    let signs = problem.signs();
    for sharing in [Sharing::Own, Sharing::Tied] {
        // Six batches per epoch, the last one short; sites are summed anew during the run.
        in_pieces(|control| {
            let data = Table::with_targets(problem.x.as_ref(), &signs)?;
            let mut model = problem.power_ep("bernoulli_probit");
            let settings = EpLearning::default().with_sharing(sharing);
            let trained = model.learn_with(&data, in_batches(20, control), &settings, &mut |_| {})?;
            let posterior = numbers(&trained.state.posterior(&model, 0)?);
            Ok((trained.run, posterior, model.parameter_values()))
        });
    }
}

fn ivm(problem: &Problem) -> Ivm {
    let kernel = gp_kernels::parse("1.0 * rbf(lengthscale=0.3)").unwrap();
    let mut model = Ivm::shared(kernel.as_ref(), Box::new(Softmax::new(3).unwrap())).unwrap();
    model.intercepts_mut().fix_all(false);
    assert_eq!(problem.x.ncols(), 2);
    model
}

fn train_ivm(
    problem: &Problem,
    coupling: Coupling,
    control: Control,
) -> Result<(Ivm, IvmTraining), InferenceError> {
    let classes = problem.classes();
    let data = Observations::new(problem.x.as_ref(), &classes)?;
    let mut model = ivm(problem).with_coupling(coupling)?;
    let options = IvmOptions { active: 12, liquid: 4, ..IvmOptions::default() };
    let settings = IvmLearning { options, rounds: 3 };
    let trained = model.learn_with(&data, outer(4, control), &settings, &mut |_| {})?;
    Ok((model, trained.state))
}

#[test]
fn rounds_of_the_informative_vector_machine() {
    let problem = problem(60);
    for coupling in [Coupling::Coupled, Coupling::Independent] {
        in_pieces(|control| {
            let (model, trained) = train_ivm(&problem, coupling, control)?;
            let active = trained.run.posterior.active(0).to_vec();
            Ok((model.parameter_values(), trained.criterion, trained.rounds, trained.reason, active))
        });
    }
}

#[test]
fn rounds_that_are_out_of_time_are_looked_at_once_more() {
    let problem = problem(60);
    let control = Control::new().with_time_limit(Some(Duration::ZERO));
    let (model, trained) = train_ivm(&problem, Coupling::Independent, control).unwrap();
    assert_eq!((&trained.reason, trained.rounds.len()), (&StopReason::TimeLimit, 1));
    assert_eq!(model.parameter_values(), ivm(&problem).parameter_values());

    let interrupt = Interrupt::new();
    interrupt.request();
    let control = Control::new().with_interrupt(interrupt);
    let (_, trained) = train_ivm(&problem, Coupling::Independent, control).unwrap();
    assert_eq!((&trained.reason, trained.rounds.len()), (&StopReason::Interrupted, 1));
    let (_, whole) = train_ivm(&problem, Coupling::Independent, Control::new()).unwrap();
    assert_eq!((&whole.reason, whole.rounds.len()), (&StopReason::MaxIterations, 4));
}

#[test]
fn time_is_over_for_every_kind_of_training() {
    let problem = problem(40);
    let signs = problem.signs();
    let data = Table::with_targets(problem.x.as_ref(), &signs).unwrap();
    let control = || Control::new().with_time_limit(Some(Duration::ZERO));
    let start = problem.power_ep("bernoulli_probit");
    let mut model = start.clone();
    let tied = EpLearning::default().with_sharing(Sharing::Tied);
    let inner = || Learning::Inner(steps(Adam::default(), 9, control()));
    for how in [outer(9, control()), inner(), in_batches(9, control())] {
        let run = model.learn_with(&data, how, &tied, &mut |_| {}).unwrap().run;
        assert_eq!((run.reason(), run.converged()), (&StopReason::TimeLimit, false));
        let said = run.descended().is_none_or(|run| !run.epoch_values.is_empty());
        assert!(said, "there is something to say of the objective");
    }
}

#[test]
fn checkpoints_of_other_training_and_other_data_are_refused() {
    let problem = problem(40);
    let signs = problem.signs();
    let data = Table::with_targets(problem.x.as_ref(), &signs).unwrap();
    let few = Table::with_targets(problem.x.as_ref().get(..30, ..), &signs[..30]).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = CheckpointFile::new(folder.path().join("run"), "label");
    let control = Control::new().with_checkpoint(file);
    let mut model = problem.power_ep("bernoulli_probit");
    let inner = || Learning::Inner(steps(Adam::default(), 3, control.clone()));
    model.learn(&data, inner()).unwrap();
    let values = model.parameter_values();

    let other = model.learn(&data, outer(9, control.clone())).unwrap_err().to_string();
    assert!(other.contains("belongs to `label: EP on all observations beside a descent`"), "{other}");
    let shorter = model.learn(&few, inner()).unwrap_err().to_string();
    assert!(shorter.ends_with("does not fit this run: it has 40 sites, and the data have 30"), "{shorter}");
    assert_eq!(model.parameter_values(), values);
}

/// Requests a stop at the n-th read, within an evaluation.
#[derive(Debug)]
struct Impatient<'a> {
    table: Table<'a>,
    reads: AtomicUsize,
    last: usize,
    interrupt: Interrupt,
}

impl DataSource for Impatient<'_> {
    fn count(&self) -> usize {
        self.table.count()
    }
    fn dim(&self) -> usize {
        self.table.dim()
    }
    fn outputs(&self) -> usize {
        self.table.outputs()
    }
    fn read(&self, rows: &Rows<'_>, points: &mut [f64], targets: &mut [f64]) -> Result<(), DataError> {
        if self.reads.fetch_add(1, Ordering::Relaxed) + 1 == self.last {
            self.interrupt.request();
        }
        self.table.read(rows, points, targets)
    }
}

/// Stops `run` at each read; resumed runs have the bits of uninterrupted ones.
fn cut_anywhere<T: PartialEq + Debug>(
    table: Table<'_>,
    run: impl Fn(&dyn DataSource, Control) -> Result<T, InferenceError>,
) {
    let straight = run(&table, Control::new()).unwrap();
    let mut cuts = 0;
    for last in [2, 3, 5, 8, 13] {
        let folder = tempfile::tempdir().unwrap();
        let file = CheckpointFile::new(folder.path().join("run"), "cut");
        let interrupt = Interrupt::new();
        let data = Impatient { table, reads: AtomicUsize::new(0), last, interrupt: interrupt.clone() };
        let control = Control::new().with_checkpoint(file.clone());
        match run(&data, control.clone().with_interrupt(interrupt)) {
            Err(InferenceError::Optim(OptimError::Interrupted { .. })) => cuts += 1,
            other => drop(other.unwrap()),
        }
        assert_eq!(run(&table, control).unwrap(), straight, "read {last}");
    }
    assert!(cuts > 3, "{cuts} cuts");
}

#[test]
fn a_run_that_ends_inside_an_evaluation_goes_on_from_its_last_checkpoint() {
    let problem = problem(250);
    let (y, signs) = (problem.y.clone(), problem.signs());
    cut_anywhere(Table::with_targets(problem.x.as_ref(), &y).unwrap(), |data, control| {
        let noise = Gaussian::new(0.5).unwrap();
        let model = SparseRegression::new(problem.process(), noise, Powers::Same(0.5));
        let mut model = model.with_threading(Threading::Here);
        let training = model.learn(data, outer(8, control))?.run;
        Ok((training, model.parameter_values()))
    });
    cut_anywhere(Table::with_targets(problem.x.as_ref(), &signs).unwrap(), |data, control| {
        let mut model = problem.power_ep("bernoulli_probit").with_threading(Threading::Here);
        let batches = Batches::shuffled(data.count(), 100, 5).unwrap();
        let how = Learning::Batches(batches, steps(Adam::with_rate(0.02), 9, control));
        let trained = model.learn(data, how)?;
        let posterior = numbers(&trained.state.posterior(&model, 0)?);
        Ok((trained.run, posterior, model.parameter_values()))
    });
}
