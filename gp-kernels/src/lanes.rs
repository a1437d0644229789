//! Sums over a slice in eight lanes: vectorised, and in an order that depends on nothing but the length.

/// How many partial sums run side by side.
pub const LANES: usize = 8;

/// The sum of eight lanes, always in the same order.
#[inline(always)]
pub fn total(lanes: [f64; LANES]) -> f64 {
    let [a, b, c, d, e, f, g, h] = lanes;
    ((a + b) + (c + d)) + ((e + f) + (g + h))
}

/// `Σ x_i y_i`.
#[inline(always)]
pub fn dot(x: &[f64], y: &[f64]) -> f64 {
    let ((x8, x_rest), (y8, y_rest)) = (x.as_chunks::<LANES>(), y.as_chunks::<LANES>());
    let mut lanes = [0.0; LANES];
    for (x, y) in x8.iter().zip(y8) {
        for l in 0..LANES {
            lanes[l] += x[l] * y[l];
        }
    }
    total(lanes) + x_rest.iter().zip(y_rest).map(|(x, y)| x * y).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dot_equals_the_plain_sum_for_every_remainder() {
        for len in 0..40 {
            let x: Vec<f64> = (0..len).map(f64::from).collect();
            let y: Vec<f64> = (0..len).map(|i| f64::from(i) - 3.0).collect();
            let plain: f64 = x.iter().zip(&y).map(|(x, y)| x * y).sum();
            // Whole numbers below 2^53: every order of summation gives the same bits.
            assert_eq!(dot(&x, &y), plain, "length {len}");
        }
    }
}
