//! Greedy placement compared with brute force.

use faer::{Mat, MatRef};
use gp_kernels::placement::{Greedy, Placement};
use gp_kernels::{Kernel, KernelError, cross, diagonal, gram};
use gp_linalg::{Cholesky, JitterPolicy, Threading};

use super::{kernel, uniform};

/// `k_ii − k_iz K_zz⁻¹ k_zi` by dense algebra.
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

/// Largest conditional variances given all earlier rows.
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
fn greedy_is_the_brute_force_choice_where_most_points_lag_behind() {
    // More points than are near, and more choices than between updates of all points.
    let (kernel, x) = (kernel("matern32(lengthscale=0.3)"), uniform(1500, 2, 8));
    let placed = Greedy::new().place(kernel.as_ref(), x.as_ref(), 80, 0).unwrap();
    assert_eq!(placed.rows, Some(brute_force(kernel.as_ref(), &x, 80)));
    let left = conditional_variances(kernel.as_ref(), x.as_ref(), placed.inputs.z().as_dyn_stride());
    // Prior variances are 1. The tolerance allows rounding of 80 subtractions.
    assert!((placed.residual.unwrap() - left.iter().sum::<f64>() / 1500.0).abs() < 1e-12);
}

#[test]
fn greedy_takes_the_first_of_equals() {
    // Independent points: each residual variance is 1 until the point is chosen.
    let x = Mat::from_fn(3000, 1, |i, _| 1e3 * i as f64);
    let placed = Greedy::new().place(kernel("rbf").as_ref(), x.as_ref(), 100, 0).unwrap();
    assert_eq!(placed.rows, Some((0..100).collect()));
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
            // Both subtract sums of at most 30 squares from numbers near 1; K_zz has a condition number below
            // 1e6.
            assert!(
                (placed.residual.unwrap() - expected).abs() < 1e-10,
                "{text}, {m}: {placed:?} {expected}"
            );
        }
    }
}

#[test]
fn greedy_stops_when_nothing_is_left() {
    // Quadratic polynomials of two inputs have six coefficients, so six points explain everything.
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
