//! Likelihoods as text.
#![expect(clippy::panic, reason = "a test that fails should stop at once")]

use gp_likelihoods::{Likelihood, LikelihoodEntry, LikelihoodError, Poisson, Registry, parse};

fn printed(text: &str) -> String {
    parse(text).unwrap_or_else(|error| panic!("{error}")).expression()
}

#[test]
fn reading_what_was_printed_prints_the_same() {
    for (text, canonical) in [
        ("gaussian", "gaussian(variance=1)"),
        ("student_t(scale=0.04, dof=2.5)", "student_t(scale=0.04, dof=2.5)"),
        ("student_t ( dof=fixed(4) )", "student_t(scale=1, dof=fixed(4))"),
        (
            "gaussian(variance=0.1 in [1e-6, none] ~ gamma(2, 1))",
            "gaussian(variance=0.1 in [1e-6, none] ~ gamma(2, 1))",
        ),
        ("softmax(classes=4)", "softmax(classes=4)"),
        ("bernoulli_probit()", "bernoulli_probit"),
        ("gprn(nodes=2, outputs=1)", "gprn(outputs=1, nodes=2, variance=[1])"),
        ("gprn(variance=[0.1, fixed(2)])", "gprn(outputs=2, nodes=1, variance=[0.1, fixed(2)])"),
        ("poisson(offset=0.30000000000000004)", "poisson(offset=0.30000000000000004)"),
    ] {
        assert_eq!(printed(text), canonical);
        assert_eq!(printed(canonical), canonical);
    }
}

#[test]
fn names_are_taken_in_any_case_and_by_other_programs_names() {
    assert_eq!(printed("Normal(Variance=Fixed(2))"), "gaussian(variance=fixed(2))");
    assert_eq!(printed("NegBin"), printed("negative_binomial"));
    let said = |text: &str| parse(text).expect_err("a fault").to_string();
    assert!(said("bernouli").ends_with("; did you mean `bernoulli`?"), "{}", said("bernouli"));
    assert!(said("multiclass").contains("`multiclass` may be softmax, robust_max or multiclass_probit"));
    assert!(said("normal(variance=-2)").contains("column 8 of likelihood expression `normal(variance=-2)`"));
}

#[test]
fn faults_are_found_where_they_are() {
    for (text, column, message) in [
        ("", 1, "expected a likelihood, found the end"),
        ("gausian", 1, "no likelihood is called `gausian`; there are gaussian, student_t"),
        ("gaussian(variance=-1)", 10, "must lie in (0, inf)"),
        ("gaussian(variance=[1])", 10, "one number, without brackets"),
        ("gaussian(scale=1)", 10, "`gaussian` has no argument `scale`; there are: variance"),
        ("gaussian(1)", 10, "expected `name=`, found the number 1"),
        ("gaussian(variance=1", 20, "expected `,`, found the end"),
        ("gaussian + poisson", 10, "expected the end, found `+`"),
        ("softmax(classes=1)", 1, "number of classes is 1, but must be at least 2"),
        ("softmax(classes=2.5)", 9, "`classes` takes a whole number"),
        ("softmax(classes=true)", 9, "`classes` takes a whole number"),
        ("gprn(outputs=3, variance=[1, 2])", 17, "`variance` takes 3 numbers in brackets"),
        ("gprn(outputs=0)", 1, "no values"),
        ("student_t(dof=2, dof=3)", 18, "given twice"),
        ("gaussian $", 10, "unexpected character"),
    ] {
        let Err(LikelihoodError::Expression { column: found, message: said, .. }) = parse(text) else {
            panic!("{text}: no such error")
        };
        assert_eq!(found, column, "column of `{text}`: {said}");
        assert!(said.contains(message), "`{text}`: {said}");
    }
}

#[test]
fn files_hold_the_expression() {
    let noise = parse("student_t(scale=0.04 ~ gamma(2, 1), dof=fixed(2.5))").unwrap();
    let json = serde_json::to_string(&*noise).unwrap();
    assert_eq!(json, "\"student_t(scale=0.04 ~ gamma(2, 1), dof=fixed(2.5))\"");
    let back: Box<dyn Likelihood> = serde_json::from_str(&json).unwrap();
    assert_eq!(back.parameters(), noise.parameters());
    assert!(serde_json::from_str::<Box<dyn Likelihood>>("\"studnet\"").is_err());
}

#[test]
fn entries_from_elsewhere_are_read_and_replace() {
    let entry =
        LikelihoodEntry::new("photons", "counts of a dim source", |_| Ok(Box::new(Poisson::new(-3.0)?)));
    let registry = Registry::built_in().with(entry);
    assert_eq!(registry.parse("photons").unwrap().expression(), "poisson(offset=-3)");
    assert_eq!(registry.entries().len(), Registry::built_in().entries().len() + 1);
    let dim =
        LikelihoodEntry::new("poisson", "counts of a dim source", |_| Ok(Box::new(Poisson::new(-3.0)?)));
    let registry = Registry::built_in().with(dim);
    assert_eq!(registry.parse("poisson").unwrap().parameters()[0].value(), -3.0);
    assert_eq!(registry.entries().len(), Registry::built_in().entries().len());
}
