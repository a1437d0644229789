//! Problem files: JSON for numbers, raw bytes for arrays.

use crate::error::BenchError;
use crate::rows::Row;
use faer::MatRef;
use gp_kernels::data::{DataSource as _, Rows, Table};
use gp_kernels::inducing::{InducingPrior, SparseProcess};
use gp_kernels::{Evaluator, Kernel, KernelExt as _};
use gp_linalg::{JitterPolicy, Threading};
use serde_json::{Map, Value, json};
use std::fs;
use std::path::Path;

#[derive(Debug, Default)]
pub(crate) struct Problem {
    numbers: Map<String, Value>,
    arrays: Vec<Array>,
}

#[derive(Debug)]
struct Array {
    name: &'static str,
    shape: Vec<usize>,
    values: Vec<f64>,
}

impl Problem {
    pub(crate) fn number(mut self, name: &str, value: f64) -> Self {
        self.numbers.insert(name.to_owned(), json!(value));
        self
    }

    /// Adds a row-major array.
    pub(crate) fn array(mut self, name: &'static str, shape: &[usize], values: Vec<f64>) -> Self {
        self.arrays.push(Array { name, shape: shape.to_vec(), values });
        self
    }

    pub(crate) fn vector(self, name: &'static str, values: Vec<f64>) -> Self {
        let shape = [values.len()];
        self.array(name, &shape, values)
    }

    pub(crate) fn matrix(self, name: &'static str, of: MatRef<'_, f64>) -> Self {
        let values = of.row_iter().flat_map(|row| row.iter().copied()).collect();
        self.array(name, &[of.nrows(), of.ncols()], values)
    }

    /// Adds inputs `x` and targets `y`.
    pub(crate) fn data(self, data: &Table<'static>) -> Result<Self, BenchError> {
        let (count, dim) = (data.count(), data.dim());
        let (mut points, mut targets) = (vec![0.0; count * dim], vec![0.0; count]);
        data.read(&Rows::Range(0..count), &mut points, &mut targets)?;
        Ok(self.array("x", &[count, dim], points).vector("y", targets))
    }

    /// Adds `variance` and `lengthscales` of a scaled RBF.
    pub(crate) fn kernel(self, kernel: &dyn Kernel) -> Self {
        let values = kernel.parameter_values();
        self.number("variance", values[0]).vector("lengthscales", values[1..].to_vec())
    }

    /// Adds kernel, inducing inputs `z`, and their `jitter`.
    pub(crate) fn process(self, process: &SparseProcess, policy: &JitterPolicy) -> Result<Self, BenchError> {
        let prior = InducingPrior::new(process, policy, &Evaluator::new(Threading::Pool))?;
        let z = process.inputs().z();
        Ok(self
            .kernel(process.kernel())
            .matrix("z", z.as_dyn_stride())
            .number("jitter", prior.jitter().added))
    }

    /// Writes `ROW.json`, and `ROW.ARRAY.bin` per array, in little-endian `f64`.
    pub(crate) fn write(self, row: &Row, folder: &Path) -> Result<(), BenchError> {
        let mut arrays = Map::new();
        for Array { name, shape, values } in self.arrays {
            let file = format!("{}.{name}.bin", row.name);
            let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
            fs::write(folder.join(&file), bytes)?;
            arrays.insert(name.to_owned(), json!({"file": file, "shape": shape}));
        }
        let whole = json!({"row": row.name, "what": row.what, "numbers": self.numbers, "arrays": arrays});
        fs::write(folder.join(format!("{}.json", row.name)), serde_json::to_string_pretty(&whole)? + "\n")?;
        Ok(())
    }
}
