//! Time model of work over rows shared by several processes.
//!
//! | part | seconds |
//! |---|---|
//! | rows of the largest share | lanes per thread, times operations per lane over `rate` |
//! | algebra of M×M matrices, in every process | operations over `rate_of_algebra`, one matrix per thread |
//! | messages on the longest path | their number times `latency`, and bytes over `bandwidth` |
//!
//! Computation waits for messages.

use super::{Extents, of_process, step, sweep};
use crate::power_ep::Tally;
use gp_kernels::data::{Messages, lane_count_of, largest_share};

/// Constants of machines with one process each.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Machine {
    /// Threads per process.
    pub threads: usize,
    /// Row operations per second and thread.
    pub rate: f64,
    /// M×M matrix operations per second and thread.
    pub rate_of_algebra: f64,
    /// Seconds per empty message.
    pub latency: f64,
    /// Message bytes per second.
    pub bandwidth: f64,
}

/// Time by part, in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Seconds {
    /// Rows of the largest share.
    pub rows: f64,
    /// M×M algebra of every process.
    pub algebra: f64,
    /// Messages on the longest path.
    pub messages: f64,
}

impl Seconds {
    /// Sum of all parts.
    #[must_use]
    pub fn total(&self) -> f64 {
        self.rows + self.algebra + self.messages
    }
}

/// Computation and communication over shared rows.
#[derive(Clone, Debug, PartialEq)]
pub struct SharedWork {
    /// Number of lanes.
    pub lanes: usize,
    /// Operations on all rows.
    pub of_rows: f64,
    /// Operations per process, matrices for its threads.
    pub of_each: [(f64, usize); 2],
    /// Numbers per sum over lanes.
    pub sums: [usize; 2],
    /// Message rounds that agree on errors.
    pub agreements: usize,
}

impl SharedWork {
    /// [Sweep](crate::BatchEp::sweep) over all rows, without halvings.
    #[must_use]
    pub fn sweep(sizes: &Extents) -> Self {
        let each = sweep(&Extents { rows: 0, ..*sizes });
        Self {
            lanes: lanes(sizes),
            of_rows: sweep(sizes) - each,
            of_each: [(each, sizes.latents), (0.0, 1)],
            sums: [sum_of_sites(sizes), 0],
            agreements: 1,
        }
    }

    /// [Step](crate::power_ep::MiniBatchEp::step) with tied sites, gradient and these numbers of parameters,
    /// without halvings.
    #[must_use]
    pub fn step(sizes: &Extents, [of_kernel, of_likelihood]: [usize; 2]) -> Self {
        let Extents { inducing, dim, latents, processes, .. } = *sizes;
        let all_of_each = step(&Extents { rows: 0, ..*sizes });
        let priors = processes as f64 * of_process([0.0, inducing as f64, dim as f64]);
        // The derivative by the factor of K_zz is sent as a full matrix.
        let gradient = processes * (of_kernel + inducing * dim + inducing * inducing);
        Self {
            lanes: lanes(sizes),
            of_rows: step(sizes) - all_of_each,
            of_each: [(priors, processes), (all_of_each - priors, latents)],
            sums: [sum_of_sites(sizes), gradient + of_likelihood + Tally::LEN],
            // On targets, weights, projections, and the rows of both passes.
            agreements: 5,
        }
    }

    /// Messages among `processes` processes.
    #[must_use]
    pub fn messages(&self, processes: usize) -> Messages {
        let sums = self.sums.iter().filter(|numbers| **numbers > 0);
        let sums = sums.map(|numbers| Messages::of_sum(processes, self.lanes, *numbers));
        sums.fold(Messages::of_agreement(processes).times(self.agreements), Messages::and)
    }

    /// Time with `processes` processes.
    #[must_use]
    pub fn seconds(&self, processes: usize, machine: &Machine) -> Seconds {
        let lanes = largest_share(processes, self.lanes).div_ceil(machine.threads);
        let of_each =
            |(operations, matrices): (f64, usize)| operations / machine.threads.min(matrices) as f64;
        let Messages { steps, bytes_of_steps, .. } = self.messages(processes);
        Seconds {
            rows: lanes as f64 / self.lanes as f64 * self.of_rows / machine.rate,
            algebra: self.of_each.map(of_each).iter().sum::<f64>() / machine.rate_of_algebra,
            messages: steps as f64 * machine.latency + bytes_of_steps as f64 / machine.bandwidth,
        }
    }
}

fn lanes(sizes: &Extents) -> usize {
    lane_count_of(sizes.rows, sizes.processes)
}

/// Per latent a triangle, vector and count; then the tally.
fn sum_of_sites(sizes: &Extents) -> usize {
    let m = sizes.inducing;
    sizes.latents * (m * (m + 1) / 2 + m + 1) + Tally::LEN
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZES: Extents = Extents { rows: 16_000, inducing: 100, dim: 4, latents: 3, processes: 3 };
    const MACHINE: Machine =
        Machine { threads: 1, rate: 1e9, rate_of_algebra: 1e8, latency: 1e-6, bandwidth: 1e9 };

    #[test]
    fn one_process_does_all_operations_and_sends_nothing() {
        let machine = Machine { rate_of_algebra: MACHINE.rate, ..MACHINE };
        for (work, operations) in
            [(SharedWork::sweep(&SIZES), sweep(&SIZES)), (SharedWork::step(&SIZES, [5, 0]), step(&SIZES))]
        {
            let seconds = work.seconds(1, &machine);
            assert!((seconds.total() / (operations / machine.rate) - 1.0).abs() < 1e-12);
            assert_eq!((seconds.messages, work.messages(1)), (0.0, Messages::default()));
        }
    }

    #[test]
    fn many_processes_are_left_with_algebra_and_messages() {
        let work = SharedWork::step(&SIZES, [5, 0]);
        let [two, many] = [2, 1 << 10].map(|processes| work.seconds(processes, &MACHINE));
        assert!((two.rows - 0.5 * work.seconds(1, &MACHINE).rows).abs() < 1e-12);
        // A lane is not divided further.
        assert!((many.rows * MACHINE.rate * work.lanes as f64 / work.of_rows - 1.0).abs() < 1e-12);
        assert_eq!(many.algebra, two.algebra);
        // 5 agreements of ten steps up and ten down; 2 sums of four steps up from 16 processes with a lane,
        // and ten down.
        assert_eq!(work.messages(1 << 10).steps, 5 * 20 + 2 * 14);
        let numbers = 3 * (5050 + 100 + 1) + 4 + 3 * (5 + 400 + 10_000) + 4;
        let bytes = 8 * (5 * 20 * 2 + 14 * numbers);
        assert!((many.messages - (128e-6 + bytes as f64 / 1e9)).abs() < 1e-12);
    }

    #[test]
    fn threads_divide_lanes_and_matrices() {
        let work = SharedWork::step(&SIZES, [5, 0]);
        let [one, four] = [1, 4].map(|threads| work.seconds(1, &Machine { threads, ..MACHINE }));
        assert!((one.rows / four.rows - 4.0).abs() < 1e-12);
        assert!((one.algebra / four.algebra - 3.0).abs() < 1e-12);
    }
}
