//! Nominal coverage of predictive intervals.

use super::models::sparse;
use faer::Mat;
use gp_ep::Inference as _;
use gp_ep::Observations;
use gp_likelihoods::special::standard_normal_quantile;
use gp_linalg::{Cholesky, JitterPolicy, Threading};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

const SIMULATIONS: usize = 600;
const KERNEL: &str = "1.4 * rbf(lengthscale=0.7)";
const NOISE: f64 = 0.1;

/// Noisy prior draws, one data set per column.
fn simulate(points: &Mat<f64>) -> Mat<f64> {
    let kernel = gp_kernels::parse(KERNEL).unwrap();
    let mut covariance = gp_kernels::gram(kernel.as_ref(), points.as_ref()).unwrap();
    (0..points.nrows()).for_each(|i| covariance[(i, i)] += NOISE);
    let factor = Cholesky::factor(covariance.as_ref(), &JitterPolicy::none()).unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(71);
    let mut draws = Mat::from_fn(points.nrows(), SIMULATIONS, |_, _| StandardNormal.sample(&mut rng));
    factor.mul_l_in_place(draws.as_mut(), Threading::Here).unwrap();
    draws
}

#[test]
fn intervals_cover_their_share_of_simulated_observations() {
    const TRAINING: usize = 40;
    // One new point per data set, the last row, for independent misses.
    let points = Mat::from_fn(TRAINING + 1, 1, |i, _| if i < TRAINING { 0.075 * i as f64 } else { 1.037 });
    let draws = simulate(&points);
    let (inputs, new) = points.as_ref().split_at_row(TRAINING);
    // An inducing input every 0.3 at ℓ = 0.7 leaves hardly anything unexplained.
    let z = Mat::from_fn(11, 1, |i, _| 0.3 * i as f64);
    for power in [0.0, 0.5, 1.0] {
        let model = sparse(KERNEL, z.as_ref(), NOISE, power);
        let mut inside = [0_u32; 3];
        let levels = [0.5, 0.8, 0.95];
        for data_set in draws.col_iter() {
            let targets: Vec<f64> = data_set.iter().take(TRAINING).copied().collect();
            let posterior = model.posterior(&Observations::new(inputs, &targets).unwrap()).unwrap();
            let found = posterior.moments(new).unwrap()[0];
            let miss = ((data_set[TRAINING] - found.mean) / found.variance.sqrt()).abs();
            for (inside, level) in inside.iter_mut().zip(levels) {
                let within = miss <= standard_normal_quantile(0.5 + 0.5 * level).unwrap();
                *inside += u32::from(within);
            }
        }
        for (inside, level) in inside.iter().zip(levels) {
            let share = f64::from(*inside) / SIMULATIONS as f64;
            let standard_error = (level * (1.0 - level) / SIMULATIONS as f64).sqrt();
            assert!((share - level).abs() <= 3.0 * standard_error, "α = {power}: {share} inside {level}");
        }
    }
}
