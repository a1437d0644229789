//! Terminal progress: stage, detail, time.

use crate::shown::printable;
use crate::stages::Stages;
use std::io::{self, IsTerminal, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Time between updates; shorter commands show none.
const PAUSE: Duration = Duration::from_millis(250);
/// Maximum width; wrapped lines cannot be erased.
const WIDEST: usize = 79;
const CLEAR: &str = "\r\x1b[K";

/// Shared by clones; empty without terminal or with `--quiet`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Line(Option<Arc<Mutex<State>>>);

#[derive(Debug)]
struct State {
    stage: String,
    detail: String,
    begun: Instant,
    deadline: Option<Instant>,
    is_shown: bool,
}

impl Line {
    pub(crate) fn on_terminal() -> Self {
        if !io::stderr().is_terminal() {
            return Self::default();
        }
        let state = Arc::new(Mutex::new(State::new(Instant::now())));
        let line = Arc::downgrade(&state);
        thread::spawn(move || {
            loop {
                thread::sleep(PAUSE);
                let Some(state) = line.upgrade() else { return };
                locked(&state).draw(Instant::now());
            }
        });
        Self(Some(state))
    }

    pub(crate) fn stage(&self, stage: &str) {
        self.change(|state| {
            stage.clone_into(&mut state.stage);
            state.detail.clear();
        });
    }

    pub(crate) fn detail(&self, detail: impl FnOnce() -> String) {
        self.change(|state| state.detail = detail());
    }

    pub(crate) fn limit(&self, limit: Option<Duration>) {
        self.change(|state| state.deadline = limit.and_then(|limit| Instant::now().checked_add(limit)));
    }

    pub(crate) fn end(&self) {
        self.change(|state| {
            state.clear();
            state.stage.clear();
        });
    }

    pub(crate) fn aside<T>(&self, work: impl FnOnce() -> T) -> T {
        let Some(state) = &self.0 else { return work() };
        let mut state = locked(state);
        state.clear();
        work()
    }

    pub(crate) fn stages(&self) -> Stages {
        let line = self.clone();
        Stages::new(move |stage| line.stage(stage))
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        if let Some(state) = &self.0 {
            change(&mut locked(state));
        }
    }
}

impl State {
    fn new(begun: Instant) -> Self {
        Self { stage: String::new(), detail: String::new(), begun, deadline: None, is_shown: false }
    }

    fn draw(&mut self, now: Instant) {
        if !self.stage.is_empty() {
            self.is_shown = true;
            let _ = write!(io::stderr(), "{CLEAR}{}", self.text(now));
        }
    }

    fn clear(&mut self) {
        if std::mem::take(&mut self.is_shown) {
            let _ = write!(io::stderr(), "{CLEAR}");
        }
    }

    fn text(&self, now: Instant) -> String {
        let between = if self.detail.is_empty() { "" } else { ": " };
        let both = printable(&format!("{}{between}{}", self.stage, self.detail));
        let elapsed = duration(now.saturating_duration_since(self.begun));
        let left = self.deadline.map_or_else(String::new, |deadline| {
            format!(", {} left", duration(deadline.saturating_duration_since(now)))
        });
        let times = format!(" ({elapsed}{left})");
        let room = WIDEST.saturating_sub(times.chars().count());
        let fits = |text: &String| text.chars().count() <= room;
        // If both do not fit, the detail is more informative than the stage.
        let narrow = Some(&self.detail).filter(|detail| !detail.is_empty() && fits(detail));
        let what = if fits(&both) { &both } else { narrow.unwrap_or(&both) };
        if fits(what) {
            return format!("{what}{times}");
        }
        let short: String = what.chars().take(room.saturating_sub(1)).collect();
        format!("{short}…{times}")
    }
}

/// In the notation of `--time-limit`, rounded down.
fn duration(time: Duration) -> String {
    match time.as_secs() {
        seconds @ 0..60 => format!("{seconds}s"),
        seconds @ 60..3600 => format!("{}m{}s", seconds / 60, seconds % 60),
        seconds => format!("{}h{}m", seconds / 3600, seconds / 60 % 60),
    }
}

fn locked(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Erases the line first: both may be on one terminal.
pub(crate) struct BehindLine<'a> {
    out: &'a mut dyn Write,
    line: Line,
}

impl<'a> BehindLine<'a> {
    pub(crate) fn new(out: &'a mut dyn Write, line: Line) -> Self {
        Self { out, line }
    }
}

impl Write for BehindLine<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.line.end();
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(stage: &str, detail: &str) -> (State, Instant) {
        let begun = Instant::now();
        (State { stage: stage.to_owned(), detail: detail.to_owned(), ..State::new(begun) }, begun)
    }

    #[test]
    fn the_line_says_what_how_far_and_how_long() {
        let (mut state, begun) = state("reading t.csv", "");
        assert_eq!(state.text(begun), "reading t.csv (0s)");
        state.stage = "training".to_owned();
        state.detail = "iteration 3".to_owned();
        state.deadline = Some(begun + Duration::from_secs(100));
        let later = begun + Duration::from_millis(12_900);
        assert_eq!(state.text(later), "training: iteration 3 (12s, 1m27s left)");
        assert_eq!(state.text(begun + Duration::from_secs(7384)), "training: iteration 3 (2h3m, 0s left)");
    }

    #[test]
    fn the_line_never_breaks() {
        let (state, begun) = state(&format!("reading {}.csv", "ä".repeat(200)), "");
        let text = state.text(begun);
        assert_eq!(text.chars().count(), WIDEST);
        assert!(text.starts_with("reading ää") && text.ends_with("ä… (0s)"), "{text}");
    }

    #[test]
    fn how_far_it_is_goes_before_what_it_is() {
        let detail = "iteration 1234, log posterior -123456.789, gradient 1.2e-10";
        let (mut state, begun) = state("training", detail);
        state.deadline = Some(begun + Duration::from_secs(600));
        assert_eq!(state.text(begun), format!("{detail} (0s, 10m0s left)"));
    }

    #[test]
    fn without_a_terminal_there_is_none() {
        let line = Line::default();
        line.stage("training");
        line.detail(|| panic!("nobody is shown this"));
        assert_eq!(line.aside(|| 3), 3);
    }
}
