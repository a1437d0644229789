//! Cases with known answers.

use super::support::{
    Problem, anywhere, assert_close, log_normal, model, plus_diagonal, rbf, solve, together,
};
use faer::Mat;
use gp_kernels::inducing::InducingInputs;
use gp_likelihoods::{Latent, LatentDerivatives, Workspace};
use gp_optim::{MinimiseOptions, ParameterSetMut as _};
use gp_variational::savigp::{Bound, Covariance, EntropyBound, Mixture};
use gp_variational::{NaturalOptions, Savigp};

const NOISE: f64 = 0.2;
const GAUSSIAN: &str = "gaussian(variance=0.2)";

fn converged(model: &mut Savigp, bound: &mut Bound) -> f64 {
    let options = NaturalOptions { tolerance: 1e-14, ..NaturalOptions::default() };
    let ascent = model.converge(bound, &options).unwrap();
    assert!(ascent.converged, "{ascent:?}");
    ascent.bound
}

fn exact(problem: &Problem) -> (f64, Mat<f64>, Vec<f64>) {
    let k = rbf(problem.inputs.as_ref(), problem.inputs.as_ref());
    let noisy = plus_diagonal(&k, NOISE);
    let y = Mat::from_fn(problem.signal.len(), 1, |i, _| problem.signal[i]);
    let mean = &k * solve(&noisy, y.as_ref());
    let explained = solve(&noisy, k.as_ref());
    let variance = |i: usize| k[(i, i)] - (0..k.nrows()).map(|j| k[(i, j)] * explained[(j, i)]).sum::<f64>();
    (log_normal(&problem.signal, &noisy), mean, (0..k.nrows()).map(variance).collect())
}

#[test]
fn a_full_gaussian_at_the_data_is_exact_regression() {
    let problem = Problem::new(30, 1, 1);
    let data = problem.table(&problem.signal);
    let all = InducingInputs::points(problem.inputs.as_ref()).unwrap();
    // K of 30 close points is nearly singular: jitter moves the bound by less than the tolerance.
    let mut model = model(GAUSSIAN, &all).with_jitter(gp_linalg::JitterPolicy::ladder());
    let mut bound = Bound::new(&model, &data).unwrap();
    let value = converged(&mut model, &mut bound);
    let (evidence, mean, variance) = exact(&problem);
    assert_close(value, evidence, 1e-6);
    let found = model.predictor().unwrap().latents(problem.inputs.as_ref()).unwrap();
    for i in 0..problem.signal.len() {
        assert_close(found[0].mean[i], mean[(i, 0)], 1e-6);
        assert_close(found[0].variance[i], variance[i], 1e-6);
    }
}

#[test]
fn a_sparse_gaussian_has_the_variational_free_energy() {
    let problem = Problem::new(60, 2, 2);
    let data = problem.table(&problem.signal);
    let inputs = problem.inducing(12);
    let mut model = model(GAUSSIAN, &inputs);
    let mut bound = Bound::new(&model, &data).unwrap();
    // One full step converges for a Gaussian likelihood.
    let options = NaturalOptions { max_steps: 1, ..NaturalOptions::default() };
    let value = model.converge(&mut bound, &options).unwrap().bound;
    let k_zz = rbf(inputs.z().as_dyn_stride(), inputs.z().as_dyn_stride());
    let k_zx = rbf(inputs.z().as_dyn_stride(), problem.inputs.as_ref());
    let q = k_zx.transpose() * solve(&k_zz, k_zx.as_ref());
    let left: f64 = (0..60).map(|i| 1.7 - q[(i, i)]).sum();
    let expected = log_normal(&problem.signal, &plus_diagonal(&q, NOISE)) - 0.5 * left / NOISE;
    assert_close(value, expected, 1e-8);
}

#[test]
fn both_ways_to_the_top_end_there() {
    let problem = Problem::new(40, 1, 3);
    for (likelihood, targets) in [("bernoulli_logit", problem.signs()), ("poisson", problem.counts())] {
        let data = problem.table(&targets);
        let mut natural = model(likelihood, &problem.inducing(6));
        let mut bound = Bound::new(&natural, &data).unwrap();
        let value = converged(&mut natural, &mut bound);
        let mut climbed = model(likelihood, &problem.inducing(6));
        fix_outer(&mut climbed);
        let run = together(&mut climbed, &data, MinimiseOptions::default());
        assert!(run.converged, "{:?}", run.reason);
        assert_close(run.log_posterior, value, 1e-7);
    }
}

fn fix_outer(model: &mut Savigp) {
    model.processes_mut().iter_mut().for_each(|p| p.visit_mut(&mut |p| p.fix_all(true)));
    model.likelihood_mut().parameters_mut().iter_mut().for_each(|p| p.fix_all(true));
}

/// Bonilla et al. 2019 Theorem 2: `S_u = K (K + K_zx Λ K_xz)⁻¹ K` with `λ_i = −2 ∂E_i/∂w_i`.
#[test]
fn a_converged_covariance_has_a_number_for_each_observation() {
    let problem = Problem::new(50, 1, 4);
    let targets = problem.counts();
    let inputs = problem.inducing(7);
    let mut model = model("poisson", &inputs);
    let data = problem.table(&targets);
    let mut bound = Bound::new(&model, &data).unwrap();
    converged(&mut model, &mut bound);
    let found = model.predictor().unwrap().latents(problem.inputs.as_ref()).unwrap();
    let (mut ws, mut slopes) = (Workspace::new(), LatentDerivatives::default());
    let mut lambda = |i: usize| {
        let q = Latent::new(found[0].mean[i], found[0].variance[i]).unwrap();
        model.likelihood().expected_log_density(&[targets[i]], &[q], &mut ws, &mut slopes).unwrap();
        -2.0 * slopes.by_variance[0]
    };
    let lambda: Vec<f64> = (0..50).map(&mut lambda).collect();
    let k_zz = rbf(inputs.z().as_dyn_stride(), inputs.z().as_dyn_stride());
    let k_zx = rbf(inputs.z().as_dyn_stride(), problem.inputs.as_ref());
    let weighted = Mat::from_fn(7, 50, |m, i| k_zx[(m, i)] * lambda[i]);
    let inner = &k_zz + &weighted * k_zx.transpose();
    let expected = &k_zz * solve(&inner, k_zz.as_ref());
    let l = gp_linalg::Cholesky::factor(k_zz.as_ref(), &gp_linalg::JitterPolicy::none()).unwrap();
    let root = l.l() * model.posterior().factor(0, 0);
    let covariance = &root * root.transpose();
    // Flat maximum: a bound to 1e-14 gives the covariance to 1e-7.
    for i in 0..7 {
        (0..7).for_each(|j| assert_close(covariance[(i, j)], expected[(i, j)], 1e-6));
    }
}

#[test]
fn no_posterior_has_a_bound_above_the_evidence() {
    let problem = Problem::new(25, 1, 5);
    let data = problem.table(&problem.signal);
    let (evidence, _, _) = exact(&problem);
    let base = model(GAUSSIAN, &problem.inducing(8));
    for covariance in [Covariance::Full, Covariance::Diagonal] {
        for components in [1, 2, 3] {
            for entropy in [EntropyBound::Distances, EntropyBound::Jensen] {
                let start = Mixture::spread(&[8], covariance, components, 1).unwrap();
                let mut trained = base.clone().with_entropy(entropy).with_posterior(start.clone()).unwrap();
                fix_outer(&mut trained);
                let best = together(&mut trained, &data, MinimiseOptions::default());
                assert!(best.log_posterior <= evidence, "{covariance:?}, {components}, {entropy:?}");
                for seed in 0..5 {
                    let model = trained.clone().with_posterior(anywhere(&start, seed)).unwrap();
                    assert!(Bound::new(&model, &data).unwrap().value(&model).unwrap() < evidence);
                }
            }
        }
    }
}
