//! Coverage and interval scores.

use crate::error::ExperimentError;
use crate::harness::Outcome;

/// Levels, score names, half-widths in standard deviations.
const LEVELS: [(&str, &str, f64); 3] = [
    ("0.5", "coverage 50", 0.674_489_750_196_081_7),
    ("0.8", "coverage 80", 1.281_551_565_544_600_4),
    ("0.95", "coverage 95", 1.959_963_984_540_054),
];
const OUTSIDE: f64 = 2.0 / 0.05;

/// Coverage per level; interval score at 95 % over the standard deviation of `truth`.
pub(super) fn of(
    truth: &[f64],
    labels: bool,
    predict: impl Fn(&str) -> Result<String, ExperimentError>,
) -> Result<Outcome, ExperimentError> {
    let (mut outcome, mut widest) = (Outcome::default(), Vec::new());
    for (level, name, deviations) in LEVELS {
        let table = predict(level)?;
        widest = if labels { of_function(&table, deviations)? } else { columns(&table, ["lower", "upper"])? };
        outcome = outcome.with(name, coverage(truth, &widest));
    }
    Ok(outcome.with("interval score", interval_score(truth, &widest) / spread(truth)))
}

fn of_function(table: &str, deviations: f64) -> Result<Vec<[f64; 2]>, ExperimentError> {
    let moments = columns(table, ["latent_mean", "latent_variance"])?;
    let interval = |[mean, variance]: [f64; 2]| {
        let half = deviations * variance.sqrt();
        [mean - half, mean + half]
    };
    Ok(moments.into_iter().map(interval).collect())
}

fn columns(table: &str, names: [&str; 2]) -> Result<Vec<[f64; 2]>, ExperimentError> {
    let missing = || ExperimentError::Command { code: 0, said: format!("no columns {names:?} of numbers") };
    let mut lines = table.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let header = lines.next().ok_or_else(missing)?;
    let place = |name| header.iter().position(|known| *known == name).ok_or_else(missing);
    let places = [place(names[0])?, place(names[1])?];
    let number = |cells: &[&str], place: usize| cells.get(place)?.parse().ok();
    let row = |cells: Vec<&str>| Some([number(&cells, places[0])?, number(&cells, places[1])?]);
    lines.map(|cells| row(cells).ok_or_else(missing)).collect()
}

fn coverage(truth: &[f64], intervals: &[[f64; 2]]) -> f64 {
    let inside = truth.iter().zip(intervals).filter(|(y, [low, high])| low <= *y && *y <= high).count();
    inside as f64 / truth.len() as f64
}

fn interval_score(truth: &[f64], intervals: &[[f64; 2]]) -> f64 {
    let cost = |(y, [low, high]): (&f64, &[f64; 2])| {
        high - low + OUTSIDE * ((low - y).max(0.0) + (y - high).max(0.0))
    };
    truth.iter().zip(intervals).map(cost).sum::<f64>() / truth.len() as f64
}

fn spread(truth: &[f64]) -> f64 {
    let count = truth.len() as f64;
    let mean = truth.iter().sum::<f64>() / count;
    (truth.iter().map(|y| (y - mean).powi(2)).sum::<f64>() / count).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_counted_and_cost_what_they_should() {
        let table = |_: &str| Ok("mean,lower,upper\n0,-1,1\n0,-1,1\n0,-1,1\n0,-1,1\n".to_owned());
        let found = of(&[0.0, -1.0, 2.0, 3.0], false, table).unwrap().scores;
        assert_eq!((found["coverage 95"], found["coverage 50"]), (0.5, 0.5));
        // Widths of 2, and 40 times (1 + 2) over four rows; a variance of 2.5.
        assert!((found["interval score"] - (2.0 + 30.0) / 2.5f64.sqrt()).abs() < 1e-12);
    }

    #[test]
    fn intervals_of_functions_are_those_of_normal_distributions() {
        let found = of_function("label,latent_mean,latent_variance\n1,2,4\n", 1.5).unwrap();
        assert_eq!(found, [[-1.0, 5.0]]);
        assert!(of_function("label\n1\n", 1.0).is_err());
        assert!(columns("lower,upper\n,1\n", ["lower", "upper"]).is_err());
    }
}
