#![expect(clippy::unwrap_used, reason = "helpers of tests")]
//! Several latents: known limits, accuracy of defaults.

use gp_likelihoods::quadrature::{Cubature, Panels};
use gp_likelihoods::{
    BernoulliLogit, BernoulliProbit, Density, Gaussian, Gprn, Heteroscedastic, Latent, LatentDerivatives,
    Likelihood, MulticlassProbit, ObservationMoments, PairwiseProbit, PointDerivatives, RobustMax, Softmax,
    Workspace, defaults,
};

fn latent(m: f64, v: f64) -> Latent {
    Latent::new(m, v).unwrap()
}

fn tilted(likelihood: &dyn Likelihood, y: &[f64], q: &[Latent], power: f64) -> LatentDerivatives {
    let mut out = LatentDerivatives::default();
    likelihood.tilted(y, q, power, &mut Workspace::new(), &mut out).unwrap();
    out
}

fn expected(likelihood: &dyn Likelihood, y: &[f64], q: &[Latent]) -> LatentDerivatives {
    let mut out = LatentDerivatives::default();
    likelihood.expected_log_density(y, q, &mut Workspace::new(), &mut out).unwrap();
    out
}

fn close(found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance * expected.abs().max(1.0), "{found} instead of {expected}");
}

fn of_difference(found: &LatentDerivatives, difference: &LatentDerivatives, tolerance: f64) {
    close(found.value, difference.value, tolerance);
    close(found.by_mean[1], difference.by_mean[0], tolerance);
    close(found.by_mean[0], -difference.by_mean[0], tolerance);
    found.by_variance.iter().for_each(|slope| close(*slope, difference.by_variance[0], tolerance));
}

#[test]
fn two_classes_are_binary() {
    let q = [latent(-0.4, 0.7), latent(0.9, 0.3)];
    let difference = [latent(1.3, 1.0)];
    let softmax = Softmax::new(2).unwrap();
    for power in [1.0, 0.4] {
        let found = tilted(&softmax, &[1.0], &q, power);
        of_difference(&found, &tilted(&BernoulliLogit, &[1.0], &difference, power), 1e-8);
    }
    of_difference(&expected(&softmax, &[1.0], &q), &expected(&BernoulliLogit, &[1.0], &difference), 1e-8);
    // Unit noise on both adds 2 to the variance of the difference; binary probit adds 1 itself.
    let found = tilted(&MulticlassProbit::new(2).unwrap(), &[1.0], &q, 1.0);
    of_difference(&found, &tilted(&BernoulliProbit, &[1.0], &[latent(1.3, 2.0)], 1.0), 1e-12);
    let found = tilted(&RobustMax::new(2, 1e-12).unwrap(), &[1.0], &q, 1.0);
    of_difference(&found, &tilted(&BernoulliProbit, &[1.0], &[latent(1.3, 0.0)], 1.0), 1e-11);
}

#[test]
fn classes_believed_alike_are_equally_probable() {
    for classes in 2..=12 {
        let q = vec![latent(0.7, 1.3); classes];
        let all: [Box<dyn Likelihood>; 3] = [
            Box::new(Softmax::new(classes).unwrap()),
            Box::new(MulticlassProbit::new(classes).unwrap()),
            Box::new(RobustMax::new(classes, 0.01).unwrap()),
        ];
        for (likelihood, tolerance) in all.iter().zip([2e-3, 1e-12, 1e-12]) {
            let mut found = vec![0.0; classes];
            likelihood.class_probabilities(&q, &mut Workspace::new(), &mut found).unwrap();
            found.iter().for_each(|p| close(*p, 1.0 / classes as f64, tolerance));
            close(found.iter().sum(), 1.0, 1e-12);
        }
        // The closed form is exact before normalisation too.
        let value = tilted(&*all[1], &[0.0], &q, 1.0).value;
        close(value, -(classes as f64).ln(), 1e-10);
    }
}

#[test]
fn integrals_along_a_line_agree_with_quasi_random_nodes() {
    // The default for ten classes has its own error.
    let q: Vec<Latent> =
        (0..10).map(|c| latent(0.3 * f64::from(c) - 1.0, 0.2 + 0.1 * f64::from(c))).collect();
    let likelihood = MulticlassProbit::new(10).unwrap();
    let (mut ws, mut default) = (Workspace::with_nodes(1 << 14, 3).unwrap(), LatentDerivatives::default());
    for y in [0.0, 4.0, 9.0] {
        let own = tilted(&likelihood, &[y], &q, 1.0);
        defaults::tilted(&likelihood, &[y], &q, 1.0, &mut ws, &mut default).unwrap();
        close(default.value, own.value, 1e-3);
        for j in 0..10 {
            close(default.by_mean[j], own.by_mean[j], 2e-3);
            close(default.by_variance[j], own.by_variance[j], 2e-3);
        }
    }
}

#[test]
fn a_known_log_variance_is_gaussian_noise() {
    let (noise, q) = (Gaussian::new(0.6).unwrap(), [latent(0.3, 0.8), latent(0.6f64.ln(), 0.0)]);
    for power in [1.0, 0.3] {
        let (found, known) =
            (tilted(&Heteroscedastic, &[1.4], &q, power), noise.tilted(1.4, q[0], power).unwrap());
        close(found.value, known.log_z, 1e-13);
        close(found.by_mean[0], known.by_mean, 1e-13);
        close(found.by_variance[0], known.by_latent_variance, 1e-13);
        // Chain rule with σ² = exp f₁.
        close(found.by_mean[1], 0.6 * known.by_variance, 1e-13);
    }
    let (found, known) = (expected(&Heteroscedastic, &[1.4], &q), noise.expected_log_density(1.4, q[0]));
    close(found.value, known.value, 1e-14);
    close(found.by_mean[0], known.by_mean, 1e-14);
}

#[test]
fn a_network_of_known_weights_is_gaussian_noise() {
    let (noise, network) = (Gaussian::new(0.6).unwrap(), Gprn::new(1, vec![0.6, 0.9]).unwrap());
    let q = [latent(0.3, 0.8), latent(1.0, 0.0), latent(0.0, 0.0)];
    let found = expected(&network, &[1.4, -0.2], &q);
    let known = noise.expected_log_density(1.4, q[0]);
    let constant = Gaussian::new(0.9).unwrap().log_density(-0.2, 0.0).value;
    close(found.value, known.value + constant, 1e-14);
    close(found.by_mean[0], known.by_mean, 1e-14);
    close(found.by_variance[0], known.by_latent_variance, 1e-14);
    close(found.by_params[0], known.by_variance, 1e-14);
    let mut moments = [ObservationMoments::default(); 2];
    network.predictive_moments(&q, &mut Workspace::new(), &mut moments).unwrap();
    close(moments[0].variance, 1.4, 1e-14);
    close(moments[1].variance, 0.9, 1e-14);
}

#[test]
fn a_network_of_two_nodes_has_the_expectations_of_its_default() {
    let network = Gprn::new(2, vec![0.4, 1.5]).unwrap();
    let q = [(0.3, 0.8), (-0.5, 0.3), (0.1, 0.5), (1.1, 0.02), (-0.8, 0.6), (0.4, 1e-6)]
        .map(|(m, v)| latent(m, v));
    let (mut ws, mut default) = (Workspace::with_nodes(1 << 15, 4).unwrap(), LatentDerivatives::default());
    let own = expected(&network, &[0.7, -1.2], &q);
    defaults::expected_log_density(&network, &[0.7, -1.2], &q, &mut ws, &mut default).unwrap();
    let all = |s: &LatentDerivatives| [&[s.value][..], &s.by_mean, &s.by_variance, &s.by_params].concat();
    // A polynomial of degree 4 with coefficients of size 1: quasi-random nodes have errors of a few
    // thousandths.
    all(&own).into_iter().zip(all(&default)).for_each(|(own, default)| close(default, own, 5e-3));
    let (mut found, mut expected) = ([ObservationMoments::default(); 2], [ObservationMoments::default(); 2]);
    network.predictive_moments(&q, &mut ws, &mut found).unwrap();
    defaults::predictive_moments(&network, &q, &mut ws, &mut expected).unwrap();
    for (found, expected) in found.iter().zip(expected) {
        close(found.mean, expected.mean, 1e-3);
        close(found.variance, expected.variance, 5e-3);
    }
}

#[test]
fn the_noisy_largest_has_its_density() {
    // ∫ N(u; f_y, 1) Π Φ(u − f_c) du on panels, without the rule about the mode.
    let likelihood = MulticlassProbit::new(4).unwrap();
    for f in [[0.3, -1.2, 0.8, 2.0], [6.0, -9.0, 3.0, 7.5], [40.0, -40.0, 39.0, 0.0]] {
        for y in 0..4 {
            let height = likelihood.log_p(&[y as f64], |c| f[c], |_| 0.0);
            let edges: Vec<f64> = (-120..=120).map(|k| 0.5 * f64::from(k)).collect();
            let [share] = Panels::default()
                .adapt(&edges, 1e-14, |u| {
                    let cdf = |c: usize| gp_likelihoods::special::log_normal_cdf(u - f[c]);
                    let others: f64 = (0..4).filter(|&c| c != y).map(cdf).sum();
                    let log = others - 0.5 * (u - f[y]).powi(2) - gp_likelihoods::special::HALF_LN_TAU;
                    [(log - height).exp()]
                })
                .unwrap();
            // Ratio to the density itself; logarithms of size 3000 have rounding errors of 5e-13.
            close(share, 1.0, 2e-12);
            let mut point = PointDerivatives::default();
            likelihood.log_density_slopes(&[y as f64], &f, &mut point).unwrap();
            close(point.value, height, 1e-13);
        }
    }
}

#[test]
fn pairwise_factors_have_their_slopes() {
    let pair = PairwiseProbit::new(0.5).unwrap();
    let at = |m: f64, v: f64| pair.tilted(latent(m, v), latent(0.4, 0.3)).unwrap();
    for (m, v) in [(-0.2, 0.6), (3.0, 0.01), (-30.0, 2.0)] {
        let found = at(m, v);
        let h = 1e-4;
        close(found.by_mean[0], (at(m + h, v).log_z - at(m - h, v).log_z) / (2.0 * h), 1e-7);
        close(found.by_variance[1], (at(m, v + h).log_z - at(m, v - h).log_z) / (2.0 * h), 1e-5);
        close(found.curvature, -(at(m + h, v).by_mean[0] - at(m - h, v).by_mean[0]) / (2.0 * h), 1e-7);
        assert_eq!(found.by_mean[1], -found.by_mean[0]);
    }
    // For two classes the only factor is the likelihood: unit noise on both latents.
    let (q, unit) = ([latent(-0.4, 0.7), latent(0.9, 0.3)], PairwiseProbit::new(2.0).unwrap());
    let whole = tilted(&MulticlassProbit::new(2).unwrap(), &[1.0], &q, 1.0);
    close(unit.tilted(q[1], q[0]).unwrap().log_z, whole.value, 1e-14);
    // For three classes the product is not: each factor has its own noise.
    let q = [q[0], q[1], latent(0.2, 0.5)];
    let whole = tilted(&MulticlassProbit::new(3).unwrap(), &[1.0], &q, 1.0).value;
    let pieces = unit.tilted(q[1], q[0]).unwrap().log_z + unit.tilted(q[1], q[2]).unwrap().log_z;
    assert!((whole - pieces).abs() > 0.05, "{whole} and {pieces}");
    assert!(PairwiseProbit::new(-1.0).is_err() && PairwiseProbit::new(f64::NAN).is_err());
    let step = PairwiseProbit::new(0.0).unwrap();
    assert!(step.tilted(latent(0.0, 0.0), latent(1.0, 0.0)).is_err());
}

#[test]
fn many_classes_are_as_exact_as_promised() {
    let likelihood = Softmax::new(10).unwrap();
    let q: Vec<Latent> = (0..10).map(|c| latent(0.2 * f64::from(c), 1.0)).collect();
    // The closed form by Gumbel variables is exact, also for ten classes.
    let known = expected(&likelihood, &[3.0], &q).value;
    let error = |nodes: usize| -> f64 {
        let squares = (0..6).map(|seed| {
            let (mut ws, mut out) =
                (Workspace::with_nodes(nodes, seed).unwrap(), LatentDerivatives::default());
            defaults::expected_log_density(&likelihood, &[3.0], &q, &mut ws, &mut out).unwrap();
            (out.value - known).powi(2)
        });
        (squares.sum::<f64>() / 6.0).sqrt()
    };
    // The integrand's standard deviation is about 1: errors are thousandths of it, fewer with more nodes.
    let (few, usual, many) = (error(512), error(4096), error(32_768));
    assert!(usual < 1e-3 && many < 3e-4, "{few:.1e}, {usual:.1e}, {many:.1e}");
    assert!(many < 0.3 * few, "{few:.1e}, {usual:.1e}, {many:.1e}");
}

fn by_products(likelihood: &dyn Likelihood, y: f64, q: &[Latent], order: usize) -> LatentDerivatives {
    let (mut out, mut point) = (LatentDerivatives::default(), PointDerivatives::default());
    (out.by_mean, out.by_variance) = (vec![0.0; q.len()], vec![0.0; q.len()]);
    for (t, weight) in Cubature::product(order, q.len()).unwrap().iter() {
        let f: Vec<f64> = q.iter().zip(t).map(|(q, t)| q.mean() + q.variance().sqrt() * t).collect();
        likelihood.log_density_slopes(&[y], &f, &mut point).unwrap();
        out.value += weight * point.value;
        for j in 0..q.len() {
            out.by_mean[j] += weight * point.by_latent[j];
            out.by_variance[j] += 0.5 * weight * point.by_latent_twice[j];
        }
    }
    out
}

#[test]
fn expected_log_densities_of_probit_classes_need_few_nodes() {
    let likelihood = MulticlassProbit::new(4).unwrap();
    for (spread, tolerance) in [(0.25f64, 1e-4), (1.0, 1e-3), (4.0, 5e-3)] {
        let q = [(-0.5, 0.7), (0.2, 0.8), (0.9, 0.9), (1.6, 1.0)]
            .map(|(m, v): (f64, f64)| latent(m * spread.sqrt(), v * spread));
        for y in [0.0, 1.0, 3.0] {
            let dense = by_products(&likelihood, y, &q, 14);
            let coarser = by_products(&likelihood, y, &q, 12);
            let found = expected(&likelihood, &[y], &q);
            let all = |s: &LatentDerivatives| [&[s.value][..], &s.by_mean, &s.by_variance].concat();
            for ((found, dense), coarser) in all(&found).into_iter().zip(all(&dense)).zip(all(&coarser)) {
                close(coarser, dense, 0.1 * tolerance);
                close(found, dense, tolerance);
            }
        }
    }
}

#[test]
fn confident_observations_are_found() {
    // A label against the evidence of all classes by 30: the tilted mode is 5 standard deviations away.
    let q: Vec<Latent> = (0..8).map(|c| latent(if c == 0 { -15.0 } else { 15.0 }, 9.0)).collect();
    let likelihood = Softmax::new(8).unwrap();
    let value = |seed: u64| {
        let (mut ws, mut out) = (Workspace::with_nodes(4096, seed).unwrap(), LatentDerivatives::default());
        likelihood.tilted(&[0.0], &q, 1.0, &mut ws, &mut out).unwrap();
        assert!(out.by_mean[0] > 0.0 && out.by_mean.iter().chain(&out.by_variance).all(|x| x.is_finite()));
        out.value
    };
    let values: Vec<f64> = (0..6).map(value).collect();
    let mean = values.iter().sum::<f64>() / 6.0;
    // ln Z is about −20; without nodes at the mode, errors would be units.
    values.iter().for_each(|value| close(*value, mean, 2e-3));
}

#[test]
fn a_seed_gives_the_same_bits_and_another_does_not() {
    let (likelihood, q) = (Softmax::new(5).unwrap(), vec![latent(0.2, 0.9); 5]);
    let bits = |seed: u64| {
        let (mut ws, mut out) = (Workspace::with_nodes(1000, seed).unwrap(), LatentDerivatives::default());
        likelihood.tilted(&[2.0], &q, 0.7, &mut ws, &mut out).unwrap();
        (out.value.to_bits(), out.by_mean.iter().map(|x| x.to_bits()).collect::<Vec<_>>())
    };
    assert_eq!(bits(1), bits(1));
    assert_ne!(bits(1), bits(2));
    assert!(Workspace::with_nodes(1, 0).is_err());
}

#[test]
fn disagreement_says_how_far_rules_are_apart() {
    let (likelihood, mut ws, mut out) =
        (Softmax::new(3).unwrap(), Workspace::new(), LatentDerivatives::default());
    defaults::expected_log_density(&likelihood, &[0.0], &[latent(0.1, 0.2); 3], &mut ws, &mut out).unwrap();
    assert!(ws.disagreement() < 1e-9, "{}", ws.disagreement());
    let wide = [latent(0.1, 400.0); 3];
    defaults::expected_log_density(&likelihood, &[0.0], &wide, &mut ws, &mut out).unwrap();
    assert!(ws.disagreement() > 1e-6, "{}", ws.disagreement());
}

#[test]
fn slices_that_do_not_match_are_refused() {
    let (likelihood, mut ws, mut out) =
        (Softmax::new(3).unwrap(), Workspace::new(), LatentDerivatives::default());
    let q = [latent(0.0, 1.0); 2];
    assert!(likelihood.tilted(&[0.0], &q, 1.0, &mut ws, &mut out).is_err());
    assert!(defaults::expected_log_density(&likelihood, &[0.0], &q, &mut ws, &mut out).is_err());
    assert!(likelihood.class_probabilities(&[latent(0.0, 1.0); 3], &mut ws, &mut [0.0; 2]).is_err());
    let refused = likelihood.check_observation(&[3.0]).unwrap_err().to_string();
    assert_eq!(refused, "observation is 3, but must be a class from 0 to 2");
    assert!(Softmax::new(1).is_err() && Gprn::new(0, vec![1.0]).is_err() && Gprn::new(1, vec![]).is_err());
    assert!(Gprn::new(usize::MAX, vec![1.0, 1.0]).is_err() && RobustMax::new(3, 1.0).is_err());
}
