//! Names in expressions: columns in `dims=[age, "blood pressure", colour=red]`, and other names of kernels and
//! likelihoods.

use crate::encode::Inputs;
use crate::error::CliError;
use gp_kernels::{KernelError, Registry};
use gp_likelihoods::{Likelihood, LikelihoodError};
use gp_optim::did_you_mean;
use std::borrow::Cow;

/// Setting of the number of classes in expressions of likelihoods.
const CLASSES: &str = "classes";

/// Likelihood expression with its usual name in place of another spelling or an alias.
///
/// # Errors
/// [`Usage`](crate::ErrorKind::Usage) for a name that may mean several.
pub(super) fn likelihood<'t>(
    text: &'t str,
    known: &gp_likelihoods::Registry,
) -> Result<Cow<'t, str>, CliError> {
    let start = text.len() - text.trim_start().len();
    let length = text[start..].find(|letter: char| !letter.is_alphanumeric() && letter != '_');
    let (name, rest) = text[start..].split_at(length.unwrap_or(text.len() - start));
    match known.named(name) {
        Ok(entry) if entry.name() != name => Ok(Cow::Owned(format!("{}{rest}", entry.name()))),
        Err(cause @ LikelihoodError::AmbiguousName { .. }) => {
            Err(CliError::usage(format!("--likelihood: {cause}")))
        }
        // The parser reports unknown names.
        _ => Ok(Cow::Borrowed(text)),
    }
}

/// Likelihood expression with the number of classes of the target, if it is for classes and does not say how many.
pub(super) fn of_classes<'t>(
    text: &'t str,
    classes: usize,
    known: &gp_likelihoods::Registry,
) -> Cow<'t, str> {
    let start = text.len() - text.trim_start().len();
    let is_letter = |letter: char| letter.is_alphanumeric() || letter == '_';
    let length = text[start..].find(|letter| !is_letter(letter)).unwrap_or(text.len() - start);
    let (name, rest) = text[start..].split_at(length);
    let takes_count = |likelihood: Box<dyn Likelihood>| takes_classes(likelihood.as_ref());
    let says_count = rest.split(|letter| !is_letter(letter)).any(|word| word == CLASSES);
    if classes < 2 || says_count || !known.parse(name).is_ok_and(takes_count) {
        return Cow::Borrowed(text);
    }
    let inner = match rest.trim_start() {
        "" => ")",
        call => match call.strip_prefix('(') {
            Some(inner) => inner.trim_start(),
            // The parser reports what is left over.
            None => return Cow::Borrowed(text),
        },
    };
    let comma = if inner.starts_with(')') { "" } else { ", " };
    Cow::Owned(format!("{name}({CLASSES}={classes}{comma}{inner}"))
}

/// `true` for a likelihood that can be told the number of classes.
pub(super) fn takes_classes(likelihood: &dyn Likelihood) -> bool {
    likelihood.settings().iter().any(|(setting, _)| *setting == CLASSES)
}

/// Kernel expression with aliases replaced and column numbers in place of names. An input's name stands for all of its
/// columns; `colour=red` for that column alone. Names with blanks, commas or brackets are quoted.
///
/// # Errors
/// [`Usage`](ErrorKind::Usage) for an unknown name, or a name inside a call that renumbers columns.
pub(super) fn kernel<'t>(text: &'t str, inputs: &Inputs, known: &Registry) -> Result<Cow<'t, str>, CliError> {
    let (mut out, mut rest, mut open) = (String::new(), text, Vec::new());
    while let Some(at) = rest.find(|letter: char| letter.is_alphabetic() || matches!(letter, '_' | '(' | ')'))
    {
        let (front, from) = rest.split_at(at);
        out.push_str(front);
        let length =
            from.find(|letter: char| !letter.is_alphanumeric() && letter != '_').unwrap_or(from.len());
        let (word, behind) = from.split_at(length.max(1));
        match is_of_parameter(&out, behind) {
            true => out.push_str(word),
            false => out.push_str(usual_name(word, known)?),
        }
        rest = behind;
        match word {
            "(" => open.push(false),
            ")" => drop(open.pop()),
            "dims" => {
                if let Some((list, behind)) = list(rest) {
                    let is_nested = open.iter().filter(|is_call| **is_call).count() > 1;
                    out.push_str(&format!("=[{}]", columns(list, inputs, is_nested)?));
                    rest = behind;
                }
            }
            _ if rest.trim_start().starts_with('(') => {
                let (blanks, behind) = rest.split_at(rest.len() - rest.trim_start().len() + 1);
                out.push_str(blanks);
                open.push(true);
                rest = behind;
            }
            _ => {}
        }
    }
    out.push_str(rest);
    Ok(if out == text { Cow::Borrowed(text) } else { Cow::Owned(out) })
}

/// Usual name of a kernel; other words as they are.
fn usual_name<'n>(name: &'n str, known: &Registry) -> Result<&'n str, CliError> {
    match known.named(name) {
        Ok(entry) => Ok(entry.name()),
        Err(cause @ KernelError::AmbiguousName { .. }) => Err(CliError::usage(format!("--kernel: {cause}"))),
        // The parser reports unknown names.
        Err(_) => Ok(name),
    }
}

/// `true` for a word between such texts that is no kernel: a parameter, its value or a prior.
fn is_of_parameter(front: &str, behind: &str) -> bool {
    front.trim_end().ends_with(['=', '~']) || behind.trim_start().starts_with('=')
}

/// Text between the brackets of `=[…]`, and the rest.
fn list(text: &str) -> Option<(&str, &str)> {
    let inner = text.trim_start().strip_prefix('=')?.trim_start().strip_prefix('[')?;
    let end = outside_quotes(inner, ']')?;
    Some((&inner[..end], &inner[end + 1..]))
}

/// First position of a character outside quotes.
fn outside_quotes(text: &str, wanted: char) -> Option<usize> {
    let mut is_quoted = false;
    text.char_indices().find_map(|(place, letter)| {
        is_quoted ^= letter == '"';
        (letter == wanted && !is_quoted).then_some(place)
    })
}

/// Column numbers of a list, as text.
fn columns(mut list: &str, inputs: &Inputs, is_nested: bool) -> Result<String, CliError> {
    let mut numbers = Vec::new();
    loop {
        let end = outside_quotes(list, ',').unwrap_or(list.len());
        let item = list[..end].trim();
        if item.bytes().all(|byte| byte.is_ascii_digit()) {
            // Also empty items, which the parser reports.
            numbers.push(item.to_owned());
        } else {
            numbers.extend(named(item.trim_matches('"'), inputs, is_nested)?);
        }
        match list.get(end + 1..) {
            Some(rest) => list = rest,
            None => return Ok(numbers.join(", ")),
        }
    }
}

/// Column numbers of one name.
fn named(name: &str, inputs: &Inputs, is_nested: bool) -> Result<Vec<String>, CliError> {
    if is_nested {
        let message = format!(
            "--kernel: `{name}` in `dims` inside of another call, where columns are counted among those that this one sees; give their numbers, from 0"
        );
        return Err(CliError::usage(message));
    }
    let (features, columns) = (inputs.names(), inputs.column_names());
    if let Some(feature) = features.iter().position(|known| *known == name) {
        return Ok(inputs.places()[feature].clone().map(|column| column.to_string()).collect());
    }
    if let Some(column) = columns.iter().position(|known| known == name) {
        return Ok(vec![column.to_string()]);
    }
    let known = features.iter().copied().chain(columns.iter().map(String::as_str));
    let meant = did_you_mean(name, known);
    Err(CliError::usage(format!(
        "--kernel: there is no input `{name}` for `dims`; there are {}{meant}",
        crate::data::list(&features)
    )))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Column, Frame, Kind};
    use crate::encode::{Columns, Survey};

    fn inputs() -> Inputs {
        let number = |name: &str| Column::of_numbers(name, Kind::Number, vec![1.0, 2.0, 4.0]);
        let words = ["red", "blue", "red"].into_iter().map(Some);
        let columns = vec![
            number("age"),
            Column::of_words("colour", words),
            number("blood pressure, [mm]"),
            number("y"),
        ];
        let frame = Frame::new("t.csv", columns, None).unwrap();
        let survey =
            Survey::of(&frame, &Columns::new(&["age", "colour", "blood pressure, [mm]"], "y")).unwrap();
        Inputs::learn(&survey, true).unwrap()
    }

    #[test]
    fn names_become_numbers() {
        let inputs = inputs();
        for (text, expected) in [
            ("rbf(dims=[age])", "rbf(dims=[0])"),
            (
                "2 * rbf( dims = [ colour ,0 ] ) + linear(dims=[\"age\", 3])",
                "2 * rbf( dims=[1, 2, 0] ) + linear(dims=[0, 3])",
            ),
            ("(rbf + 1.5 * rbf(dims=[colour=red]))", "(rbf + 1.5 * rbf(dims=[2]))"),
            ("select (rbf + linear, dims=[\"blood pressure, [mm]\"])", "select (rbf + linear, dims=[3])"),
            (
                "select(rbf(dims=[0]) + linear, dims=[age, colour])",
                "select(rbf(dims=[0]) + linear, dims=[0, 1, 2])",
            ),
        ] {
            assert_eq!(kernel(text, &inputs, &Registry::built_in()).unwrap(), expected);
        }
        for text in
            ["rbf(lengthscale=[1, 2], dims=[0, 2])", "rbf(dims=[])", "rbf(dims=[0", "dims", "2 * white"]
        {
            assert!(
                matches!(kernel(text, &inputs, &Registry::built_in()).unwrap(), Cow::Borrowed(_)),
                "{text}"
            );
        }
    }

    #[test]
    fn names_that_others_use_are_known() {
        let (inputs, registry) = (inputs(), Registry::built_in());
        assert_eq!(
            kernel("2 * se(dims=[age]) + rational_quadratic", &inputs, &registry).unwrap(),
            "2 * rbf(dims=[0]) + rq"
        );
        for (text, expected) in [
            ("RBF(lengthscale=2 ~ exponential(1))", "rbf(lengthscale=2 ~ exponential(1))"),
            ("arccos(bias=2) + Bias", "arccos(bias=2) + constant"),
            ("Matern_52 * OU", "matern52 * matern12"),
        ] {
            assert_eq!(kernel(text, &inputs, &registry).unwrap(), expected);
        }
        let said = kernel("matern", &inputs, &registry).unwrap_err().to_string();
        assert!(said.contains("may be matern12, matern32 or matern52"), "{said}");
        let known = gp_likelihoods::Registry::built_in();
        for (text, expected) in [
            ("probit", "bernoulli_probit"),
            (" student(dof=4)", "student_t(dof=4)"),
            ("poisson", "poisson"),
            ("NegativeBinomial", "negative_binomial"),
            ("weibull", "weibull"),
        ] {
            assert_eq!(likelihood(text, &known).unwrap(), expected);
        }
        let said = likelihood("multiclass", &known).unwrap_err().to_string();
        assert!(said.contains("may be softmax, robust_max or multiclass_probit"), "{said}");
    }

    #[test]
    fn likelihoods_of_classes_take_those_of_the_target() {
        let known = gp_likelihoods::Registry::built_in();
        for (text, expected) in [
            ("softmax", "softmax(classes=5)"),
            (" softmax ( ) ", "softmax(classes=5) "),
            ("robust_max(epsilon=0.01)", "robust_max(classes=5, epsilon=0.01)"),
            ("multiclass_probit", "multiclass_probit(classes=5)"),
        ] {
            assert_eq!(of_classes(text, 5, &known), expected);
            assert_eq!(known.parse(expected).unwrap().support().classes(), 5);
        }
        for text in
            ["softmax(classes=3)", "robust_max( epsilon=0.1, classes = 4)", "gaussian", "soft", "softmax +"]
        {
            assert!(matches!(of_classes(text, 5, &known), Cow::Borrowed(_)), "{text}");
        }
        assert_eq!(of_classes("softmax", 1, &known), "softmax");
    }

    #[test]
    fn names_that_there_are_not_are_refused() {
        let refused = |text: &str| kernel(text, &inputs(), &Registry::built_in()).unwrap_err().to_string();
        let said = refused("rbf(dims=[agee])");
        assert!(said.contains("no input `agee`") && said.contains("did you mean `age`?"), "{said}");
        assert!(refused("select(rbf(dims=[age]), dims=[age, colour])").contains("inside of another call"));
    }
}
