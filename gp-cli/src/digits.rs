//! Numbers as text with few digits.

/// Four significant digits; scientific if small or large.
pub(crate) fn four_digits(number: f64) -> String {
    let size = number.abs();
    if size == 0.0 {
        "0".to_owned()
    } else if (1e-3..1e6).contains(&size) {
        let places = (3 - size.log10().floor() as i32).max(0) as usize;
        format!("{number:.places$}")
    } else {
        format!("{number:.3e}")
    }
}
