//! Arguments of a kernel's call.

use gp_optim::Parameter;
use gp_optim::text::{self, Argument, Numbers, SyntaxError, Value};

use super::ExpressionError;
use crate::error::KernelError;
use crate::kernel::Kernel;

/// Allowed values of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterKind {
    /// One number.
    Shared,
    /// One number, or one per input.
    PerInput,
    /// `PerInput` in units of the inputs (length-scale, period).
    Length,
    /// Default's number of values.
    Exact,
}

impl ParameterKind {
    fn is_per_input(self) -> bool {
        matches!(self, Self::PerInput | Self::Length)
    }
}

/// Arguments of a call; leftovers are an error.
#[derive(Debug)]
pub struct KernelArguments<'t> {
    pub(super) text: &'t str,
    pub(super) named: text::Arguments,
    pub(super) kernels: std::collections::VecDeque<Box<dyn Kernel>>,
    pub(super) inputs: Option<usize>,
}

impl KernelArguments<'_> {
    /// Parameter from the expression, or its default.
    ///
    /// # Errors
    /// [`ExpressionError`] for invalid values or counts.
    pub fn parameter(&mut self, default: Parameter, kind: ParameterKind) -> Result<Parameter, KernelError> {
        let ard = kind.is_per_input() && self.ard()?;
        let Some(given) = self.named.take(default.name()) else {
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

    /// Whole-number setting.
    ///
    /// # Errors
    /// [`ExpressionError`] for other values.
    pub fn whole_number(&mut self, name: &str, default: usize) -> Result<usize, KernelError> {
        self.named.whole_number(name, default).map_err(|fault| self.at(fault))
    }

    /// Next kernel argument.
    ///
    /// # Errors
    /// [`ExpressionError`] without one.
    pub fn kernel(&mut self) -> Result<Box<dyn Kernel>, KernelError> {
        let next = self.kernels.pop_front();
        next.ok_or_else(|| {
            self.fail(self.named.column(), format!("`{}` needs a kernel as an argument", self.named.call()))
        })
    }

    pub(super) fn dims(&mut self) -> Result<Option<Vec<usize>>, KernelError> {
        const WANTED: &str = "`dims` takes columns from 0, as in dims=[0, 2]";
        let dims = self.named.whole_numbers("dims", WANTED).map_err(|fault| self.at(fault))?;
        let Some(dims) = dims else { return Ok(None) };
        if let Some(inputs) = self.inputs
            && let Some(dim) = dims.iter().find(|dim| **dim >= inputs)
        {
            let message =
                format!("column {dim} of `dims` does not exist: there are {inputs}, counted from 0");
            return Err(self.fail(self.named.column_of("dims"), message));
        }
        Ok(Some(dims))
    }

    pub(super) fn finish(&self) -> Result<(), KernelError> {
        self.named.finish().map_err(|fault| self.at(fault))?;
        if !self.kernels.is_empty() {
            let message = format!("`{}` takes fewer kernels", self.named.call());
            return Err(self.fail(self.named.column(), message));
        }
        Ok(())
    }

    pub(super) fn fail(&self, column: usize, message: impl Into<String>) -> KernelError {
        self.at(SyntaxError::new(column, message))
    }

    fn at(&self, fault: SyntaxError) -> KernelError {
        ExpressionError::new(self.text, fault).into()
    }

    fn ard(&mut self) -> Result<bool, KernelError> {
        match self.named.take("ard") {
            None => Ok(false),
            Some(Argument { value: Value::Flag(flag), .. }) => Ok(flag),
            Some(given) => Err(self.fail(given.column, "`ard` takes true or false")),
        }
    }

    fn one_per_input(&self, shared: &Parameter) -> Result<Parameter, KernelError> {
        let column = self.named.column_of("ard");
        match self.inputs {
            Some(inputs @ 1..=MAX_INPUTS) => Ok(shared.repeated(inputs)?),
            Some(inputs) => {
                Err(self.fail(column, format!("ard=true takes 1 to {MAX_INPUTS} inputs, not {inputs}")))
            }
            None => {
                let message =
                    "ard=true needs the number of inputs, which is not known here; write the values out";
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
        let (name, found) = (default.name(), numbers.values().len());
        match kind {
            ParameterKind::Shared if numbers.is_vector() => {
                Err(self.fail(column, format!("`{name}` takes one number, without brackets")))
            }
            ParameterKind::Exact if !numbers.is_vector() || found != default.len() => {
                Err(self.fail(column, format!("`{name}` takes {} numbers in brackets", default.len())))
            }
            ParameterKind::PerInput | ParameterKind::Length if numbers.is_vector() => match self.inputs {
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

const MAX_INPUTS: usize = 10_000_000;
