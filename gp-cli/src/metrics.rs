//! Scores; outputs use field names.

use crate::error::CliError;
use gp_likelihoods::special;
use serde::Serialize;

/// Levels of scored central intervals.
pub const LEVELS: [f64; 3] = [0.5, 0.8, 0.95];
/// Bins of the reliability table.
pub const BINS: usize = 10;

/// Gaussian prediction of an observation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Forecast {
    /// Mean, in target units.
    pub mean: f64,
    /// Observation variance, including noise; positive.
    pub variance: f64,
}

impl Forecast {
    /// Central interval of probability `level`.
    ///
    /// # Errors
    /// [`Numerical`](crate::ErrorKind::Numerical) unless 0 < level < 1.
    pub fn interval(&self, level: f64) -> Result<(f64, f64), CliError> {
        let half = special::standard_normal_quantile(0.5 + 0.5 * level)? * self.variance.sqrt();
        Ok((self.mean - half, self.mean + half))
    }
}

/// Intervals of one level, per observation (N).
#[derive(Clone, Debug, PartialEq)]
pub struct Interval {
    /// Lower ends.
    pub lower: Vec<f64>,
    /// Upper ends.
    pub upper: Vec<f64>,
    /// Mean predicted probability: level, or more for counts.
    pub claimed: f64,
}

impl Interval {
    /// No interval.
    pub const EMPTY: Self = Self { lower: Vec::new(), upper: Vec::new(), claimed: 0.0 };
}

/// Predictions of numbers, per observation (N).
#[derive(Clone, Debug, PartialEq)]
pub struct NumberForecasts {
    /// Means, in target units.
    pub means: Vec<f64>,
    /// Log densities; log probabilities for counts.
    pub log_densities: Vec<f64>,
    /// Central intervals of [`LEVELS`].
    pub intervals: [Interval; LEVELS.len()],
}

/// Predicted distribution function at an observation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Standing {
    /// P(smaller value).
    pub below: f64,
    /// P(at most this value); above `below` for counts.
    pub up_to: f64,
}

impl Standing {
    /// Share below a quantile: 0 or 1; fractional for counts, for calibrated averages.
    #[must_use]
    pub fn share_below(&self, level: f64) -> f64 {
        let Self { below, up_to } = *self;
        if level >= up_to {
            1.0
        } else if level <= below {
            0.0
        } else {
            (level - below) / (up_to - below)
        }
    }
}

/// Share of observations below a level's quantile; the level if calibrated. Non-randomised mean probability
/// integral transform (Czado, Gneiting and Held, 2009).
#[must_use]
pub fn share_below(standings: &[Standing], level: f64) -> f64 {
    mean(standings.iter().map(|standing| standing.share_below(level)))
}

/// Scores of predicted numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct NumberScores {
    /// Root mean squared error, in target units.
    pub rmse: f64,
    /// Mean absolute error, in target units.
    pub mae: f64,
    /// Mean squared error over observation variance.
    pub smse: f64,
    /// Mean negative log density (counts: probability), in nats.
    pub nlpd: f64,
    /// `nlpd` less that of the constant prediction.
    pub msll: f64,
    /// Share of observations inside intervals; ideally `claimed`.
    pub coverage: [f64; LEVELS.len()],
    /// Nominal coverage: level, or more for counts.
    pub claimed: [f64; LEVELS.len()],
    /// Mean interval width, in target units.
    pub width: [f64; LEVELS.len()],
}

impl NumberScores {
    /// For non-empty `targets`; `trivial` is the constant prediction.
    #[must_use]
    pub fn of(targets: &[f64], forecasts: &NumberForecasts, trivial: &NumberForecasts) -> Self {
        let errors: Vec<f64> =
            targets.iter().zip(&forecasts.means).map(|(target, mean)| target - mean).collect();
        let centre = mean(targets.iter().copied());
        let mse = mean(errors.iter().map(|error| error * error));
        let loss = |of: &NumberForecasts| -mean(of.log_densities.iter().copied());
        let coverage = |Interval { lower, upper, .. }: &Interval| {
            let inside = targets.iter().zip(lower.iter().zip(upper)).map(|(y, (lo, hi))| lo <= y && y <= hi);
            mean(inside.map(|inside| f64::from(u8::from(inside))))
        };
        let width =
            |Interval { lower, upper, .. }: &Interval| mean(upper.iter().zip(lower).map(|(hi, lo)| hi - lo));
        Self {
            rmse: mse.sqrt(),
            mae: mean(errors.iter().map(|error| error.abs())),
            smse: mse / mean(targets.iter().map(|target| (target - centre).powi(2))),
            nlpd: loss(forecasts),
            msll: loss(forecasts) - loss(trivial),
            coverage: forecasts.intervals.each_ref().map(coverage),
            claimed: forecasts.intervals.each_ref().map(|interval| interval.claimed),
            width: forecasts.intervals.each_ref().map(width),
        }
    }
}

impl NumberScores {
    /// Scores compared over folds.
    #[must_use]
    pub fn named(&self) -> Vec<(&'static str, f64)> {
        vec![("rmse", self.rmse), ("mae", self.mae), ("nlpd", self.nlpd)]
    }
}

/// Scores of class probabilities.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ClassScores {
    /// Share of misclassified rows.
    pub error: f64,
    /// Mean negative log probability, in nats.
    pub log_loss: f64,
    /// Squared distance to labels, summed over classes, row mean.
    pub brier: f64,
    /// Expected calibration error: row mean of |accuracy − confidence|.
    pub ece: f64,
    /// Counts by true (rows) and predicted (columns) label.
    pub confusion: Vec<Vec<u64>>,
    /// [`BINS`] bins by confidence.
    pub reliability: Vec<ReliabilityBin>,
}

/// Predictions by confidence, in [`BINS`] equal parts of [0, 1].
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct ReliabilityBin {
    /// Number of rows.
    pub count: u64,
    /// Mean predicted probability.
    pub confidence: f64,
    /// Share of correct predictions.
    pub accuracy: f64,
}

impl ClassScores {
    /// Scores compared over folds.
    #[must_use]
    pub fn named(&self) -> Vec<(&'static str, f64)> {
        vec![("error", self.error), ("log_loss", self.log_loss), ("brier", self.brier), ("ece", self.ece)]
    }

    /// From probabilities (N×C) and class numbers.
    #[must_use]
    pub fn of(labels: &[usize], probabilities: &[Vec<f64>]) -> Self {
        let classes = probabilities.first().map_or(0, Vec::len);
        let mut confusion = vec![vec![0u64; classes]; classes];
        let mut bins = [ReliabilityBin::default(); BINS];
        let (mut brier, mut log_density, mut wrong) = (0.0, 0.0, 0.0);
        for (&label, p) in labels.iter().zip(probabilities) {
            let predicted = crate::predict::most_probable(p);
            confusion[label][predicted] += 1;
            wrong += f64::from(u8::from(predicted != label));
            log_density += p[label].max(f64::MIN_POSITIVE).ln();
            brier +=
                p.iter().enumerate().map(|(c, p)| (p - f64::from(u8::from(c == label))).powi(2)).sum::<f64>();
            let bin = &mut bins[((p[predicted] * BINS as f64) as usize).min(BINS - 1)];
            bin.count += 1;
            bin.confidence += p[predicted];
            bin.accuracy += f64::from(u8::from(predicted == label));
        }
        let count = labels.len() as f64;
        let ece = bins.iter().map(|bin| (bin.accuracy - bin.confidence).abs()).sum::<f64>() / count;
        let reliability = bins.map(ReliabilityBin::averaged).to_vec();
        let (error, log_loss, brier) = (wrong / count, -log_density / count, brier / count);
        Self { error, log_loss, brier, ece, confusion, reliability }
    }
}

impl ReliabilityBin {
    fn averaged(self) -> Self {
        let count = self.count.max(1) as f64;
        Self { count: self.count, confidence: self.confidence / count, accuracy: self.accuracy / count }
    }
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (mut sum, mut count) = (0.0, 0.0);
    for value in values {
        sum += value;
        count += 1.0;
    }
    sum / count
}

#[cfg(test)]
mod tests {
    use super::*;

    fn alike(deviation: f64, log_densities: [f64; 2]) -> NumberForecasts {
        let forecast = Forecast { mean: 0.0, variance: deviation * deviation };
        let intervals = LEVELS.map(|level| {
            let (lower, upper) = forecast.interval(level).unwrap();
            Interval { lower: vec![lower; 2], upper: vec![upper; 2], claimed: level }
        });
        NumberForecasts { means: vec![0.0; 2], log_densities: log_densities.to_vec(), intervals }
    }

    #[test]
    fn scores_of_two_numbers() {
        // 1 is inside the 50 % interval ±1.349, 3 inside the 95 % interval ±3.92 but not the 80 % one ±2.563.
        let (forecasts, trivial) = (alike(2.0, [-1.5, -2.5]), alike(2.0, [-3.0, -4.0]));
        let scores = NumberScores::of(&[1.0, 3.0], &forecasts, &trivial);
        assert_eq!(scores.coverage, [0.5, 0.5, 1.0]);
        assert_eq!(scores.claimed, LEVELS);
        assert!((scores.rmse - 5f64.sqrt()).abs() < 1e-15);
        assert_eq!((scores.mae, scores.smse), (2.0, 5.0));
        assert_eq!((scores.nlpd, scores.msll), (2.0, -1.5));
        // Twice the 97.5 % quantile, times the standard deviation.
        assert!((scores.width[2] - 2.0 * 1.959_963_984_540_054 * 2.0).abs() < 1e-12);
    }

    #[test]
    fn an_interval_of_no_level_is_refused() {
        let refused = Forecast { mean: 0.0, variance: 1.0 }.interval(1.0).unwrap_err();
        assert_eq!(refused.kind(), crate::ErrorKind::Numerical);
    }

    #[test]
    fn counts_lie_below_a_quantile_in_part() {
        let standing = Standing { below: 0.2, up_to: 0.6 };
        let shares = [0.1, 0.3, 0.6, 0.9].map(|level| standing.share_below(level));
        assert!(
            shares
                .iter()
                .zip([0.0, 0.25, 1.0, 1.0])
                .all(|(found, expected)| (found - expected).abs() < 1e-15)
        );
        // Counts 0 and 1 occur as often as predicted, ¼ and ¾: each share equals its level.
        let low = Standing { below: 0.0, up_to: 0.25 };
        let high = Standing { below: 0.25, up_to: 1.0 };
        for level in [0.1, 0.25, 0.5, 0.9] {
            assert!((share_below(&[low, high, high, high], level) - level).abs() < 1e-15);
        }
        let continuous = Standing { below: 0.4, up_to: 0.4 };
        assert_eq!([0.3, 0.4].map(|level| continuous.share_below(level)), [0.0, 1.0]);
    }

    #[test]
    fn scores_of_three_labels() {
        let probabilities = [vec![0.75, 0.25], vec![0.75, 0.25], vec![0.05, 0.95]];
        let scores = ClassScores::of(&[0, 1, 1], &probabilities);
        assert!((scores.error - 1.0 / 3.0).abs() < 1e-15);
        let log = 0.75f64.ln() + 0.25f64.ln() + 0.95f64.ln();
        assert!((scores.log_loss + log / 3.0).abs() < 1e-15);
        // 2 (1 − p)² per row.
        let brier = 2.0 * (0.25f64.powi(2) + 0.75f64.powi(2) + 0.05f64.powi(2)) / 3.0;
        assert!((scores.brier - brier).abs() < 1e-15);
        assert_eq!(scores.confusion, [[1, 0], [1, 1]]);
        assert_eq!((scores.reliability[7].count, scores.reliability[7].accuracy), (2, 0.5));
        // |1 − 1.5| in one bin, |1 − 0.95| in another.
        assert!((scores.ece - (0.5 + 0.05) / 3.0).abs() < 1e-15);
    }
}
