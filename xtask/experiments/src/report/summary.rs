//! Means over splits.

/// Mean with standard error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    /// Mean over splits with a result.
    pub mean: f64,
    /// None for a single split.
    pub error: Option<f64>,
    /// Number of splits.
    pub count: usize,
}

impl Summary {
    /// Summary of values; None if empty.
    #[must_use]
    pub fn of(values: &[f64]) -> Option<Self> {
        if values.is_empty() {
            return None;
        }
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        let error = (values.len() > 1).then(|| (squares / (count - 1.0) / count).sqrt());
        Some(Self { mean, error, count: values.len() })
    }

    /// Mean ± standard error with `digits` decimals.
    #[must_use]
    pub fn text(&self, digits: usize) -> String {
        match self.error {
            Some(error) => format!("{:.digits$} ± {error:.digits$}", self.mean),
            None => format!("{:.digits$}", self.mean),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_three_numbers_of_one_and_of_none() {
        let three = Summary::of(&[1.0, 2.0, 3.0]).unwrap();
        assert_eq!((three.mean, three.count), (2.0, 3));
        // Standard error of three numbers of variance 1.
        assert!((three.error.unwrap() - (1.0f64 / 3.0).sqrt()).abs() < 1e-15);
        assert_eq!(three.text(2), "2.00 ± 0.58");
        assert_eq!(Summary::of(&[1.5]).unwrap().text(1), "1.5");
        assert_eq!(Summary::of(&[]), None);
    }
}
