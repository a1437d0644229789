//! Likelihoods as text, also in model files: `student_t(scale=0.04, dof=fixed(2.5))`.
//!
//! ```text
//! likelihood = name [ "(" [ argument { "," argument } ] ")" ]
//! ```
//!
//! Arguments are settings and parameters in the syntax of [`gp_optim::text`]; missing ones have their
//! starting values.

use gp_optim::Parameter;
use gp_optim::text::{Arguments, Reader, SyntaxError, Token, value_text};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::error::LikelihoodError;
use crate::likelihood::Likelihood;
use crate::registry::{Registry, parse};

/// Text of a likelihood.
pub(crate) fn print(name: &str, settings: &[(&str, usize)], parameters: &[Parameter]) -> String {
    let settings = settings.iter().map(|(name, value)| format!("{name}={value}"));
    let parameters = parameters.iter().map(|p| format!("{}={}", p.name(), value_text(p)));
    let arguments: Vec<String> = settings.chain(parameters).collect();
    if arguments.is_empty() { name.to_owned() } else { format!("{name}({})", arguments.join(", ")) }
}

/// Parses a likelihood of a registry.
pub(crate) fn read(text: &str, registry: &Registry) -> Result<Box<dyn Likelihood>, LikelihoodError> {
    call(text).and_then(|arguments| build(arguments, registry)).map_err(|fault| LikelihoodError::Expression {
        text: text.to_owned(),
        column: fault.column,
        message: fault.message,
    })
}

/// Name and arguments of the one call in the text.
fn call(text: &str) -> Result<Arguments, SyntaxError> {
    let mut reader = Reader::new(text)?;
    let Token::Name(name) = reader.peek().clone() else {
        return Err(reader.fail(format!("expected a likelihood, found {}", reader.peek().describe())));
    };
    let mut arguments = Arguments::new(name, reader.column());
    reader.advance();
    if reader.take_symbol('(') && !reader.take_symbol(')') {
        loop {
            if !reader.named_argument(&mut arguments)? {
                return Err(reader.fail(format!("expected `name=`, found {}", reader.peek().describe())));
            }
            if reader.take_symbol(')') {
                break;
            }
            reader.expect_symbol(',')?;
        }
    }
    match reader.peek() {
        Token::End => Ok(arguments),
        other => Err(reader.fail(format!("expected the end, found {}", other.describe()))),
    }
}

fn build(mut arguments: Arguments, registry: &Registry) -> Result<Box<dyn Likelihood>, SyntaxError> {
    let column = arguments.column();
    let at_call = |error: LikelihoodError| match error {
        LikelihoodError::Syntax(fault) => fault,
        other => SyntaxError::new(column, other.to_string()),
    };
    let entry = registry.find(arguments.call()).map_err(at_call)?;
    let likelihood = entry.build(&mut arguments).map_err(at_call)?;
    arguments.finish()?;
    Ok(likelihood)
}

impl Serialize for dyn Likelihood + '_ {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.expression())
    }
}

/// Likelihoods of this crate only; [`Registry::parse`] reads others.
impl<'de> Deserialize<'de> for Box<dyn Likelihood> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        parse(&text).map_err(D::Error::custom)
    }
}
