//! Temperature of class probabilities, `p_c^{1/T} / Σ_k p_k^{1/T}`, from left-out rows. Corrects over- and
//! underconfidence; predicted labels stay.

use faer::MatRef;
use serde::{Deserialize, Serialize};

/// Prior deviation of `ln T`.
const SPREAD: f64 = 0.5;
/// Largest `|ln T|`, and grid steps on each side.
const LARGEST_LOG: f64 = 3.0;
const GRID: i32 = 30;
/// Gain below which T = 1, in nats: it may be chance.
const MIN_GAIN: f64 = 0.5;
const PRECISION: f64 = 1e-6;
/// Smallest class probability, for finite logarithms.
const LEAST: f64 = f64::MIN_POSITIVE;

/// Temperature, and log losses without and with it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Temperature {
    /// T; below 1 more confident.
    pub value: f64,
    /// Weighted mean of `−ln p(label)` at T = 1, in nats.
    pub log_loss_before: f64,
    /// Weighted mean of `−ln p(label)` at T, in nats.
    pub log_loss: f64,
    /// Rows used.
    pub rows: usize,
}

impl Temperature {
    /// T that maximises the probability of N labels (class indices), with a normal prior on `ln T`; 1 if the gain may
    /// be chance; None without rows. `probabilities` (N×C): of left-out rows; NaN or unknown labels are ignored.
    #[must_use]
    pub fn of(probabilities: MatRef<'_, f64>, labels: &[usize], weights: &[f64]) -> Option<Self> {
        let rows = LogOdds::new(probabilities, labels, weights);
        if rows.weights.is_empty() {
            return None;
        }
        let total: f64 = rows.weights.iter().sum();
        let value = |log: f64| rows.loss((-log).exp()) + 0.5 * (log / SPREAD).powi(2);
        let step = LARGEST_LOG / f64::from(GRID);
        let log_at = |k: i32| step * f64::from(k);
        let best = (-GRID..=GRID).min_by(|&a, &b| value(log_at(a)).total_cmp(&value(log_at(b))))?;
        let log = least((log_at(best - 1), log_at(best + 1)), value);
        let (before, after) = (rows.loss(1.0), rows.loss((-log).exp()));
        let (log, after) = if before - after > MIN_GAIN { (log, after) } else { (0.0, before) };
        let count = rows.weights.len();
        Some(Self { value: log.exp(), log_loss_before: before / total, log_loss: after / total, rows: count })
    }
}

/// Minimiser of a unimodal function.
fn least((mut low, mut high): (f64, f64), of: impl Fn(f64) -> f64) -> f64 {
    let share = 0.5 * (5.0f64.sqrt() - 1.0);
    let inner = |low: f64, high: f64| (high - share * (high - low), low + share * (high - low));
    let (mut left, mut right) = inner(low, high);
    let (mut at_left, mut at_right) = (of(left), of(right));
    while high - low > PRECISION {
        if at_left < at_right {
            (high, right, at_right) = (right, left, at_left);
            left = inner(low, high).0;
            at_left = of(left);
        } else {
            (low, left, at_left) = (left, right, at_right);
            right = inner(low, high).1;
            at_right = of(right);
        }
    }
    0.5 * (low + high)
}

/// `p^β / Σ p^β`
pub(super) fn sharpen(probabilities: &mut [f64], sharpness: f64) {
    let largest = probabilities.iter().copied().fold(0.0, f64::max);
    probabilities.iter_mut().for_each(|p| *p = (*p / largest).powf(sharpness));
    let sum: f64 = probabilities.iter().sum();
    probabilities.iter_mut().for_each(|p| *p /= sum);
}

/// `ln Σ p^β`
pub(super) fn log_sum(probabilities: &[f64], sharpness: f64) -> f64 {
    let largest = probabilities.iter().copied().fold(LEAST, f64::max);
    sharpness * largest.ln() + probabilities.iter().map(|p| (p / largest).powf(sharpness)).sum::<f64>().ln()
}

struct LogOdds {
    classes: usize,
    /// By row.
    log_odds: Vec<f64>,
    weights: Vec<f64>,
}

impl LogOdds {
    fn new(probabilities: MatRef<'_, f64>, labels: &[usize], weights: &[f64]) -> Self {
        let classes = probabilities.ncols();
        let mut rows = Self { classes, log_odds: Vec::new(), weights: Vec::new() };
        for (i, (&label, &weight)) in labels.iter().zip(weights).enumerate().take(probabilities.nrows()) {
            let log = |c: usize| probabilities[(i, c)].max(LEAST).ln();
            if label < classes && (0..classes).all(|c| !probabilities[(i, c)].is_nan()) {
                rows.log_odds.extend((0..classes).map(|c| log(c) - log(label)));
                rows.weights.push(weight);
            }
        }
        rows
    }

    /// `Σ −w ln p(label)` at power β: `ln Σ_c exp(β (ln p_c − ln p_label))`.
    fn loss(&self, sharpness: f64) -> f64 {
        let of_row = |log_odds: &[f64]| {
            let largest = log_odds.iter().copied().fold(0.0, f64::max) * sharpness;
            largest + log_odds.iter().map(|odds| (sharpness * odds - largest).exp()).sum::<f64>().ln()
        };
        self.log_odds.chunks_exact(self.classes).zip(&self.weights).map(|(row, w)| w * of_row(row)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use faer::Mat;

    /// Labels by probabilities, then raised to a power.
    fn distorted(power: f64, copies: usize) -> (Mat<f64>, Vec<usize>) {
        let honest = [[0.7, 0.2, 0.1], [0.4, 0.5, 0.1], [0.1, 0.1, 0.8]];
        let mut rows = Vec::new();
        for p in honest {
            let mut told = p;
            sharpen(&mut told, power);
            for (label, share) in p.iter().enumerate() {
                let count = (share * 10.0).round() as usize * copies;
                rows.extend((0..count).map(|_| (told, label)));
            }
        }
        (Mat::from_fn(rows.len(), 3, |i, c| rows[i].0[c]), rows.iter().map(|row| row.1).collect())
    }

    #[test]
    fn a_distortion_is_found_and_undone() {
        for power in [0.4, 1.0, 2.5] {
            let (told, labels) = distorted(power, 400);
            let found = Temperature::of(told.as_ref(), &labels, &vec![1.0; labels.len()]).unwrap();
            // With 12,000 rows the prior moves T by less than 0.1 %.
            assert!((found.value - power).abs() < 2e-3 * power, "{power}: {found:?}");
            assert!(found.log_loss <= found.log_loss_before && found.rows == labels.len());
        }
    }

    #[test]
    fn few_rows_move_it_little_and_weights_are_copies() {
        let (told, labels) = distorted(0.4, 1);
        let ones = vec![1.0; labels.len()];
        let few = Temperature::of(told.as_ref(), &labels, &ones).unwrap();
        let (copied, same) = distorted(0.4, 3);
        let copies = Temperature::of(copied.as_ref(), &same, &vec![1.0; same.len()]).unwrap();
        let weighted = Temperature::of(told.as_ref(), &labels, &vec![3.0; labels.len()]).unwrap();
        assert!(few.value > copies.value && copies.value > 0.4, "{few:?} {copies:?}");
        assert!((weighted.value - copies.value).abs() < 1e-5);
        let one = Mat::from_fn(1, 2, |_, c| [0.999, 0.001][c]);
        let found = Temperature::of(one.as_ref(), &[1], &[1.0]).unwrap();
        assert!(found.value > 1.0 && found.value < 5.0, "{found:?}");
        let right = Temperature::of(one.as_ref(), &[0], &[1.0]).unwrap();
        assert_eq!((right.value, right.log_loss), (1.0, right.log_loss_before));
    }

    #[test]
    fn rows_that_say_nothing_do_not_count() {
        let (told, labels) = distorted(0.4, 5);
        let more = Mat::from_fn(told.nrows() + 2, 3, |i, c| match i {
            0 => f64::NAN,
            1 => [1.0, 0.0, 0.0][c],
            _ => told[(i - 2, c)],
        });
        let longer: Vec<usize> = [0, 3].into_iter().chain(labels.iter().copied()).collect();
        let found = Temperature::of(more.as_ref(), &longer, &vec![1.0; longer.len()]);
        assert_eq!(found, Temperature::of(told.as_ref(), &labels, &vec![1.0; labels.len()]));
        assert_eq!(Temperature::of(more.as_ref(), &[], &[]), None);
    }

    #[test]
    fn impossible_classes_stay_impossible() {
        let mut p = [0.0, 1e-200, 1.0 - 1e-200];
        sharpen(&mut p, 0.5);
        assert!(p[0] == 0.0 && (p[1] - 1e-100).abs() < 1e-112 && (p.iter().sum::<f64>() - 1.0).abs() < 1e-15);
        assert!((log_sum(&[0.25, 0.75], 2.0) - 0.625f64.ln()).abs() < 1e-15);
    }
}
