//! One latent: closed forms and dense formulas.
#![expect(clippy::unwrap_used, reason = "a test that cannot be set up fails")]

use super::support::{Problem, kernel, latents, three_classes};
use faer::Mat;
use faer::linalg::solvers::Solve;
use gp_ep::ivm::{Coupling, Ivm, IvmOptions, IvmRun, Reason, Selection};
use gp_kernels::gram;
use gp_likelihoods::{BernoulliLogit, BernoulliProbit, Latent, LatentDerivatives, Likelihood, Workspace};

const KERNEL: &str = "3.0 * rbf(lengthscale=0.3)";

fn build(problem: &Problem, likelihood: Box<dyn Likelihood>, options: &IvmOptions) -> IvmRun {
    Ivm::new(vec![kernel(KERNEL)], likelihood).unwrap().build(&problem.data(), options).unwrap()
}

/// Recursion of Lawrence, Seeger and Herbrich on dense n×n matrices: each step includes the point of largest
/// divergence with a moment-matched site.
fn dense(
    problem: &Problem,
    likelihood: &dyn Likelihood,
    first: &[usize],
    active: usize,
) -> (Vec<usize>, Mat<f64>) {
    let n = problem.y.len();
    let mut a = gram(kernel(KERNEL).as_ref(), problem.inputs()).unwrap();
    let mut h = vec![0.0; n];
    let (mut rows, mut ws, mut slopes) = (Vec::new(), Workspace::new(), LatentDerivatives::default());
    while rows.len() < active {
        let mut best = (f64::NEG_INFINITY, 0, 0.0, 0.0);
        for j in (0..n).filter(|j| !rows.contains(j)) {
            let latent = Latent::new(h[j], a[(j, j)]).unwrap();
            likelihood.tilted(&[problem.y[j]], &[latent], 1.0, &mut ws, &mut slopes).unwrap();
            let (g, v) = (slopes.by_mean[0], a[(j, j)]);
            let hat = v + v * v * (2.0 * slopes.by_variance[0] - g * g);
            let gain = 0.5 * ((v / hat).ln() + hat / v - 1.0 + g * g * v);
            let forced = first.get(rows.len()).is_some_and(|&row| row == j);
            let score = if forced { f64::INFINITY } else { gain };
            if score > best.0 {
                best = (score, j, g, v - hat);
            }
        }
        let (_, j, g, reduction) = best;
        let column: Vec<f64> = (0..n).map(|i| a[(i, j)]).collect();
        let v = column[j];
        for i in 0..n {
            h[i] += column[i] * g;
            for k in 0..n {
                a[(i, k)] -= column[i] * column[k] * reduction / (v * v);
            }
        }
        rows.push(j);
    }
    let mut found = Mat::zeros(n, 2);
    for i in 0..n {
        (found[(i, 0)], found[(i, 1)]) = (h[i], a[(i, i)]);
    }
    (rows, found)
}

#[test]
fn the_run_is_the_dense_recursion() {
    let problem = Problem::signs(80, 1);
    let options = IvmOptions { active: 25, ..IvmOptions::default() };
    let likelihoods: [Box<dyn Likelihood>; 2] = [Box::new(BernoulliProbit), Box::new(BernoulliLogit)];
    for likelihood in likelihoods {
        let run = build(&problem, likelihood.clone(), &options);
        let first: Vec<usize> =
            run.inclusions.iter().filter(|i| i.reason == Reason::First).map(|i| i.row).collect();
        assert_eq!(first.len(), 2, "one of each class");
        assert_ne!(problem.y[first[0]], problem.y[first[1]]);
        let (rows, expected) = dense(&problem, likelihood.as_ref(), &first, 25);
        assert_eq!(run.posterior.active(0), rows);
        assert!(run.inclusions[2..].iter().all(|i| i.scored == 80 - 2 || i.scored < 80 && i.score.is_some()));
        for (i, latent) in latents(&run.posterior, problem.inputs()).iter().enumerate() {
            assert!((latent.mean[0] - expected[(i, 0)]).abs() < 1e-9);
            assert!((latent.covariance[0] - expected[(i, 1)]).abs() < 1e-9);
        }
    }
}

/// Each latent has its posterior (K⁻¹ + diag π)⁻¹.
#[test]
fn independent_classes_are_dense_posteriors_of_their_own() {
    let problem = Problem::stripes(60, 3, 4);
    for selection in [Selection::InformationGain, Selection::MaxEntropy, Selection::Random] {
        let model = three_classes().with_coupling(Coupling::Independent).unwrap();
        let options = IvmOptions { active: 15, selection, ..IvmOptions::default() };
        let run = model.build(&problem.data(), &options).unwrap();
        assert_eq!(run.inclusions.len(), 45);
        let found = latents(&run.posterior, problem.inputs());
        for c in 0..3 {
            let (rows, (pi, b)) = (run.posterior.active(c), run.posterior.sites(c));
            assert_eq!(rows.len(), 15);
            let k = gram(model.kernels()[c].as_ref(), problem.inputs()).unwrap();
            // (I + K Π)⁻¹ K over all points.
            let mut left = Mat::<f64>::identity(60, 60);
            let mut shift = Mat::<f64>::zeros(60, 1);
            for (a, &row) in rows.iter().enumerate() {
                (0..60).for_each(|i| left[(i, row)] += k[(i, row)] * pi[a]);
                shift[(row, 0)] = b[a];
            }
            let a = left.partial_piv_lu().solve(&k);
            let h = &a * &shift;
            for i in 0..60 {
                assert!((found[i].mean[c] - h[(i, 0)]).abs() < 1e-9);
                assert!((found[i].covariance[4 * c] - a[(i, i)]).abs() < 1e-9);
                assert_eq!(found[i].covariance[3 * c + (c + 1) % 3], 0.0);
            }
        }
    }
}

/// Sites are observations `b/π` with noise `1/π`, which condition the terms.
#[test]
fn terms_are_conditioned_on_the_sites() {
    let problem = Problem::signs(60, 2);
    let model =
        Ivm::new(vec![kernel("3.0 * rbf(lengthscale=0.3) + 0.5 * linear")], Box::new(BernoulliProbit));
    let options = IvmOptions { active: 20, ..IvmOptions::default() };
    let posterior = model.unwrap().build(&problem.data(), &options).unwrap().posterior;
    let (active, (pi, b)) = (posterior.active_inputs(0), posterior.sites(0));
    let terms = ["3.0 * rbf(lengthscale=0.3)", "0.5 * linear"].map(kernel);
    let mut noisy = gram(terms[0].as_ref(), active).unwrap() + gram(terms[1].as_ref(), active).unwrap();
    (0..20).for_each(|i| noisy[(i, i)] += 1.0 / pi[i]);
    let targets = Mat::from_fn(20, 1, |i, _| b[i] / pi[i]);
    let solver = noisy.partial_piv_lu();
    let predictor = posterior.predictor().unwrap();
    let found = predictor.predict_terms(0, problem.inputs()).unwrap();
    for (term, found) in terms.iter().zip(&found) {
        let cross = gp_kernels::cross(term.as_ref(), active, problem.inputs()).unwrap();
        let prior = gp_kernels::diagonal(term.as_ref(), problem.inputs()).unwrap();
        let (means, explained) =
            (cross.transpose() * solver.solve(&targets), cross.transpose() * solver.solve(&cross));
        for i in 0..60 {
            assert!((found.mean[i] - means[(i, 0)]).abs() < 1e-9);
            assert!((found.variance[i] - (prior[i] - explained[(i, i)])).abs() < 1e-9);
        }
    }
    let whole = &predictor.latents(problem.inputs()).unwrap()[0];
    assert!((0..60).all(|i| (found[0].mean[i] + found[1].mean[i] - whole.mean[i]).abs() < 1e-12));
}
