//! Inducing inputs.

use faer::MatRef;
use serde::{Deserialize, Serialize};

use crate::error::KernelError;
use crate::kernel::Points;
use crate::views;

/// M×D points, or centres of Gaussian windows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Unchecked")]
pub struct InducingInputs {
    count: usize,
    dim: usize,
    z: Vec<f64>,
    /// Variances, ordered as `z`.
    windows: Option<Vec<f64>>,
}

#[derive(Deserialize)]
struct Unchecked {
    count: usize,
    dim: usize,
    z: Vec<f64>,
    windows: Option<Vec<f64>>,
}

const MAX_DIM: usize = 10_000_000;

impl TryFrom<Unchecked> for InducingInputs {
    type Error = KernelError;

    fn try_from(from: Unchecked) -> Result<Self, KernelError> {
        if from.dim == 0 && from.count > 0 || from.dim > MAX_DIM {
            let (what, axis, found) = ("inducing inputs", "columns", from.dim);
            return Err(KernelError::Shape { what, axis, expected: from.dim.clamp(1, MAX_DIM), found });
        }
        let expected = from.count.saturating_mul(from.dim);
        for values in std::iter::once(&from.z).chain(&from.windows) {
            if values.len() != expected {
                return Err(KernelError::Shape {
                    what: "inducing inputs",
                    axis: "entries",
                    expected,
                    found: values.len(),
                });
            }
        }
        let points = Self::points(MatRef::from_row_major_slice(&from.z, from.count, from.dim))?;
        match from.windows {
            None => Ok(points),
            Some(windows) => {
                points.with_windows(MatRef::from_row_major_slice(&windows, from.count, from.dim))
            }
        }
    }
}

impl InducingInputs {
    /// Inducing points `z` (M×D).
    ///
    /// # Errors
    /// [`KernelError::NotFinite`].
    pub fn points(z: MatRef<'_, f64>) -> Result<Self, KernelError> {
        let mut flat = Vec::with_capacity(z.nrows() * z.ncols());
        copy_finite("inducing inputs", z, |value| value.is_finite(), &mut flat)?;
        Ok(Self { count: z.nrows(), dim: z.ncols(), z: flat, windows: None })
    }

    /// Adds window variances (M×D, ≥ 0; 0 is a point).
    ///
    /// # Errors
    /// [`KernelError::Shape`]; [`KernelError::NotFinite`], also for negative variances.
    pub fn with_windows(mut self, variances: MatRef<'_, f64>) -> Result<Self, KernelError> {
        for (axis, expected, found) in
            [("rows", self.count, variances.nrows()), ("columns", self.dim, variances.ncols())]
        {
            if expected != found {
                return Err(KernelError::Shape { what: "window variances", axis, expected, found });
            }
        }
        let mut flat = Vec::with_capacity(self.z.len());
        copy_finite("window variances", variances, |value| value.is_finite() && value >= 0.0, &mut flat)?;
        self.windows = Some(flat);
        Ok(self)
    }

    /// Number M.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Dimensions D.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// Z, M×D.
    pub fn z(&self) -> Points<'_> {
        views::points(&self.z, self.count, self.dim)
    }

    /// Window variances, M×D.
    pub fn windows(&self) -> Option<Points<'_>> {
        self.windows.as_ref().map(|windows| views::points(windows, self.count, self.dim))
    }

    /// Trainable: Z by rows, then window variances.
    pub fn values(&self) -> Vec<f64> {
        self.z.iter().chain(self.windows.iter().flatten()).copied().collect()
    }

    /// Sets [`values`](InducingInputs::values); unchanged on errors.
    ///
    /// # Errors
    /// As the constructors.
    pub fn set_values(&mut self, values: &[f64]) -> Result<(), KernelError> {
        let parts = 1 + usize::from(self.windows.is_some());
        if values.len() != parts * self.z.len() {
            let (expected, found) = (parts * self.z.len(), values.len());
            return Err(KernelError::Shape { what: "inducing inputs", axis: "entries", expected, found });
        }
        let (z, windows) = values.split_at(self.z.len());
        self.move_to(z, self.windows.is_some().then_some(windows))
    }

    /// Sets `z` and window variances; unchanged on errors.
    ///
    /// # Errors
    /// As the constructors, or wrong `windows`.
    pub fn move_to(&mut self, z: &[f64], windows: Option<&[f64]>) -> Result<(), KernelError> {
        let parts = [
            (self.z.len(), z.len()),
            (self.windows.as_ref().map_or(0, Vec::len), windows.map_or(0, <[f64]>::len)),
        ];
        for (expected, found) in parts {
            if expected != found {
                return Err(KernelError::Shape { what: "inducing inputs", axis: "entries", expected, found });
            }
        }
        self.check_moved("inducing inputs", z, |value| value.is_finite())?;
        let windows = windows.unwrap_or(&[]);
        self.check_moved("window variances", windows, |value| value.is_finite() && value >= 0.0)?;
        self.z.copy_from_slice(z);
        if let Some(own) = &mut self.windows {
            own.copy_from_slice(windows);
        }
        Ok(())
    }

    pub(super) fn copy_from(&mut self, other: &Self) {
        (self.count, self.dim) = (other.count, other.dim);
        self.z.clone_from(&other.z);
        self.windows.clone_from(&other.windows);
    }

    fn check_moved(
        &self,
        what: &'static str,
        values: &[f64],
        allowed: fn(f64) -> bool,
    ) -> Result<(), KernelError> {
        match values.iter().position(|&value| !allowed(value)) {
            None => Ok(()),
            Some(i) => {
                let (row, column) = (i / self.dim, i % self.dim);
                Err(KernelError::NotFinite { what, row, column, value: values[i] })
            }
        }
    }
}

fn copy_finite(
    what: &'static str,
    from: MatRef<'_, f64>,
    allowed: fn(f64) -> bool,
    to: &mut Vec<f64>,
) -> Result<(), KernelError> {
    for row in 0..from.nrows() {
        for column in 0..from.ncols() {
            let value = from[(row, column)];
            if !allowed(value) {
                return Err(KernelError::NotFinite { what, row, column, value });
            }
            to.push(value);
        }
    }
    Ok(())
}
