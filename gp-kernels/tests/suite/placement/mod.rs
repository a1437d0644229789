//! Properties of all placements, even for difficult data.

#![expect(
    clippy::unwrap_used,
    reason = "helpers outside of test functions unwrap what the tests make sure of"
)]

mod greedy;
mod kmeans;

use faer::{Mat, MatRef};
use gp_kernels::inducing::InducingInputs;
use gp_kernels::placement::{Greedy, KMeans, Placed, Placement, Placements, RandomSubset};
use gp_kernels::{Kernel, KernelError, gram, parse};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

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
    // Expectation 600, standard deviation 20; the seeds are fixed.
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
        // Equal `Placed` have equal numbers; none is NaN.
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
    // Squares of integers have remainders 0, 1, 3 and 4 modulo 6.
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
    // A placement of the same name is replaced.
    assert_eq!(placements.with(Box::new(FirstRows)).names().len(), 4);
}
