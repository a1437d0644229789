//! The largest of noisy latents names the class.

use std::sync::OnceLock;

use rand::{Rng, RngExt};
use rand_distr::StandardNormal;

use crate::classes;
use crate::density::Density;
use crate::error::LikelihoodError;
use crate::latent::Latent;
use crate::likelihood::Described;
use crate::quadrature::GaussHermite;
use crate::race;
use crate::registry::LikelihoodEntry;
use crate::scalar::Scalar;
use crate::slopes::{ObservationMoments, PointSlopes, Slopes};
use crate::special::{inverse_mills, inverse_mills_excess, log_normal_cdf};
use crate::support::Support;
use crate::workspace::Workspace;

/// `p(y | f) = P(f_y + e_y > f_c + e_c for all c ≠ y)` with independent `e ~ N(0, 1)`, for labels y = 0, …, C − 1.
///
/// It is `∫ N(u; f_y, 1) Π_{c≠y} Φ(u − f_c) du` (seed 000 §2, with unit noise). At power 1 the tilted normaliser is the same
/// integral with variances `1 + v_c`, so class probabilities are exact. Scalable EP takes it apart into
/// [`PairwiseProbit`] factors instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MulticlassProbit {
    classes: usize,
}

/// The variance of each e.
const NOISE: f64 = 1.0;
/// Nodes about the mode: the density is right to 1e-13.
const NODES: usize = 36;
/// Newton steps to the mode, which is concave and quadratic but for the tails.
const MAX_STEPS: u32 = 60;

impl MulticlassProbit {
    /// This many classes, at least two.
    ///
    /// # Errors
    /// [`LikelihoodError::Count`] for fewer.
    pub fn new(classes: usize) -> Result<Self, LikelihoodError> {
        classes::check_count(classes)?;
        Ok(Self { classes })
    }

    /// `multiclass_probit` in expressions and lists, with the setting `classes`.
    #[must_use]
    pub fn entry() -> LikelihoodEntry {
        LikelihoodEntry::new("multiclass_probit", "classes, the largest f with noise", |arguments| {
            Ok(Box::new(Self::new(arguments.whole_number("classes", classes::USUAL)?)?))
        })
    }

    fn probability(&self, f: &[f64]) -> impl Fn(usize) -> f64 {
        |c| self.log_p(&[c as f64], |k| f[k], |_| 0.0).exp()
    }
}

impl Described for MulticlassProbit {
    fn name(&self) -> &'static str {
        "multiclass_probit"
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
}

impl Density for MulticlassProbit {
    fn log_p<S: Scalar>(&self, y: &[f64], f: impl Fn(usize) -> S, _theta: impl Fn(usize) -> S) -> S {
        let label = classes::index(y[0]);
        let others = || (0..self.classes).filter(|&c| c != label);
        let peak = Peak::find(f(label).value(), || others().map(|c| f(c).value()));
        let sum = peak.nodes().fold(S::constant(0.0), |sum, (u, log_measure)| {
            let away = f(label) - u;
            let height = others().fold(-(away * away) * 0.5, |sum, c| sum + (-f(c) + u).log_normal_cdf());
            sum + (height + (log_measure - peak.height)).exp()
        });
        sum.ln() + peak.height
    }

    fn slopes_closed_form(&self, y: &[f64], f: &[f64], out: &mut PointSlopes) -> bool {
        let label = classes::index(y[0]);
        let others = || (0..f.len()).filter(|&c| c != label);
        let peak = Peak::find(f[label], || others().map(|c| f[c]));
        let mut mass = 0.0;
        for (u, log_measure) in peak.nodes() {
            let (away, log_cdfs) = (u - f[label], others().map(|c| log_normal_cdf(u - f[c])).sum::<f64>());
            let weight = (log_cdfs - 0.5 * away * away + log_measure - peak.height).exp();
            mass += weight;
            out.by_latent[label] += weight * away;
            out.by_latent_twice[label] += weight * (away * away - 1.0);
            for c in others() {
                let ratio = inverse_mills(u - f[c]);
                out.by_latent[c] -= weight * ratio;
                out.by_latent_twice[c] -= weight * ratio * (u - f[c]);
            }
        }
        out.value = mass.ln() + peak.height;
        for (first, second) in out.by_latent.iter_mut().zip(&mut out.by_latent_twice) {
            *first /= mass;
            *second = *second / mass - *first * *first;
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
        let mut best = f64::NEG_INFINITY;
        for (c, f_c) in f.iter().enumerate() {
            let noisy = f_c + rng.sample::<f64, _>(StandardNormal);
            if noisy.is_nan() {
                return None;
            }
            if noisy > best {
                (best, out[0]) = (noisy, c as f64);
            }
        }
        best.is_finite().then_some(())
    }

    fn tilted_closed_form(
        &self,
        y: &[f64],
        q: &[Latent],
        power: f64,
        ws: &mut Workspace,
        out: &mut Slopes,
    ) -> bool {
        power == 1.0 && race::log_win(classes::index(y[0]), q, NOISE, ws, out).is_ok()
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
        race::probabilities(q, NOISE, ws, out).is_ok()
    }
}

/// Where the integrand over u lies, and how wide it is.
struct Peak {
    u: f64,
    width: f64,
    height: f64,
}

impl Peak {
    /// The mode of `−½ (u − own)² + Σ ln Φ(u − other)`.
    fn find<I: Iterator<Item = f64>>(own: f64, others: impl Fn() -> I) -> Self {
        // From above every bend Newton's method on the concave integrand needs no safeguard but its own length.
        let mut u = others().fold(own, f64::max);
        let mut curvature = 1.0;
        for _ in 0..MAX_STEPS {
            let (mut slope, mut bend) = (own - u, 1.0);
            for other in others() {
                let ratio = inverse_mills(u - other);
                slope += ratio;
                bend += ratio * inverse_mills_excess(u - other);
            }
            u += slope / bend;
            curvature = bend;
            if slope.abs() <= 1e-9 * bend {
                break;
            }
        }
        let height = others().map(|other| log_normal_cdf(u - other)).sum::<f64>() - 0.5 * (u - own).powi(2);
        Self { u, width: 1.0 / curvature.sqrt(), height }
    }

    /// Nodes in u with the logarithms of what turns the sum over them into an integral.
    fn nodes(&self) -> impl Iterator<Item = (f64, f64)> {
        static RULE: OnceLock<GaussHermite> = OnceLock::new();
        let rule = RULE.get_or_init(|| GaussHermite::of_order(NODES));
        let log_width = self.width.ln();
        let log_measure = move |(t, log_weight): (&f64, &f64)| log_weight + 0.5 * t * t + log_width;
        let nodes = rule.nodes().iter().zip(rule.log_weights());
        nodes.map(move |node| (self.u + self.width * node.0, log_measure(node)))
    }
}

/// One factor `Φ((f_y − f_c)/√noise)` of the likelihood that scalable EP takes apart (seed 000 §2): that the latent of
/// the label beats that of one other class.
///
/// The C − 1 factors of an observation are not its likelihood: each integrates over the label's latent by itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairwiseProbit {
    noise: f64,
}

/// `ln Z` of a [`PairwiseProbit`] with its derivatives, first by the label's latent and then by the other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairTilted {
    /// `ln Z`
    pub log_z: f64,
    /// Derivatives by the means.
    pub by_mean: [f64; 2],
    /// Derivatives by the variances.
    pub by_variance: [f64; 2],
    /// `−∂² ln Z/∂m²`, the same for both means, with its digits also where the label is hopeless.
    pub curvature: f64,
}

impl PairwiseProbit {
    /// A factor whose difference of latents has this noise variance; 0 is the step function.
    ///
    /// # Errors
    /// [`LikelihoodError::Argument`] for a noise variance that is negative or not finite.
    pub fn new(noise: f64) -> Result<Self, LikelihoodError> {
        let sound = noise >= 0.0 && noise.is_finite();
        crate::error::check("noise variance", noise, sound, "finite and not negative")?;
        Ok(Self { noise })
    }

    /// `ln Φ(z)` with `z = (m_y − m_c)/√(v_y + v_c + noise)` at power 1.
    ///
    /// # Errors
    /// [`LikelihoodError::Argument`] where all variances are 0, so that there is nothing to integrate.
    pub fn tilted(&self, label: Latent, other: Latent) -> Result<PairTilted, LikelihoodError> {
        let variance = label.variance() + other.variance() + self.noise;
        crate::error::check("variance of the difference", variance, variance > 0.0, "above 0")?;
        let z = (label.mean() - other.mean()) / variance.sqrt();
        let pull = inverse_mills(z) / variance.sqrt();
        Ok(PairTilted {
            log_z: log_normal_cdf(z),
            by_mean: [pull, -pull],
            by_variance: [-0.5 * pull * z / variance.sqrt(); 2],
            curvature: inverse_mills(z) * inverse_mills_excess(z) / variance,
        })
    }
}
