//! Noisy samples of a function at 240 points, with a gap.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::f64::consts::TAU;
use std::fmt::Write;

const SEED: u64 = 20;
const COUNT: usize = 240;
const END: f64 = 10.0;
const GAP: std::ops::Range<f64> = 5.6..6.9;
const NOISE: f64 = 0.2;

fn signal(x: f64) -> f64 {
    2.0 + 1.1 * (1.9 * x).sin() + 0.7 * (0.6 * x + 1.0).sin() + 0.35 * (4.3 * x).sin()
}

/// CSV with four decimals, for equal text on all platforms; ascending x.
pub(crate) fn csv() -> String {
    let mut rng = ChaCha8Rng::seed_from_u64(SEED);
    let mut places: Vec<f64> = (0..COUNT).map(|_| outside_gap(rng.random())).collect();
    places.sort_by(f64::total_cmp);
    let mut text = String::from("x,y\n");
    for x in places {
        let y = signal(x) + NOISE * standard_normal(rng.random(), rng.random());
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{x:.4},{y:.4}");
    }
    text
}

/// Maps (0, 1) to points outside the gap.
fn outside_gap(unit: f64) -> f64 {
    let place = unit * (END - (GAP.end - GAP.start));
    if place < GAP.start { place } else { place + (GAP.end - GAP.start) }
}

fn standard_normal(u: f64, v: f64) -> f64 {
    (-2.0 * (1.0 - u).ln()).sqrt() * (TAU * v).cos()
}
