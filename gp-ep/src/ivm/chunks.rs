//! Parallel work on many points.

use crate::error::InferenceError;
use gp_linalg::Threading;
use rayon::prelude::*;

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

pub(super) fn threads(threading: Threading) -> usize {
    match threading {
        Threading::Here => 1,
        Threading::Pool => rayon::current_num_threads(),
    }
}

/// Results by `of(workspace, first index, chunk)`; consecutive chunks share a workspace, for the cache.
pub(super) fn in_rooms<T: Sync, R: Send, W: Send>(
    items: &[T],
    size: usize,
    rooms: &mut [W],
    threading: Threading,
    of: impl Fn(&mut W, usize, &[T]) -> Result<Vec<R>, InferenceError> + Sync,
) -> Result<Vec<R>, InferenceError> {
    let share = items.len().div_ceil(size).div_ceil(rooms.len().max(1)).max(1) * size;
    let task = |(part, (items, room)): (usize, (&[T], &mut W))| {
        let mut found = Vec::with_capacity(items.len());
        for (chunk, items) in items.chunks(size).enumerate() {
            found.extend(of(room, part * share + chunk * size, items)?);
        }
        Ok(found)
    };
    let found: Result<Vec<Vec<R>>, InferenceError> = match threading {
        Threading::Here => items.chunks(share).zip(rooms).enumerate().map(task).collect(),
        Threading::Pool => items.par_chunks(share).zip(rooms).enumerate().map(task).collect(),
    };
    Ok(found?.into_iter().flatten().collect())
}
