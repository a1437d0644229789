//! Noisy problem for every kind of solver.

use gp_optim::{
    Adadelta, Adam, Batch, Batches, CheckpointFile, Control, Descended, Descent, DescentOptions, OptimError,
    UpdateRule, descend_with,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::convert::Infallible;

pub(crate) const TERMS: usize = 23;
pub(crate) const START: [f64; 2] = [0.3, 40.0];

/// `Σᵢ (1 − cos(x₀ − i)) + ½ (x₁ − i)²`, not quadratic.
pub(crate) fn waves(x: &[f64], batch: Batch<'_>, gradient: &mut [f64]) -> Result<f64, Infallible> {
    gradient.fill(0.0);
    let mut value = 0.0;
    for &i in batch.indices {
        let (a, b) = (x[0] - i as f64, x[1] - i as f64);
        value += batch.weight * (1.0 - a.cos() + 0.5 * b * b);
        gradient[0] += batch.weight * a.sin();
        gradient[1] += batch.weight * b;
    }
    Ok(value)
}

pub(crate) fn endless() -> DescentOptions {
    DescentOptions { gradient_tolerance: 0.0, value_tolerance: 0.0, plateau: u64::MAX, ..Default::default() }
}

pub(crate) fn batches() -> Batches {
    Batches::shuffled(TERMS, 4, 9).unwrap()
}

pub(crate) fn adam() -> Descent<Adam> {
    Descent::with_options(Adam::with_rate(0.05), batches(), endless()).unwrap()
}

pub(crate) fn adadelta() -> Descent<Adadelta> {
    Descent::with_options(Adadelta::default(), batches(), endless()).unwrap()
}

pub(crate) fn run_to<R>(
    iterations: u64,
    solver: Descent<R>,
    file: Option<CheckpointFile>,
) -> Result<Descended, OptimError>
where
    R: UpdateRule + Serialize + DeserializeOwned,
{
    descend_with(waves, &START, solver, iterations, &Control::new(), |run| match file {
        Some(file) => run.checkpointing(file.max_iterations(iterations)),
        None => run,
    })
}

pub(crate) fn bits(end: &Descended) -> Vec<u64> {
    end.x.iter().chain(&end.value).chain(&end.epoch_value).map(|x| x.to_bits()).collect()
}
