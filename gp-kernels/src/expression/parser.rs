//! Parser from tokens to an expression tree.

use gp_optim::text::{Arguments, Numbers, Reader, SyntaxError, Token};

use super::{ExpressionError, KernelEntry};
use crate::error::KernelError;

const MAX_DEPTH: usize = 64;
const MAX_KERNELS: usize = 1_000;

/// Expression node, built later because `dims` may follow.
#[derive(Debug)]
pub(super) enum Node {
    Sum(Vec<Node>),
    /// Factors, optional number, first column.
    Product {
        column: usize,
        scale: Option<Numbers>,
        factors: Vec<Node>,
    },
    Call {
        entry: KernelEntry,
        named: Arguments,
        kernels: Vec<Node>,
    },
}

pub(crate) type Find<'f> = &'f dyn Fn(&str) -> Result<KernelEntry, KernelError>;

pub(super) fn read(text: &str, find: Find<'_>) -> Result<Node, KernelError> {
    let reader = Reader::new(text).map_err(|fault| ExpressionError::new(text, fault))?;
    let mut parser = Parser { text, reader, find, depth: 0, kernels: 0 };
    let node = parser.sum()?;
    match parser.reader.peek() {
        Token::End => Ok(node),
        other => Err(parser.fail(format!("expected `+`, `*` or the end, found {}", other.describe()))),
    }
}

struct Parser<'t> {
    text: &'t str,
    reader: Reader,
    find: Find<'t>,
    depth: usize,
    kernels: usize,
}

enum Factor {
    Number(Numbers),
    Kernel(Node),
}

impl Parser<'_> {
    fn fail(&self, message: impl Into<String>) -> KernelError {
        self.fail_at(self.reader.column(), message)
    }

    fn fail_at(&self, column: usize, message: impl Into<String>) -> KernelError {
        self.at(SyntaxError::new(column, message))
    }

    fn at(&self, fault: SyntaxError) -> KernelError {
        ExpressionError::new(self.text, fault).into()
    }

    fn numbers(&mut self) -> Result<Numbers, KernelError> {
        self.reader.numbers().map_err(|fault| self.at(fault))
    }

    fn expect_symbol(&mut self, symbol: char) -> Result<(), KernelError> {
        self.reader.expect_symbol(symbol).map_err(|fault| self.at(fault))
    }

    fn sum(&mut self) -> Result<Node, KernelError> {
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
        Ok(Node::Sum(terms))
    }

    fn product(&mut self) -> Result<Node, KernelError> {
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
        Ok(Node::Product { column: start, scale, factors })
    }

    fn factor(&mut self) -> Result<Factor, KernelError> {
        match self.reader.peek().clone() {
            Token::Number(_) => self.numbers().map(Factor::Number),
            token if token.is_name("fixed") => self.numbers().map(Factor::Number),
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

    fn call(&mut self, name: String) -> Result<Node, KernelError> {
        let column = self.reader.column();
        self.kernels += 1;
        if self.kernels > MAX_KERNELS {
            return Err(self.fail(format!("an expression has at most {MAX_KERNELS} kernels")));
        }
        let entry = (self.find)(&name).map_err(|error| self.fail_at(column, error.to_string()))?;
        self.reader.advance();
        let (mut named, mut kernels) = (Arguments::new(name, column), Vec::new());
        if self.reader.take_symbol('(') && !self.reader.take_symbol(')') {
            self.arguments(&mut named, &mut kernels)?;
        }
        Ok(Node::Call { entry, named, kernels })
    }

    fn arguments(&mut self, named: &mut Arguments, kernels: &mut Vec<Node>) -> Result<(), KernelError> {
        loop {
            if !self.reader.named_argument(named).map_err(|fault| self.at(fault))? {
                kernels.push(self.sum()?);
            }
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
}
