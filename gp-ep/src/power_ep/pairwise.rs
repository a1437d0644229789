//! A label among C classes as C − 1 factors: the latent of the label beats that of each other class (seed 000 §2).

use super::factors::Factors;
use super::model::PowerEp;
use crate::error::EpError;
use faer::Mat;
use gp_kernels::algebra::{Scaled, Sum};
use gp_kernels::inducing::{InducingInputs, SparseProcess};
use gp_likelihoods::{BernoulliProbit, Latent, Likelihood, PairwiseProbit, Race, Slopes, Support, Workspace};
use gp_optim::{Parameter, Transform};

/// The factors `Φ((f_y − f_c)/√noise)`, c ≠ y, of a label y from 0 to C − 1; without noise they are steps, and what
/// noise there is is that of the kernels (`white`).
///
/// At the level of projections each factor integrates over `f_y` and `f_c` by itself, as seed 000 has it. At the
/// latent level `f_y` is one number for all of them: another approximation, multi-class generalised FITC.
///
/// Predictions put the largest latent, each with noise of half that variance, in the place of the product of factors
/// (seed 000 eq. 68), so that probabilities sum to one.
///
/// Sites are independent between latents, and so is the posterior. For two classes that wastes something: all that
/// data say is about `f_1 − f_0`, and the posterior of that one difference needs no such approximation.
/// [`of_difference`](Self::of_difference) is the factor on it, and [`PowerEp::of_classes`] chooses it.
#[derive(Clone, Debug, PartialEq)]
pub struct PairwiseFactors {
    classes: usize,
    /// The one latent is `f_1 − f_0`.
    difference: bool,
    /// The noise, where there is some.
    params: Vec<Parameter>,
    label_noise: f64,
}

impl PairwiseFactors {
    /// Factors for this many classes and this variance of the noise on differences, which is trained if it is not 0.
    ///
    /// # Errors
    /// [`EpError::Shape`] for fewer than two classes; [`EpError::Likelihood`] for a noise that is negative or not
    /// finite.
    pub fn new(classes: usize, noise: f64) -> Result<Self, EpError> {
        if classes < 2 {
            let (what, axis) = ("multi-class model", "classes");
            return Err(EpError::Shape { what, axis, expected: 2, found: classes });
        }
        PairwiseProbit::new(noise)?;
        let noise = (noise > 0.0).then(|| Parameter::scalar("noise", noise, Transform::Positive));
        let params = noise.into_iter().collect::<Result<_, _>>()?;
        Ok(Self { classes, difference: false, params, label_noise: 0.0 })
    }

    /// The factor of two classes whose one latent is `f_1 − f_0`.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn of_difference(noise: f64) -> Result<Self, EpError> {
        Ok(Self { difference: true, ..Self::new(2, noise)? })
    }

    /// The same factors where predictions allow for labels that are drawn from all classes with probability ε (seed
    /// 000 eq. 13). Sites do not know of it; `robust_max` is the likelihood that does.
    ///
    /// # Errors
    /// [`EpError::Option`] for an ε outside [0, 1].
    pub fn with_label_noise(self, label_noise: f64) -> Result<Self, EpError> {
        if !(0.0..=1.0).contains(&label_noise) {
            let (what, allowed) = ("label noise", "between 0 and 1");
            return Err(EpError::Option { what, value: label_noise, allowed });
        }
        Ok(Self { label_noise, ..self })
    }

    /// The variance of the noise on differences.
    #[must_use]
    pub fn noise(&self) -> f64 {
        self.params.first().map_or(0.0, Parameter::value)
    }

    /// The race that decides labels.
    fn race(&self) -> Result<Race, EpError> {
        Ok(Race::new(0.5 * self.noise(), self.label_noise)?)
    }

    /// What the factor is about: a latent that has to beat another, and the sign of the first touched latent in them.
    fn rivals(&self, y: &[f64], q: &[Latent]) -> Result<(Latent, Latent), EpError> {
        if !self.difference {
            return Ok((q[0], q[1]));
        }
        Ok((Latent::new(sign(y) * q[0].mean(), q[0].variance())?, nobody()?))
    }

    /// Derivatives by the latent that has to win, as those of everything: `g` by its mean, `k` by its variance.
    fn answer(&self, y: &[f64], (value, g, k, by_noise): (f64, f64, f64, f64), out: &mut Slopes) {
        out.reset(self.touched(), self.params.len());
        out.value = value;
        if self.difference {
            out.by_mean[0] = sign(y) * g;
        } else {
            out.by_mean.copy_from_slice(&[g, -g]);
        }
        out.by_variance.fill(k);
        out.by_params.fill(by_noise);
    }

    /// What `integral` says of `u = (f_y − f_c)/√noise`, as of f_y and f_c.
    fn through_difference(
        &self,
        y: &[f64],
        q: &[Latent],
        out: &mut Slopes,
        integral: impl FnOnce(Latent, &mut Slopes) -> Result<(), EpError>,
    ) -> Result<(), EpError> {
        let noise = self.noise();
        if noise == 0.0 {
            return Err(EpError::Unsupported {
                what: "powers below 1 of a step function: give the factors noise",
            });
        }
        let (first, other) = self.rivals(y, q)?;
        let (mean, variance) = (first.mean() - other.mean(), first.variance() + other.variance());
        let root = noise.sqrt();
        integral(Latent::new(mean / root, variance / noise)?, out)?;
        let (g, k) = (out.by_mean[0] / root, out.by_variance[0] / noise);
        let by_noise = -(0.5 * mean * g + variance * k) / noise;
        self.answer(y, (out.value, g, k, by_noise), out);
        Ok(())
    }
}

/// The class of an observation that has been checked.
fn label(y: &[f64]) -> usize {
    y[0] as usize
}

/// Of two classes: whether the latent difference speaks for the label or against it.
fn sign(y: &[f64]) -> f64 {
    2.0 * y[0] - 1.0
}

/// A rival that stands at zero.
fn nobody() -> Result<Latent, EpError> {
    Ok(Latent::new(0.0, 0.0)?)
}

impl Factors for PairwiseFactors {
    fn latents(&self) -> usize {
        if self.difference { 1 } else { self.classes }
    }

    fn outputs(&self) -> usize {
        1
    }

    fn pieces(&self) -> usize {
        self.classes - 1
    }

    fn touched(&self) -> usize {
        if self.difference { 1 } else { 2 }
    }

    fn latent(&self, y: &[f64], piece: usize, slot: usize) -> usize {
        let label = label(y);
        match (self.difference, slot) {
            (true, _) => 0,
            (false, 0) => label,
            (false, _) => piece + usize::from(piece >= label),
        }
    }

    fn support(&self) -> Support {
        Support::Classes(self.classes)
    }

    fn check(&self, y: &[f64]) -> Result<(), EpError> {
        Ok(self.support().check(y[0])?)
    }

    fn tilted(
        &self,
        y: &[f64],
        _piece: usize,
        q: &[Latent],
        power: f64,
        ws: &mut Workspace,
        out: &mut Slopes,
    ) -> Result<(), EpError> {
        if power < 1.0 {
            return self.through_difference(y, q, out, |u, out| {
                Ok(BernoulliProbit.tilted(&[1.0], &[u], power, ws, out)?)
            });
        }
        let (first, other) = self.rivals(y, q)?;
        let pair = PairwiseProbit::new(self.noise())?.tilted(first, other)?;
        let k = pair.by_variance[0];
        self.answer(y, (pair.log_z, pair.by_mean[0], k, k), out);
        Ok(())
    }

    fn expected(
        &self,
        y: &[f64],
        _piece: usize,
        q: &[Latent],
        ws: &mut Workspace,
        out: &mut Slopes,
    ) -> Result<(), EpError> {
        self.through_difference(y, q, out, |u, out| {
            Ok(BernoulliProbit.expected_log_density(&[1.0], &[u], ws, out)?)
        })
    }

    fn log_predictive(
        &self,
        y: &[f64],
        q: &[Latent],
        ws: &mut Workspace,
        out: &mut Slopes,
    ) -> Result<f64, EpError> {
        let two = [nobody()?, q[0]];
        let q = if self.difference { &two } else { q };
        Ok(self.race()?.log_probability(label(y), q, ws, out)?)
    }

    fn class_probabilities(&self, q: &[Latent], ws: &mut Workspace, out: &mut [f64]) -> Result<(), EpError> {
        let two = [nobody()?, q[0]];
        let q = if self.difference { &two } else { q };
        Ok(self.race()?.probabilities(q, ws, out)?)
    }

    fn parameters(&self) -> &[Parameter] {
        &self.params
    }

    fn parameters_mut(&mut self) -> &mut [Parameter] {
        &mut self.params
    }

    fn clone_box(&self) -> Box<dyn Factors> {
        Box::new(self.clone())
    }
}

impl PowerEp {
    /// A model of as many classes as there are latent functions, with pairwise factors: sites of α = 1 at the level of
    /// projections (seed 000's EP).
    ///
    /// Of two classes only the difference of the latent functions matters. The model then has one latent, with the sum
    /// of both kernels as its own and all inducing inputs of either; it is the binary model of that
    /// difference. With more classes every function stays what it is.
    ///
    /// # Errors
    /// As [`PairwiseFactors::new`], for two classes also where inducing inputs do not go together.
    pub fn of_classes(processes: Vec<SparseProcess>, noise: f64) -> Result<Self, EpError> {
        match <[SparseProcess; 2]>::try_from(processes) {
            Ok([first, second]) => {
                let factor = Box::new(PairwiseFactors::of_difference(noise)?);
                Self::with_factors(vec![difference(&first, &second)?], factor)
            }
            Err(processes) => {
                let factors = PairwiseFactors::new(processes.len(), noise)?;
                Self::with_factors(processes, Box::new(factors))
            }
        }
    }

    /// [`of_classes`](Self::of_classes) where all classes share one kernel and one set of inducing inputs: these are
    /// factored, projected on and differentiated once instead of C times.
    ///
    /// # Errors
    /// As [`of_classes`](Self::of_classes).
    pub fn of_alike_classes(classes: usize, process: SparseProcess, noise: f64) -> Result<Self, EpError> {
        if classes == 2 {
            // Of f_1 − f_0 the covariance is twice that of each.
            let mut twice = Parameter::scalar(Scaled::PARAMETER, 2.0, Transform::Positive)?;
            twice.fix_all(true);
            let kernel = Box::new(Scaled::new(twice, process.kernel().clone_box())?);
            let factor = Box::new(PairwiseFactors::of_difference(noise)?);
            return Self::with_factors(vec![process.with_kernel(kernel)], factor);
        }
        Self::with_factors(vec![process], Box::new(PairwiseFactors::new(classes, noise)?))
    }
}

/// `f_1 − f_0` of two independent functions.
fn difference(first: &SparseProcess, second: &SparseProcess) -> Result<SparseProcess, EpError> {
    let kernel = Sum::of(vec![first.kernel().clone_box(), second.kernel().clone_box()])?;
    let (z, more) = (first.inputs(), second.inputs());
    if z.windows().is_some() || more.windows().is_some() {
        return Err(EpError::Unsupported { what: "two classes with inducing windows" });
    }
    let inputs = if z.values() == more.values() {
        z.clone()
    } else {
        let (a, b) = (z.z(), more.z());
        crate::error::check_count("inducing inputs of the second class", "columns", a.ncols(), b.ncols())?;
        let both = |i: usize, j: usize| if i < a.nrows() { a[(i, j)] } else { b[(i - a.nrows(), j)] };
        InducingInputs::points(Mat::from_fn(a.nrows() + b.nrows(), a.ncols(), both).as_ref())?
    };
    let process = SparseProcess::new(kernel, inputs)?;
    let fixed = !first.trains_inputs() && !second.trains_inputs();
    Ok(if fixed { process.with_fixed_inputs() } else { process })
}
