//! Samples of several observations; log densities in one call.

use super::Sampling;
use super::draws::Nodes;
use gp_likelihoods::{Latent, Likelihood, RowError, Targets, parameter_count};

#[derive(Debug, Default)]
pub(super) struct Samples {
    latents: usize,
    params: usize,
    each: usize,
    /// S×Q normal numbers per observation, latent values.
    t: Vec<f64>,
    f: Vec<f64>,
    values: Vec<f64>,
    /// Mean derivatives by parameters.
    by_params: Vec<f64>,
    drawn: Vec<f64>,
}

impl Samples {
    /// Samples several observations in one component; `q`: concatenated beliefs.
    pub(super) fn fill(
        &mut self,
        (likelihood, rows): (&dyn Likelihood, Targets<'_>),
        q: &[Latent],
        component: usize,
        (sampling, nodes): (&Sampling, &Nodes),
    ) -> Result<(), RowError> {
        (self.latents, self.params) = (likelihood.latents(), parameter_count(likelihood.parameters()));
        let Self { latents, params, each, t, f, values, by_params, drawn } = self;
        t.clear();
        f.clear();
        for (q, &row) in q.chunks_exact(*latents).zip(rows.numbers) {
            nodes.draw(sampling, (row, component), *latents, drawn);
            t.extend_from_slice(drawn);
            for t in drawn.chunks_exact(*latents) {
                f.extend(q.iter().zip(t).map(|(q, t)| q.mean() + q.variance().sqrt() * t));
            }
            *each = drawn.len() / *latents;
        }
        values.clear();
        values.resize(rows.count() * *each, 0.0);
        likelihood.log_densities_of_rows(rows, f, values)?;
        by_params.clear();
        by_params.resize(rows.count() * *params, 0.0);
        if *params > 0 { likelihood.mean_by_params_of_rows(rows, f, by_params) } else { Ok(()) }
    }

    pub(super) fn of(&self, place: usize) -> (&[f64], &[f64]) {
        let size = self.each * self.latents;
        let values = &self.values[place * self.each..(place + 1) * self.each];
        (&self.t[place * size..(place + 1) * size], values)
    }

    pub(super) fn by_params(&self, place: usize) -> &[f64] {
        &self.by_params[place * self.params..(place + 1) * self.params]
    }
}
