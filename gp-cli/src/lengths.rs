//! Displayed kernels, likelihoods; lengths in data units.

use crate::data::Kind;
use crate::digits::four_digits;
use crate::encode::Inputs;
use gp_kernels::{Kernel, KernelExt};
use gp_likelihoods::Likelihood;
use gp_optim::{Parameter, Prior, Transform, format_number};
use serde::Serialize;

const LONGEST_LIST: usize = 6;
const SHOWN: usize = 3;

#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct InputLength {
    /// Parameter name, such as `periodic.period`.
    pub parameter: String,
    /// Column, or level of a column.
    pub input: String,
    pub value: f64,
    /// `days` for dates, None for numbers.
    pub unit: Option<&'static str>,
    pub fixed: bool,
    pub lower: Option<f64>,
    pub upper: Option<f64>,
    pub prior: Option<Prior>,
}

pub(crate) fn lengths(kernel: &dyn Kernel, inputs: &Inputs) -> Vec<InputLength> {
    let (names, units, counted_in) = (inputs.column_names(), inputs.units(), counted_in(inputs));
    let (full_names, columns) = (kernel.parameter_names(), kernel.length_columns(names.len()));
    let (mut found, mut parameters, mut first) = (Vec::new(), columns.into_iter(), 0);
    kernel.for_each_parameter(&mut |parameter| {
        let full = full_names.get(first).map_or("", String::as_str);
        let stem =
            if parameter.is_vector() { full.rsplit_once('[').map_or(full, |(stem, _)| stem) } else { full };
        first += parameter.len();
        for (place, column) in parameters.next().flatten().into_iter().flatten().enumerate() {
            let element = if parameter.is_vector() { place } else { 0 };
            let (Some(value), Some(&unit)) = (parameter.values().get(element), units.get(column)) else {
                continue;
            };
            let (lower, upper) = bounds(parameter, element, unit);
            found.push(InputLength {
                parameter: stem.to_owned(),
                input: names[column].clone(),
                value: value * unit,
                unit: counted_in[column],
                fixed: parameter.is_fixed(element),
                lower,
                upper,
                prior: parameter.prior_of(element).map(|prior| prior.scaled(unit)),
            });
        }
    });
    found
}

/// Parameter names, with columns of lengths: `rbf.lengthscale of age`.
pub(crate) fn value_names(kernel: &dyn Kernel, columns: &[String]) -> Vec<String> {
    let (mut names, mut along) = (kernel.parameter_names(), kernel.length_columns(columns.len()).into_iter());
    let mut first = 0;
    kernel.for_each_parameter(&mut |parameter| {
        let along = along.next().flatten().filter(|_| parameter.is_vector()).unwrap_or_default();
        for (name, column) in names[first..].iter_mut().zip(along) {
            if let Some((stem, _)) = name.rsplit_once('[') {
                *name = format!("{stem} of {}", columns[column]);
            }
        }
        first += parameter.len();
    });
    names
}

/// Bounds times `unit`; None at domain ends.
fn bounds(parameter: &Parameter, element: usize, unit: f64) -> (Option<f64>, Option<f64>) {
    let ((low, high), (least, most)) =
        (parameter.transform_of(element).scaled(unit).ends(), parameter.domain().ends());
    let end = |end: f64, domain: f64| (end.is_finite() && end != domain).then_some(end);
    (end(low, least), end(high, most))
}

fn counted_in(inputs: &Inputs) -> Vec<Option<&'static str>> {
    let mut units = vec![None; inputs.dim()];
    for (feature, place) in inputs.features().iter().zip(inputs.places()) {
        units[place.start] = (feature.kind == Kind::Date).then_some("days");
    }
    units
}

pub(crate) fn length_lines(kernel: &dyn Kernel, inputs: &Inputs) -> Vec<(String, String)> {
    let all = lengths(kernel, inputs);
    let of_parameters = all.chunk_by(|a, b| a.parameter == b.parameter);
    let line = |lengths: &[InputLength]| {
        let alike = lengths.chunk_by(|a, b| InputLength { input: a.input.clone(), ..b.clone() } == *a);
        let each: Vec<String> = alike.map(described).collect();
        (lengths[0].parameter.clone(), each.join(", "))
    };
    of_parameters.map(line).collect()
}

fn described(alike: &[InputLength]) -> String {
    let InputLength { input, value, unit, fixed, lower, upper, prior, .. } = &alike[0];
    let inputs = match alike {
        [_] => input.clone(),
        [_, .., last] => format!("{input} to {} ({})", last.input, alike.len()),
        [] => String::new(),
    };
    let (value, unit) = (four_digits(*value), unit.map_or_else(String::new, |unit| format!(" {unit}")));
    let fixed = if *fixed { ", fixed" } else { "" };
    format!("{inputs} {value}{unit}{}{fixed}", conditions((*lower, *upper), prior.as_ref()))
}

fn conditions((lower, upper): (Option<f64>, Option<f64>), prior: Option<&Prior>) -> String {
    let end = |end: Option<f64>| end.map_or_else(|| "none".to_owned(), few_digits);
    let bounds = match (lower, upper) {
        (None, None) => String::new(),
        _ => format!(" in [{}, {}]", end(lower), end(upper)),
    };
    let prior = prior.map_or_else(String::new, |prior| format!(" ~ {}", prior.text_with(&few_digits)));
    format!("{bounds}{prior}")
}

/// Expression with lengths in data units, four digits, long lists shortened. Shared lengths split if units differ.
pub(crate) fn readable(kernel: &dyn Kernel, inputs: &Inputs) -> String {
    let units = inputs.units();
    let (mut shown, mut columns) = (kernel.clone_box(), kernel.length_columns(units.len()).into_iter());
    shown.for_each_parameter_mut(&mut |parameter| {
        let Some(columns) = columns.next().flatten() else { return };
        let units: Vec<f64> = columns.iter().filter_map(|column| units.get(*column).copied()).collect();
        if let Some(scaled) = in_data_units(parameter, &units) {
            *parameter = scaled;
        }
    });
    with_names(&shown.expression_with(&value_text), inputs)
}

const DIMS: &str = "dims=[";

/// Input names for column numbers, except within `select`, which renumbers columns.
fn with_names(text: &str, inputs: &Inputs) -> String {
    if text.contains("select(") {
        return text.to_owned();
    }
    let mut parts = text.split(DIMS);
    let mut named = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (list, rest) = part.split_once(']').unwrap_or((part, ""));
        let dims: Option<Vec<usize>> = list.split(", ").map(|number| number.parse().ok()).collect();
        let list = dims.map_or_else(|| list.to_owned(), |dims| names_of(&dims, inputs).join(", "));
        named.push_str(&format!("{DIMS}{list}]{rest}"));
    }
    named
}

/// Inputs, or single columns of words.
fn names_of(mut dims: &[usize], inputs: &Inputs) -> Vec<String> {
    let (columns, mut names) = (inputs.column_names(), Vec::new());
    while let [first, rest @ ..] = dims {
        let mut of_features = inputs.features().iter().zip(inputs.places());
        let whole = of_features.find(|(_, place)| place.clone().eq(dims.iter().copied().take(place.len())));
        let (name, left) = match whole {
            Some((feature, place)) => (feature.name.as_str(), &dims[place.len()..]),
            None => (columns.get(*first).map_or("", String::as_str), rest),
        };
        let is_plain = |letter: char| letter.is_alphanumeric() || "_.=-".contains(letter);
        let as_is =
            !name.is_empty() && name.chars().all(is_plain) && !name.starts_with(|c: char| c.is_ascii_digit());
        names.push(if as_is { name.to_owned() } else { format!("\"{}\"", name.replace('"', "\"\"")) });
        dims = left;
    }
    names
}

/// Expression in model units, for parameters whose bounds and priors several columns share.
pub(crate) fn readable_in_model_units(kernel: &dyn Kernel) -> String {
    kernel.expression_with(&value_text)
}

/// Expression with four digits, long lists shortened.
pub(crate) fn readable_likelihood(likelihood: &dyn Likelihood) -> String {
    let settings = likelihood.settings().into_iter().map(|(name, value)| format!("{name}={value}"));
    let parameters = likelihood.parameters().iter().map(|of| format!("{}={}", of.name(), value_text(of)));
    let arguments: Vec<String> = settings.chain(parameters).collect();
    let name = likelihood.name();
    if arguments.is_empty() { name.to_owned() } else { format!("{name}({})", arguments.join(", ")) }
}

/// Parameter in data units; one value per column if units differ.
fn in_data_units(parameter: &Parameter, units: &[f64]) -> Option<Parameter> {
    parameter.scaled(units).or_else(|_| parameter.repeated(units.len())?.scaled(units)).ok()
}

/// Values with `fixed`, bounds and prior. If these differ, bounds follow each value; [`length_lines`] shows priors.
fn value_text(parameter: &Parameter) -> String {
    let first = conditions_of(parameter, 0);
    let are_alike = (1..parameter.len()).all(|element| conditions_of(parameter, element) == first);
    let number = |(place, value): (usize, &f64)| {
        let number = few_digits(*value);
        let number = if parameter.is_fixed(place) { format!("fixed({number})") } else { number };
        if are_alike { number } else { number + &bounds_of(parameter, place) }
    };
    let numbers: Vec<String> = parameter.values().iter().enumerate().map(number).collect();
    let text = match numbers.as_slice() {
        [first, _, _, ..] if numbers.iter().all(|number| number == first) => {
            format!("[{first} for each of {}]", numbers.len())
        }
        long if long.len() > LONGEST_LIST => {
            format!("[{}, … {} more]", long[..SHOWN].join(", "), long.len() - SHOWN)
        }
        few if parameter.is_vector() => format!("[{}]", few.join(", ")),
        one => one.concat(),
    };
    if are_alike { text + &first } else { text }
}

fn conditions_of(parameter: &Parameter, element: usize) -> String {
    conditions(own_ends(parameter, element), parameter.prior_of(element))
}

fn bounds_of(parameter: &Parameter, element: usize) -> String {
    conditions(own_ends(parameter, element), None)
}

fn own_ends(parameter: &Parameter, element: usize) -> (Option<f64>, Option<f64>) {
    let transform = parameter.transform_of(element);
    let ends = if transform == parameter.domain() { Transform::Identity } else { transform };
    let end = |end: f64| end.is_finite().then_some(end);
    let (low, high) = ends.ends();
    (end(low), end(high))
}

fn few_digits(number: f64) -> String {
    format_number(to_few_digits(number))
}

fn to_few_digits(number: f64) -> f64 {
    format!("{number:.3e}").parse().unwrap_or(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_of_each_input_are_shown() {
        let text = |text: &str| gp_kernels::parse(text).unwrap().expression_with(&value_text);
        assert_eq!(
            text("rbf(lengthscale=[1.23456 in [0.1, 10], 2 in [0.2, 20]])"),
            "rbf(lengthscale=[1.235 in [0.1, 10], 2 in [0.2, 20]])"
        );
        assert_eq!(text("rbf(lengthscale=[1 in [0, 5], 2 in [0, 5]])"), "rbf(lengthscale=[1, 2] in [0, 5])");
    }

    #[test]
    fn likelihoods_are_shown_in_few_digits() {
        let shown = |text: &str| readable_likelihood(gp_likelihoods::parse(text).unwrap().as_ref());
        assert_eq!(
            shown("student_t(scale=0.123456789 in [0.000123456789, none], dof=3 ~ gamma(1.23456789, 1))"),
            "student_t(scale=0.1235 in [0.0001235, none], dof=3 ~ gamma(1.235, 1))"
        );
        assert_eq!(
            [shown("poisson"), shown("softmax(classes=3)")],
            ["poisson(offset=0)", "softmax(classes=3)"]
        );
    }

    #[test]
    fn lengths_are_named_by_their_columns() {
        let kernel = gp_kernels::parse("2 * rbf(lengthscale=[1, 2]) + linear(lengthscale=3)").unwrap();
        let columns = ["age", "height"].map(str::to_owned);
        let names = value_names(kernel.as_ref(), &columns);
        assert!(names.contains(&"rbf.lengthscale of height".to_owned()), "{names:?}");
        assert!(names.contains(&"linear.lengthscale".to_owned()) && names.len() == 4, "{names:?}");
    }
}
