//! Text of numbers; check for finite numbers.

const PLAIN: std::ops::Range<f64> = 1e-5..1e16;

/// Shortest text with the same bits.
///
/// Exponents below 1e-5 and from 1e16; `inf`, `-inf`, `NaN`.
///
/// ```
/// use gp_optim::format_number;
/// assert_eq!(format_number(2.0), "2");
/// assert_eq!(format_number(0.1), "0.1");
/// assert_eq!(format_number(1e-300), "1e-300");
/// assert_eq!(format_number(-0.0).parse::<f64>().map(f64::to_bits), Ok((-0.0f64).to_bits()));
/// ```
#[must_use]
pub fn format_number(value: f64) -> String {
    let plain = value == 0.0 || !value.is_finite() || PLAIN.contains(&value.abs());
    if plain { format!("{value}") } else { format!("{value:e}") }
}

pub(crate) fn all_finite(a: &[f64]) -> bool {
    const LANES: usize = 8;
    let (lanes, rest) = a.as_chunks::<LANES>();
    // 0 · x is 0 for finite x, otherwise NaN.
    let mut sums = [0.0; LANES];
    for x in lanes {
        for lane in 0..LANES {
            sums[lane] += 0.0 * x[lane];
        }
    }
    sums.iter().all(|sum| *sum == 0.0) && rest.iter().all(|x| x.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn chooses_the_readable_form() {
        let cases: [(f64, &str); 8] = [
            (0.0, "0"),
            (-0.0, "-0"),
            (1e15, "1000000000000000"),
            (1e16, "1e16"),
            (1e-5, "0.00001"),
            (9.5e-6, "9.5e-6"),
            (f64::INFINITY, "inf"),
            (f64::MAX, "1.7976931348623157e308"),
        ];
        for (value, text) in cases {
            assert_eq!(format_number(value), text);
        }
    }

    proptest! {
        #[test]
        fn every_number_reads_back_to_the_same_bits(bits in any::<u64>()) {
            let value = f64::from_bits(bits);
            let back: f64 = format_number(value).parse().unwrap();
            prop_assert!(back.to_bits() == bits || (back.is_nan() && value.is_nan()));
        }
    }
}
