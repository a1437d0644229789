//! Columns of length parameters.

use crate::expression::Form;
use crate::kernel::Kernel;

/// Appends, per parameter, the columns of a length, else None; own parameters first.
pub(crate) fn collect<K: Kernel + ?Sized>(
    kernel: &K,
    columns: &[usize],
    found: &mut Vec<Option<Vec<usize>>>,
) {
    let own = 0..kernel.parameters().len();
    found.extend(own.map(|place| kernel.is_length(place).then(|| columns.to_vec())));
    let chosen = chosen(kernel, columns);
    let columns = chosen.as_deref().unwrap_or(columns);
    kernel.children().iter().for_each(|child| collect(child.as_ref(), columns, found));
}

fn chosen<K: Kernel + ?Sized>(kernel: &K, columns: &[usize]) -> Option<Vec<usize>> {
    let settings = kernel.settings();
    let dims =
        settings.iter().find_map(|setting| setting.columns()).filter(|_| kernel.form() == Form::Dims)?;
    Some(dims.iter().filter_map(|dim| columns.get(*dim).copied()).collect())
}

#[cfg(test)]
mod tests {
    use crate::{KernelExt, Registry, parse};

    #[test]
    fn lengths_know_their_columns() {
        let kernel = parse(
            "2 * rbf(dims=[2, 0]) * periodic(dims=[1]) + select(rq(dims=[1]) + linear, dims=[2, 0]) + overlap + cosine",
        );
        let columns = kernel.unwrap().length_columns(3);
        let expected = [
            None,
            Some(vec![2, 0]),
            // The period, and the length-scale on the circle.
            Some(vec![1]),
            None,
            Some(vec![0]),
            None,
            Some(vec![2, 0]),
            None,
            Some(vec![0, 1, 2]),
        ];
        assert_eq!(columns, expected);
    }

    #[test]
    fn written_lengths_are_brought_to_the_units_of_points() {
        let registry = Registry::built_in();
        let read = |text: &str| registry.parse_in_units(text, &[4.0, 2.0, 2.0]);
        for (text, expected) in [
            ("rbf(lengthscale=[4, fixed(1), 6])", "rbf(lengthscale=[1, fixed(0.5), 3])"),
            (
                "periodic(period=12 in [8, 16] ~ gamma(2, 1), lengthscale=5, dims=[0])",
                "periodic(period=3 in [2, 4] ~ gamma(2, 4), lengthscale=5, dims=[0])",
            ),
            ("3 * rbf(lengthscale=1, dims=[1, 2])", "3 * rbf(lengthscale=0.5, dims=[1, 2])"),
            ("rbf(lengthscale=8, ard=true)", "rbf(lengthscale=[2, 4, 4])"),
            ("rbf + rq(ard=true, alpha=2)", "rbf(lengthscale=1) + rq(lengthscale=[1, 1, 1], alpha=2)"),
            (
                "select(rbf(lengthscale=8, dims=[1]) + linear(lengthscale=[2, 4]), dims=[2, 0])",
                "select(rbf(lengthscale=2, dims=[1]) + linear(lengthscale=[1, 1]), dims=[2, 0])",
            ),
            ("overlap(lengthscale=3)", "overlap(lengthscale=3)"),
            (
                "rbf(lengthscale=[1, 2, 3] in [0.1, 9])",
                "rbf(lengthscale=[0.25 in [0.025, 2.25], 1 in [0.05, 4.5], 1.5 in [0.05, 4.5]])",
            ),
            (
                "rbf(ard=true, lengthscale=1 ~ gamma(2, 1))",
                "rbf(lengthscale=[0.25 ~ gamma(2, 4), 0.5 ~ gamma(2, 2), 0.5 ~ gamma(2, 2)])",
            ),
        ] {
            assert_eq!(read(text).unwrap().expression(), expected);
        }
        let error = read("white + rbf(lengthscale=2)").unwrap_err().to_string();
        for words in ["column 13 ", "one number", "dims=[…]"] {
            assert!(error.contains(words), "{error}");
        }
    }
}
