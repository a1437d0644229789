//! Estimates from batches, and training on them.

use super::support::{Problem, anywhere, assert_close, model};
use gp_optim::{Adadelta, Adam, Batches, ParameterSet as _};
use gp_variational::savigp::{BatchOptions, Bound, Covariance, Mixture, NoiseTarget};
use gp_variational::{Estimator, Expectation, NaturalOptions, Sampling, Savigp};

/// The mean of the estimates of all batches of an epoch is the bound, and so are the gradients.
#[test]
fn batches_estimate_the_whole() {
    let problem = Problem::new(24, 1, 61);
    let targets = problem.counts();
    let data = problem.table(&targets);
    let base = model("poisson", &problem.inducing(4));
    let start = Mixture::spread(&[4], Covariance::Full, 2, 1).unwrap();
    let model = base.with_posterior(anywhere(&start, 62)).unwrap();
    let count = model.parameter_count();
    let (mut whole, mut sums, mut part) = (vec![0.0; count], vec![0.0; count], vec![0.0; count]);
    let value = Bound::new(&model, &data).unwrap().gradient(&model, &mut whole).unwrap();
    let mut bound = Bound::for_batches(&model, &data, 6).unwrap();
    let mut mean = 0.0;
    for start in (0..24).step_by(6) {
        let rows: Vec<usize> = (start..start + 6).collect();
        bound.load(&model, &data, &rows).unwrap();
        mean += bound.gradient(&model, &mut part).unwrap() / 4.0;
        sums.iter_mut().zip(&part).for_each(|(sum, g)| *sum += g / 4.0);
    }
    assert_close(mean, value, 1e-12);
    sums.iter().zip(&whole).for_each(|(found, expected)| assert_close(*found, *expected, 1e-11));
}

fn whole_bound(model: &Savigp, data: &dyn gp_kernels::data::DataSource) -> f64 {
    let mut model = model.clone().with_expectation(Expectation::Exact).unwrap();
    let mut bound = Bound::new(&model, data).unwrap();
    // Of the parameters found, the best posterior tells how good they are.
    match model.come_to_rest(&mut bound, &NaturalOptions::default()) {
        Ok(ascent) => ascent.bound,
        Err(_) => bound.value(&model).unwrap(),
    }
}

#[test]
fn first_order_methods_raise_the_bound() {
    let problem = Problem::new(300, 1, 63);
    let targets = problem.signs();
    let data = problem.table(&targets);
    let start = model("bernoulli_probit", &problem.inducing(8));
    let before = Bound::new(&start, &data).unwrap().value(&start).unwrap();
    let batches = || Batches::shuffled(300, 50, 1).unwrap();
    let mut options = BatchOptions::default();
    options.steps = 600;
    let (mut adam, mut delta, mut natural) = (start.clone(), start.clone(), start.clone());
    adam.train_in_batches(&data, batches(), Adam::with_rate(0.03), &options, |_| {}).unwrap();
    delta.train_in_batches(&data, batches(), Adadelta::default(), &options, |_| {}).unwrap();
    options.natural = Some(0.2);
    natural.train_in_batches(&data, batches(), Adam::with_rate(0.03), &options, |_| {}).unwrap();
    let value = |model: &Savigp| Bound::new(model, &data).unwrap().value(model).unwrap();
    let best = whole_bound(&adam, &data);
    assert!(value(&adam) > before + 50.0, "{} after {before}", value(&adam));
    assert!(value(&delta) > before, "{} after {before}", value(&delta));
    // Natural gradients have the posterior where it belongs, as far as batches tell.
    assert!(value(&natural) > best - 3.0, "{} against {best}", value(&natural));
}

/// Natural gradients from batches, with samples: the number of samples follows the noise.
#[test]
fn the_number_of_samples_follows_the_noise() {
    let problem = Problem::new(300, 1, 64);
    let targets = problem.counts();
    let data = problem.table(&targets);
    let sampling = Sampling { estimator: Estimator::ControlledScore, samples: 10, ..Sampling::default() };
    let start =
        model("poisson", &problem.inducing(8)).with_expectation(Expectation::Sampled(sampling)).unwrap();
    let mut options = BatchOptions::default();
    (options.steps, options.natural) = (200, Some(0.2));
    let samples = |relative: f64| {
        let mut options = options.clone();
        options.noise = Some(NoiseTarget { relative, least: 5, most: 400 });
        let mut model = start.clone();
        let batches = Batches::shuffled(300, 50, 1).unwrap();
        let trained =
            model.train_in_batches(&data, batches, Adam::with_rate(0.01), &options, |_| {}).unwrap();
        let Expectation::Sampled(sampling) = trained.state.expectation() else { panic!("it stays sampled") };
        (sampling.samples, model)
    };
    let (few, _) = samples(10.0);
    let (many, model) = samples(0.05);
    assert_eq!(few, 5, "noise ten times the gradient takes few");
    assert!(many > 50, "a twentieth takes many, not {many}");
    let value = Bound::new(&model, &data).unwrap().value(&model).unwrap();
    let best = whole_bound(&model, &data);
    assert!((value - best).abs() < 0.02 * best.abs(), "{value} against {best}");
}
