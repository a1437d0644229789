//! What the Matérn kernels of half-integer order share: `κ(s) = p(t) exp(−t)` with `t = √(2ν s)`.

use gp_linalg::vector::exp_scaled_in_place;

use crate::chunks::{with_buffer, with_buffer_and};

/// A half-integer order ν.
pub(crate) trait HalfInteger {
    /// 2ν
    const TWICE_NU: f64;
    /// `p(t)`, with `p(0) = 1`.
    fn polynomial(t: f64) -> f64;
    /// `q(t)` in `dκ/ds = q(t) exp(−t)`.
    fn slope(t: f64) -> f64;
}

/// `s ← κ(s)`
pub(crate) fn apply<O: HalfInteger>(s: &mut [f64]) {
    with_buffer(s, |s, decay| {
        root_and_decay::<O>(s, decay);
        for (s, decay) in s.iter_mut().zip(decay) {
            *s = O::polynomial(*s) * *decay;
        }
    });
}

/// `s ← g κ'(s)`; returns `Σ g κ(s)`.
pub(crate) fn reverse<O: HalfInteger>(s: &mut [f64], upstream: &[f64]) -> f64 {
    let mut inner = 0.0;
    with_buffer_and(s, upstream, |s, upstream, decay| {
        root_and_decay::<O>(s, decay);
        for ((s, decay), g) in s.iter_mut().zip(decay).zip(upstream) {
            let weight = g * *decay;
            inner += weight * O::polynomial(*s);
            *s = weight * O::slope(*s);
        }
    });
    inner
}

/// `s ← t` and `decay ← exp(−t)`
fn root_and_decay<O: HalfInteger>(s: &mut [f64], decay: &mut [f64]) {
    for (s, decay) in s.iter_mut().zip(decay.iter_mut()) {
        *s = (O::TWICE_NU * *s).sqrt();
        *decay = *s;
    }
    exp_scaled_in_place(decay, -1.0);
}
