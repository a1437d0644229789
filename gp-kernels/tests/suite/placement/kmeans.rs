//! Clusters compared with random subsets.

use faer::{Mat, MatRef};
use gp_kernels::placement::{KMeans, Placed, Placement, RandomSubset};

use super::{kernel, place, uniform};

/// Index and squared distance of the nearest of `places`.
fn nearest(point: &[f64], places: &[Vec<f64>]) -> (usize, f64) {
    let square = |place: &Vec<f64>| point.iter().zip(place).map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
    let distances = places.iter().map(square).enumerate();
    distances.reduce(|best, next| if next.1 < best.1 { next } else { best }).unwrap()
}

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

/// Columns of different scales, some duplicate rows.
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
    let mut sizes = [0.0; 25];
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
    // 20 clusters of radius 1e-4, at least 0.1 apart: a centre misses one with probability about 1e-5.
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
    // 25 points per cluster: the error of a mean is a fifth of the cluster's spread and adds 1/25 to the
    // inertia. Two local minima differ by a few per cent more.
    assert!(inertia(&x, &some) < 1.15 * inertia(&x, &all));
    // A sample has at least ten points per cluster.
    assert_eq!(place(&KMeans::new().with_sample(0), &x, 200, 1).inputs.count(), 200);
}

#[test]
fn kmeans_keeps_to_data_points_where_means_have_no_meaning() {
    let text = "select(rbf, dims=[0]) * select(index(levels=3), dims=[1])";
    let raw = uniform(200, 1, 3);
    let x = Mat::from_fn(200, 2, |i, d| if d == 0 { raw[(i, 0)] } else { (i % 3) as f64 });
    // Three codes in two clusters: one mean is no code.
    let placed = KMeans::new().place(kernel(text).as_ref(), x.as_ref(), 2, 1).unwrap();
    let rows = placed.rows.unwrap();
    assert_eq!(rows.len(), 2);
    assert_eq!(Placed::at_rows(x.as_ref(), rows).unwrap().inputs, placed.inputs);
    // Enough clusters for each to hold a single code: means are valid codes.
    let placed = KMeans::new().place(kernel(text).as_ref(), x.as_ref(), 9, 1).unwrap();
    assert_eq!(placed, place(&KMeans::new(), &x, 9, 1));
    assert!((0..9).all(|k| placed.inputs.z()[(k, 1)].fract() == 0.0));
}

#[test]
fn clusters_are_those_of_the_centres() {
    let x = awkward(400, 2);
    let (count, kmeans) = (12, KMeans::new().with_iterations(1000));
    let labels = kmeans.clusters(kernel("rbf").as_ref(), x.as_ref(), count, 7).unwrap();
    let placed = place(&kmeans, &x, count, 7);
    let (points, centres) =
        (in_deviations(&x, x.as_ref()), in_deviations(&x, placed.inputs.z().as_dyn_stride()));
    assert_eq!(centres.len(), count);
    for (i, point) in points.iter().enumerate() {
        let (same, _) =
            nearest(&points[labels.iter().position(|&label| label == labels[i]).unwrap()], &centres);
        assert_eq!(nearest(point, &centres).0, same, "row {i} and the first of its cluster");
        assert!(points[..i].iter().zip(&labels).all(|(other, label)| other != point || *label == labels[i]));
    }
    let mut used = labels;
    used.sort_unstable();
    used.dedup();
    assert_eq!(used, (0..count).collect::<Vec<_>>());
}
