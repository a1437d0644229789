//! Parsing of text cells.

const MISSING: [&str; 11] = ["", "na", "n/a", "#n/a", "nan", "-nan", "null", "none", "nil", "?", "."];

pub(super) fn is_missing(cell: &str) -> bool {
    cell.len() <= 4 && MISSING.iter().any(|word| word.eq_ignore_ascii_case(cell))
}

pub(super) fn number(cell: &str) -> Option<f64> {
    cell.parse().ok().filter(|value: &f64| value.is_finite())
}

/// `true` or `false`, any case, as 1 or 0.
pub(super) fn flag(cell: &str) -> Option<f64> {
    let is = |word: &str| cell.eq_ignore_ascii_case(word);
    if is("true") {
        Some(1.0)
    } else if is("false") {
        Some(0.0)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_for_nothing() {
        assert!(["", "NA", "NaN", "null", "None", "?"].iter().all(|cell| is_missing(cell)));
        assert!(!["0", "nano", "Inf", "no"].iter().any(|cell| is_missing(cell)));
        assert_eq!((number("inf"), number("1e999"), number("+1e3")), (None, None, Some(1000.0)));
    }
}
