//! Kernel expressions: round trips, error columns, no panics.
#![expect(clippy::panic, reason = "a test that fails should stop at once")]

use gp_kernels::{KernelError, KernelExt, Registry, parse};
use proptest::prelude::*;

fn printed(text: &str) -> String {
    parse(text).unwrap_or_else(|error| panic!("{error}")).expression()
}

#[test]
fn reading_what_was_printed_prints_the_same() {
    for text in [
        "1.3 * rbf(lengthscale=[0.5, 2]) + linear(dims=[0]) * periodic(period=1)",
        "rbf(lengthscale=fixed(2) in [0.1, 10] ~ gamma(2, 1))",
        "rbf(lengthscale=[0.5, fixed(2)] in [0.1, none])",
        "linear(lengthscale=2 in [0, 3])",
        "index(levels=2, w=[1, 2] in [none, 3])",
        "fixed(1e-300) * (rbf + 2 * (matern32 + white)) * rq(alpha=1.7976931348623157e308)",
        "0.5 in [0.1, 2] ~ log_normal(0, 1) * matern12",
        "select(rbf(lengthscale=[1, 2]) * (linear + constant), dims=[3, 1])",
        "index(levels=3, rank=2, dims=[2]) * rbf(dims=[0])",
        "((rbf)) * ((white + (linear + cosine)))",
        "arccos(order=2)+polynomial ( degree = 3 )",
        "rbf(lengthscale=0.1) + rbf(lengthscale=0.30000000000000004)",
    ] {
        let once = printed(text);
        assert_eq!(printed(&once), once, "from `{text}`");
    }
}

#[test]
fn names_are_taken_in_any_case_and_by_other_programs_names() {
    for (text, expected) in [
        ("2 * SE(ARD=TRUE, Lengthscale=Fixed(3), DIMS=[0])", "2 * rbf(lengthscale=[fixed(3)], dims=[0])"),
        (
            "sqexp(lengthscale=2 IN [1, None] ~ LogNormal(0, 1))",
            "rbf(lengthscale=2 in [1, none] ~ log_normal(0, 1))",
        ),
        ("Rational_Quadratic + Bias", "rq(lengthscale=1, alpha=1) + constant(variance=1)"),
    ] {
        assert_eq!(printed(text), expected);
    }
    let said = |text: &str| parse(text).expect_err("a fault").to_string();
    assert!(said("Matern").contains("`Matern` may be matern12, matern32 or matern52"), "{}", said("Matern"));
    assert!(said("gausian").ends_with("; did you mean `gaussian`?"), "{}", said("gausian"));
    assert!(
        said("rbf + SE(foo=1)").contains("column 10 of kernel expression `rbf + SE(foo=1)`: `SE` has no")
    );
    assert!(said("rbf(lengthscale=1, Lengthscale=2)").contains("given twice"));
}

#[test]
fn printing_is_canonical() {
    assert_eq!(printed("rbf+white"), "rbf(lengthscale=1) + white(variance=1)");
    assert_eq!(printed("rbf * 2"), "2 * rbf(lengthscale=1)");
    assert_eq!(printed("(rbf + white) + linear"), printed("rbf + (white + linear)"));
    assert_eq!(printed("2 * rbf * linear"), "2 * rbf(lengthscale=1) * linear(lengthscale=1)");
    assert_eq!(printed("(2 * rbf) * linear"), "(2 * rbf(lengthscale=1)) * linear(lengthscale=1)");
}

#[test]
fn faults_are_found_where_they_are() {
    for (text, column, message) in [
        ("", 1, "expected a kernel or a number, found the end"),
        ("rbf +", 6, "found the end"),
        ("rbf)", 4, "found `)`"),
        ("rbff", 1, "unknown kernel `rbff`; there are: rbf, matern12"),
        ("rbf + 2", 7, "a number alone is no kernel"),
        ("2 * 3 * rbf", 5, "at most one number"),
        ("-2 * rbf", 1, "must lie in (0, inf)"),
        ("rbf(lengthscale=-1)", 5, "must lie in (0, inf)"),
        ("rbf(lengthscale=[1, 0])", 5, "`lengthscale[1]` is 0"),
        ("rbf(lengthscale=1e999)", 17, "not a finite number"),
        ("rbf(lengthscale=nan)", 17, "expected a number, found `nan`"),
        ("rbf(lengthscale=1, lengthscale=2)", 20, "given twice"),
        ("rbf(foo=1)", 5, "`rbf` has no argument `foo`; there are: dims, ard, lengthscale"),
        ("rbf(lengthscale=[])", 5, "no values"),
        ("rbf(lengthscale=2 in [3, 4])", 5, "must lie in"),
        ("rbf(lengthscale=-1 in [-2, none])", 5, "must lie in (0, inf)"),
        ("rbf(lengthscale=1 in [-2, none])", 5, "cannot have the bounds"),
        ("white(variance=1 in [-5, 5])", 7, "cannot have the bounds"),
        ("1 in [-5, 5] * rbf", 1, "cannot have the bounds"),
        ("index(levels=10000, rank=10000)", 1, "rank"),
        ("rbf(lengthscale=2 ~ gama(1, 2))", 21, "gama"),
        ("rbf(dims=[0, 0])", 1, "different columns"),
        ("rbf(dims=[-1])", 5, "columns from 0"),
        ("rbf(dims=0)", 5, "columns from 0"),
        ("rbf(ard=true)", 5, "number of inputs"),
        ("rbf(ard=1)", 5, "true or false"),
        ("polynomial(degree=0)", 1, "from 1 to 16"),
        ("polynomial(degree=1.5)", 12, "whole number"),
        ("arccos(order=3)", 1, "0, 1 or 2"),
        ("index(levels=0)", 1, "levels"),
        ("index(levels=2, w=[1])", 17, "2 numbers"),
        ("select(rbf)(", 12, "expected `+`"),
        ("select()", 1, "needs a kernel"),
        ("rbf(rbf)", 1, "fewer kernels"),
        ("rbf $ 2", 5, "unexpected character"),
        ("größe", 3, "unexpected character"),
    ] {
        let KernelError::Expression(error) = parse(text).expect_err(text) else {
            panic!("{text}: another error")
        };
        assert_eq!(error.column, column, "column of `{text}`: {error}");
        assert!(error.message.contains(message), "`{text}`: {}", error.message);
    }
}

#[test]
fn a_caret_points_at_the_column() {
    let KernelError::Expression(error) = parse("rbf + foo").expect_err("unknown kernel") else { panic!() };
    assert_eq!(error.pointer(), "rbf + foo\n      ^");
}

#[test]
fn the_number_of_inputs_is_checked_where_it_is_known() {
    let registry = Registry::built_in();
    let kernel = registry.parse_for("rbf(ard=true, lengthscale=0.5) + linear(ard=true, dims=[1])", 3);
    let text = kernel.map(|kernel| kernel.expression());
    let wanted = "rbf(lengthscale=[0.5, 0.5, 0.5]) + linear(lengthscale=[1], dims=[1])";
    assert_eq!(text.as_deref(), Ok(wanted));
    for (text, message) in [
        ("rbf(dims=[3])", "column 3 of `dims` does not exist"),
        ("rbf(lengthscale=[1, 2])", "2 values for 3 inputs"),
        ("rbf(lengthscale=[1, 2, 3], dims=[0])", "3 values for 1 inputs"),
    ] {
        let error = registry.parse_for(text, 3).expect_err(text).to_string();
        assert!(error.contains(message), "{error}");
    }
}

#[test]
fn nesting_is_bounded() {
    let deep = format!("{}rbf{}", "(".repeat(100_000), ")".repeat(100_000));
    assert!(parse(&deep).expect_err("too deep").to_string().contains("nested"));
}

/// Valid words, parsed further than random text.
fn words() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec![
        "rbf",
        "white",
        "select",
        "index",
        "polynomial",
        "lengthscale",
        "dims",
        "ard",
        "true",
        "fixed",
        "in",
        "none",
        "gamma",
        "degree",
        "levels",
        "(",
        ")",
        "[",
        "]",
        ",",
        "=",
        "~",
        "+",
        "*",
        "1",
        "0.5",
        "-2",
        "1e308",
        " ",
    ]);
    prop::collection::vec(word, 0..30).prop_map(|words| words.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn arbitrary_text_is_no_panic(text in ".{0,60}") {
        let _ = parse(&text);
    }

    #[test]
    fn arbitrary_bytes_are_no_panic(bytes in prop::collection::vec(any::<u8>(), 0..80)) {
        let _ = parse(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn arbitrary_words_round_trip_or_fail_inside_the_text(text in words()) {
        match parse(&text) {
            Ok(kernel) => prop_assert_eq!(printed(&kernel.expression()), kernel.expression()),
            Err(KernelError::Expression(error)) => prop_assert!(error.column <= text.chars().count() + 1),
            Err(other) => prop_assert!(false, "an error without a place: {other}"),
        }
    }

    #[test]
    fn every_positive_number_round_trips(bits in any::<u64>()) {
        let value = f64::from_bits(bits).abs();
        prop_assume!(value.is_normal());
        let kernel = parse(&format!("{value:e} * rbf")).map_err(|e| TestCaseError::fail(e.to_string()))?;
        let back = parse(&kernel.expression()).map_err(|e| TestCaseError::fail(e.to_string()))?;
        prop_assert_eq!(back.get("variance").map(f64::to_bits), Ok(value.to_bits()));
    }
}
