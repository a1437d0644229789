//! Defaults for likelihoods much sharper or flatter than the cavity, or far away.
#![expect(clippy::unwrap_used, reason = "helpers of tests")]

use gp_likelihoods::quadrature::Panels;
use gp_likelihoods::{
    BernoulliLogit, BernoulliProbit, Beta, Gaussian, Latent, LatentDerivatives, Likelihood, NegativeBinomial,
    Poisson, PoissonSoftplus, StudentT, Workspace, defaults,
};

fn belief(m: f64, v: f64) -> [Latent; 1] {
    [Latent::new(m, v).unwrap()]
}

fn numbers(slopes: &LatentDerivatives) -> [f64; 3] {
    [slopes.value, slopes.by_mean[0], slopes.by_variance[0]]
}

fn compare(likelihood: &dyn Likelihood, y: f64, q: &[Latent], power: f64) {
    let (mut ws, mut own, mut default) =
        (Workspace::new(), LatentDerivatives::default(), LatentDerivatives::default());
    likelihood.tilted(&[y], q, power, &mut ws, &mut own).unwrap();
    defaults::tilted(likelihood, &[y], q, power, &mut ws, &mut default).unwrap();
    // By variance: size 1/2v; where nearly 0, the digits are those of 1/2v.
    let sizes = [0.0, 0.0, 0.01 / q[0].variance()];
    for ((found, expected), size) in numbers(&default).into_iter().zip(numbers(&own)).zip(sizes) {
        let text = format!("{likelihood:?} at {y}, {q:?}, power {power}: {found} instead of {expected}");
        // Rules agree to 1e-10; rounding of the mode costs digits of large derivatives.
        assert!((found - expected).abs() <= 1e-8 * expected.abs().max(size), "{text}");
    }
}

#[test]
fn gaussian_needles_near_and_far() {
    for variance in [1e-12, 1e-6, 1e-2, 1e3] {
        let noise = Gaussian::new(variance).unwrap();
        for y in [0.7, 3.1, -38.5, 400.0] {
            for v in [1e-4, 1.0, 1e6] {
                for power in [1.0, 0.3] {
                    compare(&noise, y, &belief(0.2, v), power);
                }
            }
        }
    }
}

#[test]
fn probit_steps_under_wide_cavities_and_in_both_tails() {
    for m in [-40.0, -3.0, 0.1, 5.0] {
        for v in [1e-10, 1e-2, 1.0, 1e4, 1e8] {
            compare(&BernoulliProbit, 1.0, &belief(m, v), 1.0);
        }
    }
}

#[test]
fn a_students_t_needle_is_not_missed() {
    // Scale 1e-16, 3 degrees of freedom: the peak has all mass but 1e-24; Z is the cavity's density at y
    // while far above that.
    let noise = StudentT::new(1e-16, 3.0).unwrap();
    let (mut ws, mut out) = (Workspace::new(), LatentDerivatives::default());
    for y in [0.3, 2.9, -4.4] {
        noise.tilted(&[y], &belief(0.1, 0.5), 1.0, &mut ws, &mut out).unwrap();
        let r = y - 0.1;
        let expected = -0.5 * ((std::f64::consts::TAU * 0.5).ln() + r * r / 0.5);
        assert!((out.value - expected).abs() < 1e-8, "{} instead of {expected}", out.value);
        assert!((out.by_mean[0] / (r / 0.5) - 1.0).abs() < 1e-7, "{}", out.by_mean[0]);
    }
}

#[test]
fn an_outlier_leaves_two_modes_and_both_count() {
    let noise = StudentT::new(0.01, 4.0).unwrap();
    let (mut ws, mut out) = (Workspace::new(), LatentDerivatives::default());
    noise.tilted(&[5.0], &belief(0.0, 1.0), 1.0, &mut ws, &mut out).unwrap();
    let mut terms = Vec::new();
    let (mut density, step) = ([0.0], 1e-4);
    for k in -90_000..=90_000 {
        let f = step * f64::from(k);
        noise.log_densities(&[5.0], &[f], &mut density).unwrap();
        terms.push(density[0] - 0.5 * f * f - 0.5 * std::f64::consts::TAU.ln() + step.ln());
    }
    // The trapezoidal rule with steps of a thousandth of the peak's width is exact to rounding.
    let expected = gp_likelihoods::special::log_sum_exp(&terms);
    assert!((out.value - expected).abs() < 1e-9, "{} instead of {expected}", out.value);
}

#[test]
fn large_counts_under_wide_cavities() {
    // A count of a million is nearly a Gaussian of variance 1e-6 about ln y; its expected log density has a
    // closed form.
    let counts = Poisson::new(0.0).unwrap();
    let (mut ws, mut own, mut default) =
        (Workspace::new(), LatentDerivatives::default(), LatentDerivatives::default());
    for (m, v) in [(13.0, 1.0), (3.0, 25.0), (-5.0, 100.0)] {
        counts.expected_log_density(&[1e6], &belief(m, v), &mut ws, &mut own).unwrap();
        defaults::expected_log_density(&counts, &[1e6], &belief(m, v), &mut ws, &mut default).unwrap();
        for (found, expected) in numbers(&default).into_iter().zip(numbers(&own)) {
            assert!((found / expected - 1.0).abs() < 1e-8, "{m}, {v}: {found} instead of {expected}");
        }
        counts.tilted(&[1e6], &belief(m, v), 1.0, &mut ws, &mut own).unwrap();
        // Stirling: the likelihood integrates to 1/y over f, about ln y.
        let r = 1e6f64.ln() - m;
        let expected = -0.5 * ((std::f64::consts::TAU * v).ln() + r * r / v) - 1e6f64.ln();
        assert!((own.value - expected).abs() < 1e-4, "{} instead of {expected}", own.value);
    }
}

#[test]
fn probit_curvature_keeps_its_digits_in_the_tail() {
    // −∂² ln Z/∂m² tends to 1/b: at z = −40 the naive β(β + z) has lost a thousand ulps, at −1e6 all
    // digits.
    let q = Latent::new(-1e6, 0.0).unwrap();
    let found = BernoulliProbit.tilted_curvature(1.0, q);
    // β(β + z) = 1 − 1/z² + …
    assert!((found - (1.0 - 1e-12)).abs() < 1e-15, "{found}");
}

#[test]
fn logit_kinks_under_wide_cavities() {
    // E[ln p] for p = 1/(1 + e^−f) and m = 0 is −E[max(−f, 0)] − E[ln(1 + e^−|f|)]. The first is √(v/2π).
    // The second, for wide cavities, is the density at 0 times 2·π²/12, less a term of order v^−3/2.
    let (mut ws, mut out) = (Workspace::new(), LatentDerivatives::default());
    for v in [1e6, 1e8, 1e12] {
        gp_likelihoods::BernoulliLogit
            .expected_log_density(&[1.0], &belief(0.0, v), &mut ws, &mut out)
            .unwrap();
        let tau = std::f64::consts::TAU;
        let expected = -(v / tau).sqrt() - std::f64::consts::PI.powi(2) / 6.0 / (tau * v).sqrt();
        // The neglected term is (7π⁴/360)·v^−3/2/√2π relative to v^½: below 1e-11 here.
        assert!((out.value / expected - 1.0).abs() < 1e-11, "{v}: {} instead of {expected}", out.value);
        assert!((out.by_mean[0] - 0.5).abs() < 1e-9, "{}", out.by_mean[0]);
    }
}

/// Panels graded towards `place`.
fn by_panels(likelihood: &dyn Likelihood, y: f64, q: Latent, power: f64, place: f64) -> [f64; 3] {
    let (m, s) = (q.mean(), q.variance().sqrt());
    let at = |f: f64| {
        let mut out = [f64::NAN];
        likelihood.log_densities(&[y], &[f], &mut out).unwrap();
        power * out[0] - 0.5 * ((f - m) / s).powi(2)
    };
    let mut edges: Vec<f64> = (-160..=160).map(|k| m + 0.5 * s * f64::from(k)).collect();
    let graded = (-40..=6).flat_map(|k| [-1.0, 1.0].map(|sign| place + sign * s * 2f64.powi(k)));
    edges.extend(graded.chain([place]).filter(|f| (f - m).abs() < 80.0 * s));
    edges.sort_by(f64::total_cmp);
    let highest = edges.iter().map(|&f| at(f)).fold(f64::NEG_INFINITY, f64::max);
    let sums = Panels::default().adapt(&edges, 1e-12, |f| {
        let (weight, t) = ((at(f) - highest).exp(), (f - m) / s);
        [weight, weight * t, weight * t * t]
    });
    let [mass, along, square] = sums.unwrap();
    let log_z = highest + mass.ln() - s.ln() - 0.5 * std::f64::consts::TAU.ln();
    [log_z, along / mass / s, 0.5 * (square / mass - 1.0) / (s * s)]
}

#[test]
fn grids_step_over_nothing() {
    let (logit, softplus) = (BernoulliLogit, PoissonSoftplus::new(0.0).unwrap());
    let (sharp, heavy) = (StudentT::new(0.01, 3.0).unwrap(), StudentT::new(1.0, 0.6).unwrap());
    let (beta, precise) = (Beta::new(3.0).unwrap(), Beta::new(400.0).unwrap());
    let counts = NegativeBinomial::new(0.3).unwrap();
    let all: [(&dyn Likelihood, [f64; 3]); 7] = [
        (&logit, [-1.0, 1.0, 1.0]),
        (&softplus, [0.0, 3.0, 200.0]),
        (&counts, [0.0, 3.0, 200.0]),
        (&sharp, [0.0, 2.5, -30.0]),
        (&heavy, [0.0, 2.5, -30.0]),
        (&beta, [1e-6, 0.3, 0.99]),
        (&precise, [1e-6, 0.3, 0.99]),
    ];
    let mut ws = Workspace::new();
    for (likelihood, observations) in all {
        for y in observations {
            for m in [-12.0, -1.0, 0.4, 7.0] {
                for v in [1e-4, 0.03, 0.5, 3.0, 40.0, 1e4] {
                    for power in [1.0, 0.2] {
                        let (q, mut out) = (Latent::new(m, v).unwrap(), LatentDerivatives::default());
                        defaults::tilted(likelihood, &[y], &[q], power, &mut ws, &mut out).unwrap();
                        let place = likelihood.landmark(&[y]).unwrap();
                        let expected = by_panels(likelihood, y, q, power, place);
                        // In units of the standard deviation: panels use only derivatives of the Gaussian.
                        let units = [1.0, v.sqrt(), v];
                        for ((found, expected), unit) in numbers(&out).into_iter().zip(expected).zip(units) {
                            let (found, expected) = (unit * found, unit * expected);
                            let text = format!(
                                "{likelihood:?} at {y}, {q:?}, power {power}: {found} instead of {expected}"
                            );
                            assert!((found - expected).abs() <= 1e-9 * expected.abs().max(1.0), "{text}");
                        }
                    }
                }
            }
        }
    }
}
