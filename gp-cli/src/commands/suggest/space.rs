//! Space of possible points.

use crate::data::Kind;
use crate::encode::{Feature, FeatureEncoding, Inputs};
use crate::error::CliError;

/// Digits after the first digit of the range.
const STEP_DIGITS: i32 = 4;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Wish {
    Range(f64, f64),
    Levels(Vec<f64>),
    At(f64),
}

/// One value per input, in data units: dates as days, words as level index.
pub(super) type InputValues = Vec<f64>;

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Space {
    pub(super) axes: Vec<Axis>,
    /// `true` for dates without times.
    pub(super) days: Vec<bool>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Axis {
    Between(f64, f64),
    /// Not empty.
    Among(Vec<f64>),
}

impl Space {
    /// Space within `wishes`, otherwise training ranges.
    pub(super) fn new(inputs: &Inputs, wishes: &[Option<Wish>]) -> Result<Self, CliError> {
        let (mut axes, mut unknown) = (Vec::new(), Vec::new());
        for (feature, wish) in inputs.features().iter().zip(wishes) {
            match wish.as_ref().map(Axis::of).or_else(|| Axis::of_training(feature)) {
                Some(axis) => axes.push(axis),
                None => unknown.push(feature.name.as_str()),
            }
        }
        match unknown.first() {
            None => Ok(Self { axes, days: inputs.features().iter().map(|feature| feature.days).collect() }),
            Some(first) => Err(CliError::usage(format!(
                "the model does not hold the range of {}, because an earlier gp wrote it; say it with --range {first}=LO..HI or --at {first}=VALUE",
                unknown.join(", ")
            ))),
        }
    }

    pub(super) fn count(&self) -> Option<usize> {
        self.axes.iter().try_fold(1_usize, |count, axis| match axis {
            Axis::Between(..) => None,
            Axis::Among(values) => Some(count.saturating_mul(values.len())),
        })
    }

    pub(super) fn rounded(&self, place: &InputValues) -> InputValues {
        let axes = place.iter().zip(&self.axes).zip(&self.days);
        axes.map(|((&value, axis), &days)| if days { axis.whole(value) } else { axis.rounded(value) })
            .collect()
    }

    pub(super) fn free(&self) -> Vec<usize> {
        (0..self.axes.len()).filter(|&axis| !self.axes[axis].is_fixed()).collect()
    }
}

impl Axis {
    fn of(wish: &Wish) -> Self {
        match wish {
            Wish::Range(low, high) => Self::between(*low, *high),
            Wish::Levels(values) => Self::Among(values.clone()),
            Wish::At(value) => Self::Among(vec![*value]),
        }
    }

    fn of_training(feature: &Feature) -> Option<Self> {
        match &feature.encoding {
            FeatureEncoding::OneHot(levels) => {
                Some(Self::Among((0..levels.len()).map(|level| level as f64).collect()))
            }
            FeatureEncoding::Scaled(_) if feature.kind == Kind::Boolean => Some(Self::Among(vec![0.0, 1.0])),
            FeatureEncoding::Scaled(_) => {
                feature.range.as_ref().map(|range| Self::between(range.lowest, range.highest))
            }
        }
    }

    fn between(low: f64, high: f64) -> Self {
        if low < high { Self::Between(low, high) } else { Self::Among(vec![low]) }
    }

    fn is_fixed(&self) -> bool {
        matches!(self, Self::Among(values) if values.len() < 2)
    }

    /// Rounds to a power of ten, at most 1/10,000 of the range; keeps ends.
    fn rounded(&self, value: f64) -> f64 {
        let Self::Between(low, high) = *self else { return value };
        let digits = STEP_DIGITS - (high - low).log10().floor() as i32;
        let text = match usize::try_from(digits) {
            Ok(places) => format!("{value:.places$}"),
            Err(_) => {
                let step = 10_f64.powi(-digits);
                format!("{:.0}", (value / step).round() * step)
            }
        };
        let rounded = text.parse().unwrap_or(value);
        if value == low || value == high { value } else { f64::clamp(rounded, low, high) }
    }

    /// Nearest whole number, if in range.
    fn whole(&self, value: f64) -> f64 {
        match *self {
            Self::Between(low, high) if low.ceil() <= high.floor() => {
                value.round().clamp(low.ceil(), high.floor())
            }
            _ => value,
        }
    }

    /// Value at a share (0 to 1) of the range.
    pub(super) fn at(&self, share: f64) -> f64 {
        match self {
            Self::Between(low, high) => (low + share * (high - low)).clamp(*low, *high),
            Self::Among(values) => {
                let place = (share * values.len() as f64) as usize;
                values[place.min(values.len() - 1)]
            }
        }
    }
}
