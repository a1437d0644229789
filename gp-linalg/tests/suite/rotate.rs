//! Extensions, updates and downdates against new factors.
#![expect(clippy::unwrap_used, reason = "a call that fails is a test that fails")]

use crate::common::{
    Framed, LAYOUTS, max_abs, max_difference, naive_product, rng, same_bits, uniform, well_conditioned,
};
use gp_linalg::faer::diag::Diag;
use gp_linalg::faer::linalg::cholesky::llt::update::rank_r_update_clobber;
use gp_linalg::faer::{Mat, MatRef};
use gp_linalg::rotate::{self, RotationScratch};
use gp_linalg::{Cholesky, JitterPolicy, LinalgError, Threading};
use proptest::prelude::{ProptestConfig, proptest};
use rand::RngExt as _;

fn factor(a: &Mat<f64>) -> Cholesky {
    Cholesky::factor(a.as_ref(), &JitterPolicy::none()).unwrap()
}

fn gram_of(w: MatRef<'_, f64>) -> Mat<f64> {
    naive_product(w, w.transpose(), 1.0)
}

fn half_solved(cholesky: &Cholesky, c: &Mat<f64>) -> Mat<f64> {
    let mut x = c.clone();
    cholesky.half_solve_in_place(x.as_mut(), Threading::Here).unwrap();
    x
}

/// n·ε·cond, condition numbers below 10².
fn tolerance(dim: usize) -> f64 {
    1e-13 * (dim as f64 + 1.0)
}

const DIMENSIONS: [usize; 8] = [0, 1, 2, 7, 16, 33, 100, 300];

#[test]
fn update_and_downdate_agree_with_fresh_factors() {
    let mut scratch = RotationScratch::new();
    for (case, dim) in DIMENSIONS.into_iter().enumerate() {
        for rank in [0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 19] {
            for (columns, layout) in [(0, 0), (1, 1), (5, 2), (70, 3), (131, case % 4)] {
                let (a, c) = (well_conditioned(dim, 1), uniform(dim, columns, 2));
                // Scaled so that A + W Wᵀ stays well conditioned.
                let w = uniform(dim, rank, 3)
                    * gp_linalg::faer::Scale(1.0 / (dim.max(rank) as f64).max(1.0).sqrt());
                let (small, large) = (factor(&a), factor(&(&a + gram_of(w.as_ref()))));
                let (x_small, x_large) = (half_solved(&small, &c), half_solved(&large, &c));

                let mut cholesky = small.clone();
                let mut x = Framed::new(x_small.as_ref(), LAYOUTS[layout]);
                cholesky.update(w.as_ref(), x.as_mut(), &mut scratch, Threading::Pool).unwrap();
                assert!(max_difference(cholesky.l(), large.l()) < tolerance(dim), "update {dim} {rank}");
                assert!(max_difference(x.values().as_ref(), x_large.as_ref()) < tolerance(dim));

                cholesky.downdate(w.as_ref(), x.as_mut(), &mut scratch, Threading::Pool).unwrap();
                assert!(max_difference(cholesky.l(), small.l()) < tolerance(dim), "downdate {dim} {rank}");
                assert!(max_difference(x.values().as_ref(), x_small.as_ref()) < tolerance(dim));
                assert!(x.frame_is_intact());
                assert!(is_a_factor(&cholesky));
            }
        }
    }
}

fn is_a_factor(cholesky: &Cholesky) -> bool {
    let l = cholesky.l();
    (0..cholesky.dim()).all(|j| l[(j, j)] > 0.0 && (0..j).all(|i| l[(i, j)] == 0.0))
}

#[test]
fn update_agrees_with_faer() {
    for (dim, rank) in [(5, 1), (60, 3), (200, 11)] {
        let (a, w) = (well_conditioned(dim, 4), uniform(dim, rank, 5));
        let mut ours = factor(&a);
        let mut theirs = ours.l().to_owned();
        let mut nothing = rotate::nothing(dim);
        ours.update(w.as_ref(), nothing.as_mut(), &mut RotationScratch::new(), Threading::Here).unwrap();
        let (mut w, mut alpha) = (w, Diag::<f64>::zeros(rank));
        alpha.as_mut().column_vector_mut().fill(1.0);
        rank_r_update_clobber(theirs.as_mut(), w.as_mut(), alpha.as_mut()).unwrap();
        assert!(max_difference(ours.l(), theirs.as_ref()) < tolerance(dim));
    }
}

#[test]
fn a_downdate_too_far_changes_nothing() {
    for rank in [1, 3, 12] {
        let a = well_conditioned(40, 6);
        let mut cholesky = factor(&a);
        let before = cholesky.clone();
        let x = uniform(40, 9, 7);
        let mut dragged = x.clone();
        // The last direction removes more than the matrix has along it: wᵀA⁻¹w = 1.0001².
        let mut w = uniform(40, rank, 8) * gp_linalg::faer::Scale(1e-3);
        let mut column = Mat::from_fn(40, 1, |i, _| w[(i, rank - 1)]);
        cholesky.half_solve_in_place(column.as_mut(), Threading::Here).unwrap();
        let scale = 1.0001 / column.norm_l2();
        for i in 0..40 {
            w[(i, rank - 1)] *= scale;
        }
        let mut scratch = RotationScratch::new();
        let outcome = cholesky.downdate(w.as_ref(), dragged.as_mut(), &mut scratch, Threading::Here);
        assert_eq!(outcome, Err(LinalgError::DowndateBreakdown { pivot: rank - 1, rank }));
        assert!(same_bits(cholesky.l(), before.l()) && same_bits(dragged.as_ref(), x.as_ref()));
        // The scratch memory is still usable.
        let mild = uniform(40, 2, 9) * gp_linalg::faer::Scale(0.01);
        cholesky.downdate(mild.as_ref(), dragged.as_mut(), &mut scratch, Threading::Here).unwrap();
        let fresh = factor(&(&a - gram_of(mild.as_ref())));
        assert!(max_difference(cholesky.l(), fresh.l()) < tolerance(40));
    }
}

#[test]
fn bad_directions_change_nothing() {
    let a = well_conditioned(6, 10);
    let mut cholesky = factor(&a);
    let before = cholesky.clone();
    let x = uniform(6, 2, 11);
    let mut dragged = x.clone();
    let mut scratch = RotationScratch::new();
    let mut w = uniform(6, 3, 12);
    w[(4, 2)] = f64::NAN;
    let here = Threading::Here;
    let outcome = cholesky.update(w.as_ref(), dragged.as_mut(), &mut scratch, here);
    assert!(matches!(outcome, Err(LinalgError::NotFinite { what: "w", row: 4, column: 2, .. })));
    assert!(cholesky.downdate(w.as_ref(), dragged.as_mut(), &mut scratch, here).is_err());
    let short = uniform(5, 1, 13);
    assert!(cholesky.update(short.as_ref(), dragged.as_mut(), &mut scratch, here).is_err());
    assert!(cholesky.downdate(short.as_ref(), dragged.as_mut(), &mut scratch, here).is_err());
    let w = uniform(6, 1, 14);
    assert!(cholesky.update(w.as_ref(), rotate::nothing(5).as_mut(), &mut scratch, here).is_err());
    // Far beyond the range in which squares are finite.
    let huge = Mat::full(6, 1, 1e200);
    assert!(cholesky.downdate(huge.as_ref(), dragged.as_mut(), &mut scratch, here).is_err());
    assert!(same_bits(cholesky.l(), before.l()) && same_bits(dragged.as_ref(), x.as_ref()));
    cholesky.update(huge.as_ref(), dragged.as_mut(), &mut scratch, here).unwrap();
    assert!((cholesky.l()[(0, 0)] / 1e200 - 1.0).abs() < 1e-15);
}

#[test]
fn extending_agrees_with_factoring() {
    for dim in [1, 2, 17, 64, 65, 200] {
        let a = well_conditioned(dim, 15);
        let fresh = factor(&a);
        for step in [1, 3, 16, 70] {
            let mut cholesky = Cholesky::empty();
            let mut done = 0;
            while done < dim {
                let k = step.min(dim - done);
                let (b, c) = (a.submatrix(0, done, done, k), a.submatrix(done, done, k, k));
                cholesky.extend(b, c).unwrap();
                done += k;
            }
            assert!(max_difference(cholesky.l(), fresh.l()) < tolerance(dim), "{dim} by {step}");
            assert!(is_a_factor(&cholesky));
        }
    }
}

#[test]
fn extension_does_not_move_within_capacity_and_fails_without_a_trace() {
    let a = well_conditioned(30, 16);
    let mut cholesky = Cholesky::with_capacity(30);
    cholesky.refactor(a.submatrix(0, 0, 20, 20), &JitterPolicy::none()).unwrap();
    let before = cholesky.clone();
    let place = cholesky.l().as_ptr();
    let (b, c) = (a.submatrix(0, 20, 20, 10), a.submatrix(20, 20, 10, 10));

    let mut bad = c.to_owned();
    bad[(7, 7)] = 1e-3;
    let outcome = cholesky.extend(b, bad.as_ref());
    assert_eq!(outcome, Err(LinalgError::ExtendBreakdown { dim: 20, pivot: 7 }));
    bad[(3, 2)] = f64::NAN;
    let outcome = cholesky.extend(b, bad.as_ref());
    assert!(matches!(outcome, Err(LinalgError::NotFinite { what: "c", row: 3, column: 2, .. })));
    assert!(cholesky.extend(b.transpose(), c).is_err() && cholesky.extend(b, b).is_err());
    // A repeated row: its pivot is rounding noise, even if positive.
    let repeated = Mat::from_fn(20, 1, |i, _| a[(i, 4)]);
    for wiggle in [0.0, 2e-16, 4e-16, 8e-16] {
        let corner = Mat::full(1, 1, a[(4, 4)] + wiggle);
        assert!(cholesky.extend(repeated.as_ref(), corner.as_ref()).is_err());
    }
    assert!(same_bits(cholesky.l(), before.l()));

    cholesky.extend(b, c).unwrap();
    assert_eq!(cholesky.l().as_ptr(), place);
    assert!(max_difference(cholesky.l(), factor(&a).l()) < tolerance(30));
    cholesky.truncate(20);
    assert!(same_bits(cholesky.l(), before.l()));
    cholesky.extend(b, c).unwrap();
    assert!(is_a_factor(&cholesky));
    cholesky.extend(Mat::<f64>::zeros(30, 1).as_ref(), Mat::full(1, 1, 4.0).as_ref()).unwrap();
    assert_eq!((cholesky.dim(), cholesky.capacity(), cholesky.l()[(30, 30)]), (31, 60, 2.0));
}

#[test]
fn long_chains_stay_accurate() {
    const LARGEST: usize = 24;
    let mut rng = rng(17);
    let mut a = Mat::<f64>::zeros(0, 0);
    let mut cholesky = Cholesky::with_capacity(LARGEST);
    let mut scratch = RotationScratch::new();
    // Added directions that have not been removed.
    let mut pending: Vec<Mat<f64>> = Vec::new();
    for step in 0..10_000 {
        let dim = a.nrows();
        match rng.random_range(0..4) {
            0 if dim < LARGEST => {
                let b = Mat::from_fn(dim, 1, |_, _| rng.random_range(-0.2..0.2));
                let c = Mat::full(1, 1, 3.0);
                cholesky.extend(b.as_ref(), c.as_ref()).unwrap();
                a = Mat::from_fn(dim + 1, dim + 1, |i, j| match (i == dim, j == dim) {
                    (false, false) => a[(i, j)],
                    (true, true) => 3.0,
                    _ => b[(i.min(j), 0)],
                });
            }
            1 => {
                let w = Mat::from_fn(dim, rng.random_range(1..4), |_, _| rng.random_range(-0.5..0.5));
                rotate_chain(&mut cholesky, &mut a, &w, 1.0, &mut scratch);
                pending.push(w);
            }
            2 if !pending.is_empty() => {
                let w = pending.swap_remove(rng.random_range(0..pending.len()));
                // Later appended rows do not contain this direction.
                let w = Mat::from_fn(dim, w.ncols(), |i, j| if i < w.nrows() { w[(i, j)] } else { 0.0 });
                rotate_chain(&mut cholesky, &mut a, &w, -1.0, &mut scratch);
            }
            3 if dim == LARGEST && step % 7 == 0 => {
                let kept = dim / 2;
                cholesky.truncate(kept);
                a = a.submatrix(0, 0, kept, kept).to_owned();
                pending = pending.iter().map(|w| w.subrows(0, kept.min(w.nrows())).to_owned()).collect();
            }
            _ => {}
        }
    }
    let residual = naive_product(cholesky.l(), cholesky.l().transpose(), 1.0) - &a;
    // 10⁴ steps with errors of some ε ‖A‖ add at worst linearly: 10⁴ · 10 ε ‖A‖.
    assert!(max_abs(residual.as_ref()) < 1e5 * f64::EPSILON * max_abs(a.as_ref()));
    assert!(is_a_factor(&cholesky));
}

fn rotate_chain(
    cholesky: &mut Cholesky,
    a: &mut Mat<f64>,
    w: &Mat<f64>,
    sign: f64,
    scratch: &mut RotationScratch,
) {
    let mut nothing = rotate::nothing(w.nrows());
    let outcome = if sign > 0.0 {
        cholesky.update(w.as_ref(), nothing.as_mut(), scratch, Threading::Here)
    } else {
        cholesky.downdate(w.as_ref(), nothing.as_mut(), scratch, Threading::Here)
    };
    outcome.unwrap();
    *a += gram_of(w.as_ref()) * gp_linalg::faer::Scale(sign);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    /// L'L'ᵀ = LLᵀ + WWᵀ and L'X' = LX; removing W restores both.
    #[test]
    fn updates_keep_the_product_and_come_back(
        dim in 1_usize..60, rank in 1_usize..12, columns in 0_usize..40, seed in 0_u64..1000, exponent in -6.0_f64..1.0,
    ) {
        let (a, x0) = (well_conditioned(dim, seed), uniform(dim, columns, seed + 1));
        let w = uniform(dim, rank, seed + 2) * gp_linalg::faer::Scale(10f64.powf(exponent));
        let mut cholesky = factor(&a);
        let start = cholesky.clone();
        let c = naive_product(start.l(), x0.as_ref(), 1.0);
        let mut x = x0.clone();
        let mut scratch = RotationScratch::new();
        cholesky.update(w.as_ref(), x.as_mut(), &mut scratch, Threading::Here).unwrap();
        let scale = 1.0 + max_abs(gram_of(w.as_ref()).as_ref());
        let product = gram_of(cholesky.l());
        assert!(max_difference(product.as_ref(), (&a + gram_of(w.as_ref())).as_ref()) < scale * tolerance(dim));
        let dragged = naive_product(cholesky.l(), x.as_ref(), 1.0);
        assert!(max_difference(dragged.as_ref(), c.as_ref()) < scale * tolerance(dim));
        // Removing W loses as many digits as adding it hid.
        cholesky.downdate(w.as_ref(), x.as_mut(), &mut scratch, Threading::Here).unwrap();
        assert!(max_difference(cholesky.l(), start.l()) < scale * scale * tolerance(dim));
        assert!(max_difference(x.as_ref(), x0.as_ref()) < scale * scale * tolerance(dim));
    }

    #[test]
    fn extensions_compose(dim in 0_usize..40, first in 0_usize..20, second in 0_usize..20, seed in 0_u64..1000) {
        let total = dim + first + second;
        let a = well_conditioned(total, seed);
        let mut cholesky = factor(&a.submatrix(0, 0, dim, dim).to_owned());
        for (done, k) in [(dim, first), (dim + first, second)] {
            cholesky.extend(a.submatrix(0, done, done, k), a.submatrix(done, done, k, k)).unwrap();
        }
        assert!(max_difference(cholesky.l(), factor(&a).l()) < tolerance(total));
    }
}

#[test]
fn rotations_may_be_applied_by_others() {
    let mut scratch = RotationScratch::new();
    for rank in [1, 5, 8, 10, 19] {
        let (dim, columns) = (33, 3);
        let (a, c, w) = (well_conditioned(dim, 1), uniform(dim, columns, 2), uniform(dim, rank, 3));
        let mut cholesky = factor(&a);
        let mut dragged = half_solved(&cholesky, &c);
        let mut by_hand = dragged.clone();
        cholesky.update(w.as_ref(), dragged.as_mut(), &mut scratch, Threading::Here).unwrap();
        let mut directions = 0;
        for (count, rotations) in scratch.groups() {
            assert!(count <= rotate::MAX_GROUP && rotations.len() == dim * count);
            directions += count;
            for j in 0..columns {
                let mut carried = vec![0.0; count];
                for (i, rotations) in rotations.chunks_exact(count).enumerate() {
                    for (t, [cosine, sine]) in carried.iter_mut().zip(rotations) {
                        let x = by_hand[(i, j)];
                        by_hand[(i, j)] = cosine * x + sine * *t;
                        *t = cosine * *t - sine * x;
                    }
                }
            }
        }
        assert_eq!(directions, rank);
        assert!(max_difference(by_hand.as_ref(), dragged.as_ref()) < tolerance(dim), "rank {rank}");
    }
}
