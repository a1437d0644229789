//! Builds kernels from expression trees.

use gp_optim::text::{self, Numbers, SyntaxError};
use gp_optim::{ParameterError, Transform};

use super::arguments::KernelArguments;
use super::parser::{Find, Node, read};
use super::{ExpressionError, KernelEntry};
use crate::algebra::{ActiveDims, Product, Scaled, Sum};
use crate::error::KernelError;
use crate::kernel::Kernel;

/// Known columns of a kernel.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Columns<'c> {
    Unknown,
    Count(usize),
    /// Expression units per point unit.
    Units(&'c [f64]),
}

impl Columns<'_> {
    fn count(self) -> Option<usize> {
        match self {
            Self::Unknown => None,
            Self::Count(count) => Some(count),
            Self::Units(units) => Some(units.len()),
        }
    }
}

pub(crate) fn parse(
    text: &str,
    find: Find<'_>,
    columns: Columns<'_>,
) -> Result<Box<dyn Kernel>, KernelError> {
    Builder { text }.build(read(text, find)?, columns)
}

struct Builder<'t> {
    text: &'t str,
}

impl Builder<'_> {
    fn build(&self, node: Node, columns: Columns<'_>) -> Result<Box<dyn Kernel>, KernelError> {
        let all = |nodes: Vec<Node>| {
            let kernels = nodes.into_iter().map(|node| self.build(node, columns));
            kernels.collect::<Result<Vec<_>, KernelError>>()
        };
        match node {
            Node::Sum(terms) => Ok(Sum::of_some(all(terms)?)),
            Node::Product { column, scale, factors } => {
                self.scaled(column, scale, Product::of_some(all(factors)?))
            }
            Node::Call { entry, named, kernels } => self.call(entry, named, kernels, columns),
        }
    }

    fn scaled(
        &self,
        column: usize,
        scale: Option<Numbers>,
        product: Box<dyn Kernel>,
    ) -> Result<Box<dyn Kernel>, KernelError> {
        let Some(number) = scale else { return Ok(product) };
        let variance = number.into_parameter(Scaled::PARAMETER.to_owned(), Transform::Positive);
        let scaled = variance.map_err(KernelError::from).and_then(|variance| Scaled::new(variance, product));
        Ok(Box::new(scaled.map_err(|error| self.fail(column, error.to_string()))?))
    }

    fn call(
        &self,
        entry: KernelEntry,
        named: text::Arguments,
        kernels: Vec<Node>,
        columns: Columns<'_>,
    ) -> Result<Box<dyn Kernel>, KernelError> {
        let column = named.column();
        let at_call = |error: KernelError| match error {
            KernelError::Expression(_) => error,
            other => self.fail(column, other.to_string()),
        };
        let inputs = columns.count();
        let mut arguments = KernelArguments { text: self.text, named, kernels: Default::default(), inputs };
        let dims = arguments.dims()?;
        let units = dims.as_deref().and_then(|dims| chosen(dims, columns));
        let columns = match (&dims, &units) {
            (Some(_), Some(units)) => Columns::Units(units),
            (Some(dims), None) => Columns::Count(dims.len()),
            (None, _) => columns,
        };
        arguments.inputs = columns.count();
        for node in kernels {
            arguments.kernels.push_back(self.build(node, columns)?);
        }
        let mut kernel = entry.build(&mut arguments).map_err(at_call)?;
        arguments.finish()?;
        if let Columns::Units(units) = columns {
            self.to_units_of_points(kernel.as_mut(), &arguments, units)?;
        }
        let Some(dims) = dims else { return Ok(kernel) };
        Ok(Box::new(ActiveDims::new(dims, kernel).map_err(at_call)?))
    }

    fn to_units_of_points(
        &self,
        kernel: &mut dyn Kernel,
        arguments: &KernelArguments<'_>,
        units: &[f64],
    ) -> Result<(), KernelError> {
        let factors: Vec<f64> = units.iter().map(|unit| 1.0 / unit).collect();
        for place in 0..kernel.parameters().len() {
            let name = kernel.parameters()[place].name().to_owned();
            if !kernel.is_length(place) || !arguments.named.is_given(&name) {
                continue;
            }
            let parameter = &mut kernel.parameters_mut()[place];
            let scaled = parameter.scaled(&factors);
            *parameter =
                scaled.map_err(|error| self.fail(arguments.named.column_of(&name), refused(&error)))?;
        }
        Ok(())
    }

    fn fail(&self, column: usize, message: impl Into<String>) -> KernelError {
        ExpressionError::new(self.text, SyntaxError::new(column, message)).into()
    }
}

fn chosen(dims: &[usize], columns: Columns<'_>) -> Option<Vec<f64>> {
    let Columns::Units(units) = columns else { return None };
    dims.iter().map(|dim| units.get(*dim).copied()).collect()
}

fn refused(error: &ParameterError) -> String {
    match error {
        ParameterError::MixedUnits { name } => format!(
            "`{name}` is one number for columns whose units differ; give one for each in brackets, or choose columns with dims=[…]"
        ),
        other => other.to_string(),
    }
}
