//! Written form of kernels.

/// Written form of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// `name(arguments)`
    Call,
    /// Its children with `+` between them.
    Sum,
    /// Its children with `*` between them.
    Product,
    /// Its parameter, `*`, its child.
    Scale,
    /// Its child's call with its settings added; `select(…)` around anything that is no call.
    Dims,
}

/// Argument that is not trained.
#[derive(Clone, Debug, PartialEq)]
pub struct KernelSetting {
    name: &'static str,
    value: SettingValue,
}

/// Whole number or list of columns behind the `=` of a [`KernelSetting`].
#[derive(Clone, Debug, PartialEq)]
pub enum SettingValue {
    /// A whole number.
    Number(i64),
    /// Columns.
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

    /// Value: a whole number or a list of columns.
    #[must_use]
    pub fn value(&self) -> &SettingValue {
        &self.value
    }

    /// Columns in its list, if any.
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
