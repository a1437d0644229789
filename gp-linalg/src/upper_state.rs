//! State of the vector registers.

/// Clears the upper halves of the vector registers.
///
/// After a faer product they are "dirty": on some processors the C library's `exp`, `ln` and `tanh` then run
/// more than ten times slower, until `vzeroupper` is executed. Call this after each direct faer product, on
/// the thread that computed it.
#[inline]
pub fn clear_upper_vector_state() {
    #[cfg(target_arch = "x86_64")]
    if let Some(v3) = pulp::x86::V3::try_new() {
        v3.avx._mm256_zeroupper();
    }
}
