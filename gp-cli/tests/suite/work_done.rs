//! Forecasts of work against work done: integrals over observations, counted by the likelihood. Unlike times, counts do
//! not depend on the machine.

#![expect(clippy::unwrap_used, reason = "helpers of tests")]

use faer::Mat;
use gp_cli::method::{Methods, Problem, Settings, TrainingRows};
use gp_kernels::inducing::InducingInputs;
use gp_likelihoods::{
    BernoulliProbit, Density, Described, Latent, LatentDerivatives, Likelihood, LikelihoodError,
    ObservationMoments, Pieces, Poisson, Scalar, StudentT, Workspace, forward,
};
use rand::Rng;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Rows, inducing inputs and inputs.
const SIZES: (usize, usize, usize) = (200, 20, 2);

/// Likelihood of one latent that counts its integrals.
#[derive(Clone, Debug)]
struct Counted<L> {
    of: L,
    count: Arc<AtomicUsize>,
}

impl<L> Counted<L> {
    fn look(&self) -> &L {
        self.count.fetch_add(1, Ordering::Relaxed);
        &self.of
    }
}

impl<L: Likelihood + Clone + 'static> Described for Counted<L> {
    forward! { self.of => name parameters parameters_mut support is_log_concave grows_with_latent }

    fn pieces(&self) -> Option<&dyn Pieces> {
        Some(self)
    }
}

impl<L: Likelihood + Clone + 'static> Pieces for Counted<L> {
    fn piece_count(&self) -> usize {
        1
    }

    fn touched_count(&self, _piece: usize) -> usize {
        1
    }

    fn touched_latent(&self, _y: &[f64], _piece: usize, _slot: usize) -> usize {
        0
    }

    fn tilted_piece(
        &self,
        y: &[f64],
        _piece: usize,
        q: &[Latent],
        power: f64,
        ws: &mut Workspace,
        out: &mut LatentDerivatives,
    ) -> Result<(), LikelihoodError> {
        self.look().tilted(y, q, power, ws, out)
    }

    fn expected_piece(
        &self,
        y: &[f64],
        _piece: usize,
        q: &[Latent],
        ws: &mut Workspace,
        out: &mut LatentDerivatives,
    ) -> Result<(), LikelihoodError> {
        self.look().expected_log_density(y, q, ws, out)
    }
}

impl<L: Density + Likelihood + Clone + 'static> Density for Counted<L> {
    fn log_p<S: Scalar>(&self, y: &[f64], f: impl Fn(usize) -> S, theta: impl Fn(usize) -> S) -> S {
        self.of.log_p(y, f, theta)
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

/// Integrals forecast per integral done in training by EP. Observations are made of a curve about 0 and noise
/// between -1 and 1.
fn forecast<L>(of: L, observe: impl Fn(f64, f64) -> f64) -> f64
where
    L: Density + Likelihood + Clone + 'static,
{
    let (rows, inducing, dim) = SIZES;
    let number = |i: usize, d: usize| ((i * (7 + 6 * d)) as f64 * 0.618).fract() * 4.0 - 2.0;
    let points = Mat::from_fn(rows, dim, number);
    let curve = |i: usize| (1.5 * points[(i, 0)]).sin() + 0.5 * points[(i, 1)];
    let observed = (0..rows).map(|i| observe(curve(i), number(i, 3) / 2.0)).collect();
    let count = Arc::new(AtomicUsize::new(0));
    let problem = Problem {
        rows: TrainingRows::in_memory(points.clone(), observed),
        kernels: vec![gp_kernels::parse("1 * rbf(lengthscale=[1, 1]) + linear + constant").unwrap()],
        alike: true,
        inducing: vec![InducingInputs::points(points.subrows(0, inducing)).unwrap()],
        likelihood: Box::new(Counted { of, count: count.clone() }),
        settings: Settings { fixed_inducing: true, ..Settings::default() },
    };
    let method = Methods::built_in().find("ep").unwrap();
    let work = method.work(&problem).unwrap();
    let fit = method.fit(problem).unwrap();
    assert!(fit.converged, "{}: {}", method.name(), fit.reason);
    let done = count.load(Ordering::Relaxed) as f64;
    work.usual * work.integrals / done
}

#[test]
fn integrals_of_training_by_ep_are_forecast_within_a_factor_of_two() {
    let sign = |f: f64, noise: f64| if f + noise > 0.0 { 1.0 } else { -1.0 };
    let count = |f: f64, noise: f64| (f + noise).exp().round();
    let real = |f: f64, noise: f64| f + 0.2 * noise.powi(5) + 0.1 * noise;
    let found = [
        ("labels", forecast(BernoulliProbit, sign)),
        ("counts", forecast(Poisson::new(0.0).unwrap(), count)),
        ("heavy tails", forecast(StudentT::new(1.0, 4.0).unwrap(), real)),
    ];
    assert!(found.iter().all(|(_, share)| (0.5..2.0).contains(share)), "{found:?}");
}
