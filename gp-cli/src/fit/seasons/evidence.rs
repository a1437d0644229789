//! Log evidence with and without seasons.

use crate::error::{CliError, ErrorKind};
use crate::method::{TrainingRows, minimise_options};
use gp_ep::{DataSource, ExactGp, Inference as _, Learning};
use gp_kernels::{KernelExt, Registry};
use gp_likelihoods::Gaussian;
use gp_optim::{Control, format_number};
use serde::{Deserialize, Serialize};

const ITERATIONS: u64 = 40;
/// Initial noise, for a target of variance 1.
const NOISE: f64 = 0.3;
/// Minimum memory of a season, in periods.
const MIN_MEMORY: f64 = 2.0;
/// Initial memory, in input standard deviations.
const MEMORY: f64 = 5.0;
const LONGEST_MEMORY: f64 = 1e3;
/// Bounds of periodic length-scales.
const SHAPES: (f64, f64) = (0.2, 10.0);
/// Period uncertainty: cycles per input standard deviation.
const UNCERTAINTY: f64 = 0.15;
/// Minimum training gain to compare all rows.
const HOPELESS: f64 = -2.0;
/// Smooth length-scale that follows a wave, per period.
const OF_A_WAVE: f64 = 0.2;

/// Season in model units, for target variance 1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Learned {
    pub(super) variance: f64,
    /// Length-scale of season changes.
    memory: f64,
    pub(super) period: f64,
    shape: f64,
    around: (f64, f64),
}

impl Learned {
    pub(super) fn start(period: f64) -> Self {
        let off = UNCERTAINTY * period * period;
        let around = (period - off.min(0.3 * period), period + off.min(0.3 * period));
        Self { variance: 0.5, memory: MEMORY.max(2.0 * MIN_MEMORY * period), period, shape: 1.0, around }
    }

    fn memories(&self) -> (f64, f64) {
        (MIN_MEMORY * self.around.0, LONGEST_MEMORY)
    }

    pub(super) fn around(&self) -> (f64, f64) {
        self.around
    }

    /// Unit-variance kernel, on a column if several.
    pub(super) fn shape(&self, column: Option<usize>) -> String {
        let on = column.map_or_else(String::new, |column| format!(", dims=[{column}]"));
        let number = format_number;
        let ((low, high), (shortest, longest)) = (self.around, self.memories());
        format!(
            "matern52(lengthscale={} in [{}, {}]{on}) * periodic(period={} in [{}, {}], lengthscale={} in [{}, {}]{on})",
            number(self.memory),
            number(shortest),
            number(longest),
            number(self.period),
            number(low),
            number(high),
            number(self.shape),
            number(SHAPES.0),
            number(SHAPES.1),
        )
    }

    fn term(&self, column: Option<usize>) -> String {
        format!("{} * {} + ", format_number(self.variance), self.shape(column))
    }
}

#[derive(Debug)]
pub(super) struct SeasonJudge<'a> {
    registry: &'a Registry,
    rows: &'a TrainingRows,
    all: &'a TrainingRows,
    column: Option<usize>,
    control: Control,
}

struct TrainedKernel {
    model: ExactGp,
    evidence: f64,
    seasons: Vec<Learned>,
}

impl TrainedKernel {
    fn is_better_than(&self, other: &Option<Self>) -> bool {
        other.as_ref().is_none_or(|other| self.evidence > other.evidence)
    }
}

impl<'a> SeasonJudge<'a> {
    /// Judge that trains on `rows`, compares on `all`. `column`: of seasons, if several.
    pub(super) fn new(
        registry: &'a Registry,
        (rows, all): (&'a TrainingRows, &'a TrainingRows),
        column: Option<usize>,
        control: Control,
    ) -> Self {
        Self { registry, rows, all, column, control }
    }

    pub(super) fn is_over(&self) -> bool {
        self.control.is_over()
    }

    /// Best further season, if log evidence gains `margin`.
    pub(super) fn best(
        &self,
        known: &[Learned],
        periods: &[f64],
        margin: f64,
    ) -> Result<Option<Learned>, CliError> {
        let (mut without, mut best): (Option<TrainedKernel>, Option<TrainedKernel>) = (None, None);
        let mut smooths: Vec<f64> = periods.iter().map(|period| OF_A_WAVE * period).collect();
        smooths.extend(periods.first().map(|_| 1.0));
        for smooth in smooths {
            let Some(trained) = self.train(known, smooth)? else { return Ok(None) };
            without = Some(trained).filter(|trained| trained.is_better_than(&without)).or(without);
        }
        for period in periods {
            let seasons: Vec<Learned> = known.iter().copied().chain([Learned::start(*period)]).collect();
            let Some(trained) = self.train(&seasons, 1.0)? else { return Ok(None) };
            best = Some(trained).filter(|trained| trained.is_better_than(&best)).or(best);
        }
        let (Some(without), Some(best)) = (without, best) else { return Ok(None) };
        let is_found = self.gain(&best, &without).is_some_and(|gain| gain > margin);
        Ok(best.seasons.last().copied().filter(|_| is_found))
    }

    fn gain(&self, of: &TrainedKernel, from: &TrainedKernel) -> Option<f64> {
        let gain = of.evidence - from.evidence;
        if gain < HOPELESS || self.all.count() == self.rows.count() {
            return Some(gain);
        }
        let evidence = |trained: &TrainedKernel| trained.model.log_evidence(self.all).ok();
        Some(evidence(of)?.value - evidence(from)?.value)
    }

    /// Smooth function of the season's column, if several: without it, slow seasons would replace it.
    fn alone(&self, smooth: f64) -> String {
        self.column.map_or_else(String::new, |column| {
            format!("0.2 * rbf(lengthscale={}, dims=[{column}]) + ", format_number(smooth))
        })
    }

    /// Trains seasons with smooth, rough and linear functions; `None` on failure.
    fn train(&self, seasons: &[Learned], smooth: f64) -> Result<Option<TrainedKernel>, CliError> {
        let text: String = seasons.iter().map(|season| season.term(self.column)).collect();
        let dim = self.rows.dim();
        let scale = (dim as f64).sqrt();
        let text = format!(
            "{text}{}0.5 * rbf(lengthscale={}) + 0.2 * matern12(lengthscale={scale}) + linear(lengthscale={})",
            self.alone(smooth),
            format_number(smooth * scale),
            format_number(3.0 * scale)
        );
        let kernel = self.registry.parse_for(&text, dim).map_err(|cause| {
            CliError::caused(ErrorKind::Usage, "a season needs the kernels of gp-kernels", cause)
        })?;
        let mut model = ExactGp::new(kernel, Gaussian::new(NOISE)?);
        let options = minimise_options(ITERATIONS, &self.control);
        let learned = model.learn(self.rows, Learning::Outer(options));
        if learned.is_err() || self.control.wants_end() {
            return Ok(None);
        }
        let Ok(evidence) = model.log_evidence(self.rows) else { return Ok(None) };
        let values = model.kernel().parameter_values();
        let found = seasons.iter().zip(values.chunks_exact(4)).map(|(season, values)| Learned {
            variance: rounded(values[0], (0.0, f64::INFINITY)),
            memory: rounded(values[1], season.memories()),
            period: values[2],
            shape: rounded(values[3], SHAPES),
            around: season.around,
        });
        let seasons = found.collect();
        Ok(Some(TrainedKernel { model, evidence: evidence.value, seasons }))
    }
}

/// Three digits, unless rounding leaves the bounds.
fn rounded(value: f64, (low, high): (f64, f64)) -> f64 {
    let unit = 10f64.powf(value.abs().log10().floor() - 2.0);
    let rounded = (value / unit).round() * unit;
    if rounded.is_normal() && rounded > low && rounded < high { rounded } else { value }
}

#[cfg(test)]
mod tests {
    use super::rounded;

    #[test]
    fn rounding_stays_within_bounds() {
        assert_eq!(rounded(2.3456, (0.2, 10.0)), 2.35);
        assert_eq!(rounded(999.96, (0.5, 1000.0)), 999.96);
        assert_eq!(rounded(0.200001, (0.2, 10.0)), 0.200001);
        assert_eq!(rounded(1e-320, (0.0, f64::INFINITY)), 1e-320);
    }
}
