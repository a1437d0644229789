//! Outputs mixed by input-dependent weights.

use gp_optim::{Parameter, Transform};

use crate::defaults::{Shape, tilted_along};
use crate::density::Density;
use crate::derivatives::{LatentDerivatives, ObservationMoments};
use crate::entry::LikelihoodEntry;
use crate::error::{LikelihoodError, check_count};
use crate::gaussian;
use crate::gaussian::outputs::gaussian_given_latents;
use crate::latent::Latent;
use crate::likelihood::Described;
use crate::parameters_in;
use crate::scalar::{Jet2, Scalar};
use crate::special::HALF_LN_TAU;
use crate::support::Support;
use crate::workspace::Workspace;

/// Gaussian-process regression network (Bonilla et al. 2019 §9.4): `y_p ~ N(Σ_j W_pj g_j, σ²_p)`; parameter:
/// vector `variance`.
///
/// Latents `0` to `G − 1`: node functions g; latent `G + p G + j`: `W_pj`. Outputs may be missing (NaN).
#[derive(Clone, Debug, PartialEq)]
pub struct Gprn {
    nodes: usize,
    params: [Parameter; 1],
}

const MAX_LATENTS: usize = 1 << 16;

impl Gprn {
    /// Network with G node functions and P noise variances.
    ///
    /// # Errors
    /// [`LikelihoodError::Count`] without node or above 2¹⁶ latents; [`LikelihoodError::Parameter`] without variance,
    /// or unless positive and finite.
    pub fn new(nodes: usize, variances: Vec<f64>) -> Result<Self, LikelihoodError> {
        let latents = variances.len().checked_add(1).and_then(|columns| columns.checked_mul(nodes));
        let sound = nodes > 0 && latents.is_some_and(|latents| latents <= MAX_LATENTS);
        check_count("number of node functions", nodes, sound, "at least 1, and few enough for 2^16 latents")?;
        Ok(Self { nodes, params: [Parameter::vector("variance", variances, Transform::Positive)?] })
    }

    /// Registry entry; settings `outputs` and `nodes`.
    #[must_use]
    pub fn entry() -> LikelihoodEntry {
        LikelihoodEntry::new("gprn", "outputs mixed from node functions by weights of f", |arguments| {
            let (outputs, nodes) =
                (arguments.whole_number("outputs", 2)?, arguments.whole_number("nodes", 1)?);
            check_count("number of outputs", outputs, outputs <= MAX_LATENTS, "few enough for 2^16 latents")?;
            Ok(Box::new(Self::new(nodes, vec![1.0; outputs])?))
        })
    }

    fn weight(&self, p: usize, j: usize) -> usize {
        self.nodes + p * self.nodes + j
    }

    fn mean(&self, p: usize, f: &[f64]) -> f64 {
        (0..self.nodes).map(|j| f[self.weight(p, j)] * f[j]).sum()
    }

    fn variance(&self, p: usize) -> f64 {
        self.params[0].values()[p]
    }

    fn mixed(&self, p: usize, q: &[Latent]) -> ObservationMoments {
        let mut sum = ObservationMoments { mean: 0.0, variance: 0.0 };
        for j in 0..self.nodes {
            let (w, g) = (q[self.weight(p, j)], q[j]);
            sum.mean += w.mean() * g.mean();
            sum.variance +=
                w.mean().powi(2) * g.variance() + w.variance() * (g.mean().powi(2) + g.variance());
        }
        sum
    }
}

impl Described for Gprn {
    fn name(&self) -> &'static str {
        "gprn"
    }

    fn settings(&self) -> Vec<(&'static str, usize)> {
        vec![("outputs", self.outputs()), ("nodes", self.nodes)]
    }

    parameters_in! { params }

    fn latents(&self) -> usize {
        self.nodes * (1 + self.outputs())
    }

    fn latent_name(&self, latent: usize) -> Option<String> {
        let node = latent % self.nodes + 1;
        Some(match latent / self.nodes {
            0 => format!("node {node}"),
            output => format!("weight of node {node} in output {output}"),
        })
    }

    fn outputs(&self) -> usize {
        self.params[0].len()
    }

    fn support(&self) -> Support {
        Support::Real
    }

    fn takes_missing_outputs(&self) -> bool {
        true
    }
}

impl Density for Gprn {
    fn log_p<S: Scalar>(&self, y: &[f64], f: impl Fn(usize) -> S, theta: impl Fn(usize) -> S) -> S {
        let zero = || S::constant(0.0);
        y.iter().enumerate().filter(|(_, y)| !y.is_nan()).fold(zero(), |sum, (p, &y)| {
            let mean = (0..self.nodes).fold(zero(), |sum, j| sum + f(self.weight(p, j)) * f(j));
            let (residual, variance) = (mean - y, theta(p));
            sum - (variance.ln() + residual * (residual / variance)) * 0.5 - HALF_LN_TAU
        })
    }

    gaussian_given_latents! {}

    /// `Σ_p −½ (ln 2πσ²_p + E[(y_p − Σ_j W_pj g_j)²]/σ²_p)`
    fn expected_closed_form(
        &self,
        y: &[f64],
        q: &[Latent],
        _ws: &mut Workspace,
        out: &mut LatentDerivatives,
    ) -> bool {
        out.reset(q.len(), y.len());
        for (p, &y) in y.iter().enumerate().filter(|(_, y)| !y.is_nan()) {
            let (mixed, variance) = (self.mixed(p, q), self.variance(p));
            let residual = y - mixed.mean;
            let square = residual * residual + mixed.variance;
            out.value -= 0.5 * (variance.ln() + square / variance) + HALF_LN_TAU;
            out.by_params[p] = 0.5 * (square / variance - 1.0) / variance;
            for j in 0..self.nodes {
                let weight = self.weight(p, j);
                for (own, other) in [(j, q[weight]), (weight, q[j])] {
                    let pull = residual * other.mean() - q[own].mean() * other.variance();
                    out.by_mean[own] += pull / variance;
                    out.by_variance[own] -= 0.5 * (other.mean().powi(2) + other.variance()) / variance;
                }
            }
        }
        true
    }

    /// Closed form in weights, integral over the node.
    fn tilted_closed_form(
        &self,
        y: &[f64],
        q: &[Latent],
        power: f64,
        ws: &mut Workspace,
        out: &mut LatentDerivatives,
    ) -> bool {
        if self.nodes != 1 {
            return false;
        }
        let (g, weights) = (q[0], &q[1..]);
        // Changing the signs of g and W changes no output: each mode has a mirror image.
        let shape = Shape { landmark: Some(-g.mean()), single: false, smooth: true };
        let along = tilted_along(g, shape, ws, |g| {
            let (g, zero) = (Jet2::variable(g), Jet2::constant(0.0));
            let present = y.iter().zip(weights).enumerate().filter(|(_, (y, _))| !y.is_nan());
            let sum = present.fold(zero, |sum, (p, (y, w))| {
                let (residual, v) = (-g * w.mean() + *y, g * g * w.variance());
                sum + gaussian::log_tilted(residual, v, Jet2::constant(self.variance(p).ln()), power)
            });
            [sum.value, sum.first, sum.second]
        });
        let Ok([value, by_mean, by_variance]) = along else { return false };
        out.reset(q.len(), y.len());
        out.value = value;
        (out.by_mean[0], out.by_variance[0]) = (by_mean, by_variance);
        for &(g, weight) in ws.rule.iter().filter(|(_, weight)| *weight != 0.0) {
            for (p, (y, w)) in y.iter().zip(weights).enumerate().filter(|(_, (y, _))| !y.is_nan()) {
                let given = gaussian::tilted(y - w.mean() * g, g * g * w.variance(), self.variance(p), power);
                out.by_mean[1 + p] += weight * g * given.by_mean;
                out.by_variance[1 + p] += weight * g * g * given.by_latent_variance;
                out.by_params[p] += weight * given.by_variance;
            }
        }
        true
    }

    fn predictive_closed_form(
        &self,
        q: &[Latent],
        _ws: &mut Workspace,
        out: &mut [ObservationMoments],
    ) -> bool {
        for (p, slot) in out.iter_mut().enumerate() {
            *slot = self.mixed(p, q);
            slot.variance += self.variance(p);
        }
        true
    }
}
