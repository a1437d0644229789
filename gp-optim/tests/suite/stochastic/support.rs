//! Sums of squares, and the path of a run.

use gp_optim::argmin::core::observers::{Observe, ObserverMode};
use gp_optim::argmin::core::{Error, KV, State};
use gp_optim::{
    Batch, Batches, Control, Descended, Descent, DescentOptions, DescentState, FullBatch, UpdateRule,
    descend_with,
};
use std::convert::Infallible;
use std::sync::{Arc, Mutex};

pub(crate) fn endless() -> DescentOptions {
    DescentOptions { gradient_tolerance: 0.0, value_tolerance: 0.0, plateau: u64::MAX, ..Default::default() }
}

#[derive(Clone, Default)]
pub(crate) struct Path(Arc<Mutex<Vec<Vec<f64>>>>);

impl Path {
    pub(crate) fn points(&self) -> Vec<Vec<f64>> {
        self.0.lock().unwrap().clone()
    }
}

impl Observe<DescentState> for Path {
    fn observe_init(&mut self, _name: &str, state: &DescentState, _kv: &KV) -> Result<(), Error> {
        self.observe_iter(state, _kv)
    }

    fn observe_iter(&mut self, state: &DescentState, _kv: &KV) -> Result<(), Error> {
        self.0.lock().unwrap().push(state.get_param().unwrap().to_vec());
        Ok(())
    }
}

/// `½ (x₀ − 1)² + ½ · 25 (x₁ + 2)² + x₀ x₁`, gradient
pub(crate) fn bowl(x: &[f64]) -> (f64, [f64; 2]) {
    let (a, b) = (x[0] - 1.0, x[1] + 2.0);
    (0.5 * a * a + 12.5 * b * b + x[0] * x[1], [a + x[1], 25.0 * b + x[0]])
}

pub(crate) fn bowl_objective(x: &[f64], gradient: &mut [f64]) -> Result<f64, Infallible> {
    let (value, slope) = bowl(x);
    gradient.copy_from_slice(&slope);
    Ok(value)
}

pub(crate) fn path<R: UpdateRule + 'static>(rule: R, steps: u64) -> Vec<Vec<f64>> {
    let solver = Descent::with_options(rule, Batches::whole(1).unwrap(), endless()).unwrap();
    let path = Path::default();
    descend_with(FullBatch(bowl_objective), &[3.0, 1.0], solver, steps, &Control::new(), |run| {
        run.add_observer(path.clone(), ObserverMode::Always)
    })
    .unwrap();
    path.points()
}

/// `½ Σᵢ |x − yᵢ|²`, two coordinates, batches.
#[derive(Clone)]
pub(crate) struct Squares {
    pub(crate) data: Vec<[f64; 2]>,
}

impl Squares {
    pub(crate) fn new(n: u32) -> Self {
        let data = (0..n).map(|i| [f64::from(i % 7), f64::from(i * i % 11) - 3.0]).collect();
        Self { data }
    }

    pub(crate) fn mean(&self) -> [f64; 2] {
        let n = self.data.len() as f64;
        [0, 1].map(|k| self.data.iter().map(|y| y[k]).sum::<f64>() / n)
    }

    pub(crate) fn evaluate(&self, x: &[f64], batch: Batch<'_>, gradient: &mut [f64]) -> f64 {
        gradient.fill(0.0);
        let mut value = 0.0;
        for &i in batch.indices {
            for k in 0..2 {
                let error = x[k] - self.data[i][k];
                value += 0.5 * batch.weight * error * error;
                gradient[k] += batch.weight * error;
            }
        }
        value
    }

    pub(crate) fn objective(
        &self,
    ) -> impl FnMut(&[f64], Batch<'_>, &mut [f64]) -> Result<f64, Infallible> + 'static {
        let squares = self.clone();
        move |x: &[f64], batch: Batch<'_>, gradient: &mut [f64]| Ok(squares.evaluate(x, batch, gradient))
    }
}

pub(crate) fn bits(end: &Descended) -> Vec<u64> {
    end.x.iter().chain(&end.value).chain(&end.epoch_value).map(|x| x.to_bits()).collect()
}
