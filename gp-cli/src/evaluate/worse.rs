//! Comparison with the constant prediction.

use super::Scores;
use crate::digits::four_digits;

const ROWS: usize = 10;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Losses {
    rows: usize,
    loss: &'static str,
    constant_prediction: &'static str,
    of_model: f64,
    of_constant: f64,
}

impl Losses {
    /// For one target; None without constant prediction.
    pub(crate) fn of(rows: usize, scores: &Scores) -> Option<Self> {
        match scores {
            Scores::Numbers(of) => of.first().map(|(_, scores)| Self {
                rows,
                loss: "mean negative log density",
                constant_prediction: "the mean of the target in training",
                of_model: scores.nlpd,
                of_constant: scores.nlpd - scores.msll,
            }),
            Scores::Classes { of, .. } => Some(Self {
                rows,
                loss: "log loss",
                constant_prediction: "the class frequencies in training",
                of_model: of.first()?.1.log_loss,
                of_constant: of.iter().find(|(name, _)| *name == "shares")?.1.log_loss,
            }),
            Scores::Several(_) => None,
        }
    }

    pub(crate) fn with(self, more: Self) -> Self {
        let share = more.rows as f64 / (self.rows + more.rows) as f64;
        let mean = |own: f64, other: f64| own + share * (other - own);
        Self {
            rows: self.rows + more.rows,
            of_model: mean(self.of_model, more.of_model),
            of_constant: mean(self.of_constant, more.of_constant),
            ..self
        }
    }

    pub(crate) fn warning(&self) -> Option<String> {
        (self.rows >= ROWS && self.of_model > self.of_constant).then(|| {
            format!(
                "predictions are worse than {} alone: their {} is {}, and without a model {}",
                self.constant_prediction,
                self.loss,
                four_digits(self.of_model),
                four_digits(self.of_constant)
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::NumberScores;

    #[test]
    fn rows_count_by_their_number() {
        let of = |rows, nlpd, msll| {
            let scores = NumberScores { nlpd, msll, ..NumberScores::default() };
            Losses::of(rows, &Scores::Numbers(vec![("gp", scores)])).unwrap()
        };
        assert_eq!(of(30, 1.0, -0.1).warning(), None);
        assert_eq!(of(9, 1.0, 0.1).warning(), None);
        // A loss of 1.5 in place of 1.4, over all rows.
        let both = of(30, 1.0, -0.3).with(of(10, 3.0, 1.3));
        let warning = both.warning().unwrap();
        assert!(warning.ends_with("log density is 1.500, and without a model 1.400"), "{warning}");
    }
}
