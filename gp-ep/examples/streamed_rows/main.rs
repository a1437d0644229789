//! Learning from rows of a file with one batch in memory: prints seconds per step and memory by number of rows.
//!
//! ```sh
//! cargo run --release -p gp-ep --example streamed_rows
//! ```
//!
//! Stochastic EP of three classes with separate kernels, noises and inducing inputs; up to ten million rows of nine
//! numbers (720 MB).

use faer::Mat;
use gp_ep::power_ep::{EpLearning, Sharing};
use gp_ep::{
    EvaluationState, Inference as _, InferenceError, Learning, PowerEp, RowReader, SparseProcess, Steps,
};
use gp_kernels::placement::{Placement, RandomSubset};
use gp_optim::{Adam, Batches};
use std::fs::{self, File};
use std::io::{BufWriter, Result, Write};
use std::path::Path;
use std::time::Instant;

const DIM: usize = 8;
const CLASSES: usize = 3;
const SIZE: usize = 200;
const STEPS: u64 = 200;

fn row(i: usize) -> [f64; DIM + 1] {
    let mut row = [0.0; DIM + 1];
    for (d, x) in row[..DIM].iter_mut().enumerate() {
        *x = ((i * DIM + d) as f64 * 0.618_033_988_749_894_9).fract() * 2.0 - 1.0;
    }
    let signal = (3.0 * row[0]).sin() + row[1];
    row[DIM] = if signal < -0.4 { 0.0 } else { 1.0 + f64::from(u8::from(signal > 0.4)) };
    row
}

fn write(path: &Path, rows: usize) -> Result<()> {
    let mut out = BufWriter::new(File::create(path)?);
    (0..rows).flat_map(row).try_for_each(|x| out.write_all(&x.to_le_bytes()))?;
    out.flush()
}

/// Peak memory in megabytes, if reported.
fn peak() -> Option<f64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM"))?;
    Some(line.split_whitespace().nth(1)?.parse::<f64>().ok()? / 1024.0)
}

fn model() -> std::result::Result<PowerEp, InferenceError> {
    let starts = Mat::from_fn(2000, DIM, |i, d| row(i)[d]);
    let scales = vec![format!("{}", 0.5 * (DIM as f64).sqrt()); DIM].join(", ");
    let process = |class: usize| -> std::result::Result<SparseProcess, InferenceError> {
        let kernel = gp_kernels::parse(&format!("1 * rbf(lengthscale=[{scales}]) + 0.1 * white"))?;
        let placed = RandomSubset.place(kernel.as_ref(), starts.as_ref(), SIZE, class as u64)?;
        Ok(SparseProcess::new(kernel, placed.inputs)?)
    };
    PowerEp::of_classes((0..CLASSES).map(process).collect::<std::result::Result<_, _>>()?, 0.0)
}

fn main() -> std::result::Result<(), InferenceError> {
    println!(
        "rows      ms a step  peak memory (MB), {STEPS} steps of stochastic EP, B = M = {SIZE}, D = {DIM}, C = {CLASSES}"
    );
    let path = std::env::temp_dir().join(format!("streamed_rows_{}.f64", std::process::id()));
    for rows in [10_000, 100_000, 1_000_000, 10_000_000] {
        let Ok(file) = write(&path, rows).and_then(|()| File::open(&path)) else {
            println!("{rows:9} cannot be written to {}", path.display());
            break;
        };
        let data = RowReader::new(file, DIM, 1)?;
        let mut model = model()?;
        let batches = Batches::in_blocks(rows, SIZE, 4096, 1)?;
        let how = Learning::Batches(batches, Steps::new(Adam::with_rate(0.01), STEPS));
        let tied = EpLearning::default().with_sharing(Sharing::Tied);
        let (mut start, mut seconds) = (Instant::now(), Vec::new());
        let mut watch = |_: EvaluationState<'_, _>| {
            seconds.push(start.elapsed().as_secs_f64());
            start = Instant::now();
        };
        model.learn_with(&data, how, &tied, &mut watch)?;
        seconds.sort_by(f64::total_cmp);
        println!("{rows:9}  {:8.2}  {:8.1}", 1e3 * seconds[seconds.len() / 2], peak().unwrap_or(f64::NAN));
    }
    let _ = fs::remove_file(&path);
    Ok(())
}
