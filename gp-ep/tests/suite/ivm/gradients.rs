//! Criterion against dense formulas; gradient against central differences.
#![expect(clippy::unwrap_used, reason = "a test that cannot be set up fails")]

use super::support::{Problem, kernel, three_classes};
use faer::Mat;
use gp_ep::ivm::{Coupling, Ivm, IvmOptions, IvmPosterior, Rule};
use gp_kernels::gram;
use gp_likelihoods::{BernoulliProbit, Softmax};
use gp_optim::{ParameterSet, ParameterSetMut};

/// Largest difference by free coordinates, relative to the largest value.
fn worst(model: &Ivm, problem: &Problem, posterior: &IvmPosterior) -> f64 {
    let data = problem.data();
    let mut natural = vec![0.0; model.parameter_count()];
    model.criterion_gradient(&data, posterior, &mut natural).unwrap();
    let (mut gradient, mut start) = (vec![0.0; model.free_count()], vec![0.0; model.free_count()]);
    model.chain_gradient(&natural, &mut gradient).unwrap();
    model.write_free(&mut start).unwrap();
    let size = gradient.iter().fold(0.0f64, |size, g| size.max(g.abs()));
    assert!(size > 0.1, "something has to be at stake");
    let mut worst = 0.0f64;
    for i in 0..start.len() {
        let h = 1e-4;
        let at = |shift: f64| {
            let (mut moved, mut x) = (model.clone(), start.clone());
            x[i] += shift;
            moved.set_free(&x).unwrap();
            moved.criterion(&data, posterior).unwrap()
        };
        // Fourth order allows an h large enough against rounding.
        let difference = (8.0 * (at(h) - at(-h)) - (at(2.0 * h) - at(-2.0 * h))) / (12.0 * h);
        worst = worst.max((gradient[i] - difference).abs() / size);
    }
    worst
}

fn freed(mut model: Ivm) -> Ivm {
    let count = model.classes();
    let values: Vec<f64> = (0..count).map(|c| 0.3 - 0.2 * c as f64).collect();
    model.intercepts_mut().fix_all(false);
    model.intercepts_mut().set_values(&values).unwrap();
    model
}

/// Different kernels, intercepts; an accurate and a coarse rule: the gradient is of the sum.
#[test]
fn coupled_gradients_are_those_of_the_criterion() {
    let problem = Problem::stripes(70, 3, 1);
    for rule in
        [Rule::Product(9), Rule::Product(3), Rule::Symmetric, Rule::QuasiRandom { nodes: 50, seed: 1 }]
    {
        let model = freed(three_classes()).with_rule(rule).unwrap();
        let options = IvmOptions { active: 20, liquid: 5, ..IvmOptions::default() };
        let run = model.build(&problem.data(), &options).unwrap();
        let error = worst(&model, &problem, &run.posterior);
        assert!(error < 1e-8, "{rule:?}: {error}");
    }
}

#[test]
fn gradients_are_right_with_white_noise() {
    let problem = Problem::stripes(50, 3, 2);
    let noisy = kernel("2.0 * rbf(lengthscale=0.3) + 0.5 * white");
    let model = freed(Ivm::shared(noisy.as_ref(), Box::new(Softmax::new(3).unwrap())).unwrap());
    let options = IvmOptions { active: 15, liquid: 5, ..IvmOptions::default() };
    let run = model.build(&problem.data(), &options).unwrap();
    let error = worst(&model, &problem, &run.posterior);
    assert!(error < 1e-8, "{error}");
}

/// One active set per class; two classes with one latent.
#[test]
fn independent_gradients_are_those_of_the_criterion() {
    let problem = Problem::stripes(60, 3, 3);
    let model = freed(three_classes()).with_coupling(Coupling::Independent).unwrap();
    let options = IvmOptions { active: 12, ..IvmOptions::default() };
    let run = model.build(&problem.data(), &options).unwrap();
    assert_ne!(run.posterior.active(0), run.posterior.active(1));
    let error = worst(&model, &problem, &run.posterior);
    assert!(error < 1e-8, "{error}");

    let problem = Problem::signs(60, 3);
    let one = vec![kernel("2.0 * rbf(lengthscale=0.3)")];
    let model = freed(Ivm::new(one, Box::new(BernoulliProbit)).unwrap());
    let run = model.build(&problem.data(), &options).unwrap();
    // Adaptive rules can change nodes between the sides of a difference.
    let error = worst(&model, &problem, &run.posterior);
    assert!(error < 1e-6, "{error}");
}

/// Without prior variance sites carry no information: divergence 0, equal probabilities.
#[test]
fn latents_without_variance_leave_even_odds() {
    let problem = Problem::stripes(40, 3, 4);
    let small = kernel("1e-6 * rbf(lengthscale=0.3)");
    let model = Ivm::shared(small.as_ref(), Box::new(Softmax::new(3).unwrap())).unwrap();
    let options = IvmOptions { active: 5, liquid: 0, ..IvmOptions::default() };
    let run = model.build(&problem.data(), &options).unwrap();
    let found = model.criterion(&problem.data(), &run.posterior).unwrap();
    // −E ln p differs from ln 3 by about half the variance of a difference, 1e-6, at each of forty.
    assert!((found - 40.0 * 3f64.ln()).abs() < 1e-4, "{found}");
}

#[test]
fn the_divergence_is_that_of_dense_gaussians() {
    let problem = Problem::stripes(12, 3, 5);
    let model = three_classes();
    let options = IvmOptions { active: 12, liquid: 12, ..IvmOptions::default() };
    let run = model.build(&problem.data(), &options).unwrap();
    let found = model.criterion(&problem.data(), &run.posterior).unwrap();

    let rows = run.posterior.active(0);
    let (n, size) = (rows.len(), 3 * rows.len());
    let x = Mat::from_fn(n, 2, |i, d| problem.x[(rows[i], d)]);
    let mut k = Mat::zeros(size, size);
    let mut pi = Mat::zeros(size, size);
    let mut b = Mat::zeros(size, 1);
    for c in 0..3 {
        let block = gram(model.kernels()[c].as_ref(), x.as_ref()).unwrap();
        k.as_mut().submatrix_mut(c * n, c * n, n, n).copy_from(block);
        for i in 0..n {
            let precision = |c: usize| run.posterior.sites(c).0[i];
            let total: f64 = (0..3).map(precision).sum();
            for other in 0..3 {
                let own = if c == other { precision(c) } else { 0.0 };
                pi[(c * n + i, other * n + i)] = own - precision(c) * precision(other) / total;
            }
            b[(c * n + i, 0)] = run.posterior.sites(c).1[i];
        }
    }
    // A = (I + KΠ)⁻¹K by faer.
    use faer::linalg::solvers::{DenseSolveCore, Solve};
    let mut left = &k * &pi;
    (0..size).for_each(|i| left[(i, i)] += 1.0);
    let a = left.partial_piv_lu().solve(&k);
    let h = &a * &b;
    let k_inverse = k.partial_piv_lu().inverse();
    let trace: f64 = (0..size).map(|i| (&k_inverse * &a)[(i, i)]).sum();
    let log_det = |m: &Mat<f64>| {
        let lu = m.partial_piv_lu();
        (0..size).map(|i| lu.U()[(i, i)].abs().ln()).sum::<f64>()
    };
    let misfit = (h.transpose() * &k_inverse * &h)[(0, 0)];
    let divergence = 0.5 * (log_det(&k) - log_det(&a) + trace - size as f64 + misfit);

    let mut expected = divergence;
    let rule = gp_likelihoods::quadrature::Cubature::product(7, 3).unwrap();
    for (place, &row) in rows.iter().enumerate() {
        expected -= expectation(&rule, place, n, problem.y[row] as usize, &a, &h);
    }
    // Rules agree to their accuracy; divergences to rounding, with K of condition 1e5.
    assert!((found - expected).abs() < 1e-2, "{found} {expected}");
    assert!(divergence > 1.0);
}

/// E ln softmax by a product rule in triangular coordinates.
fn expectation(
    rule: &gp_likelihoods::quadrature::Cubature,
    place: usize,
    n: usize,
    label: usize,
    a: &Mat<f64>,
    h: &Mat<f64>,
) -> f64 {
    let s = Mat::from_fn(3, 3, |i, j| {
        0.5 * (a[(i * n + place, j * n + place)] + a[(j * n + place, i * n + place)])
    });
    let l = s.llt(faer::Side::Lower).unwrap().L().to_owned();
    rule.expect(|t| {
        let u: Vec<f64> =
            (0..3).map(|i| h[(i * n + place, 0)] + (0..=i).map(|j| l[(i, j)] * t[j]).sum::<f64>()).collect();
        u[label] - u.iter().map(|u| u.exp()).sum::<f64>().ln()
    })
}
