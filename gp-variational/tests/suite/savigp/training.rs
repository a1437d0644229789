//! Training on all data.

use super::support::{Problem, assert_close, model, together};
use gp_optim::MinimiseOptions;
use gp_variational::savigp::{Bound, Covariance, Mixture};
use gp_variational::{Draws, Expectation, Inference as _, Learning, NaturalOptions, Sampling};

fn options(iterations: u64) -> MinimiseOptions {
    MinimiseOptions { max_iterations: iterations, ..MinimiseOptions::default() }
}

#[test]
fn three_ways_lead_to_the_same_kernel() {
    let problem = Problem::new(80, 1, 71);
    let targets = problem.signs();
    let data = problem.table(&targets);
    let mut start = model("bernoulli_probit", &problem.inducing(7));
    start.processes_mut().iter_mut().for_each(|p| *p = p.clone().with_fixed_inputs());
    let (mut joint, mut turns, mut outer) = (start.clone(), start.clone(), start);
    let best = outer.learn(&data, Learning::Outer(options(200))).unwrap().run;
    let best = best.training().unwrap();
    assert!(best.converged, "{:?}", best.reason);
    let all = together(&mut joint, &data, options(2000));
    assert_close(all.log_posterior, best.log_posterior, 1e-6);
    let staged = turns.train_alternating(&data, &options(30)).unwrap();
    assert_close(-staged.value, best.log_posterior, 1e-4);
    assert!(best.log_posterior > best.start_log_posterior + 1.0);
    let value = Bound::new(&outer, &data).unwrap().value(&outer).unwrap();
    assert_close(value, best.log_marginal_likelihood, 1e-9);
}

/// Two classes: one difference drives both latents, full steps overshoot, unlike Anderson mixing.
#[test]
fn remembered_steps_converge_sooner() {
    let problem = Problem::new(60, 1, 75);
    let targets = problem.signs().iter().map(|&y| f64::from(y > 0.0)).collect::<Vec<_>>();
    let data = problem.table(&targets);
    let sampling = Sampling { samples: 40, draws: Draws::QuasiRandom, ..Sampling::default() };
    let model = model("softmax(classes=2)", &problem.inducing(8));
    let model = model.with_expectation(Expectation::Sampled(sampling)).unwrap();
    let rest = |memory: usize| {
        let options = NaturalOptions { tolerance: 1e-13, memory, max_steps: 1000, ..Default::default() };
        let mut model = model.clone();
        let mut bound = Bound::new(&model, &data).unwrap();
        let ascent = model.converge(&mut bound, &options).unwrap();
        assert!(ascent.converged, "{ascent:?}");
        ascent
    };
    let (plain, remembered) = (rest(0), rest(10));
    assert_close(remembered.bound, plain.bound, 1e-10);
    assert!(2 * remembered.evaluations < plain.evaluations, "{remembered:?} against {plain:?}");
}

/// L-BFGS on a bound of constant samples; exact with many.
#[test]
fn line_searches_see_common_random_numbers() {
    let problem = Problem::new(60, 1, 72);
    let targets = problem.classes();
    let data = problem.table(&targets);
    let start =
        model("softmax(classes=3)", &problem.inducing(5)).with_jitter(gp_linalg::JitterPolicy::ladder());
    let counts = start.posterior().counts().to_vec();
    for covariance in [Covariance::Full, Covariance::Diagonal] {
        let base = start.clone().with_posterior(Mixture::prior(&counts, covariance).unwrap()).unwrap();
        let sampling = Sampling { samples: 100, draws: Draws::QuasiRandom, ..Sampling::default() };
        let mut sampled = base.clone().with_expectation(Expectation::Sampled(sampling)).unwrap();
        let run = together(&mut sampled, &data, options(150));
        assert_eq!(run.failed_evaluations, 0, "{:?}", run.last_failure);
        assert!(run.log_posterior > run.start_log_posterior + 10.0);
        // Same model, by quadrature.
        let exact = sampled.with_expectation(Expectation::Exact).unwrap();
        let value = Bound::new(&exact, &data).unwrap().value(&exact).unwrap();
        assert_close(value, run.log_marginal_likelihood, 1e-2);
    }
}

#[test]
fn a_second_component_does_not_lower_the_bound() {
    let problem = Problem::new(40, 1, 73);
    let targets = problem.counts();
    let data = problem.table(&targets);
    let value = |components: usize| {
        let posterior = Mixture::spread(&[6], Covariance::Diagonal, components, 3).unwrap();
        let mut model = model("poisson", &problem.inducing(6)).with_posterior(posterior).unwrap();
        model.processes_mut().iter_mut().for_each(|p| *p = p.clone().with_fixed_inputs());
        gp_optim::ParameterSetMut::visit_mut(&mut model.processes_mut()[0], &mut |p| p.fix_all(true));
        together(&mut model, &data, options(1000)).log_posterior
    };
    let (one, two) = (value(1), value(2));
    assert!(two >= one - 1e-6, "{two} against {one}");
}
