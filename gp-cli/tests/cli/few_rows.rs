//! Few rows for many inputs.

use crate::support::{Desk, noise};

const INPUTS: usize = 30;
const TRAINING: usize = 50;
const ROWS: usize = 550;

/// Rows of inputs between −1.7 and 1.7 with a target.
fn rows(places: std::ops::Range<usize>, target: impl Fn(&[f64], f64) -> f64) -> String {
    let names: Vec<String> = (0..INPUTS).map(|d| format!("x{d}")).collect();
    let row = |i: usize| {
        let inputs: Vec<f64> = (0..INPUTS).map(|d| 1.7 * noise(1_000 + i * INPUTS + d)).collect();
        let cells: Vec<String> = inputs.iter().map(|x| format!("{x:.4}")).collect();
        format!("{},{:.4}\n", cells.join(","), target(&inputs, noise(i)))
    };
    format!("{},y\n", names.join(",")) + &places.map(row).collect::<String>()
}

/// One length-scale per input explains the noise of some tens of rows, unless weak priors hold it.
#[test]
fn intervals_of_few_rows_and_many_inputs_hold_what_they_say() {
    let desk = Desk::new();
    let slope = |d: usize| noise(90_000 + d) / 3.0;
    let target = |of: usize| {
        move |x: &[f64], noise: f64| {
            let line: f64 = x.iter().enumerate().map(|(d, x)| slope(d) * x).sum();
            0.5 * noise + [0.0, line, (2.0 * line).sin()][of]
        }
    };
    for of in 0..3 {
        desk.write("t.csv", rows(0..TRAINING, target(of)));
        desk.write("later.csv", rows(TRAINING..ROWS, target(of)));
        desk.ok("fit t.csv --target y -o m.gp --force");
        let scores = desk.ok("eval m.gp later.csv --json").json();
        let (own, mean) = (&scores["scores"]["gp"], &scores["scores"]["mean"]);
        let (held, density) = (own["coverage"][2].as_f64().unwrap(), own["nlpd"].as_f64().unwrap());
        assert!(held > 0.88, "case {of}: 95 % intervals hold {held}");
        let of_mean = mean["nlpd"].as_f64().unwrap();
        assert!(density < of_mean + 0.1, "case {of}: {density}, and {of_mean} of the mean");
    }
}
