use super::*;
use crate::exact::{ExactGp, Observations};
use gp_kernels::posterior::{LatentFunction, LatentPosterior, LatentPrediction, MixturePosterior};
use gp_kernels::{Evaluator, Kernel, KernelError};
use gp_likelihoods::{Coregionalised, Gaussian, Likelihood, Marginal, Softmax};
use gp_linalg::Threading;

#[derive(Clone, Debug)]
struct Known {
    kernel: Box<dyn Kernel>,
    f: fn(&[f64]) -> f64,
}

impl LatentPosterior for Known {
    fn describe(&self) -> LatentFunction<'_> {
        let kernel = self.kernel.as_ref();
        LatentFunction { kernel, represented_by: None, windows: None, points_name: "nothing", jitter: 0.0 }
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

fn uniform(rows: usize, columns: usize) -> Mat<f64> {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    Mat::from_fn(rows, columns, |_, _| 2.0 * rand::RngExt::random::<f64>(&mut rng) - 1.0)
}

fn normal(rows: usize, columns: usize) -> Mat<f64> {
    let u = uniform(rows, 2 * columns);
    let open = |i: usize, d: usize| (0.5 + 0.5 * u[(i, d)]).max(1e-12);
    Mat::from_fn(rows, columns, |i, d| {
        (-2.0 * open(i, 2 * d).ln()).sqrt() * (std::f64::consts::PI * u[(i, 2 * d + 1)]).cos()
    })
}

fn unbiased(values: &[f64]) -> f64 {
    variance(values) * values.len() as f64 / (values.len() as f64 - 1.0)
}

#[test]
fn all_values_at_all_rows_are_all_pairs() {
    let f: fn(&[f64]) -> f64 = |x| x[0].exp() + 0.8 * x[0] * x[1] - (3.0 * x[1]).sin() + 0.3 * x[2];
    let (n, x) = (24, uniform(24, 3));
    let how = ShareOptions { points: n * n, points_of_draws: n * n, ..ShareOptions::default() };
    let found = known(&[f], gaussian()).variance_shares(x.as_ref(), &[0..1, 1..3], &how).unwrap();
    let row = |i: usize| [x[(i, 0)], x[(i, 1)], x[(i, 2)]];
    let at_rows = unbiased(&(0..n).map(|i| f(&row(i))).collect::<Vec<f64>>());
    let apart = |places: &[usize]| (0..places.len()).all(|i| !places[..i].contains(&places[i]));
    let mean = |sums: (f64, f64)| sums.0 / sums.1;
    for (group, share) in [0..1, 1..3].iter().zip(&found[0].inputs) {
        let moved = |i: usize, j: usize| {
            let mut point = row(i);
            group.clone().for_each(|d| point[d] = x[(j, d)]);
            f(&point)
        };
        let table = Mat::from_fn(n, n, moved);
        let (mut total, mut same, mut other) = ((0.0, 0.0), (0.0, 0.0), (0.0, 0.0));
        let add = |to: &mut (f64, f64), value: f64| *to = (to.0 + value, to.1 + 1.0);
        for (r, s) in (0..n * n).map(|i| (i / n, i % n)).filter(|(r, s)| r != s) {
            add(&mut total, 0.5 * (table[(r, r)] - table[(r, s)]).powi(2));
            for q in (0..n).filter(|q| apart(&[r, s, *q])) {
                add(&mut same, table[(r, s)] * table[(q, s)]);
                for t in (0..n).filter(|t| apart(&[r, s, q, *t])) {
                    add(&mut other, table[(r, s)] * table[(q, t)]);
                }
            }
        }
        // The inputs are not correlated.
        let whole = at_rows;
        let (alone, total) = ((mean(same) - mean(other)) / whole, mean(total) / whole);
        assert!((share.total.value - total).abs() < 1e-12, "{share:?}, not {total}");
        assert!((share.alone.value - alone).abs() < 1e-12, "{share:?}, not {alone}");
        for of in [share.alone, share.total] {
            assert_eq!((of.low, of.high), (of.value, of.value));
        }
    }
}

/// `a x + b y + c x y` of independent inputs between −1 and 1.
#[test]
fn independent_inputs_have_the_indices_of_sobol() {
    let f: fn(&[f64]) -> f64 = |x| 2.0 * x[0] + x[1] + 3.0 * x[0] * x[1];
    let [a, b, c] = [4.0 / 3.0, 1.0 / 3.0, 9.0 / 9.0];
    let whole = a + b + c;
    let x = uniform(4_000, 3);
    let how = ShareOptions { points: 32_768, ..ShareOptions::default() };
    let found = known(&[f], gaussian()).variance_shares(x.as_ref(), &[0..1, 1..2, 2..3], &how).unwrap();
    let [first, second, third] = found[0].inputs[..] else { panic!("three inputs") };
    // Tolerance: 4000 rows determine the whole to 3 %.
    for (share, alone, total) in [(first, a, a + c), (second, b, b + c)] {
        assert!((share.alone.value - alone / whole).abs() < 0.04, "{share:?}");
        assert!((share.total.value - total / whole).abs() < 0.04, "{share:?}");
        for of in [share.alone, share.total] {
            assert!(of.low < of.value && of.value < of.high && of.high - of.low < 0.1, "{share:?}");
        }
    }
    // Tolerance: rounding of means.
    assert!(third.alone.value < 1e-12 && third.total.high < 1e-12, "{third:?}");
    assert!((found[0].deviation.powi(2) / whole - 1.0).abs() < 0.05);
    let recombined = found[0].recombined.unwrap();
    assert!((recombined.variance - 1.0).abs() < 0.05 && !recombined.correlated, "{recombined:?}");
    assert!((recombined.interactions - c / whole).abs() < 0.04, "{recombined:?}");
}

/// Few rows have most variance; functions are additive.
#[test]
fn tails_count() {
    type Effect = fn(f64) -> f64;
    let functions: [[Effect; 2]; 4] = [
        [f64::exp, |_| 0.0],
        [f64::exp, |b| 2.0 * b.exp()],
        [|a| a * a, |b| b],
        [|a| (2.0 * a).exp(), |b| 3.0 * (2.0 * b).exp()],
    ];
    let wholes: [fn(&[f64]) -> f64; 4] = [
        |x| x[0].exp(),
        |x| x[0].exp() + 2.0 * x[1].exp(),
        |x| x[0] * x[0] + x[1],
        |x| (2.0 * x[0]).exp() + 3.0 * (2.0 * x[1]).exp(),
    ];
    for (rows, points) in [(900, 8_192), (150, 8_192), (900, 3_600)] {
        let x = normal(rows, 2);
        let how = ShareOptions { points, ..ShareOptions::default() };
        for (parts, f) in functions.iter().zip(wholes) {
            let found = known(&[f], gaussian()).variance_shares(x.as_ref(), &[0..1, 1..2], &how).unwrap();
            let column = |of: &dyn Fn(usize) -> f64| variance(&(0..rows).map(of).collect::<Vec<f64>>());
            let whole = column(&|i| f(&[x[(i, 0)], x[(i, 1)]]));
            for ((d, part), share) in parts.iter().enumerate().zip(&found[0].inputs) {
                let own = column(&|i| part(x[(i, d)])) / whole;
                let of = share.total;
                // Tolerance: four standard deviations. Blocks of b values determine a variance of n rows to
                // √(2/(n (b − 1))), here 1.7 to 2.7 %.
                let error = (2.0 / (rows as f64 * (points as f64 / rows as f64 - 1.0))).sqrt();
                let words = format!("{rows} rows, {points} points: {of:?}, not {own}");
                assert!((of.value - own).abs() <= 4.0 * error * own + 1e-12, "{words}");
                assert!((share.alone.value - of.value).abs() < 1e-9, "{share:?}");
                assert!(of.low - 0.02 <= own && own <= of.high + 0.02, "{words}");
            }
            let recombined = found[0].recombined.unwrap();
            assert!(!recombined.correlated && recombined.interactions < 1e-9, "{recombined:?}");
        }
    }
}

/// By ranks; for a square, distances from the middle.
#[test]
fn only_correlated_inputs_are_called_so() {
    let noise = uniform(300, 3);
    let said = |second: fn(f64, f64) -> f64, f: fn(&[f64]) -> f64| {
        let x = Mat::from_fn(300, 2, |i, d| [noise[(i, 0)], second(noise[(i, 0)], noise[(i, 1)])][d]);
        let found = known(&[f], gaussian());
        let found = found.variance_shares(x.as_ref(), &[0..1, 1..2], &ShareOptions::default()).unwrap();
        found[0].recombined.unwrap()
    };
    let same = said(|a, b| a + 0.1 * b, |x| x[0] + x[1]);
    assert!(same.correlated && (same.variance - 0.5).abs() < 0.05, "{same:?}");
    let square = said(|a, b| a * a + 0.1 * b, |x| x[0] * x[0] + x[1]);
    assert!(square.correlated && square.variance < 0.7, "{square:?}");
    let offset = said(|a, b| a + 0.1 * b, |x| x[0] - x[1]);
    assert!(offset.correlated && offset.variance > 10.0, "{offset:?}");
    let apart = said(|_, b| b, |x| x[0] + x[1]);
    assert!(!apart.correlated && (apart.variance - 1.0).abs() < 0.1, "{apart:?}");
    // The correlated input has no influence.
    assert!(!said(|a, b| a + 0.1 * b, |x| x[0]).correlated);
}

#[test]
fn the_only_input_has_all_of_the_variance() {
    let f: fn(&[f64]) -> f64 = |x| x[0].exp();
    let (by, x, only) = (known(&[f], gaussian()), uniform(300, 1), 0..1);
    let groups = std::slice::from_ref(&only);
    let found = by.variance_shares(x.as_ref(), groups, &ShareOptions::default()).unwrap();
    assert_eq!([found[0].inputs[0].alone, found[0].inputs[0].total], [Spanned::WHOLE; 2]);
}

/// Inputs that offset each other: each alone moves the function more than the rows do.
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

/// A common part changes no probabilities.
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
            // With many rows the draws are on both sides of the mean; with few, all vary more than it does.
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
