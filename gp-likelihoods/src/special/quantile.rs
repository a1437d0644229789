//! Standard normal quantile: M. J. Wichura, Algorithm AS 241, routine PPND16, Applied Statistics 37 (1988);
//! relative error about 1e-16.

use crate::error::{LikelihoodError, check};

/// Numerator and denominator, lowest power first.
struct Rational {
    numerator: [f64; 8],
    denominator: [f64; 8],
}

/// Coefficients for |p − ½| ≤ 0.425, in 0.425² − (p − ½)².
const CENTRE: Rational = Rational {
    numerator: [
        3.387_132_872_796_366_5,
        133.141_667_891_784_38,
        1_971.590_950_306_551_3,
        13_731.693_765_509_46,
        45_921.953_931_549_87,
        67_265.770_927_008_7,
        33_430.575_583_588_13,
        2_509.080_928_730_122_7,
    ],
    denominator: [
        1.0,
        42.313_330_701_600_91,
        687.187_007_492_057_9,
        5_394.196_021_424_751,
        21_213.794_301_586_597,
        39_307.895_800_092_71,
        28_729.085_735_721_943,
        5_226.495_278_852_854,
    ],
};

/// Coefficients for tail probabilities ≥ exp(−25), in √(−ln p) − 1.6.
const SHOULDER: Rational = Rational {
    numerator: [
        1.423_437_110_749_683_5,
        4.630_337_846_156_546,
        5.769_497_221_460_691,
        3.647_848_324_763_204_5,
        1.270_458_252_452_368_4,
        0.241_780_725_177_450_6,
        0.022_723_844_989_269_184,
        7.745_450_142_783_414e-4,
    ],
    denominator: [
        1.0,
        2.053_191_626_637_759,
        1.676_384_830_183_803_8,
        0.689_767_334_985_1,
        0.148_103_976_427_480_08,
        0.015_198_666_563_616_457,
        5.475_938_084_995_345e-4,
        1.050_750_071_644_416_9e-9,
    ],
};

/// Coefficients for tail probabilities < exp(−25), in √(−ln p) − 5.
const TAIL: Rational = Rational {
    numerator: [
        6.657_904_643_501_103,
        5.463_784_911_164_114,
        1.784_826_539_917_291_3,
        0.296_560_571_828_504_87,
        0.026_532_189_526_576_124,
        0.001_242_660_947_388_078_4,
        2.711_555_568_743_487_6e-5,
        2.010_334_399_292_288_1e-7,
    ],
    denominator: [
        1.0,
        0.599_832_206_555_888,
        0.136_929_880_922_735_8,
        0.014_875_361_290_850_615,
        7.868_691_311_456_133e-4,
        1.846_318_317_510_054_8e-5,
        1.421_511_758_316_446e-7,
        2.044_263_103_389_939_8e-15,
    ],
};

const CENTRE_HALF_WIDTH: f64 = 0.425;

/// Number x with `Φ(x) = p`.
///
/// ```
/// use gp_likelihoods::special::standard_normal_quantile;
/// assert!((standard_normal_quantile(0.975)? - 1.959_963_984_540_054).abs() < 1e-15);
/// # Ok::<(), gp_likelihoods::LikelihoodError>(())
/// ```
///
/// # Errors
/// [`LikelihoodError::Argument`] unless p is in (0, 1).
pub fn standard_normal_quantile(p: f64) -> Result<f64, LikelihoodError> {
    check("probability", p, p > 0.0 && p < 1.0, "strictly between 0 and 1")?;
    let from_median = p - 0.5;
    if from_median.abs() <= CENTRE_HALF_WIDTH {
        let r = CENTRE_HALF_WIDTH * CENTRE_HALF_WIDTH - from_median * from_median;
        return Ok(from_median * CENTRE.at(r));
    }
    // 1 − p is exact for p above ½, so both tails have equal accuracy.
    let tail_probability = p.min(1.0 - p);
    let distance = (-tail_probability.ln()).sqrt();
    let magnitude = if distance <= 5.0 { SHOULDER.at(distance - 1.6) } else { TAIL.at(distance - 5.0) };
    Ok(magnitude.copysign(from_median))
}

impl Rational {
    fn at(&self, x: f64) -> f64 {
        let horner = |c: &[f64; 8]| c.iter().rev().fold(0.0, |sum, coefficient| sum * x + coefficient);
        horner(&self.numerator) / horner(&self.denominator)
    }
}
