//! Tokens to a kernel, by recursive descent.

use gp_optim::Transform;
use gp_optim::text::{Numbers, Reader, SyntaxError, Token};

use super::arguments::Arguments;
use super::{ExpressionError, KernelEntry};
use crate::algebra::{ActiveDims, Product, Scaled, Sum};
use crate::error::KernelError;
use crate::kernel::Kernel;
use crate::registry::Registry;

/// Parentheses deeper than this are refused before they could exhaust the stack.
const MAX_DEPTH: usize = 64;

/// Reads a kernel. `inputs` is the number of columns of the data, where it is known.
pub(crate) fn parse(
    text: &str,
    registry: &Registry,
    inputs: Option<usize>,
) -> Result<Box<dyn Kernel>, KernelError> {
    let reader = Reader::new(text).map_err(|fault| ExpressionError::new(text, fault))?;
    let mut parser = Parser { text, reader, registry, inputs: vec![inputs], depth: 0 };
    let kernel = parser.sum()?;
    match parser.reader.peek() {
        Token::End => Ok(kernel),
        other => Err(parser.fail(format!("expected `+`, `*` or the end, found {}", other.describe()))),
    }
}

struct Parser<'t> {
    text: &'t str,
    reader: Reader,
    registry: &'t Registry,
    /// The number of inputs that the kernel being read will see; one entry per enclosing call.
    inputs: Vec<Option<usize>>,
    depth: usize,
}

/// A factor of a product: a number, or a kernel.
enum Factor {
    Number(Numbers),
    Kernel(Box<dyn Kernel>),
}

impl Parser<'_> {
    fn fail(&self, message: impl Into<String>) -> KernelError {
        self.fail_at(self.reader.column(), message)
    }

    fn fail_at(&self, column: usize, message: impl Into<String>) -> KernelError {
        self.at(SyntaxError::new(column, message))
    }

    /// A fault of a word, in this text.
    fn at(&self, fault: SyntaxError) -> KernelError {
        ExpressionError::new(self.text, fault).into()
    }

    fn numbers(&mut self) -> Result<Numbers, KernelError> {
        self.reader.numbers().map_err(|fault| self.at(fault))
    }

    fn expect_symbol(&mut self, symbol: char) -> Result<(), KernelError> {
        self.reader.expect_symbol(symbol).map_err(|fault| self.at(fault))
    }

    fn sum(&mut self) -> Result<Box<dyn Kernel>, KernelError> {
        if self.depth >= MAX_DEPTH {
            return Err(self.fail(format!("parentheses are nested more than {MAX_DEPTH} deep")));
        }
        self.depth += 1;
        let first = self.product()?;
        let mut terms = vec![first];
        while self.reader.take_symbol('+') {
            terms.push(self.product()?);
        }
        self.depth -= 1;
        Ok(Sum::of_some(terms))
    }

    fn product(&mut self) -> Result<Box<dyn Kernel>, KernelError> {
        let start = self.reader.column();
        let mut scale: Option<Numbers> = None;
        let mut factors = Vec::new();
        loop {
            let column = self.reader.column();
            match self.factor()? {
                Factor::Kernel(kernel) => factors.push(kernel),
                Factor::Number(number) if scale.is_none() => scale = Some(number),
                Factor::Number(_) => {
                    return Err(
                        self.fail_at(column, "a product has at most one number in front of its kernels")
                    );
                }
            }
            if !self.reader.take_symbol('*') {
                break;
            }
        }
        if factors.is_empty() {
            return Err(
                self.fail_at(start, "a number alone is no kernel; write constant(variance=…) for a constant")
            );
        }
        let product = Product::of_some(factors);
        let Some(number) = scale else { return Ok(product) };
        let variance = number.into_parameter(Scaled::PARAMETER.to_owned(), Transform::Positive);
        let scaled = variance.map_err(KernelError::from).and_then(|variance| Scaled::new(variance, product));
        Ok(Box::new(scaled.map_err(|error| self.fail_at(start, error.to_string()))?))
    }

    fn factor(&mut self) -> Result<Factor, KernelError> {
        match self.reader.peek().clone() {
            Token::Number(_) => self.numbers().map(Factor::Number),
            Token::Name(name) if name == "fixed" => self.numbers().map(Factor::Number),
            Token::Name(name) => self.call(name).map(Factor::Kernel),
            Token::Symbol('(') => {
                self.reader.advance();
                let inner = self.sum()?;
                self.expect_symbol(')')?;
                Ok(Factor::Kernel(inner))
            }
            other => Err(self.fail(format!("expected a kernel or a number, found {}", other.describe()))),
        }
    }

    fn call(&mut self, name: String) -> Result<Box<dyn Kernel>, KernelError> {
        let column = self.reader.column();
        let entry = self.registry.find(&name).map_err(|error| self.fail_at(column, error.to_string()))?;
        self.reader.advance();
        let mut arguments = Arguments {
            text: self.text,
            named: gp_optim::text::Arguments::new(name, column),
            kernels: std::collections::VecDeque::new(),
            inputs: self.inputs.last().copied().flatten(),
        };
        if self.reader.take_symbol('(') && !self.reader.take_symbol(')') {
            self.arguments(&mut arguments)?;
        }
        self.build(entry, arguments)
    }

    /// Builds the kernel of a call and puts it behind its `dims`.
    fn build(
        &self,
        entry: KernelEntry,
        mut arguments: Arguments<'_>,
    ) -> Result<Box<dyn Kernel>, KernelError> {
        let column = arguments.named.column();
        let at_call = |error: KernelError| match error {
            KernelError::Expression(_) => error,
            other => self.fail_at(column, other.to_string()),
        };
        let dims = arguments.dims()?;
        if let Some(dims) = &dims {
            arguments.inputs = Some(dims.len());
        }
        let kernel = entry.build(&mut arguments).map_err(at_call)?;
        arguments.finish()?;
        let Some(dims) = dims else { return Ok(kernel) };
        Ok(Box::new(ActiveDims::new(dims, kernel).map_err(at_call)?))
    }

    fn arguments(&mut self, arguments: &mut Arguments<'_>) -> Result<(), KernelError> {
        loop {
            self.argument(arguments)?;
            if self.reader.take_symbol(')') {
                return Ok(());
            }
            if !self.reader.take_symbol(',') {
                return Err(
                    self.fail(format!("expected `,` or `)`, found {}", self.reader.peek().describe()))
                );
            }
        }
    }

    fn argument(&mut self, arguments: &mut Arguments<'_>) -> Result<(), KernelError> {
        if self.reader.named_argument(&mut arguments.named).map_err(|fault| self.at(fault))? {
            return Ok(());
        }
        // Columns seen by a kernel inside `select(…, dims=[…])` are counted within those dims, which follow it.
        self.inputs.push(None);
        let kernel = self.sum()?;
        self.inputs.pop();
        arguments.kernels.push_back(kernel);
        Ok(())
    }
}
