//! Elementwise functions at vector speed.
//!
//! Plain loops, compiled for the widest instruction set of the processor. Operations and their order do not
//! depend on the vector length, so neither do results.

mod exp;
mod ln;

pub use exp::{exp_in_place, exp_scaled_in_place};
pub use ln::ln_in_place;

/// Runs `op` compiled for the widest instruction set of the processor (AVX2 with FMA, NEON, …).
///
/// Only code inlined into `op` profits: mark it all `#[inline(always)]`. Larger closures are not inlined
/// and run at baseline, each `mul_add` a call; an `impl WithSimd` always is.
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
