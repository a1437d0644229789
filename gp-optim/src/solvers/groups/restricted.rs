//! Problem restricted to some of its parameters.

use argmin::core::{CostFunction, Error, Gradient};
use std::cell::RefCell;

pub(super) struct Restricted<'a, O> {
    whole: &'a O,
    // argmin evaluates through a shared reference.
    x: RefCell<Vec<f64>>,
    moved: &'a [usize],
}

impl<'a, O> Restricted<'a, O> {
    pub(super) fn new(whole: &'a O, x: &[f64], moved: &'a [usize]) -> Self {
        Self { whole, x: RefCell::new(x.to_vec()), moved }
    }

    fn at<T>(&self, part: &[f64], of: impl FnOnce(&Vec<f64>) -> T) -> T {
        let mut x = self.x.borrow_mut();
        self.moved.iter().zip(part).for_each(|(&i, value)| x[i] = *value);
        of(&x)
    }
}

impl<O: CostFunction<Param = Vec<f64>, Output = f64>> CostFunction for Restricted<'_, O> {
    type Param = Vec<f64>;
    type Output = f64;

    fn cost(&self, part: &Vec<f64>) -> Result<f64, Error> {
        self.at(part, |x| self.whole.cost(x))
    }
}

impl<O: Gradient<Param = Vec<f64>, Gradient = Vec<f64>>> Gradient for Restricted<'_, O> {
    type Param = Vec<f64>;
    type Gradient = Vec<f64>;

    fn gradient(&self, part: &Vec<f64>) -> Result<Vec<f64>, Error> {
        let whole = self.at(part, |x| self.whole.gradient(x))?;
        // NaN for entries that a short gradient lacks.
        Ok(self.moved.iter().map(|&i| whole.get(i).copied().unwrap_or(f64::NAN)).collect())
    }
}
