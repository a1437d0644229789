//! Text tables of results.

use crate::measure::{Measured, Report, Times};
use crate::rows::{Row, Work};
use std::fmt::Write as _;

pub(crate) fn list(rows: &[&Row]) -> String {
    let line = |row: &&Row| format!("{:4} {}\n     {}\n", row.name, row.what, counted((row.work)()));
    rows.iter().map(line).collect()
}

fn counted(work: Work) -> String {
    match work {
        Work::Operations(count) => format!("{:.3} GF", 1e-9 * count),
        Work::Bytes(count) => format!("{:.3} GB", 1e-9 * count),
        Work::Whole => "unknown".to_owned(),
    }
}

pub(crate) fn markdown(report: &Report) -> String {
    let mut text = format!(
        "{}{}. Times are the shortest of several runs. Shares are relative to the machine's rate of matrix products (or \
         memory) on as many threads, measured in the same run.\n\n\
         | row | work | needed | one thread, ms | share | all threads, ms | share | speed-up | noise | allocations |\n\
         |---|---|---|---|---|---|---|---|---|---|\n",
        report.machine,
        if report.commit.is_empty() { String::new() } else { format!(", commit {}", report.commit) },
    );
    for row in &report.rows {
        let Measured { name, what, work, one, all, allocations, allocated } = row;
        let _ = writeln!(
            text,
            "| {name} | {what} | {} | {} | {} | {} | {} | {:.2} | {:.0} % | {allocations}, {} |",
            counted(*work),
            milliseconds(one.seconds),
            share(*work, one),
            milliseconds(all.seconds),
            share(*work, all),
            one.seconds / all.seconds,
            100.0 * one.noise.max(all.noise),
            bytes(*allocated),
        );
    }
    text
}

fn share(work: Work, times: &Times) -> String {
    let (needed, rate) = match work {
        Work::Operations(count) => (count, times.product_rate),
        Work::Bytes(count) => (count, times.memory_rate),
        Work::Whole => return String::new(),
    };
    format!("{:.0} % of {:.0} {}", 100.0 * needed / times.seconds / rate, 1e-9 * rate, work.unit())
}

fn milliseconds(seconds: f64) -> String {
    let value = 1e3 * seconds;
    let digits = if value < 10.0 { 2 } else { usize::from(value < 100.0) };
    format!("{value:.digits$}")
}

fn bytes(count: usize) -> String {
    match count {
        0..1_000 => format!("{count} B"),
        1_000..1_000_000 => format!("{} kB", count / 1_000),
        _ => format!("{} MB", count / 1_000_000),
    }
}
