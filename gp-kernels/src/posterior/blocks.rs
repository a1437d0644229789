//! Predictions in blocks of rows.

use gp_linalg::Threading;
use rayon::iter::{IndexedParallelIterator as _, ParallelIterator as _};
use rayon::slice::ParallelSliceMut as _;

use super::LatentPrediction;
use crate::error::KernelError;
use crate::evaluate::Evaluator;

/// Fills blocks of `rows`, in parallel or, if few, in sequence, by `of(scratch, first row, (means,
/// variances), evaluator)`.
///
/// # Errors
/// First error; [`KernelError::Stopped`].
pub fn in_blocks<S>(
    rows: usize,
    out: &mut LatentPrediction,
    by: &Evaluator,
    scratch: impl Fn() -> S + Sync,
    of: impl Fn(&mut S, usize, (&mut [f64], &mut [f64]), &Evaluator) -> Result<(), KernelError> + Sync,
) -> Result<(), KernelError> {
    let rows = rows.max(1);
    let LatentPrediction { mean, variance } = out;
    let blocks = mean.len().div_ceil(rows);
    if by.threading() == Threading::Here || blocks < rayon::current_num_threads() {
        let mut scratch = scratch();
        for (k, block) in mean.chunks_mut(rows).zip(variance.chunks_mut(rows)).enumerate() {
            by.check_stop()?;
            of(&mut scratch, k * rows, block, by)?;
        }
        return Ok(());
    }
    let blocks = mean.par_chunks_mut(rows).zip(variance.par_chunks_mut(rows)).enumerate();
    let room = || (scratch(), by.here());
    let results: Vec<Result<(), KernelError>> = blocks
        .map_init(room, |(scratch, by), (k, block)| {
            by.check_stop()?;
            of(scratch, k * rows, block, by)
        })
        .collect();
    results.into_iter().collect()
}

const ROWS: usize = 64;

/// Computes `numbers` results per row by `of(scratch, row, predictions, output)`, in parallel.
///
/// # Errors
/// First error; [`KernelError::Stopped`].
pub fn at_rows<S, T: Clone + Default + Send, E: Send + From<KernelError>>(
    predictions: &[LatentPrediction],
    by: &Evaluator,
    numbers: usize,
    scratch: impl Fn() -> S + Sync,
    of: impl Fn(&mut S, usize, &mut dyn Iterator<Item = (f64, f64)>, &mut [T]) -> Result<(), E> + Sync,
) -> Result<Vec<T>, E> {
    let count = predictions.first().map_or(0, |prediction| prediction.mean.len());
    let mut out = vec![T::default(); count * numbers];
    if numbers == 0 {
        return Ok(out);
    }
    let block = |scratch: &mut S, (block, out): (usize, &mut [T])| {
        by.check_stop()?;
        for (i, out) in out.chunks_mut(numbers).enumerate() {
            let row = block * ROWS + i;
            let mut beliefs = predictions.iter().map(|of| (of.mean[row], of.variance[row]));
            of(scratch, row, &mut beliefs, out)?;
        }
        Ok(())
    };
    let results: Vec<Result<(), E>> = match by.threading() {
        Threading::Here => {
            let mut scratch = scratch();
            out.chunks_mut(ROWS * numbers).enumerate().map(|part| block(&mut scratch, part)).collect()
        }
        Threading::Pool => {
            let parts = out.par_chunks_mut(ROWS * numbers).enumerate();
            parts.map_init(&scratch, |scratch, part| block(scratch, part)).collect()
        }
    };
    results.into_iter().collect::<Result<(), E>>()?;
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use gp_optim::StopSignal;

    fn squares(rows: usize, count: usize, by: &Evaluator) -> Result<LatentPrediction, KernelError> {
        let mut out = LatentPrediction { mean: vec![0.0; count], variance: vec![0.0; count] };
        in_blocks(
            rows,
            &mut out,
            by,
            || (),
            |(), first, (mean, variance), by| {
                by.check_stop()?;
                for (i, (mean, variance)) in mean.iter_mut().zip(variance).enumerate() {
                    (*mean, *variance) = ((first + i) as f64, ((first + i) as f64).powi(2));
                }
                Ok(())
            },
        )?;
        Ok(out)
    }

    #[test]
    fn every_row_has_its_numbers() {
        for threading in [Threading::Here, Threading::Pool] {
            let by = Evaluator::new(threading);
            for (rows, count) in [(4, 0), (4, 3), (4, 8), (4, 401), (0, 5)] {
                let found = squares(rows, count, &by).unwrap();
                assert!(found.mean.iter().enumerate().all(|(i, mean)| *mean == i as f64));
                assert!(found.variance.iter().enumerate().all(|(i, v)| *v == (i * i) as f64));
                let pairs = at_rows(
                    &[found],
                    &by,
                    2,
                    || (),
                    |(), row, beliefs, out: &mut [f64]| {
                        let (mean, variance) = beliefs.next().unwrap_or_default();
                        out.copy_from_slice(&[mean + row as f64, variance]);
                        Ok::<(), KernelError>(())
                    },
                );
                let pairs = pairs.unwrap();
                assert_eq!(pairs.len(), 2 * count);
                assert!(pairs.chunks(2).enumerate().all(|(i, p)| p == [2.0 * i as f64, (i * i) as f64]));
            }
        }
    }

    #[test]
    fn a_stop_signal_ends_it() {
        for threading in [Threading::Here, Threading::Pool] {
            let by = Evaluator::new(threading).with_stop_signal(StopSignal::new(|| true));
            assert!(matches!(squares(4, 400, &by), Err(KernelError::Stopped)));
        }
    }
}
