//! Mixture of squared exponentials.

use gp_linalg::vector::{exp_in_place, ln_in_place};
use gp_optim::Parameter;

use crate::chunks::{with_buffer, with_buffer_and};
use crate::expression::ParameterKind;
use crate::metrics::Euclid;
use crate::radial::{Profile, Radial};

/// `κ(s) = (1 + q)^(−α)`, `q = s / (2α)`
#[derive(Clone, Copy, Debug, Default)]
pub struct PowerLaw;

/// `(1 + r²/(2α))^(−α)`.
pub type RationalQuadratic = Radial<PowerLaw>;

/// Cap of q, against overflow.
const FAR: f64 = 1e300;

impl PowerLaw {
    /// `s ← q`, `logs ← ln(1 + q)`, accurate for small q.
    fn share_and_log(alpha: f64, s: &mut [f64], logs: &mut [f64]) {
        for (s, log) in s.iter_mut().zip(logs.iter_mut()) {
            *s = (0.5 * *s / alpha).min(FAR);
            *log = 1.0 + *s;
        }
        ln_in_place(logs);
        for (q, log) in s.iter().zip(logs.iter_mut()) {
            // Kahan's correction: the ratio of q to its rounded value undoes the rounding of 1 + q.
            let became = (1.0 + q) - 1.0;
            *log = if became > 0.0 { *log * (q / became) } else { *q };
        }
    }
}

impl Profile for PowerLaw {
    const NAME: &'static str = "rq";
    const SUMMARY: &'static str = "rational quadratic, (1 + r²/(2α))^(-α): many length-scales at once";
    const ALIASES: &'static [&'static str] = &["rational_quadratic"];
    type Metric = Euclid;

    fn parameters() -> Vec<(Parameter, ParameterKind)> {
        vec![(Parameter::positive("alpha"), ParameterKind::Shared)]
    }

    fn apply(&self, own: &[Parameter], s: &mut [f64]) {
        let alpha = own[0].value();
        with_buffer(s, |s, logs| {
            Self::share_and_log(alpha, s, logs);
            for (s, log) in s.iter_mut().zip(logs) {
                *s = -alpha * *log;
            }
            exp_in_place(s);
        });
    }

    fn reverse(&self, own: &[Parameter], s: &mut [f64], upstream: &[f64], own_grad: &mut [f64]) -> f64 {
        let alpha = own[0].value();
        let mut inner = 0.0;
        with_buffer_and(s, upstream, |s, upstream, logs| {
            Self::share_and_log(alpha, s, logs);
            let mut values = [0.0; crate::chunks::CHUNK];
            let values = &mut values[..s.len()];
            values.iter_mut().zip(logs.iter()).for_each(|(value, log)| *value = -alpha * log);
            exp_in_place(values);
            for (((s, log), value), g) in s.iter_mut().zip(logs).zip(values).zip(upstream) {
                let (base, weight) = (1.0 + *s, g * *value);
                inner += weight;
                own_grad[0] += weight * (*s / base - *log);
                *s = -0.5 * weight / base;
            }
        });
        inner
    }
}
