//! Natural-gradient steps of a posterior beside first-order steps of everything else, one per mini-batch.
//!
//! A step of length ρ replaces a share ρ of the posterior by what one batch says, with the weight of all N rows. With a
//! constant ρ the posterior consists of the last 1/ρ batches, and its noise stays. Here step t, from 0, has length c/(t +
//! c/ρ₀): an average over the last c-th of the batches so far, since earlier ones were seen with other parameters. It is
//! at least B/N, an average over one epoch.

use super::bound::{Bound, SamplingMemory};
use super::mixture::Mixture;
use gp_optim::{Companion, ParameterSet, ParameterSetMut};

/// Number c: the average is over the last fifth of the batches so far.
const RECENT: f64 = 5.0;

/// Lengths of the steps.
#[derive(Clone, Copy, Debug)]
pub(super) struct NaturalSteps {
    /// Length ρ₀ of the first step, and maximum of the others.
    first: f64,
    taken: u64,
}

impl NaturalSteps {
    pub(super) fn new(first: f64) -> Self {
        Self { first, taken: 0 }
    }

    /// Length of the next step, for a batch with this share of the rows.
    pub(super) fn next(&mut self, share: f64) -> f64 {
        let average = RECENT / (self.taken as f64 + RECENT / self.first);
        self.taken += 1;
        average.max(share).min(self.first)
    }
}

/// Bound with new samples for every batch, and the posterior that takes the steps.
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

    #[test]
    fn steps_average_over_recent_batches_and_then_over_one_epoch() {
        let mut steps = NaturalSteps::new(0.1);
        let lengths: Vec<f64> = (0..900).map(|_| steps.next(0.01)).collect();
        assert!((lengths[0] - 0.1).abs() < 1e-15 && (lengths[50] - 0.05).abs() < 1e-15);
        // The weight of batch s after 400 steps, ρ_s Π (1 − ρ): the last fifth has two thirds.
        let kept = |s: usize| lengths[s] * lengths[s + 1..400].iter().map(|rate| 1.0 - rate).product::<f64>();
        let recent: f64 = (320..400).map(kept).sum();
        assert!((0.6..0.7).contains(&recent), "{recent}");
        assert!((1..400).all(|s| kept(s) > kept(s - 1)));
        assert!(lengths[451..].iter().all(|rate| *rate == 0.01));
        // All rows at once, or a short first step: the length stays.
        assert_eq!([1.0, 0.3].map(|share| NaturalSteps::new(0.1).next(share)), [0.1, 0.1]);
    }
}
