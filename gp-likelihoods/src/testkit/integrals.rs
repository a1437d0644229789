//! Layers 2 and 3.

use super::cases::{accuracy, beliefs, extreme_beliefs, own_accuracy, powers, tried_latents};
use super::{Report, difference, log_density, parameter_step, with_parameter};
use crate::defaults;
use crate::derivatives::{LatentDerivatives, PointDerivatives};
use crate::error::LikelihoodError;
use crate::latent::Latent;
use crate::likelihood::{Likelihood, parameter_value};
use crate::quadrature::Cubature;
use crate::special::{HALF_LN_TAU, log_sum_exp};
use crate::workspace::Workspace;

const DRAWS: usize = 1 << 16;

pub(super) fn check(likelihood: &dyn Likelihood, observations: &[Vec<f64>], report: &mut Report) {
    let mut ws = Workspace::new();
    for (first, y) in observations.iter().enumerate().map(|(k, y)| (k == 0, y)) {
        for (k, q) in report.value("beliefs", beliefs(likelihood)).unwrap_or_default().iter().enumerate() {
            for power in powers(likelihood) {
                Case { likelihood, y, q, power, first: first && k == 0 }.check(&mut ws, report);
            }
        }
        let extreme =
            if first || likelihood.latents() == 1 { extreme_beliefs(likelihood) } else { Ok(Vec::new()) };
        for q in report.value("beliefs", extreme).unwrap_or_default() {
            extremes(likelihood, y, &q, &mut ws, report);
        }
    }
}

fn integral(
    likelihood: &dyn Likelihood,
    y: &[f64],
    q: &[Latent],
    power: Option<f64>,
    ws: &mut Workspace,
) -> Result<LatentDerivatives, LikelihoodError> {
    let mut out = LatentDerivatives::default();
    match power {
        Some(power) => likelihood.tilted(y, q, power, ws, &mut out),
        None => likelihood.expected_log_density(y, q, ws, &mut out),
    }?;
    Ok(out)
}

struct Case<'a> {
    likelihood: &'a dyn Likelihood,
    y: &'a [f64],
    q: &'a [Latent],
    power: Option<f64>,
    first: bool,
}

impl Case<'_> {
    fn describe(&self, what: &str) -> String {
        let beliefs: Vec<_> = self.q.iter().map(|q| (q.mean(), q.variance())).collect();
        format!("{what} at y = {:?}, {beliefs:?}, power {:?}", self.y, self.power)
    }

    fn value(&self, likelihood: &dyn Likelihood, q: &[Latent], ws: &mut Workspace) -> f64 {
        integral(likelihood, self.y, q, self.power, ws).map_or(f64::NAN, |s| s.value)
    }

    fn check(&self, ws: &mut Workspace, report: &mut Report) {
        let mut default = LatentDerivatives::default();
        let by_default = match self.power {
            Some(power) => defaults::tilted(self.likelihood, self.y, self.q, power, ws, &mut default),
            None => defaults::expected_log_density(self.likelihood, self.y, self.q, ws, &mut default),
        };
        report.value(&self.describe("the default"), by_default);
        let found = integral(self.likelihood, self.y, self.q, self.power, ws);
        let Some(found) = report.value(&self.describe("the integral"), found) else { return };
        self.closed_form(&found, &default, report);
        // Closed forms must be more accurate than the default.
        let default_accuracy = accuracy(self.q.len(), self.likelihood, self.power);
        let own = found.value.to_bits() != default.value.to_bits();
        let exact = if own { own_accuracy(self.likelihood) } else { default_accuracy };
        // Differences of sums over jumps mean nothing; defaults for several latents are slow.
        let telling = self.likelihood.is_smooth() && (self.first || self.q.len() == 1);
        if own || telling {
            self.slopes(&found, exact, ws, report);
        }
        if own || self.first || self.q.len() == 1 {
            self.brute_force(found.value, exact, report);
        }
    }

    fn closed_form(&self, found: &LatentDerivatives, default: &LatentDerivatives, report: &mut Report) {
        let exact = accuracy(self.q.len(), self.likelihood, self.power);
        let all = |s: &LatentDerivatives| [&[s.value][..], &s.by_mean, &s.by_variance, &s.by_params].concat();
        let (found, default) = (all(found), all(default));
        report.require(found.len() == default.len(), || "wrong number of derivatives".to_owned());
        for (k, (found, default)) in found.into_iter().zip(default).enumerate() {
            let unit = self.unit(k);
            let what = || self.describe(&format!("number {k} and its default"));
            report.close(what, unit * found, unit * default, exact);
        }
    }

    /// Unit of derivative k: narrow beliefs lose digits.
    fn unit(&self, k: usize) -> f64 {
        let latents = self.q.len();
        match k {
            k if self.likelihood.is_smooth() || k == 0 || k > 2 * latents => 1.0,
            k if k <= latents => self.q[k - 1].variance().sqrt().min(1.0),
            k => self.q[k - 1 - latents].variance().min(1.0),
        }
    }

    fn slopes(&self, found: &LatentDerivatives, exact: f64, ws: &mut Workspace, report: &mut Report) {
        // A difference divides its function's error by the step.
        let tolerance = (100.0 * exact).min(5e-2);
        for j in tried_latents(self.likelihood) {
            let (m, v) = (self.q[j].mean(), self.q[j].variance());
            let mut at = |m: f64, v: f64| {
                let Ok(moved) = Latent::new(m, v) else { return f64::NAN };
                let mut q = self.q.to_vec();
                q[j] = moved;
                self.value(self.likelihood, &q, ws)
            };
            // For jumps in f, the integral varies on the belief's scale.
            let step = if self.likelihood.is_smooth() { 1e-3 } else { 1e-3 * (30.0 * v.sqrt()).min(1.0) };
            let by_mean = difference(m, step, |m| at(m, v));
            report.close(
                || self.describe(&format!("derivative by mean {j}")),
                found.by_mean[j],
                by_mean,
                tolerance,
            );
            if v > 1e-3 {
                let by_variance = difference(v, 1e-2 * v.min(1.0), |v| at(m, v));
                let what = || self.describe(&format!("derivative by variance {j}"));
                report.close(what, found.by_variance[j], by_variance, 10.0 * tolerance);
            }
            if self.power.is_some() && self.q.len() == 1 && self.likelihood.is_log_concave() {
                // ∂²ln Z/∂m² = 2 ∂ln Z/∂v − (∂ln Z/∂m)²; the tilted variance is v + v² ∂²ln Z/∂m².
                let ratio = 1.0 + v * (2.0 * found.by_variance[j] - found.by_mean[j].powi(2));
                let sound = 0.0 < ratio && ratio <= 1.0 + exact;
                report.require(sound, || self.describe("tilted variance ratio"));
            }
        }
        for (index, found) in found.by_params.iter().enumerate() {
            let theta = parameter_value(self.likelihood.parameters(), index);
            let expected = difference(theta, parameter_step(self.likelihood, index), |theta| {
                let moved = with_parameter(self.likelihood, index, theta);
                moved.map_or(f64::NAN, |moved| self.value(&*moved, self.q, ws))
            });
            let what = || self.describe(&format!("derivative by parameter {index}"));
            report.close(what, *found, expected, 10.0 * tolerance);
        }
    }

    /// Random nodes if grids are too large.
    fn brute_force(&self, found: f64, exact: f64, report: &mut Report) {
        let Some(power) = self.power else { return };
        let (expected, tolerance) = match self.q.len() {
            // Trapezoidal rule, exact for smooth integrands, to 14 standard deviations beyond the mode or to 8.
            1 => {
                let reach = 14.0 + self.farthest_mode();
                (self.grid(power, (reach / 3.5e-3).ceil() as i32, reach), exact)
            }
            2 if self.likelihood.is_smooth() => (self.grid(power, 100, 8.0), exact),
            3 if self.likelihood.is_smooth() => (self.grid(power, 25, 7.0), exact),
            _ => self.draws(power, exact),
        };
        report.close(|| self.describe("ln Z"), found, expected, tolerance);
    }

    /// Bound on the mode's distance, in standard deviations.
    fn farthest_mode(&self) -> f64 {
        let (m, s) = (self.q[0].mean(), self.q[0].variance().sqrt());
        let mut point = PointDerivatives::default();
        let found = self.likelihood.log_density_slopes(self.y, &[m], &mut point);
        let slope = found.map_or(0.0, |()| point.by_latent[0]);
        let peak = self.likelihood.landmark(self.y).unwrap_or(m);
        (s * slope.abs()).min((peak - m).abs() / s)
    }

    fn log_integrand(&self, power: f64, t: &[f64]) -> f64 {
        let f: Vec<f64> = self.q.iter().zip(t).map(|(q, t)| q.mean() + q.variance().sqrt() * t).collect();
        power * log_density(self.likelihood, self.y, &f)
    }

    fn grid(&self, power: f64, half: i32, reach: f64) -> f64 {
        let (step, side) = (reach / f64::from(half), 2 * half + 1);
        let count = side.pow(self.q.len() as u32);
        let mut t = vec![0.0; self.q.len()];
        let mut log_term = |index: i32| {
            let mut digits = index;
            for t in &mut t {
                *t = step * f64::from(digits % side - half);
                digits /= side;
            }
            let measure: f64 = t.iter().map(|t| step.ln() - 0.5 * t * t - HALF_LN_TAU).sum();
            self.log_integrand(power, &t) + measure
        };
        let terms: Vec<f64> = (0..count).map(&mut log_term).collect();
        log_sum_exp(&terms)
    }

    /// Five standard errors plus the accuracy.
    fn draws(&self, power: f64, exact: f64) -> (f64, f64) {
        let Ok(rule) = Cubature::random(DRAWS, self.q.len(), 77) else { return (f64::NAN, 0.0) };
        let terms: Vec<f64> = rule.iter().map(|(t, _)| self.log_integrand(power, t)).collect();
        let largest = terms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let scaled: Vec<f64> = terms.iter().map(|term| (term - largest).exp()).collect();
        let n = DRAWS as f64;
        let mean = scaled.iter().sum::<f64>() / n;
        let variance = scaled.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n;
        (largest + mean.ln(), exact + 5.0 * (variance / n).sqrt() / mean)
    }
}

fn extremes(likelihood: &dyn Likelihood, y: &[f64], q: &[Latent], ws: &mut Workspace, report: &mut Report) {
    for power in powers(likelihood).into_iter().flatten() {
        let found = integral(likelihood, y, q, Some(power), ws);
        let finite = found.as_ref().is_ok_and(|s| {
            s.value.is_finite() && s.by_mean.iter().chain(&s.by_variance).all(|slope| slope.is_finite())
        });
        report.require(finite, || format!("tilted at y = {y:?}, {q:?}, power {power}: {found:?}"));
    }
}
