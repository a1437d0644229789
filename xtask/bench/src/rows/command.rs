//! The command, from table to model.

use super::{Row, Run, Work, drawn};
use crate::BenchError;
use gp_linalg::Threading;
use std::ffi::OsString;
use std::fmt::Write as _;

const N: usize = 20_000;
const D: usize = 3;

pub(super) const ROWS: &[Row] = &[Row {
    name: "S12",
    what: "`gp fit`, VFE, 20,000 rows of 3 inputs, 50 inducing inputs, from CSV to model",
    work: Work::Whole,
    prepare: fit,
}];

fn fit(threading: Threading) -> Result<Run, BenchError> {
    let folder = tempfile::tempdir()?;
    let points = drawn::points(N, D, 5);
    let mut text = "a,b,c,y\n".to_owned();
    for (i, value) in drawn::wave(points).into_iter().enumerate() {
        // Noise of spread .1, by a sequence that fills the unit interval.
        let noise = 0.346 * ((i as f64 * 0.618_033_988_749_894_9).fract() - 0.5);
        let [a, b, c] = [0, 1, 2].map(|d| points[(i, d)]);
        let _ = writeln!(text, "{a},{b},{c},{}", value + noise);
    }
    let [table, model] = ["table.csv", "model.gp"].map(|name| folder.path().join(name));
    std::fs::write(&table, text)?;
    let threads = if threading == Threading::Here { 1 } else { rayon::current_num_threads() };
    // The program has a pool already: the command works on one of its own.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
    let mut line: Vec<OsString> =
        ["gp", "fit", "--target", "y", "--method", "vfe", "--inducing", "50"].map(OsString::from).into();
    line.extend(["--quiet", "--force"].map(OsString::from));
    line.extend([table.into(), "--output".into(), model.into_os_string()]);
    Ok(Box::new(move || {
        // The folder lives as long as the run.
        let _ = &folder;
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let code =
            pool.install(|| gp_cli::run(&gp_cli::Context::built_in(), line.clone(), &mut out, &mut err));
        if code == 0 { Ok(()) } else { Err(String::from_utf8_lossy(&err).into()) }
    }))
}
