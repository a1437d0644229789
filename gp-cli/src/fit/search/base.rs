//! Base kernels with their parameters.

use super::super::seasons::four_digits;
use gp_optim::format_number;

const ARD_INPUTS: usize = 64;
/// Bounds of a periodic kernel's length-scale.
const SHAPES: (f64, f64) = (0.2, 10.0);
/// Bounds of rational quadratic exponents; an RBF beyond.
const EXPONENTS: (f64, f64) = (0.05, 50.0);

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Form {
    Rbf,
    Matern32,
    Matern52,
    RationalQuadratic,
    Linear,
    /// Period bounds, and column units per model unit.
    Periodic {
        around: (f64, f64),
        unit: f64,
    },
}

impl Form {
    pub(super) const SMOOTH: [Self; 4] = [Self::Rbf, Self::Matern32, Self::Matern52, Self::RationalQuadratic];

    fn name(self) -> &'static str {
        match self {
            Self::Rbf => "rbf",
            Self::Matern32 => "matern32",
            Self::Matern52 => "matern52",
            Self::RationalQuadratic => "rq",
            Self::Linear => "linear",
            Self::Periodic { .. } => "periodic",
        }
    }

    pub(super) fn is_smooth(self) -> bool {
        Self::SMOOTH.contains(&self)
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct SeenColumns {
    pub(super) columns: Option<Vec<usize>>,
    pub(super) count: usize,
    /// Displayed input name; empty for all.
    pub(super) input: String,
}

impl SeenColumns {
    pub(super) fn distance(&self) -> f64 {
        (self.count as f64).sqrt()
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Base {
    pub(super) form: Form,
    pub(super) seen: SeenColumns,
    pub(super) values: Vec<f64>,
}

impl Base {
    /// Smooth or linear kernel; length-scales in typical distances.
    pub(super) fn of(form: Form, seen: &SeenColumns, distances: f64) -> Self {
        let each = if form.is_smooth() && seen.count <= ARD_INPUTS { seen.count } else { 1 };
        let mut values = vec![distances * seen.distance(); each];
        values.extend((form == Form::RationalQuadratic).then_some(1.0));
        Self { form, seen: seen.clone(), values }
    }

    pub(super) fn periodic(period: f64, around: (f64, f64), unit: f64, seen: &SeenColumns) -> Self {
        Self { form: Form::Periodic { around, unit }, seen: seen.clone(), values: vec![period, 1.0] }
    }

    pub(super) fn lengths(&mut self) -> &mut [f64] {
        let count = self.values.len() - usize::from(self.form == Form::RationalQuadratic);
        &mut self.values[..count]
    }

    pub(super) fn reshaped(&self, form: Form) -> Self {
        let mut other = self.clone();
        let mut values = other.lengths().to_vec();
        values.extend((form == Form::RationalQuadratic).then_some(1.0));
        Self { form, values, ..other }
    }

    /// Expression; `prior` is appended to length-scales.
    pub(super) fn text(&self, prior: &str) -> String {
        let number = |value: &f64| format_number(*value);
        let on = self.seen.columns.as_ref().map_or_else(String::new, |columns| {
            let each: Vec<String> = columns.iter().map(ToString::to_string).collect();
            format!(", dims=[{}]", each.join(", "))
        });
        let within = |(low, high): (f64, f64)| format!(" in [{}, {}]", number(&low), number(&high));
        let name = self.form.name();
        if let (Form::Periodic { around, .. }, [period, shape]) = (self.form, self.values.as_slice()) {
            let (period, shape) = (number(period) + &within(around), number(shape) + &within(SHAPES));
            return format!("{name}(period={period}, lengthscale={shape}{on})");
        }
        let mut own = self.clone();
        let lengths: Vec<String> = own.lengths().iter().map(number).collect();
        let lengths = if lengths.len() == 1 { lengths.concat() } else { format!("[{}]", lengths.join(", ")) };
        let alpha = self.values.last().filter(|_| self.form == Form::RationalQuadratic);
        let alpha =
            alpha.map_or_else(String::new, |alpha| format!(", alpha={}{}", number(alpha), within(EXPONENTS)));
        format!("{name}(lengthscale={lengths}{prior}{alpha}{on})")
    }

    pub(super) fn describe(&self) -> String {
        let input = &self.seen.input;
        match (self.form, self.values.as_slice()) {
            (Form::Periodic { unit, .. }, [period, ..]) => {
                let comma = if input.is_empty() { "" } else { ", " };
                format!("periodic({input}{comma}period {})", four_digits(period * unit))
            }
            (form, _) if input.is_empty() => form.name().to_owned(),
            (form, _) => format!("{}({input})", form.name()),
        }
    }
}
