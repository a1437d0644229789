//! Elementwise functions for the widest instruction set; results do not depend on the length.

mod exp;
mod ln;

pub use exp::{exp_in_place, exp_scaled_in_place};
pub use ln::ln_in_place;

/// Runs `op` compiled for the widest instruction set (AVX2 with FMA, NEON, …).
///
/// Mark everything in `op` `#[inline(always)]`: only inlined code profits. For large closures, which are not inlined,
/// use `impl WithSimd`.
///
/// ```
/// let mut x = vec![1.0_f64, 2.0, 3.0];
/// gp_linalg::vector::dispatch(#[inline(always)] || {
///     for value in &mut x {
///         *value = value.mul_add(2.0, 1.0);
///     }
/// });
/// assert_eq!(x, [3.0, 5.0, 7.0]);
/// ```
#[inline(always)]
pub fn dispatch<Op: pulp::WithSimd>(op: Op) -> Op::Output {
    pulp::Arch::new().dispatch(op)
}

/// Architecture and vector extensions, which determine the bits.
#[must_use]
pub fn instruction_set() -> String {
    let mut names = vec![std::env::consts::ARCH];
    names.extend(extensions());
    names.join(" ")
}

#[cfg(target_arch = "x86_64")]
fn extensions() -> impl Iterator<Item = &'static str> {
    let known = [
        ("avx", is_x86_feature_detected!("avx")),
        ("avx2", is_x86_feature_detected!("avx2")),
        ("fma", is_x86_feature_detected!("fma")),
        ("avx512f", is_x86_feature_detected!("avx512f")),
        ("avx512bw", is_x86_feature_detected!("avx512bw")),
        ("avx512dq", is_x86_feature_detected!("avx512dq")),
        ("avx512vl", is_x86_feature_detected!("avx512vl")),
    ];
    known.into_iter().filter_map(|(name, is_there)| is_there.then_some(name))
}

#[cfg(not(target_arch = "x86_64"))]
fn extensions() -> impl Iterator<Item = &'static str> {
    std::iter::empty()
}
