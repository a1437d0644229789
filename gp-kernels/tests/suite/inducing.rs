//! Inducing inputs: projections, windows, posteriors, predictions.
#![expect(clippy::unwrap_used, reason = "a test that fails should stop at once")]

use crate::common::table;
use faer::{Mat, MatRef};
use gp_kernels::inducing::{
    InducingInputs, InducingPrior, PriorGradients, Projection, SharedPoints, SparseProcess,
};
use gp_kernels::posterior::{InducingPosterior, MixturePosterior, PosteriorFactor, StoredPosterior};
use gp_kernels::{Evaluator, Kernel, KernelError, KernelExt, Registry, cross, diagonal, gram, parse};
use gp_linalg::{Cholesky, JitterPolicy, Threading};
use gp_optim::{ParameterSet, ParameterSetMut};

const POLICY: JitterPolicy = JitterPolicy::none();

fn kernel() -> Box<dyn Kernel> {
    parse(
        "1.3 * rbf(lengthscale=[0.8, 1.1]) + 0.4 * rbf(lengthscale=2, dims=[1]) + constant(variance=0.2) + linear(lengthscale=[1.5, 2.5])",
    )
    .unwrap()
}

fn windows(count: usize) -> Mat<f64> {
    Mat::from_fn(count, 2, |i, d| 0.05 + 0.1 * ((i + 2 * d) % 4) as f64)
}

fn inputs(windowed: bool) -> InducingInputs {
    let z = table(5, 2, 3);
    let points = InducingInputs::points(z.as_ref()).unwrap();
    if windowed { points.with_windows(windows(5).as_ref()).unwrap() } else { points }
}

fn project(kernel: &dyn Kernel, inputs: &InducingInputs, x: MatRef<'_, f64>) -> Projection {
    let by = Evaluator::new(Threading::Here);
    let prior = InducingPrior::of(kernel.clone_box(), inputs.clone(), &POLICY, &by).unwrap();
    prior.project(&SharedPoints::new(x), 0, &by).unwrap()
}

#[test]
fn projections_give_the_conditional_of_dense_formulas() {
    let (kernel, inputs, x) = (kernel(), inputs(false), table(9, 2, 4));
    let projection = project(kernel.as_ref(), &inputs, x.as_ref());
    let (phi, residual) = (projection.phi(), projection.residual());
    let k_zz = gram(kernel.as_ref(), inputs.z().as_dyn_stride()).unwrap();
    let k_zx = cross(kernel.as_ref(), inputs.z().as_dyn_stride(), x.as_ref()).unwrap();
    let factor = Cholesky::factor(k_zz.as_ref(), &POLICY).unwrap();
    assert_close("L Φ = K_zx", (factor.l() * phi).as_ref(), k_zx.as_ref(), 1e-12);
    let mut solved = k_zx.clone();
    factor.solve_in_place(solved.as_mut(), Threading::Here).unwrap();
    let q = k_zx.transpose() * &solved;
    for (i, prior) in diagonal(kernel.as_ref(), x.as_ref()).unwrap().into_iter().enumerate() {
        assert!((residual[i] - (prior - q[(i, i)])).abs() < 1e-12, "residual {i}");
    }
}

/// Three tiles (39 million multiplications) agree with one up to summation order.
#[test]
fn cut_tables_are_those_in_one_piece() {
    let (kernel, x) = (parse("1.3 * rbf(lengthscale=20)").unwrap(), table(800, 512, 5));
    let process =
        SparseProcess::new(kernel, InducingInputs::points(table(96, 512, 6).as_ref()).unwrap()).unwrap();
    let evaluated = |cuts: bool, recorded: usize, threading: Threading| {
        let by = Evaluator::new(threading).with_cuts(cuts);
        let prior = InducingPrior::new(&process, &JitterPolicy::ladder(), &by).unwrap();
        let projection = prior.project(&SharedPoints::new(x.as_ref()), recorded, &by).unwrap();
        let mut gradients = PriorGradients::zeros(&process);
        let upstream = &mut Mat::from_fn(96, 800, |i, j| ((3 * i + 5 * j) % 7) as f64 - 3.0);
        projection.reverse(upstream.as_mut(), &[0.5; 800], &mut gradients, &by).unwrap();
        (projection.phi().to_owned(), gradients.as_slice().to_vec())
    };
    let (phi, gradients) = evaluated(true, 0, Threading::Here);
    for (recorded, threading) in [(usize::MAX, Threading::Here), (0, Threading::Pool)] {
        assert!(evaluated(true, recorded, threading) == (phi.clone(), gradients.clone()));
    }
    let (whole, whole_gradients) = evaluated(false, 0, Threading::Here);
    assert_close("Φ", phi.as_ref(), whole.as_ref(), 1e-9);
    let largest = whole_gradients.iter().fold(0.0, |most: f64, g| most.max(g.abs()));
    for (found, expected) in gradients.iter().zip(&whole_gradients) {
        assert!((found - expected).abs() <= 1e-9 * largest, "{found} {expected}");
    }
}

#[test]
fn residuals_at_the_inducing_inputs_are_zero_and_never_negative() {
    let (kernel, inputs) = (kernel(), inputs(false));
    for s in project(kernel.as_ref(), &inputs, inputs.z().as_dyn_stride()).residual() {
        assert!((0.0..1e-13).contains(s), "{s}");
    }
}

/// `Σ A ∘ Φ + Σ b s`, for all of the reverse pass.
fn objective(kernel: &dyn Kernel, inputs: &InducingInputs, x: MatRef<'_, f64>) -> f64 {
    let projection = project(kernel, inputs, x);
    let (phi, residual) = (projection.phi(), projection.residual());
    let (a, b) = upstream(inputs.count(), x.nrows());
    let through_phi: f64 = (0..phi.ncols())
        .map(|j| phi.col(j).iter().zip(a.col(j).iter()).map(|(x, y)| x * y).sum::<f64>())
        .sum();
    through_phi + residual.iter().zip(&b).map(|(s, b)| s * b).sum::<f64>()
}

fn upstream(m: usize, n: usize) -> (Mat<f64>, Vec<f64>) {
    (table(m, n, 11), rows(&table(n, 1, 12)))
}

#[test]
fn the_reverse_pass_agrees_with_differences() {
    let x = table(9, 2, 4);
    for windowed in [false, true] {
        let (kernel, inputs) = (kernel(), inputs(windowed));
        let by = Evaluator::new(Threading::Pool);
        let process = SparseProcess::new(kernel.clone(), inputs.clone()).unwrap();
        let prior = InducingPrior::new(&process, &POLICY, &by).unwrap();
        let mut grads = PriorGradients::zeros(&process);
        // Two lanes. The part through K_zz is added once for both.
        for (start, count) in [(0, 4), (4, 5)] {
            let lane = SharedPoints::new(x.as_ref().subrows(start, count));
            let projection = prior.project(&lane, usize::MAX, &by).unwrap();
            let (a, b) = upstream(5, 9);
            let mut a = a.as_ref().subcols(start, count).to_owned();
            let b = &b[start..start + count];
            projection.reverse(a.as_mut(), b, &mut grads, &by).unwrap();
        }
        prior.finish_reverse(&mut grads, &by).unwrap();

        let names = kernel.parameter_names();
        let by_params = differences(&kernel.parameter_values(), |values| {
            let mut moved = kernel.clone();
            names.iter().zip(values).for_each(|(name, value)| moved.set(name, *value).unwrap());
            objective(moved.as_ref(), &inputs, x.as_ref())
        });
        let by_inputs = differences(&inputs.values(), |values| {
            let mut moved = inputs.clone();
            moved.set_values(values).unwrap();
            objective(kernel.as_ref(), &moved, x.as_ref())
        });
        // Central differences with step 1e-5 are accurate to about 1e-9 here.
        for (what, found, expected) in
            [("params", grads.params(), by_params), ("inputs", grads.inputs(), by_inputs)]
        {
            let scale = expected.iter().fold(1.0, |scale: f64, g| scale.max(g.abs()));
            for (i, (g, d)) in found.iter().zip(&expected).enumerate() {
                assert!((g - d).abs() < 1e-7 * scale, "windowed {windowed}, {what}[{i}]: {g} against {d}");
            }
        }
    }
}

/// Gradients before and after that of `K_zz`.
fn gradients(prior: &InducingPrior, process: &SparseProcess, projection: &Projection) -> Vec<f64> {
    let by = Evaluator::new(Threading::Here);
    let (mut a, b) = upstream(prior.count(), projection.phi().ncols());
    let mut grads = PriorGradients::zeros(process);
    projection.reverse(a.as_mut(), &b, &mut grads, &by).unwrap();
    let before = grads.as_slice().to_vec();
    prior.finish_reverse(&mut grads, &by).unwrap();
    before.into_iter().chain(grads.as_slice().iter().copied()).collect()
}

#[test]
fn what_is_recorded_changes_no_bit() {
    for (dim, windowed) in [(2, false), (2, true), (30, false)] {
        let (x, by) = (SharedPoints::new(table(300, dim, 4).as_ref()), Evaluator::new(Threading::Here));
        let (kernel, inputs) = if dim == 2 {
            (kernel(), inputs(windowed))
        } else {
            let kernel = parse("rbf(lengthscale=5) * matern32(lengthscale=6) + 0.3 * matern52").unwrap();
            (kernel, InducingInputs::points(table(140, dim, 3).as_ref()).unwrap())
        };
        let process = SparseProcess::new(kernel, inputs).unwrap();
        // The first prior does not record K_zz, the second does.
        let mut prior = InducingPrior::new(&process, &POLICY, &by).unwrap();
        let expected = gradients(&prior, &process, &prior.project(&x, 0, &by).unwrap());
        prior.refresh(&process, &POLICY, &by).unwrap();
        for recorded in [0, 100, usize::MAX] {
            let projection = prior.project(&x, recorded, &by).unwrap();
            assert!(gradients(&prior, &process, &projection) == expected, "{dim} {windowed} {recorded}");
        }
    }
}

#[test]
fn a_projection_is_reversed_as_it_was_made() {
    let by = Evaluator::new(Threading::Here);
    let mut process = SparseProcess::new(kernel(), inputs(false)).unwrap();
    let mut prior = InducingPrior::new(&process, &POLICY, &by).unwrap();
    prior.refresh(&process, &POLICY, &by).unwrap();
    let first = prior.clone();
    let mut x = SharedPoints::new(table(9, 2, 4).as_ref());
    let made = || first.project(&SharedPoints::new(table(9, 2, 4).as_ref()), usize::MAX, &by).unwrap();
    let expected = gradients(&first, &process, &made());
    let old = prior.project(&x, usize::MAX, &by).unwrap();
    // Other points, parameters and inducing inputs while the old projection still exists.
    let mut at = vec![0.0; process.free_count()];
    process.write_free(&mut at).unwrap();
    at.iter_mut().for_each(|x| *x += 0.1);
    process.set_free(&at).unwrap();
    prior.refresh(&process, &POLICY, &by).unwrap();
    x.copy_from(table(7, 2, 5).as_ref());
    let new = prior.project(&x, usize::MAX, &by).unwrap();
    let moved = gradients(&prior, &process, &new);
    assert!(gradients(&first, &process, &old) == expected);
    let again = InducingPrior::new(&process, &POLICY, &by).unwrap();
    assert!(gradients(&again, &process, &again.project(&x, 0, &by).unwrap()) == moved);
}

#[test]
fn a_prior_follows_a_process_that_is_built_anew() {
    let by = Evaluator::new(Threading::Here);
    let x = SharedPoints::new(table(9, 2, 4).as_ref());
    let process = |text: &str| SparseProcess::new(parse(text).unwrap(), inputs(false)).unwrap();
    let mut present = process("rbf(dims=[0]) + polynomial(degree=2) + white");
    let mut prior = InducingPrior::new(&present, &POLICY, &by).unwrap();
    let mut changes: Vec<SparseProcess> = vec![
        process("rbf(dims=[1]) + polynomial(degree=2) + white"),
        process("rbf(dims=[1]) + polynomial(degree=3) + white"),
        process("rbf(dims=[1], ard=true, lengthscale=2) + matern12"),
    ];
    present.kernel_mut().children_mut()[0] = parse("0.5 * rbf").unwrap();
    changes.push(present);
    for process in changes {
        prior.refresh(&process, &POLICY, &by).unwrap();
        let fresh = InducingPrior::new(&process, &POLICY, &by).unwrap();
        let [found, expected] = [&prior, &fresh].map(|prior| {
            let projection = prior.project(&x, 0, &by).unwrap();
            gradients(prior, &process, &projection)
        });
        assert!(found == expected, "{}", process.kernel().expression());
    }
}

#[test]
fn windows_of_no_width_are_points() {
    let (kernel, points, x) = (kernel(), inputs(false), table(6, 2, 5));
    let narrow = points.clone().with_windows(Mat::zeros(5, 2).as_ref()).unwrap();
    let (a, b) =
        (project(kernel.as_ref(), &points, x.as_ref()), project(kernel.as_ref(), &narrow, x.as_ref()));
    assert_close("Φ", b.phi(), a.phi(), 1e-12);
}

#[test]
fn windowed_covariances_are_integrals_of_the_kernel() {
    // g(z) = ∫ N(x; z, ω) f(x) dx in one dimension by the trapezoidal rule over ±12 standard deviations. For
    // this smooth integrand, 200 points per side are exact up to rounding.
    let kernel =
        parse("1.3 * rbf(lengthscale=0.8) + constant(variance=0.2) + linear(lengthscale=1.7)").unwrap();
    let by = Evaluator::new(Threading::Here);
    let z = Mat::from_fn(2, 1, |i, _| i as f64 - 0.4);
    let omega = Mat::from_fn(2, 1, |i, _| 0.3 + 0.5 * i as f64);
    let inputs = InducingInputs::points(z.as_ref()).unwrap().with_windows(omega.as_ref()).unwrap();
    let x = table(3, 1, 6);
    let (mut k_zx, mut k_zz) = (Mat::zeros(2, 3), Mat::zeros(2, 2));
    inputs.cross(kernel.as_ref(), x.as_ref(), k_zx.as_mut(), &by).unwrap();
    inputs.gram(kernel.as_ref(), k_zz.as_mut(), &by).unwrap();

    let nodes = 401;
    let grid = |i: usize| {
        Mat::from_fn(nodes, 1, |k, _| z[(i, 0)] + omega[(i, 0)].sqrt() * (k as f64 - 200.0) * 0.06)
    };
    let weight = |k: usize| {
        0.06 / (2.0 * std::f64::consts::PI).sqrt() * (-0.5 * ((k as f64 - 200.0) * 0.06).powi(2)).exp()
    };
    for i in 0..2 {
        let at_data = cross(kernel.as_ref(), grid(i).as_ref(), x.as_ref()).unwrap();
        for n in 0..3 {
            let integral: f64 = (0..nodes).map(|k| weight(k) * at_data[(k, n)]).sum();
            assert!((k_zx[(i, n)] - integral).abs() < 1e-12, "K_zx[{i}, {n}]");
        }
        for j in 0..2 {
            let both = cross(kernel.as_ref(), grid(i).as_ref(), grid(j).as_ref()).unwrap();
            let integral: f64 = (0..nodes)
                .map(|k| (0..nodes).map(|l| weight(k) * weight(l) * both[(k, l)]).sum::<f64>())
                .sum();
            assert!((k_zz[(i, j)] - integral).abs() < 1e-12, "K_zz[{i}, {j}]");
        }
    }
}

#[test]
fn windows_see_nothing_of_white_noise() {
    let (with, without) = (parse("rbf + white(variance=3)").unwrap(), parse("rbf").unwrap());
    let (by, inputs) = (Evaluator::new(Threading::Here), inputs(true));
    let mut found = [Mat::zeros(5, 5), Mat::zeros(5, 5)];
    for (kernel, out) in [with, without].iter().zip(&mut found) {
        inputs.gram(kernel.as_ref(), out.as_mut(), &by).unwrap();
    }
    assert_eq!(found[0], found[1]);
}

#[test]
fn kernels_without_a_window_are_named() {
    let kernel = parse("rbf + matern32").unwrap();
    let by = Evaluator::new(Threading::Here);
    let error = InducingPrior::of(kernel, inputs(true), &POLICY, &by).expect_err("no closed form");
    assert!(matches!(&error, KernelError::NoWindow { kernel } if kernel.contains("matern32")), "{error}");
}

/// `B = I + Φ Φᵀ/σ²`, `m = B⁻¹ Φ y/σ²`, in both parametrisations.
fn posteriors() -> (InducingPosterior, InducingPosterior, Mat<f64>, Vec<f64>) {
    let (kernel, x) = (kernel(), table(12, 2, 7));
    let y = rows(&table(12, 1, 8));
    let inputs = InducingInputs::points(x.as_ref()).unwrap();
    let projection = project(kernel.as_ref(), &inputs, x.as_ref());
    let phi = projection.phi();
    let precision = Mat::<f64>::identity(12, 12) + (phi * phi.transpose()) * faer::Scale(1.0 / NOISE);
    let factor = Cholesky::factor(precision.as_ref(), &POLICY).unwrap();
    let mut mean = phi * Mat::from_fn(12, 1, |i, _| y[i] / NOISE);
    factor.solve_in_place(mean.as_mut(), Threading::Here).unwrap();
    let mut covariance = Mat::identity(12, 12);
    factor.solve_in_place(covariance.as_mut(), Threading::Here).unwrap();
    let of_covariance = Cholesky::factor(covariance.as_ref(), &POLICY).unwrap();
    let make =
        |factor| InducingPosterior::new(kernel.clone(), inputs.clone(), POLICY, rows(&mean), factor).unwrap();
    let lower = PosteriorFactor::Covariance(of_covariance.l().to_owned());
    (make(PosteriorFactor::Precision(factor)), make(lower), x, y)
}

const NOISE: f64 = 0.1;

#[test]
fn with_inducing_inputs_at_the_data_predictions_are_those_of_the_exact_process() {
    let (by_precision, by_covariance, x, y) = posteriors();
    let (kernel, test, by) = (kernel(), table(7, 2, 9), Evaluator::new(Threading::Pool));
    let noisy =
        gram(kernel.as_ref(), x.as_ref()).unwrap() + Mat::<f64>::identity(12, 12) * faer::Scale(NOISE);
    let factor = Cholesky::factor(noisy.as_ref(), &POLICY).unwrap();
    let k_xt = cross(kernel.as_ref(), x.as_ref(), test.as_ref()).unwrap();
    let mut solved = k_xt.clone();
    factor.solve_in_place(solved.as_mut(), Threading::Here).unwrap();
    let mean = solved.transpose() * Mat::from_fn(12, 1, |i, _| y[i]);
    let covariance = gram(kernel.as_ref(), test.as_ref()).unwrap() - k_xt.transpose() * &solved;
    for posterior in [by_precision, by_covariance] {
        let marginal = posterior.predict(test.as_ref(), &by).unwrap();
        let (joint_mean, joint) = posterior.predict_joint(test.as_ref(), &by).unwrap();
        assert_close("joint covariance", joint.as_ref(), covariance.as_ref(), 1e-9);
        for i in 0..7 {
            assert!((marginal.mean[i] - mean[(i, 0)]).abs() < 1e-9, "mean {i}");
            assert!((joint_mean[i] - marginal.mean[i]).abs() < 1e-12, "joint mean {i}");
            assert!((marginal.variance[i] - covariance[(i, i)]).abs() < 1e-9, "variance {i}");
        }
    }
}

#[test]
fn the_prior_as_a_posterior_predicts_the_prior() {
    let (kernel, x, by) = (kernel(), table(7, 2, 9), Evaluator::new(Threading::Here));
    let prior = InducingPosterior::prior(kernel.clone(), inputs(true), POLICY).unwrap();
    let predicted = prior.predict(x.as_ref(), &by).unwrap();
    for (found, expected) in predicted.variance.iter().zip(diagonal(kernel.as_ref(), x.as_ref()).unwrap()) {
        assert!((found - expected).abs() < 1e-12);
    }
    assert!(predicted.mean.iter().all(|mean| *mean == 0.0));
}

#[test]
fn samples_have_the_predicted_moments_and_come_from_the_seed() {
    let (posterior, _, _, _) = posteriors();
    let (test, by) = (table(4, 2, 10), Evaluator::new(Threading::Here));
    let (mean, covariance) = posterior.predict_joint(test.as_ref(), &by).unwrap();
    let count = 20_000;
    let draw = |seed| posterior.sample(test.as_ref(), count, seed, &by).unwrap().functions;
    let samples = draw(3);
    assert!(samples == draw(3), "the same seed gives the same samples");
    assert!(samples != draw(4), "another seed gives others");
    for i in 0..4 {
        for j in 0..4 {
            let product = |k: usize| (samples[(i, k)] - mean[i]) * (samples[(j, k)] - mean[j]);
            let found = (0..count).map(product).sum::<f64>() / count as f64;
            // Five standard errors; that of a covariance is at most √(2 v_i v_j / count).
            let tolerance = 5.0 * (2.0 * covariance[(i, i)] * covariance[(j, j)] / count as f64).sqrt();
            assert!((found - covariance[(i, j)]).abs() < tolerance, "covariance {i}, {j}");
        }
    }
}

#[test]
fn a_stored_posterior_predicts_the_same_bits() {
    let (by_precision, by_covariance, _, _) = posteriors();
    let (test, by) = (table(5, 2, 13), Evaluator::new(Threading::Here));
    for posterior in [by_precision, by_covariance] {
        let text = serde_json::to_string(&posterior.to_stored()).unwrap();
        let stored: StoredPosterior = serde_json::from_str(&text).unwrap();
        let restored = stored.restore(&Registry::built_in(), []).unwrap();
        assert_eq!(restored.predict(test.as_ref(), &by), posterior.predict(test.as_ref(), &by));
    }
}

#[test]
fn functions_that_share_a_process_have_the_bits_of_those_apart() {
    let (first, by_covariance, _, _) = posteriors();
    let mean = |scale: f64| first.mean().iter().map(|m| scale * m).collect::<Vec<_>>();
    let others = [(2.0, first.factor()), (-0.5, by_covariance.factor())];
    let together: Vec<_> = std::iter::once(first.clone())
        .chain(others.map(|(scale, factor)| first.alike(mean(scale), factor.clone()).unwrap()))
        .collect();
    let (kernel, inputs) = (kernel(), first.inputs().clone());
    let own = |of: &InducingPosterior| {
        let (mean, factor) = (of.mean().to_vec(), of.factor().clone());
        InducingPosterior::new(kernel.clone(), inputs.clone(), POLICY, mean, factor).unwrap()
    };
    let apart: Vec<_> = together.iter().map(own).collect();
    assert!(together.iter().all(|of| of.is_alike(&together[0])) && !apart[0].is_alike(&apart[1]));
    // Alike, separate, and two alike ones with another between them.
    let mixed = vec![together[0].clone(), apart[1].clone(), together[2].clone()];
    for threading in [Threading::Here, Threading::Pool] {
        let by = Evaluator::new(threading);
        for rows in [0, 1, 7, 2048, 5000] {
            let x = table(rows, 2, 31);
            let alone: Vec<_> = apart.iter().map(|of| of.predict(x.as_ref(), &by).unwrap()).collect();
            for parts in [&together, &apart, &mixed] {
                let beliefs = MixturePosterior::single(parts.clone()).beliefs(x.as_ref(), &by).unwrap();
                assert_eq!(beliefs.functions(), alone, "{rows} rows");
            }
        }
    }
}

#[test]
fn stored_posteriors_of_one_process_share_it_again() {
    let (first, other, _, _) = posteriors();
    let restore = |before: &[InducingPosterior], change: &dyn Fn(String) -> String| {
        let text = change(serde_json::to_string(&other.to_stored()).unwrap());
        let stored: StoredPosterior = serde_json::from_str(&text).unwrap();
        stored.restore(&Registry::built_in(), before).unwrap()
    };
    let before = [first.clone()];
    let shared = restore(&before, &|text| text);
    assert!(shared.is_alike(&first) && shared.mean() == other.mean());
    assert!(!restore(&[], &|text| text).is_alike(&first));
    let kernel = kernel().expression();
    let changed = restore(&before, &|text| text.replacen(&kernel, "rbf", 1));
    assert!(!changed.is_alike(&first));
}

#[test]
fn damaged_posteriors_are_refused() {
    let (posterior, _, _, _) = posteriors();
    let text = serde_json::to_string(&posterior.to_stored()).unwrap();
    for (from, to) in [("rbf", "rbg"), ("\"count\":12", "\"count\":11"), ("\"mean\":[", "\"mean\":[1.0,")] {
        assert!(text.contains(from), "{from}");
        let damaged = serde_json::from_str::<StoredPosterior>(&text.replacen(from, to, 1));
        let refused = damaged.map_err(|error| error.to_string()).and_then(|stored| {
            stored.restore(&Registry::built_in(), []).map(|_| ()).map_err(|error| error.to_string())
        });
        assert!(refused.is_err(), "{from} → {to}");
    }
}

#[test]
fn confident_posteriors_can_be_sampled() {
    let kernel = parse("rbf").unwrap();
    let by = Evaluator::new(Threading::Here);
    let x = Mat::from_fn(20, 1, |i, _| 0.2 * i as f64);
    for spread in [0.0, 1e-9] {
        let inputs = InducingInputs::points(x.as_ref()).unwrap();
        let factor =
            PosteriorFactor::Covariance(Mat::from_fn(20, 20, |i, j| if i == j { spread } else { 0.0 }));
        let policy = JitterPolicy::ladder();
        let posterior =
            InducingPosterior::new(kernel.clone(), inputs, policy, vec![0.5; 20], factor).unwrap();
        let samples = posterior.sample(x.as_ref(), 3, 1, &by).unwrap();
        let mean = posterior.predict(x.as_ref(), &by).unwrap().mean;
        for j in 0..3 {
            for (f, mean) in samples.functions.col(j).iter().zip(&mean) {
                // Seven standard deviations of the variance that the rounding level on the diagonal adds.
                assert!(
                    (f - mean).abs() < 7.0 * (samples.jitter.added + spread * spread * 20.0).sqrt() + 1e-9
                );
            }
        }
        assert!(samples.jitter.added < 1e-9, "{:?}", samples.jitter);
    }
}

/// Remaining prior variance is close to rounding errors.
#[test]
fn samples_through_crowded_inducing_inputs() {
    let by = Evaluator::new(Threading::Here);
    for kernel in ["100 * rbf(lengthscale=3) + linear(lengthscale=0.1)", "1e4 * rbf(lengthscale=9)"] {
        let inputs = InducingInputs::points(table(40, 2, 20).as_ref()).unwrap();
        let prior = InducingPosterior::prior(parse(kernel).unwrap(), inputs, JitterPolicy::ladder()).unwrap();
        let x = table(200, 2, 21);
        let samples = prior.sample(x.as_ref(), 4, 1, &by).unwrap();
        let level = diagonal(prior.kernel(), x.as_ref()).unwrap().into_iter().fold(0.0, f64::max);
        assert!(samples.jitter.added < 1e-6 * level, "{kernel}: {:?}", samples.jitter);
    }
}

#[test]
fn wrong_shapes_are_errors_for_points_and_windows_alike() {
    let kernel = kernel();
    let by = Evaluator::new(Threading::Here);
    let x = table(6, 2, 5);
    let len = kernel.parameter_count();
    for windowed in [false, true] {
        let inputs = inputs(windowed);
        let size = inputs.values().len();
        let gram = |upstream: (usize, usize), params: usize, values: usize| {
            let upstream = Mat::<f64>::zeros(upstream.0, upstream.1);
            let (mut params, mut values) = (vec![0.0; params], vec![0.0; values]);
            inputs.gram_reverse(kernel.as_ref(), upstream.as_ref(), &mut params, &mut values, &by)
        };
        let cross = |x: &Mat<f64>, columns: usize, params: usize| {
            let upstream = Mat::<f64>::zeros(5, columns);
            let (mut params, mut values) = (vec![0.0; params], vec![0.0; size]);
            inputs.cross_reverse(
                kernel.as_ref(),
                x.as_ref(),
                upstream.as_ref(),
                &mut params,
                &mut values,
                &by,
            )
        };
        assert!(gram((5, 5), len, size).is_ok() && cross(&x, 6, len).is_ok());
        for bad in [gram((9, 9), len, size), gram((2, 2), len, size), gram((5, 5), len - 1, size)] {
            assert!(bad.is_err(), "windowed {windowed}");
        }
        for bad in [gram((5, 5), len, size - 1), cross(&x, 5, len), cross(&x, 6, len + 1)] {
            assert!(bad.is_err(), "windowed {windowed}");
        }
        assert!(cross(&table(6, 1, 5), 6, len).is_err() && cross(&table(6, 3, 5), 6, len).is_err());
        let unseen = parse("rbf(dims=[5])").unwrap();
        let upstream = Mat::<f64>::zeros(5, 5);
        let (mut params, mut values) = ([0.0], vec![0.0; size]);
        assert!(
            inputs.gram_reverse(unseen.as_ref(), upstream.as_ref(), &mut params, &mut values, &by).is_err()
        );
    }
}

#[test]
fn absurd_sizes_in_a_file_are_refused_at_once() {
    for text in [
        r#"{"count":0,"dim":9223372036854775807,"z":[],"windows":null}"#,
        r#"{"count":8589934592,"dim":0,"z":[],"windows":null}"#,
        r#"{"count":3,"dim":1,"z":[1.0,2.0],"windows":null}"#,
        r#"{"count":2,"dim":1,"z":[1.0,2.0],"windows":[1.0,-2.0]}"#,
    ] {
        assert!(serde_json::from_str::<InducingInputs>(text).is_err(), "{text}");
    }
    assert!(Registry::built_in().parse_for("rbf(ard=true)", usize::MAX).is_err());
}

fn rows(matrix: &Mat<f64>) -> Vec<f64> {
    (0..matrix.nrows()).flat_map(|i| (0..matrix.ncols()).map(move |j| matrix[(i, j)])).collect()
}

/// Requires agreement to `tolerance` of the largest entry.
fn assert_close(what: &str, found: MatRef<'_, f64>, expected: MatRef<'_, f64>, tolerance: f64) {
    let error = (found - expected).norm_max() / expected.norm_max();
    assert!(error <= tolerance, "{what}: relative error {error:.2e} above {tolerance:.0e}");
}

fn differences(at: &[f64], mut value: impl FnMut(&[f64]) -> f64) -> Vec<f64> {
    const STEP: f64 = 1e-5;
    let mut moved = at.to_vec();
    (0..at.len())
        .map(|i| {
            let mut side = |by: f64| {
                moved[i] = at[i] + by;
                let found = value(&moved);
                moved[i] = at[i];
                found
            };
            (side(STEP) - side(-STEP)) / (2.0 * STEP)
        })
        .collect()
}
