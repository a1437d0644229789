//! Growth exponents.

/// Log-log least-squares slope of the upper half; None if too few.
pub(super) fn slope(points: &[(f64, f64)]) -> Option<f64> {
    let upper = &points[first_of_upper(points.len())?..];
    let logs: Vec<(f64, f64)> = upper.iter().map(|(x, y)| (x.ln(), y.ln())).collect();
    let count = logs.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| logs.iter().map(of).sum::<f64>() / count;
    let (x_mean, y_mean) = (mean(|point| point.0), mean(|point| point.1));
    let together: f64 = logs.iter().map(|(x, y)| (x - x_mean) * (y - y_mean)).sum();
    let spread: f64 = logs.iter().map(|(x, _)| (x - x_mean).powi(2)).sum();
    Some(together / spread)
}

pub(super) fn first_of_upper(count: usize) -> Option<usize> {
    Some((count / 2).min(count.checked_sub(2)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_power_has_its_exponent_as_slope() {
        let cubes: Vec<(f64, f64)> = [1.0, 2.0, 5.0, 20.0].map(|x: f64| (x, 0.1 * x.powi(3))).into();
        assert!((slope(&cubes).unwrap() - 3.0).abs() < 1e-12);
        assert!(slope(&[(1.0, 4.0), (10.0, 4.0)]).unwrap().abs() < 1e-12);
        assert_eq!(slope(&cubes[..1]), None);
    }

    #[test]
    fn the_lower_half_does_not_count() {
        let points = [(1.0, 7.0), (2.0, 7.0), (4.0, 4.0), (8.0, 8.0), (16.0, 16.0)];
        assert!((slope(&points).unwrap() - 1.0).abs() < 1e-12);
        assert_eq!([0, 1, 2, 3, 4, 6].map(first_of_upper), [None, None, Some(0), Some(1), Some(2), Some(3)]);
    }

    /// Base-2 logarithms (0, 0), (1, 2), (2, 1): slope (0·(−1) + 1·1) / 2.
    #[test]
    fn scattered_points_have_the_slope_of_least_squares() {
        let scattered = [(0.1, 1.0), (0.2, 1.0), (1.0, 1.0), (2.0, 4.0), (4.0, 2.0)];
        assert!((slope(&scattered).unwrap() - 0.5).abs() < 1e-12);
    }
}
