//! Beliefs about latent values.

use super::LatentPrediction;

/// Gaussian beliefs about Q latent values per point.
#[derive(Clone, Debug, PartialEq)]
pub struct LatentBeliefs {
    functions: Vec<LatentPrediction>,
    behind: Behind,
}

#[derive(Clone, Debug, PartialEq)]
enum Behind {
    Independent,
    /// One entry per component (outermost) and latent function.
    Mixture(Vec<LatentPrediction>),
    /// N covariance matrices, Q×Q.
    Correlated(Vec<f64>),
}

impl LatentBeliefs {
    /// Independent Gaussians per latent function.
    #[must_use]
    pub fn independent(functions: Vec<LatentPrediction>) -> Self {
        Self { functions, behind: Behind::Independent }
    }

    /// Mixtures: overall and per-component (outermost) means and variances.
    #[must_use]
    pub fn mixture(functions: Vec<LatentPrediction>, components: Vec<LatentPrediction>) -> Self {
        Self { functions, behind: Behind::Mixture(components) }
    }

    /// Gaussians correlated within points: means and Q×Q covariances.
    #[must_use]
    pub fn correlated(means: &[Vec<f64>], covariances: Vec<f64>) -> Self {
        let latents = means.first().map_or(0, Vec::len);
        let variance = |point: usize, q: usize| covariances[(point * latents + q) * latents + q].max(0.0);
        let of = |q: usize| LatentPrediction {
            mean: means.iter().map(|mean| mean[q]).collect(),
            variance: (0..means.len()).map(|point| variance(point, q)).collect(),
        };
        let functions = (0..latents).map(of).collect();
        Self { functions, behind: Behind::Correlated(covariances) }
    }

    /// Adds offsets and noise variances to the first latent value; lists may be empty.
    #[must_use]
    pub fn moved(mut self, offsets: &[f64], variances: &[f64]) -> Self {
        let latents = self.functions.len().max(1);
        let shift = |belief: &mut LatentPrediction| {
            belief.mean.iter_mut().zip(offsets).for_each(|(mean, offset)| *mean += offset);
            belief.variance.iter_mut().zip(variances).for_each(|(variance, more)| *variance += more);
        };
        self.functions.iter_mut().take(1).for_each(shift);
        match &mut self.behind {
            Behind::Independent => {}
            Behind::Mixture(components) => components.iter_mut().step_by(latents).for_each(shift),
            Behind::Correlated(covariances) => {
                let firsts = covariances.iter_mut().step_by(latents * latents);
                firsts.zip(variances).for_each(|(variance, more)| *variance += more);
            }
        }
        self
    }

    /// Beliefs at these points, in order.
    ///
    /// # Panics
    /// If a point is missing.
    #[must_use]
    pub fn at_points(&self, points: &[usize]) -> Self {
        let some = |of: &LatentPrediction| LatentPrediction {
            mean: points.iter().map(|&i| of.mean[i]).collect(),
            variance: points.iter().map(|&i| of.variance[i]).collect(),
        };
        let size = self.functions.len() * self.functions.len();
        let behind = match &self.behind {
            Behind::Independent => Behind::Independent,
            Behind::Mixture(components) => Behind::Mixture(components.iter().map(some).collect()),
            Behind::Correlated(all) => {
                let of = |&i: &usize| all[i * size..(i + 1) * size].iter().copied();
                Behind::Correlated(points.iter().flat_map(of).collect())
            }
        };
        Self { functions: self.functions.iter().map(some).collect(), behind }
    }

    /// Beliefs about one latent function; None if missing or correlated.
    #[must_use]
    pub fn of_function(&self, latent: usize) -> Option<Self> {
        let own = vec![self.functions.get(latent)?.clone()];
        match &self.behind {
            Behind::Independent => Some(Self::independent(own)),
            Behind::Mixture(all) => {
                let components = all.iter().skip(latent).step_by(self.functions.len()).cloned();
                Some(Self::mixture(own, components.collect()))
            }
            Behind::Correlated(_) => None,
        }
    }

    /// Overall means and variances per latent function.
    #[must_use]
    pub fn functions(&self) -> &[LatentPrediction] {
        &self.functions
    }

    /// [`functions`](Self::functions), by value.
    #[must_use]
    pub fn into_functions(self) -> Vec<LatentPrediction> {
        self.functions
    }

    /// Number N of points.
    #[must_use]
    pub fn len(&self) -> usize {
        self.functions.first().map_or(0, |function| function.mean.len())
    }

    /// `true` without points.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Means and variances per component (outermost) and latent function.
    #[must_use]
    pub fn components(&self) -> &[LatentPrediction] {
        match &self.behind {
            Behind::Mixture(components) => components,
            Behind::Independent | Behind::Correlated(_) => &self.functions,
        }
    }

    /// Means and covariance (Q×Q) at a point, if correlated.
    #[must_use]
    pub fn at(&self, point: usize) -> Option<(Vec<f64>, &[f64])> {
        let Behind::Correlated(covariances) = &self.behind else { return None };
        let size = self.functions.len() * self.functions.len();
        let covariance = covariances.get(point * size..(point + 1) * size)?;
        Some((self.functions.iter().map(|function| function.mean[point]).collect(), covariance))
    }

    /// `true` if correlated within points.
    #[must_use]
    pub fn are_correlated(&self) -> bool {
        matches!(self.behind, Behind::Correlated(_))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(mean: [f64; 2], variance: [f64; 2]) -> LatentPrediction {
        LatentPrediction { mean: mean.to_vec(), variance: variance.to_vec() }
    }

    #[test]
    fn the_first_latent_value_moves_in_every_component() {
        let functions = vec![of([1.0, 2.0], [0.5, 0.6]), of([3.0, 4.0], [0.7, 0.8])];
        let components = [functions.clone(), functions.clone()].concat();
        let moved = LatentBeliefs::mixture(functions.clone(), components).moved(&[10.0, 20.0], &[0.1, 0.2]);
        let first = of([11.0, 22.0], [0.6, 0.8]);
        assert_eq!(moved.functions(), [first.clone(), functions[1].clone()]);
        let both = [first, functions[1].clone()];
        assert_eq!(moved.components(), [both.clone(), both].concat());
        let correlated =
            LatentBeliefs::correlated(&[vec![1.0, 2.0]], vec![0.5, 0.1, 0.1, 0.4]).moved(&[1.0], &[0.25]);
        let (mean, covariance) = correlated.at(0).unwrap();
        assert_eq!((mean, covariance), (vec![2.0, 2.0], &[0.75, 0.1, 0.1, 0.4][..]));
        assert_eq!(correlated.functions()[0].variance, [0.75]);
    }

    #[test]
    fn one_function_keeps_its_beliefs() {
        let functions = vec![of([1.0, 2.0], [0.5, 0.6]), of([3.0, 4.0], [0.7, 0.8])];
        let others = vec![of([5.0, 6.0], [0.1, 0.2]), of([7.0, 8.0], [0.3, 0.4])];
        let (own, other) = (vec![functions[1].clone()], others[1].clone());
        let independent = LatentBeliefs::independent(functions.clone());
        assert_eq!(independent.of_function(1), Some(LatentBeliefs::independent(own.clone())));
        assert_eq!(independent.of_function(2), None);
        let mixture = LatentBeliefs::mixture(functions.clone(), [functions, others].concat());
        let expected = LatentBeliefs::mixture(own.clone(), [own, vec![other]].concat());
        assert_eq!(mixture.of_function(1), Some(expected));
        let correlated = LatentBeliefs::correlated(&[vec![1.0, 2.0]], vec![0.5, 0.1, 0.1, 0.4]);
        assert_eq!(correlated.of_function(0), None);
    }

    #[test]
    fn some_points_keep_their_beliefs() {
        let functions = vec![of([1.0, 2.0], [0.5, 0.6]), of([3.0, 4.0], [0.7, 0.8])];
        let turned = vec![of([2.0, 1.0], [0.6, 0.5]), of([4.0, 3.0], [0.8, 0.7])];
        let independent = LatentBeliefs::independent(functions.clone());
        assert_eq!(independent.at_points(&[1, 0]), LatentBeliefs::independent(turned.clone()));
        let mixture = LatentBeliefs::mixture(functions.clone(), [functions.clone(), functions].concat());
        let expected = LatentBeliefs::mixture(turned.clone(), [turned.clone(), turned].concat());
        assert_eq!(mixture.at_points(&[1, 0]), expected);
        let means = [vec![1.0, 2.0], vec![3.0, 4.0]];
        let covariances = vec![0.5, 0.1, 0.1, 0.4, 0.7, 0.2, 0.2, 0.9];
        let correlated = LatentBeliefs::correlated(&means, covariances).at_points(&[1]);
        assert_eq!(correlated, LatentBeliefs::correlated(&means[1..], vec![0.7, 0.2, 0.2, 0.9]));
        assert!(independent.at_points(&[]).is_empty());
    }
}
