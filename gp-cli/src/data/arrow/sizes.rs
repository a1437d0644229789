//! Memory that an Arrow file asks for. Its reader takes as much as the messages say, and a process that takes more than there
//! is ends; so sizes are checked first.

use crate::data::counted::read_up_to;
use arrow_ipc::root_as_message;
use std::io::{self, Read, Seek, SeekFrom};

/// A buffer of one column of one batch has fewer bytes.
const MOST_BYTES: i64 = 1 << 32;
/// First bytes of a message; those of old writers lack them.
const CONTINUATION: [u8; 4] = [0xff; 4];

/// Sizes that messages state.
pub(super) enum Claims {
    /// Bytes of memory, packed buffers unpacked: of all messages together, and of the largest.
    Bytes { all: f64, largest: f64 },
    /// A size that a part of some message cannot have.
    Impossible(i64),
}

/// Sum and largest of the sizes that messages state. Other faults are left to the reader.
pub(super) fn claims(messages: &mut (impl Read + Seek)) -> io::Result<Claims> {
    let mut at = messages.stream_position()?;
    let end = messages.seek(SeekFrom::End(0))?;
    let (mut all, mut largest) = (0.0, 0.0_f64);
    while let Some((head, length)) = description(messages, at, end)? {
        let Some(body) = skip(head, length.into(), end) else { return Ok(Claims::Impossible(length.into())) };
        let bytes = read_at(messages, head, body - head)?;
        let Ok(message) = root_as_message(&bytes) else { break };
        let Some(next) = skip(body, message.bodyLength(), end) else {
            return Ok(Claims::Impossible(message.bodyLength()));
        };
        let mut claimed = (next - at) as f64;
        let batch = message.header_as_record_batch().or_else(|| message.header_as_dictionary_batch()?.data());
        let packed = batch.filter(|batch| batch.compression().is_some());
        for buffer in packed.and_then(|batch| batch.buffers()).into_iter().flatten() {
            let first =
                skip(body, buffer.offset(), next).filter(|first| first + 8 <= next && buffer.length() > 0);
            let Some(first) = first else { continue };
            let claim = i64::from_le_bytes(read_at(messages, first, 8)?.try_into().unwrap_or_default());
            // −1 says that a buffer is not packed after all.
            if !(-1..MOST_BYTES).contains(&claim) {
                return Ok(Claims::Impossible(claim));
            }
            claimed += claim.max(0) as f64;
        }
        (all, largest) = (all + claimed, largest.max(claimed));
        at = next;
    }
    Ok(Claims::Bytes { all, largest })
}

/// Place and length of the description of a message; none at the end.
fn description<M: Read + Seek>(messages: &mut M, at: u64, end: u64) -> io::Result<Option<(u64, i32)>> {
    let number = |messages: &mut M, at: u64| -> io::Result<Option<[u8; 4]>> {
        if at + 4 > end { Ok(None) } else { Ok(read_at(messages, at, 4)?.try_into().ok()) }
    };
    let (head, length) = match number(messages, at)? {
        Some(CONTINUATION) => (at + 8, number(messages, at + 4)?),
        length => (at + 4, length),
    };
    let length = length.map(i32::from_le_bytes).filter(|&length| length != 0);
    Ok(length.map(|length| (head, length)))
}

/// So many bytes on, unless that is behind the end.
fn skip(at: u64, length: i64, end: u64) -> Option<u64> {
    u64::try_from(length).ok().and_then(|length| at.checked_add(length)).filter(|&there| there <= end)
}

fn read_at(from: &mut (impl Read + Seek), at: u64, length: u64) -> io::Result<Vec<u8>> {
    from.seek(SeekFrom::Start(at))?;
    read_up_to(from, length)
}
