//! Format-independent mutations.

use crate::random::Random;

/// Bytes with a meaning in some format.
const BYTES: [u8; 16] = *b"\x00\x01\x7f\x80\xff,\"\n\r;:(=)[\t";

/// Applies one to four mutations.
pub(crate) fn damage(bytes: &mut Vec<u8>, random: &mut Random) {
    for _ in 0..1 + random.below(4) {
        if bytes.is_empty() {
            return;
        }
        let at = random.below(bytes.len());
        let end = (at + 1 + random.below(16)).min(bytes.len());
        match random.below(8) {
            0 => bytes[at] = BYTES[random.below(BYTES.len())],
            1 => bytes[at] ^= 1 << random.below(8),
            2 => drop(bytes.drain(at..end)),
            3 => {
                let piece = bytes[at..end].to_vec();
                bytes.splice(at..at, piece);
            }
            4 if random.once_in(3) => bytes.truncate(at),
            4 | 5 => overwrite(bytes, at, random),
            6 => overwrite(bytes, at & !3, random),
            _ => overwrite(bytes, at & !7, random),
        }
    }
}

/// Overwrites 1 to 8 bytes with an edge-case number.
pub(crate) fn overwrite(bytes: &mut [u8], at: usize, random: &mut Random) {
    let size = 1 << random.below(4);
    let number = random.edge();
    let little = number.to_le_bytes();
    let big = number.to_be_bytes();
    let new = if random.once_in(3) { &big[8 - size..] } else { &little[..size] };
    bytes[at..].iter_mut().zip(new).for_each(|(byte, new)| *byte = *new);
}
