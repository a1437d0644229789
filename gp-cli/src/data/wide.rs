//! 256-bit integers of decimal columns.

/// Nearest f64; `upper` has the sign.
pub(super) fn to_f64(upper: i128, lower: u128) -> f64 {
    if upper < 0 {
        let (lower, borrowed) = (!lower).overflowing_add(1);
        return -magnitude((!upper).unsigned_abs() + u128::from(borrowed), lower);
    }
    magnitude(upper.unsigned_abs(), lower)
}

fn magnitude(upper: u128, lower: u128) -> f64 {
    upper as f64 * 2f64.powi(128) + lower as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_of_both_signs() {
        assert_eq!([to_f64(0, 5), to_f64(-1, u128::MAX - 4), to_f64(0, 0)], [5.0, -5.0, 0.0]);
        assert_eq!([to_f64(3, 0), to_f64(-3, 0)], [3.0, -3.0].map(|v| v * 2f64.powi(128)));
        assert_eq!(to_f64(-1, 0), -(2f64.powi(128)));
        assert_eq!(to_f64(i128::MIN, 0), -(2f64.powi(255)));
    }
}
