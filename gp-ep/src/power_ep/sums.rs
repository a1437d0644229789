//! What is added up over the data: for each latent `Σ τ_i φ_iφ_iᵀ`, `Σ ν_i φ_i` and the weight of its sites, and a tally,
//! in one slice of numbers that can be sent anywhere.

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

    /// Numbers of a latent with M inducing inputs.
    pub(crate) fn size(m: usize) -> usize {
        m * m + m + 1
    }

    pub(crate) fn counts(&self) -> &[usize] {
        &self.counts
    }

    /// The length of the slice.
    pub(crate) fn len(&self) -> usize {
        self.start(self.counts.len()) + Tally::LEN
    }

    fn start(&self, latent: usize) -> usize {
        self.counts[..latent].iter().map(|&m| Self::size(m)).sum()
    }

    /// `Σ τ_i φ_iφ_iᵀ` (lower triangle) and `Σ ν_i φ_i`.
    pub(crate) fn latent<'a>(&self, sums: &'a [f64], latent: usize) -> (MatRef<'a, f64>, &'a [f64]) {
        let (m, start) = (self.counts[latent], self.start(latent));
        let (matrix, vector) = sums[start..start + m * m + m].split_at(m * m);
        (MatRef::from_column_major_slice(matrix, m, m), vector)
    }

    /// How many sites, by their weights, the sums of a latent are of.
    pub(crate) fn weight(&self, sums: &[f64], latent: usize) -> f64 {
        sums[self.weight_at(latent)]
    }

    /// Where that number is.
    pub(crate) fn weight_at(&self, latent: usize) -> usize {
        self.start(latent) + self.counts[latent] * (self.counts[latent] + 1)
    }

    /// The sums of all latents, without the tally.
    pub(crate) fn latents_mut<'a>(&self, sums: &'a mut [f64]) -> &'a mut [f64] {
        &mut sums[..self.start(self.counts.len())]
    }

    /// Matrix, vector and weight in the numbers of one latent.
    pub(crate) fn parts(m: usize, sums: &mut [f64]) -> (MatMut<'_, f64>, &mut [f64], &mut f64) {
        let (matrix, rest) = sums.split_at_mut(m * m);
        let (vector, weight) = rest.split_at_mut(m);
        (MatMut::from_column_major_slice_mut(matrix, m, m), vector, &mut weight[0])
    }

    /// Adds one site on `φᵀv`.
    pub(crate) fn add_site(&self, sums: &mut [f64], latent: usize, phi: &[f64], site: Site) {
        let (m, start) = (self.counts[latent], self.start(latent));
        let (mut matrix, vector, _) = Self::parts(m, &mut sums[start..start + Self::size(m)]);
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
