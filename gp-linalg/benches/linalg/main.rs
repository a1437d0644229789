//! Times of all operations and faer's, relative to the matrix-product rate.

#![expect(clippy::unwrap_used, reason = "a call that fails spoils the benchmark")]

mod bounds;
mod factor;
mod products;
mod report;
mod rotations;
mod vectors;

use criterion::Criterion;
use report::Report;
use std::time::Duration;

fn main() {
    let mut criterion = Criterion::default()
        .sample_size(12)
        .warm_up_time(Duration::from_millis(100))
        .measurement_time(Duration::from_millis(500))
        .without_plots()
        .configure_from_args();
    let mut report = Report::new(&mut criterion);
    let bounds = bounds::measure(&mut report);
    products::run(&mut report);
    factor::run(&mut report);
    rotations::run(&mut report, &bounds);
    vectors::run(&mut report);
    report.print(&bounds);
    criterion.final_summary();
}
