//! Forms of kernels in expressions.

/// Form in expressions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// `name(arguments)`
    Call,
    /// Children joined by `+`.
    Sum,
    /// Children joined by `*`.
    Product,
    /// Parameter, `*`, child.
    Scale,
    /// Child's call with settings added, else `select(…)`.
    Dims,
}

/// Untrained argument.
#[derive(Clone, Debug, PartialEq)]
pub struct KernelSetting {
    name: &'static str,
    value: SettingValue,
}

/// Value of a [`KernelSetting`].
#[derive(Clone, Debug, PartialEq)]
pub enum SettingValue {
    /// Whole number.
    Number(i64),
    /// List of columns.
    List(Vec<usize>),
}

impl From<i32> for SettingValue {
    fn from(number: i32) -> Self {
        Self::Number(i64::from(number))
    }
}

impl From<usize> for SettingValue {
    fn from(number: usize) -> Self {
        Self::Number(i64::try_from(number).unwrap_or(i64::MAX))
    }
}

impl From<&[usize]> for SettingValue {
    fn from(list: &[usize]) -> Self {
        Self::List(list.to_vec())
    }
}

impl KernelSetting {
    /// Argument `name=value`.
    pub fn new(name: &'static str, value: impl Into<SettingValue>) -> Self {
        Self { name, value: value.into() }
    }

    /// Name, such as `dims`.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Whole number or columns.
    #[must_use]
    pub fn value(&self) -> &SettingValue {
        &self.value
    }

    pub(crate) fn columns(&self) -> Option<&[usize]> {
        match &self.value {
            SettingValue::List(list) => Some(list),
            SettingValue::Number(_) => None,
        }
    }

    pub(super) fn print(&self) -> String {
        match &self.value {
            SettingValue::Number(number) => format!("{}={number}", self.name),
            SettingValue::List(list) => {
                let written: Vec<String> = list.iter().map(usize::to_string).collect();
                format!("{}=[{}]", self.name, written.join(", "))
            }
        }
    }
}
