//! State of the vector registers.

/// Clears the upper halves of the vector registers.
///
/// faer products leave them "dirty", which slows the C library's `exp`, `ln` and `tanh` more than tenfold on
/// some processors until `vzeroupper`. Call this after each direct faer product, on its thread.
#[inline]
pub fn clear_upper_vector_state() {
    #[cfg(target_arch = "x86_64")]
    if let Some(v3) = pulp::x86::V3::try_new() {
        v3.avx._mm256_zeroupper();
    }
}
