//! `H = E[exp(−u)]`, `u = exp(f − x)`, with three derivatives on a grid of x.
//!
//! The grid of f contains all x. Sums are 0 for large u, a series in running moments `Σ w uⁿ` for small u, and about 60
//! table entries between.

use super::tail::{Series, exponential};
use super::{BELOW, REACH, STEP, TERMS};
use crate::latent::Latent;
use crate::special::HALF_LN_TAU;
use pulp::{Arch, Simd, WithSimd};
use std::sync::OnceLock;

pub(super) type Jet = [f64; 4];

/// `−ln u` from which `u⁸` ends the series: next term below 1e-17, of `H‴` 4e-15.
pub(super) const SMALL: f64 = 3.0;
/// `(−n)^k`: derivatives by x multiply uⁿ by −n.
const POWERS: [Jet; TERMS] = {
    let (mut powers, mut n) = ([[1.0; 4]; TERMS], 0);
    while n < TERMS {
        let x = -(n as f64);
        powers[n] = [1.0, x, x * x, x * x * x];
        n += 1;
    }
    powers
};
const INVERSES: [f64; TERMS] = [1.0, 0.5, 1.0 / 3.0, 0.25, 0.2, 1.0 / 6.0, 1.0 / 7.0, 0.125, 1.0 / 9.0];
/// ln u, negligible relative to 1.
const NOTHING: f64 = -40.0;
/// Weights from two exponentials; rounding grows to 28 times.
const RUN: usize = 8;
/// Largest node distance `h` in standard deviations; errors `exp(−2π a/h + a²/(2s²))`, `a = π/2`: 1e-14 for
/// `s = h/0.6`.
const NEAR: f64 = 0.6;
/// Grids, each twice as fine.
const GRIDS: usize = 7;
/// Rule exact to `s¹⁰`, below the finest grid.
const FIVE: [(f64, f64); 5] = [
    (-2.856_970_013_872_805_6, 0.011_257_411_327_720_69),
    (-1.355_626_179_974_266, 0.222_075_922_005_612_63),
    (0.0, 0.533_333_333_333_333_3),
    (1.355_626_179_974_266, 0.222_075_922_005_612_63),
    (2.856_970_013_872_805_6, 0.011_257_411_327_720_69),
];

#[derive(Clone, Debug, Default)]
pub(super) struct Responses {
    weights: Vec<f64>,
    /// `Σ_{i' ≤ i} w_i' exp(n (f_i' − f_i))` for n = 0, 1, …
    moments: Vec<[f64; TERMS]>,
}

impl Responses {
    /// Adds jets at `low + STEP j`, `j < nodes`; returns the series beyond.
    pub(super) fn add(&mut self, q: Latent, low: f64, nodes: usize, jets: &mut Vec<Jet>) -> Series {
        let fineness = (0..GRIDS).find(|k| q.variance().sqrt() * (1_u32 << k) as f64 >= STEP / NEAR);
        match fineness {
            Some(fineness) => self.on_a_grid(q, low, nodes, fineness, jets),
            None => {
                jets.extend((0..nodes).map(|j| by_five(q, low + STEP * j as f64)));
                series_by_five(q, low + STEP * nodes as f64)
            }
        }
    }

    fn on_a_grid(
        &mut self,
        q: Latent,
        low: f64,
        nodes: usize,
        fineness: usize,
        jets: &mut Vec<Jet>,
    ) -> Series {
        let table = table(fineness);
        let first = self.weigh(q, low, table);
        let Self { weights, moments } = self;
        let end = first + weights.len() as isize - 1;
        let u = (table.step * (end - ((nodes as isize) << fineness)) as f64).exp();
        let factors = exponential(u);
        let series = moments.last().map_or(factors, |m| std::array::from_fn(|n| m[n] * factors[n]));
        Arch::new().dispatch(OnAGrid { weights, moments, first, table, fineness, nodes, jets });
        with_whole_mass(series)
    }

    /// Weights at `low + step i`, i from the result.
    fn weigh(&mut self, q: Latent, low: f64, table: &Table) -> isize {
        let (s, step) = (q.variance().sqrt(), table.step);
        let place = |f: f64| (f - low) / step;
        let begin = place(q.mean() - REACH * s).ceil();
        let first = begin.max(NOTHING / step);
        let last = place(q.mean() + REACH * s).floor().max(first);
        self.weights.resize((last - first) as usize + 1, 0.0);
        fill_weights((low + step * first - q.mean()) / s, step / s, &mut self.weights);
        let mut running = [0.0; TERMS];
        if first > begin {
            // Nodes too far below every x count by mass only; all weights sum to 1.
            running[0] = 1.0 - self.weights.iter().sum::<f64>();
        }
        self.moments.clear();
        for weight in &self.weights {
            running.iter_mut().zip(table.decay).for_each(|(sum, decay)| *sum = *sum * decay + weight);
            self.moments.push(running);
        }
        first as isize
    }
}

/// Writes `h N(t | 0, 1)` at `t, t + h, …`, with two exponentials per run.
fn fill_weights(start: f64, h: f64, weights: &mut [f64]) {
    let shrink = (-h * h).exp();
    for (run, weights) in weights.chunks_mut(RUN).enumerate() {
        let t = start + h * (run * RUN) as f64;
        let mut weight = h * (-0.5 * t * t - HALF_LN_TAU).exp();
        let mut factor = (-h * (t + 0.5 * h)).exp();
        for slot in weights {
            *slot = weight;
            weight *= factor;
            factor *= shrink;
        }
    }
}

struct OnAGrid<'a> {
    weights: &'a [f64],
    moments: &'a [[f64; TERMS]],
    /// First weight, table steps from the first x.
    first: isize,
    table: &'a Table,
    fineness: usize,
    nodes: usize,
    jets: &'a mut Vec<Jet>,
}

impl WithSimd for OnAGrid<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self { weights, moments, first, table, fineness, nodes, jets } = self;
        let last = weights.len() as isize - 1;
        let usual = (-table.step * table.small as f64).exp();
        for j in 0..nodes as isize {
            // Nodes of f: at x, where u becomes small, where it becomes large.
            let here = (j << fineness) - first;
            let (small, large) = (here - table.small, here + table.large);
            let end = small.min(last);
            let u = if end == small { usual } else { (table.step * (end - here) as f64).exp() };
            let moments = usize::try_from(end).ok().and_then(|end| moments.get(end));
            let mut jet = moments.map_or_else(Jet::default, |moments| series(moments, u));
            let (from, to) = ((small + 1).max(0), large.min(last));
            if from <= to {
                let weights = &weights[from as usize..=to as usize];
                let offset = (from - small - 1) as usize;
                let between = weighted(weights, &table.between[offset..]);
                (0..4).for_each(|k| jet[k] += between[k]);
            }
            jets.push(jet);
        }
    }
}

/// Series from moments and u at the last node.
#[inline(always)]
fn series(moments: &[f64; TERMS], u: f64) -> Jet {
    let (mut jet, mut factor) = (Jet::default(), 1.0);
    for ((moment, powers), inverse) in moments.iter().zip(&POWERS).zip(INVERSES) {
        let term = factor * moment;
        (0..4).for_each(|k| jet[k] += term * powers[k]);
        factor *= -u * inverse;
    }
    jet
}

#[inline(always)]
fn weighted(weights: &[f64], responses: &[Jet]) -> Jet {
    let (mut sums, responses) = ([Jet::default(); 4], &responses[..weights.len()]);
    let ((weights4, weights_rest), (responses4, responses_rest)) =
        (weights.as_chunks::<4>(), responses.as_chunks::<4>());
    for (weights, responses) in weights4.iter().zip(responses4) {
        for i in 0..4 {
            (0..4).for_each(|k| sums[i][k] += weights[i] * responses[i][k]);
        }
    }
    for (weight, response) in weights_rest.iter().zip(responses_rest) {
        (0..4).for_each(|k| sums[0][k] += weight * response[k]);
    }
    std::array::from_fn(|k| (sums[0][k] + sums[1][k]) + (sums[2][k] + sums[3][k]))
}

/// Sets the first moment to 1, correcting rounding.
fn with_whole_mass(mut series: Series) -> Series {
    series[0] = 1.0;
    series
}

fn series_by_five(q: Latent, x: f64) -> Series {
    let s = q.variance().sqrt();
    let mut sum = Series::default();
    for (t, weight) in FIVE {
        let series = exponential((q.mean() + s * t - x).exp());
        sum.iter_mut().zip(series).for_each(|(sum, a)| *sum += weight * a);
    }
    with_whole_mass(sum)
}

fn by_five(q: Latent, x: f64) -> Jet {
    let (s, mut jet) = (q.variance().sqrt(), Jet::default());
    if s == 0.0 {
        return response(q.mean() - x);
    }
    for (t, weight) in FIVE {
        let response = response(q.mean() + s * t - x);
        (0..4).for_each(|k| jet[k] += weight * response[k]);
    }
    jet
}

/// `exp(−u)` with derivatives by x, `u = exp(d)`, `d = f − x`.
pub(super) fn response(d: f64) -> Jet {
    // Beyond 6.5 the result is 0, and u could overflow.
    let u = d.min(6.5).exp();
    let survival = (-u).exp();
    [survival, u * survival, (u - 1.0) * u * survival, ((u - 3.0) * u + 1.0) * u * survival]
}

#[derive(Debug)]
struct Table {
    step: f64,
    /// Number of nodes below x until u is small, and above until it is large.
    small: isize,
    large: isize,
    /// `exp(−n step)`
    decay: [f64; TERMS],
    between: Vec<Jet>,
}

fn table(fineness: usize) -> &'static Table {
    static TABLES: [OnceLock<Table>; GRIDS] = [const { OnceLock::new() }; GRIDS];
    TABLES[fineness].get_or_init(|| {
        let step = STEP / (1_u32 << fineness) as f64;
        let (small, large) = ((SMALL / step).ceil() as isize, (BELOW / step).floor() as isize);
        let between = (1 - small..=large).map(|i| response(step * i as f64)).collect();
        let decay = std::array::from_fn(|n| (-step * n as f64).exp());
        Table { step, small, large, decay, between }
    })
}

/// `exp(−exp(d))`, d in grid steps.
pub(super) fn survival(steps: isize) -> f64 {
    static TABLE: OnceLock<Vec<f64>> = OnceLock::new();
    let lowest = (NOTHING / STEP) as isize;
    let table = TABLE.get_or_init(|| {
        let highest = (BELOW / STEP).ceil() as isize + 8;
        (lowest..=highest).map(|i| response(STEP * i as f64)[0]).collect()
    });
    match usize::try_from(steps - lowest) {
        Ok(place) => table.get(place).copied().unwrap_or(0.0),
        Err(_) => 1.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_the_sum_add_up() {
        for (mean, deviation) in [(0.3, 3.0), (-1.2, 0.4), (2.0, 0.05), (30.0, 1.0), (-45.0, 2.0)] {
            let (q, low) = (Latent::new(mean, deviation * deviation).unwrap(), -5.0);
            let mut jets = Vec::new();
            Responses::default().add(q, low, 160, &mut jets);
            for (j, jet) in jets.iter().enumerate() {
                let x = low + STEP * j as f64;
                // Steps of a fortieth of a deviation make no error.
                let nodes = (-400..=400).map(|i| f64::from(i) / 40.0);
                let exact = nodes.fold(Jet::default(), |sum, t| {
                    let weight = (-0.5 * t * t - HALF_LN_TAU).exp() / 40.0;
                    let response = response(mean + deviation * t - x);
                    std::array::from_fn(|k| sum[k] + weight * response[k])
                });
                let off = (0..4).map(|k| (jet[k] - exact[k]).abs()).fold(0.0, f64::max);
                assert!(off < 1e-11, "{mean} {deviation} at {x}: {jet:?} {exact:?}");
            }
        }
    }
}
