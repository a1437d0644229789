//! Published numbers.

/// Published number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Published {
    /// Number, usually a mean.
    pub value: f64,
    /// Standard error, if given.
    pub error: Option<f64>,
}

/// Published number with names.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Printed {
    /// Data set, as in cells.
    pub data: &'static str,
    /// Method, as in cells.
    pub method: &'static str,
    /// Setting, as in cells.
    pub setting: &'static str,
    /// Score name.
    pub measure: &'static str,
    /// Value and standard error.
    pub published: Published,
}

/// Published numbers as CSV `data,method,setting,measure,value,error`, with headers.
#[derive(Clone, Copy, Debug)]
pub struct Reference {
    texts: &'static [&'static str],
    /// Repetitions, for standard deviations; else 1.
    repetitions: usize,
}

impl Reference {
    /// No numbers.
    pub const NONE: Self = Self::new(&[]);

    /// Numbers with standard errors.
    #[must_use]
    pub const fn new(texts: &'static [&'static str]) -> Self {
        Self::with_deviations(texts, 1)
    }

    /// Numbers with standard deviations over `repetitions`.
    #[must_use]
    pub const fn with_deviations(texts: &'static [&'static str], repetitions: usize) -> Self {
        Self { texts, repetitions }
    }

    fn lines(&self) -> impl Iterator<Item = &'static str> + use<> {
        self.texts.iter().flat_map(|text| text.lines().skip(1))
    }

    /// Published number, if any; `crabs` for variants such as `crabs (sex)`.
    #[must_use]
    pub fn beside(&self, data: &str, method: &str, setting: &str, measure: &str) -> Option<Published> {
        let found = self.get(data, method, setting, measure);
        found.or_else(|| {
            let other = self.lines().map(cells).find(|cells| plain(cells[0]) == plain(data))?;
            self.get(other[0], method, setting, measure)
        })
    }

    /// All published numbers.
    pub fn printed(&self) -> impl Iterator<Item = Printed> + use<> {
        let repetitions = self.repetitions;
        self.lines().filter_map(move |line| {
            let cells = cells(line);
            let [data, method, setting, measure, ..] = cells[..] else { return None };
            Some(Printed { data, method, setting, measure, published: published(&cells, repetitions)? })
        })
    }

    /// Published number, if any.
    #[must_use]
    pub fn get(&self, data: &str, method: &str, setting: &str, measure: &str) -> Option<Published> {
        let mut lines = self.lines().map(cells);
        let line =
            lines.find(|cells| cells.get(..4).is_some_and(|key| key == [data, method, setting, measure]))?;
        published(&line, self.repetitions)
    }

    /// Checks the format of all lines.
    ///
    /// # Errors
    /// First invalid line.
    pub fn check(&self) -> Result<(), String> {
        let is_bad = |line: &&str| {
            let cells = cells(line);
            cells.len() != 6
                || cells[4].parse::<f64>().is_err()
                || !(cells[5].is_empty() || cells[5].parse::<f64>().is_ok())
        };
        self.lines().find(is_bad).map_or(Ok(()), |line| Err(line.to_owned()))
    }
}

/// Name without variant.
fn plain(data: &str) -> &str {
    data.split(" (").next().unwrap_or(data)
}

fn published(line: &[&str], repetitions: usize) -> Option<Published> {
    let value = line.get(4)?.parse().ok()?;
    let error = line.get(5).and_then(|text| Some(text.parse::<f64>().ok()?.max(half_digit(text))));
    Some(Published { value, error: error.map(|error| error / (repetitions as f64).sqrt()) })
}

/// Half of the last printed digit (0.005 for 0.00).
fn half_digit(text: &str) -> f64 {
    let digits = text.split_once('.').map_or(0, |(_, digits)| digits.len());
    0.5 * 10f64.powi(-i32::try_from(digits).unwrap_or(i32::MAX))
}

/// Cells of a CSV line; quoted if with commas.
pub(super) fn cells(line: &str) -> Vec<&str> {
    let (mut cells, mut rest) = (Vec::new(), line);
    loop {
        let (cell, after) = match rest.strip_prefix('"').and_then(|inner| inner.split_once('"')) {
            Some((cell, after)) => (cell, after.strip_prefix(',')),
            None => match rest.split_once(',') {
                Some((cell, after)) => (cell, Some(after)),
                None => (rest, None),
            },
        };
        cells.push(cell);
        match after {
            Some(after) => rest = after,
            None => return cells,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str =
        "data,method,setting,measure,value,error\npima,ep,M=15%,nll,0.5,0.04\nall,x,\"a,b\",seconds,3,\n";

    #[test]
    fn numbers_are_found_by_all_four_words() {
        let reference = Reference::new(&[TEXT]);
        assert_eq!(
            reference.get("pima", "ep", "M=15%", "nll"),
            Some(Published { value: 0.5, error: Some(0.04) })
        );
        assert_eq!(reference.get("all", "x", "a,b", "seconds"), Some(Published { value: 3.0, error: None }));
        assert_eq!(reference.get("pima", "ep", "M=25%", "nll"), None);
        assert_eq!(reference.check(), Ok(()));
        assert!(Reference::new(&["h\na,b,c,d,x,\n"]).check().is_err());
    }

    #[test]
    fn another_reading_has_the_number_of_the_one_that_is_judged() {
        let reference = Reference::new(&["h\ncrabs (sex),ep,M=15%,nll,0.5,\n"]);
        let value = |data: &str| reference.beside(data, "ep", "M=15%", "nll").map(|found| found.value);
        assert_eq!((value("crabs"), value("crabs (sex)"), value("pima")), (Some(0.5), Some(0.5), None));
        assert_eq!(reference.get("crabs", "ep", "M=15%", "nll"), None);
        let printed: Vec<Printed> = reference.printed().collect();
        assert_eq!((printed.len(), printed[0].data, printed[0].measure), (1, "crabs (sex)", "nll"));
    }

    #[test]
    fn an_error_that_is_printed_as_nothing_is_half_a_digit() {
        let reference = Reference::new(&["h\nsatellite,vi,M=5%,nll,0.5,0.00\n"]);
        let error = reference.get("satellite", "vi", "M=5%", "nll").and_then(|found| found.error);
        assert_eq!((error, half_digit("0.125"), half_digit("3")), (Some(0.005), 0.0005, 0.5));
    }

    #[test]
    fn deviations_become_standard_errors() {
        let found = Reference::with_deviations(&[TEXT], 16).get("pima", "ep", "M=15%", "nll");
        assert_eq!(found, Some(Published { value: 0.5, error: Some(0.01) }));
    }
}
