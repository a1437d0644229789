//! Sums in several registers, to hide latency.

const LANES: usize = 8;
/// Inner products computed together in registers.
pub(super) const TOGETHER: usize = 4;

#[inline(always)]
pub(super) fn sum(x: &[f64]) -> f64 {
    let mut sums = [0.0; LANES];
    let (whole, rest) = x.as_chunks::<LANES>();
    for x in whole {
        for p in 0..LANES {
            sums[p] += x[p];
        }
    }
    total(&sums) + rest.iter().sum::<f64>()
}

#[inline(always)]
fn total(sums: &[f64; LANES]) -> f64 {
    let quarter = |p: usize| sums[p] + sums[p + 4];
    (quarter(0) + quarter(2)) + (quarter(1) + quarter(3))
}

#[inline(always)]
pub(super) fn products(x: &[f64], y: [&[f64]; TOGETHER]) -> [f64; TOGETHER] {
    let mut sums = [[0.0; LANES]; TOGETHER];
    let (whole, rest) = x.as_chunks::<LANES>();
    let y = y.map(|y| &y[..x.len()]);
    let parts = y.map(|y| y.as_chunks::<LANES>().0);
    for (at, x) in whole.iter().enumerate() {
        for (sum, y) in sums.iter_mut().zip(&parts) {
            let y = &y[at];
            for p in 0..LANES {
                sum[p] = x[p].mul_add(y[p], sum[p]);
            }
        }
    }
    let start = x.len() - rest.len();
    std::array::from_fn(|k| {
        total(&sums[k]) + rest.iter().zip(&y[k][start..]).map(|(x, y)| x * y).sum::<f64>()
    })
}
