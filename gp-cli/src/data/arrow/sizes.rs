//! What packed buffers of an Arrow file claim to unpack to. The reader takes memory for it unseen, and a process that asks
//! for more than there is ends.

use arrow_ipc::root_as_message;
use std::io::{self, Read, Seek, SeekFrom};

/// A buffer of one column of one batch has fewer bytes.
const MOST_BYTES: i64 = 1 << 32;
/// What every message begins with.
const CONTINUATION: [u8; 4] = [0xff; 4];

/// The first size that a part of some messages cannot have. Whatever else is wrong with them, the reader finds.
pub(super) fn implausible_size(messages: &mut (impl Read + Seek)) -> io::Result<Option<i64>> {
    let mut at = messages.stream_position()?;
    let end = messages.seek(SeekFrom::End(0))?;
    while let Some(length) = message_length(messages, at, end)? {
        let (head, body) = (at + 8, skip(at + 8, length.into(), end));
        let Some(body) = body else { return Ok(Some(length.into())) };
        let bytes = read_at(messages, head, body - head)?;
        let Ok(message) = root_as_message(&bytes) else { return Ok(None) };
        let Some(next) = skip(body, message.bodyLength(), end) else { return Ok(Some(message.bodyLength())) };
        let batch = message.header_as_record_batch().or_else(|| message.header_as_dictionary_batch()?.data());
        let packed = batch.filter(|batch| batch.compression().is_some());
        for buffer in packed.and_then(|batch| batch.buffers()).into_iter().flatten() {
            let first =
                skip(body, buffer.offset(), next).filter(|first| first + 8 <= next && buffer.length() > 0);
            let Some(first) = first else { continue };
            let claim = i64::from_le_bytes(read_at(messages, first, 8)?.try_into().unwrap_or_default());
            // −1 says that a buffer is not packed after all.
            if !(-1..MOST_BYTES).contains(&claim) {
                return Ok(Some(claim));
            }
        }
        at = next;
    }
    Ok(None)
}

/// The length of the description of a message, where one begins.
fn message_length(messages: &mut (impl Read + Seek), at: u64, end: u64) -> io::Result<Option<i32>> {
    if at + 8 > end {
        return Ok(None);
    }
    let start = read_at(messages, at, 8)?;
    let length = start.strip_prefix(&CONTINUATION).and_then(|rest| rest.first_chunk());
    Ok(length.map(|length| i32::from_le_bytes(*length)))
}

/// So many bytes on, unless that is behind the end.
fn skip(at: u64, length: i64, end: u64) -> Option<u64> {
    u64::try_from(length).ok().and_then(|length| at.checked_add(length)).filter(|&there| there <= end)
}

fn read_at(from: &mut (impl Read + Seek), at: u64, length: u64) -> io::Result<Vec<u8>> {
    from.seek(SeekFrom::Start(at))?;
    let mut bytes = Vec::new();
    from.take(length).read_to_end(&mut bytes)?;
    Ok(bytes)
}
