//! Natural-gradient steps of a posterior, one per mini-batch, beside first-order steps of everything else.
//!
//! A step of length ρ replaces a share ρ of the posterior by the posterior of one batch, weighted as all N rows. With
//! constant ρ the posterior averages the last 1/ρ batches and keeps their noise. Step t, from 0, has length
//! `c/(t + c/ρ₀)`, `c = 5`, to average the last fifth of the batches, and at least B/N, to average one epoch.
//!
//! `robust_max` [saturates](gp_likelihoods::Described::saturates): rows with an improbable label have no gradient, so a
//! posterior that is certain too soon excludes classes for good. Against such maxima, all steps have length B/N, or
//! 5/(number of steps) if longer, and the power of observations grows from 0 to 1 over five epochs, or half of the
//! steps if fewer.

use super::bound::{Bound, SamplingMemory};
use super::mixture::Mixture;
use gp_likelihoods::Likelihood;
use gp_optim::{Companion, ParameterSet, ParameterSetMut};

/// Number c: averages the last fifth of batches.
const RECENT: f64 = 5.0;
/// Epochs, and share of steps, with growing power.
const EPOCHS: f64 = 5.0;
const SHARE: f64 = 0.5;
/// Minimum sum of lengths; leaves the prior a weight of exp(−5).
const MIN_SUM: f64 = 5.0;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct NaturalStep {
    pub(super) rate: f64,
    pub(super) power: f64,
    /// Shortens steps that lose much of the precision.
    pub(super) is_guarded: bool,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct NaturalSteps {
    /// First and largest length ρ₀.
    first: f64,
    saturates: bool,
    is_guarded: bool,
    count: u64,
    taken: u64,
    /// Power of the last step; 1 before the first.
    power: f64,
}

impl NaturalSteps {
    pub(super) fn new(first: f64, likelihood: &dyn Likelihood, count: u64) -> Self {
        let (saturates, is_guarded) = (likelihood.saturates(), !likelihood.is_log_concave());
        Self { first, saturates, is_guarded, count, taken: 0, power: 1.0 }
    }

    pub(super) fn next(&mut self, share: f64) -> NaturalStep {
        let taken = self.taken as f64;
        self.taken += 1;
        if self.saturates {
            let step = self.growing(taken + 1.0, share);
            self.power = step.power;
            return step;
        }
        let rate = RECENT / (taken + RECENT / self.first);
        NaturalStep { rate: rate.max(share).min(self.first), power: 1.0, is_guarded: self.is_guarded }
    }

    /// Below 1 while observations do not count in full.
    pub(super) fn power(&self) -> f64 {
        self.power
    }

    fn growing(&self, t: f64, share: f64) -> NaturalStep {
        let count = self.count as f64;
        let rate = share.max(MIN_SUM / count).min(self.first);
        let power = (t / (SHARE * count).min(EPOCHS / share)).min(1.0);
        NaturalStep { rate, power, is_guarded: self.is_guarded }
    }
}

/// Bound, and posterior that takes steps.
pub(super) struct Stepping {
    pub(super) bound: Bound,
    pub(super) posterior: Mixture,
    pub(super) steps: NaturalSteps,
}

impl Companion for Stepping {
    type Memory = (SamplingMemory, Vec<f64>, u64);
    const KIND: &'static str = "the bound in mini-batches, with natural gradients that become shorter";

    fn memory(&self) -> Self::Memory {
        (self.bound.sampling_memory(), self.posterior.parameter_values(), self.steps.taken)
    }

    fn recall(&mut self, (sampling, values, taken): Self::Memory) -> Result<(), String> {
        self.bound.recall_sampling(sampling);
        self.steps.taken = taken;
        self.posterior.set_parameter_values(&values).map_err(|error| error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gp_likelihoods::BernoulliProbit;

    #[test]
    fn steps_average_over_recent_batches_and_then_over_one_epoch() {
        let mut steps = NaturalSteps::new(0.1, &BernoulliProbit, 900);
        let lengths: Vec<f64> = (0..900).map(|_| steps.next(0.01).rate).collect();
        assert!((lengths[0] - 0.1).abs() < 1e-15 && (lengths[50] - 0.05).abs() < 1e-15);
        // The weight of batch s after 400 steps, ρ_s Π (1 − ρ): the last fifth has two thirds.
        let kept = |s: usize| lengths[s] * lengths[s + 1..400].iter().map(|rate| 1.0 - rate).product::<f64>();
        let recent: f64 = (320..400).map(kept).sum();
        assert!((0.6..0.7).contains(&recent), "{recent}");
        assert!((1..400).all(|s| kept(s) > kept(s - 1)));
        assert!(lengths[451..].iter().all(|rate| *rate == 0.01));
        // All rows at once, or a short first step: the length stays.
        let of_share = |share| NaturalSteps::new(0.1, &BernoulliProbit, 9).next(share);
        assert_eq!([1.0, 0.3].map(of_share), [NaturalStep { rate: 0.1, power: 1.0, is_guarded: false }; 2]);
    }

    #[test]
    fn powers_grow_only_where_likelihoods_saturate() {
        let saturating = gp_likelihoods::parse("robust_max(classes=3)").unwrap();
        for (count, growing, rate) in [(1000, 50, 0.1), (40, 20, 0.125)] {
            let mut steps = NaturalSteps::new(0.2, saturating.as_ref(), count);
            let taken: Vec<NaturalStep> = (0..count).map(|_| steps.next(0.1)).collect();
            assert!(taken.iter().all(|step| step.rate == rate && step.power > 0.0));
            assert!(taken.windows(2).all(|pair| pair[1].power >= pair[0].power));
            assert_eq!(taken.iter().filter(|step| step.power < 1.0).count(), growing - 1);
            let mut ended_early = NaturalSteps::new(0.2, saturating.as_ref(), count);
            (0..growing / 2).for_each(|_| {
                ended_early.next(0.1);
            });
            assert_eq!((ended_early.power(), steps.power()), (0.5, 1.0));
        }
    }
}
