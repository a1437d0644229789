//! Robust max: largest latent, few wrong labels.

use gp_optim::{Parameter, Transform};
use rand::Rng;

use crate::classes;
use crate::density::Density;
use crate::derivatives::{LatentDerivatives, ObservationMoments};
use crate::entry::LikelihoodEntry;
use crate::error::LikelihoodError;
use crate::latent::Latent;
use crate::likelihood::Described;
use crate::parameters_in;
use crate::race;
use crate::scalar::Scalar;
use crate::support::Support;
use crate::workspace::Workspace;

/// `p(y | f) = 1 − ε` if `f_y` is largest, else `ε/(C − 1)`; labels `0, …, C − 1`; parameter `epsilon`.
///
/// Not differentiable; expectations are smooth, by one integral `Z = P(f_y is largest)`.
#[derive(Clone, Debug, PartialEq)]
pub struct RobustMax {
    classes: usize,
    params: [Parameter; 1],
}

const TYPICAL_EPSILON: f64 = 1e-3;

impl RobustMax {
    /// `C ≥ 2` classes, this fraction of wrong labels.
    ///
    /// # Errors
    /// [`LikelihoodError::Count`] for fewer, [`LikelihoodError::Parameter`] for ε outside (0, 1).
    pub fn new(classes: usize, epsilon: f64) -> Result<Self, LikelihoodError> {
        classes::check_count(classes)?;
        let unit = Transform::Interval { lo: 0.0, hi: 1.0 };
        Ok(Self { classes, params: [Parameter::scalar("epsilon", epsilon, unit)?] })
    }

    /// Registry entry; setting `classes`.
    #[must_use]
    pub fn entry() -> LikelihoodEntry {
        LikelihoodEntry::new("robust_max", "classes, the largest f but for errors", |arguments| {
            let classes = arguments.whole_number("classes", classes::USUAL)?;
            Ok(Box::new(Self::new(classes, TYPICAL_EPSILON)?))
        })
        .with_aliases(&["multiclass"])
    }

    /// Fraction ε of wrong labels.
    #[must_use]
    pub fn epsilon(&self) -> f64 {
        self.params[0].value()
    }

    fn wrong(&self) -> f64 {
        self.epsilon() / (self.classes - 1) as f64
    }

    fn probability(&self, f: &[f64]) -> impl Fn(usize) -> f64 {
        let (best, right, wrong) = (classes::largest(f.len(), |c| f[c]), 1.0 - self.epsilon(), self.wrong());
        move |c| if c == best { right } else { wrong }
    }

    fn blur(&self, probabilities: &mut [f64]) {
        let (right, wrong) = (1.0 - self.epsilon(), self.wrong());
        probabilities.iter_mut().for_each(|p| *p = right * *p + wrong * (1.0 - *p));
    }
}

impl Described for RobustMax {
    fn name(&self) -> &'static str {
        "robust_max"
    }

    fn settings(&self) -> Vec<(&'static str, usize)> {
        vec![("classes", self.classes)]
    }

    parameters_in! { params }

    fn latents(&self) -> usize {
        self.classes
    }

    fn support(&self) -> Support {
        Support::Classes(self.classes)
    }

    fn is_smooth(&self) -> bool {
        false
    }

    fn saturates(&self) -> bool {
        true
    }
}

impl Density for RobustMax {
    fn log_p<S: Scalar>(&self, y: &[f64], f: impl Fn(usize) -> S, theta: impl Fn(usize) -> S) -> S {
        let best = classes::largest(self.classes, |c| f(c).value());
        if best == classes::index(y[0]) {
            (-theta(0)).ln_1p()
        } else {
            (theta(0) / (self.classes - 1) as f64).ln()
        }
    }

    fn moments_given(&self, f: &[f64], out: &mut [ObservationMoments]) {
        out[0] = classes::moments(self.classes, self.probability(f));
    }

    fn cdf_given(&self, _output: usize, y: f64, f: &[f64]) -> f64 {
        classes::cdf(self.classes, y, self.probability(f))
    }

    fn sample_given(&self, f: &[f64], rng: &mut dyn Rng, out: &mut [f64]) -> Option<()> {
        classes::sample(self.classes, self.probability(f), rng, out)
    }

    /// `Z ln(1 − ε) + (1 − Z) ln(ε/(C − 1))`
    fn expected_closed_form(
        &self,
        y: &[f64],
        q: &[Latent],
        ws: &mut Workspace,
        out: &mut LatentDerivatives,
    ) -> bool {
        if race::log_win(classes::index(y[0]), q, 0.0, ws, out).is_err() {
            return false;
        }
        let (win, epsilon) = (out.value.exp(), self.epsilon());
        let (right, wrong) = ((-epsilon).ln_1p(), self.wrong().ln());
        scale(out, win * (right - wrong));
        out.value = win * right + (1.0 - win) * wrong;
        out.by_params.push((1.0 - win) / epsilon - win / (1.0 - epsilon));
        true
    }

    /// `ln (Z (1 − ε)^α + (1 − Z) (ε/(C − 1))^α)`
    fn tilted_closed_form(
        &self,
        y: &[f64],
        q: &[Latent],
        power: f64,
        ws: &mut Workspace,
        out: &mut LatentDerivatives,
    ) -> bool {
        if race::log_win(classes::index(y[0]), q, 0.0, ws, out).is_err() {
            return false;
        }
        let (win, epsilon) = (out.value.exp(), self.epsilon());
        let (right, wrong) = ((power * (-epsilon).ln_1p()).exp(), (power * self.wrong().ln()).exp());
        let total = win * right + (1.0 - win) * wrong;
        scale(out, win * (right - wrong) / total);
        out.value = total.ln();
        let by_epsilon = (1.0 - win) * wrong / epsilon - win * right / (1.0 - epsilon);
        out.by_params.push(power * by_epsilon / total);
        true
    }

    fn predictive_closed_form(
        &self,
        q: &[Latent],
        ws: &mut Workspace,
        out: &mut [ObservationMoments],
    ) -> bool {
        classes::predictive_moments(self, q, ws, out)
    }

    fn class_probabilities_closed_form(&self, q: &[Latent], ws: &mut Workspace, out: &mut [f64]) -> bool {
        let found = race::probabilities(q, 0.0, ws, out).is_ok();
        self.blur(out);
        found
    }
}

/// `factor`: Z times derivative by Z.
fn scale(out: &mut LatentDerivatives, factor: f64) {
    out.by_mean.iter_mut().chain(&mut out.by_variance).for_each(|slope| *slope *= factor);
}
