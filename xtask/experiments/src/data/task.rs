//! Kinds of targets.

/// Kind of a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// Number, standardised.
    Number,
    /// Label −1 or 1.
    Binary,
    /// Class from 0, below this number.
    Classes(usize),
}

impl Task {
    /// Number of latents.
    #[must_use]
    pub fn functions(self) -> usize {
        if let Self::Classes(classes) = self { classes } else { 1 }
    }

    /// Ordered target values of the classes.
    #[must_use]
    pub fn labels(self) -> Vec<f64> {
        match self {
            Self::Number | Self::Binary => vec![-1.0, 1.0],
            Self::Classes(classes) => (0..classes).map(|class| class as f64).collect(),
        }
    }
}
