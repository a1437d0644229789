//! Parallel work on many points.

use crate::error::InferenceError;
use gp_linalg::Threading;
use rayon::prelude::*;

/// One result per item, with a chunk of items per task.
pub(super) fn in_chunks<T: Sync, R: Send>(
    items: &[T],
    size: usize,
    threading: Threading,
    of: impl Fn(&[T]) -> Result<Vec<R>, InferenceError> + Sync,
) -> Result<Vec<R>, InferenceError> {
    let found: Result<Vec<Vec<R>>, InferenceError> = match threading {
        Threading::Here => items.chunks(size).map(&of).collect(),
        Threading::Pool => items.par_chunks(size).map(&of).collect(),
    };
    Ok(found?.into_iter().flatten().collect())
}
