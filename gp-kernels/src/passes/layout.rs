//! What a pass adds up, as lists of numbers that can be sent anywhere.

use crate::data::Partial;
use crate::inducing::{PriorGradients, SparseProcess};
use faer::{MatMut, MatRef};
use std::ops::Range;

/// What is summed of the products `φφᵀ`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gram {
    /// `Σ w φφᵀ`: its lower triangle, M×M.
    Full,
    /// The diagonal alone.
    Diagonal,
}

/// Where in a list of sums is what: for each component and latent function `Σ w φφᵀ` and `Σ g φ`, then extra numbers that
/// belong to the method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// M of every latent function.
    counts: Vec<usize>,
    gram: Option<Gram>,
    components: usize,
    extra: usize,
}

/// The sums of one component and latent function.
#[derive(Clone, Copy, Debug)]
pub struct Part<'a> {
    /// `Σ w φφᵀ`, M×M of which the lower triangle counts, or its diagonal.
    pub gram: &'a [f64],
    /// `Σ g φ`
    pub shift: &'a [f64],
}

impl<'a> Part<'a> {
    /// `Σ w φφᵀ` where all of it is there.
    #[must_use]
    pub fn matrix(&self) -> MatRef<'a, f64> {
        let m = self.shift.len();
        MatRef::from_column_major_slice(self.gram, m, m)
    }
}

/// The same, to be added to.
#[derive(Debug)]
pub struct PartMut<'a> {
    /// As [`Part::gram`].
    pub gram: &'a mut [f64],
    /// As [`Part::shift`].
    pub shift: &'a mut [f64],
}

impl PartMut<'_> {
    /// As [`Part::matrix`].
    pub fn matrix(&mut self) -> MatMut<'_, f64> {
        let m = self.shift.len();
        MatMut::from_column_major_slice_mut(self.gram, m, m)
    }
}

impl Layout {
    /// Sums for one Gaussian over these numbers of inducing values, and so many extra numbers.
    #[must_use]
    pub fn new(counts: Vec<usize>, extra: usize) -> Self {
        Self { counts, gram: Some(Gram::Full), components: 1, extra }
    }

    /// The same for each component of a mixture.
    #[must_use]
    pub fn with_components(self, components: usize, gram: Gram) -> Self {
        Self { gram: Some(gram), components, ..self }
    }

    /// Only this many extra numbers, over the same latent functions.
    #[must_use]
    pub fn of_extra(&self, extra: usize) -> Self {
        Self { gram: None, components: 1, extra, ..self.clone() }
    }

    /// M of every latent function.
    #[must_use]
    pub fn counts(&self) -> &[usize] {
        &self.counts
    }

    /// K
    #[must_use]
    pub fn components(&self) -> usize {
        self.components
    }

    /// What is summed of products.
    #[must_use]
    pub fn gram(&self) -> Option<Gram> {
        self.gram
    }

    /// The length of the list.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "it is a length of something else")]
    pub fn len(&self) -> usize {
        self.extra_start() + self.extra
    }

    /// Numbers of one latent function.
    pub(super) fn part_len(&self, m: usize) -> usize {
        match self.gram {
            None => 0,
            Some(Gram::Full) => m * m + m,
            Some(Gram::Diagonal) => 2 * m,
        }
    }

    fn component_len(&self) -> usize {
        self.counts.iter().map(|&m| self.part_len(m)).sum()
    }

    /// Where the parts of a component are.
    pub(super) fn component(&self, component: usize) -> Range<usize> {
        let each = self.component_len();
        component * each..(component + 1) * each
    }

    fn extra_start(&self) -> usize {
        self.components * self.component_len()
    }

    fn range(&self, component: usize, latent: usize) -> Range<usize> {
        let before: usize = self.counts[..latent].iter().map(|&m| self.part_len(m)).sum();
        let start = component * self.component_len() + before;
        start..start + self.part_len(self.counts[latent])
    }

    /// The sums of one component and latent function.
    #[must_use]
    pub fn part<'a>(&self, sums: &'a [f64], component: usize, latent: usize) -> Part<'a> {
        let own = &sums[self.range(component, latent)];
        let (gram, shift) = own.split_at(own.len() - self.counts[latent]);
        Part { gram, shift }
    }

    /// The same, to be added to.
    pub fn part_mut<'a>(&self, sums: &'a mut [f64], component: usize, latent: usize) -> PartMut<'a> {
        split(&mut sums[self.range(component, latent)], self.counts[latent])
    }

    /// The parts of all components and latent functions, without the extra numbers.
    pub fn parts_mut<'a>(&self, sums: &'a mut [f64]) -> &'a mut [f64] {
        &mut sums[..self.extra_start()]
    }

    /// The extra numbers.
    #[must_use]
    pub fn extra<'a>(&self, sums: &'a [f64]) -> &'a [f64] {
        &sums[self.extra_start()..]
    }

    /// The extra numbers, to be written.
    pub fn extra_mut<'a>(&self, sums: &'a mut [f64]) -> &'a mut [f64] {
        &mut sums[self.extra_start()..]
    }
}

/// The numbers of one latent function with M inducing inputs.
pub(super) fn split(own: &mut [f64], m: usize) -> PartMut<'_> {
    let (gram, shift) = own.split_at_mut(own.len() - m);
    PartMut { gram, shift }
}

/// All that a pass adds up: numbers laid out by a [`Layout`], and gradients by the processes where these are asked for.
#[derive(Clone, Debug)]
pub struct Sums {
    /// Laid out as the pass was told.
    pub numbers: Vec<f64>,
    /// One per process, or none.
    pub gradients: Vec<PriorGradients>,
}

impl Sums {
    /// Zeros, without gradients.
    #[must_use]
    pub fn zeros(layout: &Layout) -> Self {
        Self { numbers: vec![0.0; layout.len()], gradients: Vec::new() }
    }

    /// Zeros, with gradients by these processes.
    #[must_use]
    pub fn with_gradients(layout: &Layout, processes: &[SparseProcess]) -> Self {
        let gradients = processes.iter().map(PriorGradients::zeros).collect();
        Self { numbers: vec![0.0; layout.len()], gradients }
    }
}

impl Partial for Sums {
    fn alike(&self) -> Self {
        self.clone()
    }

    fn is_alike(&self, other: &Self) -> bool {
        let gradients = self.gradients.iter().zip(&other.gradients);
        self.numbers.len() == other.numbers.len()
            && self.gradients.len() == other.gradients.len()
            && gradients.into_iter().all(|(a, b)| a.as_slice().len() == b.as_slice().len())
    }

    fn clear(&mut self) {
        self.numbers.fill(0.0);
        self.gradients.iter_mut().for_each(PriorGradients::clear);
    }

    fn add(&mut self, other: &Self) {
        self.numbers.iter_mut().zip(&other.numbers).for_each(|(sum, part)| *sum += part);
        for (sums, parts) in self.gradients.iter_mut().zip(&other.gradients) {
            let both = sums.as_mut_slice().iter_mut().zip(parts.as_slice());
            both.for_each(|(sum, part)| *sum += part);
        }
    }

    fn slices(&self) -> Vec<&[f64]> {
        let gradients = self.gradients.iter().map(PriorGradients::as_slice);
        std::iter::once(self.numbers.as_slice()).chain(gradients).collect()
    }

    fn slices_mut(&mut self) -> Vec<&mut [f64]> {
        let gradients = self.gradients.iter_mut().map(PriorGradients::as_mut_slice);
        std::iter::once(self.numbers.as_mut_slice()).chain(gradients).collect()
    }
}
