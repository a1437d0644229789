//! Time units of third-party formats.

const DAY: f64 = 86_400e6;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TimeUnit {
    Seconds,
    Millis,
    Micros,
    Nanos,
}

impl TimeUnit {
    /// Microseconds; cuts off nanoseconds.
    fn micros(self, count: i64) -> f64 {
        match self {
            Self::Seconds => 1e6 * count as f64,
            Self::Millis => 1e3 * count as f64,
            Self::Micros => count as f64,
            Self::Nanos => (count / 1000) as f64,
        }
    }

    pub(super) fn days(self, count: i64) -> f64 {
        self.micros(count) / DAY
    }

    pub(super) fn seconds(self, count: i64) -> f64 {
        match self {
            Self::Seconds => count as f64,
            Self::Millis => count as f64 / 1e3,
            Self::Micros => count as f64 / 1e6,
            Self::Nanos => count as f64 / 1e9,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_instant_in_every_unit() {
        let units = [
            (TimeUnit::Seconds, 1),
            (TimeUnit::Millis, 1_000),
            (TimeUnit::Micros, 1_000_000),
            (TimeUnit::Nanos, 1_000_000_000),
        ];
        for (unit, per_second) in units {
            assert_eq!(unit.days(129_600 * per_second), 1.5, "{unit:?}");
            assert_eq!(unit.seconds(-90 * per_second), -90.0, "{unit:?}");
        }
        assert_eq!(TimeUnit::Nanos.days(999), 0.0);
    }
}
