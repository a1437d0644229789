//! Early stop of long computations.
//!
//! A [`StopCondition`] is polled between panels and blocks, on any thread; once true, it must stay true until the work
//! has ended. [`until`] sets it for one computation, [`StopCondition::adopt`] for the rest of a thread. Discard the
//! output of stopped operations; not all return [`LinalgError::Stopped`].

use crate::error::LinalgError;
use std::cell::RefCell;
use std::fmt;
use std::sync::Arc;

thread_local! {
    static CONDITIONS: RefCell<Vec<StopCondition>> = const { RefCell::new(Vec::new()) };
}

/// Condition that stops long computations.
#[derive(Clone)]
pub struct StopCondition(Arc<dyn Fn() -> bool + Send + Sync>);

impl StopCondition {
    /// Stops the work once `is_over` returns true.
    pub fn new(is_over: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Self(Arc::new(is_over))
    }

    /// Sets the condition for the thread's remaining work.
    pub fn adopt(&self) {
        CONDITIONS.with_borrow_mut(|halts| halts.push(self.clone()));
    }
}

impl fmt::Debug for StopCondition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("StopCondition")
    }
}

/// Runs `work` under this condition, on all threads.
///
/// # Errors
/// [`LinalgError::Stopped`].
pub fn until<R>(halt: &StopCondition, work: impl FnOnce() -> R) -> Result<R, LinalgError> {
    if (halt.0)() {
        return Err(LinalgError::Stopped);
    }
    let found = {
        let _held = Held::new(std::slice::from_ref(halt));
        work()
    };
    if (halt.0)() { Err(LinalgError::Stopped) } else { Ok(found) }
}

/// `true` if the calling thread's work should stop.
#[must_use]
pub fn is_over() -> bool {
    CONDITIONS.with_borrow(|halts| halts.iter().any(|halt| (halt.0)()))
}

pub(crate) fn go_on() -> Result<(), LinalgError> {
    if is_over() { Err(LinalgError::Stopped) } else { Ok(()) }
}

/// Stop conditions of the calling thread, for [`within`].
#[must_use]
pub fn here() -> Vec<StopCondition> {
    CONDITIONS.with_borrow(Clone::clone)
}

/// Runs `work` under another thread's conditions ([`here`]).
pub fn within<R>(halts: &[StopCondition], work: impl FnOnce() -> R) -> R {
    let _held = Held::new(halts);
    work()
}

struct Held(usize);

impl Held {
    fn new(halts: &[StopCondition]) -> Self {
        CONDITIONS.with_borrow_mut(|own| {
            let before = own.len();
            own.extend_from_slice(halts);
            Self(before)
        })
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        CONDITIONS.with_borrow_mut(|own| own.truncate(self.0));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::product::matmul;
    use crate::{Cholesky, JitterPolicy, Threading};
    use faer::{Accum, Mat};
    use std::sync::atomic::{AtomicUsize, Ordering};

    fn after(count: usize) -> (StopCondition, Arc<AtomicUsize>) {
        let asked = Arc::new(AtomicUsize::new(0));
        let counter = asked.clone();
        (StopCondition::new(move || counter.fetch_add(1, Ordering::Relaxed) >= count), asked)
    }

    #[test]
    fn a_product_ends_between_blocks_on_every_thread() {
        let a = Mat::from_fn(600, 600, |i, j| (i * 7 + j) as f64 * 1e-3);
        for threading in [Threading::Here, Threading::Pool] {
            let mut out = Mat::zeros(600, 600);
            let (halt, asked) = after(3);
            let ended =
                until(&halt, || matmul(out.as_mut(), Accum::Replace, a.as_ref(), a.as_ref(), 1.0, threading));
            assert!(ended.is_err() && asked.load(Ordering::Relaxed) > 3);
            // Skipped blocks are unchanged.
            assert!((0..600).any(|j| (0..600).all(|i| i < 300 || out[(i, j)] == 0.0)));
        }
        assert!(!is_over());
    }

    #[test]
    fn a_factorisation_ends_between_panels() {
        let n = 1500;
        let a = Mat::from_fn(n, n, |i, j| if i == j { 2.0 } else { 0.5f64.powi(1 + i.abs_diff(j) as i32) });
        let (halt, _) = after(2);
        let mut factor = Cholesky::empty();
        let ended = until(&halt, || factor.refactor(a.as_ref(), &JitterPolicy::ladder()));
        assert!(ended.is_err() && factor.dim() == 0);
        let (never, asked) = after(usize::MAX);
        until(&never, || factor.refactor(a.as_ref(), &JitterPolicy::none())).unwrap().unwrap();
        assert!(asked.load(Ordering::Relaxed) > 4 && factor.dim() == n);
    }

    #[test]
    fn work_that_is_over_does_not_begin() {
        let (halt, _) = after(0);
        let mut has_begun = false;
        assert_eq!(until(&halt, || has_begun = true), Err(LinalgError::Stopped));
        assert!(!has_begun);
    }
}
