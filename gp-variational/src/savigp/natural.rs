//! Natural-gradient steps of one full Gaussian.
//!
//! In natural parameters (precision `B = S⁻¹`, shift B m), a step of length ρ is `B ← (1 − ρ) B + ρ (I − 2Λ)`, then
//! `m ← m + ρ B⁻¹ (g − m)` with the new B, `g = Σ g_i φ_i`, `Λ = Σ h_i φ_iφ_iᵀ`. At ρ = 1 on all data, `B = I − 2Λ`:
//! Bonilla et al. 2019 eq. 34 with `λ_i = −2h_i`, from (126). For Gaussian noise one step converges.

use super::bound::Bound;
use super::mixture::Mixture;
use super::model::Savigp;
use super::stepping::NaturalStep;
use super::steps::{Evaluated, Natural};
use crate::ascent::{Ascent, Climber, MAX_HALVINGS, NaturalOptions, climb};
use gp_ep::InferenceError;
use gp_optim::Mixing;

impl Bound {
    fn evaluated(&self) -> Evaluated<'_> {
        self.tempered(1.0)
    }

    /// Last pass, with observations to this power.
    fn tempered(&self, power: f64) -> Evaluated<'_> {
        let (weight, threading) = (power * self.weight(), self.threading());
        let (layout, sums, working) = (&self.layout, &*self.sums.numbers, &self.working);
        Evaluated { weight, layout, sums, working, threading }
    }

    pub(super) fn natural_step(
        &mut self,
        posterior: &mut Mixture,
        step: NaturalStep,
    ) -> Result<(), InferenceError> {
        if !self.is_evaluated_for(posterior) {
            let (what, axis) = ("bound", "evaluations with this posterior");
            return Err(InferenceError::Shape { what, axis, expected: 1, found: 0 });
        }
        let mut room = match self.natural.take() {
            Some(room) => room,
            None => Box::new((Natural::new(posterior)?, posterior.clone())),
        };
        let (natural, trial) = &mut *room;
        let done = self.halve_until_proper(natural, (posterior, trial), step);
        self.natural = Some(room);
        done
    }

    fn halve_until_proper(
        &self,
        natural: &mut Natural,
        (posterior, trial): (&mut Mixture, &mut Mixture),
        step: NaturalStep,
    ) -> Result<(), InferenceError> {
        let at = self.tempered(step.power);
        for halvings in 0..=MAX_HALVINGS {
            let rate = step.rate * 0.5f64.powi(halvings.cast_signed());
            let least = if step.is_guarded { least_precision(rate) } else { 0.0 };
            if natural.step(&at, posterior, trial, (rate, least))? {
                std::mem::swap(posterior, trial);
                return Ok(());
            }
        }
        Err(InferenceError::ImproperPosterior)
    }

    pub(super) fn ascend(
        &mut self,
        model: &Savigp,
        posterior: &mut Mixture,
        options: &NaturalOptions,
        is_short: &dyn Fn() -> bool,
    ) -> Result<Ascent, InferenceError> {
        options.check()?;
        let (natural, trial) = (Natural::new(posterior)?, posterior.clone());
        self.pass(model, posterior, false)?;
        let start = self.assemble(model, posterior)?;
        let kept = self.sums.numbers.clone();
        climb(
            &mut BoundClimb { bound: self, model, posterior, trial, natural, kept },
            start,
            options,
            is_short,
        )
    }
}

/// Minimum share of the precision that a step of length `rate` keeps. Densities that are not log-concave have batches of
/// negative curvature, which can leave hardly any precision, and then a variance of any size.
fn least_precision(rate: f64) -> f64 {
    (1.0 - 2.0 * rate).clamp(0.0, 0.8)
}

struct BoundClimb<'a> {
    bound: &'a mut Bound,
    model: &'a Savigp,
    posterior: &'a mut Mixture,
    trial: Mixture,
    natural: Natural,
    kept: Vec<f64>,
}

impl Climber for BoundClimb<'_> {
    fn attempt(&mut self, rate: f64, mixing: &mut Mixing) -> Result<f64, InferenceError> {
        let (at, threading) = (self.bound.evaluated(), self.bound.threading());
        // Steps are linear in natural parameters, so they can be mixed.
        let (place, whole) = self.natural.naturals(&at, self.posterior)?;
        let is_proper = match mixing.propose(place, whole) {
            Some(mixed) => self.natural.set(mixed, &mut self.trial, threading)?,
            None => self.natural.step(&at, self.posterior, &mut self.trial, (rate, 0.0))?,
        };
        if !is_proper {
            return Ok(f64::NEG_INFINITY);
        }
        match self.bound.pass(self.model, &self.trial, false) {
            Ok(()) => self.bound.assemble(self.model, &self.trial),
            Err(error) if error.is_local() => Ok(f64::NEG_INFINITY),
            Err(other) => Err(other),
        }
    }

    fn accept(&mut self) -> Result<(), InferenceError> {
        std::mem::swap(self.posterior, &mut self.trial);
        self.kept.copy_from_slice(&self.bound.sums.numbers);
        Ok(())
    }

    fn withdraw(&mut self) -> Result<(), InferenceError> {
        self.bound.sums.numbers.copy_from_slice(&self.kept);
        self.bound.working.refresh(self.posterior, self.bound.threading())
    }
}

impl Savigp {
    /// Takes a natural-gradient step of length `rate` in (0, 1], halved until proper; may lower the bound. Unless the
    /// density is log-concave, steps are halved until they keep `1 − 2 rate` of the precision, at most 0.8, in every
    /// direction. `bound` must last have been evaluated with this posterior.
    ///
    /// # Errors
    /// [`InferenceError::Unsupported`] unless one full Gaussian; [`InferenceError::Option`];
    /// [`InferenceError::ImproperPosterior`]; [`InferenceError::Shape`] if not evaluated.
    pub fn natural_step(&mut self, bound: &mut Bound, rate: f64) -> Result<(), InferenceError> {
        NaturalOptions { rate, ..NaturalOptions::default() }.check()?;
        let mut posterior = self.take_posterior();
        let is_guarded = !self.likelihood().is_log_concave();
        let done = bound.natural_step(&mut posterior, NaturalStep { rate, power: 1.0, is_guarded });
        self.restore_posterior(posterior);
        done
    }

    /// Converges one full Gaussian by natural gradients.
    ///
    /// # Errors
    /// [`InferenceError::Unsupported`] otherwise; [`InferenceError::Option`];
    /// [`InferenceError::ImproperPosterior`] if no step raises the bound; as [`Bound::value`].
    pub fn converge(
        &mut self,
        bound: &mut Bound,
        options: &NaturalOptions,
    ) -> Result<Ascent, InferenceError> {
        let mut posterior = self.posterior().clone();
        let ascent = bound.ascend(self, &mut posterior, options, &|| false)?;
        self.set_posterior(posterior)?;
        Ok(ascent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use faer::Mat;
    use gp_ep::{SparseProcess, Table};
    use gp_kernels::inducing::InducingInputs;
    use gp_likelihoods::BernoulliProbit;

    #[test]
    fn steps_are_linear_in_natural_parameters() {
        let points = Mat::from_fn(30, 1, |i, _| i as f64 / 5.0);
        let labels: Vec<f64> = (0..30).map(|i| if (i * 7) % 11 < 5 { 1.0 } else { -1.0 }).collect();
        let data = Table::with_targets(points.as_ref(), &labels).unwrap();
        let inputs = InducingInputs::points(points.as_ref().subrows(3, 6)).unwrap();
        let process = SparseProcess::new(gp_kernels::parse("2 * rbf").unwrap(), inputs).unwrap();
        let mut model = Savigp::new(vec![process], Box::new(BernoulliProbit)).unwrap();
        let mut bound = Bound::new(&model, &data).unwrap();
        bound.value(&model).unwrap();
        model.natural_step(&mut bound, 0.7).unwrap();
        bound.value(&model).unwrap();
        let (from, mut natural) = (model.posterior().clone(), Natural::new(model.posterior()).unwrap());
        for rate in [0.3, 1.0] {
            let (mut stepped, mut set) = (from.clone(), from.clone());
            let at = bound.evaluated();
            assert!(natural.step(&at, &from, &mut stepped, (rate, 0.0)).unwrap());
            let (place, whole) = natural.naturals(&at, &from).unwrap();
            let there: Vec<f64> = place.iter().zip(&whole).map(|(x, r)| x + rate * r).collect();
            assert!(natural.set(&there, &mut set, bound.threading()).unwrap());
            let apart = (stepped.factor(0, 0) - set.factor(0, 0)).norm_max();
            let means = stepped.mean(0, 0).iter().zip(set.mean(0, 0)).map(|(a, b)| (a - b).abs());
            assert!(apart.max(means.fold(0.0, f64::max)) < 1e-12, "{rate}");
        }
        let improper: Vec<f64> =
            natural.naturals(&bound.evaluated(), &from).unwrap().0.iter().map(|x| -x).collect();
        assert!(!natural.set(&improper, &mut from.clone(), bound.threading()).unwrap());
    }
}
