//! Real outputs, each with its own latent.

use gp_optim::{Parameter, Transform};

use crate::density::Density;
use crate::derivatives::{LatentDerivatives, ObservationMoments};
use crate::entry::LikelihoodEntry;
use crate::error::{LikelihoodError, check_count};
use crate::gaussian::outputs::{gaussian_given_latents, gaussian_predictions};
use crate::gaussian::{self, Gaussian};
use crate::latent::Latent;
use crate::likelihood::OwnLatent;
use crate::likelihood::{Described, Likelihood};
use crate::link::Link;
use crate::parameters_in;
use crate::pieces::Pieces;
use crate::scalar::Scalar;
use crate::special::HALF_LN_TAU;
use crate::support::Support;
use crate::workspace::Workspace;

pub(super) const MAX_OUTPUTS: usize = 1 << 16;

/// Noise `y_p ~ N(f_p, σ²_p)`; outputs may be missing (NaN); parameter: vector `variance`.
#[derive(Clone, Debug, PartialEq)]
pub struct Gaussians {
    params: [Parameter; 1],
}

impl Gaussians {
    /// Likelihood with P noise variances.
    ///
    /// # Errors
    /// [`LikelihoodError::Count`] unless 1 to 2¹⁶; [`LikelihoodError::Parameter`] unless positive and finite.
    pub fn new(variances: Vec<f64>) -> Result<Self, LikelihoodError> {
        let sound = (1..=MAX_OUTPUTS).contains(&variances.len());
        check_count("number of outputs", variances.len(), sound, "from 1 to 2^16")?;
        Ok(Self { params: [Parameter::vector("variance", variances, Transform::Positive)?] })
    }

    /// Registry entry; setting `outputs`.
    #[must_use]
    pub fn entry() -> LikelihoodEntry {
        LikelihoodEntry::new("gaussians", "several real numbers, each about an f of its own", |arguments| {
            let outputs = arguments.whole_number("outputs", 2)?;
            check_count("number of outputs", outputs, outputs <= MAX_OUTPUTS, "from 1 to 2^16")?;
            Ok(Box::new(Self::new(vec![1.0; outputs])?))
        })
    }

    fn variance(&self, p: usize) -> f64 {
        self.params[0].values()[p]
    }

    fn mean(&self, p: usize, f: &[f64]) -> f64 {
        f[p]
    }

    fn moments_of(&self, p: usize, q: &[Latent]) -> ObservationMoments {
        ObservationMoments { mean: q[p].mean(), variance: q[p].variance() + self.variance(p) }
    }

    fn add_piece(
        &self,
        y: f64,
        (p, slot): (usize, usize),
        q: Latent,
        power: Option<f64>,
        out: &mut LatentDerivatives,
    ) {
        if y.is_nan() {
            return;
        }
        let variance = self.variance(p);
        let [value, by_mean, by_variance, by_param] = match power {
            Some(power) => {
                let found = gaussian::tilted(y - q.mean(), q.variance(), variance, power);
                [found.log_z, found.by_mean, found.by_latent_variance, found.by_variance]
            }
            None => {
                let found = gaussian::expected_log_density(y, q, variance);
                [found.value, found.by_mean, found.by_latent_variance, found.by_variance]
            }
        };
        out.value += value;
        (out.by_mean[slot], out.by_variance[slot], out.by_params[p]) = (by_mean, by_variance, by_param);
    }

    fn add_all(&self, y: &[f64], q: &[Latent], power: Option<f64>, out: &mut LatentDerivatives) {
        out.reset(q.len(), y.len());
        for (p, (y, q)) in y.iter().zip(q).enumerate() {
            self.add_piece(*y, (p, p), *q, power, out);
        }
    }
}

impl Described for Gaussians {
    fn name(&self) -> &'static str {
        "gaussians"
    }

    fn settings(&self) -> Vec<(&'static str, usize)> {
        vec![("outputs", self.outputs())]
    }

    parameters_in! { params }

    fn latents(&self) -> usize {
        self.outputs()
    }

    fn outputs(&self) -> usize {
        self.params[0].len()
    }

    fn support(&self) -> Support {
        Support::Real
    }

    fn is_log_concave(&self) -> bool {
        true
    }

    fn pieces(&self) -> Option<&dyn Pieces> {
        Some(self)
    }

    fn takes_missing_outputs(&self) -> bool {
        true
    }

    fn is_linear_gaussian(&self) -> bool {
        true
    }

    fn link(&self) -> Link {
        Link::Identity
    }

    fn with_known_noise(&self, known: &[f64]) -> Option<Box<dyn Likelihood>> {
        let variances = self.params[0].values();
        if known.len() != variances.len() {
            return None;
        }
        let sums = variances.iter().zip(known).map(|(variance, more)| variance + more).collect();
        Self::new(sums).ok().map(|noisier| Box::new(noisier) as Box<dyn Likelihood>)
    }

    fn own_latent(&self, output: usize) -> Option<OwnLatent> {
        let mut alone = Gaussian::new(*self.params[0].values().get(output)?).ok()?;
        let parameter = &mut alone.parameters_mut()[0];
        parameter.set_transform(self.params[0].transform_of(output)).ok()?;
        parameter.set_prior(self.params[0].prior_of(output).copied()).ok()?;
        parameter.fix_all(self.params[0].is_fixed(output));
        Some(OwnLatent { latent: output, likelihood: Box::new(alone), first_param: output })
    }
}

impl Density for Gaussians {
    fn log_p<S: Scalar>(&self, y: &[f64], f: impl Fn(usize) -> S, theta: impl Fn(usize) -> S) -> S {
        y.iter().enumerate().filter(|(_, y)| !y.is_nan()).fold(S::constant(0.0), |sum, (p, &y)| {
            let (residual, variance) = (f(p) - y, theta(p));
            sum - (variance.ln() + residual * (residual / variance)) * 0.5 - HALF_LN_TAU
        })
    }

    gaussian_given_latents! {}

    fn expected_closed_form(
        &self,
        y: &[f64],
        q: &[Latent],
        _ws: &mut Workspace,
        out: &mut LatentDerivatives,
    ) -> bool {
        self.add_all(y, q, None, out);
        true
    }

    fn tilted_closed_form(
        &self,
        y: &[f64],
        q: &[Latent],
        power: f64,
        _ws: &mut Workspace,
        out: &mut LatentDerivatives,
    ) -> bool {
        self.add_all(y, q, Some(power), out);
        true
    }

    gaussian_predictions! {}
}

impl Pieces for Gaussians {
    fn piece_count(&self) -> usize {
        self.outputs()
    }

    fn touched_count(&self, _piece: usize) -> usize {
        1
    }

    fn touched_latent(&self, _y: &[f64], piece: usize, _slot: usize) -> usize {
        piece
    }

    fn tilted_piece(
        &self,
        y: &[f64],
        piece: usize,
        q: &[Latent],
        power: f64,
        _ws: &mut Workspace,
        out: &mut LatentDerivatives,
    ) -> Result<(), LikelihoodError> {
        crate::defaults::check_power(power)?;
        self.piece(y, piece, q, Some(power), out)
    }

    fn expected_piece(
        &self,
        y: &[f64],
        piece: usize,
        q: &[Latent],
        _ws: &mut Workspace,
        out: &mut LatentDerivatives,
    ) -> Result<(), LikelihoodError> {
        self.piece(y, piece, q, None, out)
    }
}

impl Gaussians {
    fn piece(
        &self,
        y: &[f64],
        piece: usize,
        q: &[Latent],
        power: Option<f64>,
        out: &mut LatentDerivatives,
    ) -> Result<(), LikelihoodError> {
        let q = crate::derivatives::only(q)?;
        check_count("number of outputs", y.len(), y.len() == self.outputs(), "that of the likelihood")?;
        out.reset(1, y.len());
        self.add_piece(y[piece], (piece, 0), q, power, out);
        Ok(())
    }
}
