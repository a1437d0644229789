//! Errors name the value and the place.

use super::support::{Problem, model};
use faer::Mat;
use gp_kernels::data::Table;
use gp_optim::{Adam, Batches};
use gp_variational::savigp::{Bound, BoundLearning, Covariance, Mixture, NoiseTarget};
use gp_variational::{
    Estimator, Expectation, Inference as _, InferenceError, Learning, NaturalOptions, Sampling, Savigp, Steps,
};

#[track_caller]
fn assert_says<T: std::fmt::Debug>(result: Result<T, InferenceError>, words: &str) {
    let error = result.unwrap_err().to_string();
    assert!(error.contains(words), "`{error}` does not say `{words}`");
}

#[test]
fn models_and_data_have_to_fit() {
    let problem = Problem::new(6, 2, 81);
    let inputs = problem.inducing(3);
    // A single process would be shared.
    let three = model("softmax(classes=3)", &inputs);
    assert_says(
        Savigp::new(three.processes()[..2].to_vec(), three.likelihood().clone_box()),
        "model has 2 latent functions, expected 3",
    );
    let data = problem.table(&problem.signal);
    let fits = model("gaussian", &inputs);
    let wide = Mat::<f64>::zeros(6, 3);
    let other = Table::with_targets(wide.as_ref(), &problem.signal).unwrap();
    assert_says(Bound::new(&fits, &other), "inputs has 3 columns, expected 2");
    assert_says(Bound::new(&model("poisson", &inputs), &data), "observation 0: ");
    let nan = Mat::from_fn(6, 2, |i, d| if (i, d) == (4, 1) { f64::NAN } else { 0.0 });
    let broken = Table::with_targets(nan.as_ref(), &problem.signal).unwrap();
    assert_says(Bound::new(&fits, &broken), "inputs holds NaN in row 4, column 1");
    let mut bound = Bound::new(&fits, &data).unwrap();
    assert_says(bound.gradient(&fits, &mut [0.0; 3]), "gradient has 3 entries");
    let mut batches = Bound::for_batches(&fits, &data, 2).unwrap();
    assert_says(batches.value(&fits), "there are no observations");
    assert_says(batches.load(&fits, &data, &[0, 1, 2]), "batch has 3 observations, expected 2");
    assert_says(batches.load(&fits, &data, &[7]), "observation 7 cannot be read");
    let mixture =
        fits.clone().with_posterior(Mixture::spread(&[3], Covariance::Full, 2, 1).unwrap()).unwrap();
    assert_says(bound.value(&mixture), "posterior of another shape");
}

#[test]
fn posteriors_have_shapes() {
    assert_says(Mixture::prior(&[], Covariance::Full), "posterior has 0 inducing values");
    assert_says(Mixture::spread(&[2], Covariance::Full, 0, 1), "posterior has 0 components");
    let two = Mixture::spread(&[2], Covariance::Full, 2, 1).unwrap();
    assert_says(two.repeated(2), "posterior has 2 components, expected 1");
    let mut one = Mixture::prior(&[2], Covariance::Full).unwrap();
    let factor = Mat::<f64>::identity(2, 2);
    assert_says(one.set(1, 0, &[0.0; 2], factor.as_ref()), "posterior has 1 components, expected 2");
    assert_says(one.set(0, 0, &[0.0, f64::NAN], factor.as_ref()), "mean[1]");
    assert_says(one.set(0, 0, &[0.0; 2], Mat::<f64>::zeros(2, 2).as_ref()), "diagonal");
}

#[test]
fn settings_have_ranges() {
    let problem = Problem::new(6, 1, 82);
    let classes = problem.classes();
    let data = problem.table(&classes);
    let base = model("robust_max(classes=3)", &problem.inducing(3));
    let sampled =
        |estimator, samples| Expectation::Sampled(Sampling { estimator, samples, ..Sampling::default() });
    let with = |expectation| base.clone().with_expectation(expectation);
    assert_says(with(sampled(Estimator::Reparameterised, 10)), "a likelihood that is not smooth");
    assert_says(with(sampled(Estimator::Score, 0)), "number of samples is 0");
    assert!(with(sampled(Estimator::ControlledScore, 10)).is_ok());
    let mut model = base.clone();
    let mut bound = Bound::new(&base, &data).unwrap();
    for (options, words) in [
        (NaturalOptions { rate: 0.0, ..NaturalOptions::default() }, "length of a natural step is 0"),
        (NaturalOptions { tolerance: -1.0, ..NaturalOptions::default() }, "tolerance is -1"),
    ] {
        assert_says(model.converge(&mut bound, &options), words);
    }
    assert_says(model.natural_step(&mut bound, 1.5), "length of a natural step is 1.5");
    let mut fresh = Bound::new(&base, &data).unwrap();
    assert_says(model.natural_step(&mut fresh, 1.0), "bound has 0 evaluations");
    let diagonal = Mixture::prior(base.posterior().counts(), Covariance::Diagonal).unwrap();
    let mut diagonal = base.clone().with_posterior(diagonal).unwrap();
    assert_says(diagonal.converge(&mut bound, &NaturalOptions::default()), "one full Gaussian");
    let mut noisy = BoundLearning::default();
    noisy.noise = Some(NoiseTarget { least: 0, ..NoiseTarget::default() });
    for (settings, words) in [
        (noisy, "least number of samples is 0"),
        (BoundLearning::in_steps(2.0), "length of a natural step is 2"),
    ] {
        let how = Learning::Batches(Batches::shuffled(6, 3, 1).unwrap(), Steps::new(Adam::default(), 10));
        assert_says(model.learn_with(&data, how, &settings, &mut |_| {}), words);
    }
}
