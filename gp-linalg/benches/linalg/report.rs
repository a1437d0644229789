//! Timing through criterion, and the table.

use criterion::Criterion;
use std::time::{Duration, Instant};

pub(crate) struct Bounds {
    /// Operations per second of faer's product, one thread.
    pub(crate) product_rate: f64,
    /// Bytes per second of in-place scaling, one thread.
    pub(crate) bandwidth: f64,
}

struct Line {
    name: String,
    seconds: f64,
    flops: f64,
    reference: Option<f64>,
    note: String,
}

pub(crate) struct Report<'a> {
    criterion: &'a mut Criterion,
    lines: Vec<Line>,
}

impl<'a> Report<'a> {
    pub(crate) fn new(criterion: &'a mut Criterion) -> Self {
        Self { criterion, lines: Vec::new() }
    }

    /// Shortest time of `operation` in seconds; `prepare` is untimed.
    pub(crate) fn time<S>(
        &mut self,
        name: &str,
        state: &mut S,
        mut prepare: impl FnMut(&mut S),
        mut operation: impl FnMut(&mut S),
    ) -> f64 {
        let mut best = Duration::MAX;
        self.criterion.bench_function(name, |bencher| {
            bencher.iter_custom(|iterations| {
                let mut total = Duration::ZERO;
                for _ in 0..iterations {
                    prepare(state);
                    let start = Instant::now();
                    operation(state);
                    let elapsed = start.elapsed();
                    best = best.min(elapsed);
                    total += elapsed;
                }
                total
            });
        });
        best.as_secs_f64()
    }

    pub(crate) fn line(&mut self, name: &str, flops: f64, seconds: f64, reference: Option<f64>) {
        self.note(name, flops, seconds, reference, String::new());
    }

    pub(crate) fn note(
        &mut self,
        name: &str,
        flops: f64,
        seconds: f64,
        reference: Option<f64>,
        note: String,
    ) {
        self.lines.push(Line { name: name.to_owned(), seconds, flops, reference, note });
    }

    pub(crate) fn print(&self, bounds: &Bounds) {
        println!();
        println!(
            "matrix-product rate {:.1} GFLOP/s (best of 512³ and 1000³, one thread), memory {:.1} GB/s (in-place scaling of 160 MB)",
            bounds.product_rate * 1e-9,
            bounds.bandwidth * 1e-9
        );
        println!(
            "{:<34} {:>11} {:>9} {:>8} {:>9}  note",
            "operation", "best µs", "GFLOP/s", "share", "vs faer"
        );
        for line in &self.lines {
            let rate = line.flops / line.seconds;
            let reference = line
                .reference
                .map_or_else(|| "-".to_owned(), |seconds| format!("{:.2}x", seconds / line.seconds));
            println!(
                "{:<34} {:>11.1} {:>9.1} {:>7.0}% {:>9}  {}",
                line.name,
                line.seconds * 1e6,
                rate * 1e-9,
                100.0 * rate / bounds.product_rate,
                reference,
                line.note
            );
        }
    }
}
