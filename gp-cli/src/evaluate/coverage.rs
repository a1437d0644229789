//! Coverage of intervals.

use crate::left_out::listed;
use crate::metrics::{LEVELS, NumberScores};
use gp_likelihoods::special::incomplete_beta;

/// Gaussian tail probability beyond three standard errors.
const CHANCE: f64 = 1.35e-3;

pub(super) fn remarks_where(rows: usize, scores: &NumberScores, was_seen: bool) -> Vec<String> {
    let [narrow, wide] = off_by_more_than_chance(rows, scores);
    [narrow, wide.filter(|_| !was_seen)].into_iter().flatten().collect()
}

/// Remarks on coverage that differs by more than chance; `rows` are independent.
pub(crate) fn remarks(rows: usize, scores: &NumberScores) -> Vec<String> {
    off_by_more_than_chance(rows, scores).into_iter().flatten().collect()
}

fn off_by_more_than_chance(rows: usize, scores: &NumberScores) -> [Option<String>; 2] {
    let (mut narrow, mut wide) = (Vec::new(), Vec::new());
    for (place, level) in LEVELS.into_iter().enumerate() {
        let (claimed, coverage) = (scores.claimed[place], scores.coverage[place]);
        let inside = (coverage * rows as f64).round();
        // Intervals of counts end at integers, so their probability exceeds the level.
        let claims = match 100.0 * (claimed - level).abs() {
            more if more < 1.0 => String::new(),
            _ => format!(" ({:.0} % under the model, because counts are whole)", 100.0 * claimed),
        };
        let cover = format!("{:.0} % intervals{claims} cover {:.0} %", 100.0 * level, 100.0 * coverage);
        if at_most(inside, rows as f64, claimed) < CHANCE {
            narrow.push(cover);
        } else if at_least(inside, rows as f64, claimed) < CHANCE {
            wide.push(cover);
        }
    }
    let remark = |(off, what): (Vec<String>, &str)| {
        (!off.is_empty()).then(|| format!("{} of {rows} rows: they are too {what}", listed(&off)))
    };
    [(narrow, "narrow"), (wide, "wide")].map(remark)
}

fn at_most(k: f64, n: f64, p: f64) -> f64 {
    if k >= n { 1.0 } else { incomplete_beta(n - k, k + 1.0, (1.0 - p).clamp(0.0, 1.0)) }
}

fn at_least(k: f64, n: f64, p: f64) -> f64 {
    at_most(n - k, n, 1.0 - p)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tails_are_those_of_the_binomial_distribution() {
        let term = |k: u32, n: u32, p: f64| {
            let ways: f64 = (0..k).map(|i| f64::from(n - i) / f64::from(i + 1)).product();
            ways * p.powi(k as i32) * (1.0 - p).powi((n - k) as i32)
        };
        for (k, n, p) in [(0, 5, 0.95), (3, 5, 0.95), (20, 37, 0.8), (5, 5, 0.5)] {
            let below: f64 = (0..=k).map(|k| term(k, n, p)).sum();
            let above: f64 = (k..=n).map(|k| term(k, n, p)).sum();
            assert!((at_most(f64::from(k), f64::from(n), p) - below).abs() < 1e-12);
            assert!((at_least(f64::from(k), f64::from(n), p) - above).abs() < 1e-12);
        }
    }

    #[test]
    fn only_more_than_chance_is_remarked() {
        let of = |coverage: [f64; 3]| NumberScores { coverage, claimed: LEVELS, ..NumberScores::default() };
        assert_eq!(remarks(400, &of([0.52, 0.77, 0.94])), [""; 0]);
        assert_eq!(
            remarks(400, &of([0.5, 0.8, 0.82])),
            ["95 % intervals cover 82 % of 400 rows: they are too narrow"]
        );
        assert_eq!(
            remarks(400, &of([0.62, 0.95, 0.95])),
            ["50 % intervals cover 62 % and 80 % intervals cover 95 % of 400 rows: they are too wide"]
        );
        assert_eq!(
            remarks(400, &of([0.22, 0.37, 0.5])),
            [
                "50 % intervals cover 22 %, 80 % intervals cover 37 % and 95 % intervals cover 50 % of 400 rows: they are too narrow"
            ]
        );
        let counts = NumberScores { claimed: [0.79, 0.8, 0.95], ..of([0.56, 0.8, 0.95]) };
        let remark = "50 % intervals (79 % under the model, because counts are whole) cover 56 % of 400 rows: they are too narrow";
        assert_eq!(remarks(400, &counts), [remark]);
        // Five rows are too few for a remark.
        assert_eq!(remarks(5, &of([0.4, 0.6, 0.8])), [""; 0]);
    }
}
