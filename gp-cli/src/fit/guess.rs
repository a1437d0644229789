//! Meaning of whole numbers, from frequencies.
//!
//! | values | meaning |
//! |---|---|
//! | hardly repeating | amounts |
//! | ≤ 26 consecutive from 0 or 1, ≥ 10 rows each on average, frequent up to the last | labels |
//! | from 0, frequencies falling towards the largest | counts |
//! | ≤ 12, gaps or another start, equally frequent | [`Guess::Unclear`]: the user decides |
//! | zeros, gap, falling frequencies | unclear |
//! | others with gaps or another start | amounts |
//! | others, ≤ 12 | unclear |

use crate::encode::Labels;

const MAX_LABELS: usize = 26;
const ROWS_PER_LABEL: u64 = 10;
/// Minimum mean rows per distinct number.
const ROWS_PER_NUMBER: u64 = 3;
/// Maximum distinct unclear values.
const MAX_ASKED: usize = 12;
const MIN_COUNTS: usize = 5;
/// Maximum ratio of similar frequencies.
const EVEN: u64 = 4;
/// Maximum rows expected of the next number, in a tail.
const RUNS_OUT: f64 = 8.0;
/// `RUNS_OUT` as a share of rows.
const RARE: f64 = 0.005;
/// Maximum upper-third share of a tail.
const TAIL: f64 = 0.2;
/// Minimum share of zeros in counts.
const ZEROS: f64 = 0.01;
/// Minimum variance-to-mean ratio; Poisson: 1.
const MIN_DISPERSION: f64 = 0.7;
/// Share of rows, smallest first, without gaps.
const BODY: f64 = 0.75;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Guess {
    Labels,
    Counts,
    Amounts,
    Unclear,
}

impl Guess {
    pub(crate) fn of(labels: &Labels) -> Self {
        let Some(seen) = Frequencies::of(labels) else { return Self::Amounts };
        let few = seen.are_few();
        if !seen.begins() {
            return seen.amounts_or_labels();
        }
        if seen.has_tail() && !seen.are_even() {
            return match (seen.are_events(), few) {
                (true, _) if seen.are_many_events() => Self::Counts,
                (true, true) => Self::Unclear,
                (false, true) if !seen.has_gap() => Self::Unclear,
                _ if seen.are_events_after_zeros() => Self::Unclear,
                _ => Self::Amounts,
            };
        }
        let are_used_up = seen.are_even() || !seen.runs_out() || !seen.has_one_peak();
        if seen.has_gap() || seen.numbers.len() > MAX_LABELS {
            seen.amounts_or_labels()
        } else if are_used_up && seen.are_frequent() {
            Self::Labels
        } else if few {
            Self::Unclear
        } else {
            Self::Amounts
        }
    }
}

/// Flags for other meanings, for messages.
pub(crate) fn other_readings(labels: &Labels) -> &'static str {
    let numbers = labels.numbers.as_deref().filter(|_| !labels.more).unwrap_or_default();
    let rows: u64 = labels.counts.iter().sum();
    let may_be_labels = numbers.len() <= MAX_ASKED && rows >= ROWS_PER_LABEL * numbers.len() as u64;
    let may_be_counts =
        Frequencies::of(labels).is_some_and(|seen| seen.numbers[0] >= 0.0 && seen.are_dense());
    match (may_be_labels && !numbers.is_empty(), may_be_counts) {
        (true, true) => {
            "; --task multiclass or ordinal if they are labels, --task count if they are numbers of events"
        }
        (true, false) => "; --task multiclass or ordinal if they are labels",
        (false, true) => "; --task count if they are numbers of events",
        (false, false) => "",
    }
}

struct Frequencies<'a> {
    numbers: &'a [f64],
    counts: &'a [u64],
    rows: u64,
}

impl<'a> Frequencies<'a> {
    fn of(labels: &'a Labels) -> Option<Self> {
        let numbers = labels.numbers.as_deref().filter(|_| !labels.more)?;
        let rows = labels.counts.iter().sum();
        let whole = numbers.iter().all(|number| number.fract() == 0.0);
        let repeat = rows >= ROWS_PER_NUMBER * numbers.len() as u64;
        (whole && repeat && !numbers.is_empty()).then_some(Self { numbers, counts: &labels.counts, rows })
    }

    fn begins(&self) -> bool {
        [0.0, 1.0].contains(&self.numbers[0])
    }

    fn are_few(&self) -> bool {
        self.numbers.len() <= MAX_ASKED
    }

    fn are_frequent(&self) -> bool {
        self.rows >= ROWS_PER_LABEL * self.numbers.len() as u64
    }

    /// Few, even, frequent numbers may be labels, such as stars.
    fn amounts_or_labels(&self) -> Guess {
        let may_be_labels = self.are_few() && self.are_even() && self.are_frequent();
        if may_be_labels { Guess::Unclear } else { Guess::Amounts }
    }

    fn pairs(&self) -> impl DoubleEndedIterator<Item = (f64, f64)> {
        self.numbers.iter().zip(self.counts).map(|(&number, &count)| (number, count as f64))
    }

    fn last(&self) -> f64 {
        self.numbers.last().copied().unwrap_or_default()
    }

    fn mean(&self, of: impl Fn(f64) -> f64) -> f64 {
        self.pairs().map(|(number, count)| count * of(number)).sum::<f64>() / self.rows as f64
    }

    fn has_gap(&self) -> bool {
        is_gapped(self.numbers)
    }

    fn are_dense(&self) -> bool {
        let next = self.numbers.windows(2).filter(|pair| pair[1] - pair[0] == 1.0).count();
        next as f64 >= BODY * (self.numbers.len() - 1) as f64
    }

    fn are_even(&self) -> bool {
        let (least, most) = (self.counts.iter().min(), self.counts.iter().max());
        least.zip(most).is_some_and(|(least, most)| EVEN * least >= *most)
    }

    fn has_tail(&self) -> bool {
        let upper_third = self.mean(|number| f64::from(u8::from(3.0 * number > 2.0 * self.last())));
        self.runs_out() && upper_third <= TAIL
    }

    /// `true` if the next number would be rare.
    fn runs_out(&self) -> bool {
        let most = self.pairs().fold((0.0, 0.0), |most, pair| if pair.1 > most.1 { pair } else { most });
        let last = self.counts.last().copied().unwrap_or_default() as f64;
        let steps = (self.last() - most.0).max(1.0);
        let next = last * (last / most.1).powf(1.0 / steps);
        next < RUNS_OUT.max(RARE * self.rows as f64)
    }

    fn are_events(&self) -> bool {
        self.vary_as_counts() && !is_gapped(self.body())
    }

    fn are_events_after_zeros(&self) -> bool {
        let body = self.body();
        self.vary_as_counts() && body.len() > MIN_COUNTS && !is_gapped(&body[1..])
    }

    fn vary_as_counts(&self) -> bool {
        let mean = self.mean(|number| number);
        let variance = self.mean(|number| (number - mean).powi(2));
        let zeros = self.mean(|number| f64::from(u8::from(number == 0.0)));
        zeros >= ZEROS && variance >= MIN_DISPERSION * mean
    }

    fn body(&self) -> &[f64] {
        let mut seen = 0;
        let body = self.counts.iter().take_while(|&&count| {
            let within = (seen as f64) < BODY * self.rows as f64;
            seen += count;
            within
        });
        &self.numbers[..body.count()]
    }

    /// `true` for too many numbers to be rare classes.
    fn are_many_events(&self) -> bool {
        let many = self.numbers.len() > MAX_ASKED;
        many || (self.numbers.len() >= MIN_COUNTS && self.has_one_peak())
    }

    fn has_one_peak(&self) -> bool {
        let dips = (1..self.counts.len().saturating_sub(1)).filter(|&place| {
            let highest = |counts: &[u64]| counts.iter().copied().max().unwrap_or_default() as f64;
            let sides = highest(&self.counts[..place]).min(highest(&self.counts[place + 1..]));
            let here = self.counts[place] as f64;
            // Three standard deviations of a difference of frequencies.
            sides - here > 3.0 * (sides + here).sqrt()
        });
        dips.count() == 0
    }
}

fn is_gapped(numbers: &[f64]) -> bool {
    numbers.windows(2).any(|pair| pair[1] - pair[0] != 1.0)
}

#[cfg(test)]
mod tests {
    use super::Guess::{Amounts, Counts, Labels, Unclear};
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;
    use std::collections::BTreeMap;

    fn guess(pairs: impl IntoIterator<Item = (i64, u64)>) -> Guess {
        let (numbers, counts): (Vec<f64>, Vec<u64>) =
            pairs.into_iter().map(|(number, count)| (number as f64, count)).unzip();
        let names = numbers.iter().map(ToString::to_string).collect();
        let labels = crate::encode::Labels { names, counts, numbers: Some(numbers), ..Default::default() };
        Guess::of(&labels)
    }

    fn from(first: i64, counts: &[u64]) -> Guess {
        guess((first..).zip(counts.iter().copied()))
    }

    /// Random numbers by inversion; `ratio(k)` is P(k) / P(k − 1).
    fn draws(rows: usize, seed: u64, zero: f64, ratio: impl Fn(f64) -> f64) -> Guess {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut found = BTreeMap::new();
        for _ in 0..rows {
            let level: f64 = rng.random();
            let (mut k, mut p) = (0, zero);
            let mut below = p;
            while below < level && p > 0.0 {
                k += 1;
                p *= ratio(k as f64);
                below += p;
            }
            *found.entry(k).or_insert(0) += 1;
        }
        guess(found)
    }

    fn poisson(mean: f64, rows: usize, seed: u64) -> Guess {
        draws(rows, seed, (-mean).exp(), |k| mean / k)
    }

    #[test]
    fn labels_are_used_up_to_the_last() {
        assert_eq!(from(0, &[178, 182, 177, 183, 181, 182, 181, 179, 174, 180]), Labels, "digits");
        assert_eq!(from(1, &[50, 50, 50]), Labels, "iris");
        assert_eq!(from(0, &[70, 76, 17, 13, 9, 29]), Labels, "glass");
        assert_eq!(from(0, &[150, 35, 30]), Labels, "new-thyroid");
        assert_eq!(from(0, &[221, 117, 53]), Labels, "svmguide2");
        assert_eq!(from(0, &[1533, 703, 1358, 626, 707, 1508]), Labels, "satellite");
        assert_eq!(from(0, &[50_000, 3_000, 2_000]), Labels, "classes of very different sizes");
    }

    #[test]
    fn counts_die_out() {
        for seed in 0..20 {
            for rows in [300, 3000] {
                assert_eq!(poisson(1.5, rows, seed), Counts, "{rows} rows, seed {seed}");
                let geometric = draws(rows, seed, 0.25, |_| 0.75);
                assert_eq!(geometric, Counts, "geometric, {rows} rows, seed {seed}");
            }
            // Few values may be classes, but they are not guessed as classes.
            let rare = poisson(0.3, 300, seed);
            assert!(rare == Unclear || rare == Counts, "{rare:?}, seed {seed}");
        }
        assert_eq!(from(0, &[400, 20, 90, 80, 60, 40, 20, 10, 6, 4, 2, 1, 1]), Counts, "many zeros");
        assert_eq!(guess([(0, 80), (1, 60), (2, 30), (3, 12), (4, 5), (9, 1), (17, 1)]), Counts, "far ones");
    }

    #[test]
    fn counts_of_few_rows_are_hardly_ever_labels() {
        let guesses = (0..200).map(|seed| poisson(1.5, 100, seed));
        let right = guesses.filter(|guess| [Counts, Unclear].contains(guess)).count();
        assert!(right >= 190, "{right}");
    }

    #[test]
    fn amounts_are_wide_or_begin_elsewhere() {
        assert_eq!(from(3, &[10, 53, 681, 638, 199, 18]), Amounts, "wine quality");
        let rings = [
            1, 1, 15, 57, 115, 259, 391, 568, 689, 634, 487, 267, 203, 126, 103, 67, 58, 42, 32, 26, 14, 6, 9,
        ];
        assert_eq!(from(1, &rings), Amounts, "abalone");
        assert_eq!(from(1, &[1; 500]), Amounts, "ids");
        assert_eq!(from(1990, &[40; 30]), Amounts, "years");
        assert_eq!(from(0, &[12; 95]), Amounts, "ages");
        assert_eq!(from(-2, &[3, 30, 60, 30, 3]), Amounts);
        let radial = [(1, 20), (2, 24), (3, 38), (4, 110), (5, 115), (6, 26), (7, 17), (8, 24), (24, 132)];
        assert_eq!(guess(radial), Amounts, "radial highways of Boston");
        assert_eq!(guess((0..300).map(|i| (100_000 + 137 * i, 2))), Amounts, "prices");
        assert_eq!(guess([(0, 30), (5, 20), (10, 10), (50, 1)]), Amounts, "round amounts");
        assert_eq!(from(0, &[2; 20]), Amounts, "the hours of a day");
    }

    #[test]
    fn what_may_be_both_is_asked() {
        assert_eq!(from(0, &[222, 67, 10, 1]), Unclear, "grades, or rare events");
        assert_eq!(from(1, &[30, 35, 16, 12, 5, 1]), Unclear, "sizes of families, or grades");
        assert_eq!(from(0, &[10, 53, 681, 638, 199, 18]), Unclear, "wine quality from 0 on");
        assert_eq!(from(0, &[6, 5, 7, 6, 6]), Unclear, "few rows");
        assert_eq!(from(2, &[69, 73, 82, 76]), Unclear, "stars from 2 to 5");
        assert_eq!(guess([(1, 94), (3, 110), (5, 96)]), Unclear, "odd grades");
        assert_eq!(guess([(0, 101), (50, 103), (100, 96)]), Unclear, "shares, or grades");
        assert_eq!(from(-2, &[30; 5]), Unclear, "from disagreement to agreement");
        let after_zeros = [1, 3, 8, 9, 17, 11, 17, 16, 7, 6, 3, 2, 1, 0, 1];
        let counts = (2..).zip(after_zeros).filter(|pair| pair.1 > 0);
        assert_eq!(guess([(0, 198)].into_iter().chain(counts)), Unclear, "many zeros, and none of few");
    }
}
