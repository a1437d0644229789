//! A text read word by word.

use super::SyntaxError;
use super::arguments::{Argument, Arguments, Value};
use super::lexer::{Placed, Token, tokens};
use super::value::Numbers;
use crate::prior::Prior;

/// More arguments than any call has, and few enough to look through one by one.
const MAX_ARGUMENTS: usize = 100;

/// A cursor over the words of a text, which reads what all grammars share.
#[derive(Clone, Debug)]
pub struct Reader {
    tokens: Vec<Placed>,
    at: usize,
}

impl Reader {
    /// A cursor at the first word.
    ///
    /// # Errors
    /// Characters that belong to no word, numbers that are not finite, and texts of over a million characters.
    pub fn new(text: &str) -> Result<Self, SyntaxError> {
        Ok(Self { tokens: tokens(text)?, at: 0 })
    }

    /// The next word; [`Token::End`] for good at the end.
    #[must_use]
    pub fn peek(&self) -> &Token {
        &self.tokens[self.at].token
    }

    /// The word after the next one.
    #[must_use]
    pub fn peek_second(&self) -> &Token {
        &self.tokens[(self.at + 1).min(self.tokens.len() - 1)].token
    }

    /// Where the next word starts.
    #[must_use]
    pub fn column(&self) -> usize {
        self.tokens[self.at].column
    }

    /// Passes the next word; the end is never passed.
    pub fn advance(&mut self) {
        self.at = (self.at + 1).min(self.tokens.len() - 1);
    }

    /// A fault at the next word.
    #[must_use]
    pub fn fail(&self, message: impl Into<String>) -> SyntaxError {
        SyntaxError::new(self.column(), message)
    }

    /// Passes this symbol if it is next, and says whether it was.
    pub fn take_symbol(&mut self, symbol: char) -> bool {
        let found = *self.peek() == Token::Symbol(symbol);
        if found {
            self.advance();
        }
        found
    }

    /// Passes this name if it is next, and says whether it was.
    pub fn take_name(&mut self, word: &str) -> bool {
        let found = matches!(self.peek(), Token::Name(name) if name == word);
        if found {
            self.advance();
        }
        found
    }

    /// Passes this symbol.
    ///
    /// # Errors
    /// When something else is next.
    pub fn expect_symbol(&mut self, symbol: char) -> Result<(), SyntaxError> {
        if self.take_symbol(symbol) {
            return Ok(());
        }
        Err(self.fail(format!("expected `{symbol}`, found {}", self.peek().describe())))
    }

    /// Reads `name = value` into the arguments if that is what comes next, and says whether it was.
    ///
    /// # Errors
    /// A name given twice, more arguments than any call takes, or a value that cannot be read.
    pub fn named_argument(&mut self, arguments: &mut Arguments) -> Result<bool, SyntaxError> {
        let Token::Name(name) = self.peek().clone() else { return Ok(false) };
        if *self.peek_second() != Token::Symbol('=') {
            return Ok(false);
        }
        let column = self.column();
        if arguments.given.len() >= MAX_ARGUMENTS {
            return Err(self.fail(format!("`{}` takes at most {MAX_ARGUMENTS} arguments", arguments.call())));
        }
        if arguments.given.iter().any(|given| given.name == name) {
            return Err(self.fail(format!("argument `{name}` is given twice")));
        }
        self.advance();
        self.advance();
        let value = self.argument_value()?;
        arguments.given.push(Argument { name, column, value, used: false });
        Ok(true)
    }

    fn argument_value(&mut self) -> Result<Value, SyntaxError> {
        if self.take_name("true") {
            return Ok(Value::Flag(true));
        }
        if self.take_name("false") {
            return Ok(Value::Flag(false));
        }
        self.numbers().map(Value::Numbers)
    }

    /// A number or a bracketed list of numbers, with its marks, bounds and prior.
    ///
    /// # Errors
    /// Anything else.
    pub fn numbers(&mut self) -> Result<Numbers, SyntaxError> {
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
    fn number(&mut self, numbers: &mut Numbers) -> Result<(), SyntaxError> {
        let fixed = self.take_name("fixed");
        if fixed {
            self.expect_symbol('(')?;
        }
        numbers.values.push(self.plain_number()?);
        numbers.fixed.push(fixed);
        if fixed { self.expect_symbol(')') } else { Ok(()) }
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
