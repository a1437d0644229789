//! Tokens to a kernel, by recursive descent.

use gp_optim::{Prior, Transform};

use super::arguments::{Arguments, Given, Numbers, Value};
use super::lexer::{Placed, Token, tokens};
use super::{ExpressionError, KernelEntry};
use crate::algebra::{ActiveDims, Product, Scaled, Sum};
use crate::error::KernelError;
use crate::kernel::Kernel;
use crate::registry::Registry;

/// Parentheses deeper than this are refused before they could exhaust the stack.
const MAX_DEPTH: usize = 64;

/// More arguments than any kernel has, and few enough to look through one by one.
const MAX_ARGUMENTS: usize = 100;

/// Reads a kernel. `inputs` is the number of columns of the data, where it is known.
pub(crate) fn parse(
    text: &str,
    registry: &Registry,
    inputs: Option<usize>,
) -> Result<Box<dyn Kernel>, KernelError> {
    let mut parser = Parser { text, tokens: tokens(text)?, at: 0, registry, inputs: vec![inputs], depth: 0 };
    let kernel = parser.sum()?;
    match parser.peek() {
        Token::End => Ok(kernel),
        other => Err(parser.fail(format!("expected `+`, `*` or the end, found {}", other.describe()))),
    }
}

struct Parser<'t> {
    text: &'t str,
    tokens: Vec<Placed>,
    at: usize,
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
    fn peek(&self) -> &Token {
        &self.tokens[self.at].token
    }

    fn column(&self) -> usize {
        self.tokens[self.at].column
    }

    fn advance(&mut self) {
        // The last token is the end, which is never passed.
        self.at = (self.at + 1).min(self.tokens.len() - 1);
    }

    fn fail(&self, message: impl Into<String>) -> KernelError {
        self.fail_at(self.column(), message)
    }

    fn fail_at(&self, column: usize, message: impl Into<String>) -> KernelError {
        ExpressionError { text: self.text.to_owned(), column, message: message.into() }.into()
    }

    fn take_symbol(&mut self, symbol: char) -> bool {
        let found = *self.peek() == Token::Symbol(symbol);
        if found {
            self.advance();
        }
        found
    }

    fn take_name(&mut self, word: &str) -> bool {
        let found = matches!(self.peek(), Token::Name(name) if name == word);
        if found {
            self.advance();
        }
        found
    }

    fn expect_symbol(&mut self, symbol: char) -> Result<(), KernelError> {
        if self.take_symbol(symbol) {
            return Ok(());
        }
        Err(self.fail(format!("expected `{symbol}`, found {}", self.peek().describe())))
    }

    fn sum(&mut self) -> Result<Box<dyn Kernel>, KernelError> {
        if self.depth >= MAX_DEPTH {
            return Err(self.fail(format!("parentheses are nested more than {MAX_DEPTH} deep")));
        }
        self.depth += 1;
        let first = self.product()?;
        let mut terms = vec![first];
        while self.take_symbol('+') {
            terms.push(self.product()?);
        }
        self.depth -= 1;
        Ok(Sum::of_some(terms))
    }

    fn product(&mut self) -> Result<Box<dyn Kernel>, KernelError> {
        let start = self.column();
        let mut scale: Option<Numbers> = None;
        let mut factors = Vec::new();
        loop {
            let column = self.column();
            match self.factor()? {
                Factor::Kernel(kernel) => factors.push(kernel),
                Factor::Number(number) if scale.is_none() => scale = Some(number),
                Factor::Number(_) => {
                    return Err(
                        self.fail_at(column, "a product has at most one number in front of its kernels")
                    );
                }
            }
            if !self.take_symbol('*') {
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
        let scaled = variance.and_then(|variance| Scaled::new(variance, product));
        Ok(Box::new(scaled.map_err(|error| self.fail_at(start, error.to_string()))?))
    }

    fn factor(&mut self) -> Result<Factor, KernelError> {
        match self.peek().clone() {
            Token::Number(_) => self.value().map(Factor::Number),
            Token::Name(name) if name == "fixed" => self.value().map(Factor::Number),
            Token::Name(name) => self.call(name).map(Factor::Kernel),
            Token::Symbol('(') => {
                self.advance();
                let inner = self.sum()?;
                self.expect_symbol(')')?;
                Ok(Factor::Kernel(inner))
            }
            other => Err(self.fail(format!("expected a kernel or a number, found {}", other.describe()))),
        }
    }

    fn call(&mut self, name: String) -> Result<Box<dyn Kernel>, KernelError> {
        let column = self.column();
        let entry = self.registry.find(&name).map_err(|error| self.fail_at(column, error.to_string()))?;
        self.advance();
        let mut arguments = Arguments {
            text: self.text,
            call: name,
            column,
            given: Vec::new(),
            kernels: std::collections::VecDeque::new(),
            inputs: self.inputs.last().copied().flatten(),
            known: Vec::new(),
        };
        if self.take_symbol('(') && !self.take_symbol(')') {
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
        let column = arguments.column;
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
            if self.take_symbol(')') {
                return Ok(());
            }
            if !self.take_symbol(',') {
                return Err(self.fail(format!("expected `,` or `)`, found {}", self.peek().describe())));
            }
        }
    }

    fn argument(&mut self, arguments: &mut Arguments<'_>) -> Result<(), KernelError> {
        let column = self.column();
        let Some(name) = self.argument_name() else {
            // Columns seen by a kernel inside `select(…, dims=[…])` are counted within those dims, which follow it.
            self.inputs.push(None);
            let kernel = self.sum()?;
            self.inputs.pop();
            arguments.kernels.push_back(kernel);
            return Ok(());
        };
        if arguments.given.len() >= MAX_ARGUMENTS {
            return Err(self.fail_at(column, format!("a kernel takes at most {MAX_ARGUMENTS} arguments")));
        }
        if arguments.given.iter().any(|given| given.name == name) {
            return Err(self.fail_at(column, format!("argument `{name}` is given twice")));
        }
        let value = self.argument_value()?;
        arguments.given.push(Given { name, column, value, used: false });
        Ok(())
    }

    /// The name in `name =`, if that is what comes next.
    fn argument_name(&mut self) -> Option<String> {
        let Token::Name(name) = self.peek().clone() else { return None };
        let followed = self.tokens.get(self.at + 1).map(|placed| &placed.token);
        if followed != Some(&Token::Symbol('=')) {
            return None;
        }
        self.advance();
        self.advance();
        Some(name)
    }

    fn argument_value(&mut self) -> Result<Value, KernelError> {
        if self.take_name("true") {
            return Ok(Value::Flag(true));
        }
        if self.take_name("false") {
            return Ok(Value::Flag(false));
        }
        self.value().map(Value::Numbers)
    }

    /// A number or a bracketed list of numbers, with its bounds and prior.
    fn value(&mut self) -> Result<Numbers, KernelError> {
        let mut numbers = Numbers { vector: self.take_symbol('['), ..Numbers::default() };
        if !(numbers.vector && self.take_symbol(']')) {
            self.number(&mut numbers)?;
            while numbers.vector && !self.take_symbol(']') {
                self.expect_symbol(',')?;
                self.number(&mut numbers)?;
            }
        }
        if self.take_name("in") {
            numbers.bounds = Some(self.bounds()?);
        }
        if self.take_symbol('~') {
            numbers.prior = Some(self.prior()?);
        }
        Ok(numbers)
    }

    /// A number, or one in `fixed(…)`.
    fn number(&mut self, numbers: &mut Numbers) -> Result<(), KernelError> {
        let fixed = self.take_name("fixed");
        if fixed {
            self.expect_symbol('(')?;
        }
        numbers.values.push(self.plain_number()?);
        numbers.fixed.push(fixed);
        if fixed { self.expect_symbol(')') } else { Ok(()) }
    }

    fn plain_number(&mut self) -> Result<f64, KernelError> {
        let Token::Number(value) = *self.peek() else {
            return Err(self.fail(format!("expected a number, found {}", self.peek().describe())));
        };
        self.advance();
        Ok(value)
    }

    fn bounds(&mut self) -> Result<(f64, f64), KernelError> {
        self.expect_symbol('[')?;
        let lo = if self.take_name("none") { f64::NEG_INFINITY } else { self.plain_number()? };
        self.expect_symbol(',')?;
        let hi = if self.take_name("none") { f64::INFINITY } else { self.plain_number()? };
        self.expect_symbol(']')?;
        Ok((lo, hi))
    }

    fn prior(&mut self) -> Result<Prior, KernelError> {
        let column = self.column();
        let Token::Name(name) = self.peek().clone() else {
            return Err(self.fail("expected a prior such as gamma(2, 1)"));
        };
        self.advance();
        self.expect_symbol('(')?;
        let mut arguments = vec![self.plain_number()?];
        while !self.take_symbol(')') {
            self.expect_symbol(',')?;
            arguments.push(self.plain_number()?);
        }
        Prior::from_call(&name, &arguments).map_err(|error| self.fail_at(column, error.to_string()))
    }
}
