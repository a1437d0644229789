//! Wide tables, and counts without pattern.

use crate::support::{Desk, normal_table};

/// Model, linear model; plan.
fn scores(sizes: (usize, usize), score: &str, f: fn(&[f64], f64) -> String) -> ([f64; 2], String) {
    let desk = Desk::new();
    let table = |seed, rows| normal_table(seed, (rows, sizes.1), f);
    desk.write("t.csv", table(3, sizes.0));
    desk.write("new.csv", table(2, 400));
    let said = desk.ok("fit t.csv --target y --test new.csv --json --force");
    let scores = &said.json()["test"]["scores"];
    (["gp", "linear"].map(|model| scores[model][score].as_f64().unwrap()), said.err)
}

/// From 65 inputs on, a shared length-scale was no better than linear.
#[test]
fn few_of_many_inputs_are_found_beyond_64() {
    let ([found, linear], plan) =
        scores((300, 70), "smse", |x, next| ((2.0 * x[0]).sin() + 0.5 * x[1] + 0.1 * next).to_string());
    assert!(found < 0.1 && linear > 0.3, "{found} {linear}");
    assert!(plan.contains("one length-scale because of 70 inputs (one for each if few matter)"), "{plan}");
}

/// Without linear terms, a quarter were wrong.
#[test]
fn labels_of_fewer_rows_than_inputs_have_a_linear_term() {
    let ([found, linear], plan) = scores((60, 100), "log_loss", |x, next| {
        let sum: f64 = x[..40].iter().sum();
        if sum + next > 0.0 { "yes" } else { "no" }.to_owned()
    });
    assert!(plan.contains("kernel: RBF plus linear"), "{plan}");
    assert!(found < linear, "{found} {linear}");
}

/// Evidence as of one rate counted as converged.
#[test]
fn counts_without_any_pattern_are_not_learned() {
    let desk = Desk::new();
    let counts = |rate: fn(&[f64]) -> f64| {
        normal_table(5, (300, 4), move |x, next| ((rate(x) + next).powi(2) / 4.0).round().to_string())
    };
    desk.write("t.csv", counts(|_| 4.0));
    let fit = "fit t.csv --target y --task count --force --json";
    let noise = desk.ok(fit).json();
    assert_eq!(noise["converged"], false, "{noise}");
    let why = noise["reason"].as_str().unwrap();
    assert!(why.contains("nothing was learned") && why.contains("below that of a constant alone"), "{why}");
    desk.write("t.csv", counts(|x| 4.0 + 2.0 * (2.0 * x[0]).sin()));
    assert_eq!(desk.ok(fit).json()["converged"], true);
}

/// Site rounding at precision 1e11 prevented convergence.
#[test]
fn counts_of_a_hundred_billion_converge() {
    let desk = Desk::new();
    let count = |x: f64| (1e11 * x.sin().exp()).round();
    let rows = (0..60).map(|i| f64::from(i) / 6.0).map(|x| format!("{x},{}\n", count(x)));
    desk.write("t.csv", format!("x,y\n{}", rows.collect::<String>()));
    let said = desk.ok("fit t.csv --target y --task count --json");
    assert!(!said.err.contains("EP did not converge"), "{}", said.err);
}

/// The message named quadrature ends only.
#[test]
fn a_variance_beyond_all_counts_is_named() {
    let desk = Desk::new();
    desk.write(
        "t.csv",
        normal_table(5, (100, 4), |_, next| ((4.0 + next).powi(2) / 4.0).round().to_string()),
    );
    let fit = "fit t.csv --target y --task count --kernel \"fixed(1e300) * rbf\"";
    desk.refused(fit, 5, &["the kernel starts at a variance of 1.0e300"]);
}
