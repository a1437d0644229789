//! The arguments of one call, as the kernel being built asks for them.

use gp_optim::{Parameter, Prior, Transform};

use super::ExpressionError;
use crate::error::KernelError;
use crate::kernel::Kernel;

/// How many values a parameter may be given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterKind {
    /// One number.
    Shared,
    /// One number, or one per input in brackets.
    PerInput,
    /// As many numbers as the default has.
    Exact,
}

/// What stands behind a `name =`.
#[derive(Clone, Debug)]
pub(super) struct Given {
    pub(super) name: String,
    pub(super) column: usize,
    pub(super) value: Value,
    pub(super) used: bool,
}

/// A value of an argument.
#[derive(Clone, Debug)]
pub(super) enum Value {
    Flag(bool),
    Numbers(Numbers),
}

/// One number, or several in brackets, with what is said about them.
#[derive(Clone, Debug, Default)]
pub(super) struct Numbers {
    pub(super) values: Vec<f64>,
    pub(super) fixed: Vec<bool>,
    pub(super) vector: bool,
    pub(super) bounds: Option<(f64, f64)>,
    pub(super) prior: Option<Prior>,
}

impl Numbers {
    /// A parameter of this name and domain, with these values under these bounds.
    pub(super) fn into_parameter(self, name: String, domain: Transform) -> Result<Parameter, KernelError> {
        let mut parameter = if self.vector {
            Parameter::vector(name, self.values, domain)?
        } else {
            Parameter::scalar(name, self.values.first().copied().unwrap_or(f64::NAN), domain)?
        };
        if let Some(bounds) = self.bounds {
            parameter.set_transform(transform_between(bounds))?;
        }
        for (i, fixed) in self.fixed.into_iter().enumerate() {
            parameter.fix(i, fixed)?;
        }
        parameter.set_prior(self.prior)?;
        Ok(parameter)
    }
}

fn transform_between((lo, hi): (f64, f64)) -> Transform {
    match (lo.is_finite(), hi.is_finite()) {
        (true, true) => Transform::Interval { lo, hi },
        (true, false) => Transform::Above { lo },
        (false, true) => Transform::Below { hi },
        (false, false) => Transform::Identity,
    }
}

/// The arguments of one call of a kernel. Builders take what they know by name; what is left over is an error.
#[derive(Debug)]
pub struct Arguments<'t> {
    pub(super) text: &'t str,
    pub(super) call: String,
    pub(super) column: usize,
    pub(super) given: Vec<Given>,
    pub(super) kernels: std::collections::VecDeque<Box<dyn Kernel>>,
    /// The number of inputs that the kernel will see, where it is known.
    pub(super) inputs: Option<usize>,
    /// The names that were asked for, for messages.
    pub(super) known: Vec<String>,
}

impl Arguments<'_> {
    /// The parameter as it was given, or its default.
    ///
    /// # Errors
    /// An [`ExpressionError`] at the argument for a value outside the parameter's domain or of the wrong shape.
    pub fn parameter(&mut self, default: Parameter, kind: ParameterKind) -> Result<Parameter, KernelError> {
        let ard = kind == ParameterKind::PerInput && self.ard()?;
        let Some(given) = self.take(default.name()) else {
            return if ard { self.one_per_input(&default) } else { Ok(default) };
        };
        let column = given.column;
        let Value::Numbers(numbers) = given.value else {
            return Err(self.fail(column, format!("`{}` takes a number", default.name())));
        };
        self.check_shape(&default, kind, &numbers, column)?;
        let built = numbers.into_parameter(default.name().to_owned(), default.domain());
        let parameter = built.map_err(|error| self.fail(column, error.to_string()))?;
        if ard && !parameter.is_vector() { self.one_per_input(&parameter) } else { Ok(parameter) }
    }

    /// A setting that is a whole number, such as a degree.
    ///
    /// # Errors
    /// An [`ExpressionError`] at the argument for anything but a whole number from 0 on.
    pub fn whole_number(&mut self, name: &str, default: usize) -> Result<usize, KernelError> {
        let Some(given) = self.take(name) else { return Ok(default) };
        match &given.value {
            Value::Numbers(numbers) if !numbers.vector && plain(numbers) => whole(numbers.values[0]),
            _ => None,
        }
        .ok_or_else(|| self.fail(given.column, format!("`{name}` takes a whole number")))
    }

    /// The next kernel among the arguments, for kernels made of kernels.
    ///
    /// # Errors
    /// An [`ExpressionError`] at the call when there is none left.
    pub fn kernel(&mut self) -> Result<Box<dyn Kernel>, KernelError> {
        let next = self.kernels.pop_front();
        next.ok_or_else(|| self.fail(self.column, format!("`{}` needs a kernel as an argument", self.call)))
    }

    /// The list of columns in `dims=[…]`, which every kernel takes.
    pub(super) fn dims(&mut self) -> Result<Option<Vec<usize>>, KernelError> {
        let Some(given) = self.take("dims") else { return Ok(None) };
        let dims = match &given.value {
            Value::Numbers(numbers) if numbers.vector && plain(numbers) => {
                numbers.values.iter().map(|&value| whole(value)).collect::<Option<Vec<_>>>()
            }
            _ => None,
        };
        let dims =
            dims.ok_or_else(|| self.fail(given.column, "`dims` takes columns from 0, as in dims=[0, 2]"))?;
        if let Some(inputs) = self.inputs
            && let Some(dim) = dims.iter().find(|dim| **dim >= inputs)
        {
            let message =
                format!("column {dim} of `dims` does not exist: there are {inputs}, counted from 0");
            return Err(self.fail(given.column, message));
        }
        Ok(Some(dims))
    }

    /// An error for whatever was given and not asked for.
    pub(super) fn finish(&self) -> Result<(), KernelError> {
        if let Some(stray) = self.given.iter().find(|given| !given.used) {
            let known = if self.known.is_empty() { "none".to_owned() } else { self.known.join(", ") };
            let message = format!("`{}` has no argument `{}`; there are: {known}", self.call, stray.name);
            return Err(self.fail(stray.column, message));
        }
        if !self.kernels.is_empty() {
            return Err(self.fail(self.column, format!("`{}` takes fewer kernels", self.call)));
        }
        Ok(())
    }

    /// An error at this column.
    pub(super) fn fail(&self, column: usize, message: impl Into<String>) -> KernelError {
        ExpressionError { text: self.text.to_owned(), column, message: message.into() }.into()
    }

    fn take(&mut self, name: &str) -> Option<Given> {
        if !self.known.iter().any(|known| known == name) {
            self.known.push(name.to_owned());
        }
        let given = self.given.iter_mut().find(|given| given.name == name)?;
        given.used = true;
        Some(given.clone())
    }

    fn ard(&mut self) -> Result<bool, KernelError> {
        match self.take("ard") {
            None => Ok(false),
            Some(Given { value: Value::Flag(flag), .. }) => Ok(flag),
            Some(given) => Err(self.fail(given.column, "`ard` takes true or false")),
        }
    }

    fn one_per_input(&self, shared: &Parameter) -> Result<Parameter, KernelError> {
        let column =
            self.given.iter().find(|given| given.name == "ard").map_or(self.column, |given| given.column);
        match self.inputs {
            Some(inputs @ 1..=MAX_INPUTS) => Ok(shared.repeated(inputs)?),
            Some(inputs) => Err(self.fail(column, format!("ard=true takes 1 to {MAX_INPUTS} inputs, not {inputs}"))),
            None => {
                let message = "ard=true needs the number of inputs, which is not known here; write the values out";
                Err(self.fail(column, message))
            }
        }
    }

    fn check_shape(
        &self,
        default: &Parameter,
        kind: ParameterKind,
        numbers: &Numbers,
        column: usize,
    ) -> Result<(), KernelError> {
        let (name, found) = (default.name(), numbers.values.len());
        match kind {
            ParameterKind::Shared if numbers.vector => {
                Err(self.fail(column, format!("`{name}` takes one number, without brackets")))
            }
            ParameterKind::Exact if !numbers.vector || found != default.len() => {
                Err(self.fail(column, format!("`{name}` takes {} numbers in brackets", default.len())))
            }
            ParameterKind::PerInput if numbers.vector => match self.inputs {
                Some(inputs) if inputs != found => {
                    let message = format!("`{name}` has {found} values for {inputs} inputs");
                    Err(self.fail(column, message))
                }
                _ if found == 0 => Err(self.fail(column, format!("`{name}` has no values"))),
                _ => Ok(()),
            },
            _ => Ok(()),
        }
    }
}

/// The largest number of inputs that `ard=true` repeats a value for.
const MAX_INPUTS: usize = 10_000_000;

/// Whether the numbers come without bounds, prior or `fixed`, as settings do.
fn plain(numbers: &Numbers) -> bool {
    numbers.bounds.is_none() && numbers.prior.is_none() && !numbers.fixed.contains(&true)
}

fn whole(value: f64) -> Option<usize> {
    // Up to 2^32 a whole f64 converts exactly, and no setting is larger.
    (value.fract() == 0.0 && (0.0..4_294_967_296.0).contains(&value)).then_some(value as usize)
}
