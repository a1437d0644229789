//! Counts of agreeing published numbers.

use super::apart::{AGREE, apart};
use super::{Printed, Reference, Summary};
use crate::harness::Results;

/// Published numbers by agreement with ours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Within two standard errors.
    pub within: usize,
    /// Ours better by more.
    pub better: usize,
    /// Ours worse, or different if no direction is better.
    pub worse: usize,
    /// Too few splits.
    pub few: usize,
    /// No result of ours.
    pub missing: usize,
    /// Machine-dependent times.
    pub times: usize,
    /// Comparisons with old results, except times.
    pub old: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Better {
    Low,
    High,
    Neither,
}

impl Better {
    fn of(measure: &str) -> Self {
        match measure {
            "likelihood" => Self::High,
            "min_entropy" | "max_entropy" => Self::Neither,
            _ => Self::Low,
        }
    }
}

impl Tally {
    /// Tally of one measure, or all.
    #[must_use]
    pub fn of(reference: Reference, results: &Results, measure: Option<&str>) -> Self {
        let asked = |printed: &Printed| measure.is_none_or(|measure| printed.measure == measure);
        let all = reference.printed().filter(asked);
        all.fold(Self::default(), |tally, printed| tally.and(printed, results))
    }

    /// Sum of both.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            within: self.within + other.within,
            better: self.better + other.better,
            worse: self.worse + other.worse,
            few: self.few + other.few,
            missing: self.missing + other.missing,
            times: self.times + other.times,
            old: self.old + other.old,
        }
    }

    /// Number of published numbers.
    #[must_use]
    pub fn all(&self) -> usize {
        self.within + self.better + self.worse + self.few + self.missing + self.times
    }

    fn and(mut self, printed: Printed, results: &Results) -> Self {
        let Printed { data, method, setting, measure, published } = printed;
        let is_old = results.of(data, setting, method).any(|record| results.is_old(record));
        self.old += usize::from(is_old && measure != "seconds");
        *match Summary::of(&results.scores(data, setting, method, measure)) {
            _ if measure == "seconds" => &mut self.times,
            None => &mut self.missing,
            Some(ours) => match (apart(ours, published), Better::of(measure)) {
                (None, _) => &mut self.few,
                (Some(apart), _) if apart.abs() <= AGREE => &mut self.within,
                (Some(apart), Better::Low) if apart < 0.0 => &mut self.better,
                (Some(apart), Better::High) if apart > 0.0 => &mut self.better,
                _ => &mut self.worse,
            },
        } += 1;
        self
    }

    /// Sentence with the counts.
    #[must_use]
    pub fn text(&self) -> String {
        let Self { within, better, worse, few, missing, times, old } = self;
        let parts = [
            (*within, format!("within {AGREE} standard errors of the difference")),
            (*better, "better by more".to_owned()),
            (*worse, "worse by more".to_owned()),
            (*few, "with too few splits".to_owned()),
            (*missing, "not run".to_owned()),
            (*times, "times, which are not compared".to_owned()),
        ];
        let said = parts.into_iter().filter(|(count, _)| *count > 0);
        let said: Vec<String> = said.map(|(count, what)| format!("{count} {what}")).collect();
        let earlier = if *old > 0 {
            format!(" {old} of them are of an earlier protocol (‡).")
        } else {
            String::new()
        };
        match self.all() {
            0 => "The paper gives no numbers for this.".to_owned(),
            1 => format!("Of 1 printed number: {}.{earlier}", said.join(", ")),
            all => format!("Of {all} printed numbers: {}.{earlier}", said.join(", ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::{Cell, Origin, Outcome, Record};

    const TEXT: &str = "data,method,setting,measure,value,error\n\
        d,m,s,nll,0.5,0.1\nd,m,s,likelihood,0.5,0.001\nd,m,s,error,0.1,0.001\nd,m,s,max_entropy,0.9,0.001\n\
        d,n,s,nll,0.5,0.1\nd,few,s,nll,0.5,0.1\nall,m,s,seconds,17,1\n";

    #[test]
    fn every_printed_number_is_counted_once() {
        let folder = tempfile::tempdir().unwrap();
        let mut results = Results::open(folder.path(), "item").unwrap();
        let mut add = |method: &str, split: usize| {
            let noise = 0.001 * split as f64;
            let outcome =
                Outcome::of([("nll", 0.5 + noise), ("likelihood", 0.6 + noise), ("error", 0.2 + noise)]);
            let (outcome, cell) =
                (outcome.with("max_entropy", 0.8 + noise), Cell::new("d", "s", method, split));
            let origin = Origin::unknown();
            results.add(Record { cell, outcome, protocol: 1, form: None, failure: None, origin }).unwrap();
        };
        (0..3).for_each(|split| add("m", split));
        add("few", 0);
        let found = Tally::of(Reference::new(&[TEXT]), &results, None);
        let expected = Tally { within: 1, better: 1, worse: 2, few: 1, missing: 1, times: 1, old: 0 };
        assert_eq!((found, found.all()), (expected, 7));
        assert_eq!(Tally::of(Reference::new(&[TEXT]), &results, Some("nll")).all(), 3);
        assert_eq!(found.plus(found).all(), 14);
        assert!(
            found.text().starts_with("Of 7 printed numbers: 1 within 2 standard errors"),
            "{}",
            found.text()
        );
    }
}
