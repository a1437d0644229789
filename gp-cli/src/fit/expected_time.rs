//! Expected training time: operation counts of the method, times rates measured in some milliseconds.

use super::start::ITERATIONS;
use crate::method::{Integral, Problem, TrainingRows, Work};
use faer::{Accum, Mat};
use gp_ep::{DataSource as _, operations};
use gp_kernels::data::lane_count_of;
use gp_kernels::{CovarianceGradients, Evaluator, parameter_count};
use gp_likelihoods::{Latent, LatentDerivatives, Pieces as _, PointDerivatives, Workspace};
use gp_linalg::Threading;
use gp_linalg::product::matmul;
use std::error::Error;
use std::time::{Duration, Instant};

/// Expected time of training.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExpectedTime {
    /// Seconds per evaluation or step.
    pub evaluation: f64,
    /// Typical number of evaluations or steps.
    pub usual: f64,
    /// Maximum number of evaluations or steps.
    pub most: f64,
    /// Seconds of the quick fits before training.
    pub quick: f64,
}

/// Typical number of evaluations of a quick fit.
const QUICK_EVALUATIONS: f64 = 45.0;
/// Share of the total time above which quick fits are reported separately.
const TOLD: f64 = 0.1;

/// Maximum number of columns of products and covariances, and number of rows of integrals, in a measurement.
const COLUMNS: usize = 256;
const INTEGRALS: usize = 64;
/// Maximum number of inducing points in a measurement; the rate is the same for more.
const MAX_INDUCING: usize = 500;
/// Time after which a measurement is not repeated, and minimum and maximum repeats. One run alone may have been
/// interrupted; very long ones count nevertheless.
const MEASURED: Duration = Duration::from_millis(20);
const VERY_LONG: Duration = Duration::from_millis(200);
const REPEATS: (usize, usize) = (2, 5);
/// Rate of products, solves and factorisations together, relative to products alone.
const SHARE: f64 = 0.4;
/// Exponent of the speed-up: T threads are T^GAIN times as fast. Two were 1.71 times as fast (median of 33
/// measurements).
const GAIN: f64 = 0.77;
/// Seconds of an evaluation besides work that grows with its sizes: steps of the optimiser, calls. With ten inducing
/// points and 32 rows, they were a third of the time.
const FIXED: f64 = 1e-5;
/// Seconds per integral besides the integral: marginals, cavity and site of an observation.
const AROUND: f64 = 1e-7;
/// Variance of latent functions in measured integrals: that of beliefs during training, a tenth of the prior's. Wide
/// beliefs would be dearer: integrals over counts take several times as long under the prior.
const VARIANCE: f64 = 0.1;

impl ExpectedTime {
    /// Measures the problem on some rows; None if it cannot be evaluated.
    pub(super) fn of(problem: &Problem, work: &Work, sample: &TrainingRows) -> Option<Self> {
        let gain = (rayon::current_num_threads() as f64).powf(GAIN);
        let rates = Measured { problem, sample }.rates(work).ok()?;
        Some(Self {
            evaluation: rates.evaluation(work, gain),
            usual: work.usual,
            most: work.most,
            quick: 0.0,
        })
    }

    /// Expected time of `count` successive quick fits of problems of this size.
    pub(super) fn of_quick(problem: &Problem, count: usize) -> Option<Self> {
        let sizes = problem.extents();
        let work = Work {
            products: operations::regression(&sizes),
            covariances: sizes.inducing as f64 * (sizes.rows as f64 + sizes.inducing as f64 / 2.0),
            ..Work::of_minimising(count as f64 * QUICK_EVALUATIONS, count as u64 * ITERATIONS)
        };
        Self::of(problem, &work, &problem.rows)
    }

    /// The time, after quick fits if any.
    pub(super) fn after(self, quick: Option<Self>) -> Self {
        Self { quick: self.quick + quick.map_or(0.0, |quick| quick.seconds()), ..self }
    }

    /// Total of successive fits; `evaluation` is their mean.
    pub(super) fn one_after_another(each: &[Self]) -> Self {
        let usual: f64 = each.iter().map(|of| of.usual).sum();
        let evaluation = each.iter().map(|of| of.evaluation * of.usual).sum::<f64>() / usual;
        let most = each.iter().map(|of| of.most * of.evaluation).sum::<f64>() / evaluation;
        Self { evaluation, usual, most, quick: each.iter().map(|of| of.quick).sum() }
    }

    /// Seconds of a typical run.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        self.quick + self.evaluation * self.usual
    }

    /// Description in one line, with a warning of a short time limit; None below a second.
    #[must_use]
    pub fn describe(&self, limit: Option<Duration>) -> Option<String> {
        let seconds = self.seconds();
        if seconds < 1.0 {
            return None;
        }
        let most = if self.most > 1.5 * self.usual {
            format!("; about {} if it needs all iterations", about(self.quick + self.most * self.evaluation))
        } else {
            String::new()
        };
        let quick = if self.quick > TOLD * seconds {
            format!("{} of quick fits to start from, then ", about(self.quick))
        } else {
            String::new()
        };
        let ended = limit.filter(|limit| limit.as_secs_f64() < seconds);
        let ended = ended.map_or("", |_| "; --time-limit is likely to end training before");
        Some(format!(
            "time: about {} to train, {quick}{:.0} evaluations of {}{most}{ended}",
            about(seconds),
            self.usual,
            about(self.evaluation)
        ))
    }
}

/// Seconds per unit of work on one thread.
#[derive(Clone, Copy, Debug, Default)]
struct Rates {
    product: f64,
    covariance: f64,
    integral: f64,
}

impl Rates {
    /// Seconds per evaluation on threads that are `gain` times as fast as one.
    fn evaluation(&self, work: &Work, gain: f64) -> f64 {
        let products = work.products * self.product / SHARE;
        let covariances = work.covariances * self.covariance;
        let integrals = work.integrals * (AROUND + self.integral);
        FIXED + (products + covariances + integrals) / gain
    }
}

struct Measured<'a> {
    problem: &'a Problem,
    sample: &'a TrainingRows,
}

impl Measured<'_> {
    /// Rates of what the work includes.
    fn rates(&self, work: &Work) -> Result<Rates, Box<dyn Error>> {
        Ok(Rates {
            product: self.product()?,
            covariance: if work.covariances > 0.0 { self.covariance()? } else { 0.0 },
            integral: if work.integrals > 0.0 { self.integral(work.integral)? } else { 0.0 },
        })
    }

    /// Seconds per multiply-add in a typical product.
    fn product(&self) -> Result<f64, Box<dyn Error>> {
        let sizes = self.problem.sizes();
        let size = if sizes.inducing == 0 { sizes.rows } else { sizes.inducing }.clamp(1, MAX_INDUCING);
        let number = |i: usize, j: usize| ((i * 7 + j * 13) % 17) as f64;
        let columns = self.columns();
        let (a, b) = (Mat::from_fn(size, size, number), Mat::from_fn(size, columns, number));
        let mut out = Mat::zeros(size, columns);
        let seconds = least(|| {
            Ok(matmul(out.as_mut(), Accum::Replace, a.as_ref(), b.as_ref(), 1.0, Threading::Here)?)
        })?;
        Ok(seconds / (2.0 * (size * size * columns) as f64))
    }

    /// Number of columns of a product: rows of a block of a lane, which are few in small batches.
    fn columns(&self) -> usize {
        let sizes = self.problem.extents();
        match sizes.inducing {
            0 => COLUMNS,
            _ => (sizes.rows / lane_count_of(sizes.rows, sizes.processes)).clamp(1, COLUMNS),
        }
    }

    /// Seconds per covariance value with its gradient.
    fn covariance(&self) -> Result<f64, Box<dyn Error>> {
        let kernel = self.problem.kernels.first().ok_or("no latent function")?.as_ref();
        let (points, _) = self.sample.whole()?;
        let points = points.subrows(0, points.nrows().min(self.columns()));
        let seen = self.problem.inducing.first().map_or(points, |inputs| inputs.z().as_dyn_stride());
        let seen = seen.subrows(0, seen.nrows().min(MAX_INDUCING));
        let (by, count) = (Evaluator::new(Threading::Here), seen.nrows() * points.nrows());
        let mut out = Mat::zeros(seen.nrows(), points.nrows());
        let mut params = vec![0.0; parameter_count(kernel)];
        let mut moved = Mat::zeros(seen.nrows(), seen.ncols());
        let learns = !self.problem.settings.fixed_inducing && !self.problem.inducing.is_empty();
        let seconds = least(|| {
            by.cross(kernel, seen, points, out.as_mut())?;
            let rows = learns.then(|| moved.as_mut());
            let grads = CovarianceGradients { params: &mut params, rows, cols: None };
            Ok(by.cross_reverse(kernel, seen, points, out.as_ref(), grads)?)
        })?;
        Ok(seconds / count as f64)
    }

    /// Seconds per integral over the latents of an observation.
    fn integral(&self, integral: Integral) -> Result<f64, Box<dyn Error>> {
        let likelihood = self.problem.likelihood.as_ref();
        let (_, observed) = self.sample.whole()?;
        let rows: Vec<&[f64]> = observed.chunks_exact(self.sample.outputs()).take(INTEGRALS).collect();
        let beliefs = vec![Latent::new(0.0, VARIANCE)?; likelihood.latents()];
        let at = vec![0.5; likelihood.latents()];
        let (mut ws, mut slopes, mut point) =
            (Workspace::default(), LatentDerivatives::default(), PointDerivatives::default());
        let seconds = least(|| {
            for &y in &rows {
                match integral {
                    Integral::Tilted(power) if power > 0.0 => {
                        for piece in 0..likelihood.piece_count() {
                            let q = &beliefs[..likelihood.touched_count(piece)];
                            likelihood.tilted_piece(y, piece, q, power, &mut ws, &mut slopes)?;
                        }
                    }
                    Integral::Tilted(_) | Integral::Expected => {
                        likelihood.expected_log_density(y, &beliefs, &mut ws, &mut slopes)?;
                    }
                    Integral::Sampled(samples) => {
                        for _ in 0..samples {
                            likelihood.log_density_slopes(y, &at, &mut point)?;
                        }
                    }
                }
            }
            Ok(())
        })?;
        Ok(seconds / rows.len().max(1) as f64)
    }
}

/// Time as text, to two digits.
fn about(seconds: f64) -> String {
    match seconds {
        0.0..1.0 => format!("{} ms", two_digits(1e3 * seconds)),
        1.0..100.0 => format!("{} s", two_digits(seconds)),
        100.0..6000.0 => format!("{} min", two_digits(seconds / 60.0)),
        _ => format!("{} h", two_digits(seconds / 3600.0)),
    }
}

fn two_digits(value: f64) -> String {
    let step = 10f64.powf(value.log10().floor() - 1.0);
    let rounded = (value / step).round() * step;
    if rounded >= 10.0 { format!("{rounded:.0}") } else { format!("{rounded:.1}") }
}

/// Shortest time of repeated work. The first run, with allocations, counts only if it is long.
fn least(mut work: impl FnMut() -> Result<(), Box<dyn Error>>) -> Result<f64, Box<dyn Error>> {
    let begun = Instant::now();
    work()?;
    let first = begun.elapsed();
    let mut least = if first > MEASURED { first } else { Duration::MAX };
    let (fewest, most) = REPEATS;
    for repeat in 0..most {
        let is_long = if repeat < fewest { VERY_LONG } else { MEASURED };
        if begun.elapsed() > is_long && least < Duration::MAX {
            break;
        }
        let from = Instant::now();
        work()?;
        least = least.min(from.elapsed());
    }
    Ok(least.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_said_to_two_digits() {
        let cases = [
            (0.00123, "1.2 ms"),
            (0.25, "250 ms"),
            (1.04, "1.0 s"),
            (99.6, "100 s"),
            (123.0, "2.0 min"),
            (7200.0, "2.0 h"),
        ];
        for (seconds, said) in cases {
            assert_eq!(about(seconds), said);
        }
    }

    /// Small batches are mostly work besides products: a thousand steps with ten rows each.
    #[test]
    fn calls_and_marginals_count_besides_what_is_measured() {
        let step = Work { integrals: 20.0, ..Work::of_evaluations(1e3, 1e3) };
        let nothing = Rates::default();
        assert!((nothing.evaluation(&step, 1.0) - 1.2e-5).abs() < 1e-18);
        assert!((nothing.evaluation(&step, 2.0) - 1.1e-5).abs() < 1e-18);
        let all = Work { products: 4e3, covariances: 50.0, ..step };
        let rates = Rates { product: 1e-9, covariance: 1e-7, integral: 1e-6 };
        // 1e-5 fixed, 4e3 · 1e-9 / 0.4, 50 · 1e-7, 20 · 1.1e-6.
        assert!((rates.evaluation(&all, 1.0) - (1e-5 + 1e-5 + 5e-6 + 2.2e-5)).abs() < 1e-18);
    }

    #[test]
    fn times_of_several_targets_add_up() {
        let each = [
            ExpectedTime { evaluation: 0.25, usual: 60.0, most: 320.0, quick: 0.0 },
            ExpectedTime { evaluation: 0.5, usual: 30.0, most: 40.0, quick: 0.0 },
        ];
        let all = ExpectedTime::one_after_another(&each);
        assert_eq!((all.seconds(), all.usual), (30.0, 90.0));
        let said = all.describe(None).unwrap();
        assert_eq!(
            said,
            "time: about 30 s to train, 90 evaluations of 330 ms; about 1.7 min if it needs all iterations"
        );
        let started = all.after(Some(each[1])).after(None);
        assert_eq!((started.seconds(), started.evaluation), (45.0, all.evaluation));
        let said = started.describe(None).unwrap();
        let expected = "time: about 45 s to train, 15 s of quick fits to start from, then 90 evaluations of 330 ms; about 1.9 min if it needs all iterations";
        assert_eq!(said, expected);
        let twice = ExpectedTime::one_after_another(&[started, started]);
        assert_eq!((twice.seconds(), twice.quick), (90.0, 30.0));
        let short = each[1].after(Some(ExpectedTime { usual: 1.0, ..each[0] })).describe(None).unwrap();
        assert!(!short.contains("quick"), "{short}");
    }

    #[test]
    fn a_limit_that_is_too_short_is_said() {
        let time = ExpectedTime { evaluation: 0.25, usual: 60.0, most: 320.0, quick: 0.0 };
        let all =
            "time: about 15 s to train, 60 evaluations of 250 ms; about 80 s if it needs all iterations";
        assert_eq!(time.describe(None).as_deref(), Some(all));
        assert_eq!(time.describe(Some(Duration::from_secs(20))).as_deref(), Some(all));
        let short = time.describe(Some(Duration::from_secs(5))).unwrap();
        assert_eq!(short, format!("{all}; --time-limit is likely to end training before"));
        let quick = ExpectedTime { evaluation: 1e-3, ..time };
        assert_eq!(quick.describe(None), None);
    }
}
