//! Processing of slices in pieces with a buffer on the stack.

/// Length of pieces: enough to vectorise, small enough for stack and first cache.
pub(crate) const CHUNK: usize = 64;

/// Calls `body` with each piece of `values` and a buffer of the same length.
pub(crate) fn with_buffer(values: &mut [f64], mut body: impl FnMut(&mut [f64], &mut [f64])) {
    let mut buffer = [0.0; CHUNK];
    for piece in values.chunks_mut(CHUNK) {
        let len = piece.len();
        body(piece, &mut buffer[..len]);
    }
}

/// Calls `body` with matching pieces of `values` and `others`, and a buffer of the same length.
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
