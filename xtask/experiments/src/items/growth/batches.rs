//! Evaluations on a batch of rows.

use super::drawn::{Drawn, process};
use super::{Evaluation, Sizes};
use crate::error::ExperimentError;
use gp_ep::power_ep::{MiniBatchEp, Sharing};
use gp_ep::{EpOptions, PowerEp};
use gp_linalg::Threading;
use gp_optim::ParameterSet as _;
use gp_variational::Savigp;
use gp_variational::savigp::Bound;

struct Turn {
    first: usize,
    batch: usize,
    rows: usize,
}

impl Turn {
    fn new(sizes: &Sizes) -> Self {
        Self { first: 0, batch: sizes.batch, rows: sizes.rows }
    }

    fn next(&mut self) -> Vec<usize> {
        let first = self.first;
        self.first = if first + 2 * self.batch > self.rows { 0 } else { first + self.batch };
        (first..first + self.batch).collect()
    }
}

/// EP step and gradient, one process.
pub(super) fn alike(
    sizes: &Sizes,
    rows: Drawn,
    threading: Threading,
    sharing: Sharing,
) -> Result<Evaluation, ExperimentError> {
    let model = PowerEp::of_alike_classes(sizes.classes, process(sizes, 1)?, 0.0)?;
    step(sizes, rows, model.with_threading(threading), sharing)
}

/// EP step and gradient, C processes.
pub(super) fn each(sizes: &Sizes, rows: Drawn, threading: Threading) -> Result<Evaluation, ExperimentError> {
    let processes = (0..sizes.classes).map(|class| process(sizes, 10 + class as u64));
    let model = PowerEp::of_classes(processes.collect::<Result<_, _>>()?, 0.0)?;
    step(sizes, rows, model.with_threading(threading), Sharing::Tied)
}

fn step(sizes: &Sizes, rows: Drawn, model: PowerEp, sharing: Sharing) -> Result<Evaluation, ExperimentError> {
    let mut gradient = vec![0.0; model.parameter_count()];
    let mut ep = MiniBatchEp::new(&model, &rows.table()?, sharing, sizes.batch)?;
    let mut turn = Turn::new(sizes);
    Ok(Box::new(move || {
        ep.refresh(&model)?;
        ep.step(&model, &rows.table()?, &turn.next(), &EpOptions::default())?;
        ep.log_z_gradient(&model, &mut gradient)?;
        Ok(())
    }))
}

/// Variational bound and gradient, one process.
pub(super) fn bound(
    sizes: &Sizes,
    rows: Drawn,
    threading: Threading,
    likelihood: &str,
) -> Result<Evaluation, ExperimentError> {
    let likelihood = gp_likelihoods::parse(&format!("{likelihood}(classes={})", sizes.classes))?;
    let model = Savigp::new(vec![process(sizes, 1)?], likelihood)?.with_threading(threading);
    let mut gradient = vec![0.0; model.parameter_count()];
    let mut state = Bound::for_batches(&model, &rows.table()?, sizes.batch)?;
    let mut turn = Turn::new(sizes);
    Ok(Box::new(move || {
        state.load(&model, &rows.table()?, &turn.next())?;
        state.gradient(&model, &mut gradient)?;
        Ok(())
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_follow_each_other_and_are_whole() {
        let mut turn = Turn::new(&Sizes { rows: 7, batch: 3, ..Sizes::default() });
        assert_eq!([turn.next(), turn.next(), turn.next()], [[0, 1, 2], [3, 4, 5], [0, 1, 2]]);
    }
}
