//! Space of possible points.

use crate::data::Kind;
use crate::encode::{Feature, FeatureEncoding, Inputs};
use crate::error::CliError;

/// Restriction of one input.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Wish {
    /// Anything between two values.
    Range(f64, f64),
    /// One of some values.
    Levels(Vec<f64>),
    /// One value.
    At(f64),
}

/// A value for each input, in the units of the data: dates as days, words as their place among the levels.
pub(super) type Place = Vec<f64>;

/// The values that each input may take.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Space {
    pub(super) axes: Vec<Axis>,
}

/// The values that one input may take.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Axis {
    /// Anything from the first to the second, which is larger.
    Between(f64, f64),
    /// One of these, at least one.
    Among(Vec<f64>),
}

impl Space {
    /// Space from wishes or, without a wish, the range in training.
    ///
    /// # Errors
    /// Of kind [`Usage`](crate::ErrorKind::Usage) for all inputs whose range the model does not know.
    pub(super) fn new(inputs: &Inputs, wishes: &[Option<Wish>]) -> Result<Self, CliError> {
        let (mut axes, mut unknown) = (Vec::new(), Vec::new());
        for (feature, wish) in inputs.features().iter().zip(wishes) {
            match wish.as_ref().map(Axis::of).or_else(|| Axis::of_training(feature)) {
                Some(axis) => axes.push(axis),
                None => unknown.push(feature.name.as_str()),
            }
        }
        match unknown.first() {
            None => Ok(Self { axes }),
            Some(first) => Err(CliError::usage(format!(
                "the model does not hold the range of {}, because an earlier gp wrote it; say it with --range {first}=LO..HI or --at {first}=VALUE",
                unknown.join(", ")
            ))),
        }
    }

    /// Places there are; nothing where inputs take any number.
    pub(super) fn count(&self) -> Option<usize> {
        self.axes.iter().try_fold(1_usize, |count, axis| match axis {
            Axis::Between(..) => None,
            Axis::Among(values) => Some(count.saturating_mul(values.len())),
        })
    }

    /// Inputs that vary.
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

    /// The value at this share, from 0 to 1, of the way.
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
