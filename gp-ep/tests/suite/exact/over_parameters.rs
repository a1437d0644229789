//! Predictions with uncertain parameters against a grid.

use super::support::{Problem, outer};
use faer::Mat;
use gp_ep::{ClosedEvidence as _, ExactGp, Inference as _, ParameterDraws, Predictor};
use gp_kernels::KernelExt as _;
use gp_kernels::posterior::MixturePosterior;
use gp_likelihoods::Gaussian;
use gp_optim::{MinimiseOptions, ParameterSet as _, ParameterSetMut as _};

const WIDTH: f64 = 0.8;

/// Optimum of one length-scale and noise.
fn learned(problem: &Problem) -> ExactGp {
    let kernel = gp_kernels::parse("fixed(1.0) * rbf(lengthscale=0.5)").unwrap();
    let mut model = ExactGp::new(kernel, Gaussian::new(0.05).unwrap());
    outer(&mut model, &problem.data(), &MinimiseOptions::default()).unwrap();
    model
}

fn over(
    model: &ExactGp,
    problem: &Problem,
    pairs: usize,
) -> Predictor<MixturePosterior<gp_ep::ExactPosterior>> {
    let mut draws = ParameterDraws::default();
    (draws.pairs, draws.width) = (pairs, WIDTH);
    model.posterior_over_parameters(&problem.data(), &draws).unwrap()
}

fn moments<P: gp_ep::Posterior>(predictor: &Predictor<P>, x: &Mat<f64>) -> Vec<(f64, f64)> {
    predictor.moments(x.as_ref()).unwrap().iter().map(|found| (found.mean, found.variance)).collect()
}

/// Grid over both logarithms, ±5 widths, weights `p(y | θ) N(θ; θ̂, s² I)`.
fn by_grid(model: &ExactGp, problem: &Problem, x: &Mat<f64>) -> Vec<(f64, f64)> {
    const STEPS: i32 = 60;
    let (mut centre, data) = ([0.0; 2], problem.data());
    model.write_free(&mut centre).unwrap();
    let best = model.log_evidence(&data).unwrap().value;
    let (mut total, mut sums) = (0.0, vec![(0.0, 0.0); x.nrows()]);
    let at = |step: i32| 5.0 * WIDTH * f64::from(step) / f64::from(STEPS);
    for (a, b) in (-STEPS..=STEPS).flat_map(|i| (-STEPS..=STEPS).map(move |j| (at(i), at(j)))) {
        let mut there = model.clone();
        there.set_free(&[centre[0] + a, centre[1] + b]).unwrap();
        let log_prior = -0.5 * (a * a + b * b) / (WIDTH * WIDTH);
        let weight = (there.log_evidence(&data).unwrap().value - best + log_prior).exp();
        total += weight;
        for (sum, (mean, variance)) in sums.iter_mut().zip(moments(&there.posterior(&data).unwrap(), x)) {
            sum.0 += weight * mean;
            sum.1 += weight * (variance + mean * mean);
        }
    }
    sums.iter().map(|(mean, square)| (mean / total, square / total - (mean / total).powi(2))).collect()
}

#[test]
fn draws_are_a_sum_over_the_grid() {
    let problem = Problem::new(12, 1, 4);
    let model = learned(&problem);
    let x = Mat::from_fn(7, 1, |i, _| -1.5 + 0.5 * i as f64);
    let (found, expected) = (moments(&over(&model, &problem, 2000), &x), by_grid(&model, &problem, &x));
    for ((mean, variance), (mean_by_grid, variance_by_grid)) in found.into_iter().zip(expected) {
        // Tolerance: four thousand draws of unequal weights err by some hundredths of a deviation.
        let deviation = variance_by_grid.sqrt();
        assert!((mean - mean_by_grid).abs() < 0.05 * deviation, "{mean} {mean_by_grid} {deviation}");
        assert!((variance / variance_by_grid - 1.0).abs() < 0.1, "{variance} {variance_by_grid}");
    }
}

/// With few rows parameters are uncertain and intervals wider.
#[test]
fn what_many_rows_say_is_as_good_as_known() {
    let x = Mat::from_fn(20, 1, |i, _| -0.9 + 0.09 * i as f64);
    let wider = |count: usize| {
        let problem = Problem::new(count, 1, 9);
        let model = learned(&problem);
        let known = moments(&model.posterior(&problem.data()).unwrap(), &x);
        let uncertain = moments(&over(&model, &problem, 20), &x);
        let ratios = uncertain.iter().zip(&known).map(|(uncertain, known)| uncertain.1 / known.1);
        ratios.sum::<f64>() / 20.0
    };
    let (few, many) = (wider(8), wider(400));
    assert!(few > 1.1 && (many - 1.0).abs() < 0.03, "{few} {many}");
}

#[test]
fn without_a_free_parameter_there_is_one_component() {
    let problem = Problem::new(10, 1, 2);
    let mut noise = Gaussian::new(0.05).unwrap();
    noise.parameters_mut()[0].fix_all(true);
    let model = ExactGp::new(gp_kernels::parse("fixed(1) * rbf(lengthscale=fixed(0.5))").unwrap(), noise);
    assert_eq!(over(&model, &problem, 20).functions().weights(), [1.0]);
}

#[test]
fn the_first_component_is_the_optimum() {
    let problem = Problem::new(15, 1, 6);
    let model = learned(&problem);
    let (one, other) = (over(&model, &problem, 10), over(&model, &problem, 10));
    let (functions, noise) = (one.functions(), one.likelihood().gaussian_noise().unwrap().variance());
    assert_eq!(functions.weights(), other.functions().weights());
    assert_eq!(functions.parts()[0].kernel().expression(), model.kernel().expression());
    let mean: f64 =
        functions.weights().iter().zip(functions.parts()).map(|(w, part)| w * part.noise().variance()).sum();
    assert!((noise - mean).abs() < 1e-14 * mean, "{noise} {mean}");
    assert!((functions.weights().iter().sum::<f64>() - 1.0).abs() < 1e-14);
}
