//! The exponential function.

use super::dispatch;
use pulp::{Simd, WithSimd};

/// Replaces every `x` by `exp(x)`.
///
/// Error ≤ 2 ulp on [−708, 709]; 0 below −708.05, +∞ on overflow; NaN stays.
pub fn exp_in_place(x: &mut [f64]) {
    exp_scaled_in_place(x, 1.0);
}

/// Replaces every `x` by `exp(a·x)`.
///
/// Rounding of `a·x` adds relative error ≤ `|a·x|·2⁻⁵³` to [`exp_in_place`].
pub fn exp_scaled_in_place(x: &mut [f64], a: f64) {
    dispatch(ExpScaled { x, a });
}

struct ExpScaled<'a> {
    x: &'a mut [f64],
    a: f64,
}

impl WithSimd for ExpScaled<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) {
        let Self { x, a } = self;
        for value in x {
            *value = exp(a * *value);
        }
    }
}

/// Adding it rounds to an integer, in the low bits.
const ROUND: f64 = 6_755_399_441_055_744.0; // 1.5 · 2⁵²
/// `ln 2` to 32 bits: exact products with integers.
const LN2_HIGH: f64 = 6.931_471_803_691_238e-1;
const LN2_LOW: f64 = 1.908_214_929_270_587_7e-10;
/// Larger arguments overflow; results below `LOWEST` are subnormal.
const HIGHEST: f64 = 710.0;
const LOWEST: f64 = -708.5;
/// `q` in `exp(r) = 1 + r + r² q(r)`: Chebyshev fit, `|r| ≤ 0.3475`, relative error 1.7e-17.
const Q: [f64; 10] = [
    0.500_000_000_000_000_1,
    0.166_666_666_666_666_69,
    0.041_666_666_666_623_24,
    0.008_333_333_333_329_994,
    0.001_388_888_891_765_401_6,
    0.000_198_412_698_633_922_14,
    2.480_152_061_356_622_3e-5,
    2.755_726_793_523_192_6e-6,
    2.762_041_219_449_885e-7,
    2.510_063_446_187_849_8e-8,
];

/// `exp(x) = 2ⁿ exp(r)`, `n` nearest to `x / ln 2`.
#[inline(always)]
pub(super) fn exp(x: f64) -> f64 {
    // Keeps NaN, unlike `min` and `max`.
    let x = if x > HIGHEST { HIGHEST } else { x };
    let x = if x < LOWEST { LOWEST } else { x };
    let shifted = x.mul_add(std::f64::consts::LOG2_E, ROUND);
    let n = shifted - ROUND;
    let r = n.mul_add(-LN2_LOW, n.mul_add(-LN2_HIGH, x));
    let r2 = r * r;
    let value = r2.mul_add(q(r, r2), r) + 1.0;
    // 2 · 2ⁿ⁻¹, since 2¹⁰²⁴ overflows. For n = −1022, 2ⁿ⁻¹ is stored as 0, so subnormal results become 0.
    let half_power = f64::from_bits(shifted.to_bits().wrapping_add(1022) << 52);
    (value + value) * half_power
}

#[inline(always)]
fn q(r: f64, r2: f64) -> f64 {
    let r4 = r2 * r2;
    let a = Q[1].mul_add(r, Q[0]);
    let b = Q[3].mul_add(r, Q[2]);
    let c = Q[5].mul_add(r, Q[4]);
    let d = Q[7].mul_add(r, Q[6]);
    let e = Q[9].mul_add(r, Q[8]);
    let low = b.mul_add(r2, a);
    let high = d.mul_add(r2, c);
    e.mul_add(r4, high).mul_add(r4, low)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ulps(a: f64, b: f64) -> u64 {
        a.to_bits().abs_diff(b.to_bits())
    }

    #[test]
    fn within_two_units_of_the_standard_library() {
        let count = 400_001;
        let arguments: Vec<f64> =
            (0..count).map(|i| -708.0 + 1417.0 * f64::from(i) / f64::from(count - 1)).collect();
        let mut values = arguments.clone();
        exp_in_place(&mut values);
        for (x, y) in arguments.iter().zip(&values) {
            assert!(ulps(*y, x.exp()) <= 2, "exp({x}) = {y}");
        }
    }

    #[test]
    fn small_arguments_and_neighbourhoods_of_half_steps() {
        for i in -2000..2000 {
            let half_step = f64::from(i) * 0.5 * std::f64::consts::LN_2 * 0.5;
            for x in [half_step, half_step + 1e-9, half_step - 1e-9, half_step * 1e-12] {
                let mut value = [x];
                exp_in_place(&mut value);
                assert!(ulps(value[0], x.exp()) <= 2, "exp({x}) = {}", value[0]);
            }
        }
    }

    #[test]
    fn edges() {
        let mut x =
            [0.0, -0.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e300, -1e300, -745.0, 709.9, -709.0];
        exp_in_place(&mut x);
        assert_eq!(&x[..2], &[1.0, 1.0]);
        assert!(x[2].is_nan());
        assert_eq!(&x[3..], &[f64::INFINITY, 0.0, f64::INFINITY, 0.0, 0.0, f64::INFINITY, 0.0]);
        let mut largest = [709.782_712_893_384];
        exp_in_place(&mut largest);
        assert!(largest[0].is_finite() && largest[0] > 1.797e308);
    }

    #[test]
    fn the_position_in_the_slice_does_not_matter() {
        let x = -3.217;
        let mut many = [x; 37];
        exp_in_place(&mut many);
        assert!(many.iter().all(|y| y.to_bits() == exp(x).to_bits()));
    }

    #[test]
    fn scaling_is_applied_first() {
        let mut scaled = [2.0, -6.0];
        exp_scaled_in_place(&mut scaled, -0.5);
        let mut plain = [-1.0, 3.0];
        exp_in_place(&mut plain);
        assert_eq!(scaled, plain);
    }
}
