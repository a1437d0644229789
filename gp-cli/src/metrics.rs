//! How good predictions are.

use crate::error::CliError;
use gp_likelihoods::{Gaussian, special};

/// The central intervals whose coverage is counted.
pub const LEVELS: [f64; 3] = [0.5, 0.8, 0.95];

/// A Gaussian prediction of one observation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Forecast {
    /// The centre of the prediction, in the units of the target.
    pub mean: f64,
    /// Its variance, positive: of the observation, noise included.
    pub variance: f64,
}

impl Forecast {
    /// The interval around the mean that holds the observation with probability `level`, between 0 and 1.
    ///
    /// # Errors
    /// Of kind [`Numerical`](crate::ErrorKind::Numerical) for a level outside (0, 1).
    pub fn interval(&self, level: f64) -> Result<(f64, f64), CliError> {
        let half = special::standard_normal_quantile(0.5 + 0.5 * level)? * self.variance.sqrt();
        Ok((self.mean - half, self.mean + half))
    }
}

/// Scores of predictions on observations they have not seen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scores {
    /// Root of the mean squared error, in the units of the target.
    pub rmse: f64,
    /// Mean negative log predictive density, in nats; lower is better.
    pub nlpd: f64,
    /// The share of observations inside each central interval of [`LEVELS`]; good if it is the level itself.
    pub coverage: [f64; LEVELS.len()],
}

impl Scores {
    /// Scores of one forecast per target; neither may be empty.
    ///
    /// # Errors
    /// Of kind [`Numerical`](crate::ErrorKind::Numerical) for a forecast without variance.
    pub fn of(targets: &[f64], forecasts: &[Forecast]) -> Result<Self, CliError> {
        let count = targets.len() as f64;
        let (mut squares, mut log_density, mut inside) = (0.0, 0.0, [0.0; LEVELS.len()]);
        for (&target, forecast) in targets.iter().zip(forecasts) {
            squares += (target - forecast.mean).powi(2);
            log_density += Gaussian::new(forecast.variance)?.log_density(target, forecast.mean).value;
            for (inside, level) in inside.iter_mut().zip(LEVELS) {
                let (lower, upper) = forecast.interval(level)?;
                *inside += f64::from(u8::from((lower..=upper).contains(&target)));
            }
        }
        let coverage = inside.map(|inside| inside / count);
        Ok(Self { rmse: (squares / count).sqrt(), nlpd: -log_density / count, coverage })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_of_two_observations() {
        let forecasts = [Forecast { mean: 0.0, variance: 4.0 }; 2];
        // 1 is inside the 50 % interval ±1.349, 3 inside the 95 % interval ±3.92 but not the 80 % one ±2.563.
        let scores = Scores::of(&[1.0, 3.0], &forecasts).unwrap();
        assert_eq!(scores.coverage, [0.5, 0.5, 1.0]);
        assert!((scores.rmse - 5f64.sqrt()).abs() < 1e-15);
        let expected = 0.5 * (std::f64::consts::TAU * 4.0).ln() + 5.0 / 8.0;
        assert!((scores.nlpd - expected).abs() < 1e-15);
    }

    #[test]
    fn a_forecast_without_variance_is_refused() {
        let certain = [Forecast { mean: 0.0, variance: 0.0 }];
        let refused = Scores::of(&[0.0], &certain).unwrap_err();
        assert_eq!(refused.kind(), crate::ErrorKind::Numerical);
        assert!(certain[0].interval(1.0).is_err());
    }
}
