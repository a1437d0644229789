//! Leaving the vector registers as other code expects them.

/// Clears the upper halves of the vector registers.
///
/// faer's matrix products end with those halves "dirty". On some processors every scalar instruction of the older
/// encoding then waits for the register it writes, and the C library's `exp`, `ln` and `tanh` run more than ten
/// times slower until somebody executes `vzeroupper`. Whoever calls a faer product calls this afterwards, on the
/// thread that computed it.
#[inline]
pub fn clear_upper_vector_state() {
    #[cfg(target_arch = "x86_64")]
    if let Some(v3) = pulp::x86::V3::try_new() {
        v3.avx._mm256_zeroupper();
    }
}
