//! Elementwise functions at vector speed.
//!
//! The kernels are plain loops, inlined into a body compiled for the widest instruction set the processor has. All of
//! them use the same operations in the same order whatever the width, so results do not depend on the processor's
//! vector length or on where in the slice a number lies.

mod exp;
mod ln;

pub use exp::{exp_in_place, exp_scaled_in_place};
pub use ln::ln_in_place;

/// Runs `op` compiled for the widest instruction set that the processor offers (AVX2 with FMA, NEON, …).
///
/// Only what is inlined into `op` profits: mark the kernel and everything it calls `#[inline(always)]`. A closure
/// works where it is small enough to be inlined; a larger one is called from the dispatched body and compiled for the
/// baseline, whatever its attributes, and each `mul_add` in it becomes a call. An `impl WithSimd` is the certain way.
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
