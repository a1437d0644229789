//! Setting defaults, for all fits or per case.

use std::fmt::Display;

/// Setting default in one case.
///
/// ```
/// use gp_cli::method::{Given, ITERATIONS, Setting, DefaultCase};
///
/// const FEW: DefaultCase<u64> = DefaultCase::new(100, "for one target");
/// const MANY: DefaultCase<u64> = DefaultCase::new(300, "for several targets");
/// const BUDGET: Setting = ITERATIONS.default_whole_by_case(&[FEW, MANY]);
/// assert_eq!(BUDGET.default_in_words(), "100 for one target, 300 for several targets");
/// assert_eq!(Given::default().integer_in(&BUDGET, MANY), 300);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DefaultCase<T> {
    value: T,
    when: &'static str,
}

/// Value of a setting unless given.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SettingDefault<T: 'static> {
    /// No default.
    Unsaid,
    /// One value for all fits.
    Always(T),
    /// One value per case.
    ByCase(&'static [DefaultCase<T>]),
}

impl<T> DefaultCase<T> {
    /// `when` describes the case in help.
    #[must_use]
    pub const fn new(value: T, when: &'static str) -> Self {
        Self { value, when }
    }
}

impl<T: Copy> DefaultCase<T> {
    /// Default value.
    #[must_use]
    pub const fn value(&self) -> T {
        self.value
    }
}

impl<T: Copy + PartialEq> SettingDefault<T> {
    /// Default, if independent of the case.
    #[must_use]
    pub const fn always(&self) -> Option<T> {
        match self {
            Self::Always(value) => Some(*value),
            Self::Unsaid | Self::ByCase(_) => None,
        }
    }

    pub(super) fn declares(&self, case: &DefaultCase<T>) -> bool {
        matches!(self, Self::ByCase(cases) if cases.contains(case))
    }
}

impl<T: Display> SettingDefault<T> {
    pub(super) fn in_words(&self) -> String {
        match self {
            Self::Unsaid => String::new(),
            Self::Always(value) => value.to_string(),
            Self::ByCase(cases) => {
                let words =
                    |case: &DefaultCase<T>| format!("{} {}", case.value, case.when).trim_end().to_owned();
                cases.iter().map(words).collect::<Vec<_>>().join(", ")
            }
        }
    }
}
