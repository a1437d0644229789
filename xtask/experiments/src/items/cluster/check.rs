//! Cost model compared with measurements.

use super::cases::Case;
use super::measure::{BANDWIDTH, BYTES, COUNT, FEW, LATENCY, OF_MESSAGES, ON_CLOCK, SECONDS};
use super::{CASES, IN_TURNS};
use crate::harness::{Form, Results};
use crate::items::growth::Sizes;
use gp_ep::operations::{Machine, Seconds, SharedWork};

pub(super) struct Check {
    pub(super) name: &'static str,
    pub(super) sizes: Sizes,
    pub(super) work: SharedWork,
    pub(super) machine: Machine,
    /// Processor seconds of one and two processes.
    pub(super) measured: [f64; 2],
    /// Wall-clock seconds of two processes.
    pub(super) on_clock: f64,
    /// Shortest seconds in messages, with waiting.
    pub(super) of_messages: f64,
    /// Messages and bytes of two processes.
    pub(super) sent: [f64; 2],
}

impl Check {
    /// Full results, else quick ones.
    pub(super) fn all(results: &Results) -> Vec<Self> {
        let of =
            |form| -> Vec<Self> { CASES.iter().filter_map(|case| Self::of(case, form, results)).collect() };
        let whole = of(Form::Full);
        if whole.is_empty() { of(Form::Quick) } else { whole }
    }

    fn of(case: &Case, form: Form, results: &Results) -> Option<Self> {
        let setting = case.setting(form);
        let score = |name: &str| results.score_of(case.name, setting, IN_TURNS, 0, name);
        let [few, half, one, two] = SECONDS.map(score);
        let sizes = Sizes::read(setting);
        let work = |rows| case.work(&sizes, rows);
        let [few, half] = [(work(FEW), few?), (work(sizes.batch / 2), half?)];
        let machine = constants(&few, &half, [score(LATENCY)?, score(BANDWIDTH)?]);
        Some(Self {
            name: case.name,
            work: work(sizes.batch),
            machine,
            measured: [one?, two?],
            on_clock: score(ON_CLOCK)?,
            of_messages: score(OF_MESSAGES)?,
            sent: [score(COUNT)?, score(BYTES)?],
            sizes,
        })
    }

    pub(super) fn predicted(&self, processes: usize) -> Seconds {
        self.work.seconds(processes, &self.machine)
    }
}

/// Constants from times of few and many rows.
fn constants(few: &(SharedWork, f64), many: &(SharedWork, f64), [latency, bandwidth]: [f64; 2]) -> Machine {
    // Keeps differences positive if times are too short.
    let least = 1e-3 * few.1;
    let rate = (many.0.of_rows - few.0.of_rows) / (many.1 - few.1).max(least);
    let algebra = (few.1 - few.0.of_rows / rate).max(least);
    let of_each: f64 = few.0.of_each.iter().map(|(operations, _)| operations).sum();
    Machine { threads: 1, rate, rate_of_algebra: of_each / algebra, latency, bandwidth }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_are_found_again() {
        let machine =
            Machine { threads: 1, rate: 3e10, rate_of_algebra: 1e10, latency: 1e-6, bandwidth: 5e9 };
        for case in CASES {
            let sizes = Sizes::read(case.setting(Form::Full));
            let timed = |rows| {
                let work = case.work(&sizes, rows);
                let seconds = work.seconds(1, &machine).total();
                (work, seconds)
            };
            let found = constants(&timed(FEW), &timed(sizes.batch / 2), [machine.latency, machine.bandwidth]);
            assert!((found.rate / machine.rate - 1.0).abs() < 1e-9, "{}", case.name);
            assert!((found.rate_of_algebra / machine.rate_of_algebra - 1.0).abs() < 1e-6, "{}", case.name);
        }
    }
}
