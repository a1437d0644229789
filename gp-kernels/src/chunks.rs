//! Processing of slices in chunks with a buffer on the stack.

/// Chunk length: long enough to vectorise, short enough for the stack and the first-level cache.
pub(crate) const CHUNK: usize = 64;

/// Calls `body` with each chunk of `values` and a buffer of the same length.
pub(crate) fn with_buffer(values: &mut [f64], mut body: impl FnMut(&mut [f64], &mut [f64])) {
    let mut buffer = [0.0; CHUNK];
    for piece in values.chunks_mut(CHUNK) {
        let len = piece.len();
        body(piece, &mut buffer[..len]);
    }
}

/// Calls `body` with matching chunks of `values` and `others`, and a buffer of the same length.
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
