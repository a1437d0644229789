//! Counts that vary more than their likelihood says.

use crate::support::{Desk, noise};

/// Counts of a rate along x beside an input without effect, which a function may use to follow chance; `scatter` draws a
/// count about its mean.
fn counts(scatter: impl Fn(f64, f64) -> f64) -> String {
    let row = |i: usize| {
        let x = 6.0 * (i as f64 * 0.618).fract();
        let mean = 8.0 * x.sin().exp();
        format!("{x:.4},{:.4},{}\n", noise(7_000 + i), scatter(mean, noise(i)).round().max(0.0))
    };
    "x,z,n\n".to_owned() + &(0..300).map(row).collect::<String>()
}

#[test]
fn too_much_scatter_for_poisson_counts_is_told() {
    let desk = Desk::new();
    let warning = "counts vary more than poisson says";
    desk.write("wide.csv", counts(|mean, noise| mean * (1.0 + 0.6 * noise)));
    let said = desk.ok("fit wide.csv --target n --likelihood poisson -o m.gp --force");
    assert!(said.err.contains(warning), "{}", said.err);
    let said = desk.ok("fit wide.csv --target n --likelihood negative_binomial -o m.gp --force");
    assert!(!said.err.contains("counts vary more"), "{}", said.err);
    // The variance of these counts is their mean.
    desk.write("sound.csv", counts(|mean, noise| mean + mean.sqrt() * noise));
    let said = desk.ok("fit sound.csv --target n --likelihood poisson -o m.gp --force");
    assert!(!said.err.contains(warning), "{}", said.err);
}
