//! Stopwatch for training.

use cpu_time::ThreadTime;

/// Processor time of the calling thread.
#[derive(Clone, Copy, Debug)]
pub struct Stopwatch {
    start: ThreadTime,
    paused: f64,
}

impl Stopwatch {
    /// Starts now.
    #[must_use]
    pub fn start() -> Self {
        Self { start: ThreadTime::now(), paused: 0.0 }
    }

    /// Seconds since the start, without pauses.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        self.start.elapsed().as_secs_f64() - self.paused
    }

    /// Runs work without counting its time.
    pub fn pause<T>(&mut self, work: impl FnOnce() -> T) -> T {
        let before = ThreadTime::now();
        let result = work();
        self.paused += before.elapsed().as_secs_f64();
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spin() -> f64 {
        (1..4_000_000).map(|k| 1.0 / f64::from(k)).sum()
    }

    #[test]
    fn pauses_do_not_count() {
        let mut watch = Stopwatch::start();
        assert!(spin() > 1.0);
        let worked = watch.seconds();
        assert!(watch.pause(spin) > 1.0);
        assert!(worked > 0.0);
        // The pause was as long as the work before it; without it, almost no time has passed.
        assert!(watch.seconds() - worked < 0.5 * worked, "{worked} and {}", watch.seconds());
    }
}
