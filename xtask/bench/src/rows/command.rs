//! The command, from table to model.

use super::{Row, Run, Work, drawn};
use crate::error::BenchError;
use faer::MatRef;
use gp_linalg::Threading;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::Path;

pub(crate) const N: usize = 20_000;
const D: usize = 3;

pub(super) const ROWS: &[Row] = &[Row {
    name: "S12",
    what: "`gp fit`, VFE, 20,000 rows of 3 inputs, 50 inducing inputs, from CSV to model",
    work: || Work::Whole,
    prepare: fit,
}];

pub(crate) fn noisy(count: usize, seed: u64) -> (MatRef<'static, f64>, Vec<f64>) {
    let points = drawn::points(count, D, seed);
    // Noise of standard deviation 0.1, from a uniform low-discrepancy sequence.
    let noise = |i: usize| 0.346 * ((i as f64 * 0.618_033_988_749_894_9).fract() - 0.5);
    let targets = drawn::wave(points).into_iter().enumerate().map(|(i, value)| value + noise(i)).collect();
    (points, targets)
}

pub(crate) fn csv((points, targets): &(MatRef<'static, f64>, Vec<f64>)) -> String {
    let mut text = "a,b,c,y\n".to_owned();
    for (i, y) in targets.iter().enumerate() {
        let [a, b, c] = [0, 1, 2].map(|d| points[(i, d)]);
        let _ = writeln!(text, "{a},{b},{c},{y}");
    }
    text
}

pub(crate) fn fit_line(table: &Path, model: &Path) -> Vec<OsString> {
    let mut line: Vec<OsString> =
        ["gp", "fit", "--target", "y", "--method", "vfe", "--inducing", "50"].map(OsString::from).into();
    line.extend(["--quiet", "--force"].map(OsString::from));
    line.extend([table.into(), "--output".into(), model.into()]);
    line
}

/// Output, or the failed command's message.
pub(crate) fn printed(line: Vec<OsString>) -> Result<String, BenchError> {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let code = gp_cli::run(&gp_cli::Context::built_in(), line, &mut out, &mut err);
    if code == 0 { Ok(String::from_utf8(out)?) } else { Err(String::from_utf8_lossy(&err).into()) }
}

fn fit(threading: Threading) -> Result<Run, BenchError> {
    let folder = tempfile::tempdir()?;
    let [table, model] = ["table.csv", "model.gp"].map(|name| folder.path().join(name));
    std::fs::write(&table, csv(&noisy(N, 5)))?;
    let threads = if threading == Threading::Here { 1 } else { rayon::current_num_threads() };
    // This program already has a pool; the command runs in its own.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
    let line = fit_line(&table, &model);
    Ok(Box::new(move || {
        // Captures the folder, so that it exists during the run.
        let _ = &folder;
        pool.install(|| printed(line.clone())).map(drop)
    }))
}
