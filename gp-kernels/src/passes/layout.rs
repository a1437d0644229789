//! Layout of sums.

use crate::data::Partial;
use crate::inducing::{PriorGradients, SparseProcess};
use faer::{MatMut, MatRef};
use std::ops::Range;
use std::sync::Arc;

/// Part of `Σ w φφᵀ` that is summed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gram {
    /// Lower triangle, M×M.
    Full,
    /// Diagonal only.
    Diagonal,
}

/// `Σ w φφᵀ` and `Σ g φ` per component and latent function, then extra numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    counts: Vec<usize>,
    gram: Option<Gram>,
    components: usize,
    extra: usize,
}

/// Sums per component and latent function.
#[derive(Clone, Copy, Debug)]
pub struct Part<'a> {
    /// `Σ w φφᵀ`: lower triangle (M×M) or diagonal.
    pub gram: &'a [f64],
    /// `Σ g φ`
    pub shift: &'a [f64],
}

impl<'a> Part<'a> {
    /// `Σ w φφᵀ` (M×M, lower triangle) for [`Gram::Full`].
    #[must_use]
    pub fn matrix(&self) -> MatRef<'a, f64> {
        let m = self.shift.len();
        MatRef::from_column_major_slice(self.gram, m, m)
    }
}

/// Mutable [`Part`].
#[derive(Debug)]
pub struct PartMut<'a> {
    /// Mutable [`Part::gram`].
    pub gram: &'a mut [f64],
    /// Mutable [`Part::shift`].
    pub shift: &'a mut [f64],
}

impl PartMut<'_> {
    /// [`Part::matrix`], mutable.
    pub fn matrix(&mut self) -> MatMut<'_, f64> {
        let m = self.shift.len();
        MatMut::from_column_major_slice_mut(self.gram, m, m)
    }
}

impl Layout {
    /// One component, M per latent function in `counts`, `extra` numbers.
    #[must_use]
    pub fn new(counts: Vec<usize>, extra: usize) -> Self {
        Self { counts, gram: Some(Gram::Full), components: 1, extra }
    }

    /// Sets mixture components and summed part of `Σ w φφᵀ`.
    #[must_use]
    pub fn with_components(self, components: usize, gram: Gram) -> Self {
        Self { gram: Some(gram), components, ..self }
    }

    /// Same latent functions, `extra` numbers only.
    #[must_use]
    pub fn of_extra(&self, extra: usize) -> Self {
        Self { gram: None, components: 1, extra, ..self.clone() }
    }

    /// M per latent function.
    #[must_use]
    pub fn counts(&self) -> &[usize] {
        &self.counts
    }

    /// Number K of components.
    #[must_use]
    pub fn components(&self) -> usize {
        self.components
    }

    /// Summed part of `Σ w φφᵀ`, if any.
    #[must_use]
    pub fn gram(&self) -> Option<Gram> {
        self.gram
    }

    /// Total length.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "it is a length of something else")]
    pub fn len(&self) -> usize {
        self.extra_start() + self.extra
    }

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

    /// Sums per component and latent function.
    #[must_use]
    pub fn part<'a>(&self, sums: &'a [f64], component: usize, latent: usize) -> Part<'a> {
        let own = &sums[self.range(component, latent)];
        let (gram, shift) = own.split_at(own.len() - self.counts[latent]);
        Part { gram, shift }
    }

    /// [`part`](Self::part), mutable.
    pub fn part_mut<'a>(&self, sums: &'a mut [f64], component: usize, latent: usize) -> PartMut<'a> {
        split(&mut sums[self.range(component, latent)], self.counts[latent])
    }

    /// Non-redundant ranges: columns of `Σ w φφᵀ` from the diagonal down (or its diagonal), `Σ g φ`.
    pub fn triangles(&self) -> impl Iterator<Item = Range<usize>> {
        let counts = (0..self.components).flat_map(|_| self.counts.iter().copied());
        let mut start = 0;
        counts.flat_map(move |m| {
            let first = start;
            start += self.part_len(m);
            let columns = if self.gram == Some(Gram::Full) { m } else { 0 };
            let columns = (0..columns).map(move |j| first + j * m + j..first + (j + 1) * m);
            columns.chain(std::iter::once(start - self.beside_columns(m)..start))
        })
    }

    /// Length outside triangle columns.
    fn beside_columns(&self, m: usize) -> usize {
        match self.gram {
            None => 0,
            Some(Gram::Full) => m,
            Some(Gram::Diagonal) => 2 * m,
        }
    }

    /// All sums without extra numbers, mutable.
    pub fn parts_mut<'a>(&self, sums: &'a mut [f64]) -> &'a mut [f64] {
        &mut sums[..self.extra_start()]
    }

    /// Extra numbers.
    #[must_use]
    pub fn extra<'a>(&self, sums: &'a [f64]) -> &'a [f64] {
        &sums[self.extra_start()..]
    }

    /// [`extra`](Self::extra), mutable.
    pub fn extra_mut<'a>(&self, sums: &'a mut [f64]) -> &'a mut [f64] {
        &mut sums[self.extra_start()..]
    }
}

pub(super) fn split(own: &mut [f64], m: usize) -> PartMut<'_> {
    let (gram, shift) = own.split_at_mut(own.len() - m);
    PartMut { gram, shift }
}

/// Numbers in a [`Layout`], optional gradients.
#[derive(Clone, Debug)]
pub struct Sums {
    /// Sums in the pass's layout.
    pub numbers: Vec<f64>,
    gradients: Vec<PriorGradients>,
    reverse: bool,
    /// Non-redundant ranges, exchanged between processes.
    travels: Arc<[Range<usize>]>,
}

impl Sums {
    /// Zeros, without gradients.
    #[must_use]
    pub fn zeros(layout: &Layout) -> Self {
        let extra = layout.extra_start()..layout.len();
        let travels = layout.triangles().chain(std::iter::once(extra)).collect();
        Self { numbers: vec![0.0; layout.len()], gradients: Vec::new(), reverse: false, travels }
    }

    /// Zeros, with gradients per process.
    #[must_use]
    pub fn with_gradients(layout: &Layout, processes: &[SparseProcess]) -> Self {
        let gradients = processes.iter().map(PriorGradients::zeros).collect();
        Self { gradients, reverse: true, ..Self::zeros(layout) }
    }

    /// Turns gradients on or off, keeping memory.
    pub fn set_reverse(&mut self, reverse: bool) {
        self.reverse = reverse;
    }

    /// One per sparse process; empty if off.
    #[must_use]
    pub fn gradients(&self) -> &[PriorGradients] {
        if self.reverse { &self.gradients } else { &[] }
    }

    /// [`gradients`](Self::gradients), mutable.
    pub fn gradients_mut(&mut self) -> &mut [PriorGradients] {
        if self.reverse { &mut self.gradients } else { &mut [] }
    }

    pub(super) fn all_gradients(&mut self) -> &mut [PriorGradients] {
        if !self.reverse {
            self.gradients.iter_mut().for_each(PriorGradients::clear);
        }
        &mut self.gradients
    }
}

impl Partial for Sums {
    fn alike(&self) -> Self {
        let (numbers, travels) = (vec![0.0; self.numbers.len()], Arc::clone(&self.travels));
        Self { numbers, gradients: self.gradients().to_vec(), reverse: self.reverse, travels }
    }

    fn is_alike(&self, other: &Self) -> bool {
        let gradients = self.gradients().iter().zip(other.gradients());
        self.numbers.len() == other.numbers.len()
            && self.gradients().len() == other.gradients().len()
            && gradients.into_iter().all(|(a, b)| a.as_slice().len() == b.as_slice().len())
    }

    fn clear(&mut self) {
        self.numbers.fill(0.0);
        self.gradients_mut().iter_mut().for_each(PriorGradients::clear);
    }

    fn add(&mut self, other: &Self) {
        self.numbers.iter_mut().zip(&other.numbers).for_each(|(sum, part)| *sum += part);
        for (sums, parts) in self.gradients_mut().iter_mut().zip(other.gradients()) {
            let both = sums.as_mut_slice().iter_mut().zip(parts.as_slice());
            both.for_each(|(sum, part)| *sum += part);
        }
    }

    fn pack(&self, into: &mut Vec<f64>) {
        self.travels.iter().for_each(|range| into.extend_from_slice(&self.numbers[range.clone()]));
        self.gradients().iter().for_each(|gradients| into.extend_from_slice(gradients.as_slice()));
    }

    fn unpack(&mut self, from: &[f64]) {
        let mut rest = from;
        let mut fill = |out: &mut [f64]| {
            let (own, later) = rest.split_at(out.len());
            out.copy_from_slice(own);
            rest = later;
        };
        self.travels.iter().for_each(|range| fill(&mut self.numbers[range.clone()]));
        self.gradients_mut().iter_mut().for_each(|gradients| fill(gradients.as_mut_slice()));
    }
}
