use super::*;
use crate::{
    BernoulliProbit, Coregionalised, Gaussian, Gaussians, Heteroscedastic, MulticlassProbit, Poisson,
    Softmax, StudentT,
};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

fn belief() -> Latent {
    Latent::new(0.3, 0.8).unwrap()
}

fn everything(likelihood: &dyn Likelihood, y: &[f64], q: &[Latent]) -> Vec<f64> {
    let (mut ws, mut slopes, mut point) =
        (Workspace::new(), LatentDerivatives::default(), PointDerivatives::default());
    let mut all = Vec::new();
    let mut take = |slopes: &LatentDerivatives| {
        all.push(slopes.value);
        all.extend(slopes.by_mean.iter().chain(&slopes.by_variance).chain(&slopes.by_params));
    };
    likelihood.expected_log_density(y, q, &mut ws, &mut slopes).unwrap();
    take(&slopes);
    for power in [0.4, 1.0] {
        likelihood.tilted(y, q, power, &mut ws, &mut slopes).unwrap();
        take(&slopes);
    }
    for piece in 0..likelihood.piece_count() {
        let touched = likelihood.touched_count(piece);
        let own: Vec<Latent> =
            (0..touched).map(|slot| q[likelihood.touched_latent(y, piece, slot)]).collect();
        likelihood.tilted_piece(y, piece, &own, 0.7, &mut ws, &mut slopes).unwrap();
        take(&slopes);
        likelihood.expected_piece(y, piece, &own, &mut ws, &mut slopes).unwrap();
        take(&slopes);
    }
    let f: Vec<f64> = q.iter().map(|q| q.mean()).collect();
    let mut density = [0.0];
    likelihood.log_densities(y, &f, &mut density).unwrap();
    all.push(density[0]);
    likelihood.log_density_slopes(y, &f, &mut point).unwrap();
    all.push(point.value);
    all.extend(point.by_latent.iter().chain(&point.by_latent_twice));
    let mut by_params = vec![0.0; crate::parameter_count(likelihood.parameters())];
    likelihood.log_density_by_params(y, &f, &mut by_params).unwrap();
    all.extend(by_params);
    all
}

fn assert_same(found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected).abs() <= 1e-14 * (1.0 + expected.abs()), "{found} instead of {expected}");
    }
}

#[test]
fn known_noise_adds_to_the_variance_that_is_learned() {
    let adjusted = Adjusted::new(Box::new(Gaussian::new(0.2).unwrap()));
    for known in [0.0, 0.3, 7.0] {
        let found = everything(&adjusted, &[1.1, known, 4.0], &[belief()]);
        assert_same(&found, &everything(&Gaussian::new(0.2 + known).unwrap(), &[1.1], &[belief()]));
    }
}

#[test]
fn offsets_move_the_latent_value() {
    let cases: [(Box<dyn Likelihood>, f64); 3] = [
        (Box::new(Poisson::new(0.4).unwrap()), 3.0),
        (Box::new(BernoulliProbit), -1.0),
        (Box::new(StudentT::new(0.3, 4.0).unwrap()), 0.2),
    ];
    for (plain, y) in cases {
        let adjusted = Adjusted::new(plain.clone());
        for offset in [0.0, -1.7, 2.5] {
            let moved = Latent::new(belief().mean() + offset, belief().variance()).unwrap();
            let found = everything(&adjusted, &[y, offset, 1.0], &[belief()]);
            assert_same(&found, &everything(plain.as_ref(), &[y], &[moved]));
            let at = adjusted.landmark(&[y, offset, 1.0]).map(|at| at + offset);
            assert_eq!(at.is_some(), plain.landmark(&[y]).is_some());
            at.zip(plain.landmark(&[y])).iter().for_each(|(at, own)| assert!((at - own).abs() < 1e-14));
        }
    }
}

#[test]
fn several_latent_values_keep_their_factors() {
    let q: Vec<Latent> = (0..3).map(|q| Latent::new(0.2 * f64::from(q), 0.5).unwrap()).collect();
    let cases: [Box<dyn Likelihood>; 2] =
        [Box::new(MulticlassProbit::new(3).unwrap()), Box::new(Softmax::new(3).unwrap())];
    for plain in cases {
        let adjusted = Adjusted::new(plain.clone());
        assert_eq!(adjusted.pieces().is_some(), plain.pieces().is_some());
        let found = everything(&adjusted, &[2.0, 0.0, 0.5], &q);
        assert_same(&found, &everything(plain.as_ref(), &[2.0], &q));
    }
}

#[test]
fn predictions_are_of_an_observation_without_adjustment() {
    let (plain, mut ws) = (Poisson::new(0.4).unwrap(), Workspace::new());
    let adjusted = Adjusted::new(Box::new(plain.clone()));
    let (mut found, mut expected) = ([ObservationMoments::default(); 3], [ObservationMoments::default(); 1]);
    adjusted.predictive_moments(&[belief()], &mut ws, &mut found).unwrap();
    plain.predictive_moments(&[belief()], &mut ws, &mut expected).unwrap();
    assert_eq!(found, [expected[0], certain(0.0), certain(1.0)]);
    let mut drawn = [f64::NAN; 3];
    adjusted.sample(&[0.3], &mut ChaCha8Rng::seed_from_u64(1), &mut drawn).unwrap();
    assert_eq!(drawn[1..], [0.0, 1.0]);
    for (output, y) in [(0, 2.0), (1, 0.0), (2, 0.9)] {
        let found = adjusted.predictive_cdf(&[belief()], output, y, &mut ws).unwrap();
        let own = || plain.predictive_cdf(&[belief()], 0, y, &mut ws.clone()).unwrap();
        assert_eq!(found, if output == 0 { own() } else { f64::from(u8::from(output == 1)) });
        let quantile = adjusted.predictive_quantile(&[belief()], output, 0.5, &mut ws).unwrap();
        assert!(output == 0 || quantile == (output - 1) as f64);
    }
    assert!(adjusted.predictive_cdf(&[belief()], 3, 0.0, &mut ws).is_err());
    assert_eq!(adjusted.expression(), plain.expression());
}

#[test]
fn columns_that_cannot_be_are_refused_by_name() {
    let text = |likelihood: Box<dyn Likelihood>, y: &[f64]| {
        Adjusted::new(likelihood).check_observation(y).unwrap_err().to_string()
    };
    let gaussian = || Box::new(Gaussian::new(0.2).unwrap());
    assert_eq!(
        text(gaussian(), &[0.0, -0.1, 1.0]),
        "known noise variance is -0.1, but must be finite and not negative"
    );
    for weight in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(text(gaussian(), &[0.0, 0.0, weight]).starts_with("weight is "));
    }
    let poisson = Box::new(Poisson::new(0.0).unwrap());
    assert!(text(poisson, &[1.0, f64::NEG_INFINITY, 1.0]).starts_with("offset is -inf"));
    let two = Box::new(Heteroscedastic);
    assert!(text(two, &[1.0, 0.5, 1.0]).contains("0 where there are several latent values"));
    assert!(text(gaussian(), &[0.0, 0.0]).starts_with("number of outputs is 2"));
}

#[test]
fn several_targets_have_known_noise_each() {
    let q = [belief(), Latent::new(-0.4, 0.6).unwrap()];
    let adjusted = Adjusted::new(Box::new(Gaussians::new(vec![0.2, 0.5]).unwrap()));
    assert_eq!((adjusted.targets(), adjusted.outputs(), adjusted.takes_missing_outputs()), (2, 5, true));
    for targets in [[1.1, -0.3], [1.1, f64::NAN], [f64::NAN, 0.7]] {
        for known in [[0.0, 0.0], [0.3, 0.0], [0.1, 2.0]] {
            let y = [targets[0], targets[1], known[0], known[1], 2.5];
            adjusted.check_observation(&y).unwrap();
            assert_eq!(adjusted.weight(&y), 2.5);
            let plain = Gaussians::new(vec![0.2 + known[0], 0.5 + known[1]]).unwrap();
            assert_same(&everything(&adjusted, &y, &q), &everything(&plain, &targets, &q));
        }
    }
    let own = adjusted.own_latent(1).unwrap();
    let (y, one) = ([-0.3, 2.0, 2.5], &q[1..]);
    assert_same(
        &everything(own.likelihood.as_ref(), &y, one),
        &everything(&Gaussian::new(2.5).unwrap(), &y[..1], one),
    );
    let mut found = [ObservationMoments::default(); 5];
    adjusted.predictive_moments(&q, &mut Workspace::new(), &mut found).unwrap();
    assert_eq!(found[2..], [certain(0.0), certain(0.0), certain(1.0)]);
    let error = |of: &Adjusted, y: &[f64]| of.check_observation(y).unwrap_err().to_string();
    assert!(error(&adjusted, &[1.0, 1.0, 0.0, -0.1, 1.0]).starts_with("known noise variance is -0.1"));
    assert!(error(&adjusted, &[1.0, 1.0, 0.0, 0.1, 0.0]).starts_with("weight is 0"));
    // Known noise of targets that share latents cannot be assigned.
    let mixed = Adjusted::new(Box::new(Coregionalised::new(1, vec![1.0; 2], vec![0.1; 2]).unwrap()));
    assert!(mixed.check_observation(&[1.0, 1.0, 0.0, 0.0, 2.0]).is_ok());
    assert!(error(&mixed, &[1.0, 1.0, 0.0, 0.1, 2.0]).contains("0 where targets share latent values"));
}

#[test]
fn balanced_weights_give_all_classes_one_sum() {
    assert_eq!(Adjusted::balanced(&[2, 6, 0, 4]), [3.0, 1.0, 1.0, 1.5]);
}
