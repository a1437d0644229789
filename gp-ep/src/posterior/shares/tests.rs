use super::*;
use crate::exact::{ExactGp, Observations};
use gp_kernels::posterior::{LatentFunction, LatentPosterior, LatentPrediction, MixturePosterior};
use gp_kernels::{Evaluator, Kernel, KernelError};
use gp_likelihoods::{Coregionalised, Gaussian, Likelihood, Marginal, Softmax};
use gp_linalg::Threading;

/// Posterior of a known function, without uncertainty.
#[derive(Clone, Debug)]
struct Known {
    kernel: Box<dyn Kernel>,
    f: fn(&[f64]) -> f64,
}

impl LatentPosterior for Known {
    fn describe(&self) -> LatentFunction<'_> {
        let kernel = self.kernel.as_ref();
        LatentFunction { kernel, seen_through: None, windows: None, seen_as: "nothing", jitter: 0.0 }
    }
    fn predict(&self, x: MatRef<'_, f64>, _by: &Evaluator) -> Result<LatentPrediction, KernelError> {
        let at = |i: usize| (self.f)(&x.row(i).iter().copied().collect::<Vec<f64>>());
        let mean: Vec<f64> = (0..x.nrows()).map(at).collect();
        Ok(LatentPrediction { variance: vec![0.0; mean.len()], mean })
    }
    fn predict_joint(&self, x: MatRef<'_, f64>, by: &Evaluator) -> Result<(Vec<f64>, Mat<f64>), KernelError> {
        Ok((self.predict(x, by)?.mean, Mat::zeros(x.nrows(), x.nrows())))
    }
    fn sample(
        &self,
        x: MatRef<'_, f64>,
        count: usize,
        _seed: u64,
        by: &Evaluator,
    ) -> Result<Mat<f64>, KernelError> {
        let mean = self.predict(x, by)?.mean;
        Ok(Mat::from_fn(x.nrows(), count, |i, _| mean[i]))
    }
}

fn known(
    functions: &[fn(&[f64]) -> f64],
    likelihood: Box<dyn Likelihood>,
) -> Predictor<MixturePosterior<Known>> {
    let kernel = gp_kernels::parse("rbf").unwrap();
    let parts = functions.iter().map(|&f| Known { kernel: kernel.clone(), f }).collect();
    Predictor::new(MixturePosterior::single(parts), likelihood, Threading::Here).unwrap()
}

fn gaussian() -> Box<dyn Likelihood> {
    Box::new(Gaussian::new(0.1).unwrap())
}

/// Pseudo-random values between −1 and 1.
fn uniform(rows: usize, columns: usize) -> Mat<f64> {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    Mat::from_fn(rows, columns, |_, _| 2.0 * rand::RngExt::random::<f64>(&mut rng) - 1.0)
}

/// With every value at every row nothing is random: shares equal sums over all pairs of rows.
#[test]
fn all_values_at_all_rows_are_all_pairs() {
    let f: fn(&[f64]) -> f64 = |x| x[0].exp() + 0.8 * x[0] * x[1] - (3.0 * x[1]).sin() + 0.3 * x[2];
    let (n, x) = (40, uniform(40, 3));
    let how = ShareOptions { values: n, rows: n, draws: 0, ..ShareOptions::default() };
    let found = known(&[f], gaussian()).variance_shares(x.as_ref(), &[0..1, 1..3], &how).unwrap();
    let row = |i: usize| [x[(i, 0)], x[(i, 1)], x[(i, 2)]];
    let whole = variance(&(0..n).map(|i| f(&row(i))).collect::<Vec<f64>>());
    let moved = |group: &Range<usize>, i: usize, j: usize| {
        let mut point = row(i);
        group.clone().for_each(|d| point[d] = x[(j, d)]);
        f(&point)
    };
    for (group, share) in [0..1, 1..3].iter().zip(&found[0].inputs) {
        let within = |i: usize| variance(&(0..n).map(|j| moved(group, i, j)).collect::<Vec<f64>>());
        let total = (0..n).map(within).sum::<f64>() / n as f64;
        let mean = |j: usize| (0..n).map(|i| moved(group, i, j)).sum::<f64>() / n as f64;
        let of_mean = variance(&(0..n).map(mean).collect::<Vec<f64>>());
        let alone = of_mean - (total - of_mean) / (n as f64 - 1.0);
        let mean_of_row = |i: usize| (0..n).map(|j| moved(group, i, j)).sum::<f64>() / n as f64;
        let others = variance(&(0..n).map(mean_of_row).collect::<Vec<f64>>());
        let whole = whole.max(total + others);
        assert!((share.total.value - total / whole).abs() < 1e-12);
        assert!((share.alone.value - alone / whole).abs() < 1e-12);
    }
}

/// `a x + b y + c x y` of independent inputs between −1 and 1.
#[test]
fn independent_inputs_have_the_indices_of_sobol() {
    let f: fn(&[f64]) -> f64 = |x| 2.0 * x[0] + x[1] + 3.0 * x[0] * x[1];
    let [a, b, c] = [4.0 / 3.0, 1.0 / 3.0, 9.0 / 9.0];
    let whole = a + b + c;
    let x = uniform(4_000, 3);
    let how = ShareOptions { rows: 2_048, ..ShareOptions::default() };
    let found = known(&[f], gaussian()).variance_shares(x.as_ref(), &[0..1, 1..2, 2..3], &how).unwrap();
    let [first, second, third] = found[0].inputs[..] else { panic!("three inputs") };
    // From 2048 rows the slope 2 + 3 y along x is known to 2 % (its square to 4 % of a half), and from 4000
    // rows the whole to 3 %.
    for (share, alone, total) in [(first, a, a + c), (second, b, b + c)] {
        assert!((share.alone.value - alone / whole).abs() < 0.05, "{share:?}");
        assert!((share.total.value - total / whole).abs() < 0.08, "{share:?}");
        // Draws equal the known function, and the errors of using few points cancel.
        for of in [share.alone, share.total] {
            assert_eq!((of.low, of.high), (of.value, of.value));
        }
    }
    // Tolerance: rounding of means.
    assert!(third.alone.value < 1e-12 && third.total.high < 1e-12, "{third:?}");
    assert!((found[0].deviation.powi(2) / whole - 1.0).abs() < 0.05);
}

/// The rows of numerator and denominator differ, yet the only input has all of the variance.
#[test]
fn the_only_input_has_all_of_the_variance() {
    let f: fn(&[f64]) -> f64 = |x| x[0].exp();
    let (by, x, only) = (known(&[f], gaussian()), uniform(300, 1), 0..1);
    let groups = std::slice::from_ref(&only);
    let found = by.variance_shares(x.as_ref(), groups, &ShareOptions::default()).unwrap();
    assert_eq!([found[0].inputs[0].alone, found[0].inputs[0].total], [Spanned::WHOLE; 2]);
}

/// Correlated inputs that offset each other: the function varies more with each alone than over the rows.
#[test]
fn no_share_is_above_one() {
    let noise = uniform(300, 3);
    let x = Mat::from_fn(300, 3, |i, d| noise[(i, 0)] + if d == 1 { 0.1 * noise[(i, 1)] } else { 0.0 });
    for f in [(|x| x[0] - x[1]) as fn(&[f64]) -> f64, |x| x[0] + 1e-3 * x[1], |x| (x[0] - x[1]) * x[2]] {
        let found = known(&[f], gaussian());
        let found = found.variance_shares(x.as_ref(), &[0..1, 1..2, 2..3], &ShareOptions::default()).unwrap();
        for share in found[0].inputs.iter().flat_map(|of| [of.alone, of.total]) {
            assert!(share.low >= 0.0 && share.high <= 1.0, "{share:?}");
        }
    }
}

/// A part that all classes share does not change probabilities.
#[test]
fn classes_are_about_differences() {
    let functions: [fn(&[f64]) -> f64; 3] = [|x| x[0] + 9.0 * x[1], |x| 9.0 * x[1], |x| 9.0 * x[1] - x[0]];
    let by = known(&functions, Box::new(Softmax::new(3).unwrap()));
    let found =
        by.variance_shares(uniform(500, 2).as_ref(), &[0..1, 1..2], &ShareOptions::default()).unwrap();
    assert_eq!((found.len(), found[0].latents.clone()), (1, 0..3));
    assert!((found[0].inputs[0].total.value - 1.0).abs() < 0.05);
    assert!(found[0].inputs[1].total.value < 1e-12);
}

#[test]
fn terms_add_up_and_ranges_narrow_with_data() {
    let range = |rows: usize| {
        let x = uniform(rows, 2);
        let y: Vec<f64> = (0..rows).map(|i| (3.0 * x[(i, 0)]).sin() + 0.5 * x[(i, 1)]).collect();
        let kernel = gp_kernels::parse("rbf(lengthscale=0.5) + linear").unwrap();
        let model = ExactGp::new(kernel, Gaussian::new(0.05).unwrap());
        let data = Observations::new(x.as_ref(), &y).unwrap();
        let by = model.condition(&data).unwrap().into_predictor().unwrap();
        let rows = uniform(300, 2);
        let found = by.variance_shares(rows.as_ref(), &[0..1, 1..2], &ShareOptions::default()).unwrap();
        let [of] = &found[..] else { panic!("one function") };
        assert!((of.terms.iter().sum::<f64>() - 1.0).abs() < 1e-12 && of.terms.len() == 2);
        let [first, second] = of.inputs[..] else { panic!("two inputs") };
        assert!(first.total.value > second.total.value);
        // sin² of a uniform angle between −3 and 3 has mean 0.523; x²/4 has 1/12.
        if rows.nrows() > 100 && x.nrows() >= 400 {
            assert!((first.alone.value - 0.523 / (0.523 + 1.0 / 12.0)).abs() < 0.06, "{first:?}");
            // With this many rows the draws are on both sides of the mean. With few, all of them vary more
            // than it does.
            for of in [first.alone, first.total, second.alone, second.total] {
                let (below, above) = (of.value - of.low, of.high - of.value);
                assert!(below > 0.1 * above && above > 0.1 * below, "the value is at an end of {of:?}");
            }
        }
        first.total.high - first.total.low
    };
    let (few, many) = (range(15), range(400));
    assert!(many < 0.7 * few, "{many} and {few}");
}

#[test]
fn what_cannot_be_asked() {
    let level: fn(&[f64]) -> f64 = |_| 7.0;
    let by = known(&[level], gaussian());
    let (x, how) = (uniform(10, 2), ShareOptions::default());
    let groups = |only: std::ops::Range<usize>| vec![only];
    assert_eq!(by.variance_shares(x.as_ref(), &groups(0..1), &how).unwrap(), Vec::new());
    assert!(matches!(by.variance_shares(x.as_ref(), &groups(1..3), &how), Err(InferenceError::Shape { .. })));
}

/// An output that mixes latents is analysed as one function.
#[test]
fn a_mixture_is_one_function() {
    let mixed = Coregionalised::new(2, vec![1.0, 0.0, 2.0, -3.0], vec![0.1, 0.1]).unwrap();
    let second = Marginal::new(Box::new(mixed), 1).unwrap();
    let apart = known(&[|x| x[0] * x[1], |x| x[1]], Box::new(second));
    let whole = known(&[|x| 2.0 * x[0] * x[1] - 3.0 * x[1]], gaussian());
    let (x, groups, how) = (uniform(60, 2), [0..1, 1..2], ShareOptions::default());
    let [found] = &apart.variance_shares(x.as_ref(), &groups, &how).unwrap()[..] else {
        panic!("one output")
    };
    let [expected] = &whole.variance_shares(x.as_ref(), &groups, &how).unwrap()[..] else { panic!("one") };
    assert_eq!(found.latents, 0..2);
    assert!((found.deviation - expected.deviation).abs() < 1e-14);
    for (found, expected) in found.inputs.iter().zip(&expected.inputs) {
        // Tolerance: sums in another order.
        assert!((found.alone.value - expected.alone.value).abs() < 1e-13);
        assert!((found.total.value - expected.total.value).abs() < 1e-13);
    }
    assert!((found.terms.iter().sum::<f64>() - 1.0).abs() < 1e-13);
}
