//! The variational bound, tighter with more inducing inputs.

use super::models::{log_z, sparse};
use super::support::{Problem, model};
use faer::Mat;
use proptest::prelude::*;

/// Rounding and jitter: 1e-14 of the prior variance moves residuals over a noise of 1e-3 by less.
fn room(value: f64) -> f64 {
    1e-8 * value.abs().max(1.0)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn a_lower_bound_that_an_inducing_input_never_lowers(
        count in 1..30_usize,
        inducing in 1..8_usize,
        dim in 1..4_usize,
        lengthscale in 0.1..4.0_f64,
        noise in 1e-3..1.0_f64,
        kernel in prop::sample::select(vec!["rbf", "matern32", "matern52"]),
        seed in 0..1000_u64,
    ) {
        let problem = Problem::new(count, dim, seed);
        let all = Problem::new(inducing + 1, dim, seed + 5000).inputs;
        let kernel = format!("1.2 * {kernel}(lengthscale={lengthscale})");
        let bound = |z: &Mat<f64>| log_z(&sparse(&kernel, z.as_ref(), noise, 0.0), &problem);
        let fewer = bound(&all.subrows(0, inducing).to_owned());
        let more = bound(&all);
        let exact = model(&kernel, noise).condition(&problem.data()).unwrap().log_marginal_likelihood();
        prop_assert!(fewer <= more + room(more), "{fewer} with {inducing}, {more} with one more");
        prop_assert!(more <= exact + room(exact), "{more} above {exact}");
    }
}
