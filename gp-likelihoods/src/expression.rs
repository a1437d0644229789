//! Text form of likelihoods: `student_t(scale=0.04, dof=fixed(2.5))`.
//!
//! ```text
//! likelihood = name [ "(" [ argument { "," argument } ] ")" ]
//! ```
//!
//! Settings and parameters follow [`gp_optim::text`]; missing ones have starting values.

use gp_optim::Parameter;
use gp_optim::text::{Arguments, Reader, SyntaxError, Token, value_text};

pub(crate) fn print(name: &str, settings: &[(&str, usize)], parameters: &[Parameter]) -> String {
    let settings = settings.iter().map(|(name, value)| format!("{name}={value}"));
    let parameters = parameters.iter().map(|p| format!("{}={}", p.name(), value_text(p)));
    let arguments: Vec<String> = settings.chain(parameters).collect();
    if arguments.is_empty() { name.to_owned() } else { format!("{name}({})", arguments.join(", ")) }
}

pub(crate) fn call(text: &str) -> Result<Arguments, SyntaxError> {
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
