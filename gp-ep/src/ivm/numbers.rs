//! Short vectors on the stack.

use std::ops::{Deref, DerefMut};

/// Most latents kept on the stack.
pub(super) const FEW: usize = 6;

pub(super) type Column = Numbers<FEW>;

#[derive(Clone, Debug)]
pub(super) struct Numbers<const N: usize> {
    len: usize,
    few: [f64; N],
    many: Vec<f64>,
}

impl<const N: usize> Numbers<N> {
    pub(super) fn zeros(len: usize) -> Self {
        let many = if len > N { vec![0.0; len] } else { Vec::new() };
        Self { len, few: [0.0; N], many }
    }

    pub(super) fn of(numbers: &[f64]) -> Self {
        let mut found = Self::zeros(numbers.len());
        found.copy_from_slice(numbers);
        found
    }

    fn push(&mut self, number: f64) {
        if self.len == N {
            self.many.extend(self.few);
        }
        if self.len < N {
            self.few[self.len] = number;
        } else {
            self.many.push(number);
        }
        self.len += 1;
    }
}

impl<const N: usize> Deref for Numbers<N> {
    type Target = [f64];

    fn deref(&self) -> &[f64] {
        if self.len <= N { &self.few[..self.len] } else { &self.many }
    }
}

impl<const N: usize> DerefMut for Numbers<N> {
    fn deref_mut(&mut self) -> &mut [f64] {
        if self.len <= N { &mut self.few[..self.len] } else { &mut self.many }
    }
}

impl<const N: usize> FromIterator<f64> for Numbers<N> {
    fn from_iter<I: IntoIterator<Item = f64>>(numbers: I) -> Self {
        let mut found = Self::zeros(0);
        numbers.into_iter().for_each(|number| found.push(number));
        found
    }
}

impl<'a, const N: usize> IntoIterator for &'a Numbers<N> {
    type Item = &'a f64;
    type IntoIter = std::slice::Iter<'a, f64>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<const N: usize> PartialEq for Numbers<N> {
    fn eq(&self, other: &Self) -> bool {
        self[..] == other[..]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_any_length_keep_their_numbers() {
        for len in 0..8 {
            let numbers: Vec<f64> = (0..len).map(f64::from).collect();
            let collected: Numbers<3> = numbers.iter().copied().collect();
            assert_eq!((&collected[..], &Numbers::<3>::of(&numbers)), (&numbers[..], &collected));
            assert_eq!(Numbers::<3>::zeros(len as usize).len(), len as usize);
        }
    }
}
