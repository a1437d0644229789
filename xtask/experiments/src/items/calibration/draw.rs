//! Tables of functions drawn from a process.

use crate::data::{normal, sample_prior, scaled_rbf};
use crate::error::ExperimentError;
use faer::Mat;
use gp_likelihoods::special::standard_normal_cdf;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::fmt::Write as _;
use std::ops::Range;

/// Standard deviations: noise of numbers, function of labels.
const NOISE: f64 = 0.2;
const DECIDED: f64 = 2.0;

/// Maximum redraws of constant labels.
const MAX_TIMES: usize = 100;

pub(super) struct Drawn {
    inputs: Mat<f64>,
    f: Vec<f64>,
    y: Vec<f64>,
}

impl Drawn {
    pub(super) fn new(
        (training, test): (usize, usize),
        dim: usize,
        labels: bool,
        seed: u64,
    ) -> Result<Self, ExperimentError> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let rows = training + test;
        let inputs = Mat::from_fn(rows, dim, |_, _| normal(&mut rng));
        let kernel = scaled_rbf(dim, &mut rng)?;
        let mut f = sample_prior(kernel.as_ref(), inputs.as_ref(), seed ^ (1 << 32))?;
        if labels {
            f.iter_mut().for_each(|f| *f *= DECIDED);
        }
        let mut see = |f: &f64| match labels {
            true if rng.random::<f64>() < standard_normal_cdf(*f) => 1.0,
            true => 0.0,
            false => f + NOISE * normal(&mut rng),
        };
        let mut y: Vec<f64> = f.iter().map(&mut see).collect();
        // Nothing can be learned from constant labels.
        for _ in 0..MAX_TIMES {
            if y[..training].iter().any(|label| *label != y[0]) {
                break;
            }
            y = f.iter().map(&mut see).collect();
        }
        Ok(Self { inputs, f, y })
    }

    pub(super) fn table(&self, rows: Range<usize>) -> String {
        let names: String = (1..=self.inputs.ncols()).map(|d| format!("x{d},")).collect();
        rows.fold(names + "y\n", |mut text, i| {
            self.inputs.row(i).iter().for_each(|x| {
                // Writing to a string cannot fail.
                let _ = write!(text, "{x},");
            });
            text + &format!("{}\n", self.y[i])
        })
    }

    /// Observations, or function values for labels.
    pub(super) fn truth(&self, rows: Range<usize>, labels: bool) -> &[f64] {
        if labels { &self.f[rows] } else { &self.y[rows] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_have_what_was_drawn() {
        let drawn = Drawn::new((300, 100), 2, false, 1).unwrap();
        let table = drawn.table(300..400);
        assert_eq!((table.lines().count(), table.lines().next()), (101, Some("x1,x2,y")));
        assert!(table.lines().nth(1).unwrap().ends_with(&format!(",{}", drawn.truth(300..400, false)[0])));
        let noise = drawn.f.iter().zip(&drawn.y).map(|(f, y)| (y - f).powi(2)).sum::<f64>() / 400.0;
        // Four standard errors of a variance from 400 numbers.
        assert!((noise / (NOISE * NOISE) - 1.0).abs() < 4.0 * (2.0f64 / 400.0).sqrt(), "{noise}");
    }

    #[test]
    fn labels_follow_the_function() {
        let drawn = Drawn::new((400, 0), 2, true, 3).unwrap();
        let expected: f64 = drawn.f.iter().map(|f| standard_normal_cdf(*f)).sum();
        let found: f64 = drawn.y.iter().sum();
        assert!((found - expected).abs() < 4.0 * (0.25f64 * 400.0).sqrt(), "{found} of {expected}");
        assert_eq!(drawn.truth(0..1, true), &drawn.f[..1]);
    }
}
