//! The informative vector machine.

use super::{Row, Run, Work, drawn};
use crate::error::BenchError;
use gp_ep::Observations;
use gp_ep::ivm::{Ivm, IvmOptions};
use gp_likelihoods::Softmax;
use gp_linalg::Threading;

const N: usize = 20_000;
const D: usize = 50;
const C: usize = 5;
const ACTIVE: usize = 200;
const LIQUID: usize = 25;

pub(super) const ROWS: &[Row] = &[Row {
    name: "S14",
    what: "informative vector machine, 20,000 rows of 50 inputs, 5 classes, 200 active rows",
    // Solves with the factors of all active rows, per candidate and class; N/L candidates per active row.
    work: || Work::Operations((N / LIQUID * C * ACTIVE * ACTIVE * ACTIVE) as f64),
    prepare: run,
}];

fn run(threading: Threading) -> Result<Run, BenchError> {
    let points = drawn::points(N, D, 1);
    let labels: &'static [f64] = Box::leak(drawn::classes(points, C).into_boxed_slice());
    let data = Observations::new(points, labels)?;
    let lengthscale = 0.7 * (D as f64).sqrt();
    // Different kernels, so that none is shared.
    let kernel =
        |c: usize| gp_kernels::parse(&format!("{} * rbf(lengthscale={lengthscale})", 2.0 + 0.1 * c as f64));
    let kernels = (0..C).map(kernel).collect::<Result<_, _>>()?;
    let model = Ivm::new(kernels, Box::new(Softmax::new(C)?))?.with_threading(threading);
    let options = IvmOptions { active: ACTIVE, liquid: LIQUID, ..IvmOptions::default() };
    Ok(Box::new(move || {
        model.build_with(&data, &options, |_| Ok(()))?;
        Ok(())
    }))
}
