//! One latent: reference values, known limits.
#![expect(clippy::unwrap_used, reason = "helpers of tests")]

use gp_likelihoods::{
    BernoulliProbit, Beta, Gamma, Gaussian, Latent, LatentDerivatives, Likelihood, ObservationMoments,
    OrdinalProbit, Poisson, PoissonSoftplus, WarpTerm, WarpedGaussian, Workspace, defaults,
};

fn log_density(likelihood: &dyn Likelihood, y: f64, f: f64) -> f64 {
    let mut out = [f64::NAN];
    likelihood.log_densities(&[y], &[f], &mut out).unwrap();
    out[0]
}

fn tilted(likelihood: &dyn Likelihood, y: f64, (m, v): (f64, f64), power: f64) -> LatentDerivatives {
    let (mut ws, mut out) = (Workspace::new(), LatentDerivatives::default());
    likelihood.tilted(&[y], &[Latent::new(m, v).unwrap()], power, &mut ws, &mut out).unwrap();
    out
}

fn close(found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance * expected.abs().max(1.0), "{found} instead of {expected}");
}

fn warped() -> WarpedGaussian {
    let term = |height, steepness, shift| WarpTerm { height, steepness, shift };
    WarpedGaussian::new(&[term(0.4, 2.0, 0.5), term(1.3, 0.7, -1.0)], 0.35).unwrap()
}

#[test]
fn densities_agree_with_scipy() {
    let softplus = PoissonSoftplus::new(0.4).unwrap();
    let gamma = Gamma::new(1.7).unwrap();
    let beta = Beta::new(4.5).unwrap();
    let ordinal = OrdinalProbit::new(&[-0.8, 0.1, 1.9], 0.6).unwrap();
    let warped = warped();
    // scipy 1.17.1, scipy.stats: poisson.logpmf, gamma.logpdf, beta.logpdf, differences of norm.cdf, and
    // norm.logpdf of the warped observation plus the log of the warp's slope.
    let all: [(&dyn Likelihood, f64, f64, f64); 10] = [
        (&softplus, 3.0, -0.6, -3.9316953254445357),
        (&softplus, 0.0, 2.2, -2.67164469196767),
        (&gamma, 0.8, -0.6, -0.6164063302382836),
        (&gamma, 5.5, 2.2, -2.584810141908169),
        (&beta, 0.3, -0.6, 0.5638691742675923),
        (&beta, 0.97, 2.2, 1.757402294527049),
        (&ordinal, 2.0, -0.6, -2.106549256006565),
        (&ordinal, 0.0, 2.2, -15.064998393988727),
        (&warped, 0.3, -0.6, -0.43985984520273635),
        (&warped, -2.0, 1.0, -31.352018308446063),
    ];
    for (likelihood, y, f, expected) in all {
        // Differences of log gammas and normal distribution functions lose a digit.
        close(log_density(likelihood, y, f), expected, 2e-14);
    }
}

#[test]
fn tilted_normalisers_agree_with_scipy() {
    let softplus = PoissonSoftplus::new(0.4).unwrap();
    let gamma = Gamma::new(1.7).unwrap();
    let beta = Beta::new(4.5).unwrap();
    let ordinal = OrdinalProbit::new(&[-0.8, 0.1, 1.9], 0.6).unwrap();
    // Adaptive quadrature of scipy 1.17.1 over 24 pieces of a cavity N(0.3, 0.7), at powers 1 and ½.
    let all: [(&dyn Likelihood, f64, [f64; 2]); 8] = [
        (&softplus, 3.0, [-2.4689848665999015, -1.3101655499276086]),
        (&softplus, 0.0, [-1.043147180559945, -0.55279820515566]),
        (&gamma, 0.8, [-0.9120424162178158, -0.49136097353601665]),
        (&gamma, 5.5, [-3.7957575502985432, -2.2295411865153087]),
        (&beta, 0.3, [-0.08977804396256531, -0.11657266017455374]),
        (&beta, 0.97, [0.111704178978609, -0.23193110202457867]),
        (&ordinal, 2.0, [-0.6598528867905586, -0.39518996708529175]),
        (&ordinal, 0.0, [-1.9472434292556984, -1.3025982242569247]),
    ];
    for (likelihood, y, expected) in all {
        for (power, expected) in [1.0, 0.5].into_iter().zip(expected) {
            // scipy was asked for 1e-13.
            close(tilted(likelihood, y, (0.3, 0.7), power).value, expected, 1e-12);
        }
    }
}

#[test]
fn distributions_and_quantiles_agree_with_scipy() {
    let softplus = PoissonSoftplus::new(0.4).unwrap();
    let gamma = Gamma::new(1.7).unwrap();
    let beta = Beta::new(4.5).unwrap();
    let ordinal = OrdinalProbit::new(&[-0.8, 0.1, 1.9], 0.6).unwrap();
    // scipy 1.17.1: poisson.cdf, gamma.cdf, beta.cdf and norm.cdf at f = −0.6.
    let all: [(&dyn Likelihood, f64, f64); 4] = [
        (&softplus, 2.0, 0.9770681668557802),
        (&gamma, 0.8, 0.7806709096817905),
        (&beta, 0.3, 0.4458648011903235),
        (&ordinal, 2.0, 0.9999845457031177),
    ];
    for (likelihood, y, expected) in all {
        close(likelihood.conditional_cdf(0, y, &[-0.6]).unwrap(), expected, 1e-14);
    }
    // gamma.ppf and beta.ppf; brentq on the warp for f ~ N(0.3, 0.7).
    let quantile = |likelihood: &dyn Likelihood, m: f64, v: f64| {
        let q = [Latent::new(m, v).unwrap()];
        likelihood.predictive_quantile(&q, 0, 0.2, &mut Workspace::new()).unwrap()
    };
    close(quantile(&gamma, -0.6, 0.0), 0.20257951603775556, 1e-13);
    close(quantile(&beta, -0.6, 0.0), 0.16178527327318062, 1e-13);
    close(quantile(&warped(), 0.3, 0.7), -0.04225667348747767, 1e-14);
}

#[test]
fn warped_moments_agree_with_scipy() {
    // scipy 1.17.1: quad over brentq's inverse of the warp, over 20 pieces.
    let mut out = [ObservationMoments::default()];
    warped().predictive_moments(&[Latent::new(0.3, 0.7).unwrap()], &mut Workspace::new(), &mut out).unwrap();
    close(out[0].mean, 0.42262730362914896, 1e-12);
    close(out[0].variance, 0.2903295799108814, 1e-12);
}

#[test]
fn softplus_counts_are_poisson_counts_where_the_rate_is_small() {
    let (softplus, exponential) = (PoissonSoftplus::new(0.7).unwrap(), Poisson::new(0.7).unwrap());
    for f in [-20.0, -40.0, -700.0, -5000.0] {
        for y in [0.0, 1.0, 6.0] {
            let (found, expected) = (log_density(&softplus, y, f), log_density(&exponential, y, f));
            // The rates differ by half their square.
            close(found, expected, 1e-14 + (f + 0.7).exp());
            assert!(found.is_finite());
        }
    }
    // Where the rate is large, it is the latent itself.
    let mut out = [ObservationMoments::default()];
    softplus.conditional_moments(&[1e6], &mut out).unwrap();
    assert_eq!(out[0].mean, 1e6 + 0.7);
}

#[test]
fn a_gamma_of_shape_one_is_exponential_and_a_beta_of_two_ones_uniform() {
    let exponential = Gamma::new(1.0).unwrap();
    for (y, f) in [(0.3, -1.2), (5.0, 0.4)] {
        close(log_density(&exponential, y, f), -f - y * (-f).exp(), 1e-14);
    }
    let uniform = Beta::new(2.0).unwrap();
    for y in [0.01, 0.5, 0.93] {
        close(log_density(&uniform, y, 0.0), 0.0, 1e-14);
        close(uniform.conditional_cdf(0, y, &[0.0]).unwrap(), y, 1e-14);
    }
}

#[test]
fn two_ordered_classes_are_probit_labels() {
    let ordinal = OrdinalProbit::new(&[0.0], 1.0).unwrap();
    for (m, v) in [(0.3, 0.8), (-6.0, 2.0), (2.0, 1e-6)] {
        for (class, label) in [(0.0, -1.0), (1.0, 1.0)] {
            for power in [1.0, 0.4] {
                let found = tilted(&ordinal, class, (m, v), power);
                let expected = tilted(&BernoulliProbit, label, (m, v), power);
                close(found.value, expected.value, 1e-13);
                close(found.by_mean[0], expected.by_mean[0], 1e-12);
                close(found.by_variance[0], expected.by_variance[0], 1e-11);
            }
        }
    }
}

#[test]
fn narrow_and_distant_classes_keep_their_digits() {
    // A class of width 1e-7 in scales acts as a density: ln Z is that of Gaussian noise plus the log of the
    // width.
    let (width, scale) = (3e-8, 0.3);
    let ordinal = OrdinalProbit::new(&[1.0, 1.0 + width], scale).unwrap();
    let noise = Gaussian::new(scale * scale).unwrap();
    for (m, v) in [(0.4, 0.5), (-9.0, 0.02), (30.0, 4.0)] {
        let found = tilted(&ordinal, 1.0, (m, v), 1.0);
        let expected = noise.tilted(1.0 + 0.5 * width, Latent::new(m, v).unwrap(), 1.0).unwrap();
        // The width has lost the digits that 1 + 3e-8 rounds off: 7e-9 of it.
        close(found.value, expected.log_z + width.ln(), 1e-8);
        close(found.by_mean[0], expected.by_mean, 1e-12);
        close(found.by_variance[0], expected.by_latent_variance, 1e-12);
    }
}

#[test]
fn a_warp_without_height_is_none() {
    let flat = WarpTerm { height: 1e-300, steepness: 1.0, shift: 0.2 };
    let (warped, plain) = (WarpedGaussian::new(&[flat], 0.3).unwrap(), Gaussian::new(0.3).unwrap());
    let q = Latent::new(0.4, 1.5).unwrap();
    let found = tilted(&warped, 1.7, (0.4, 1.5), 0.6);
    let expected = plain.tilted(1.7, q, 0.6).unwrap();
    assert_eq!((found.value, found.by_mean[0]), (expected.log_z, expected.by_mean));
    assert_eq!(found.by_params[3], expected.by_variance);
}

#[test]
fn warps_are_inverted_wherever_they_bend() {
    // From nearly a step to nearly a line.
    for (height, steepness) in [(1e-3, 1e4), (50.0, 1e3), (2.0, 1.0), (1e3, 1e-3)] {
        let term = WarpTerm { height, steepness, shift: -0.25 };
        let noise = 1e-20;
        let likelihood = WarpedGaussian::new(&[term], noise).unwrap();
        for z in [-3e3, -7.0, -0.1, 0.25, 0.250001, 0.9, 60.0, 1e5] {
            let q = [Latent::new(z, 0.0).unwrap()];
            let y = likelihood.predictive_quantile(&q, 0, 0.5, &mut Workspace::new()).unwrap();
            let back = y + height * (steepness * (y - 0.25)).tanh();
            let slope = 1.0 + height * steepness / (steepness * (y - 0.25)).cosh().powi(2);
            // The nearest double to y is half an ulp away, which the slope of the warp multiplies.
            let allowed = 2.0 * f64::EPSILON * (z.abs() + height + slope * y.abs());
            assert!((back - z).abs() <= allowed, "{z} came back as {back} through {term:?}");
        }
    }
}

#[test]
fn closed_quantiles_are_those_by_bisection() {
    let mut ws = Workspace::new();
    let q = [Latent::new(0.3, 0.7).unwrap()];
    for likelihood in [&warped() as &dyn Likelihood, &Gaussian::new(0.4).unwrap()] {
        for probability in [1e-3, 0.2, 0.5, 0.97] {
            let found = likelihood.predictive_quantile(&q, 0, probability, &mut ws).unwrap();
            let expected = defaults::predictive_quantile(likelihood, &q, 0, probability, &mut ws).unwrap();
            // Quadrature is accurate to 1e-10 of a probability, and the density is above 1e-3 here.
            close(found, expected, 1e-7);
        }
        assert!(likelihood.predictive_quantile(&q, 0, 1.0, &mut ws).is_err());
    }
}

#[test]
fn settings_and_parameters_that_cannot_be_are_refused() {
    assert!(OrdinalProbit::new(&[], 1.0).is_err());
    assert!(OrdinalProbit::new(&[0.0, 0.0], 1.0).is_err());
    assert!(OrdinalProbit::new(&[0.0], 0.0).is_err());
    assert!(WarpedGaussian::new(&[], 1.0).is_err());
    assert!(Gamma::new(-1.0).is_err() && Beta::new(0.0).is_err() && PoissonSoftplus::new(f64::NAN).is_err());
    let message = |text: &str| gp_likelihoods::parse(text).unwrap_err().to_string();
    assert!(message("ordinal_probit(classes=1)").contains("number of classes is 1"));
    assert!(message("warped_gaussian(terms=0)").contains("number of terms is 0"));
    let five = gp_likelihoods::parse("ordinal_probit(classes=5)").unwrap();
    assert!(five.check_observation(&[4.0]).is_ok() && five.check_observation(&[5.0]).is_err());
}
