//! Arguments of one call, by name.

use super::SyntaxError;
use super::value::Numbers;
use crate::parameter::Parameter;
use crate::similar::did_you_mean;

/// Named argument, `name = value`.
#[derive(Clone, Debug, PartialEq)]
pub struct Argument {
    /// Name, before the `=`.
    pub name: String,
    /// Column of the start.
    pub column: usize,
    /// Value, after the `=`.
    pub value: Value,
    pub(super) used: bool,
}

impl Argument {
    pub(super) fn is_called(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name)
    }
}

/// Value of an argument.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// `true` or `false`
    Flag(bool),
    /// One number, or several in brackets.
    Numbers(Numbers),
}

/// Named arguments, in any case.
#[derive(Clone, Debug)]
pub struct Arguments {
    call: String,
    column: usize,
    pub(super) given: Vec<Argument>,
    known: Vec<String>,
}

impl Arguments {
    /// Call at `column`, without arguments.
    #[must_use]
    pub fn new(call: impl Into<String>, column: usize) -> Self {
        Self { call: call.into(), column, given: Vec::new(), known: Vec::new() }
    }

    /// Name of the call.
    #[must_use]
    pub fn call(&self) -> &str {
        &self.call
    }

    /// Start of the call.
    #[must_use]
    pub fn column(&self) -> usize {
        self.column
    }

    /// Argument's column, or the call's.
    #[must_use]
    pub fn column_of(&self, name: &str) -> usize {
        self.given.iter().find(|given| given.is_called(name)).map_or(self.column, |given| given.column)
    }

    /// `true` if present.
    #[must_use]
    pub fn is_given(&self, name: &str) -> bool {
        self.given.iter().any(|given| given.is_called(name))
    }

    /// Takes an argument and marks it used.
    pub fn take(&mut self, name: &str) -> Option<Argument> {
        if !self.known.iter().any(|known| known == name) {
            self.known.push(name.to_owned());
        }
        let given = self.given.iter_mut().find(|given| given.is_called(name))?;
        given.used = true;
        Some(given.clone())
    }

    /// Parameter in the default's shape, or the default.
    ///
    /// # Errors
    /// Values outside the domain, other shapes.
    pub fn parameter(&mut self, default: &Parameter) -> Result<Parameter, SyntaxError> {
        let Some(given) = self.take(default.name()) else { return Ok(default.clone()) };
        let (column, name) = (given.column, default.name().to_owned());
        let Value::Numbers(numbers) = given.value else {
            return Err(SyntaxError::new(column, format!("`{name}` takes a number")));
        };
        if !default.is_vector() && numbers.vector {
            return Err(SyntaxError::new(column, format!("`{name}` takes one number, without brackets")));
        }
        if default.is_vector() && (!numbers.vector || numbers.values.len() != default.len()) {
            let message = format!("`{name}` takes {} numbers in brackets", default.len());
            return Err(SyntaxError::new(column, message));
        }
        let built = numbers.into_parameter(name, default.domain());
        built.map_err(|error| SyntaxError::new(column, error.to_string()))
    }

    /// Whole-number setting.
    ///
    /// # Errors
    /// Unless whole, in [0, 2³²).
    pub fn whole_number(&mut self, name: &str, default: usize) -> Result<usize, SyntaxError> {
        let Some(given) = self.take(name) else { return Ok(default) };
        match &given.value {
            Value::Numbers(numbers) if !numbers.vector && numbers.is_plain() => {
                numbers.values.first().and_then(|&value| whole(value))
            }
            _ => None,
        }
        .ok_or_else(|| SyntaxError::new(given.column, format!("`{name}` takes a whole number")))
    }

    /// List such as `dims=[0, 2]`, if given.
    ///
    /// # Errors
    /// Other values, with message `wanted`.
    pub fn whole_numbers(&mut self, name: &str, wanted: &str) -> Result<Option<Vec<usize>>, SyntaxError> {
        let Some(given) = self.take(name) else { return Ok(None) };
        match &given.value {
            Value::Numbers(numbers) if numbers.vector && numbers.is_plain() => {
                numbers.values.iter().map(|&value| whole(value)).collect::<Option<Vec<_>>>()
            }
            _ => None,
        }
        .map(Some)
        .ok_or_else(|| SyntaxError::new(given.column, wanted))
    }

    /// Checks that every argument was taken.
    ///
    /// # Errors
    /// First argument left, with known names.
    pub fn finish(&self) -> Result<(), SyntaxError> {
        let Some(stray) = self.given.iter().find(|given| !given.used) else { return Ok(()) };
        let known = if self.known.is_empty() { "none".to_owned() } else { self.known.join(", ") };
        let meant = did_you_mean(&stray.name, self.known.iter().map(String::as_str));
        let message = format!("`{}` has no argument `{}`; there are: {known}{meant}", self.call, stray.name);
        Err(SyntaxError::new(stray.column, message))
    }
}

fn whole(value: f64) -> Option<usize> {
    // Exact below 2³²; no setting is larger.
    (value.fract() == 0.0 && (0.0..4_294_967_296.0).contains(&value)).then_some(value as usize)
}
