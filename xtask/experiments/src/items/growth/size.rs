//! Evaluation sizes and growing axes.

use crate::grid::number;
use crate::harness::Form;

/// Evaluation sizes; 0 if unused.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::items) struct Sizes {
    /// N.
    pub(in crate::items) rows: usize,
    /// B.
    pub(in crate::items) batch: usize,
    /// M.
    pub(in crate::items) inducing: usize,
    /// D.
    pub(in crate::items) dim: usize,
    /// C.
    pub(in crate::items) classes: usize,
    /// A.
    pub(in crate::items) active: usize,
    /// T, new rows.
    pub(in crate::items) new: usize,
}

impl Sizes {
    /// Parses a setting such as `N=1000;M=100`.
    pub(in crate::items) fn read(setting: &str) -> Self {
        let count = |name| number(setting, name).map_or(0, |value| value as usize);
        Self {
            rows: count("N"),
            batch: count("B"),
            inducing: count("M"),
            dim: count("D"),
            classes: count("C"),
            active: count("A"),
            new: count("T"),
        }
    }
}

pub(super) struct Axis {
    pub(super) letter: &'static str,
    pub(super) sizes: &'static [usize],
    /// Leading exponent of time.
    pub(super) theory: &'static str,
    pub(super) memory: Option<&'static str>,
}

impl Axis {
    pub(super) const fn new(letter: &'static str, sizes: &'static [usize], theory: &'static str) -> Self {
        Self { letter, sizes, theory, memory: None }
    }

    pub(super) const fn with_memory(self, exponent: &'static str) -> Self {
        Self { memory: Some(exponent), ..self }
    }

    pub(super) fn setting(&self, base: &str, size: usize) -> String {
        let part = |part: &str| match part.split_once('=') {
            Some((letter, _)) if letter == self.letter => format!("{letter}={size}"),
            _ => part.to_owned(),
        };
        base.split(';').map(part).collect::<Vec<_>>().join(";")
    }

    pub(super) fn settings(&self, base: &str, form: Form) -> Vec<String> {
        let count = match form {
            Form::Full => self.sizes.len(),
            Form::Reduced => self.sizes.len() - 1,
            Form::Quick => 2,
        };
        self.sizes.iter().take(count).map(|size| self.setting(base, *size)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_size_grows_and_the_others_stay() {
        let axis = Axis::new("M", &[50, 100, 200], "2");
        let settings = axis.settings("N=1000;M=100;D=8", Form::Reduced);
        assert_eq!(settings, ["N=1000;M=50;D=8", "N=1000;M=100;D=8"]);
        let sizes = Sizes::read(&settings[0]);
        assert_eq!((sizes.rows, sizes.inducing, sizes.dim, sizes.classes), (1000, 50, 8, 0));
    }
}
