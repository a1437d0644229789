//! In-memory record of a run.

use super::descent::BATCH_VALUE;
use super::state::GradientState;
use super::vector::max_norm;
use argmin::core::observers::Observe;
use argmin::core::{Error, KV, KvValue, State};
use serde::{Deserialize, Serialize};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// One iteration of a run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Record {
    /// Number of iterations, 0 at the start.
    pub iteration: u64,
    /// Value of the objective or mini-batch.
    pub value: f64,
    /// Largest absolute gradient entry.
    pub gradient_norm: f64,
}

/// Observer of iterations, shared by clones.
///
/// ```
/// use gp_optim::argmin::core::observers::ObserverMode;
/// use gp_optim::{History, MinimiseOptions, minimise_with};
/// use std::convert::Infallible;
///
/// let parabola = |x: &[f64], gradient: &mut [f64]| {
///     gradient[0] = 2.0 * x[0];
///     Ok::<f64, Infallible>(x[0] * x[0])
/// };
/// let history = History::new();
/// minimise_with(parabola, &[3.0], &MinimiseOptions::default(), |run| {
///     run.add_observer(history.clone(), ObserverMode::Always)
/// })?;
/// let records = history.records();
/// assert_eq!((records[0].iteration, records[0].value, records[0].gradient_norm), (0, 9.0, 6.0));
/// assert!(records.windows(2).all(|pair| pair[1].value <= pair[0].value));
/// # Ok::<(), gp_optim::OptimError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct History {
    records: Arc<Mutex<Vec<Record>>>,
}

impl History {
    /// Empty history.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Records so far, in order.
    #[must_use]
    pub fn records(&self) -> Vec<Record> {
        self.lock().clone()
    }

    pub(super) fn note<P: Clone>(&self, iteration: u64, state: &GradientState<P>, kv: &KV) {
        self.push(Record::of(iteration, state, kv));
    }

    pub(super) fn set(&self, records: Vec<Record>) {
        *self.lock() = records;
    }

    fn push(&self, record: Record) {
        self.lock().push(record);
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Record>> {
        self.records.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Record {
    pub(super) fn of<P: Clone>(iteration: u64, state: &GradientState<P>, kv: &KV) -> Self {
        let gradient_norm = state.get_gradient().map_or(f64::NAN, |gradient| max_norm(gradient));
        let value = kv.get(BATCH_VALUE).and_then(KvValue::get_float).unwrap_or(state.get_cost());
        Self { iteration, value, gradient_norm }
    }
}

impl<P: Clone> Observe<GradientState<P>> for History {
    fn observe_init(&mut self, _name: &str, state: &GradientState<P>, kv: &KV) -> Result<(), Error> {
        self.note(0, state, kv);
        Ok(())
    }

    fn observe_iter(&mut self, state: &GradientState<P>, kv: &KV) -> Result<(), Error> {
        // argmin counts iterations after calling observers.
        self.note(state.get_iter() + 1, state, kv);
        Ok(())
    }
}
