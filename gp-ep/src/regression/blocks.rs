//! Blocks of observations whose likelihood is one factor.

use crate::error::InferenceError;
use faer::MatRef;
use gp_kernels::Kernel;
use gp_kernels::data::DataError;
use gp_kernels::placement::KMeans;

/// Partition of N observations. A block of n costs O(n²) memory, O(n³) time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blocks {
    /// Rows, block by block.
    order: Vec<usize>,
    ends: Vec<usize>,
}

impl Blocks {
    /// Partition by rows (from 0).
    ///
    /// # Errors
    /// [`InferenceError::Block`] unless each row is in exactly one block and none is empty;
    /// [`InferenceError::Data`] without blocks.
    pub fn new(blocks: &[Vec<usize>]) -> Result<Self, InferenceError> {
        let order = blocks.concat();
        let refuse = |row: usize, reason: &str| Err(InferenceError::Block { row, reason: reason.to_owned() });
        if order.is_empty() {
            return Err(DataError::NoData.into());
        }
        let mut seen = vec![false; order.len()];
        for &row in &order {
            match seen.get_mut(row) {
                None => return refuse(row, "is in a block, but not every observation before it is"),
                Some(true) => return refuse(row, "is in two blocks, or twice in one"),
                Some(seen) => *seen = true,
            }
        }
        let mut ends = Vec::with_capacity(blocks.len());
        for block in blocks {
            let start = ends.last().copied().unwrap_or(0);
            if block.is_empty() {
                return refuse(start, "comes after a block that is empty");
            }
            ends.push(start + block.len());
        }
        Ok(Self { order, ends })
    }

    /// One block per label, in label order; [`InferenceError::Data`] without labels.
    pub fn from_labels(labels: &[usize]) -> Result<Self, InferenceError> {
        if labels.is_empty() {
            return Err(DataError::NoData.into());
        }
        let mut order: Vec<usize> = (0..labels.len()).collect();
        order.sort_by_key(|&row| labels[row]);
        let mut ends: Vec<usize> =
            (1..order.len()).filter(|&i| labels[order[i - 1]] != labels[order[i]]).collect();
        ends.push(order.len());
        Ok(Self { order, ends })
    }

    /// At most `count` clusters of `inputs` (N×D), by [`KMeans::clusters`].
    pub fn near(
        kernel: &dyn Kernel,
        inputs: MatRef<'_, f64>,
        count: usize,
        seed: u64,
    ) -> Result<Self, InferenceError> {
        Self::from_labels(&KMeans::new().clusters(kernel, inputs, count, seed)?)
    }

    /// Number of blocks, at least 1.
    #[must_use]
    pub fn count(&self) -> usize {
        self.ends.len()
    }

    /// Number N of observations.
    #[must_use]
    pub fn observations(&self) -> usize {
        self.order.len()
    }

    /// Observations of each block.
    pub fn iter(&self) -> impl Iterator<Item = &[usize]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, &end)| &self.order[start..end])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_and_lists_make_the_same_blocks() {
        let blocks = Blocks::from_labels(&[7, 2, 7, 0, 2]).unwrap();
        assert_eq!(blocks, Blocks::new(&[vec![3], vec![1, 4], vec![0, 2]]).unwrap());
        assert_eq!((blocks.count(), blocks.observations()), (3, 5));
        assert_eq!(blocks.iter().collect::<Vec<_>>(), [&[3][..], &[1, 4], &[0, 2]]);
    }

    #[test]
    fn what_is_not_a_partition_is_refused_by_observation() {
        for (blocks, row) in [
            (vec![vec![0, 3], vec![1]], 3),
            (vec![vec![0, 1], vec![1]], 1),
            (vec![vec![0, 1], vec![], vec![2]], 2),
        ] {
            let found = Blocks::new(&blocks);
            assert!(matches!(found, Err(InferenceError::Block { row: at, .. }) if at == row), "{found:?}");
        }
        assert_eq!(Blocks::new(&[]), Err(DataError::NoData.into()));
        assert_eq!(Blocks::from_labels(&[]), Err(DataError::NoData.into()));
    }
}
