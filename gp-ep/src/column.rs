//! Vectors as matrices of one column.

use faer::MatMut;

pub(crate) fn column_mut(values: &mut [f64]) -> MatMut<'_, f64> {
    let count = values.len();
    MatMut::from_column_major_slice_mut(values, count, 1)
}
