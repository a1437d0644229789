//! Constant prediction from training targets.

use crate::error::CliError;
use crate::metrics::{Interval, LEVELS, NumberForecasts};
use gp_likelihoods::{
    Beta, Dispersion, Gamma, Gaussian, Latent, Likelihood, Link, NegativeBinomial, Poisson, Support,
    Workspace, dispersion,
};

#[derive(Debug)]
pub(super) struct Constant {
    name: &'static str,
    mean: f64,
    /// Likelihood with this distribution at latent value `latent`.
    likelihood: Box<dyn Likelihood>,
    latent: f64,
}

impl Constant {
    /// By moments of training targets: Poisson for counts (negative binomial if overdispersed and in the likelihood),
    /// gamma for positive numbers, beta for proportions, otherwise Gaussian. Impossible moments are an error.
    pub(super) fn beside(model: &dyn Likelihood, mean: f64, variance: f64) -> Result<Self, CliError> {
        let square = (mean / variance.sqrt()).powi(2);
        let more_than_poisson = variance > mean && dispersion(model) == Some(Dispersion::More);
        let of =
            |name, likelihood: Box<dyn Likelihood>, latent: f64| Ok(Self { name, mean, likelihood, latent });
        match model.support() {
            Support::Counts if more_than_poisson => {
                let shape = mean * (mean / (variance - mean));
                of("negative binomial distribution", NegativeBinomial::new(shape)?.into(), log(mean))
            }
            Support::Counts => of("Poisson distribution", Poisson::new(0.0)?.into(), log(mean)),
            Support::Positive => of("gamma distribution", Gamma::new(square)?.into(), log(mean)),
            Support::UnitInterval => {
                let precision = mean * (1.0 - mean) / variance - 1.0;
                of("beta distribution", Beta::new(precision)?.into(), log(mean) - log(1.0 - mean))
            }
            _ => of("Gaussian distribution", Gaussian::new(variance)?.into(), mean),
        }
    }

    pub(super) fn describe(&self, offsets: &[f64]) -> String {
        let moved = if offsets.is_empty() { "" } else { " with the offset or exposure of each row" };
        format!("{} of the training targets{moved}, for any input", self.name)
    }

    /// `offsets` of the latent value, in data units; none, or one per row.
    pub(super) fn forecasts(&self, targets: &[f64], offsets: &[f64]) -> Result<NumberForecasts, CliError> {
        let alike = if offsets.is_empty() { Some(self.forecast(0.0)?) } else { None };
        let mut forecasts = NumberForecasts {
            means: Vec::with_capacity(targets.len()),
            log_densities: vec![0.0; targets.len()],
            intervals: [const { Interval::EMPTY }; LEVELS.len()],
        };
        for (row, y) in targets.iter().enumerate() {
            let offset = offsets.get(row).copied().unwrap_or(0.0);
            let RowForecast { mean, ends } = alike.map_or_else(|| self.forecast(offset), Ok)?;
            forecasts.means.push(mean);
            let density = &mut forecasts.log_densities[row..=row];
            self.likelihood.log_densities(&[*y], &[self.latent + offset], density)?;
            for (interval, (lower, upper, claimed)) in forecasts.intervals.iter_mut().zip(ends) {
                interval.lower.push(lower);
                interval.upper.push(upper);
                interval.claimed += claimed / targets.len() as f64;
            }
        }
        if !self.likelihood.support().is_discrete() {
            // Without the rounding of the mean.
            forecasts.intervals.iter_mut().zip(LEVELS).for_each(|(interval, level)| interval.claimed = level);
        }
        Ok(forecasts)
    }

    fn forecast(&self, offset: f64) -> Result<RowForecast, CliError> {
        let latent = Latent::new(self.latent + offset, 0.0)?;
        let mut ends = [(0.0, 0.0, 0.0); LEVELS.len()];
        for (ends, level) in ends.iter_mut().zip(LEVELS) {
            *ends = self.interval(latent, level)?;
        }
        let mean = match self.likelihood.link() {
            Link::Log => self.mean * offset.exp(),
            _ => self.mean + offset,
        };
        Ok(RowForecast { mean, ends })
    }

    fn interval(&self, latent: Latent, level: f64) -> Result<(f64, f64, f64), CliError> {
        let (q, mut ws) = ([latent], Workspace::new());
        let mut end = |p| self.likelihood.predictive_quantile(&q, 0, p, &mut ws);
        let (lower, upper) = (end(0.5 - 0.5 * level)?, end(0.5 + 0.5 * level)?);
        if !self.likelihood.support().is_discrete() {
            return Ok((lower, upper, level));
        }
        let mut below = |y| self.likelihood.predictive_cdf(&q, 0, y, &mut ws);
        let claimed = below(upper)? - below(lower - 1.0)?;
        Ok((lower, upper, claimed))
    }
}

#[derive(Clone, Copy, Debug)]
struct RowForecast {
    mean: f64,
    /// Lower end, upper end, claimed probability.
    ends: [(f64, f64, f64); LEVELS.len()],
}

/// Logarithm; 0 counts as the smallest positive normal number.
fn log(value: f64) -> f64 {
    value.max(f64::MIN_POSITIVE).ln()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::foreign::foreign;

    fn constant(likelihood: &str, mean: f64, variance: f64) -> Constant {
        Constant::beside(gp_likelihoods::parse(likelihood).unwrap().as_ref(), mean, variance).unwrap()
    }

    fn assert_near(found: &[f64], expected: &[f64]) {
        for (found, expected) in found.iter().zip(expected) {
            assert!(
                (found - expected).abs() < 1e-9 * (1.0 + expected.abs()),
                "{found} instead of {expected}"
            );
        }
    }

    #[test]
    fn distributions_have_the_moments() {
        type Case = (&'static str, f64, f64, &'static str, [f64; 2], [f64; 2], [f64; 3]);
        let cases: [Case; 5] = [
            (
                "poisson",
                3.7,
                9.0,
                "Poisson",
                [0.0, 20.0],
                [-3.7, -19.868960067749907],
                [1.0, 6.0, 0.8934672752563959],
            ),
            (
                "negative_binomial",
                3.7,
                9.0,
                "negative binomial",
                [0.0, 20.0],
                [-2.296024181645641, -8.389964428811236],
                [0.0, 8.0, 0.9264820474579282],
            ),
            (
                "gamma",
                2.5,
                1.5,
                "gamma",
                [0.1, 9.0],
                [-7.334740072638828, -7.918676116592989],
                [1.11404748809311, 4.141361915867219, 0.8],
            ),
            (
                "beta",
                0.3,
                0.02,
                "beta",
                [0.05, 0.9],
                [-0.6351943567279346, -8.007805266746727],
                [0.12570496462967234, 0.49503752390681816, 0.8],
            ),
            (
                "student_t",
                -1.0,
                4.0,
                "Gaussian",
                [-1.0, 3.0],
                [-1.612085713764618, -3.612085713764618],
                [-3.5631031310892007, 1.5631031310892007, 0.8],
            ),
        ];
        for (likelihood, mean, variance, name, targets, densities, ends) in cases {
            let constant = constant(likelihood, mean, variance);
            assert!(constant.describe(&[]).starts_with(name), "{}", constant.describe(&[]));
            let forecasts = constant.forecasts(&targets, &[]).unwrap();
            assert_near(&forecasts.log_densities, &densities);
            let interval = &forecasts.intervals[1];
            assert_near(&[interval.lower[1], interval.upper[0], interval.claimed], &ends);
            assert_eq!(forecasts.means, [mean; 2]);
        }
    }

    #[test]
    fn counts_that_vary_less_than_their_mean_are_poisson() {
        assert!(constant("negative_binomial", 3.0, 2.0).describe(&[]).starts_with("Poisson"));
    }

    #[test]
    fn counts_of_others_vary_as_they_state() {
        let said = |likelihood: Box<dyn Likelihood>| {
            Constant::beside(likelihood.as_ref(), 3.7, 9.0).unwrap().describe(&[])
        };
        let more = said(foreign(NegativeBinomial::new(2.0).unwrap()));
        assert!(more.starts_with("negative binomial"), "{more}");
        let alike = said(foreign(Poisson::new(0.0).unwrap()));
        assert!(alike.starts_with("Poisson"), "{alike}");
    }

    #[test]
    fn moments_that_cannot_be_are_refused() {
        let gaussian = gp_likelihoods::parse("gaussian").unwrap();
        let refused = Constant::beside(gaussian.as_ref(), 0.0, 0.0).unwrap_err();
        assert_eq!(refused.kind(), crate::ErrorKind::Numerical);
    }
}
