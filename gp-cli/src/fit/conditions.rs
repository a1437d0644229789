//! Bounds and priors from flags.

use super::spec::{FitSpec, LengthUnits};
use crate::digits::four_digits;
use crate::encode::Inputs;
use crate::error::CliError;
use gp_optim::{Parameter, Prior, Transform, format_number};

#[derive(Clone, Copy, Debug)]
pub(super) enum Condition {
    Bound(Transform),
    Prior(Prior),
}

impl Condition {
    pub(super) fn bound(ends: &str, said: &str) -> Result<Self, CliError> {
        let bound = bounds(ends).ok_or_else(|| {
            CliError::usage(format!(
                "{said}: `{ends}` is not a range; write LO..HI, such as 0.1..10, 0.1.. or ..10"
            ))
        })?;
        let (lo, hi) = bound.ends();
        if let Some((end, _)) = [("lower", lo), ("upper", hi)].into_iter().find(|(_, end)| end.is_nan()) {
            return Err(CliError::usage(format!(
                "{said}: the {end} end is nan, which is not a number; leave an end out if there is none, as in 0.1.. or ..10"
            )));
        }
        if lo >= hi {
            return Err(CliError::usage(format!(
                "{said}: the lower end {} is not below the upper end {}",
                format_number(lo),
                format_number(hi)
            )));
        }
        Ok(Self::Bound(bound))
    }

    pub(super) fn prior(text: &str, said: &str) -> Result<Self, CliError> {
        text.parse().map(Self::Prior).map_err(|cause| CliError::usage(format!("{said}: {cause}")))
    }

    /// Sets the condition, scaled by `factors`. Moves default initial values inside; refuses given ones outside.
    pub(super) fn put(
        self,
        parameter: &mut Parameter,
        factors: &[f64],
        (said, is_given): (&str, bool),
    ) -> Result<(), CliError> {
        let domain = parameter.domain();
        let own = self.within(domain).ok_or_else(|| {
            let (name, (lo, hi)) = (parameter.name(), domain.ends());
            CliError::usage(format!(
                "{said}: `{name}` lies between {} and {}, so it cannot have these bounds",
                format_number(lo),
                format_number(hi)
            ))
        })?;
        for (element, &factor) in factors.iter().enumerate() {
            let (ends, value) = (own.scaled(factor).ends(), parameter.values()[element]);
            if !(ends.0 < value && value < ends.1) {
                if is_given {
                    return Err(outside(parameter.name(), value / factor, own, said));
                }
                parameter.set(element, start_within(ends)).map_err(|cause| refused(said, &cause))?;
            }
            own.scaled(factor).put_on(parameter, element).map_err(|cause| refused(said, &cause))?;
        }
        Ok(())
    }

    fn within(self, domain: Transform) -> Option<Self> {
        let Self::Bound(bound) = self else { return Some(self) };
        let cut = match (bound, domain.ends()) {
            (Transform::Below { hi }, (lo, _)) if lo.is_finite() => Transform::Interval { lo, hi },
            (Transform::Above { lo }, (_, hi)) if hi.is_finite() => Transform::Interval { lo, hi },
            (Transform::Identity, _) => domain,
            _ => bound,
        };
        (cut.validate().is_ok() && cut.is_within(domain)).then_some(Self::Bound(cut))
    }

    fn scaled(self, factor: f64) -> Self {
        match self {
            Self::Bound(bound) => Self::Bound(bound.scaled(factor)),
            Self::Prior(prior) => Self::Prior(prior.scaled(factor)),
        }
    }

    fn ends(self) -> (f64, f64) {
        match self {
            Self::Bound(bound) => bound.ends(),
            Self::Prior(prior) => prior.support(),
        }
    }

    fn put_on(self, parameter: &mut Parameter, element: usize) -> Result<(), gp_optim::ParameterError> {
        match self {
            Self::Bound(bound) => parameter.set_transform_of(element, bound),
            Self::Prior(prior) => parameter.set_prior_of(element, Some(prior)),
        }
    }
}

pub(super) fn is_given(name: &str, spec: &FitSpec) -> bool {
    let text: String = spec.kernel.iter().chain(&spec.likelihood).map(String::as_str).collect();
    let text: String = text.split_whitespace().collect();
    text.to_lowercase().contains(&format!("{}=", name.to_lowercase()))
}

/// Element units per flag unit; 1 except for lengths in data units.
pub(super) fn factors(
    parameter: &Parameter,
    spec: &FitSpec,
    inputs: &Inputs,
    columns: Option<&[usize]>,
    said: &str,
) -> Result<Vec<f64>, CliError> {
    let ones = vec![1.0; parameter.len()];
    let (Some(columns), LengthUnits::Data) = (columns, spec.units) else { return Ok(ones) };
    let (names, units) = (inputs.column_names(), inputs.units());
    let factors: Vec<f64> =
        columns.iter().filter_map(|column| units.get(*column)).map(|unit| 1.0 / unit).collect();
    if parameter.is_vector() {
        return Ok(if factors.len() == parameter.len() { factors } else { ones });
    }
    match columns.iter().find(|column| units.get(**column) != units.get(columns[0])) {
        None => Ok(factors.first().map_or(ones, |factor| vec![*factor])),
        Some(&other) => {
            let (first, own) = (&names[columns[0]], four_digits(units[columns[0]]));
            let (second, other) = (&names[other], four_digits(units[other]));
            Err(CliError::usage(format!(
                "{said}: this parameter is one number for inputs of different scales, such as {first} ({own}) and {second} ({other}); give each input a length-scale of its own with ard=true or a kernel term of its own with dims=[…], or give the value in units of the model with --units model"
            )))
        }
    }
}

/// Value between bounds; geometric mean of positive finite ones.
fn start_within((lo, hi): (f64, f64)) -> f64 {
    match (lo.is_finite(), hi.is_finite()) {
        (true, true) if lo > 0.0 => (lo * hi).sqrt(),
        (true, true) => 0.5 * (lo + hi),
        (true, false) => lo + if lo == 0.0 { 1.0 } else { lo.abs() },
        (false, true) => hi - if hi == 0.0 { 1.0 } else { hi.abs() },
        (false, false) => 0.0,
    }
}

fn outside(name: &str, value: f64, said_of: Condition, said: &str) -> CliError {
    let ((lo, hi), value) = (said_of.ends(), four_digits(value));
    let (lo, hi) = (format_number(lo), format_number(hi));
    CliError::usage(format!(
        "{said}: the kernel or likelihood given starts `{name}` at {value}, which is not between {lo} and {hi}; change one of the two"
    ))
}

fn refused(said: &str, cause: &gp_optim::ParameterError) -> CliError {
    CliError::usage(format!("{said}: {cause}"))
}

/// Parses `0.1..10`, `0.1..` or `..10`.
fn bounds(text: &str) -> Option<Transform> {
    let (lo, hi) = text.split_once("..")?;
    let end = |text: &str, none: f64| {
        let number = if text.trim().is_empty() { Ok(none) } else { text.trim().parse::<f64>() };
        number.ok().map(|number| (number != none).then_some(number))
    };
    Some(match (end(lo, f64::NEG_INFINITY)?, end(hi, f64::INFINITY)?) {
        (Some(lo), Some(hi)) => Transform::Interval { lo, hi },
        (Some(lo), None) => Transform::Above { lo },
        (None, Some(hi)) => Transform::Below { hi },
        (None, None) => Transform::Identity,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(bound: &str, factors: &[f64], is_given: bool) -> Result<Parameter, String> {
        let mut scales =
            Parameter::vector("lengthscale", vec![1.0; factors.len()], Transform::Positive).unwrap();
        let condition = Condition::bound(bound, "--bound").map_err(|error| error.to_string())?;
        condition.put(&mut scales, factors, ("--bound", is_given)).map_err(|error| error.to_string())?;
        Ok(scales)
    }

    #[test]
    fn every_element_has_bounds_in_its_own_units() {
        let scales = put("0.5..3", &[1.0, 0.5, 100.0], false).unwrap();
        let ends: Vec<(f64, f64)> = (0..3).map(|element| scales.transform_of(element).ends()).collect();
        assert_eq!(ends, [(0.5, 3.0), (0.25, 1.5), (50.0, 300.0)]);
        assert_eq!(scales.values(), [1.0, 1.0, 15000f64.sqrt()]);
    }

    #[test]
    fn an_open_end_is_that_of_the_domain() {
        assert_eq!(put("..3", &[1.0], false).unwrap().transform().ends(), (0.0, 3.0));
        assert_eq!(put("2..", &[1.0], false).unwrap().values(), [4.0]);
        assert_eq!(put("2..inf", &[1.0], false).unwrap().values(), [4.0]);
        assert_eq!(put("-inf..3", &[1.0], false).unwrap().transform().ends(), (0.0, 3.0));
    }

    #[test]
    fn what_cannot_be_is_told_in_the_numbers_given() {
        for (bound, factor, is_given, words) in [
            ("nan..5", 0.1, false, "the lower end is nan, which is not a number"),
            ("1..NaN", 0.1, false, "the upper end is nan, which is not a number"),
            ("40..5", 0.1, false, "lower end 40 is not below the upper end 5"),
            ("-1..3", 0.1, false, "lies between 0 and inf"),
            ("30..50", 0.1, true, "starts `lengthscale` at 10.00, which is not between 30 and 50"),
        ] {
            let message = put(bound, &[factor], is_given).unwrap_err();
            assert!(message.contains(words), "{message}");
        }
    }
}
