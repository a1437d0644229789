//! Reads tables within the memory limit.

use super::supply::{Supply, unreadable};
use crate::error::{CliError, ErrorKind};
use std::io::{self, Read};

const CHUNK: usize = 1 << 16;
/// Reciprocal of the buffer's growth.
const GROWTH: usize = 4;
const SPARE: usize = 64;

/// All bytes, within the memory limit; `expected` is a hint.
pub(super) fn read_all(
    from: &mut dyn Read,
    supply: &dyn Supply,
    expected: usize,
) -> Result<Vec<u8>, CliError> {
    let (mut room, mut bytes, mut chunk) = (supply.room(), Vec::new(), vec![0; CHUNK]);
    let mut more = expected;
    loop {
        let count = match from.read(&mut chunk) {
            Ok(0) => return Ok(bytes),
            Ok(count) => count,
            Err(cause) if cause.kind() == io::ErrorKind::Interrupted => continue,
            Err(cause) => return Err(unreadable(supply, cause)),
        };
        if bytes.capacity() - bytes.len() < count {
            let more = std::mem::take(&mut more).max(bytes.len() / GROWTH).max(CHUNK);
            room.take(more as f64, || " in memory".to_owned())?;
            reserve(&mut bytes, more, supply)?;
        }
        bytes.extend_from_slice(&chunk[..count]);
    }
}

pub(super) fn reserve<T>(of: &mut Vec<T>, more: usize, supply: &dyn Supply) -> Result<(), CliError> {
    of.try_reserve_exact(more).map_err(|cause| {
        let what = format!("not enough memory for `{}`", supply.name());
        CliError::caused(ErrorKind::Data, what, cause)
    })
}

/// Exactly `size` bytes, else `None`.
pub(super) fn read_sized(
    from: &mut dyn Read,
    size: usize,
    supply: &dyn Supply,
) -> Result<io::Result<Option<Vec<u8>>>, CliError> {
    let mut bytes = Vec::new();
    // One byte more reveals excess data; the rest prevents the standard library from growing the buffer.
    reserve(&mut bytes, size.saturating_add(SPARE), supply)?;
    let read = from.take(size as u64 + 1).read_to_end(&mut bytes);
    Ok(read.map(|_| (bytes.len() == size).then_some(bytes)))
}

pub(super) fn read_up_to(from: &mut dyn Read, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}
