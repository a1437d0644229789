//! Training time: operation counts times measured rates.

mod met;
mod rates;

use super::start::{ITERATIONS, POWER};
use crate::left_out::counted;
use crate::method::{Problem, TrainingRows, Work};
use gp_ep::operations;
use rates::Measured;
use std::time::Duration;

/// Forecast of training time, in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExpectedTime {
    /// Seconds per evaluation or step.
    pub evaluation: f64,
    /// Typical number of evaluations or steps.
    pub typical: f64,
    /// Limit on evaluations or steps.
    pub most: f64,
    /// Uncertainty factor of the evaluations, at least 1.
    pub unsure: f64,
    /// Seconds of quick fits before training.
    pub quick: f64,
    /// Seconds of the linear baseline.
    pub linear: f64,
}

const QUICK_EVALUATIONS: f64 = 60.0;
/// Minimum share of preparatory work that is reported.
const TOLD: f64 = 0.1;
/// Maximum uncertainty factor without a range.
const SURE: f64 = 1.2;
/// Speed-up by T threads: T^GAIN (measured: 1.71 for two).
const GAIN: f64 = 0.77;

impl ExpectedTime {
    pub(super) fn of(problem: &Problem, work: &Work, sample: &TrainingRows) -> Option<Self> {
        let gain = (rayon::current_num_threads() as f64).powf(GAIN);
        let rates = Measured { problem, sample }.rates(work).ok()?;
        Some(Self {
            evaluation: rates.evaluation(work, gain),
            typical: work.typical,
            most: work.most,
            unsure: work.unsure,
            quick: 0.0,
            linear: 0.0,
        })
    }

    /// Time of `count` quick fits, or of exact regressions.
    pub(super) fn of_quick(problem: &Problem, count: usize) -> Option<Self> {
        let sizes = problem.extents();
        let (rows, inducing) = (sizes.rows as f64, sizes.inducing as f64);
        let (products, covariances) = match sizes.inducing {
            0 => (operations::exact(sizes.rows, sizes.dim), rows * rows / 2.0),
            _ => (operations::regression(&sizes, POWER), inducing * (rows + inducing / 2.0)),
        };
        let counts = Work::of_minimising(count as f64 * QUICK_EVALUATIONS, count as u64 * ITERATIONS);
        Self::of(problem, &Work { products, covariances, ..counts }, &problem.rows)
    }

    pub(super) fn after(self, quick: &[Self], linear: Option<Self>) -> Self {
        let seconds = |of: &[Self]| of.iter().map(Self::seconds).sum::<f64>();
        Self { quick: self.quick + seconds(quick), linear: self.linear + seconds(linear.as_slice()), ..self }
    }

    /// Successive fits; `evaluation` is the mean.
    pub(super) fn one_after_another(each: &[Self]) -> Self {
        let typical: f64 = each.iter().map(|of| of.typical).sum();
        let evaluation = each.iter().map(|of| of.evaluation * of.typical).sum::<f64>() / typical;
        let most = each.iter().map(|of| of.most * of.evaluation).sum::<f64>() / evaluation;
        let unsure = each.iter().map(|of| of.unsure).fold(1.0, f64::max);
        let [quick, linear] =
            [|of: &Self| of.quick, |of: &Self| of.linear].map(|part| each.iter().map(part).sum());
        Self { evaluation, typical, most, unsure, quick, linear }
    }

    /// Seconds of a typical run.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        self.before() + self.evaluation * self.typical
    }

    /// Smallest and largest expected seconds.
    #[must_use]
    pub fn range(&self) -> [f64; 2] {
        self.evaluations().map(|count| self.before() + self.evaluation * count)
    }

    fn evaluations(&self) -> [f64; 2] {
        [self.typical / self.unsure, (self.typical * self.unsure).min(self.most)]
    }

    fn before(&self) -> f64 {
        self.quick + self.linear
    }

    /// One line, warning of short limits; `None` below a second.
    #[must_use]
    pub fn describe(&self, limit: Option<Duration>) -> Option<String> {
        let seconds = self.seconds();
        if seconds < 1.0 {
            return None;
        }
        let (counts, is_range) = (self.evaluations(), self.unsure > SURE);
        let most = if self.most > 1.5 * counts[1] {
            format!(
                "; about {} if it needs all iterations",
                about(self.before() + self.most * self.evaluation)
            )
        } else {
            String::new()
        };
        let ended = limit.filter(|limit| limit.as_secs_f64() < seconds);
        let ended = ended.map_or("", |_| "; --time-limit is likely to end training before");
        let (total, count) = if is_range {
            (about_range(self.range()), format!("{:.0} to {:.0} evaluations", counts[0], counts[1]))
        } else {
            (about(seconds), counted(self.typical.round() as usize, "evaluation"))
        };
        Some(format!(
            "time: about {total} to train, {}{count} of {}{most}{ended}",
            self.describe_before(),
            about(self.evaluation)
        ))
    }

    fn describe_before(&self) -> String {
        let least = TOLD * self.seconds();
        let quick =
            (self.quick > least).then(|| format!("{} of quick fits to start from", about(self.quick)));
        let linear = (self.linear > least)
            .then(|| format!("{} of a linear model to compare with", about(self.linear)));
        let told: Vec<String> = quick.into_iter().chain(linear).collect();
        if told.is_empty() { String::new() } else { format!("{}, then ", told.join(" and ")) }
    }
}

fn about_range([low, high]: [f64; 2]) -> String {
    let (low, high) = (about(low), about(high));
    match (low.split_once(' '), high.split_once(' ')) {
        (Some((number, unit)), Some((_, other))) if unit == other && low != high => {
            format!("{number} to {high}")
        }
        _ if low == high => high,
        _ => format!("{low} to {high}"),
    }
}

fn about(seconds: f64) -> String {
    match seconds {
        0.0..1.0 => format!("{} ms", two_digits(1e3 * seconds)),
        1.0..100.0 => format!("{} s", two_digits(seconds)),
        100.0..6000.0 => format!("{} min", two_digits(seconds / 60.0)),
        _ => format!("{} h", two_digits(seconds / 3600.0)),
    }
}

fn two_digits(value: f64) -> String {
    let step = 10f64.powf(value.log10().floor() - 1.0);
    let rounded = (value / step).round() * step;
    if rounded >= 10.0 { format!("{rounded:.0}") } else { format!("{rounded:.1}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOTHING: ExpectedTime =
        ExpectedTime { evaluation: 0.0, typical: 0.0, most: 0.0, unsure: 1.0, quick: 0.0, linear: 0.0 };

    #[test]
    fn times_are_said_to_two_digits() {
        let cases = [
            (0.00123, "1.2 ms"),
            (0.25, "250 ms"),
            (1.04, "1.0 s"),
            (99.6, "100 s"),
            (123.0, "2.0 min"),
            (7200.0, "2.0 h"),
        ];
        for (seconds, said) in cases {
            assert_eq!(about(seconds), said);
        }
    }

    #[test]
    fn times_of_several_targets_add_up() {
        let each = [
            ExpectedTime { evaluation: 0.25, typical: 60.0, most: 320.0, ..NOTHING },
            ExpectedTime { evaluation: 0.5, typical: 30.0, most: 40.0, ..NOTHING },
        ];
        let all = ExpectedTime::one_after_another(&each);
        assert_eq!((all.seconds(), all.typical), (30.0, 90.0));
        let said = all.describe(None).unwrap();
        assert_eq!(
            said,
            "time: about 30 s to train, 90 evaluations of 330 ms; about 1.7 min if it needs all iterations"
        );
        let started = all.after(&each[1..], None).after(&[], None);
        assert_eq!((started.seconds(), started.evaluation), (45.0, all.evaluation));
        let said = started.describe(None).unwrap();
        let expected = "time: about 45 s to train, 15 s of quick fits to start from, then 90 evaluations of 330 ms; about 1.9 min if it needs all iterations";
        assert_eq!(said, expected);
        let twice = ExpectedTime::one_after_another(&[started, started]);
        assert_eq!((twice.seconds(), twice.quick), (90.0, 30.0));
        let short = each[1].after(&[ExpectedTime { typical: 1.0, ..each[0] }], None).describe(None).unwrap();
        assert!(!short.contains("quick"), "{short}");
    }

    #[test]
    fn a_limit_that_is_too_short_is_said() {
        let time = ExpectedTime { evaluation: 0.25, typical: 60.0, most: 320.0, ..NOTHING };
        let all =
            "time: about 15 s to train, 60 evaluations of 250 ms; about 80 s if it needs all iterations";
        assert_eq!(time.describe(None).as_deref(), Some(all));
        assert_eq!(time.describe(Some(Duration::from_secs(20))).as_deref(), Some(all));
        let short = time.describe(Some(Duration::from_secs(5))).unwrap();
        assert_eq!(short, format!("{all}; --time-limit is likely to end training before"));
        let quick = ExpectedTime { evaluation: 1e-3, ..time };
        assert_eq!(quick.describe(None), None);
    }

    #[test]
    fn unknown_counts_give_a_range() {
        let time = ExpectedTime { evaluation: 0.25, typical: 40.0, most: 320.0, unsure: 2.0, ..NOTHING };
        assert_eq!((time.seconds(), time.range()), (10.0, [5.0, 20.0]));
        let said = "time: about 5.0 to 20 s to train, 20 to 80 evaluations of 250 ms; about 80 s if it needs all iterations";
        assert_eq!(time.describe(None).as_deref(), Some(said));
        let few = ExpectedTime { most: 60.0, ..time };
        let said = "time: about 5.0 to 15 s to train, 20 to 60 evaluations of 250 ms";
        assert_eq!(few.describe(None).as_deref(), Some(said));
        let compared = few.after(&[], Some(ExpectedTime { typical: 20.0, unsure: 1.0, ..time }));
        let said = "time: about 10 to 20 s to train, 5.0 s of a linear model to compare with, then 20 to 60 evaluations of 250 ms";
        assert_eq!(compared.describe(None).as_deref(), Some(said));
        assert_eq!(about_range([0.5, 20.0]), "500 ms to 20 s");
        assert_eq!(about_range([1.0, 1.0]), "1.0 s");
    }
}
