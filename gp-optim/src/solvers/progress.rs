//! Progress line on a terminal.

use super::history::Record;
use super::state::GradientState;
use argmin::core::observers::Observe;
use argmin::core::{Error, KV, State};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Line on standard error, if a terminal: iteration, value, gradient norm.
#[derive(Clone, Debug)]
pub struct Progress {
    bar: ProgressBar,
    begun: bool,
}

impl Default for Progress {
    fn default() -> Self {
        Self::new()
    }
}

impl Progress {
    /// Line redrawn eight times per second.
    #[must_use]
    pub fn new() -> Self {
        Self::on(ProgressDrawTarget::stderr_with_hz(8))
    }

    fn on(target: ProgressDrawTarget) -> Self {
        Self { bar: ProgressBar::with_draw_target(None, target), begun: false }
    }

    /// Bar only with an iteration limit.
    fn begin<P: Clone>(&mut self, name: &str, state: &GradientState<P>) {
        let bounded = state.get_max_iters() < u64::MAX;
        let template = if bounded {
            "{prefix} [{bar:20}] {pos}/{len} {msg} ({eta} left at most)"
        } else {
            "{prefix} {pos} {msg} ({elapsed})"
        };
        // An invalid template must not end a run.
        let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
        self.bar.set_style(style);
        self.bar.set_prefix(name.to_owned());
        if bounded {
            self.bar.set_length(state.get_max_iters());
        }
        self.begun = true;
    }

    fn show(&self, record: Record) {
        self.bar.set_position(record.iteration);
        self.bar.set_message(format!("value {:.6e}, gradient {:.1e}", record.value, record.gradient_norm));
    }
}

impl<P: Clone> Observe<GradientState<P>> for Progress {
    fn observe_init(&mut self, name: &str, state: &GradientState<P>, kv: &KV) -> Result<(), Error> {
        self.begin(name, state);
        self.show(Record::of(0, state, kv));
        Ok(())
    }

    fn observe_iter(&mut self, state: &GradientState<P>, kv: &KV) -> Result<(), Error> {
        // argmin does not announce resumed runs.
        if !self.begun {
            self.begin("resumed", state);
        }
        self.show(Record::of(state.get_iter() + 1, state, kv));
        Ok(())
    }

    fn observe_final(&mut self, _state: &GradientState<P>) -> Result<(), Error> {
        self.bar.finish_and_clear();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solvers::{DescentState, LbfgsState};

    #[test]
    fn the_line_follows_the_run_and_ends_with_it() {
        let mut progress = Progress::on(ProgressDrawTarget::hidden());
        let mut state = LbfgsState::new();
        state = state.max_iters(40).cost(2.5).gradient(vec![0.0, -3.0]);
        progress.observe_init("Adam", &state, &KV::new()).unwrap();
        assert_eq!((progress.bar.prefix().as_str(), progress.bar.length()), ("Adam", Some(40)));
        state.iter = 6;
        progress.observe_iter(&state, &KV::new()).unwrap();
        assert_eq!(progress.bar.position(), 7);
        assert_eq!(progress.bar.message(), "value 2.500000e0, gradient 3.0e0");
        progress.observe_final(&state).unwrap();
        assert!(progress.bar.is_finished());
    }

    #[test]
    fn a_run_that_is_resumed_has_its_length_too() {
        let mut progress = Progress::on(ProgressDrawTarget::hidden());
        let mut state = LbfgsState::new();
        state = state.max_iters(40);
        state.iter = 30;
        progress.observe_iter(&state, &KV::new()).unwrap();
        assert_eq!((progress.bar.position(), progress.bar.length()), (31, Some(40)));
    }

    #[test]
    fn budgets_without_end_have_no_length() {
        let mut progress = Progress::on(ProgressDrawTarget::hidden());
        progress.observe_init("Adam", &DescentState::new(), &KV::new()).unwrap();
        assert_eq!(progress.bar.length(), None);
    }
}
