//! Integrals of one label over correlated latents.

use super::nodes::Nodes;
use super::numbers::Column;
use super::small::{Root, Square, dot};
use crate::error::InferenceError;
use gp_likelihoods::{Latent, LatentDerivatives, Likelihood, PointDerivatives, Workspace};

/// Likelihood `p(y | γ u + β)`, intercepts β, nodes.
#[derive(Clone, Copy, Debug)]
pub(super) struct ObservationModel<'m> {
    pub(super) likelihood: &'m dyn Likelihood,
    pub(super) intercepts: &'m [f64],
    pub(super) nodes: &'m Nodes,
    /// `true` if only differences of latents matter.
    pub(super) coupled: bool,
}

/// Gaussian belief about one observation's Q latents.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ClassBelief {
    pub(super) mean: Column,
    pub(super) covariance: Square,
}

impl ClassBelief {
    pub(super) fn zeros(latents: usize) -> Self {
        Self { mean: Column::zeros(latents), covariance: Square::zeros(latents) }
    }
}

#[derive(Clone, Debug, Default)]
pub(super) struct IntegralScratch {
    /// Latents by node.
    pub(super) latents: Vec<f64>,
    pub(super) values: Vec<f64>,
    /// Scratch: nodes by latent.
    pub(super) rows: Vec<f64>,
    point: PointDerivatives,
    pub(super) slopes: LatentDerivatives,
    pub(super) workspace: Workspace,
}

#[derive(Clone, Debug)]
pub(super) struct Expected {
    pub(super) value: f64,
    pub(super) by_mean: Column,
    /// By entries of the covariance matrix; symmetric.
    pub(super) by_covariance: Square,
}

impl ObservationModel<'_> {
    pub(super) fn latents(&self) -> usize {
        self.intercepts.len()
    }

    pub(super) fn classes(&self) -> usize {
        self.likelihood.support().classes()
    }

    pub(super) fn latent(&self, q: &ClassBelief) -> Result<Latent, InferenceError> {
        Ok(Latent::new(q.mean[0] + self.intercepts[0], q.covariance[(0, 0)])?)
    }

    /// `γ(h + R s) + β` per node s.
    pub(super) fn place(&self, gamma: f64, q: &ClassBelief, root: &Root, at: &mut IntegralScratch) {
        let (latents, count) = (self.latents(), self.nodes.count());
        at.values.resize(count, 0.0);
        at.latents.resize(count * latents, 0.0);
        // Contiguous values of one latent, then spread out.
        at.rows.resize(count, 0.0);
        let row = &mut at.rows[..count];
        for (c, (mean, intercept)) in q.mean.iter().zip(self.intercepts).enumerate() {
            let slopes = root.root.row(c).iter().map(|root| gamma * root);
            self.nodes.line(gamma * mean + intercept, slopes, row);
            let places = at.latents[c..].iter_mut().step_by(latents);
            places.zip(&*row).for_each(|(place, value)| *place = *value);
        }
    }

    /// `E log p(y | u + β)`, exact derivatives of the node sum.
    pub(super) fn expectation(
        &self,
        y: f64,
        q: &ClassBelief,
        at: &mut IntegralScratch,
    ) -> Result<Expected, InferenceError> {
        let latents = self.latents();
        if latents == 1 {
            let q = [self.latent(q)?];
            self.likelihood.expected_log_density(&[y], &q, &mut at.workspace, &mut at.slopes)?;
            let by_covariance = Square::from_rows(1, &at.slopes.by_variance[..1]);
            return Ok(Expected {
                value: at.slopes.value,
                by_mean: Column::of(&at.slopes.by_mean[..1]),
                by_covariance,
            });
        }
        let root = Root::new(&q.covariance, self.coupled);
        self.place(1.0, q, &root, at);
        let (mut value, count) = (0.0, self.nodes.count());
        // Slopes times weights.
        at.rows.resize(count * latents, 0.0);
        for (k, (node, weight)) in at.latents.chunks_exact(latents).zip(self.nodes.weights()).enumerate() {
            self.likelihood.log_density_slopes(&[y], node, &mut at.point)?;
            value += weight * at.point.value;
            let places = at.rows[k..].iter_mut().step_by(count);
            places.zip(&at.point.by_latent).for_each(|(place, slope)| *place = weight * slope);
        }
        let by_mean = at.rows.chunks_exact(count).map(|row| row.iter().sum()).collect();
        let mut by_root = Square::zeros(latents);
        for (i, slopes) in at.rows.chunks_exact(count).enumerate() {
            for (j, s) in self.nodes.coordinates().enumerate() {
                // Half of g sᵀ and half of its transpose, since the root is symmetric.
                let half = 0.5 * dot(slopes, s);
                by_root[(i, j)] += half;
                by_root[(j, i)] += half;
            }
        }
        Ok(Expected { value, by_mean, by_covariance: root.reverse(&by_root) })
    }

    pub(super) fn probabilities(
        &self,
        q: &ClassBelief,
        at: &mut IntegralScratch,
    ) -> Result<Vec<f64>, InferenceError> {
        let mut out = vec![0.0; self.classes()];
        if self.latents() == 1 {
            self.likelihood.class_probabilities(&[self.latent(q)?], &mut at.workspace, &mut out)?;
            return Ok(out);
        }
        let root = Root::new(&q.covariance, self.coupled);
        self.place(1.0, q, &root, at);
        for (class, probability) in out.iter_mut().enumerate() {
            let label = self.likelihood.support().label(class);
            self.likelihood.log_densities(&[label], &at.latents, &mut at.values)?;
            let weighted = at.values.iter().zip(self.nodes.weights()).map(|(log_p, w)| w * log_p.exp());
            // Rules with negative weights can give negative probabilities.
            *probability = weighted.sum::<f64>().max(0.0);
        }
        let total: f64 = out.iter().sum();
        out.iter_mut().for_each(|probability| *probability /= total);
        Ok(out)
    }

    pub(super) fn given(&self, latents: &[f64]) -> Result<Column, InferenceError> {
        let shifted: Column = latents.iter().zip(self.intercepts).map(|(u, beta)| u + beta).collect();
        let probability = |class: usize| {
            let (label, mut log_p) = (self.likelihood.support().label(class), [0.0]);
            self.likelihood.log_densities(&[label], &shifted, &mut log_p)?;
            Ok(log_p[0].exp())
        };
        (0..self.classes()).map(probability).collect()
    }
}
