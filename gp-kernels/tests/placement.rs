//! Placement of inducing inputs: against brute force, against each other, and on data that are hard to place on.

use faer::{Mat, MatRef};
use gp_kernels::inducing::InducingInputs;
use gp_kernels::placement::{Greedy, KMeans, Placed, Placement, Placements, RandomSubset};
use gp_kernels::{Kernel, KernelError, cross, diagonal, gram, parse};
use gp_linalg::{Cholesky, JitterPolicy, Threading};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// N×D numbers between −1 and 1.
fn uniform(n: usize, dim: usize, seed: u64) -> Mat<f64> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    Mat::from_fn(n, dim, |_, _| rng.random_range(-1.0..1.0))
}

fn kernel(text: &str) -> Box<dyn Kernel> {
    parse(text).unwrap()
}

fn built_in() -> Vec<Box<dyn Placement>> {
    vec![Box::new(RandomSubset), Box::new(KMeans::new()), Box::new(Greedy::new())]
}

fn place(placement: &dyn Placement, x: &Mat<f64>, m: usize, seed: u64) -> Placed {
    placement.place(kernel("rbf").as_ref(), x.as_ref(), m, seed).unwrap()
}

/// The residual variances `k_ii − k_iz K_zz⁻¹ k_zi` by dense linear algebra.
fn conditional_variances(kernel: &dyn Kernel, x: MatRef<'_, f64>, z: MatRef<'_, f64>) -> Vec<f64> {
    let mut variances = diagonal(kernel, x).unwrap();
    if z.nrows() > 0 {
        let factor = Cholesky::factor(gram(kernel, z).unwrap().as_ref(), &JitterPolicy::default()).unwrap();
        let mut phi = cross(kernel, z, x).unwrap();
        factor.half_solve_in_place(phi.as_mut(), Threading::Here).unwrap();
        variances.iter_mut().enumerate().for_each(|(i, s)| *s -= phi.col(i).squared_norm_l2());
    }
    variances
}

/// The rows that greedy should choose, each from the conditional variances given all before it.
fn brute_force(kernel: &dyn Kernel, x: &Mat<f64>, m: usize) -> Vec<usize> {
    let mut rows: Vec<usize> = Vec::new();
    while rows.len() < m {
        let z = Mat::from_fn(rows.len(), x.ncols(), |i, d| x[(rows[i], d)]);
        let left = conditional_variances(kernel, x.as_ref(), z.as_ref());
        let open = (0..x.nrows()).filter(|row| !rows.contains(row));
        let best = open.reduce(|best, row| if left[row] > left[best] { row } else { best });
        rows.push(best.unwrap());
    }
    rows
}

const KERNELS: [&str; 5] = [
    "rbf(lengthscale=0.7)",
    "1.7 * matern32(lengthscale=0.5) + linear",
    "rbf(lengthscale=[0.4, 2, 1])",
    "rbf(lengthscale=0.8) + 0.1 * white",
    "polynomial(degree=3) + matern12",
];

#[test]
fn greedy_is_the_brute_force_choice() {
    for (case, text) in KERNELS.into_iter().enumerate() {
        let (kernel, x) = (kernel(text), uniform(60, 3, case as u64));
        let placed = Greedy::new().place(kernel.as_ref(), x.as_ref(), 15, 0).unwrap();
        assert_eq!(placed.rows, Some(brute_force(kernel.as_ref(), &x, 15)), "{text}");
    }
}

#[test]
fn greedy_is_the_brute_force_choice_across_blocks() {
    // More points than are worked on together.
    let (kernel, x) = (kernel("matern32(lengthscale=0.3)"), uniform(2500, 2, 8));
    let placed = Greedy::new().place(kernel.as_ref(), x.as_ref(), 12, 0).unwrap();
    assert_eq!(placed.rows, Some(brute_force(kernel.as_ref(), &x, 12)));
}

#[test]
fn greedy_reports_the_share_of_variance_left() {
    for (case, text) in KERNELS.into_iter().enumerate() {
        for m in [1, 7, 30] {
            let (kernel, x) = (kernel(text), uniform(50, 3, 10 + case as u64));
            let placed = Greedy::new().place(kernel.as_ref(), x.as_ref(), m, 0).unwrap();
            let left: f64 =
                conditional_variances(kernel.as_ref(), x.as_ref(), placed.inputs.z().as_dyn_stride())
                    .iter()
                    .sum();
            let expected = left / diagonal(kernel.as_ref(), x.as_ref()).unwrap().iter().sum::<f64>();
            // Both subtract sums of at most 30 squares from numbers near 1; K_zz has a condition below 1e6.
            assert!(
                (placed.residual.unwrap() - expected).abs() < 1e-10,
                "{text}, {m}: {placed:?} {expected}"
            );
        }
    }
}

#[test]
fn greedy_stops_when_nothing_is_left() {
    // Quadratic polynomials of two inputs have six coefficients: six points explain everything.
    let x = uniform(300, 2, 4);
    let placed = Greedy::new().place(kernel("polynomial(degree=2)").as_ref(), x.as_ref(), 50, 0).unwrap();
    assert_eq!(placed.inputs.count(), 6);
    assert!(placed.residual.unwrap() < 1e-12);
}

#[test]
fn greedy_threshold_is_a_share_of_the_prior_variance() {
    let x = uniform(400, 2, 5);
    for scale in ["1e-6", "1e6"] {
        let kernel = kernel(&format!("{scale} * rbf(lengthscale=0.5)"));
        let counts = [0.5, 1e-2, 1e-4].map(|threshold| {
            let placement = Greedy::new().with_threshold(threshold);
            let placed = placement.place(kernel.as_ref(), x.as_ref(), 400, 0).unwrap();
            let z = placed.inputs.z().as_dyn_stride();
            let prior = diagonal(kernel.as_ref(), x.as_ref()).unwrap()[0];
            let worst = conditional_variances(kernel.as_ref(), x.as_ref(), z).into_iter().fold(0.0, f64::max);
            assert!(worst <= threshold * prior * (1.0 + 1e-6), "{threshold}: {worst}");
            placed.inputs.count()
        });
        assert!(counts[0] < counts[1] && counts[1] < counts[2] && counts[2] < 400, "{counts:?}");
    }
}

#[test]
fn greedy_threshold_without_meaning_is_the_least_one() {
    let (kernel, x) = (kernel("linear"), uniform(20, 3, 1));
    for threshold in [f64::NAN, -1.0, 0.0] {
        let placed =
            Greedy::new().with_threshold(threshold).place(kernel.as_ref(), x.as_ref(), 20, 0).unwrap();
        assert_eq!(placed.inputs.count(), 3, "{threshold}");
    }
}

#[test]
fn greedy_places_one_where_there_is_no_variance() {
    let x = Mat::<f64>::zeros(5, 2);
    let placed = Greedy::new().place(kernel("linear").as_ref(), x.as_ref(), 3, 0).unwrap();
    assert_eq!((placed.rows, placed.residual), (Some(vec![0]), Some(0.0)));
}

#[test]
fn greedy_names_a_variance_beyond_the_largest_number() {
    let mut x = uniform(5, 2, 1);
    x[(3, 0)] = 1e200;
    let error = Greedy::new().place(kernel("linear").as_ref(), x.as_ref(), 3, 0).unwrap_err();
    assert!(matches!(error, KernelError::NotFinite { what: "prior variances", row: 3, .. }), "{error}");
}

/// Squared distance in units of the columns' standard deviations to the nearest of some places, and which it is.
fn nearest(point: &[f64], places: &[Vec<f64>]) -> (usize, f64) {
    let square = |place: &Vec<f64>| point.iter().zip(place).map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
    let distances = places.iter().map(square).enumerate();
    distances.reduce(|best, next| if next.1 < best.1 { next } else { best }).unwrap()
}

/// Rows in units of the standard deviations of the columns of `x`.
fn in_deviations(x: &Mat<f64>, rows: MatRef<'_, f64>) -> Vec<Vec<f64>> {
    let deviation = |d: usize| {
        let mean = x.col(d).iter().sum::<f64>() / x.nrows() as f64;
        (x.col(d).iter().map(|v| (v - mean).powi(2)).sum::<f64>() / x.nrows() as f64).sqrt()
    };
    let deviations: Vec<f64> = (0..x.ncols()).map(deviation).collect();
    (0..rows.nrows()).map(|i| (0..x.ncols()).map(|d| rows[(i, d)] / deviations[d]).collect()).collect()
}

fn inertia(x: &Mat<f64>, placed: &Placed) -> f64 {
    let (points, places) =
        (in_deviations(x, x.as_ref()), in_deviations(x, placed.inputs.z().as_dyn_stride()));
    points.iter().map(|point| nearest(point, &places).1).sum()
}

/// Data with columns of very different scale and some rows that occur several times.
fn awkward(n: usize, seed: u64) -> Mat<f64> {
    let raw = uniform(n, 3, seed);
    Mat::from_fn(n, 3, |i, d| [1e-6, 1.0, 1e9][d] * raw[(if i % 5 == 0 { i / 10 } else { i }, d)])
}

#[test]
fn kmeans_is_closer_to_the_data_than_a_random_subset() {
    for seed in 0..5 {
        let x = awkward(400, seed);
        let (kmeans, random) = (place(&KMeans::new(), &x, 30, seed), place(&RandomSubset, &x, 30, seed));
        assert_eq!((kmeans.inputs.count(), random.inputs.count()), (30, 30));
        assert!(inertia(&x, &kmeans) < 0.8 * inertia(&x, &random), "seed {seed}");
    }
}

#[test]
fn iterations_lower_the_inertia() {
    let x = awkward(600, 1);
    let inertias =
        [1, 3, 100].map(|most| inertia(&x, &place(&KMeans::new().with_iterations(most), &x, 40, 1)));
    assert!(inertias[0] > inertias[1] && inertias[1] > inertias[2], "{inertias:?}");
}

#[test]
fn centres_are_the_means_of_the_points_nearest_to_them() {
    let x = awkward(400, 3);
    let placed = place(&KMeans::new().with_iterations(1000), &x, 25, 1);
    let (points, z) = (in_deviations(&x, x.as_ref()), placed.inputs.z().as_dyn_stride());
    let places = in_deviations(&x, z);
    let mut sums = Mat::<f64>::zeros(25, 3);
    let mut sizes = vec![0.0; 25];
    for (i, point) in points.iter().enumerate() {
        let (label, _) = nearest(point, &places);
        sizes[label] += 1.0;
        (0..3).for_each(|d| sums[(label, d)] += x[(i, d)]);
    }
    for k in 0..25 {
        for d in 0..3 {
            // Rounding of sums of at most 400 numbers of the column's scale.
            let tolerance = 1e-13 * [1e-6, 1.0, 1e9][d];
            assert!((sums[(k, d)] / sizes[k] - z[(k, d)]).abs() < tolerance, "centre {k}, column {d}");
        }
    }
}

#[test]
fn kmeans_finds_clusters_that_are_far_apart() {
    // 20 clusters of radius 1e-4 at distances of at least 0.1: a centre misses one with a chance of about 1e-5.
    let places = Mat::from_fn(20, 2, |i, d| if d == 0 { (i % 5) as f64 } else { (i / 5) as f64 });
    let noise = uniform(400, 2, 2);
    let x = Mat::from_fn(400, 2, |i, d| places[(i % 20, d)] + 1e-4 * noise[(i, d)]);
    for seed in 0..10 {
        for iterations in [1, 100] {
            let placed = place(&KMeans::new().with_iterations(iterations), &x, 20, seed);
            let z = placed.inputs.z();
            let mut found: Vec<_> =
                (0..20).map(|k| (z[(k, 0)].round() as i64, z[(k, 1)].round() as i64)).collect();
            found.sort_unstable();
            found.dedup();
            assert_eq!(found.len(), 20, "seed {seed}");
        }
    }
}

#[test]
fn kmeans_of_all_points_is_all_points() {
    let x = uniform(40, 2, 6);
    let placed = place(&KMeans::new(), &x, 40, 2);
    let mut rows: Vec<[f64; 2]> = (0..40).map(|i| [x[(i, 0)], x[(i, 1)]]).collect();
    let mut z: Vec<[f64; 2]> =
        (0..40).map(|i| [placed.inputs.z()[(i, 0)], placed.inputs.z()[(i, 1)]]).collect();
    rows.sort_by(|a, b| a[0].total_cmp(&b[0]));
    z.sort_by(|a, b| a[0].total_cmp(&b[0]));
    assert_eq!(rows, z);
}

#[test]
fn kmeans_on_a_sample_still_covers_the_data() {
    let x = uniform(3000, 2, 7);
    let (all, some) = (place(&KMeans::new(), &x, 20, 1), place(&KMeans::new().with_sample(500), &x, 20, 1));
    assert_ne!(all, some);
    // 25 points a cluster: its mean is off by a fifth of the cluster's spread, which adds 1/25 to the inertia, and
    // two local minima differ by a few per cent more.
    assert!(inertia(&x, &some) < 1.15 * inertia(&x, &all));
    // The sample is never smaller than ten points a cluster.
    assert_eq!(place(&KMeans::new().with_sample(0), &x, 200, 1).inputs.count(), 200);
}

#[test]
fn kmeans_keeps_to_data_points_where_means_have_no_meaning() {
    let text = "select(rbf, dims=[0]) * select(index(levels=3), dims=[1])";
    let raw = uniform(200, 1, 3);
    let x = Mat::from_fn(200, 2, |i, d| if d == 0 { raw[(i, 0)] } else { (i % 3) as f64 });
    // Three codes in two clusters: one of the means is no code.
    let placed = KMeans::new().place(kernel(text).as_ref(), x.as_ref(), 2, 1).unwrap();
    let rows = placed.rows.unwrap();
    assert_eq!(rows.len(), 2);
    assert_eq!(Placed::at_rows(x.as_ref(), rows).unwrap().inputs, placed.inputs);
    // Enough clusters for each to have a code of its own: their means are what they would be for any kernel.
    let placed = KMeans::new().place(kernel(text).as_ref(), x.as_ref(), 9, 1).unwrap();
    assert_eq!(placed, place(&KMeans::new(), &x, 9, 1));
    assert!((0..9).all(|k| placed.inputs.z()[(k, 1)].fract() == 0.0));
}

#[test]
fn chosen_rows_are_the_inducing_inputs() {
    let x = uniform(50, 3, 5);
    for placement in [&RandomSubset as &dyn Placement, &Greedy::new()] {
        let placed = place(placement, &x, 12, 3);
        let rows = placed.rows.clone().unwrap();
        assert_eq!(rows.len(), 12);
        for (k, &row) in rows.iter().enumerate() {
            assert!((0..3).all(|d| placed.inputs.z()[(k, d)] == x[(row, d)]), "{}", placement.name());
        }
    }
}

#[test]
fn every_row_is_as_likely_as_any_other() {
    let x = Mat::from_fn(10, 1, |i, _| i as f64);
    let mut counts = [0; 10];
    for seed in 0..2000 {
        place(&RandomSubset, &x, 3, seed).rows.unwrap().iter().for_each(|&row| counts[row] += 1);
    }
    // 600 expected, standard deviation 20; the seeds are fixed.
    assert!(counts.iter().all(|count| (520..680).contains(count)), "{counts:?}");
}

#[test]
fn seeds_decide_and_nothing_else() {
    let x = uniform(3000, 4, 9);
    let run = |threads: usize, placement: &dyn Placement, seed: u64| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| place(placement, &x, 60, seed))
    };
    for placement in built_in() {
        let once = run(1, placement.as_ref(), 5);
        // Equality of `Placed` is equality of every number, none of which is NaN.
        assert_eq!(once, run(4, placement.as_ref(), 5), "{}", placement.name());
        assert_eq!(once, run(3, placement.as_ref(), 5), "{}", placement.name());
        let seed_matters = once != run(1, placement.as_ref(), 6);
        assert_eq!(seed_matters, placement.name() != "greedy", "{}", placement.name());
    }
}

#[test]
fn the_layout_of_the_data_does_not_matter() {
    let x = uniform(100, 3, 1);
    let transposed = x.transpose().to_owned();
    for placement in built_in() {
        let kernel = kernel("rbf");
        let by_rows = placement.place(kernel.as_ref(), transposed.transpose(), 9, 2).unwrap();
        assert_eq!(by_rows, place(placement.as_ref(), &x, 9, 2), "{}", placement.name());
    }
}

#[test]
fn equal_rows_are_placed_once() {
    let distinct = uniform(6, 2, 3);
    let x = Mat::from_fn(60, 2, |i, d| distinct[((i * i) % 6, d)]);
    // The squares of whole numbers leave the rests 0, 1, 3 and 4 after division by six.
    for placement in built_in() {
        for text in ["rbf", "rbf + white"] {
            let placed = placement.place(kernel(text).as_ref(), x.as_ref(), 10, 1).unwrap();
            assert_eq!(placed.inputs.count(), 4, "{} {text}", placement.name());
            assert!(gram(kernel("rbf").as_ref(), placed.inputs.z().as_dyn_stride()).is_ok());
        }
    }
}

#[test]
fn constant_columns_and_single_points_are_placed() {
    let raw = uniform(30, 1, 3);
    let constant = Mat::from_fn(30, 3, |i, d| if d == 1 { raw[(i, 0)] } else { 0.1 });
    let equal = Mat::from_fn(30, 2, |_, _| 7.3);
    let single = uniform(1, 2, 1);
    for placement in built_in() {
        let placed = place(placement.as_ref(), &constant, 5, 1);
        assert_eq!(placed.inputs.count(), 5, "{}", placement.name());
        assert!((0..5).all(|k| placed.inputs.z()[(k, 0)] == 0.1), "{}", placement.name());
        for x in [&equal, &single] {
            let placed = place(placement.as_ref(), x, 5, 1);
            assert_eq!(placed.inputs.count(), 1, "{}", placement.name());
            assert!((0..2).all(|d| placed.inputs.z()[(0, d)] == x[(0, d)]), "{}", placement.name());
        }
    }
}

#[test]
fn outliers_do_not_break_anything() {
    let mut x = uniform(100, 2, 3);
    (x[(17, 0)], x[(40, 1)], x[(41, 1)]) = (1e300, -1e308, 1e308);
    for placement in built_in() {
        let placed = place(placement.as_ref(), &x, 10, 1);
        assert!((1..=10).contains(&placed.inputs.count()), "{}", placement.name());
    }
}

#[test]
fn what_cannot_be_placed_is_an_error() {
    let x = uniform(10, 2, 1);
    let mut with_nan = x.clone();
    with_nan[(4, 1)] = f64::NAN;
    for placement in built_in() {
        let refused = |x: &Mat<f64>, m: usize, text: &str| {
            placement.place(kernel(text).as_ref(), x.as_ref(), m, 0).unwrap_err()
        };
        assert!(matches!(refused(&x, 0, "rbf"), KernelError::Placement { wanted: 0, .. }));
        assert!(matches!(refused(&Mat::zeros(0, 2), 3, "rbf"), KernelError::Placement { wanted: 3, .. }));
        assert!(matches!(refused(&Mat::zeros(3, 0), 3, "rbf"), KernelError::Placement { wanted: 3, .. }));
        assert!(matches!(refused(&with_nan, 3, "rbf"), KernelError::NotFinite { row: 4, column: 1, .. }));
        let dimensions = refused(&x, 3, "rbf(lengthscale=[1, 2, 3])");
        assert!(matches!(dimensions, KernelError::Dimensions { .. }), "{dimensions}");
    }
    let beyond = Placed::at_rows(x.as_ref(), vec![3, 10]).unwrap_err();
    assert!(beyond.to_string().contains("row 10"), "{beyond}");
}

/// A placement that another crate might bring.
#[derive(Debug)]
struct FirstRows;

impl Placement for FirstRows {
    fn name(&self) -> &str {
        "first"
    }

    fn summary(&self) -> &str {
        "the first rows of the data"
    }

    fn place(&self, _: &dyn Kernel, x: MatRef<'_, f64>, m: usize, _: u64) -> Result<Placed, KernelError> {
        let inputs = InducingInputs::points(x.subrows(0, m))?;
        Ok(Placed { inputs, rows: Some((0..m).collect()), residual: None })
    }
}

#[test]
fn other_placements_can_be_registered() {
    let placements = Placements::built_in().with(Box::new(FirstRows));
    assert_eq!(placements.names(), ["kmeans", "greedy", "random", "first"]);
    assert!(placements.iter().all(|placement| !placement.summary().is_empty()));
    let placed = place(placements.find("first").unwrap(), &uniform(5, 2, 1), 2, 0);
    assert_eq!(placed.rows, Some(vec![0, 1]));

    let error = placements.find("given").unwrap_err().to_string();
    assert_eq!(error, "unknown placement `given`; there are: kmeans, greedy, random, first");
    // A name that is there already is replaced.
    assert_eq!(placements.with(Box::new(FirstRows)).names().len(), 4);
}
