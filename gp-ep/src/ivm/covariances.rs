//! Prior covariances of active points and candidates, by class; memory independent of N.

use super::kernel_rows::KernelRows;
use crate::error::InferenceError;
use faer::{Mat, MatRef};
use std::collections::BTreeMap;

pub(super) struct ActivePoints {
    pub(super) rows: Vec<usize>,
    points: Mat<f64>,
    /// Stored for the first class with each kernel.
    grams: Vec<Mat<f64>>,
    first: Vec<usize>,
}

impl ActivePoints {
    pub(super) fn new(kernels: &KernelRows<'_>, capacity: usize) -> Self {
        let gram = |(class, &first): (usize, &usize)| {
            let size = if first == class { capacity } else { 0 };
            Mat::zeros(size, size)
        };
        let points = Mat::zeros(kernels.inputs().ncols(), capacity);
        let grams = kernels.first().iter().enumerate().map(gram).collect();
        Self { rows: Vec::new(), points, grams, first: kernels.first().to_vec() }
    }

    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    pub(super) fn gram(&self, class: usize) -> MatRef<'_, f64> {
        self.grams[self.first[class]].as_ref().submatrix(0, 0, self.len(), self.len())
    }

    pub(super) fn push(&mut self, row: usize, kernels: &KernelRows<'_>) -> Result<(), InferenceError> {
        let n = self.len();
        let point = kernels.inputs().row(row);
        self.points.as_mut().col_mut(n).copy_from(point.transpose());
        for class in kernels.distinct() {
            let (points, new) = self.points.as_ref().transpose().split_at_row(n);
            let mut column = self.grams[class].as_mut().submatrix_mut(0, n, n, 1);
            kernels.cross(class, points, new.subrows(0, 1), column.as_mut())?;
            for i in 0..n {
                self.grams[class][(n, i)] = self.grams[class][(i, n)];
            }
            self.grams[class][(n, n)] = kernels.diagonals[class][row];
        }
        self.rows.push(row);
        Ok(())
    }

    pub(super) fn remove(&mut self, place: usize) {
        let kept: Vec<usize> = (0..self.len()).filter(|&i| i != place).collect();
        for (to, &from) in kept.iter().enumerate().skip(place) {
            for d in 0..self.points.nrows() {
                self.points[(d, to)] = self.points[(d, from)];
            }
        }
        for gram in self.grams.iter_mut().filter(|gram| gram.nrows() > 0) {
            for (j, &from_j) in kept.iter().enumerate() {
                kept.iter().enumerate().for_each(|(i, &from_i)| gram[(i, j)] = gram[(from_i, from_j)]);
            }
        }
        self.rows.remove(place);
    }

    fn points(&self, first: usize) -> MatRef<'_, f64> {
        self.points.as_ref().transpose().subrows(first, self.len() - first)
    }
}

#[derive(Default)]
pub(super) struct Candidates {
    places: BTreeMap<usize, usize>,
    /// Stored for the first class with each kernel; one column per candidate.
    columns: Vec<Mat<f64>>,
    spare: Vec<Mat<f64>>,
    known: usize,
}

impl Candidates {
    /// Adds covariances of new candidates and active points.
    pub(super) fn follow(
        &mut self,
        rows: &[usize],
        active: &ActivePoints,
        kernels: &KernelRows<'_>,
        capacity: usize,
    ) -> Result<(), InferenceError> {
        // Known candidates come first.
        let places: Vec<usize> = rows.iter().map_while(|row| self.places.get(row).copied()).collect();
        self.places = rows.iter().enumerate().map(|(j, &row)| (row, j)).collect();
        let (kept, n, known) = (places.len(), active.len(), self.known);
        let inputs =
            Mat::from_fn(kernels.inputs().ncols(), rows.len(), |d, j| kernels.inputs()[(rows[j], d)]);
        let points = inputs.as_ref().transpose();
        for class in kernels.distinct() {
            self.reserve(class, (capacity, rows.len()));
            let (from, to) = (&self.columns[class], &mut self.spare[class]);
            for (j, &place) in places.iter().enumerate() {
                to.col_as_slice_mut(j)[..known].copy_from_slice(&from.col_as_slice(place)[..known]);
            }
            let (old, new) = to.as_mut().subcols_mut(0, rows.len()).split_at_col_mut(kept);
            kernels.cross(
                class,
                active.points(known),
                points.subrows(0, kept),
                old.subrows_mut(known, n - known),
            )?;
            kernels.cross(
                class,
                active.points(0),
                points.subrows(kept, rows.len() - kept),
                new.subrows_mut(0, n),
            )?;
            // An active point shares white noise with itself.
            for (i, row) in active.rows.iter().enumerate() {
                self.places.get(row).into_iter().for_each(|&j| to[(i, j)] = kernels.diagonals[class][*row]);
            }
            std::mem::swap(&mut self.columns[class], &mut self.spare[class]);
        }
        self.known = n;
        Ok(())
    }

    pub(super) fn forget(&mut self) {
        self.places.clear();
        self.known = 0;
    }

    /// Covariances with a candidate; `class`: first with its kernel.
    pub(super) fn column(&self, class: usize, candidate: usize) -> &[f64] {
        &self.columns[class].col_as_slice(candidate)[..self.known]
    }

    fn reserve(&mut self, class: usize, (nrows, ncols): (usize, usize)) {
        for memory in [&mut self.columns, &mut self.spare] {
            if memory.len() <= class {
                memory.resize_with(class + 1, || Mat::zeros(0, 0));
            }
            if memory[class].nrows() < nrows || memory[class].ncols() < ncols {
                memory[class].resize_with(nrows, ncols, |_, _| 0.0);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gp_kernels::Kernel;
    use gp_linalg::Threading;

    #[test]
    fn what_is_kept_is_what_would_be_computed() {
        let texts =
            ["1.5 * rbf(lengthscale=0.4)", "0.7 * matern32 + 0.1 * white", "1.5 * rbf(lengthscale=0.4)"];
        let kernels: Vec<Box<dyn Kernel>> =
            texts.iter().map(|text| gp_kernels::parse(text).unwrap()).collect();
        let x = Mat::from_fn(30, 2, |i, d| ((7 * i + 11 * d) % 30) as f64 / 10.0);
        let rows = KernelRows::new(&kernels, x.as_ref(), Threading::Here).unwrap();
        let (mut active, mut kept) = (ActivePoints::new(&rows, 6), Candidates::default());
        for step in 0..6 {
            if step == 4 {
                active.remove(1);
                kept.forget();
            } else {
                active.push(5 * step, &rows).unwrap();
            }
            // Three candidates that stay, two new ones, and one active point.
            let candidates = [2, 4, 7, 11 + step, 20 + step, 0];
            kept.follow(&candidates, &active, &rows, 6).unwrap();
            let mut fresh = Candidates::default();
            fresh.follow(&candidates, &active, &rows, 6).unwrap();
            for class in 0..3 {
                let class = rows.first()[class];
                for (j, &row) in candidates.iter().enumerate() {
                    assert_eq!(kept.column(class, j).len(), active.len());
                    let all = rows.one(row, class).unwrap();
                    for (i, &at) in active.rows.iter().enumerate() {
                        assert!((kept.column(class, j)[i] - fresh.column(class, j)[i]).abs() < 1e-14);
                        assert!((kept.column(class, j)[i] - all[at]).abs() < 1e-14);
                    }
                }
                for (i, &row) in active.rows.iter().enumerate() {
                    let all = rows.one(row, class).unwrap();
                    (0..active.len()).for_each(|k| {
                        assert!((active.gram(class)[(i, k)] - all[active.rows[k]]).abs() < 1e-14);
                    });
                }
            }
        }
    }
}
