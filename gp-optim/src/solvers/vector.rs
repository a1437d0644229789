//! Sums and norms in a fixed order.

pub(super) use crate::number::all_finite;

/// Overlapping partial sums; determines the bits.
const LANES: usize = 8;

pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let (a_lanes, a_rest) = a.as_chunks::<LANES>();
    let (b_lanes, b_rest) = b.as_chunks::<LANES>();
    let mut sums = [0.0; LANES];
    for (x, y) in a_lanes.iter().zip(b_lanes) {
        for lane in 0..LANES {
            sums[lane] += x[lane] * y[lane];
        }
    }
    let rest: f64 = a_rest.iter().zip(b_rest).map(|(x, y)| x * y).sum();
    sums.iter().sum::<f64>() + rest
}

/// `√(aᵀa)`, without intermediate overflow.
pub(super) fn norm(a: &[f64]) -> f64 {
    let squares = dot(a, a);
    if squares.is_normal() {
        return squares.sqrt();
    }
    let largest = max_norm(a);
    if largest == 0.0 || !largest.is_finite() {
        return largest;
    }
    largest * a.iter().map(|x| (x / largest).powi(2)).sum::<f64>().sqrt()
}

/// `max |aᵢ|`; 0 if empty, NaN with NaN.
pub(super) fn max_norm(a: &[f64]) -> f64 {
    a.iter().fold(0.0, |most: f64, x| if x.abs() <= most || most.is_nan() { most } else { x.abs() })
}

/// `sum ← sum + x`; `true` if all entries are finite.
pub(super) fn add_to(sum: &mut [f64], x: &[f64]) -> bool {
    let (sum_lanes, sum_rest) = sum.as_chunks_mut::<LANES>();
    let (x_lanes, x_rest) = x.as_chunks::<LANES>();
    let mut zeros = [0.0; LANES];
    for (sum, x) in sum_lanes.iter_mut().zip(x_lanes) {
        for lane in 0..LANES {
            sum[lane] += x[lane];
            zeros[lane] += 0.0 * sum[lane];
        }
    }
    sum_rest.iter_mut().zip(x_rest).for_each(|(sum, x)| *sum += x);
    zeros.iter().all(|zero| *zero == 0.0) && sum_rest.iter().all(|x| x.is_finite())
}

pub(super) fn add_scaled(y: &mut [f64], scale: f64, x: &[f64]) {
    y.iter_mut().zip(x).for_each(|(y, x)| *y += scale * x);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dot_products_of_any_length() {
        for n in 0..40 {
            let a: Vec<f64> = (0..n).map(f64::from).collect();
            let expected: i32 = (0..n).map(|i| i * i).sum();
            assert_eq!(dot(&a, &a), f64::from(expected));
        }
    }

    #[test]
    fn a_single_entry_that_is_not_finite_is_found_anywhere() {
        for n in 0..20 {
            let finite = vec![-f64::MAX; n];
            assert!(all_finite(&finite));
            let mut sum = vec![f64::MAX; n];
            assert!(add_to(&mut sum, &finite) && sum.iter().all(|x| *x == 0.0));
            for at in 0..n {
                for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
                    let mut entries = finite.clone();
                    entries[at] = bad;
                    assert!(!all_finite(&entries), "{bad} at {at} of {n}");
                    assert!(!add_to(&mut vec![1.0; n], &entries), "{bad} at {at} of {n}");
                }
            }
        }
    }

    #[test]
    fn norms_survive_the_ends_of_the_range() {
        assert_eq!(norm(&[3.0, 4.0]), 5.0);
        assert_eq!(norm(&[3e-200, 4e-200]), 5e-200);
        assert_eq!(norm(&[0.0, 0.0]), 0.0);
        assert_eq!(norm(&[f64::INFINITY]), f64::INFINITY);
        // Scaling by the largest entry adds one rounding.
        assert!((norm(&[3e200, 4e200]) / 5e200 - 1.0).abs() <= 2.0 * f64::EPSILON);
        assert!(max_norm(&[1.0, f64::NAN, 2.0]).is_nan());
        assert_eq!(max_norm(&[1.0, -3.0]), 3.0);
    }
}
