//! Lexer: text to tokens with columns.

use super::SyntaxError;

/// Token of the language.
#[derive(Clone, Debug, PartialEq)]
pub enum Token {
    /// Finite number, with its sign.
    Number(f64),
    /// Letters, digits and `_`; no leading digit.
    Name(String),
    /// One of `+ * ( ) [ ] , = ~`.
    Symbol(char),
    /// End of the text.
    End,
}

impl Token {
    /// `true` for this name, in any case.
    #[must_use]
    pub fn is_name(&self, word: &str) -> bool {
        matches!(self, Self::Name(name) if name.eq_ignore_ascii_case(word))
    }

    /// Description for messages.
    #[must_use]
    pub fn describe(&self) -> String {
        match self {
            Token::Number(value) => format!("the number {value}"),
            Token::Name(name) => format!("`{name}`"),
            Token::Symbol(symbol) => format!("`{symbol}`"),
            Token::End => "the end".to_owned(),
        }
    }
}

#[derive(Clone, Debug)]
pub(super) struct Placed {
    pub(super) token: Token,
    pub(super) column: usize,
}

const MAX_CHARACTERS: usize = 1_000_000;

pub(super) fn tokens(text: &str) -> Result<Vec<Placed>, SyntaxError> {
    let characters: Vec<char> = text.chars().collect();
    let fail = |position: usize, message: String| SyntaxError::new(position + 1, message);
    if characters.len() > MAX_CHARACTERS {
        return Err(fail(0, format!("the text is longer than {MAX_CHARACTERS} characters")));
    }
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(&character) = characters.get(at) {
        let column = at + 1;
        let token = match character {
            c if c.is_whitespace() => {
                at += 1;
                continue;
            }
            c if starts_number(c, characters.get(at + 1)) => {
                let end = number_end(&characters, at);
                let written: String = characters[at..end].iter().collect();
                let parsed = written.parse::<f64>().ok().filter(|value| value.is_finite());
                let value = parsed.ok_or_else(|| fail(at, format!("`{written}` is not a finite number")))?;
                at = end;
                Token::Number(value)
            }
            c if c.is_ascii_alphabetic() || c == '_' => {
                let end = at + characters[at..].iter().take_while(|c| is_name(**c)).count();
                let name = characters[at..end].iter().collect();
                at = end;
                Token::Name(name)
            }
            c if "+*()[],=~".contains(c) => {
                at += 1;
                Token::Symbol(c)
            }
            c => return Err(fail(at, format!("unexpected character {c:?}"))),
        };
        tokens.push(Placed { token, column });
    }
    tokens.push(Placed { token: Token::End, column: characters.len() + 1 });
    Ok(tokens)
}

fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

fn starts_number(c: char, next: Option<&char>) -> bool {
    let begins = |c: &char| c.is_ascii_digit() || *c == '.';
    begins(&c) || (c == '-' && next.is_some_and(begins))
}

fn number_end(characters: &[char], start: usize) -> usize {
    let mut end = start + 1;
    while let Some(&c) = characters.get(end) {
        let exponent_sign = matches!(c, '+' | '-') && matches!(characters[end - 1], 'e' | 'E');
        if !(c.is_ascii_alphanumeric() || c == '.' || exponent_sign) {
            break;
        }
        end += 1;
    }
    end
}
