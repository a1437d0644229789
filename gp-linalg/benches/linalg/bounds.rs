//! Test matrices, matrix-product rate and memory bandwidth.

use crate::report::{Bounds, Report};
use gp_linalg::faer::linalg::matmul::matmul;
use gp_linalg::faer::{Accum, Mat, Par, Scale};
use gp_linalg::product::clear_upper_vector_state;

pub(crate) fn measure(report: &mut Report<'_>) -> Bounds {
    let rates = [512, 1000].map(|n| {
        let (a, b, mut c) = (filled(n, n), filled(n, n), Mat::zeros(n, n));
        let seconds = report.time(
            &format!("bound/product {n}"),
            &mut c,
            |_| {},
            |c| {
                matmul(c.as_mut(), Accum::Replace, a.as_ref(), b.as_ref(), 1.0, Par::Seq);
                clear_upper_vector_state();
            },
        );
        2.0 * (n as f64).powi(3) / seconds
    });
    let mut array = vec![1.0_f64; 20_000_000];
    let seconds = report.time(
        "bound/memory",
        &mut array,
        |_| {},
        |array| {
            array.iter_mut().for_each(|value| *value *= 0.999_999);
        },
    );
    Bounds { product_rate: rates[0].max(rates[1]), bandwidth: 16.0 * 2e7 / seconds }
}

/// Irregular values between −½ and ½.
pub(crate) fn filled(nrows: usize, ncols: usize) -> Mat<f64> {
    Mat::from_fn(nrows, ncols, |i, j| ((i * 7919 + j * 104_729) % 1000) as f64 / 1000.0 - 0.5)
}

/// Symmetric positive definite, eigenvalues from 1 to about 2.
pub(crate) fn definite(n: usize) -> Mat<f64> {
    let x = filled(n, n);
    &x * x.transpose() * Scale(1.0 / n as f64) + Mat::<f64>::identity(n, n)
}
