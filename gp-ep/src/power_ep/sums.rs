//! What is added up over the data: for each latent `Σ τ_i φ_iφ_iᵀ` and `Σ ν_i φ_i`, and a tally, in one slice of numbers
//! that can be sent anywhere.

use super::point::Tally;
use super::site::Site;
use faer::{MatMut, MatRef};

/// Where in the slice is what.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    /// M of every latent.
    counts: Vec<usize>,
}

impl Layout {
    pub(crate) fn new(counts: Vec<usize>) -> Self {
        Self { counts }
    }

    pub(crate) fn counts(&self) -> &[usize] {
        &self.counts
    }

    /// The length of the slice.
    pub(crate) fn len(&self) -> usize {
        self.start(self.counts.len()) + Tally::LEN
    }

    fn start(&self, latent: usize) -> usize {
        self.counts[..latent].iter().map(|m| m * m + m).sum()
    }

    /// `Σ τ_i φ_iφ_iᵀ` (lower triangle) and `Σ ν_i φ_i`.
    pub(crate) fn latent<'a>(&self, sums: &'a [f64], latent: usize) -> (MatRef<'a, f64>, &'a [f64]) {
        let (m, start) = (self.counts[latent], self.start(latent));
        let (matrix, vector) = sums[start..start + m * m + m].split_at(m * m);
        (MatRef::from_column_major_slice(matrix, m, m), vector)
    }

    pub(crate) fn latent_mut<'a>(
        &self,
        sums: &'a mut [f64],
        latent: usize,
    ) -> (MatMut<'a, f64>, &'a mut [f64]) {
        let (m, start) = (self.counts[latent], self.start(latent));
        let (matrix, vector) = sums[start..start + m * m + m].split_at_mut(m * m);
        (MatMut::from_column_major_slice_mut(matrix, m, m), vector)
    }

    /// Adds one site on `φᵀv`.
    pub(crate) fn add_site(&self, sums: &mut [f64], latent: usize, phi: &[f64], site: Site) {
        let (mut matrix, vector) = self.latent_mut(sums, latent);
        for (j, &phi_j) in phi.iter().enumerate() {
            let column = matrix.as_mut().col_mut(j).subrows_mut(j, phi.len() - j);
            let scaled = site.precision * phi_j;
            column.iter_mut().zip(&phi[j..]).for_each(|(out, phi)| *out += scaled * phi);
        }
        vector.iter_mut().zip(phi).for_each(|(out, phi)| *out += site.shift * phi);
    }

    pub(crate) fn tally(&self, sums: &[f64]) -> Tally {
        Tally::from_slice(&sums[self.start(self.counts.len())..])
    }

    pub(crate) fn set_tally(&self, sums: &mut [f64], tally: Tally) {
        sums[self.start(self.counts.len())..].copy_from_slice(&tally.to_array());
    }
}
