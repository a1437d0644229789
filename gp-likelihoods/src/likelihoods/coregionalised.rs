//! Real outputs as linear mixtures of latents.

mod integral;
pub(crate) mod room;

use gp_optim::{Parameter, Transform};

use super::gaussians::MAX_OUTPUTS;
use crate::density::Density;
use crate::derivatives::{LatentDerivatives, ObservationMoments};
use crate::entry::LikelihoodEntry;
use crate::error::{LikelihoodError, check_count};
use crate::gaussian::outputs::{gaussian_given_latents, gaussian_predictions};
use crate::latent::Latent;
use crate::likelihood::Described;
use crate::parameters_in;
use crate::scalar::Scalar;
use crate::special::HALF_LN_TAU;
use crate::support::Support;
use crate::workspace::Workspace;

/// Linear model of coregionalisation (Álvarez, Rosasco and Lawrence 2012, §4): `y_p ~ N(Σ_q W_pq f_q, σ²_p)`.
///
/// Parameters: `mixing`, W (`P×Q`, by rows); `variance` (P). Outputs may be missing (NaN).
///
/// Independent beliefs are exact for orthogonal columns of `D^{−½} W` (D: noise variances), otherwise
/// variational bounds are loose. For equal priors, training with a bound finds this rotation.
#[derive(Clone, Debug, PartialEq)]
pub struct Coregionalised {
    latents: usize,
    params: [Parameter; 2],
}

impl Coregionalised {
    /// Model with W (`mixing`), P noise variances.
    ///
    /// # Errors
    /// [`LikelihoodError::Count`] unless `P·Q` weights, 1 to 2¹⁶; [`LikelihoodError::Parameter`] for
    /// non-finite numbers, variances ≤ 0.
    pub fn new(latents: usize, mixing: Vec<f64>, variances: Vec<f64>) -> Result<Self, LikelihoodError> {
        let outputs = variances.len();
        check_sizes(outputs, latents)?;
        let sound = mixing.len() == outputs * latents;
        check_count("number of mixing weights", mixing.len(), sound, "outputs times latents")?;
        let mixing = Parameter::vector("mixing", mixing, Transform::Identity)?;
        let variance = Parameter::vector("variance", variances, Transform::Positive)?;
        Ok(Self { latents, params: [mixing, variance] })
    }

    /// Registry entry; settings `outputs` and `latents`.
    #[must_use]
    pub fn entry() -> LikelihoodEntry {
        let summary = "several real numbers about linear mixtures of f";
        LikelihoodEntry::new("coregionalised", summary, |arguments| {
            let (outputs, latents) =
                (arguments.whole_number("outputs", 2)?, arguments.whole_number("latents", 1)?);
            check_sizes(outputs, latents)?;
            // Outputs initially have one latent each, in turn.
            let weight = |at: usize| f64::from(u8::from(at / latents % latents == at % latents));
            let mixing = (0..outputs * latents).map(weight).collect();
            Ok(Box::new(Self::new(latents, mixing, vec![1.0; outputs])?))
        })
        .with_aliases(&["coregionalized", "lmc", "linear_coregionalisation"])
    }

    fn weights(&self, p: usize) -> &[f64] {
        &self.params[0].values()[p * self.latents..(p + 1) * self.latents]
    }

    fn variance(&self, p: usize) -> f64 {
        self.params[1].values()[p]
    }

    fn mean(&self, p: usize, f: &[f64]) -> f64 {
        self.weights(p).iter().zip(f).map(|(w, f)| w * f).sum()
    }

    fn mixed(&self, p: usize, q: &[Latent]) -> ObservationMoments {
        let mut sum = ObservationMoments { mean: 0.0, variance: 0.0 };
        for (w, q) in self.weights(p).iter().zip(q) {
            sum.mean += w * q.mean();
            sum.variance += w * w * q.variance();
        }
        sum
    }

    fn moments_of(&self, p: usize, q: &[Latent]) -> ObservationMoments {
        let mixed = self.mixed(p, q);
        ObservationMoments { variance: mixed.variance + self.variance(p), ..mixed }
    }
}

fn check_sizes(outputs: usize, latents: usize) -> Result<(), LikelihoodError> {
    check_count("number of outputs", outputs, (1..=MAX_OUTPUTS).contains(&outputs), "from 1 to 2^16")?;
    let sound = latents > 0 && outputs.checked_mul(latents).is_some_and(|weights| weights <= MAX_OUTPUTS);
    check_count("number of latents", latents, sound, "at least 1, and few enough for 2^16 mixing weights")
}

impl Described for Coregionalised {
    fn name(&self) -> &'static str {
        "coregionalised"
    }

    fn settings(&self) -> Vec<(&'static str, usize)> {
        vec![("outputs", self.outputs()), ("latents", self.latents)]
    }

    parameters_in! { params }

    fn latents(&self) -> usize {
        self.latents
    }

    fn outputs(&self) -> usize {
        self.params[1].len()
    }

    fn support(&self) -> Support {
        Support::Real
    }

    fn is_log_concave(&self) -> bool {
        true
    }

    fn takes_missing_outputs(&self) -> bool {
        true
    }

    fn is_linear_gaussian(&self) -> bool {
        true
    }

    fn mixing(&self) -> Option<&[f64]> {
        Some(self.params[0].values())
    }
}

impl Density for Coregionalised {
    fn log_p<S: Scalar>(&self, y: &[f64], f: impl Fn(usize) -> S, theta: impl Fn(usize) -> S) -> S {
        let (zero, weights) = (|| S::constant(0.0), self.params[0].len());
        y.iter().enumerate().filter(|(_, y)| !y.is_nan()).fold(zero(), |sum, (p, &y)| {
            let mixed = |sum, q| sum + theta(p * self.latents + q) * f(q);
            let residual = (0..self.latents).fold(zero(), mixed) - y;
            let variance = theta(weights + p);
            sum - (variance.ln() + residual * (residual / variance)) * 0.5 - HALF_LN_TAU
        })
    }

    gaussian_given_latents! {}

    /// `Σ_p −½ (ln 2πσ²_p + ((y_p − w_p·m)² + Σ_q W²_pq v_q)/σ²_p)`
    fn expected_closed_form(
        &self,
        y: &[f64],
        q: &[Latent],
        _ws: &mut Workspace,
        out: &mut LatentDerivatives,
    ) -> bool {
        let weights = self.params[0].len();
        out.reset(q.len(), weights + y.len());
        for (p, &y) in y.iter().enumerate().filter(|(_, y)| !y.is_nan()) {
            let (mixed, variance) = (self.mixed(p, q), self.variance(p));
            let residual = y - mixed.mean;
            let square = residual * residual + mixed.variance;
            out.value -= 0.5 * (variance.ln() + square / variance) + HALF_LN_TAU;
            out.by_params[weights + p] = 0.5 * (square / variance - 1.0) / variance;
            for (place, (&w, q)) in self.weights(p).iter().zip(q).enumerate() {
                out.by_mean[place] += w * residual / variance;
                out.by_variance[place] -= 0.5 * w * w / variance;
                out.by_params[p * self.latents + place] = (residual * q.mean() - w * q.variance()) / variance;
            }
        }
        true
    }

    fn tilted_closed_form(
        &self,
        y: &[f64],
        q: &[Latent],
        power: f64,
        ws: &mut Workspace,
        out: &mut LatentDerivatives,
    ) -> bool {
        integral::tilted(self, (y, q), power, &mut ws.mixed, out)
    }

    gaussian_predictions! {}
}
