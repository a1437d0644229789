//! What is added up over the data, in one slice of numbers that can be sent anywhere.
//!
//! For each component and latent function, with g and h the derivatives of expected log densities by means and
//! variances of latent values: `Σ g_i φ_i`, and `Σ h_i φ_iφ_iᵀ` (its diagonal, for a diagonal covariance). Then the
//! expected log densities of each component, their derivatives by the parameters of the likelihood, and their noise.

use super::mixture::{Covariance, Mixture};
use faer::{MatMut, MatRef};
use std::ops::Range;

/// Where in the slice is what.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    /// M of every latent.
    counts: Vec<usize>,
    covariance: Covariance,
    components: usize,
    params: usize,
}

/// The sums of one component and latent: `Σ g φ`, and `Σ h φφᵀ` column by column or its diagonal.
pub(super) struct Part<'a> {
    pub(super) by_mean: &'a [f64],
    pub(super) by_spread: &'a [f64],
}

/// [`Part`], to be added to.
pub(super) struct PartMut<'a> {
    pub(super) by_mean: &'a mut [f64],
    pub(super) by_spread: &'a mut [f64],
}

impl Part<'_> {
    /// `Σ h φφᵀ`, of which the lower triangle counts.
    pub(super) fn matrix(&self) -> MatRef<'_, f64> {
        let count = self.by_mean.len();
        MatRef::from_column_major_slice(self.by_spread, count, count)
    }
}

impl PartMut<'_> {
    pub(super) fn matrix(&mut self) -> MatMut<'_, f64> {
        let count = self.by_mean.len();
        MatMut::from_column_major_slice_mut(self.by_spread, count, count)
    }
}

impl Layout {
    pub(super) fn new(posterior: &Mixture, params: usize) -> Self {
        let (counts, covariance) = (posterior.counts().to_vec(), posterior.covariance());
        Self { counts, covariance, components: posterior.components(), params }
    }

    /// Whether sums over the data for this posterior are laid out so.
    pub(super) fn is_for(&self, posterior: &Mixture) -> bool {
        let shape = (posterior.covariance(), posterior.components());
        self.counts == posterior.counts() && (self.covariance, self.components) == shape
    }

    /// The length of the slice.
    pub(super) fn len(&self) -> usize {
        self.tail() + self.components + self.params + 1
    }

    fn part_len(&self, latent: usize) -> usize {
        let m = self.counts[latent];
        if self.covariance == Covariance::Full { m + m * m } else { 2 * m }
    }

    fn start(&self, component: usize, latent: usize) -> usize {
        let each: usize = (0..self.counts.len()).map(|q| self.part_len(q)).sum();
        component * each + (0..latent).map(|q| self.part_len(q)).sum::<usize>()
    }

    fn tail(&self) -> usize {
        self.start(self.components, 0)
    }

    pub(super) fn part<'a>(&self, sums: &'a [f64], component: usize, latent: usize) -> Part<'a> {
        let start = self.start(component, latent);
        let own = &sums[start..start + self.part_len(latent)];
        let (by_mean, by_spread) = own.split_at(self.counts[latent]);
        Part { by_mean, by_spread }
    }

    pub(super) fn part_mut<'a>(&self, sums: &'a mut [f64], component: usize, latent: usize) -> PartMut<'a> {
        let start = self.start(component, latent);
        let own = &mut sums[start..start + self.part_len(latent)];
        let (by_mean, by_spread) = own.split_at_mut(self.counts[latent]);
        PartMut { by_mean, by_spread }
    }

    /// Expected log densities, one a component.
    pub(super) fn expected(&self) -> Range<usize> {
        self.tail()..self.tail() + self.components
    }

    /// Derivatives by the parameters of the likelihood.
    pub(super) fn params(&self) -> Range<usize> {
        let start = self.expected().end;
        start..start + self.params
    }

    /// The sum of variances of the elements of `Σ g_i φ_i`, weighted as components are.
    pub(super) fn noise(&self) -> usize {
        self.len() - 1
    }
}
