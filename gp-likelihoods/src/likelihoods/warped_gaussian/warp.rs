//! Warp and its inverse.

use crate::scalar::Scalar;

/// One term `a tanh(b (y + c))` of a warp.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WarpTerm {
    /// a, positive: half the term's total rise.
    pub height: f64,
    /// b, positive: slope at the bend over the height.
    pub steepness: f64,
    /// c; the bend is at −c.
    pub shift: f64,
}

/// Bisections alone need half.
const MAX_STEPS: u32 = 200;

#[derive(Clone, Copy)]
pub(super) struct Warp<'a> {
    pub(super) height: &'a [f64],
    pub(super) steepness: &'a [f64],
    pub(super) shift: &'a [f64],
}

/// `t(y)` and `t′(y) − 1`.
pub(super) fn warped<S: Scalar>(y: f64, terms: usize, theta: impl Fn(usize) -> S) -> (S, S) {
    let start = (S::constant(y), S::constant(0.0));
    (0..terms).fold(start, |(value, bending), term| {
        let [a, b, c] = [0, 1, 2].map(|kind| theta(kind * terms + term));
        let u = b * (c + y);
        (value + a * tanh(u), bending + a * b * sech_squared(u))
    })
}

fn tanh<S: Scalar>(u: S) -> S {
    u.through(f64::tanh, |u, t| (sech_squared(u), -2.0 * t * sech_squared(u)))
}

/// `1/cosh²`, accurate even if tanh rounds to 1.
fn sech_squared<S: Scalar>(u: S) -> S {
    let value = |u: f64| {
        let small = (-2.0 * u.abs()).exp();
        4.0 * small / ((1.0 + small) * (1.0 + small))
    };
    u.through(value, |u, s| (-2.0 * s * u.tanh(), s * (4.0 - 6.0 * s)))
}

impl Warp<'_> {
    fn at(&self, y: f64) -> (f64, f64) {
        let terms = self.height.len();
        warped(y, terms, |k| [self.height, self.steepness, self.shift][k / terms][k % terms])
    }

    pub(super) fn value(&self, y: f64) -> f64 {
        self.at(y).0
    }

    pub(super) fn slope(&self, y: f64) -> f64 {
        1.0 + self.at(y).1
    }

    /// Derivatives of `t(y)`, `t′(y)` by height, steepness, shift.
    pub(super) fn by_term(&self, term: usize, y: f64) -> [(f64, f64); 3] {
        let (a, b) = (self.height[term], self.steepness[term]);
        let from = y + self.shift[term];
        let (t, s) = ((b * from).tanh(), sech_squared(b * from));
        // (1/cosh²)′ = −2 tanh/cosh²
        let bending = -2.0 * a * b * s * t;
        [(t, b * s), (a * s * from, a * s + bending * from), (a * b * s, bending * b)]
    }

    /// Bracketed Newton: t increases, `|t(y) − y| ≤ Σ a_i`.
    pub(super) fn inverse(&self, z: f64) -> f64 {
        let away: f64 = self.height.iter().sum();
        let (mut low, mut high, mut y) = (z - away, z + away, z);
        for _ in 0..MAX_STEPS {
            let (value, bending) = self.at(y);
            if value >= z {
                high = y;
            }
            if value <= z {
                low = y;
            }
            let newton = y - (value - z) / (1.0 + bending);
            let next = if low < newton && newton < high { newton } else { 0.5 * (low + high) };
            if next == y || value == z || low >= high {
                break;
            }
            y = next;
        }
        y
    }
}
