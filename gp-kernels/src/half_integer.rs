//! Matérn kernels of half-integer order ν: `κ(s) = p(t) exp(−t)`, `t = √(2ν s)`.

use std::marker::PhantomData;

use gp_linalg::vector::{dispatch, exp_scaled_in_place};
use pulp::{Simd, WithSimd};

use crate::chunks::{with_buffer, with_buffer_and};
use crate::lanes::sum;

pub(crate) trait HalfInteger {
    const TWICE_NU: f64;
    /// `p(t)`, with `p(0) = 1`.
    fn polynomial(t: f64) -> f64;
    /// `q(t)` in `dκ/ds = q(t) exp(−t)`.
    fn slope(t: f64) -> f64;
}

/// `s ← κ(s)`
pub(crate) fn apply<O: HalfInteger>(s: &mut [f64]) {
    with_buffer(s, |t, decay| {
        root_and_decay::<O>(t, decay);
        dispatch(Values::<O> { t, decay, order: PhantomData });
    });
}

/// `s ← g κ'(s)`; returns `Σ g κ(s)`.
pub(crate) fn reverse<O: HalfInteger>(s: &mut [f64], upstream: &[f64]) -> f64 {
    let mut inner = 0.0;
    with_buffer_and(s, upstream, |t, upstream, decay| {
        root_and_decay::<O>(t, decay);
        inner += dispatch(LatentDerivatives::<O> { t, decay, upstream, order: PhantomData });
    });
    inner
}

/// `s ← t` and `decay ← exp(−t)`
fn root_and_decay<O: HalfInteger>(s: &mut [f64], decay: &mut [f64]) {
    dispatch(Roots { s: &mut *s, twice_nu: O::TWICE_NU });
    decay.copy_from_slice(s);
    exp_scaled_in_place(decay, -1.0);
}

/// Cap of t: `exp(−t)` is 0 there; larger `p(t)` could overflow (∞ · 0).
const FAR: f64 = 1000.0;

struct Roots<'a> {
    s: &'a mut [f64],
    twice_nu: f64,
}

impl WithSimd for Roots<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        for s in self.s.iter_mut() {
            let t = (self.twice_nu * *s).sqrt();
            *s = if t < FAR { t } else { FAR };
        }
    }
}

/// `t ← p(t) exp(−t)`
struct Values<'a, O> {
    t: &'a mut [f64],
    decay: &'a [f64],
    order: PhantomData<O>,
}

impl<O: HalfInteger> WithSimd for Values<'_, O> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        self.t.iter_mut().zip(self.decay).for_each(|(t, decay)| *t = O::polynomial(*t) * decay);
    }
}

/// `t ← g q(t) exp(−t)`; returns `Σ g p(t) exp(−t)`.
struct LatentDerivatives<'a, O> {
    t: &'a mut [f64],
    /// `exp(−t)`, overwritten.
    decay: &'a mut [f64],
    upstream: &'a [f64],
    order: PhantomData<O>,
}

impl<O: HalfInteger> WithSimd for LatentDerivatives<'_, O> {
    type Output = f64;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> f64 {
        for ((t, decay), g) in self.t.iter_mut().zip(self.decay.iter_mut()).zip(self.upstream) {
            let weight = g * *decay;
            *decay = O::polynomial(*t) * weight;
            *t = O::slope(*t) * weight;
        }
        sum(self.decay)
    }
}
