//! Completes expressions with column numbers and class counts.

use super::rewritten::Rewritten;
use crate::encode::Inputs;
use crate::error::CliError;
use gp_likelihoods::Likelihood;
use gp_optim::did_you_mean;

const CLASSES: &str = "classes";

pub(super) fn of_classes<'t>(
    text: &'t str,
    classes: usize,
    known: &gp_likelihoods::Registry,
) -> Rewritten<'t> {
    let start = text.len() - text.trim_start().len();
    let is_letter = |letter: char| letter.is_alphanumeric() || letter == '_';
    let length = text[start..].find(|letter| !is_letter(letter)).unwrap_or(text.len() - start);
    let (name, rest) = text[start..].split_at(length);
    let takes_count = |likelihood: Box<dyn Likelihood>| takes_classes(likelihood.as_ref());
    let says_count = rest.split(|letter| !is_letter(letter)).any(|word| word.eq_ignore_ascii_case(CLASSES));
    if classes < 2 || says_count || !known.parse(name).is_ok_and(takes_count) {
        return Rewritten::unchanged(text);
    }
    let mut counted = Rewritten::new(text);
    counted.replace(start, "");
    counted.keep(text.len() - rest.len());
    let call = rest.trim_start();
    if call.is_empty() {
        counted.replace(text.len(), &format!("({CLASSES}={classes})"));
        return counted;
    }
    // The parser reports an incomplete expression.
    let Some(inner) = call.strip_prefix('(').map(str::trim_start) else { return Rewritten::unchanged(text) };
    let comma = if inner.starts_with(')') { "" } else { ", " };
    counted.replace(text.len() - inner.len(), &format!("({CLASSES}={classes}{comma}"));
    counted.keep(text.len());
    counted
}

pub(super) fn takes_classes(likelihood: &dyn Likelihood) -> bool {
    likelihood.settings().iter().any(|(setting, _)| *setting == CLASSES)
}

/// Kernel expression with column numbers for names. Input names mean all their columns, `colour=red` one; names with
/// blanks, commas or brackets are quoted. Nested calls renumber columns, and refuse names.
pub(super) fn kernel<'t>(text: &'t str, inputs: &Inputs) -> Result<Rewritten<'t>, CliError> {
    let (mut out, mut rest, mut open) = (Rewritten::new(text), text, Vec::new());
    while let Some(at) = rest.find(|letter: char| letter.is_alphabetic() || matches!(letter, '_' | '(' | ')'))
    {
        let from = &rest[at..];
        let length =
            from.find(|letter: char| !letter.is_alphanumeric() && letter != '_').unwrap_or(from.len());
        let (word, behind) = from.split_at(length.max(1));
        rest = behind;
        match word {
            "(" => open.push(false),
            ")" => drop(open.pop()),
            _ if word.eq_ignore_ascii_case("dims") => {
                if let Some((list, behind)) = list(rest) {
                    let is_nested = open.iter().filter(|is_call| **is_call).count() > 1;
                    out.keep(text.len() - rest.len());
                    out.replace(
                        text.len() - behind.len(),
                        &format!("=[{}]", columns(list, inputs, is_nested)?),
                    );
                    rest = behind;
                }
            }
            _ if rest.trim_start().starts_with('(') => {
                rest = &rest[rest.len() - rest.trim_start().len() + 1..];
                open.push(true);
            }
            _ => {}
        }
    }
    out.keep(text.len());
    Ok(out)
}

/// Text inside `=[…]`, and the rest.
fn list(text: &str) -> Option<(&str, &str)> {
    let inner = text.trim_start().strip_prefix('=')?.trim_start().strip_prefix('[')?;
    let end = outside_quotes(inner, ']')?;
    Some((&inner[..end], &inner[end + 1..]))
}

fn outside_quotes(text: &str, wanted: char) -> Option<usize> {
    let mut is_quoted = false;
    text.char_indices().find_map(|(place, letter)| {
        is_quoted ^= letter == '"';
        (letter == wanted && !is_quoted).then_some(place)
    })
}

fn columns(mut list: &str, inputs: &Inputs, is_nested: bool) -> Result<String, CliError> {
    let mut numbers = Vec::new();
    loop {
        let end = outside_quotes(list, ',').unwrap_or(list.len());
        let item = list[..end].trim();
        if item.bytes().all(|byte| byte.is_ascii_digit()) {
            // Empty items stay: the parser reports them.
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
    use gp_kernels::Registry;

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
            assert_eq!(kernel(text, &inputs).unwrap().text, expected);
        }
        for text in
            ["rbf(lengthscale=[1, 2], dims=[0, 2])", "rbf(dims=[])", "rbf(dims=[0", "dims", "2 * white"]
        {
            assert_eq!(kernel(text, &inputs).unwrap().text, text);
        }
    }

    /// Shown kernels can be given to `--kernel`.
    #[test]
    fn shown_kernels_have_names_that_are_read_again() {
        let inputs = inputs();
        let text = "1 * rbf(lengthscale=[1, 2, 3], dims=[1, 2, 0]) + linear(lengthscale=1, dims=[3, 2])";
        let shown = crate::lengths::readable(gp_kernels::parse(text).unwrap().as_ref(), &inputs);
        assert!(shown.contains("dims=[colour, age]"), "{shown}");
        assert!(shown.contains("dims=[\"blood pressure, [mm]\", colour=red]"), "{shown}");
        let again = kernel(&shown, &inputs).unwrap().text;
        assert!(again.contains("dims=[1, 2, 0]") && again.contains("dims=[3, 2]"), "{again}");
    }

    #[test]
    fn columns_are_those_of_the_expression_given() {
        let text = "RBF(dims=[colour, age]) + se(foo=1)";
        let rewritten = kernel(text, &inputs()).unwrap();
        assert_eq!(rewritten.text, "RBF(dims=[1, 2, 0]) + se(foo=1)");
        let fault = Registry::built_in().parse_for(&rewritten.text, 4).unwrap_err();
        assert_eq!(
            rewritten.in_kernel(fault).to_string(),
            format!(
                "column 30 of kernel expression `{text}`: `se` has no argument `foo`; there are: dims, ard, lengthscale"
            )
        );
        let known = gp_likelihoods::Registry::built_in();
        for (text, column) in [("Softmax(a=1)", 9), ("softmax( a = 1 )", 10), ("softmax(", 9)] {
            let rewritten = of_classes(text, 3, &known);
            let fault = rewritten.in_likelihood(known.parse(&rewritten.text).unwrap_err()).to_string();
            assert!(
                fault.starts_with(&format!("column {column} of likelihood expression `{text}`: ")),
                "{fault}"
            );
        }
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
            assert_eq!(of_classes(text, 5, &known).text, expected);
            assert_eq!(known.parse(expected).unwrap().support().classes(), 5);
        }
        for text in
            ["softmax(classes=3)", "robust_max( epsilon=0.1, classes = 4)", "gaussian", "soft", "softmax +"]
        {
            assert_eq!(of_classes(text, 5, &known).text, text);
        }
        assert_eq!(of_classes("softmax", 1, &known).text, "softmax");
    }

    #[test]
    fn names_that_there_are_not_are_refused() {
        let refused = |text: &str| kernel(text, &inputs()).unwrap_err().to_string();
        let said = refused("rbf(dims=[agee])");
        assert!(said.contains("no input `agee`") && said.contains("did you mean `age`?"), "{said}");
        assert!(refused("select(rbf(dims=[age]), dims=[age, colour])").contains("inside of another call"));
    }
}
