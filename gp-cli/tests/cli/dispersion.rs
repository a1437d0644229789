//! Overdispersed counts.

use crate::support::{Desk, noise};

/// Counts with a rate along x, and a useless input; `scatter` draws around the mean.
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
    // With exposures, the expected count is rate times exposure.
    let exposed = |scatter: &dyn Fn(f64, f64) -> f64| {
        let row = |i: usize| {
            let (x, years) = (6.0 * (i as f64 * 0.618).fract(), 1.0 + (i % 5) as f64);
            let count = scatter(2.0 * years * x.sin().exp(), noise(i)).round().max(0.0);
            format!("{x:.4},{years},{count}\n")
        };
        "x,years,n\n".to_owned() + &(0..300).map(row).collect::<String>()
    };
    let fit = "--target n --likelihood poisson --exposure years -o m.gp --force";
    desk.write("wide_rates.csv", exposed(&|mean, noise| mean * (1.0 + 0.6 * noise)));
    let said = desk.ok(&format!("fit wide_rates.csv {fit}"));
    assert!(said.err.contains(warning), "{}", said.err);
    desk.write("sound_rates.csv", exposed(&|mean, noise| mean + mean.sqrt() * noise));
    let said = desk.ok(&format!("fit sound_rates.csv {fit}"));
    assert!(!said.err.contains(warning), "{}", said.err);
    // Counts with variance equal to their mean.
    desk.write("sound.csv", counts(|mean, noise| mean + mean.sqrt() * noise));
    let said = desk.ok("fit sound.csv --target n --likelihood poisson -o m.gp --force");
    assert!(!said.err.contains(warning), "{}", said.err);
}
