//! Long computations that can be interrupted, without the interpreter lock.

use gp_linalg::stop_condition::StopCondition;
use gp_optim::Interrupt;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

/// Interval between checks for signals.
const PAUSE: Duration = Duration::from_millis(20);

/// Runs `work` in a new pool of `threads` threads, by default one per processor. If a signal handler raises an
/// exception, the work is interrupted, and the exception is raised after the work has ended.
///
/// The pool ends with the work, because it would not survive a fork of the process.
pub(crate) fn watched<T: Send>(
    py: Python<'_>,
    threads: Option<usize>,
    interrupt: &Interrupt,
    work: impl FnOnce() -> T + Send,
) -> PyResult<T> {
    let flag = interrupt.clone();
    let halt = StopCondition::new(move || flag.is_requested());
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.unwrap_or(0));
    let pool = pool.start_handler(move |_| halt.adopt()).build();
    let pool = pool.map_err(|cause| PyValueError::new_err(format!("cannot start threads: {cause}")))?;
    let (is_done, waiting) = (AtomicBool::new(false), thread::current());
    thread::scope(|scope| {
        let worker = scope.spawn(|| {
            let outcome = pool.install(work);
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
