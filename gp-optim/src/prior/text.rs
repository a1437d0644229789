//! Priors as text, such as `gamma(2, 1)`, and conditions on arguments.

use super::Prior;
use crate::error::ParameterError;
use crate::number::format_number;
use crate::similar::did_you_mean;
use std::fmt;
use std::str::FromStr;

#[derive(Clone, Copy)]
enum Must {
    BeFinite,
    BePositive,
    /// Finite, above the previous argument.
    ExceedPrevious,
}

pub(super) struct Family {
    name: &'static str,
    arguments: &'static [(&'static str, Must)],
    build: fn(&[f64; 2]) -> Prior,
}

const NORMAL: Family = Family {
    name: "normal",
    arguments: &[("mean", Must::BeFinite), ("sd", Must::BePositive)],
    build: |&[mean, sd]| Prior::Normal { mean, sd },
};
const LOG_NORMAL: Family = Family {
    name: "log_normal",
    arguments: &[("mu", Must::BeFinite), ("sigma", Must::BePositive)],
    build: |&[mu, sigma]| Prior::LogNormal { mu, sigma },
};
const GAMMA: Family = Family {
    name: "gamma",
    arguments: &[("shape", Must::BePositive), ("rate", Must::BePositive)],
    build: |&[shape, rate]| Prior::Gamma { shape, rate },
};
const INVERSE_GAMMA: Family = Family {
    name: "inverse_gamma",
    arguments: &[("shape", Must::BePositive), ("scale", Must::BePositive)],
    build: |&[shape, scale]| Prior::InverseGamma { shape, scale },
};
const HALF_NORMAL: Family = Family {
    name: "half_normal",
    arguments: &[("sd", Must::BePositive)],
    build: |&[sd, _]| Prior::HalfNormal { sd },
};
const HALF_CAUCHY: Family = Family {
    name: "half_cauchy",
    arguments: &[("scale", Must::BePositive)],
    build: |&[scale, _]| Prior::HalfCauchy { scale },
};
const EXPONENTIAL: Family = Family {
    name: "exponential",
    arguments: &[("rate", Must::BePositive)],
    build: |&[rate, _]| Prior::Exponential { rate },
};
const UNIFORM: Family = Family {
    name: "uniform",
    arguments: &[("lo", Must::BeFinite), ("hi", Must::ExceedPrevious)],
    build: |&[lo, hi]| Prior::Uniform { lo, hi },
};
const LOG_UNIFORM: Family = Family {
    name: "log_uniform",
    arguments: &[("lo", Must::BePositive), ("hi", Must::ExceedPrevious)],
    build: |&[lo, hi]| Prior::LogUniform { lo, hi },
};

const FAMILIES: [&Family; 9] = [
    &NORMAL,
    &LOG_NORMAL,
    &GAMMA,
    &INVERSE_GAMMA,
    &HALF_NORMAL,
    &HALF_CAUCHY,
    &EXPONENTIAL,
    &UNIFORM,
    &LOG_UNIFORM,
];

fn known_families(name: &str) -> String {
    let known = FAMILIES.map(|family| family.name);
    known.join(", ") + &did_you_mean(name, known)
}

impl Prior {
    /// Prior by family name, ignoring case and underscores.
    ///
    /// # Errors
    /// [`ParameterError::UnknownPrior`], [`ParameterError::PriorArity`] or [`ParameterError::PriorArgument`].
    pub fn from_call(name: &str, args: &[f64]) -> Result<Self, ParameterError> {
        let family = FAMILIES.into_iter().find(|family| same_name(family.name, name)).ok_or_else(|| {
            ParameterError::UnknownPrior { name: name.to_owned(), known: known_families(name) }
        })?;
        family.check(args)?;
        let mut padded = [0.0; 2];
        padded.iter_mut().zip(args).for_each(|(slot, &argument)| *slot = argument);
        Ok((family.build)(&padded))
    }

    pub(super) fn family(&self) -> &'static Family {
        match self {
            Self::Normal { .. } => &NORMAL,
            Self::LogNormal { .. } => &LOG_NORMAL,
            Self::Gamma { .. } => &GAMMA,
            Self::InverseGamma { .. } => &INVERSE_GAMMA,
            Self::HalfNormal { .. } => &HALF_NORMAL,
            Self::HalfCauchy { .. } => &HALF_CAUCHY,
            Self::Exponential { .. } => &EXPONENTIAL,
            Self::Uniform { .. } => &UNIFORM,
            Self::LogUniform { .. } => &LOG_UNIFORM,
        }
    }

    pub(super) fn arguments(&self) -> Vec<f64> {
        match *self {
            Self::Normal { mean, sd } => vec![mean, sd],
            Self::LogNormal { mu, sigma } => vec![mu, sigma],
            Self::Gamma { shape, rate } => vec![shape, rate],
            Self::InverseGamma { shape, scale } => vec![shape, scale],
            Self::HalfNormal { sd } => vec![sd],
            Self::HalfCauchy { scale } => vec![scale],
            Self::Exponential { rate } => vec![rate],
            Self::Uniform { lo, hi } | Self::LogUniform { lo, hi } => vec![lo, hi],
        }
    }
}

impl Family {
    pub(super) fn check(&self, args: &[f64]) -> Result<(), ParameterError> {
        if args.len() != self.arguments.len() {
            return Err(ParameterError::PriorArity { signature: self.signature(), found: args.len() });
        }
        let mut previous = f64::NEG_INFINITY;
        for (&(argument, must), &value) in self.arguments.iter().zip(args) {
            if let Some(allowed) = must.violated_by(value, previous) {
                return Err(ParameterError::PriorArgument { prior: self.name, argument, value, allowed });
            }
            previous = value;
        }
        Ok(())
    }

    fn signature(&self) -> String {
        let names: Vec<&str> = self.arguments.iter().map(|&(name, _)| name).collect();
        format!("{}({})", self.name, names.join(", "))
    }
}

impl Must {
    fn violated_by(self, value: f64, previous: f64) -> Option<&'static str> {
        let (met, condition) = match self {
            Self::BeFinite => (value.is_finite(), "finite"),
            Self::BePositive => (value.is_finite() && value > 0.0, "positive and finite"),
            Self::ExceedPrevious => {
                (value > previous && (value - previous).is_finite(), "above the lower end by a finite amount")
            }
        };
        (!met).then_some(condition)
    }
}

impl Prior {
    /// Text; `number` formats numbers.
    #[must_use]
    pub fn text_with(&self, number: &dyn Fn(f64) -> String) -> String {
        let arguments: Vec<String> = self.arguments().into_iter().map(number).collect();
        format!("{}({})", self.family().name, arguments.join(", "))
    }
}

impl fmt::Display for Prior {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text_with(&format_number))
    }
}

impl FromStr for Prior {
    type Err = ParameterError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let fault = |reason| ParameterError::PriorSyntax { text: text.to_owned(), reason };
        let (name, rest) = text.trim().split_once('(').ok_or_else(|| fault("expected `name(number, …)`"))?;
        let inside = rest.strip_suffix(')').ok_or_else(|| fault("the closing parenthesis is missing"))?;
        let arguments: Result<Vec<f64>, _> = inside.split(',').map(|number| number.trim().parse()).collect();
        let arguments = arguments.map_err(|_| fault("an argument is not a number"))?;
        Self::from_call(name.trim(), &arguments)
    }
}

impl From<Prior> for String {
    fn from(prior: Prior) -> Self {
        prior.to_string()
    }
}

impl TryFrom<String> for Prior {
    type Error = ParameterError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

fn same_name(left: &str, right: &str) -> bool {
    let letters = |name: &str| name.replace('_', "").to_ascii_lowercase();
    letters(left) == letters(right)
}
