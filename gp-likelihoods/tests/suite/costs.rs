#![expect(clippy::unwrap_used, reason = "helpers of tests")]
//! Cost limits, and accuracy for any beliefs.

use gp_likelihoods::quadrature::Panels;
use gp_likelihoods::special::{HALF_LN_TAU, standard_normal_cdf, standard_normal_quantile};
use gp_likelihoods::{
    Density, Described, Gamma, Latent, LatentDerivatives, Likelihood, NegativeBinomial, ObservationMoments,
    Poisson, PoissonSoftplus, Scalar, StudentT, Support, Workspace, defaults,
};
use rand::Rng;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Evaluations of the conditional distribution function.
const MAX_FOR_A_CDF: usize = 3_500;
const MAX_FOR_A_QUANTILE: usize = 25_000;
/// Evaluations of the log density.
const MAX_FOR_A_TILTED: usize = 40_000;

#[derive(Clone, Debug)]
struct Counted<L> {
    of: L,
    count: Arc<AtomicUsize>,
}

impl<L> Counted<L> {
    fn new(of: L) -> Self {
        Self { of, count: Arc::default() }
    }

    fn look(&self) -> &L {
        self.count.fetch_add(1, Ordering::Relaxed);
        &self.of
    }

    fn take(&self) -> usize {
        self.count.swap(0, Ordering::Relaxed)
    }
}

impl<L: Described> Described for Counted<L> {
    fn name(&self) -> &'static str {
        self.of.name()
    }
    fn parameters(&self) -> &[gp_optim::Parameter] {
        self.of.parameters()
    }
    fn support(&self) -> Support {
        self.of.support()
    }
    fn is_log_concave(&self) -> bool {
        self.of.is_log_concave()
    }
    fn grows_with_latent(&self) -> bool {
        self.of.grows_with_latent()
    }
}

impl<L: Density> Density for Counted<L> {
    fn log_p<S: Scalar>(&self, y: &[f64], f: impl Fn(usize) -> S, theta: impl Fn(usize) -> S) -> S {
        self.look().log_p(y, f, theta)
    }
    fn params_closed_form(&self, y: &[f64], f: &[f64], out: &mut [f64]) -> bool {
        self.of.params_closed_form(y, f, out)
    }
    fn bend(&self, y: &[f64]) -> Option<f64> {
        self.of.bend(y)
    }
    fn moments_given(&self, f: &[f64], out: &mut [ObservationMoments]) {
        self.look().moments_given(f, out);
    }
    fn cdf_given(&self, output: usize, y: f64, f: &[f64]) -> f64 {
        self.look().cdf_given(output, y, f)
    }
    fn sample_given(&self, f: &[f64], rng: &mut dyn Rng, out: &mut [f64]) -> Option<()> {
        self.of.sample_given(f, rng, out)
    }
}

const BELIEFS: [(f64, f64); 12] = [
    (0.0, 1.0),
    (0.3, 1e-8),
    (-3.0, 0.2),
    (0.0, 100.0),
    (4.0, 25.0),
    (14.0, 1e-4),
    (30.0, 1e-8),
    (-200.0, 1e4),
    (0.0, 1e12),
    (600.0, 1.0),
    (0.0, 1e300),
    (-1e150, 1e300),
];

fn quantiles_cost(likelihood: impl Density) {
    let counted = Counted::new(likelihood);
    let mut ws = Workspace::new();
    for (m, v) in BELIEFS {
        let q = [Latent::new(m, v).unwrap()];
        for probability in [0.025, 0.5, 0.975] {
            let y = counted.predictive_quantile(&q, 0, probability, &mut ws).unwrap();
            let cost = counted.take();
            let name = counted.name();
            assert!(y >= 0.0, "{name} {m} {v} {probability}: {y}");
            assert!(cost <= MAX_FOR_A_QUANTILE, "{name} {m} {v} {probability}: {cost}");
            let found = defaults::predictive_cdf(&counted, &q, 0, y, &mut ws).unwrap();
            let cost = counted.take();
            assert!(cost <= MAX_FOR_A_CDF, "{name} {m} {v} {probability}: {cost}");
            if y < f64::MAX {
                // The quantile of a count is the first that reaches the probability.
                assert!(found >= probability - 1e-9, "{name} {m} {v} {probability}: {found} at {y}");
            }
        }
    }
}

#[test]
fn quantiles_have_a_cost_that_is_known() {
    quantiles_cost(Poisson::new(0.0).unwrap());
    quantiles_cost(PoissonSoftplus::new(0.0).unwrap());
    quantiles_cost(NegativeBinomial::new(0.3).unwrap());
    quantiles_cost(NegativeBinomial::new(1e5).unwrap());
    quantiles_cost(Gamma::new(2.0).unwrap());
    quantiles_cost(Gamma::new(1e6).unwrap());
}

/// Panels graded towards `place`.
fn by_panels(likelihood: &dyn Likelihood, q: Latent, y: f64, place: f64) -> f64 {
    let (m, s) = (q.mean(), q.variance().sqrt());
    let centre = (place - m) / s;
    let graded = (0..=40).flat_map(|k| [-1.0, 1.0].map(|sign| centre + sign * 0.5f64.powi(k)));
    let mut edges: Vec<f64> = (-40..=40).map(|k| 0.25 * f64::from(k)).chain(graded).chain([centre]).collect();
    edges.retain(|t| t.abs() <= 10.0);
    edges.sort_by(f64::total_cmp);
    let integrand = |t: f64| {
        [(-0.5 * t * t - HALF_LN_TAU).exp() * likelihood.conditional_cdf(0, y, &[m + s * t]).unwrap()]
    };
    Panels::default().adapt(&edges, 1e-13, integrand).unwrap()[0]
}

#[test]
fn distribution_functions_agree_with_panels() {
    let all: [&dyn Likelihood; 6] = [
        &Poisson::new(0.0).unwrap(),
        &PoissonSoftplus::new(0.2).unwrap(),
        &NegativeBinomial::new(0.3).unwrap(),
        &NegativeBinomial::new(2e3).unwrap(),
        &Gamma::new(3.0).unwrap(),
        &StudentT::new(1e-4, 3.0).unwrap(),
    ];
    let mut ws = Workspace::new();
    for likelihood in all {
        for (m, v) in [(0.0, 1.0), (0.3, 1e-4), (1.0, 30.0), (2.0, 400.0)] {
            let q = Latent::new(m, v).unwrap();
            for y in [1.0, 3.0, 40.0, 1e4, 1e9] {
                let place = likelihood.landmark(&[y]).unwrap();
                let expected = by_panels(likelihood, q, y, place);
                let found = defaults::predictive_cdf(likelihood, &[q], 0, y, &mut ws).unwrap();
                let text = format!("{} {m} {v} at {y}: {found} instead of {expected}", likelihood.name());
                assert!((found - expected).abs() <= 1e-11, "{text}");
            }
        }
    }
}

#[test]
fn wide_rates_have_log_normal_quantiles() {
    // A large count is the rate to a relative 1/√rate; the logarithm changes by half its square.
    let (counts, mut ws) = (Poisson::new(0.4).unwrap(), Workspace::new());
    for (m, v) in [(20.0, 4.0), (40.0, 100.0), (300.0, 400.0)] {
        let q = [Latent::new(m, v).unwrap()];
        for probability in [0.05, 0.5, 0.9] {
            let found = counts.predictive_quantile(&q, 0, probability, &mut ws).unwrap().ln();
            let expected = m + 0.4 + standard_normal_quantile(probability).unwrap() * v.sqrt();
            let rounding = 1e-12 * expected.abs() + 2.0 * (-expected).exp();
            assert!(
                (found - expected).abs() <= rounding,
                "{m} {v} {probability}: {found} instead of {expected}"
            );
        }
    }
    // Half of all rates are negligible, and the other half exceed every number.
    let q = [Latent::new(0.0, 1e300).unwrap()];
    for y in [0.0, 7.0, 1e12] {
        let found = defaults::predictive_cdf(&counts, &q, 0, y, &mut ws).unwrap();
        assert!((found - standard_normal_cdf(0.0)).abs() < 1e-12, "{found}");
    }
}

#[test]
fn tilted_integrals_have_a_cost_that_is_known() {
    let counts = Counted::new(Poisson::new(0.0).unwrap());
    let heavy = Counted::new(StudentT::new(0.01, 4.0).unwrap());
    let (mut ws, mut out) = (Workspace::new(), LatentDerivatives::default());
    for (m, v) in [(0.0, 1.0), (0.0, 1e-6), (3.0, 100.0), (-20.0, 1e4)] {
        let q = [Latent::new(m, v).unwrap()];
        for power in [1.0, 0.5] {
            for y in [0.0, 3.0, 1e6, 1e15] {
                counts.tilted(&[y], &q, power, &mut ws, &mut out).unwrap();
                let cost = counts.take();
                assert!(cost <= MAX_FOR_A_TILTED, "a count of {y}, {m} {v} {power}: {cost}");
            }
            for y in [0.0, 30.0, 1e4, 1e9, 1e15] {
                heavy.tilted(&[y], &q, power, &mut ws, &mut out).unwrap();
                let cost = heavy.take();
                assert!(cost <= MAX_FOR_A_TILTED, "{y} under heavy tails, {m} {v} {power}: {cost}");
            }
        }
    }
}

#[test]
fn the_largest_counts_are_nearly_gaussian() {
    // ln p is −½ y (f − ln y)² about its peak, whose height is −½ ln 2πy; Z is the cavity's density at ln y
    // over y.
    let all: [&dyn Likelihood; 2] = [&Poisson::new(0.0).unwrap(), &NegativeBinomial::new(1e4).unwrap()];
    let (mut ws, mut out) = (Workspace::new(), LatentDerivatives::default());
    for likelihood in all {
        for y in [1e12f64, 1e15] {
            for (m, v) in [(y.ln() - 1.0, 1.0), (0.0, 100.0), (30.0, 0.4)] {
                likelihood.tilted(&[y], &[Latent::new(m, v).unwrap()], 1.0, &mut ws, &mut out).unwrap();
                let away = y.ln() - m;
                let expected = -0.5 * away * away / v - HALF_LN_TAU - 0.5 * v.ln() - y.ln();
                // A shape of 1e4 makes the peak 0.01 wide.
                let allowed =
                    if likelihood.name() == "poisson" { 1e-6 } else { 1e-3 * (1.0 + away * away / v / v) };
                let text = format!("{} {y} {m} {v}: {} instead of {expected}", likelihood.name(), out.value);
                assert!((out.value - expected).abs() <= allowed, "{text}");
            }
        }
    }
}

#[test]
fn moments_beyond_numbers_are_infinite_and_never_no_number() {
    let mut ws = Workspace::new();
    let all: [&dyn Likelihood; 3] =
        [&Poisson::new(0.0).unwrap(), &NegativeBinomial::new(2.0).unwrap(), &Gamma::new(2.0).unwrap()];
    for likelihood in all {
        for (m, v) in [(800.0, 0.0), (0.0, 1e4), (0.0, 1e300), (500.0, 1e-20)] {
            let mut out = [ObservationMoments::default()];
            likelihood.predictive_moments(&[Latent::new(m, v).unwrap()], &mut ws, &mut out).unwrap();
            let ObservationMoments { mean, variance } = out[0];
            assert!(mean > 0.0 && variance > 0.0, "{} {m} {v}: {out:?}", likelihood.name());
        }
        // e^(2m + 2v) with m = −500 and v = 400 is in range, although e^v nearly overflows.
        let mut out = [ObservationMoments::default()];
        likelihood.predictive_moments(&[Latent::new(-900.0, 800.0).unwrap()], &mut ws, &mut out).unwrap();
        assert!(out[0].variance.is_finite() && out[0].variance > 0.0, "{}: {out:?}", likelihood.name());
    }
}
