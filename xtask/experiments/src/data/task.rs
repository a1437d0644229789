//! Kinds of targets.

/// Kind of a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// Number, standardised.
    Number,
    /// Binary label, −1 or 1.
    Binary,
    /// Class index from 0, below this number of classes.
    Classes(usize),
}

impl Task {
    /// Number of latents in a classifier or regression model.
    #[must_use]
    pub fn functions(self) -> usize {
        if let Self::Classes(classes) = self { classes } else { 1 }
    }

    /// Target values of the classes, in order.
    #[must_use]
    pub fn labels(self) -> Vec<f64> {
        match self {
            Self::Number | Self::Binary => vec![-1.0, 1.0],
            Self::Classes(classes) => (0..classes).map(|class| class as f64).collect(),
        }
    }
}
