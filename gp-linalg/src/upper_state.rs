//! State of the vector registers.

/// Clears the upper halves of the vector registers.
///
/// Call after each direct faer product, on its thread: on some processors, dirty registers slow the C library's `exp`,
/// `ln` and `tanh` tenfold.
#[inline]
pub fn clear_upper_vector_state() {
    #[cfg(target_arch = "x86_64")]
    if let Some(v3) = pulp::x86::V3::try_new() {
        v3.avx._mm256_zeroupper();
    }
}
