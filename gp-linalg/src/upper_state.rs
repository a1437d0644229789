//! Clean vector registers for other code.

/// Clears the upper halves of the vector registers.
///
/// faer's products leave them "dirty", after which the C library's `exp`, `ln` and `tanh` run more than ten
/// times slower on some processors until `vzeroupper` is executed. Call this after a faer product, on the
/// thread that computed it.
#[inline]
pub fn clear_upper_vector_state() {
    #[cfg(target_arch = "x86_64")]
    if let Some(v3) = pulp::x86::V3::try_new() {
        v3.avx._mm256_zeroupper();
    }
}
