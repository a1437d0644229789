//! What packed buffers of an Arrow file claim to unpack to. The reader takes memory for it unseen, and a process that asks
//! for more than there is ends.

use arrow_ipc::root_as_message;

/// A buffer of one column of one batch has fewer bytes.
const MOST_BYTES: i64 = 1 << 32;
/// What every message begins with.
const CONTINUATION: [u8; 4] = [0xff; 4];

/// The first size that a part of some messages cannot have. Whatever else is wrong with them, the reader finds.
pub(super) fn implausible_size(messages: &[u8]) -> Option<i64> {
    let mut rest = messages;
    while let Some((length, message)) =
        rest.strip_prefix(&CONTINUATION).and_then(|rest| rest.split_first_chunk::<4>())
    {
        let length = i32::from_le_bytes(*length);
        let Some((head, body)) = split(message, length.into()) else { return Some(length.into()) };
        let Ok(head) = root_as_message(head) else { return None };
        let Some((body, next)) = split(body, head.bodyLength()) else { return Some(head.bodyLength()) };
        let batch = head.header_as_record_batch().or_else(|| head.header_as_dictionary_batch()?.data());
        let packed = batch.filter(|batch| batch.compression().is_some());
        let claims = packed.and_then(|batch| batch.buffers()).into_iter().flatten().filter_map(|buffer| {
            let (_, packed) = split(body, buffer.offset())?;
            (buffer.length() > 0).then(|| packed.first_chunk().map(|first| i64::from_le_bytes(*first)))?
        });
        // −1 says that a buffer is not packed after all.
        if let Some(claim) = claims.into_iter().find(|claim| !(-1..MOST_BYTES).contains(claim)) {
            return Some(claim);
        }
        rest = next;
    }
    None
}

fn split(bytes: &[u8], length: i64) -> Option<(&[u8], &[u8])> {
    bytes.split_at_checked(usize::try_from(length).ok()?)
}
