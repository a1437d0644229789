//! Differences between our numbers and published ones.

use super::{Published, Summary};

/// Agreement limit, in standard errors.
pub(super) const AGREE: f64 = 2.0;

/// Minimum splits for a standard error.
pub(super) const SPLITS: usize = 3;

/// Our mean minus the paper's, in standard errors; None below `SPLITS`. Without published error, our
/// single-run deviation counts.
pub(super) fn apart(ours: Summary, paper: Published) -> Option<f64> {
    let own = ours.error.filter(|_| ours.count >= SPLITS)?.powi(2);
    let variance = own + paper.error.map_or(own * ours.count as f64, |error| error.powi(2));
    (variance > 0.0).then(|| (ours.mean - paper.value) / variance.sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_in_errors_of_both() {
        let ours = Summary { mean: 0.55, error: Some(0.03), count: 5 };
        let paper = Published { value: 0.5, error: Some(0.04) };
        assert!((apart(ours, paper).unwrap() - 1.0).abs() < 1e-12);
        let alone = Published { error: None, ..paper };
        assert!((apart(ours, alone).unwrap() - 0.05 / (0.03 * 6.0f64.sqrt())).abs() < 1e-12);
        assert_eq!(apart(Summary { count: 2, ..ours }, paper), None);
        assert_eq!(apart(Summary { error: None, ..ours }, paper), None);
        assert_eq!(apart(Summary { error: Some(0.0), ..ours }, alone), None);
    }
}
