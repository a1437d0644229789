//! The stored form of posteriors, and what is asked of beliefs that are there already.
#![expect(clippy::unwrap_used, reason = "a test that cannot be set up fails")]

use crate::support::{Problem, kernel, three_classes};
use gp_ep::ivm::{Coupling, Ivm, IvmOptions, IvmPosterior, Rule, StoredIvm};
use gp_kernels::Registry;
use gp_likelihoods::BernoulliProbit;

fn options() -> IvmOptions {
    IvmOptions { active: 25, liquid: 8, candidates: Some(40), ..IvmOptions::default() }
}

/// One latent, coupled classes, independent ones, with a rule and intercepts of their own.
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
        assert_eq!(restored.latents(problem.inputs()).unwrap(), posterior.latents(problem.inputs()).unwrap());
        let probabilities = |of: &IvmPosterior| of.probabilities(problem.inputs()).unwrap();
        assert!(probabilities(&restored) == probabilities(&posterior));
        assert_eq!(restored.active(0), posterior.active(0));
        assert_eq!(restored.sites(0), posterior.sites(0));
        assert_eq!(serde_json::to_string(&restored.to_stored().unwrap()).unwrap(), text);
        for (row, &at) in posterior.active(0).iter().enumerate() {
            assert!((0..2).all(|d| restored.active_inputs(0)[(row, d)] == problem.x[(at, d)]));
        }
    }
}

#[test]
fn probabilities_of_beliefs_are_those_of_points() {
    for (posterior, problem) in posteriors() {
        let beliefs = posterior.latents(problem.inputs()).unwrap();
        assert!(
            posterior.probabilities_of(&beliefs).unwrap()
                == posterior.probabilities(problem.inputs()).unwrap()
        );
    }
}

/// Joint covariances have the variances of single points on their diagonals, and are symmetric.
#[test]
fn joint_beliefs_have_those_of_points_on_their_diagonals() {
    for (posterior, problem) in posteriors() {
        let few = problem.inputs().subrows(0, 12);
        let beliefs = posterior.latents(few).unwrap();
        let latents = beliefs[0].mean.len();
        for latent in 0..latents {
            let (mean, covariance) = posterior.joint(latent, few).unwrap();
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
