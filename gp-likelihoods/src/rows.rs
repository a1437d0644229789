//! Batches of observations with latent samples.

use crate::error::{LikelihoodError, check_count};

/// Error in one observation of a batch.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("observation {row}: {fault}")]
pub struct RowError {
    /// Row in its source.
    pub row: usize,
    /// Cause.
    #[source]
    pub fault: LikelihoodError,
}

/// Batch of observations.
#[derive(Clone, Copy, Debug)]
pub struct Targets<'a> {
    /// Rows in their source, for messages.
    pub numbers: &'a [usize],
    /// Observations, P values each.
    pub y: &'a [f64],
}

impl<'a> Targets<'a> {
    /// Number of observations.
    #[must_use]
    pub fn count(&self) -> usize {
        self.numbers.len()
    }

    /// Observation at a position of the batch.
    #[must_use]
    pub fn target(&self, place: usize) -> &'a [f64] {
        let outputs = self.y.len() / self.count();
        &self.y[place * outputs..(place + 1) * outputs]
    }

    /// Error in the observation at a position.
    #[must_use]
    pub fn fault(&self, place: usize, fault: LikelihoodError) -> RowError {
        RowError { row: self.numbers.get(place).copied().unwrap_or(place), fault }
    }

    /// Number S ≥ 1 of latent vectors per observation. Checks lengths: `values` latent values, `slots` results, `each`
    /// results per observation (default S).
    ///
    /// # Errors
    /// [`LikelihoodError::Count`] for a wrong length.
    pub fn samples(
        &self,
        (latents, outputs): (usize, usize),
        values: usize,
        (slots, each): (usize, Option<usize>),
    ) -> Result<usize, RowError> {
        let count = self.count();
        let samples = values.checked_div(count * latents).unwrap_or(0).max(1);
        let fits = |what: &'static str, found: usize, wanted: usize| {
            let checked = check_count(what, found, found == wanted, "that of the rows");
            checked.map_err(|error| self.fault(0, error))
        };
        fits("number of outputs", self.y.len(), count * outputs)?;
        fits("number of latent values", values, count * samples * latents)?;
        fits("number of slots", slots, count * each.unwrap_or(samples))?;
        Ok(samples)
    }
}

pub(crate) fn log_densities(
    rows: Targets<'_>,
    (latents, outputs): (usize, usize),
    f: &[f64],
    out: &mut [f64],
    of_row: impl Fn(&[f64], &[f64], &mut [f64]) -> Result<(), LikelihoodError>,
) -> Result<(), RowError> {
    let samples = rows.samples((latents, outputs), f.len(), (out.len(), None))?;
    let tables = f.chunks_exact(samples * latents);
    for (place, (f, out)) in tables.zip(out.chunks_exact_mut(samples)).enumerate() {
        let done = of_row(rows.target(place), f, out);
        done.map_err(|error| rows.fault(place, error))?;
    }
    Ok(())
}

/// Parameter values on the stack.
const FEW: usize = 16;

/// `of_sample` writes the derivatives at one latent vector.
pub(crate) fn mean_by_params(
    rows: Targets<'_>,
    (latents, outputs, count): (usize, usize, usize),
    f: &[f64],
    out: &mut [f64],
    of_sample: impl Fn(&[f64], &[f64], &mut [f64]) -> Result<(), LikelihoodError>,
) -> Result<(), RowError> {
    let samples = rows.samples((latents, outputs), f.len(), (out.len(), Some(count)))?;
    // On the stack, so that training steps do not allocate.
    let (mut few, mut many) = ([0.0; FEW], Vec::new());
    let slopes = if count <= FEW {
        &mut few[..count]
    } else {
        many.resize(count, 0.0);
        &mut many[..]
    };
    let tables = f.chunks_exact(samples * latents);
    for (place, (f, out)) in tables.zip(out.chunks_exact_mut(count.max(1))).enumerate() {
        out.fill(0.0);
        for f in f.chunks_exact(latents) {
            let done = of_sample(rows.target(place), f, slopes);
            done.map_err(|error| rows.fault(place, error))?;
            out.iter_mut().zip(&*slopes).for_each(|(sum, slope)| *sum += slope);
        }
        out.iter_mut().for_each(|sum| *sum /= samples as f64);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Adjusted, Likelihood as _, Poisson, parse};

    #[test]
    fn rows_are_asked_one_by_one_unless_a_likelihood_knows_better() {
        let likelihood = parse("student_t(scale=0.3, dof=4)").unwrap();
        let (rows, f) = (Targets { numbers: &[7, 9], y: &[0.5, -1.0] }, [0.1, 0.2, 0.3, -0.4, -0.5, -0.6]);
        let mut all = [0.0; 6];
        likelihood.log_densities_of_rows(rows, &f, &mut all).unwrap();
        let mut one = [0.0; 3];
        likelihood.log_densities(rows.target(1), &f[3..], &mut one).unwrap();
        assert_eq!(all[3..], one);

        let mut means = [0.0; 4];
        likelihood.mean_by_params_of_rows(rows, &f, &mut means).unwrap();
        let (mut sum, mut slopes) = ([0.0; 2], [0.0; 2]);
        for f in &f[3..] {
            likelihood.log_density_by_params(rows.target(1), &[*f], &mut slopes).unwrap();
            sum.iter_mut().zip(slopes).for_each(|(sum, slope)| *sum += slope / 3.0);
        }
        assert!((means[2] - sum[0]).abs() < 1e-14 && (means[3] - sum[1]).abs() < 1e-14);
    }

    #[test]
    fn columns_with_a_role_are_heeded_row_by_row() {
        let plain = Poisson::new(0.0).unwrap();
        let adjusted = Adjusted::new(Box::new(plain.clone()));
        let (mut found, mut expected) = ([0.0; 2], [0.0; 2]);
        let rows = Targets { numbers: &[0, 1], y: &[3.0, 0.5, 2.0, 1.0, -0.5, 1.0] };
        adjusted.log_densities_of_rows(rows, &[0.1, 0.2], &mut found).unwrap();
        let rows = Targets { numbers: &[0, 1], y: &[3.0, 1.0] };
        plain.log_densities_of_rows(rows, &[0.6, -0.3], &mut expected).unwrap();
        assert_eq!(found, expected);
    }

    #[test]
    fn errors_name_the_row() {
        let plain = Poisson::new(0.0).unwrap();
        let rows = Targets { numbers: &[4, 8, 15], y: &[1.0, 0.5, 2.0] };
        assert_eq!(plain.log_densities_of_rows(rows, &[0.0; 3], &mut [0.0; 3]).unwrap_err().row, 8);
        let rows = Targets { numbers: &[4, 8], y: &[1.0, 2.0] };
        assert!(plain.log_densities_of_rows(rows, &[0.0; 3], &mut [0.0; 3]).is_err());
        assert!(plain.log_densities_of_rows(rows, &[0.0; 2], &mut [0.0; 3]).is_err());
        let nothing = Targets { numbers: &[], y: &[] };
        assert!(plain.log_densities_of_rows(nothing, &[], &mut []).is_ok());
    }
}
