//! Softmax over class latents.

pub(crate) mod gumbel;
#[cfg(test)]
mod tests;

use rand::Rng;

use crate::classes;
use crate::density::Density;
use crate::derivatives::{LatentDerivatives, ObservationMoments, PointDerivatives};
use crate::entry::LikelihoodEntry;
use crate::error::LikelihoodError;
use crate::latent::Latent;
use crate::likelihood::Described;
use crate::scalar::Scalar;
use crate::support::Support;
use crate::workspace::Workspace;

/// `p(y | f) = exp(f_y)/Σ_c exp(f_c)`, labels 0, …, C − 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Softmax {
    classes: usize,
}

impl Softmax {
    /// Softmax of C ≥ 2 classes.
    ///
    /// # Errors
    /// [`LikelihoodError::Count`] for fewer.
    pub fn new(classes: usize) -> Result<Self, LikelihoodError> {
        classes::check_count(classes)?;
        Ok(Self { classes })
    }

    /// Registry entry; setting `classes`.
    #[must_use]
    pub fn entry() -> LikelihoodEntry {
        LikelihoodEntry::new("softmax", "classes, p(y | f) proportional to exp(f_y)", |arguments| {
            Ok(Box::new(Self::new(arguments.whole_number("classes", classes::USUAL)?)?))
        })
        .with_aliases(&["categorical", "multinomial_logit", "multiclass"])
    }
}

impl Described for Softmax {
    fn name(&self) -> &'static str {
        "softmax"
    }

    fn settings(&self) -> Vec<(&'static str, usize)> {
        vec![("classes", self.classes)]
    }

    fn latents(&self) -> usize {
        self.classes
    }

    fn support(&self) -> Support {
        Support::Classes(self.classes)
    }

    fn is_log_concave(&self) -> bool {
        true
    }

    fn is_softmax(&self) -> bool {
        true
    }
}

impl Density for Softmax {
    fn log_p<S: Scalar>(&self, y: &[f64], f: impl Fn(usize) -> S, _theta: impl Fn(usize) -> S) -> S {
        let largest = classes::largest(self.classes, |c| f(c).value());
        let others = (0..self.classes).filter(|&c| c != largest);
        // ln Σ exp(f_c) = f_max + ln(1 + Σ exp(f_c − f_max)) keeps digits of small terms.
        let sum = others.fold(S::constant(0.0), |sum, c| sum + (f(c) - f(largest)).exp());
        f(classes::index(y[0])) - f(largest) - sum.ln_1p()
    }

    fn slopes_closed_form(&self, y: &[f64], f: &[f64], out: &mut PointDerivatives) -> bool {
        let largest = classes::largest(f.len(), |c| f[c]);
        let weights = &mut out.by_latent_twice;
        weights.iter_mut().zip(f).for_each(|(w, f_c)| *w = (f_c - f[largest]).exp());
        // Sum without the largest term, 1.
        let rest: f64 = weights.iter().enumerate().filter(|&(c, _)| c != largest).map(|(_, w)| w).sum();
        let (label, total) = (classes::index(y[0]), 1.0 + rest);
        out.value = f[label] - f[largest] - rest.ln_1p();
        for c in 0..f.len() {
            let own = out.by_latent_twice[c] / total;
            // 1 − p as sum of the others, accurate for p near 1.
            let others = if c == largest { rest / total } else { 1.0 - own };
            out.by_latent[c] = if c == label { others } else { -own };
            out.by_latent_twice[c] = -own * others;
        }
        true
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

    fn expected_closed_form(
        &self,
        y: &[f64],
        q: &[Latent],
        ws: &mut Workspace,
        out: &mut LatentDerivatives,
    ) -> bool {
        out.reset(q.len(), 0);
        let found = ws.gumbel.look(q);
        if found {
            ws.gumbel.expected(classes::index(y[0]), q, out);
        }
        found
    }

    fn tilted_closed_form(
        &self,
        y: &[f64],
        q: &[Latent],
        power: f64,
        ws: &mut Workspace,
        out: &mut LatentDerivatives,
    ) -> bool {
        out.reset(q.len(), 0);
        power == 1.0 && ws.gumbel.look(q) && ws.gumbel.tilted(classes::index(y[0]), out)
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
        let found = ws.gumbel.look(q);
        if found {
            ws.gumbel.probabilities(out);
        }
        found
    }
}

impl Softmax {
    fn probability(&self, f: &[f64]) -> impl Fn(usize) -> f64 {
        let largest = f.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let total: f64 = f.iter().map(|f_c| (f_c - largest).exp()).sum();
        move |c| (f[c] - largest).exp() / total
    }
}
