//! Multi-class probit: largest noisy latent.

mod derivatives;
mod pair;
mod peak;
mod pieces;

use gp_optim::{Parameter, Transform};
use rand::{Rng, RngExt};
use rand_distr::StandardNormal;

use crate::classes;
use crate::defaults::many;
use crate::density::Density;
use crate::derivatives::{LatentDerivatives, ObservationMoments, PointDerivatives};
use crate::entry::LikelihoodEntry;
use crate::error::LikelihoodError;
use crate::latent::Latent;
use crate::likelihood::Described;
use crate::parameters_in;
use crate::pieces::Pieces;
use crate::race::{self, Race};
use crate::scalar::Scalar;
use crate::support::Support;
use crate::workspace::Workspace;
pub use pair::{PairTilted, PairwiseProbit};
use peak::Peak;

/// `p(y | f) = P(f_y + e_y > f_c + e_c for all c ≠ y)`, independent noise e, labels `0, …, C − 1`.
///
/// With unit noise, `∫ N(u; f_y, 1) Π_{c≠y} Φ(u − f_c) du`. Exact at power 1 and for class probabilities
/// (variances `1 + v_c`), else by quadrature.
///
/// [`in_pairs`](Self::in_pairs) replaces the density by pieces `Φ((f_y − f_c)/√noise)` ([`PairwiseProbit`];
/// Villacampa-Calvo & Hernández-Lobato 2017, §2), line integrals at every power. For `C > 2` their product is
/// no distribution over labels (equal, known latents: `2^{1−C}` instead of `1/C`); training on noisy labels
/// avoids uncertainty. Predictions use the full likelihood (eq. 68).
///
/// Expected log densities for `C ≥ 4` use an eighth of the workspace's nodes (default 512; errors 1e-3 for
/// unit variances).
///
/// For `C = 2`, [`of_difference`](Self::of_difference) has the single latent `f_1 − f_0`, without EP's
/// independent sites.
#[derive(Clone, Debug, PartialEq)]
pub struct MulticlassProbit {
    classes: usize,
    /// Noise variance of differences, if trained.
    params: Vec<Parameter>,
    noise: f64,
    label_noise: f64,
    /// `true` if the only latent is `f_1 − f_0`.
    difference: bool,
    pairs: bool,
}

/// Noise variance of differences: 1 per latent.
const NOISE: f64 = 2.0;

impl MulticlassProbit {
    /// Classes with unit noise per latent.
    ///
    /// # Errors
    /// [`LikelihoodError::Count`] below two classes.
    pub fn new(classes: usize) -> Result<Self, LikelihoodError> {
        classes::check_count(classes)?;
        let (params, label_noise) = (Vec::new(), 0.0);
        Ok(Self { classes, params, noise: NOISE, label_noise, difference: false, pairs: false })
    }

    /// Classes with noise variance of differences: parameter `noise`, or fixed 0 (largest latent). Not in expressions.
    ///
    /// # Errors
    /// [`LikelihoodError::Count`] below two classes; [`LikelihoodError::Argument`] for negative or non-finite noise.
    pub fn with_noise(classes: usize, noise: f64) -> Result<Self, LikelihoodError> {
        PairwiseProbit::new(noise)?;
        let trained = (noise > 0.0).then(|| Parameter::scalar("noise", noise, Transform::Positive));
        let params = trained.into_iter().collect::<Result<_, _>>()?;
        Ok(Self { params, noise, ..Self::new(classes)? })
    }

    /// Two classes with one latent, `f_1 − f_0`.
    ///
    /// # Errors
    /// As [`with_noise`](Self::with_noise).
    pub fn of_difference(noise: f64) -> Result<Self, LikelihoodError> {
        Ok(Self { difference: true, ..Self::with_noise(2, noise)? })
    }

    /// Makes labels uniform with probability ε (eq. 13 of the paper). Pieces ignore ε; see
    /// [`RobustMax`](crate::RobustMax).
    ///
    /// # Errors
    /// [`LikelihoodError::Argument`] for ε outside [0, 1].
    pub fn with_label_noise(self, label_noise: f64) -> Result<Self, LikelihoodError> {
        Race::new(0.0, label_noise)?;
        Ok(Self { label_noise, ..self })
    }

    /// Replaces the density by pairwise factors.
    #[must_use]
    pub fn in_pairs(self) -> Self {
        Self { pairs: true, ..self }
    }

    /// Registry entry; setting `classes`.
    #[must_use]
    pub fn entry() -> LikelihoodEntry {
        LikelihoodEntry::new("multiclass_probit", "classes, the largest f with noise", |arguments| {
            Ok(Box::new(Self::new(arguments.whole_number("classes", classes::USUAL)?)?))
        })
        .with_aliases(&["multinomial_probit", "multiclass"])
    }

    /// Registry entry `pairwise_probit`; setting `classes`.
    #[must_use]
    pub fn entry_in_pairs() -> LikelihoodEntry {
        LikelihoodEntry::new("pairwise_probit", "the same by factors between pairs of classes", |arguments| {
            Ok(Box::new(Self::new(arguments.whole_number("classes", classes::USUAL)?)?.in_pairs()))
        })
    }

    /// Noise variance of latent differences.
    #[must_use]
    pub fn noise(&self) -> f64 {
        self.params.first().map_or(self.noise, Parameter::value)
    }

    fn race(&self) -> Result<Race, LikelihoodError> {
        Race::new(0.5 * self.noise(), self.label_noise)
    }

    fn is_plain(&self) -> bool {
        self.params.is_empty() && self.noise == NOISE && self.label_noise == 0.0 && !self.difference
    }

    /// A single latent competes with 0.
    fn with_runners<R>(
        &self,
        q: &[Latent],
        race: impl FnOnce(&[Latent]) -> Result<R, LikelihoodError>,
    ) -> Result<R, LikelihoodError> {
        if self.difference { race(&[known(0.0)?, q[0]]) } else { race(q) }
    }

    fn probability(&self, f: &[f64]) -> impl Fn(usize) -> f64 {
        |c| self.log_p(&[c as f64], |k| f[k], |_| self.noise()).exp()
    }

    /// Unit noise per latent.
    fn log_win<S: Scalar>(&self, label: usize, f: impl Fn(usize) -> S) -> S {
        let others = || (0..self.classes).filter(|&c| c != label);
        let peak = Peak::find(f(label).value(), || others().map(|c| f(c).value()));
        let sum = peak.nodes().fold(S::constant(0.0), |sum, (u, log_measure)| {
            let away = f(label) - u;
            let height = others().fold(-(away * away) * 0.5, |sum, c| sum + (-f(c) + u).log_normal_cdf());
            sum + (height + (log_measure - peak.height)).exp()
        });
        sum.ln() + peak.height
    }

    fn finish(&self, out: &mut LatentDerivatives) {
        let by_noise = 0.5 * out.by_variance.iter().sum::<f64>();
        if self.difference {
            out.by_mean.remove(0);
            out.by_variance.remove(0);
        }
        out.by_params.resize(self.params.len(), by_noise);
        if self.label_noise > 0.0 {
            let share = self.label_noise / self.classes as f64;
            let won = (1.0 - self.label_noise) * out.value.exp();
            out.value = (won + share).ln();
            let slopes = out.by_mean.iter_mut().chain(&mut out.by_variance).chain(&mut out.by_params);
            slopes.for_each(|slope| *slope *= won / (won + share));
        }
    }
}

fn known(value: f64) -> Result<Latent, LikelihoodError> {
    Latent::new(value, 0.0)
}

impl Described for MulticlassProbit {
    fn name(&self) -> &'static str {
        if self.pairs { "pairwise_probit" } else { "multiclass_probit" }
    }

    fn settings(&self) -> Vec<(&'static str, usize)> {
        vec![("classes", self.classes)]
    }

    parameters_in! { params }

    fn latents(&self) -> usize {
        if self.difference { 1 } else { self.classes }
    }

    fn support(&self) -> Support {
        Support::Classes(self.classes)
    }

    fn is_log_concave(&self) -> bool {
        self.label_noise == 0.0
    }

    fn is_smooth(&self) -> bool {
        self.noise() > 0.0
    }

    /// The pair is the density for C = 2.
    fn pieces(&self) -> Option<&dyn Pieces> {
        (self.pairs || self.multiply_to_density()).then_some(self)
    }
}

impl Density for MulticlassProbit {
    fn log_p<S: Scalar>(&self, y: &[f64], f: impl Fn(usize) -> S, theta: impl Fn(usize) -> S) -> S {
        let label = classes::index(y[0]);
        if self.is_plain() {
            return self.log_win(label, f);
        }
        let runner = |c: usize| match c {
            _ if !self.difference => f(c),
            0 => S::constant(0.0),
            _ => f(0),
        };
        let won = if self.noise() > 0.0 {
            let trained = !self.params.is_empty();
            let scale =
                if trained { (theta(0) * 0.5).sqrt() } else { S::constant((0.5 * self.noise).sqrt()) };
            self.log_win(label, |c| runner(c) / scale)
        } else {
            let wins = classes::largest(self.classes, |c| runner(c).value()) == label;
            S::constant(if wins { 0.0 } else { f64::NEG_INFINITY })
        };
        if self.label_noise == 0.0 {
            return won;
        }
        (won.exp() * (1.0 - self.label_noise) + self.label_noise / self.classes as f64).ln()
    }

    fn slopes_closed_form(&self, y: &[f64], f: &[f64], out: &mut PointDerivatives) -> bool {
        let deviation = (0.5 * self.noise()).sqrt();
        if self.difference || deviation == 0.0 {
            return false;
        }
        derivatives::log_win(classes::index(y[0]), f.len(), |c| f[c] / deviation, out);
        let share = self.label_noise / self.classes as f64;
        let won = (1.0 - self.label_noise) * out.value.exp();
        let certain = if share == 0.0 { 1.0 } else { won / (won + share) };
        for (first, second) in out.by_latent.iter_mut().zip(&mut out.by_latent_twice) {
            let once = *first / deviation;
            // Log of a mixture with a constant: E″/E less the squared slope.
            let twice = *second / deviation / deviation + once * once;
            *first = certain * once;
            *second = certain * twice - *first * *first;
        }
        if share > 0.0 {
            out.value = (won + share).ln();
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
        if self.label_noise > 0.0 && rng.random::<f64>() < self.label_noise {
            out[0] = rng.random_range(0..self.classes) as f64;
            return Some(());
        }
        let (mut best, deviation) = (f64::NEG_INFINITY, (0.5 * self.noise()).sqrt());
        let runners = self.difference.then_some(&0.0).into_iter().chain(f);
        for (c, f_c) in runners.enumerate() {
            let noisy = f_c + deviation * rng.sample::<f64, _>(StandardNormal);
            if noisy.is_nan() {
                return None;
            }
            if noisy > best {
                (best, out[0]) = (noisy, c as f64);
            }
        }
        best.is_finite().then_some(())
    }

    /// Uses few nodes: the log density is nearly quadratic.
    fn expected_closed_form(
        &self,
        y: &[f64],
        q: &[Latent],
        ws: &mut Workspace,
        out: &mut LatentDerivatives,
    ) -> bool {
        let is_by_nodes = q.len() > many::MAX_BY_PRODUCTS && self.pieces().is_none() && self.is_smooth();
        is_by_nodes && many::expected_by_few_nodes(self, y, q, &mut ws.many, out).is_ok()
    }

    fn tilted_closed_form(
        &self,
        y: &[f64],
        q: &[Latent],
        power: f64,
        ws: &mut Workspace,
        out: &mut LatentDerivatives,
    ) -> bool {
        if self.difference && self.label_noise == 0.0 {
            // Its only piece is the full likelihood.
            return self.pair(y, q, Some(power), ws, out).is_ok();
        }
        let (label, noise) = (classes::index(y[0]), 0.5 * self.noise());
        if power != 1.0 || self.with_runners(q, |q| race::log_win(label, q, noise, ws, out)).is_err() {
            return false;
        }
        self.finish(out);
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
        self.race().and_then(|race| self.with_runners(q, |q| race.probabilities(q, ws, out))).is_ok()
    }
}
