//! Training that is interrupted after every single iteration, and each time goes on from its checkpoint, ends with the
//! bits of training that was left alone: parameters, the posterior among them, and what the solver has to say.
#![expect(clippy::unwrap_used, reason = "tests say what they expect")]

#[path = "savigp/support.rs"]
#[expect(dead_code, reason = "shared with the tests of models with inducing inputs")]
mod support;

use gp_optim::{
    Adadelta, Adam, Batches, CheckpointFile, Control, DescentOptions, Interrupt, MinimiseOptions, OptimError,
    ParameterSet as _, StopReason,
};
use gp_variational::savigp::{BatchOptions, NoiseTarget};
use gp_variational::{
    DenseVariational, Draws, Estimator, Expectation, InferenceError, NaturalOptions, Sampling,
};
use std::fmt::Debug;
use std::time::Duration;
use support::{Problem, model};

/// What `run` comes to under nobody's control, and what it comes to in pieces of one iteration, of which there have to
/// be more than a few.
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

/// Not at rest, so that every evaluation hands on what it came to.
fn few_steps() -> NaturalOptions {
    NaturalOptions { max_steps: 2, rate: 0.6, ..NaturalOptions::default() }
}

#[test]
fn everything_together() {
    let problem = Problem::new(30, 1, 1);
    let targets = problem.counts();
    in_pieces(|control| {
        let mut model = model("poisson", &problem.inducing(4));
        let trained = model.train(&problem.table(&targets), &minimise(12, control), |_| {})?;
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
        let trained = model.train_alternating(&problem.table(&targets), &options)?;
        Ok((trained.run, model.parameter_values()))
    });
}

#[test]
fn a_posterior_at_rest() {
    let problem = Problem::new(30, 1, 3);
    let targets = problem.signs();
    in_pieces(|control| {
        let mut model = model("bernoulli_probit", &problem.inducing(4));
        let trained =
            model.train_outer(&problem.table(&targets), &few_steps(), &minimise(10, control), |_| {})?;
        Ok((trained.run, model.parameter_values()))
    });
}

#[test]
fn a_dense_posterior_at_rest() {
    let problem = Problem::new(25, 1, 4);
    let targets = problem.signs();
    in_pieces(|control| {
        let likelihood = gp_likelihoods::parse("bernoulli_probit").unwrap();
        let kernel = gp_kernels::parse("1.7 * rbf(lengthscale=0.3)").unwrap();
        let mut model = DenseVariational::new(vec![kernel], likelihood)?;
        let options = minimise(10, control);
        let trained = model.train(&problem.table(&targets), &few_steps(), &options, |_| {})?;
        let sites = trained.state.sites(0).map(|(precision, shift)| (precision.to_vec(), shift.to_vec()));
        Ok((trained.run, sites, model.parameter_values()))
    });
}

fn batch_options(control: Control) -> BatchOptions {
    let mut options = BatchOptions::default();
    (options.steps, options.control) = (15, control);
    options.descent = DescentOptions { plateau: 300, ..DescentOptions::default() };
    options
}

#[test]
fn batches_with_and_without_natural_gradients() {
    let problem = Problem::new(40, 1, 5);
    let targets = problem.signs();
    for natural in [None, Some(0.3)] {
        in_pieces(|control| {
            let mut model = model("bernoulli_probit", &problem.inducing(4));
            let options = with_natural(batch_options(control), natural);
            let batches = Batches::shuffled(40, 7, 3)?;
            let rule = Adam::with_rate(0.05);
            let trained =
                model.train_in_batches(&problem.table(&targets), batches, rule, &options, |_| {})?;
            Ok((trained.run, model.parameter_values()))
        });
    }
}

fn with_natural(mut options: BatchOptions, natural: Option<f64>) -> BatchOptions {
    options.natural = natural;
    options
}

/// Samples are new for every batch, and their number follows their noise.
#[test]
fn batches_of_samples() {
    let problem = Problem::new(40, 1, 6);
    let targets = problem.signs();
    for (draws, natural) in [(Draws::Random, None), (Draws::QuasiRandom, Some(0.2))] {
        in_pieces(|control| {
            let sampling = Sampling { draws, samples: 8, estimator: Estimator::Reparameterised, seed: 4 };
            let mut model = model("bernoulli_probit", &problem.inducing(4))
                .with_expectation(Expectation::Sampled(sampling))?;
            let mut options = with_natural(batch_options(control), natural);
            options.noise = Some(NoiseTarget { relative: 0.1, least: 4, most: 60 });
            let batches = Batches::shuffled(40, 7, 3)?;
            let data = problem.table(&targets);
            let trained = model.train_in_batches(&data, batches, Adadelta::default(), &options, |_| {})?;
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
    let run = start().train(&data, &minimise(9, control()), |_| {}).unwrap().run;
    assert_eq!((run.reason, run.converged), (StopReason::TimeLimit, false));
    let run = start().train_alternating(&data, &minimise(9, control())).unwrap().run;
    assert_eq!((run.reason, run.converged), (StopReason::TimeLimit, false));
    let (run, _) = start().train_outer(&data, &few_steps(), &minimise(9, control()), |_| {}).unwrap().run;
    assert_eq!((run.reason, run.converged), (StopReason::TimeLimit, false));
    let batches = Batches::shuffled(30, 7, 3).unwrap();
    let run = start().train_in_batches(&data, batches, Adam::default(), &batch_options(control()), |_| {});
    let run = run.unwrap().run;
    assert_eq!((run.reason, run.converged), (StopReason::TimeLimit, false));
}
