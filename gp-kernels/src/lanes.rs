//! Sums in eight vectorised lanes, in fixed order.

use gp_linalg::vector::dispatch;
use pulp::{Simd, WithSimd};

pub(crate) const LANES: usize = 8;

#[inline(always)]
pub(crate) fn total(lanes: [f64; LANES]) -> f64 {
    let [a, b, c, d, e, f, g, h] = lanes;
    ((a + b) + (c + d)) + ((e + f) + (g + h))
}

#[inline(always)]
pub(crate) fn sum(x: &[f64]) -> f64 {
    let (x8, rest) = x.as_chunks::<LANES>();
    let mut lanes = [0.0; LANES];
    for x in x8 {
        for l in 0..LANES {
            lanes[l] += x[l];
        }
    }
    total(lanes) + rest.iter().sum::<f64>()
}

#[inline(always)]
pub(crate) fn dot(x: &[f64], y: &[f64]) -> f64 {
    let ((x8, x_rest), (y8, y_rest)) = (x.as_chunks::<LANES>(), y.as_chunks::<LANES>());
    let mut lanes = [0.0; LANES];
    for (x, y) in x8.iter().zip(y8) {
        for l in 0..LANES {
            lanes[l] += x[l] * y[l];
        }
    }
    total(lanes) + x_rest.iter().zip(y_rest).map(|(x, y)| x * y).sum::<f64>()
}

/// `values ← factor · values ∘ weights`; returns the old `Σ values ∘ weights`.
pub(crate) fn weigh(values: &mut [f64], weights: &[f64], factor: f64) -> f64 {
    dispatch(Weigh { values, weights, factor })
}

struct Weigh<'a> {
    values: &'a mut [f64],
    weights: &'a [f64],
    factor: f64,
}

impl WithSimd for Weigh<'_> {
    type Output = f64;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> f64 {
        let (values8, values_rest) = self.values.as_chunks_mut::<LANES>();
        let (weights8, weights_rest) = self.weights.as_chunks::<LANES>();
        let mut lanes = [0.0; LANES];
        for (value, weight) in values8.iter_mut().zip(weights8) {
            let weighted: [f64; LANES] = std::array::from_fn(|l| value[l] * weight[l]);
            for l in 0..LANES {
                lanes[l] += weighted[l];
            }
            for l in 0..LANES {
                value[l] = self.factor * weighted[l];
            }
        }
        let mut sum = total(lanes);
        for (value, weight) in values_rest.iter_mut().zip(weights_rest) {
            let weighted = *value * weight;
            sum += weighted;
            *value = self.factor * weighted;
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weighing_scales_and_sums_for_every_remainder() {
        for len in 0..40 {
            let weights: Vec<f64> = (0..len).map(|i| f64::from(i) - 3.0).collect();
            let mut values: Vec<f64> = (0..len).map(f64::from).collect();
            let plain: f64 = values.iter().zip(&weights).map(|(x, y)| x * y).sum();
            assert_eq!(weigh(&mut values, &weights, 2.0), plain, "length {len}");
            let expected: Vec<f64> = (0..len).map(|i| 2.0 * f64::from(i) * (f64::from(i) - 3.0)).collect();
            assert_eq!(values, expected, "length {len}");
        }
    }

    #[test]
    fn dot_equals_the_plain_sum_for_every_remainder() {
        for len in 0..40 {
            let x: Vec<f64> = (0..len).map(f64::from).collect();
            let y: Vec<f64> = (0..len).map(|i| f64::from(i) - 3.0).collect();
            let plain: f64 = x.iter().zip(&y).map(|(x, y)| x * y).sum();
            // Integers below 2^53: any order of summation gives the same bits.
            assert_eq!(dot(&x, &y), plain, "length {len}");
        }
    }
}
