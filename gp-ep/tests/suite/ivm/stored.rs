//! Stored posteriors, and predictions from given beliefs.
#![expect(clippy::unwrap_used, reason = "a test that cannot be set up fails")]

use super::support::{Problem, kernel, latents, probabilities, three_classes};
use gp_ep::ivm::{Coupling, Ivm, IvmOptions, IvmPosterior, Rule, StoredIvm};
use gp_kernels::Registry;
use gp_likelihoods::BernoulliProbit;

fn options() -> IvmOptions {
    IvmOptions { active: 25, liquid: 8, candidates: Some(40), ..IvmOptions::default() }
}

fn posteriors() -> Vec<(IvmPosterior, Problem)> {
    let (signs, stripes) = (Problem::signs(120, 5), Problem::stripes(120, 3, 6));
    let binary = Ivm::new(vec![kernel("2 * matern32(lengthscale=0.4)")], Box::new(BernoulliProbit)).unwrap();
    let mut shifted = three_classes().with_rule(Rule::Product(5)).unwrap();
    shifted.intercepts_mut().set_values(&[0.2, -0.1, 0.4]).unwrap();
    let independent = three_classes().with_coupling(Coupling::Independent).unwrap();
    let mut found = vec![(binary.build(&signs.data(), &options()).unwrap().posterior, signs)];
    for model in [shifted, independent] {
        let problem = Problem::stripes(120, 3, 6);
        found.push((model.build(&stripes.data(), &options()).unwrap().posterior, problem));
    }
    found
}

#[test]
fn stored_posteriors_predict_the_same_bits() {
    for (posterior, problem) in posteriors() {
        let text = serde_json::to_string(&posterior.to_stored().unwrap()).unwrap();
        let stored: StoredIvm = serde_json::from_str(&text).unwrap();
        let restored = stored.restore(&Registry::built_in(), &gp_likelihoods::Registry::built_in()).unwrap();
        assert_eq!(latents(&restored, problem.inputs()), latents(&posterior, problem.inputs()));
        assert!(probabilities(&restored, problem.inputs()) == probabilities(&posterior, problem.inputs()));
        assert_eq!(restored.active(0), posterior.active(0));
        assert_eq!(restored.sites(0), posterior.sites(0));
        assert_eq!(serde_json::to_string(&restored.to_stored().unwrap()).unwrap(), text);
        for (row, &at) in posterior.active(0).iter().enumerate() {
            assert!((0..2).all(|d| restored.active_inputs(0)[(row, d)] == problem.x[(at, d)]));
        }
    }
}

/// From beliefs as from points; label predictions follow from class probabilities.
#[test]
fn labels_have_moments_quantiles_and_densities() {
    for (posterior, problem) in posteriors() {
        let (predictor, x) = (posterior.predictor().unwrap(), problem.inputs());
        let beliefs = predictor.beliefs(x).unwrap();
        let found = predictor.given(&beliefs).class_probabilities().unwrap();
        assert!(found == predictor.class_probabilities(x).unwrap());
        let support = posterior.model().likelihood().support();
        let labels: Vec<f64> = (0..support.classes()).map(|class| support.label(class)).collect();
        let (moments, medians) = (predictor.moments(x).unwrap(), predictor.quantiles(x, 0, 0.5).unwrap());
        let densities = predictor.log_densities(x, &problem.y).unwrap();
        for i in 0..x.nrows() {
            let mean: f64 = labels.iter().enumerate().map(|(c, label)| found[(i, c)] * label).sum();
            assert!((moments[i].mean - mean).abs() < 1e-14);
            let class = labels.iter().position(|label| *label == problem.y[i]).unwrap();
            assert_eq!(densities[i], found[(i, class)].ln());
            let median = labels.iter().position(|label| *label == medians[i]).unwrap();
            let below: f64 = (0..median).map(|c| found[(i, c)]).sum();
            assert!(
                below < 0.5 && below + found[(i, median)] >= 0.5 - 1e-12,
                "{below} {}",
                found[(i, median)]
            );
        }
        assert!(predictor.quantiles(x, 1, 0.5).is_err() && predictor.quantiles(x, 0, 1.0).is_err());
        assert!(predictor.log_densities(x, &vec![0.5; x.nrows()]).is_err());
    }
}

#[test]
fn samples_have_the_covariances_of_beliefs() {
    const COUNT: usize = 20_000;
    for (posterior, problem) in posteriors() {
        let few = problem.inputs().subrows(0, 3);
        let beliefs = latents(&posterior, few);
        let drawn = posterior.predictor().unwrap().sample_latents(few, COUNT, 5).unwrap();
        let size = beliefs[0].mean.len();
        let moment = |i: usize, c: usize, k: usize| {
            let each = (0..COUNT)
                .map(|j| (drawn[c][(i, j)] - beliefs[i].mean[c]) * (drawn[k][(i, j)] - beliefs[i].mean[k]));
            each.sum::<f64>() / COUNT as f64
        };
        for (i, belief) in beliefs.iter().enumerate() {
            for c in 0..size {
                for k in 0..size {
                    let (a, b) = (belief.covariance[c * size + c], belief.covariance[k * size + k]);
                    // Five standard errors of the mean product of two normal variables.
                    let most = 5.0 * (2.0 * a * b / COUNT as f64).sqrt();
                    let error = moment(i, c, k) - belief.covariance[c * size + k];
                    assert!(error.abs() < most, "{c} {k}: {error} of {most}");
                }
            }
        }
    }
}

#[test]
fn joint_beliefs_have_those_of_points_on_their_diagonals() {
    for (posterior, problem) in posteriors() {
        let few = problem.inputs().subrows(0, 12);
        let beliefs = latents(&posterior, few);
        let latents = beliefs[0].mean.len();
        for latent in 0..latents {
            let (mean, covariance) = posterior.predictor().unwrap().joint(latent, few).unwrap();
            for (i, belief) in beliefs.iter().enumerate() {
                assert!((mean[i] - belief.mean[latent]).abs() < 1e-12);
                assert!((covariance[(i, i)] - belief.covariance[latent * (latents + 1)]).abs() < 1e-11);
                assert!((0..12).all(|j| (covariance[(i, j)] - covariance[(j, i)]).abs() < 1e-11));
            }
        }
    }
}

#[test]
fn numbers_that_no_posterior_has_are_refused() {
    let (posterior, _) = posteriors().remove(1);
    let whole = serde_json::to_value(posterior.to_stored().unwrap()).unwrap();
    let change = |path: &str, value: serde_json::Value| {
        let mut changed = whole.clone();
        *changed.pointer_mut(path).unwrap() = value;
        serde_json::from_value::<StoredIvm>(changed)
            .unwrap()
            .restore(&Registry::built_in(), &gp_likelihoods::Registry::built_in())
    };
    assert!(change("/latents/0/precision/3", (-1.0).into()).is_err());
    assert!(change("/latents/0/precision", serde_json::json!([1.0])).is_err());
    assert!(change("/latents/1/rows", serde_json::json!([1, 2])).is_err());
    assert!(change("/intercepts", serde_json::json!([0.0])).is_err());
    assert!(change("/latents/0/kernel", "nonsense".into()).is_err());
    assert!(change("/likelihood", "poisson".into()).is_err());
}

#[test]
fn coupled_classes_have_the_same_rows() {
    let (posterior, _) = &posteriors()[1];
    let mut stored = serde_json::to_value(posterior.to_stored().unwrap()).unwrap();
    let rows = stored["latents"][1]["rows"].as_array_mut().unwrap();
    rows.swap(3, 4);
    let wrong = rows[3].as_f64().unwrap();
    let stored: StoredIvm = serde_json::from_value(stored).unwrap();
    let error = stored.restore(&Registry::built_in(), &gp_likelihoods::Registry::built_in()).unwrap_err();
    assert!(error.to_string().contains(&format!("active row is {wrong}")), "{error}");
}
