//! Token-by-token reader of a text.

use super::SyntaxError;
use super::arguments::{Argument, Arguments, Value};
use super::lexer::{Placed, Token, tokens};
use super::value::{Given, Numbers};
use crate::prior::Prior;

/// Maximum per call, for linear search.
const MAX_ARGUMENTS: usize = 100;

/// Cursor over tokens.
#[derive(Clone, Debug)]
pub struct Reader {
    tokens: Vec<Placed>,
    at: usize,
}

impl Reader {
    /// Cursor at the first token.
    ///
    /// # Errors
    /// Invalid characters or numbers; over a million characters.
    pub fn new(text: &str) -> Result<Self, SyntaxError> {
        Ok(Self { tokens: tokens(text)?, at: 0 })
    }

    /// Next token; [`Token::End`] at the end.
    #[must_use]
    pub fn peek(&self) -> &Token {
        &self.tokens[self.at].token
    }

    /// Token after the next.
    #[must_use]
    pub fn peek_second(&self) -> &Token {
        &self.tokens[(self.at + 1).min(self.tokens.len() - 1)].token
    }

    /// Column of the next token.
    #[must_use]
    pub fn column(&self) -> usize {
        self.tokens[self.at].column
    }

    /// Skips the next token.
    pub fn advance(&mut self) {
        self.at = (self.at + 1).min(self.tokens.len() - 1);
    }

    /// Error at the next token.
    #[must_use]
    pub fn fail(&self, message: impl Into<String>) -> SyntaxError {
        SyntaxError::new(self.column(), message)
    }

    /// Skips this symbol if next; `true` if so.
    pub fn take_symbol(&mut self, symbol: char) -> bool {
        let found = *self.peek() == Token::Symbol(symbol);
        if found {
            self.advance();
        }
        found
    }

    /// Skips this name, in any case, if next; `true` if so.
    pub fn take_name(&mut self, word: &str) -> bool {
        let found = self.peek().is_name(word);
        if found {
            self.advance();
        }
        found
    }

    /// Skips this symbol.
    ///
    /// # Errors
    /// Another token.
    pub fn expect_symbol(&mut self, symbol: char) -> Result<(), SyntaxError> {
        if self.take_symbol(symbol) {
            return Ok(());
        }
        Err(self.fail(format!("expected `{symbol}`, found {}", self.peek().describe())))
    }

    /// Reads `name = value` if next; `true` if so.
    ///
    /// # Errors
    /// Repeated name, invalid value, over 100 arguments.
    pub fn named_argument(&mut self, arguments: &mut Arguments) -> Result<bool, SyntaxError> {
        let Token::Name(name) = self.peek().clone() else { return Ok(false) };
        if *self.peek_second() != Token::Symbol('=') {
            return Ok(false);
        }
        let column = self.column();
        if arguments.given.len() >= MAX_ARGUMENTS {
            return Err(self.fail(format!("`{}` takes at most {MAX_ARGUMENTS} arguments", arguments.call())));
        }
        if arguments.given.iter().any(|given| given.is_called(&name)) {
            return Err(self.fail(format!("argument `{name}` is given twice")));
        }
        self.advance();
        self.advance();
        let value = self.argument_value()?;
        arguments.given.push(Argument { name, column, value, used: false });
        Ok(true)
    }

    fn argument_value(&mut self) -> Result<Value, SyntaxError> {
        for (word, flag) in [("true", true), ("false", false)] {
            if self.take_name(word) {
                return Ok(Value::Flag(flag));
            }
        }
        self.numbers().map(Value::Numbers)
    }

    /// Reads a number or list with conditions.
    ///
    /// # Errors
    /// Other text.
    pub fn numbers(&mut self) -> Result<Numbers, SyntaxError> {
        let mut numbers = Numbers { vector: self.take_symbol('['), ..Numbers::default() };
        if !(numbers.vector && self.take_symbol(']')) {
            self.number(&mut numbers)?;
            while numbers.vector && !self.take_symbol(']') {
                self.expect_symbol(',')?;
                self.number(&mut numbers)?;
            }
        }
        numbers.shared = self.given()?;
        Ok(numbers)
    }

    fn given(&mut self) -> Result<Given, SyntaxError> {
        let bounds = if self.take_name("in") { Some(self.bounds()?) } else { None };
        let prior = if self.take_symbol('~') { Some(self.prior()?) } else { None };
        Ok(Given { bounds, prior })
    }

    fn number(&mut self, numbers: &mut Numbers) -> Result<(), SyntaxError> {
        let fixed = self.take_name("fixed");
        if fixed {
            self.expect_symbol('(')?;
        }
        numbers.values.push(self.plain_number()?);
        numbers.fixed.push(fixed);
        if fixed {
            self.expect_symbol(')')?;
        }
        if numbers.vector {
            numbers.own.push(self.given()?);
        }
        Ok(())
    }

    fn plain_number(&mut self) -> Result<f64, SyntaxError> {
        let Token::Number(value) = *self.peek() else {
            return Err(self.fail(format!("expected a number, found {}", self.peek().describe())));
        };
        self.advance();
        Ok(value)
    }

    fn bounds(&mut self) -> Result<(f64, f64), SyntaxError> {
        self.expect_symbol('[')?;
        let lo = if self.take_name("none") { f64::NEG_INFINITY } else { self.plain_number()? };
        self.expect_symbol(',')?;
        let hi = if self.take_name("none") { f64::INFINITY } else { self.plain_number()? };
        self.expect_symbol(']')?;
        Ok((lo, hi))
    }

    fn prior(&mut self) -> Result<Prior, SyntaxError> {
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
        Prior::from_call(&name, &arguments).map_err(|error| SyntaxError::new(column, error.to_string()))
    }
}
