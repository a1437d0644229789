//! Slices in chunks with a stack buffer.

/// Vectorises; fits stack and first-level cache.
pub(crate) const CHUNK: usize = 64;

pub(crate) fn with_buffer(values: &mut [f64], mut body: impl FnMut(&mut [f64], &mut [f64])) {
    let mut buffer = [0.0; CHUNK];
    for piece in values.chunks_mut(CHUNK) {
        let len = piece.len();
        body(piece, &mut buffer[..len]);
    }
}

pub(crate) fn with_buffer_and<'a>(
    values: &mut [f64],
    others: &'a [f64],
    mut body: impl FnMut(&mut [f64], &'a [f64], &mut [f64]),
) {
    let mut buffer = [0.0; CHUNK];
    for (piece, other) in values.chunks_mut(CHUNK).zip(others.chunks(CHUNK)) {
        let len = piece.len();
        body(piece, other, &mut buffer[..len]);
    }
}
