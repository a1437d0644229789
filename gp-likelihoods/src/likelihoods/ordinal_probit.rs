//! Ordered classes: intervals of a noisy latent.

use gp_optim::{Parameter, Transform};
use rand::Rng;
use rand_distr::{Distribution, StandardNormal};

use crate::density::Density;
use crate::derivatives::{LatentDerivatives, ObservationMoments, PointDerivatives};
use crate::entry::LikelihoodEntry;
use crate::error::{LikelihoodError, check_count};
use crate::latent::Latent;
use crate::likelihood::{Described, parameter_value};
use crate::parameters_in;
use crate::scalar::Scalar;
use crate::special::{NormalInterval, standard_normal_cdf};
use crate::support::Support;
use crate::workspace::Workspace;

/// `p(y = k | f) = Φ((c_{k+1} − f)/scale) − Φ((c_k − f)/scale)`, labels `0, …, K − 1`, cut points
/// `−∞ = c_0 < c_1 < … < c_K = ∞`.
///
/// Parameters: `first_cut`, `c_1`; K − 2 positive `gaps`, `c_{k+1} − c_k`; `scale`, fixed by default because only
/// ratios matter.
#[derive(Clone, Debug, PartialEq)]
pub struct OrdinalProbit {
    classes: usize,
    params: Vec<Parameter>,
}

impl OrdinalProbit {
    /// Likelihood with K − 1 cut points and noise standard deviation.
    ///
    /// # Errors
    /// [`LikelihoodError::Count`] without cuts; [`LikelihoodError::Parameter`] unless cuts increase, `scale > 0`.
    pub fn new(cuts: &[f64], scale: f64) -> Result<Self, LikelihoodError> {
        check_count("number of cut points", cuts.len(), !cuts.is_empty(), "at least 1")?;
        let mut params = vec![Parameter::scalar("first_cut", cuts[0], Transform::Identity)?];
        if cuts.len() > 1 {
            let gaps = cuts.windows(2).map(|pair| pair[1] - pair[0]).collect();
            params.push(Parameter::vector("gaps", gaps, Transform::Positive)?);
        }
        let mut scale = Parameter::scalar("scale", scale, Transform::Positive)?;
        scale.fix(0, true)?;
        params.push(scale);
        Ok(Self { classes: cuts.len() + 1, params })
    }

    /// Registry entry; setting `classes`, default 3.
    #[must_use]
    pub fn entry() -> LikelihoodEntry {
        LikelihoodEntry::new(
            "ordinal_probit",
            "ordered labels 0, 1, … between cut points of f",
            |arguments| {
                let classes = arguments.whole_number("classes", 3)?;
                check_count("number of classes", classes, (2..=1000).contains(&classes), "from 2 to 1000")?;
                // Cut points at distance 1, symmetric about 0.
                let cuts: Vec<f64> = (1..classes).map(|k| k as f64 - 0.5 * classes as f64).collect();
                Ok(Box::new(Self::new(&cuts, 1.0)?))
            },
        )
        .with_aliases(&["ordinal", "ordered_probit"])
    }

    fn scale(&self) -> f64 {
        self.value(self.classes - 1)
    }

    fn value(&self, index: usize) -> f64 {
        parameter_value(&self.params, index)
    }

    fn probabilities(&self, mean: f64, deviation: f64) -> impl Iterator<Item = f64> {
        (0..self.classes).map(move |class| {
            let ends = ends(class, self.classes, |k| self.value(k));
            let [lower, upper] = ends.map(|end| end.map(|cut| (cut - mean) / deviation));
            log_mass(lower, upper).exp()
        })
    }

    /// Interval in standard deviations of the noise.
    fn interval(&self, class: usize, mean: f64, deviation: f64) -> NormalInterval {
        let [lower, upper] = ends(class, self.classes, |k| self.value(k));
        let at = |cut: Option<f64>, none: f64| cut.map_or(none, |cut| (cut - mean) / deviation);
        NormalInterval::new(at(lower, f64::NEG_INFINITY), at(upper, f64::INFINITY))
    }

    fn by_cuts(&self, class: usize, mean: f64, deviation: f64, by_params: &mut [f64]) -> NormalInterval {
        let mass = self.interval(class, mean, deviation);
        by_params.fill(0.0);
        // The first cut and each gap move all later cut points.
        for (k, ratio) in [(class, -mass.at_lower), (class + 1, mass.at_upper)] {
            if 0 < k && k < self.classes {
                by_params[..k].iter_mut().for_each(|d| *d += ratio / deviation);
            }
        }
        mass
    }

    fn moments(&self, mean: f64, deviation: f64) -> ObservationMoments {
        let labelled = || self.probabilities(mean, deviation).zip(0u32..).map(|(p, k)| (p, f64::from(k)));
        let mean = labelled().map(|(p, k)| p * k).sum();
        ObservationMoments { mean, variance: labelled().map(|(p, k)| p * (k - mean) * (k - mean)).sum() }
    }
}

fn ends<S: Scalar>(class: usize, classes: usize, theta: impl Fn(usize) -> S) -> [Option<S>; 2] {
    // Cut k is the first one plus the gaps before it (parameter values 1, 2, …).
    let cut = |k: usize| (1..k).fold(theta(0), |cut, gap| cut + theta(gap));
    [class, class + 1].map(|k| (0 < k && k < classes).then(|| cut(k)))
}

/// `ln(Φ(upper) − Φ(lower))`; None: infinite.
fn log_mass<S: Scalar>(lower: Option<S>, upper: Option<S>) -> S {
    match (lower, upper) {
        (Some(lower), Some(upper)) => lower.log_normal_cdf_difference(upper),
        (Some(lower), None) => (-lower).log_normal_cdf(),
        (None, Some(upper)) => upper.log_normal_cdf(),
        (None, None) => S::constant(0.0),
    }
}

impl Described for OrdinalProbit {
    fn name(&self) -> &'static str {
        "ordinal_probit"
    }

    fn settings(&self) -> Vec<(&'static str, usize)> {
        vec![("classes", self.classes)]
    }

    parameters_in! { params }

    fn support(&self) -> Support {
        Support::Classes(self.classes)
    }

    fn is_log_concave(&self) -> bool {
        true
    }
}

impl Density for OrdinalProbit {
    fn log_p<S: Scalar>(&self, y: &[f64], f: impl Fn(usize) -> S, theta: impl Fn(usize) -> S) -> S {
        let scale = theta(self.classes - 1);
        let [lower, upper] = ends(y[0] as usize, self.classes, theta);
        log_mass(lower.map(|cut| (cut - f(0)) / scale), upper.map(|cut| (cut - f(0)) / scale))
    }

    fn slopes_closed_form(&self, y: &[f64], f: &[f64], out: &mut PointDerivatives) -> bool {
        let scale = self.scale();
        let mass = self.interval(y[0] as usize, f[0], scale);
        (out.value, out.by_latent[0]) = (mass.log_mass, mass.mean / scale);
        out.by_latent_twice[0] = mass.curvature / (scale * scale);
        true
    }

    fn params_closed_form(&self, y: &[f64], f: &[f64], out: &mut [f64]) -> bool {
        let scale = self.scale();
        let mass = self.by_cuts(y[0] as usize, f[0], scale, out);
        // Noise variance adds to the latent's: derivative as for the tilted normaliser.
        out[self.classes - 1] = (mass.curvature + mass.mean * mass.mean) / scale;
        true
    }

    fn bend(&self, y: &[f64]) -> Option<f64> {
        match ends(y[0] as usize, self.classes, |k| self.value(k)) {
            [Some(lower), Some(upper)] => Some(0.5 * (lower + upper)),
            [lower, upper] => lower.or(upper),
        }
    }

    fn moments_given(&self, f: &[f64], out: &mut [ObservationMoments]) {
        out[0] = self.moments(f[0], self.scale());
    }

    fn cdf_given(&self, _output: usize, y: f64, f: &[f64]) -> f64 {
        if y < 0.0 {
            return 0.0;
        }
        // Numbers above all labels convert to the largest one.
        let [_, upper] = ends(y as usize, self.classes, |k| self.value(k));
        if y as usize >= self.classes {
            return 1.0;
        }
        upper.map_or(1.0, |cut| standard_normal_cdf((cut - f[0]) / self.scale()))
    }

    fn sample_given(&self, f: &[f64], rng: &mut dyn Rng, out: &mut [f64]) -> Option<()> {
        let standard: f64 = StandardNormal.sample(rng);
        let noisy = f[0] + self.scale() * standard;
        let below =
            |class: usize| ends(class, self.classes, |k| self.value(k))[1].is_some_and(|cut| noisy > cut);
        out[0] = (0..self.classes).find(|&class| !below(class)).map_or(0.0, |class| class as f64);
        noisy.is_finite().then_some(())
    }

    /// Cavity variance adds to the noise.
    fn tilted_closed_form(
        &self,
        y: &[f64],
        q: &[Latent],
        power: f64,
        _ws: &mut Workspace,
        out: &mut LatentDerivatives,
    ) -> bool {
        if power != 1.0 {
            return false;
        }
        let (scale, m) = (self.scale(), q[0].mean());
        let deviation = scale.hypot(q[0].variance().sqrt());
        out.reset(1, self.classes);
        let mass = self.by_cuts(y[0] as usize, m, deviation, &mut out.by_params);
        // ∂²/∂m² = 2 ∂/∂v − (∂/∂m)².
        let by_variance = 0.5 * (mass.curvature + mass.mean * mass.mean) / (deviation * deviation);
        (out.value, out.by_mean[0], out.by_variance[0]) = (mass.log_mass, mass.mean / deviation, by_variance);
        out.by_params[self.classes - 1] = 2.0 * scale * by_variance;
        true
    }

    fn predictive_closed_form(
        &self,
        q: &[Latent],
        _ws: &mut Workspace,
        out: &mut [ObservationMoments],
    ) -> bool {
        out[0] = self.moments(q[0].mean(), self.scale().hypot(q[0].variance().sqrt()));
        true
    }
}
