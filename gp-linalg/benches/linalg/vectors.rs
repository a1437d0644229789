//! Elementwise functions: 10⁹ values per second are shown as GFLOP/s, the standard library as faer.

use crate::report::Report;
use gp_linalg::vector::{exp_in_place, ln_in_place};

const COUNT: usize = 16_384;

pub(crate) fn run(report: &mut Report<'_>) {
    let arguments: Vec<f64> = (0..COUNT).map(|i| -30.0 * i as f64 / COUNT as f64).collect();
    compare(report, "exp", &arguments, exp_in_place, f64::exp);
    let arguments: Vec<f64> = (0..COUNT).map(|i| 0.01 + i as f64).collect();
    compare(report, "ln", &arguments, ln_in_place, f64::ln);
}

fn compare(
    report: &mut Report<'_>,
    name: &str,
    arguments: &[f64],
    ours: fn(&mut [f64]),
    scalar: fn(f64) -> f64,
) {
    let mut x = arguments.to_vec();
    let restore = |x: &mut Vec<f64>| x.copy_from_slice(arguments);
    let reference = report.time(&format!("{name} {COUNT}/std"), &mut x, restore, |x| {
        x.iter_mut().for_each(|value| *value = scalar(*value));
    });
    let name = format!("{name} {COUNT}");
    let seconds = report.time(&name, &mut x, restore, |x| ours(x));
    let note = format!("{:.0} million values/s; compared with std", COUNT as f64 / seconds * 1e-6);
    report.note(&name, COUNT as f64, seconds, Some(reference), note);
}
