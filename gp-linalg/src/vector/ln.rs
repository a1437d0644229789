//! The natural logarithm.

use super::dispatch;
use pulp::{Simd, WithSimd};

/// Replaces every `x` by `ln x`.
///
/// Error ≤ 2 ulp for positive, even subnormal `x`; −∞ for 0, NaN for negative; +∞, NaN stay.
pub fn ln_in_place(x: &mut [f64]) {
    dispatch(Ln(x));
}

struct Ln<'a>(&'a mut [f64]);

impl WithSimd for Ln<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) {
        for value in self.0 {
            *value = ln(*value);
        }
    }
}

const TWO_54: f64 = 18_014_398_509_481_984.0;
/// Bits of 2⁵², to add an integer in the low bits.
const TWO_52_BITS: u64 = 0x4330_0000_0000_0000;
const SQRT_HALF_BITS: u64 = 0x3fe6_a09e_667f_3bcd;
const ONE_BITS: u64 = 0x3ff0_0000_0000_0000;
const MANTISSA: u64 = 0x000f_ffff_ffff_ffff;
const LN2_HIGH: f64 = 6.931_471_803_691_238e-1;
const LN2_LOW: f64 = 1.908_214_929_270_587_7e-10;
/// Remez coefficients of `(ln(1+f) − 2s) / s`, `√½ ≤ 1 + f ≤ √2`, `s = f / (2 + f)` (FreeBSD's `e_log.c`); error below
/// `2⁻⁵⁸`.
const R: [f64; 7] = [
    6.666_666_666_666_735e-1,
    3.999_999_999_940_942e-1,
    2.857_142_874_366_239e-1,
    2.222_219_843_214_978_4e-1,
    1.818_357_216_161_805e-1,
    1.531_383_769_920_937_3e-1,
    1.479_819_860_511_658_6e-1,
];

/// `ln x = k ln 2 + ln(1 + f)` with `√½ ≤ 1 + f < √2`.
#[inline(always)]
fn ln(x: f64) -> f64 {
    let subnormal = x < f64::MIN_POSITIVE;
    let normal = if subnormal { x * TWO_54 } else { x };
    // 1023 is the bias of the exponent; 54 undoes the scaling of subnormal numbers.
    let offset =
        if subnormal { 4_503_599_627_370_496.0 + 1023.0 + 54.0 } else { 4_503_599_627_370_496.0 + 1023.0 };

    let bits = normal.to_bits().wrapping_add(ONE_BITS - SQRT_HALF_BITS);
    let k = f64::from_bits((bits >> 52) | TWO_52_BITS) - offset;
    let f = f64::from_bits((bits & MANTISSA).wrapping_add(SQRT_HALF_BITS)) - 1.0;

    let s = f / (2.0 + f);
    let z = s * s;
    let w = z * z;
    let even = w.mul_add(w.mul_add(R[5], R[3]), R[1]) * w;
    let odd = w.mul_add(w.mul_add(w.mul_add(R[6], R[4]), R[2]), R[0]) * z;
    let half_f2 = 0.5 * f * f;
    let tail = s.mul_add(half_f2 + (even + odd), k * LN2_LOW);
    let finite = k.mul_add(LN2_HIGH, f - (half_f2 - tail));

    let at_zero = if x == 0.0 { f64::NEG_INFINITY } else { f64::NAN };
    let above = if x < f64::INFINITY { finite } else { x };
    if x > 0.0 { above } else { at_zero }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(x: f64) {
        let mut value = [x];
        ln_in_place(&mut value);
        let apart = value[0].to_bits().abs_diff(x.ln().to_bits());
        // +0 and −0 differ in their bits but not as logarithms.
        assert!(apart <= 2 || value[0] == x.ln(), "ln({x:e}) = {}, not {}", value[0], x.ln());
    }

    #[test]
    fn within_two_units_of_the_standard_library() {
        for i in 0..200_000 {
            let t = f64::from(i) / 200_000.0;
            check(0.4 + 2.0 * t);
            check((-708.0 + 1417.0 * t).exp());
            check(1.0 + (t - 0.5) * 1e-6);
        }
    }

    #[test]
    fn subnormal_numbers() {
        for x in [f64::MIN_POSITIVE, f64::MIN_POSITIVE / 3.0, 5e-324, 1e-310, f64::MAX] {
            check(x);
        }
    }

    #[test]
    fn edges() {
        let mut x = [0.0, -0.0, -1.0, f64::NEG_INFINITY, f64::INFINITY, f64::NAN, 1.0];
        ln_in_place(&mut x);
        assert_eq!(&x[..2], &[f64::NEG_INFINITY; 2]);
        assert!(x[2].is_nan() && x[3].is_nan() && x[5].is_nan());
        assert_eq!((x[4], x[6]), (f64::INFINITY, 0.0));
    }
}
