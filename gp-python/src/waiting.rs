//! Long work without the interpreter, which an interrupt ends.

use gp_optim::Interrupt;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

/// Time between two looks at signals.
const PAUSE: Duration = Duration::from_millis(50);

/// Does work in threads of its own, so many as are said or as there are processors, and raises what a handler of a signal
/// raises meanwhile, once the work has ended.
///
/// The threads end with the work: a process may fork before and after it, which a pool that stays would not survive.
pub(crate) fn watched<T: Send>(
    py: Python<'_>,
    threads: Option<usize>,
    work: impl FnOnce(&Interrupt) -> T + Send,
) -> PyResult<T> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.unwrap_or(0)).build();
    let pool = pool.map_err(|cause| PyValueError::new_err(format!("cannot start threads: {cause}")))?;
    let (interrupt, is_done, waiting) = (Interrupt::new(), AtomicBool::new(false), thread::current());
    thread::scope(|scope| {
        let worker = scope.spawn(|| {
            let outcome = pool.install(|| work(&interrupt));
            is_done.store(true, Ordering::Release);
            waiting.unpark();
            outcome
        });
        let mut raised = None;
        while !is_done.load(Ordering::Acquire) && !worker.is_finished() {
            py.detach(|| thread::park_timeout(PAUSE));
            if let Err(error) = py.check_signals() {
                interrupt.request();
                raised.get_or_insert(error);
            }
        }
        let outcome = py.detach(|| worker.join());
        match (raised, outcome) {
            (Some(error), _) => Err(error),
            (None, Ok(outcome)) => Ok(outcome),
            (None, Err(_)) => Err(PyRuntimeError::new_err("the computation ended by a fault of the program")),
        }
    })
}
