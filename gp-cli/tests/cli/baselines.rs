//! Baselines: names, scores, claimed coverage.

use crate::support::{Desk, noise, sine};
use gp_likelihoods::special::ln_gamma;
use std::fmt::Write as _;

/// Rows of `x,y`; y from x and noise.
fn rows(from: usize, to: usize, y: impl Fn(f64, f64) -> f64) -> String {
    let mut text = "x,y\n".to_owned();
    for i in from..to {
        let x = 4.0 * ((i * 37) % 101) as f64 / 101.0;
        writeln!(text, "{x},{}", y(x, noise(i))).unwrap();
    }
    text
}

fn counts(x: f64, error: f64) -> f64 {
    let rate = (0.5 + 0.4 * x).exp();
    (rate + rate.sqrt() * error).round().max(0.0)
}

fn positive(x: f64, error: f64) -> f64 {
    (0.5 + 0.4 * x + 0.3 * error).exp()
}

fn targets(text: &str) -> Vec<f64> {
    text.lines().skip(1).map(|line| line.split_once(',').unwrap().1.parse().unwrap()).collect()
}

fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = values.len() as f64;
    values.sum::<f64>() / count
}

#[test]
fn the_linear_model_is_called_what_it_is() {
    let desk = Desk::new();
    desk.write("counts.csv", rows(0, 60, counts));
    desk.write("positive.csv", rows(0, 60, positive));
    desk.write("labels.csv", rows(0, 60, |x, error| f64::from(u8::from(x + error > 2.0))));
    let iterations = "--iterations 5";
    for (flags, name) in [
        ("fit positive.csv", "linear regression"),
        ("fit positive.csv --likelihood gamma --iterations 5", "gamma regression"),
        ("fit positive.csv --likelihood student_t --iterations 5", "robust linear regression"),
        ("fit counts.csv --task count --iterations 5", "Poisson regression"),
        ("fit counts.csv --likelihood negative_binomial --iterations 5", "negative binomial regression"),
        ("fit labels.csv --iterations 5", "logistic regression"),
    ] {
        let data = flags.split(' ').nth(1).unwrap();
        let said = desk.ok(&format!("{flags} --target y --test {data} --force"));
        assert!(said.out.contains(&format!("\nlinear: {name}")), "{flags}: {}", said.out);
        let json = desk.ok(&format!("eval model.gp {data} --json")).json();
        assert!(json["predictors"]["linear"].as_str().unwrap().starts_with(name), "{json}");
    }
    let said = desk.ok(&format!("cv counts.csv --target y --task count --folds 2 {iterations}"));
    assert!(said.err.contains("linear: Poisson regression"), "{}", said.err);
    let said = desk.ok(&format!("cv counts.csv --target y --task count --folds 2 {iterations} --json"));
    assert_eq!(said.json()["folds"][0]["predictors"]["linear"], "Poisson regression");
}

#[test]
fn counts_without_inputs_are_poisson_of_the_training_mean() {
    let desk = Desk::new();
    let (train, test) = (rows(0, 60, counts), rows(60, 100, counts));
    desk.write("train.csv", &train);
    desk.write("test.csv", &test);
    desk.ok("fit train.csv --target y --task count --iterations 5");
    let json = desk.ok("eval model.gp test.csv --json").json();
    let rate = mean(targets(&train).into_iter());
    let loss = |y: f64| rate - y * rate.ln() + ln_gamma(y + 1.0);
    let expected = mean(targets(&test).into_iter().map(loss));
    let scores = &json["scores"]["mean"];
    assert!((scores["nlpd"].as_f64().unwrap() - expected).abs() < 1e-9, "{expected}: {json}");
    assert_eq!(scores["msll"], 0.0);
    assert!(json["predictors"]["mean"].as_str().unwrap().starts_with("Poisson distribution"), "{json}");
    let of_model = &json["scores"]["gp"];
    let difference = of_model["nlpd"].as_f64().unwrap() - expected;
    assert!((of_model["msll"].as_f64().unwrap() - difference).abs() < 1e-9, "{json}");
}

#[test]
fn positive_numbers_without_inputs_are_gamma() {
    let desk = Desk::new();
    let (train, test) = (rows(0, 60, positive), rows(60, 100, positive));
    desk.write("train.csv", &train);
    desk.write("test.csv", &test);
    desk.ok("fit train.csv --target y --likelihood gamma --iterations 5");
    let json = desk.ok("eval model.gp test.csv --json").json();
    let known = targets(&train);
    let centre = mean(known.iter().copied());
    let shape = centre * centre / mean(known.iter().map(|y| (y - centre).powi(2)));
    let log_density = |y: f64| {
        shape * (shape / centre).ln() + (shape - 1.0) * y.ln() - shape * y / centre - ln_gamma(shape)
    };
    let expected = -mean(targets(&test).into_iter().map(log_density));
    let found = json["scores"]["mean"]["nlpd"].as_f64().unwrap();
    assert!((found - expected).abs() < 1e-9, "{expected}: {json}");
}

#[test]
fn intervals_of_counts_say_how_much_they_claim() {
    let desk = Desk::new();
    desk.write("train.csv", rows(0, 80, counts));
    desk.write("test.csv", rows(80, 180, counts));
    desk.ok("fit train.csv --target y --task count");
    let json = desk.ok("eval model.gp test.csv --json").json();
    for (place, level) in [0.5, 0.8, 0.95].into_iter().enumerate() {
        let of = |score: &str| json["scores"]["gp"][score][place].as_f64().unwrap();
        assert!(of("claimed") > level + 1e-3 && of("claimed") < 1.0, "{json}");
        // More than two standard errors for 100 rows.
        assert!((of("coverage") - of("claimed")).abs() < 0.15, "{json}");
    }
    let said = desk.ok("eval model.gp test.csv");
    assert!(said.out.contains("  its probability"), "{}", said.out);
    // Intervals of real numbers claim exactly the level.
    desk.write("t.csv", sine(60));
    desk.ok("fit t.csv --target y --force");
    let said = desk.ok("eval model.gp t.csv");
    assert!(!said.out.contains("  its probability"), "{}", said.out);
}

#[test]
fn intervals_that_are_too_narrow_are_remarked() {
    let desk = Desk::new();
    desk.write("train.csv", rows(0, 60, |_, error| error));
    desk.write("test.csv", rows(60, 460, |_, error| error));
    let model = "--likelihood \"gaussian(variance=fixed(0.05))\" --kernel \"1 * rbf(lengthscale=2)\" --no-train --units model";
    let said = desk.ok(&format!("fit train.csv --target y {model} --test test.csv"));
    let remark = "% of 400 rows: they are too narrow";
    assert!(said.err.contains("95 % intervals cover") && said.err.contains(remark), "{}", said.err);
    let said = desk.ok("eval model.gp test.csv --json");
    assert!(said.err.contains(remark), "{}", said.err);
    let warnings = said.json()["warnings"].as_array().unwrap().clone();
    assert!(warnings.iter().any(|warning| warning.as_str().unwrap().contains(remark)), "{warnings:?}");
    // Intervals with learned noise have the coverage they claim.
    desk.ok("fit train.csv --target y --force");
    let said = desk.ok("eval model.gp test.csv");
    assert!(!said.err.contains("too narrow"), "{}", said.err);
}
