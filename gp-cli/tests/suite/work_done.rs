//! Work forecasts against counted integrals, independent of the machine.

#![expect(clippy::unwrap_used, reason = "helpers of tests")]

use faer::Mat;
use gp_cli::method::{Methods, Problem, Settings, TrainingRows};
use gp_kernels::inducing::InducingInputs;
use gp_likelihoods::{
    BernoulliProbit, Density, Described, Latent, LatentDerivatives, Likelihood, ObservationMoments, Poisson,
    Scalar, StudentT, Workspace, forward,
};
use rand::Rng;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Rows, inducing inputs and inputs.
const SIZES: (usize, usize, usize) = (200, 20, 2);

/// Counts integrals over all latents.
#[derive(Clone, Debug)]
struct Counted<L> {
    of: L,
    count: Arc<AtomicUsize>,
}

impl<L> Counted<L> {
    fn add(&self) -> &L {
        self.count.fetch_add(1, Ordering::Relaxed);
        &self.of
    }
}

impl<L: Likelihood + Clone + 'static> Described for Counted<L> {
    forward! { self.of => name parameters parameters_mut latents support is_log_concave grows_with_latent least_values }
}

impl<L: Density + Likelihood + Clone + 'static> Density for Counted<L> {
    fn log_p<S: Scalar>(&self, y: &[f64], f: impl Fn(usize) -> S, theta: impl Fn(usize) -> S) -> S {
        self.of.log_p(y, f, theta)
    }

    fn expected_closed_form(
        &self,
        y: &[f64],
        q: &[Latent],
        ws: &mut Workspace,
        out: &mut LatentDerivatives,
    ) -> bool {
        self.add().expected_log_density(y, q, ws, out).is_ok()
    }

    fn tilted_closed_form(
        &self,
        y: &[f64],
        q: &[Latent],
        power: f64,
        ws: &mut Workspace,
        out: &mut LatentDerivatives,
    ) -> bool {
        self.add().tilted(y, q, power, ws, out).is_ok()
    }

    fn moments_given(&self, f: &[f64], out: &mut [ObservationMoments]) {
        self.of.moments_given(f, out);
    }

    fn cdf_given(&self, output: usize, y: f64, f: &[f64]) -> f64 {
        self.of.cdf_given(output, y, f)
    }

    fn sample_given(&self, f: &[f64], rng: &mut dyn Rng, out: &mut [f64]) -> Option<()> {
        self.of.sample_given(f, rng, out)
    }
}

/// Between −2 and 2.
fn points(dim: usize) -> Mat<f64> {
    Mat::from_fn(SIZES.0, dim, number)
}

fn number(i: usize, d: usize) -> f64 {
    ((i * (7 + 6 * d)) as f64 * 0.618).fract() * 4.0 - 2.0
}

/// Curve about 0, noise between −1 and 1.
fn observed(points: &Mat<f64>, observe: impl Fn(f64, f64) -> f64) -> Vec<f64> {
    let curve = |i: usize| (1.5 * points[(i, 0)]).sin() + 0.5 * points[(i, 1)];
    (0..points.nrows()).map(|i| observe(curve(i), number(i, 3) / 2.0)).collect()
}

/// Forecast per integral done.
fn forecast<L>(method: &str, of: L, observe: impl Fn(f64, f64) -> f64) -> f64
where
    L: Density + Likelihood + Clone + 'static,
{
    let (_, inducing, dim) = SIZES;
    let points = points(dim);
    let count = Arc::new(AtomicUsize::new(0));
    let kernel = gp_kernels::parse("1 * rbf(lengthscale=[1, 1]) + linear + constant").unwrap();
    let latents = of.latents();
    let problem = Problem {
        rows: TrainingRows::in_memory(points.clone(), observed(&points, observe)),
        kernels: vec![kernel; latents],
        alike: true,
        inducing: vec![InducingInputs::points(points.subrows(0, inducing)).unwrap(); latents],
        likelihood: Box::new(Counted { of, count: count.clone() }),
        settings: Settings { fixed_inducing: true, ..Settings::default() },
    };
    let method = Methods::built_in().find(method).unwrap();
    let work = method.work(&problem).unwrap();
    let fit = method.fit(problem).unwrap();
    // The bound of `svgp` may end where rounding hides the last gains, but not at its limit.
    let ends = method.name() == "svgp" && (fit.iterations as f64) < 0.9 * work.most;
    assert!(fit.converged || ends, "{}: {}", method.name(), fit.reason);
    let done = count.load(Ordering::Relaxed) as f64;
    work.typical * (work.integrals + work.tilts) / done
}

fn sign(f: f64, noise: f64) -> f64 {
    if f + noise > 0.0 { 1.0 } else { -1.0 }
}

fn number_of_events(f: f64, noise: f64) -> f64 {
    (f + noise).exp().round()
}

fn with_outliers(f: f64, noise: f64) -> f64 {
    f + 0.2 * noise.powi(5) + 0.1 * noise
}

fn are_within_a_factor_of_two(found: &[(&str, f64)]) {
    assert!(found.iter().all(|(_, share)| (0.5..2.0).contains(share)), "{found:?}");
}

#[test]
fn integrals_of_training_by_ep_are_forecast_within_a_factor_of_two() {
    are_within_a_factor_of_two(&[
        ("labels", forecast("ep", BernoulliProbit, sign)),
        ("counts", forecast("ep", Poisson::new(0.0).unwrap(), number_of_events)),
        ("heavy tails", forecast("ep", StudentT::new(1.0, 4.0).unwrap(), with_outliers)),
    ]);
}

/// Sites on latent values are not mixed: more sweeps.
#[test]
fn integrals_of_training_by_gfitc_are_forecast_within_a_factor_of_two() {
    are_within_a_factor_of_two(&[
        ("labels", forecast("gfitc", BernoulliProbit, sign)),
        ("counts", forecast("gfitc", Poisson::new(0.0).unwrap(), number_of_events)),
    ]);
}

#[test]
fn integrals_of_training_by_svgp_are_forecast_within_a_factor_of_two() {
    are_within_a_factor_of_two(&[
        ("labels", forecast("svgp", BernoulliProbit, sign)),
        ("counts", forecast("svgp", Poisson::new(0.0).unwrap(), number_of_events)),
        ("heavy tails", forecast("svgp", StudentT::new(1.0, 4.0).unwrap(), with_outliers)),
    ]);
}

/// Evaluations stop on an early plateau, or at the limit.
#[test]
fn evaluations_with_learned_inducing_inputs_are_in_the_range_said() {
    let points = points(3);
    let problem = Problem {
        rows: TrainingRows::in_memory(points.clone(), observed(&points, |f, noise| f + 0.3 * noise)),
        kernels: vec![gp_kernels::parse("1 * rbf(lengthscale=[1, 1, 1])").unwrap()],
        alike: true,
        inducing: vec![InducingInputs::points(points.subrows(0, SIZES.1)).unwrap()],
        likelihood: gp_likelihoods::parse("gaussian").unwrap(),
        settings: Settings::default(),
    };
    for method in ["vfe", "pep"] {
        let method = Methods::built_in().find(method).unwrap();
        let work = method.work(&problem).unwrap();
        let iterations = method.fit(problem.clone()).unwrap().iterations as f64;
        let [least, most] = [work.typical / work.unsure, (work.typical * work.unsure).min(work.most)];
        assert!((least..most).contains(&(1.1 * iterations)), "{}: {iterations}", method.name());
    }
}
