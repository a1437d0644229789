//! Two latents: mean and log variance of Gaussian noise; two means with a likelihood of two factors.

use super::gradients::{assert_gradient, chained, differences};
use super::reference;
use super::support::{Problem, assert_close, converged, rbf, tight};
use faer::Mat;
use gp_ep::power_ep::{GradientKind, MiniBatchEp, Sharing, SiteOrder};
use gp_ep::{BatchEp, EpOptions, Level, PowerEp, Powers, SparseProcess, Table};
use gp_kernels::inducing::InducingInputs;
use gp_likelihoods::{
    Density, Described, Factor, Gaussian, Latent, LatentDerivatives, Likelihood, LikelihoodError,
    ObservationMoments, Pieces, Scalar, Separable, Support, Workspace,
};
use gp_linalg::JitterPolicy;
use gp_optim::{Parameter, ParameterSet};
use rand::Rng;
use std::f64::consts::TAU;

fn model(noise_kernel: &str, inputs: [InducingInputs; 2]) -> PowerEp {
    let [of_mean, of_noise] = inputs;
    let process =
        |kernel: &str, inputs| SparseProcess::new(gp_kernels::parse(kernel).unwrap(), inputs).unwrap();
    let processes = vec![process(super::support::RBF, of_mean), process(noise_kernel, of_noise)];
    PowerEp::new(processes, gp_likelihoods::parse("heteroscedastic").unwrap())
        .unwrap()
        .with_jitter(JitterPolicy::none())
}

#[test]
fn the_gradient_of_converged_sites_is_that_of_log_z() {
    let problem = Problem::new(8, 1, 131);
    let data = Table::with_targets(problem.inputs.as_ref(), &problem.signal).unwrap();
    for alpha in [1.0, 0.5, 0.0] {
        for level in [Level::Projection, Level::Latent] {
            // Different numbers of inducing inputs expose confused latents.
            let model = model("0.6 * rbf(lengthscale=1.4)", [problem.inducing(3), problem.inducing(2)])
                .with_powers(Powers::Same(alpha))
                .with_level(level);
            let what = format!("α = {alpha}, {level:?}");
            let options = EpOptions { step: 0.7, ..tight() };
            let mut ep = converged(&model, &data, &options);
            let mut natural = vec![0.0; model.parameter_count()];
            let value = ep.log_z_gradient(&model, GradientKind::Converged, &mut natural).unwrap();
            assert_close(value, ep.log_z(&model).unwrap(), 1e-12);
            let expected = differences(&model, |moved| {
                ep.refresh(moved).unwrap();
                assert!(ep.converge(moved, &options).unwrap().converged, "{what}");
                ep.log_z(moved).unwrap()
            });
            assert_gradient(&chained(&model, &natural), &expected, 1e-6, &what);
        }
    }
}

#[test]
fn a_noise_that_does_not_vary_is_gaussian_noise() {
    let problem = Problem::new(20, 2, 132);
    let data = Table::with_targets(problem.inputs.as_ref(), &problem.signal).unwrap();
    // The log variance is 0 to 1e-10: noise of variance 1.
    let expected = reference::log_marginal_likelihood(&rbf, &problem.table(), &problem.signal, &[1.0; 20]);
    for alpha in [1.0, 0.5, 0.0] {
        let model = model("1e-10 * rbf", [problem.all_inputs(), problem.inducing(2)])
            .with_powers(Powers::Same(alpha));
        for schedule in [SiteOrder::Parallel, SiteOrder::InTurn] {
            let mut ep = BatchEp::new(&model, &data).unwrap();
            let options = EpOptions { schedule, tolerance: 1e-9, log_z_tolerance: 1e-12, ..tight() };
            assert!(ep.converge(&model, &options).unwrap().converged);
            // The prior of the log variance changes log Z by its variance times N.
            assert_close(ep.log_z(&model).unwrap(), expected, 1e-8);
        }
    }
}

/// `ln p(y)` of one observation, by the trapezoidal rule over both latents.
fn single(y: f64, prior_variances: [f64; 2]) -> f64 {
    let step = 0.05;
    let [v, w] = prior_variances;
    let terms = (-200..=200).map(|k| {
        let t = step * f64::from(k);
        let variance = v + (w.sqrt() * t).exp();
        (-0.5 * t * t - 0.5 * (y * y / variance + (TAU * variance).ln())).exp()
    });
    (terms.sum::<f64>() * step / TAU.sqrt()).ln()
}

#[test]
fn one_observation_is_exact_at_power_one() {
    // With one factor EP matches the tilted distribution, and log Z is ln p(y).
    let x = Mat::from_fn(1, 1, |_, _| 0.3);
    let inputs = || InducingInputs::points(x.as_ref()).unwrap();
    for y in [0.1, 1.0, 2.5] {
        let data = Table::with_targets(x.as_ref(), std::slice::from_ref(&y)).unwrap();
        let model = model("0.6 * rbf(lengthscale=1.4)", [inputs(), inputs()]);
        let mut ep = converged(&model, &data, &tight());
        assert_close(ep.log_z(&model).unwrap(), single(y, [1.7, 0.6]), 1e-9);
        // A lower bound at α = 0.
        let variational = model.clone().with_powers(Powers::Same(0.0));
        let mut ep = converged(&variational, &data, &tight());
        let gap = single(y, [1.7, 0.6]) - ep.log_z(&variational).unwrap();
        assert!((1e-6..0.5).contains(&gap), "y = {y}: {gap}");
    }
}

#[test]
fn batches_of_two_latents_end_where_sweeps_do() {
    let problem = Problem::new(18, 1, 133);
    let data = Table::with_targets(problem.inputs.as_ref(), &problem.signal).unwrap();
    let model = model("0.6 * rbf(lengthscale=1.4)", [problem.inducing(4), problem.inducing(3)])
        .with_powers(Powers::Same(0.5));
    let whole = converged(&model, &data, &tight());
    let mut batches = MiniBatchEp::new(&model, &data, Sharing::Own, 6).unwrap();
    let order: Vec<usize> = (0..18).map(|i| (i * 5) % 18).collect();
    for _ in 0..80 {
        for rows in order.chunks(6) {
            batches.step(&model, &data, rows, &EpOptions { step: 0.7, ..EpOptions::default() }).unwrap();
        }
    }
    for latent in 0..2 {
        let (found, expected) =
            (batches.posterior(&model, latent).unwrap(), whole.posterior(&model, latent).unwrap());
        found.mean().iter().zip(expected.mean()).for_each(|(a, b)| assert_close(*a, *b, 1e-9));
    }
    assert!(batches.posterior(&model, 2).is_err());
}

/// `y_p = f_p + N(0, σ²)`, p = 0 and 1, as two factors or one.
#[derive(Clone, Debug)]
struct Both {
    noise: Gaussian,
    split: bool,
}

impl Described for Both {
    fn name(&self) -> &'static str {
        "both"
    }

    fn parameters(&self) -> &[Parameter] {
        self.noise.parameters()
    }

    fn parameters_mut(&mut self) -> &mut [Parameter] {
        self.noise.parameters_mut()
    }

    fn latents(&self) -> usize {
        2
    }

    fn outputs(&self) -> usize {
        2
    }

    fn support(&self) -> Support {
        Support::Real
    }

    fn pieces(&self) -> Option<&dyn Pieces> {
        self.split.then_some(self)
    }
}

impl Separable for Both {
    fn factor(&self, latent: usize) -> Factor<'_> {
        Factor { likelihood: &self.noise, outputs: latent..latent + 1, first_param: 0 }
    }
}

impl Both {
    fn whole(
        out: &mut LatentDerivatives,
        mut each: impl FnMut(usize, &mut LatentDerivatives) -> Result<(), LikelihoodError>,
    ) -> bool {
        let mut one = LatentDerivatives::default();
        out.reset(2, 1);
        for p in 0..2 {
            each(p, &mut one).unwrap();
            out.value += one.value;
            (out.by_mean[p], out.by_variance[p]) = (one.by_mean[0], one.by_variance[0]);
            out.by_params[0] += one.by_params[0];
        }
        true
    }
}

impl Density for Both {
    fn log_p<S: Scalar>(&self, y: &[f64], f: impl Fn(usize) -> S, theta: impl Fn(usize) -> S) -> S {
        let square = |p: usize| (f(p) - y[p]) * (f(p) - y[p]);
        (square(0) + square(1)) / theta(0) * -0.5 - theta(0).ln() - TAU.ln()
    }

    fn moments_given(&self, f: &[f64], out: &mut [ObservationMoments]) {
        let moments = |mean: &f64| ObservationMoments { mean: *mean, variance: self.noise.variance() };
        out.iter_mut().zip(f).for_each(|(slot, f)| *slot = moments(f));
    }

    fn cdf_given(&self, output: usize, y: f64, f: &[f64]) -> f64 {
        self.noise.conditional_cdf(0, y, &f[output..=output]).unwrap()
    }

    fn sample_given(&self, _f: &[f64], _rng: &mut dyn Rng, _out: &mut [f64]) -> Option<()> {
        None
    }

    fn expected_closed_form(
        &self,
        y: &[f64],
        q: &[Latent],
        ws: &mut Workspace,
        out: &mut LatentDerivatives,
    ) -> bool {
        Self::whole(out, |p, one| self.expected_piece(y, p, &q[p..=p], ws, one))
    }

    fn tilted_closed_form(
        &self,
        y: &[f64],
        q: &[Latent],
        power: f64,
        ws: &mut Workspace,
        out: &mut LatentDerivatives,
    ) -> bool {
        Self::whole(out, |p, one| self.tilted_piece(y, p, &q[p..=p], power, ws, one))
    }
}

/// Independent Gaussian observations factor exactly.
#[test]
fn a_likelihood_of_two_exact_factors_is_the_same_whole() {
    let problem = Problem::new(12, 1, 137);
    let other: Vec<f64> = problem.signal.iter().map(|y| 0.4 - y * y).collect();
    let targets = Mat::from_fn(12, 2, |i, p| if p == 0 { problem.signal[i] } else { other[i] });
    let data = Table::new(problem.inputs.as_ref(), targets.as_ref()).unwrap();
    let noise = Gaussian::new(0.3).unwrap();
    let process =
        || SparseProcess::new(gp_kernels::parse(super::support::RBF).unwrap(), problem.all_inputs()).unwrap();
    let expected: f64 = [&problem.signal, &other]
        .into_iter()
        .map(|y| reference::log_marginal_likelihood(&rbf, &problem.table(), y, &[0.3; 12]))
        .sum();
    for alpha in [1.0, 0.5, 0.0] {
        for level in [Level::Projection, Level::Latent] {
            let found = [true, false].map(|split| {
                let likelihood = Both { noise: noise.clone(), split };
                let model = PowerEp::new(vec![process(), process()], Box::new(likelihood))
                    .unwrap()
                    .with_jitter(JitterPolicy::none())
                    .with_powers(Powers::Same(alpha))
                    .with_level(level);
                let mut ep = converged(&model, &data, &tight());
                let log_z = ep.log_z(&model).unwrap();
                assert_close(log_z, expected, 1e-9);
                let mut gradient = vec![0.0; model.parameter_count()];
                ep.log_z_gradient(&model, GradientKind::Converged, &mut gradient).unwrap();
                let (predictor, x) = (ep.predictor(&model).unwrap(), problem.inputs.as_ref());
                let latents = predictor.latents(x).unwrap();
                let (moments, medians) =
                    (predictor.moments(x).unwrap(), predictor.quantiles(x, 1, 0.5).unwrap());
                for i in 0..12 {
                    assert_close(moments[2 * i + 1].mean, latents[1].mean[i], 1e-9);
                    assert_close(moments[2 * i].variance, latents[0].variance[i] + 0.3, 1e-9);
                    assert_close(medians[i], latents[1].mean[i], 1e-7);
                }
                let moments = latents.into_iter().flat_map(|q| [q.mean, q.variance]).flatten();
                std::iter::once(log_z).chain(gradient).chain(moments).collect::<Vec<f64>>()
            });
            for (split, whole) in found[0].iter().zip(&found[1]) {
                assert_close(*split, *whole, 1e-9);
            }
        }
    }
}
