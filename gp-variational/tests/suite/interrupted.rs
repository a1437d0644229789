//! Training interrupted after every iteration has the same bits.
#![expect(clippy::unwrap_used, reason = "tests say what they expect")]

use crate::savigp::support::{Problem, model};
use gp_optim::{
    Adadelta, Adam, Batches, CheckpointFile, Control, DescentOptions, FirstOrder, Interrupt, MinimiseOptions,
    OptimError, ParameterSet as _, StopReason,
};
use gp_variational::savigp::{BoundLearning, NoiseTarget};
use gp_variational::{
    DenseVariational, Draws, Estimator, Expectation, Inference as _, InferenceError, Learning,
    NaturalOptions, Sampling, Steps,
};
use std::fmt::Debug;
use std::time::Duration;

/// `run` needs several pieces.
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

fn minimise(iterations: u64, control: Control) -> MinimiseOptions {
    MinimiseOptions { max_iterations: iterations, control, ..MinimiseOptions::default() }
}

fn outer(iterations: u64, control: Control) -> Learning {
    Learning::Outer(minimise(iterations, control))
}

/// Unconverged: evaluations depend on the previous posterior.
fn few_steps() -> NaturalOptions {
    NaturalOptions { max_steps: 2, rate: 0.6, ..NaturalOptions::default() }
}

#[test]
fn everything_together() {
    let problem = Problem::new(30, 1, 1);
    let targets = problem.counts();
    in_pieces(|control| {
        let mut model = model("poisson", &problem.inducing(4));
        let settings = BoundLearning::all_together();
        let how = outer(12, control);
        let trained = model.learn_with(&problem.table(&targets), how, &settings, &mut |_| {})?;
        Ok((trained.run, model.parameter_values()))
    });
}

#[test]
fn groups_in_turn() {
    let problem = Problem::new(30, 1, 2);
    let targets = problem.counts();
    in_pieces(|control| {
        let mut model = model("poisson", &problem.inducing(3));
        let options = minimise(2, control);
        let run = model.train_alternating(&problem.table(&targets), &options)?;
        Ok((run, model.parameter_values()))
    });
}

#[test]
fn a_converged_posterior() {
    let problem = Problem::new(30, 1, 3);
    let targets = problem.signs();
    in_pieces(|control| {
        let mut model = model("bernoulli_probit", &problem.inducing(4));
        let (how, settings) = (outer(10, control), BoundLearning::converged(few_steps()));
        let trained = model.learn_with(&problem.table(&targets), how, &settings, &mut |_| {})?;
        Ok((trained.run, model.parameter_values()))
    });
}

#[test]
fn a_converged_dense_posterior() {
    let problem = Problem::new(25, 1, 4);
    let targets = problem.signs();
    in_pieces(|control| {
        let likelihood = gp_likelihoods::parse("bernoulli_probit").unwrap();
        let kernel = gp_kernels::parse("1.7 * rbf(lengthscale=0.3)").unwrap();
        let mut model = DenseVariational::new(vec![kernel], likelihood)?;
        let how = outer(10, control);
        let trained = model.learn_with(&problem.table(&targets), how, &few_steps(), &mut |_| {})?;
        let sites = trained.state.0.sites(0).map(|(precision, shift)| (precision.to_vec(), shift.to_vec()));
        Ok((trained.run, sites, model.parameter_values()))
    });
}

fn in_batches(rows: usize, rule: impl Into<FirstOrder>, control: Control) -> Learning {
    let mut steps = Steps::new(rule, 15);
    (steps.descent, steps.control) = (DescentOptions { plateau: 300, ..DescentOptions::default() }, control);
    Learning::Batches(Batches::shuffled(rows, 7, 3).unwrap(), steps)
}

#[test]
fn batches_with_and_without_natural_gradients() {
    let problem = Problem::new(40, 1, 5);
    let targets = problem.signs();
    for natural in [None, Some(0.3)] {
        in_pieces(|control| {
            let mut model = model("bernoulli_probit", &problem.inducing(4));
            let how = in_batches(40, Adam::with_rate(0.05), control);
            let settings = with_rate(natural);
            let trained = model.learn_with(&problem.table(&targets), how, &settings, &mut |_| {})?;
            Ok((trained.run, model.parameter_values()))
        });
    }
}

fn with_rate(natural: Option<f64>) -> BoundLearning {
    natural.map_or_else(BoundLearning::default, BoundLearning::in_steps)
}

#[test]
fn batches_of_samples() {
    let problem = Problem::new(40, 1, 6);
    let targets = problem.signs();
    for (draws, natural) in [(Draws::Random, None), (Draws::QuasiRandom, Some(0.2))] {
        in_pieces(|control| {
            let sampling = Sampling { draws, samples: 8, estimator: Estimator::Reparameterised, seed: 4 };
            let mut model = model("bernoulli_probit", &problem.inducing(4))
                .with_expectation(Expectation::Sampled(sampling))?;
            let (how, mut settings) = (in_batches(40, Adadelta::default(), control), with_rate(natural));
            settings.noise = Some(NoiseTarget { relative: 0.1, least: 4, most: 60 });
            let trained = model.learn_with(&problem.table(&targets), how, &settings, &mut |_| {})?;
            Ok((trained.run, model.parameter_values()))
        });
    }
}

#[test]
fn time_is_over_for_every_kind_of_training() {
    let problem = Problem::new(30, 1, 7);
    let targets = problem.signs();
    let data = problem.table(&targets);
    let control = || Control::new().with_time_limit(Some(Duration::ZERO));
    let start = || model("bernoulli_probit", &problem.inducing(4));
    let run = start().train_alternating(&data, &minimise(9, control())).unwrap();
    assert_eq!((run.reason, run.converged), (StopReason::TimeLimit, false));
    for (how, settings) in [
        (outer(9, control()), BoundLearning::all_together()),
        (outer(9, control()), BoundLearning::converged(few_steps())),
        (in_batches(30, Adam::default(), control()), BoundLearning::default()),
    ] {
        let run = start().learn_with(&data, how, &settings, &mut |_| {}).unwrap().run;
        assert_eq!((run.reason(), run.converged()), (&StopReason::TimeLimit, false));
    }
}
