//! Envelope of a checkpoint, which detects damage.
//!
//! | bytes | content |
//! |---|---|
//! | 8 | `GPOPTCKP` |
//! | 4 | version of the format |
//! | 8 | length of the payload in bytes |
//! | 8 | checksum of everything else |
//! | … | payload |
//!
//! Numbers are little-endian.

use crate::solvers::error::CheckpointError;
use std::path::Path;

const MAGIC: [u8; 8] = *b"GPOPTCKP";
const VERSION: u32 = 1;
const HEAD: usize = 20;

pub(super) fn seal(payload: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(HEAD + 8 + payload.len());
    bytes.extend(MAGIC);
    bytes.extend(VERSION.to_le_bytes());
    bytes.extend((payload.len() as u64).to_le_bytes());
    let sum = checksum(&bytes, payload);
    bytes.extend(sum.to_le_bytes());
    bytes.extend(payload);
    bytes
}

pub(super) fn open<'a>(bytes: &'a [u8], path: &Path) -> Result<&'a [u8], CheckpointError> {
    let path = || path.to_path_buf();
    let damaged = |what: &str| CheckpointError::Damaged { path: path(), what: what.to_owned() };
    let Some(rest) = bytes.strip_prefix(&MAGIC) else {
        return Err(CheckpointError::NotACheckpoint { path: path() });
    };
    let cut = || damaged("it ends inside its head");
    // The version comes first: the rest may differ between versions.
    let (version, rest) = rest.split_first_chunk().ok_or_else(cut)?;
    let found = u32::from_le_bytes(*version);
    if found != VERSION {
        return Err(CheckpointError::Version { path: path(), found, supported: VERSION });
    }
    let (length, rest) = rest.split_first_chunk().ok_or_else(cut)?;
    let (sum, payload) = rest.split_first_chunk().ok_or_else(cut)?;
    let expected = u64::from_le_bytes(*length);
    if payload.len() as u64 != expected {
        return Err(damaged(&format!("it holds {} bytes instead of {expected}", payload.len())));
    }
    let head = bytes.get(..HEAD).unwrap_or_default();
    if checksum(head, payload) != u64::from_le_bytes(*sum) {
        return Err(damaged("its check sum does not match its contents"));
    }
    Ok(payload)
}

/// FNV-1a over zero-padded 8-byte words; detects any single damaged word.
fn checksum(head: &[u8], payload: &[u8]) -> u64 {
    let words = head.chunks(8).chain(payload.chunks(8)).map(|chunk| {
        let mut word = [0; 8];
        word.iter_mut().zip(chunk).for_each(|(to, byte)| *to = *byte);
        u64::from_le_bytes(word)
    });
    words.fold(0xcbf2_9ce4_8422_2325, |sum: u64, word| {
        // Multiplication moves bits up; rotation moves them down.
        (sum ^ word).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(29)
    })
}
