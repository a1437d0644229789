//! An objective seen as a function of some of its parameters.

use crate::objective::Objective;

/// The objective with all parameters but some held where they are.
pub(super) struct Restricted<'a, O> {
    objective: &'a mut O,
    x: Vec<f64>,
    gradient: Vec<f64>,
    moved: &'a [usize],
}

impl<'a, O> Restricted<'a, O> {
    /// `moved` are positions in `x`.
    pub(super) fn new(objective: &'a mut O, x: &[f64], moved: &'a [usize]) -> Self {
        Self { objective, x: x.to_vec(), gradient: vec![0.0; x.len()], moved }
    }
}

impl<O: Objective> Objective for Restricted<'_, O> {
    type Error = O::Error;

    fn evaluate(&mut self, part: &[f64], gradient: &mut [f64]) -> Result<f64, O::Error> {
        self.moved.iter().zip(part).for_each(|(&i, value)| self.x[i] = *value);
        // An entry that the objective forgets to write must not pass for a derivative.
        self.gradient.fill(f64::NAN);
        let value = self.objective.evaluate(&self.x, &mut self.gradient)?;
        self.moved.iter().zip(gradient).for_each(|(&i, entry)| *entry = self.gradient[i]);
        Ok(value)
    }
}
