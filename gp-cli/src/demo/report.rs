//! Results as tables.

use super::data::Rows;
use crate::error::{CliError, ErrorKind};
use crate::metrics::{Forecast, LEVELS, Scores};
use gp_ep::ExactPosterior;
use gp_kernels::KernelExt;
use gp_optim::format_number;
use std::fmt::Write as _;
use std::io::{self, Write};

/// The level of the interval in `predictions.csv` and in the picture.
pub(super) const INTERVAL: f64 = 0.95;

/// The text of `predictions.csv`: one held-out row a line, numbers that read back to the same bits. Mean and variance are
/// those of an observation, and `lower` and `upper` enclose 95 % of them.
pub(super) fn predictions(rows: &Rows, forecasts: &[Forecast]) -> Result<String, CliError> {
    let mut text = String::from("x,y,mean,variance,lower,upper\n");
    for ((x, y), forecast) in rows.x[0].iter().zip(&rows.y).zip(forecasts) {
        let (lower, upper) = forecast.interval(INTERVAL)?;
        let cells = [*x, *y, forecast.mean, forecast.variance, lower, upper].map(format_number);
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{}", cells.join(","));
    }
    Ok(text)
}

/// Names and values of all parameters.
pub(super) fn parameters(posterior: &ExactPosterior) -> Vec<(String, f64)> {
    let kernel = posterior.kernel();
    let names = kernel.parameter_names().into_iter().map(|name| format!("kernel.{name}"));
    let noise = ("noise.variance".to_owned(), posterior.noise().variance());
    names.zip(kernel.parameter_values()).chain([noise]).collect()
}

/// Prints the table of scores.
pub(super) fn print(out: &mut dyn Write, gp: &Scores, mean: &Scores) -> Result<(), CliError> {
    match out.write_all(scores(gp, mean).as_bytes()).and_then(|()| out.flush()) {
        // Whoever read the table has read enough of it.
        Err(cause) if cause.kind() != io::ErrorKind::BrokenPipe => {
            Err(CliError::caused(ErrorKind::Io, "cannot print the results", cause))
        }
        _ => Ok(()),
    }
}

fn scores(gp: &Scores, mean: &Scores) -> String {
    let mut text = format!("{:<28}{:>10}{:>10}\n", "on held-out rows", "gp", "mean");
    let mut row = |name: &str, gp: String, mean: String| {
        let _ = writeln!(text, "{name:<28}{gp:>10}{mean:>10}");
    };
    row("root mean squared error", format!("{:.4}", gp.rmse), format!("{:.4}", mean.rmse));
    row("negative log density", format!("{:.4}", gp.nlpd), format!("{:.4}", mean.nlpd));
    for (level, (gp, mean)) in LEVELS.iter().zip(gp.coverage.iter().zip(&mean.coverage)) {
        let percent = |share: f64| format!("{:.1} %", 100.0 * share);
        row(&format!("inside the {:.0} % interval", 100.0 * level), percent(*gp), percent(*mean));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_aligned_under_their_header() {
        let gp = Scores { rmse: 0.21, nlpd: -0.125, coverage: [0.5, 0.75, 1.0] };
        let mean = Scores { rmse: 1.5, nlpd: 1.75, coverage: [0.25; 3] };
        let text = scores(&gp, &mean);
        assert_eq!(text.lines().count(), 6);
        assert!(text.lines().all(|line| line.chars().count() == 48), "{text}");
        assert!(text.contains("root mean squared error         0.2100    1.5000"), "{text}");
        assert!(text.contains("inside the 95 % interval       100.0 %    25.0 %"), "{text}");
    }

    #[test]
    fn a_closed_pipe_is_no_error_and_a_full_disk_is() {
        struct Broken(io::ErrorKind);
        impl Write for Broken {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(self.0.into())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let scores = Scores { rmse: 1.0, nlpd: 1.0, coverage: [0.5; 3] };
        assert!(print(&mut Broken(io::ErrorKind::BrokenPipe), &scores, &scores).is_ok());
        let refused = print(&mut Broken(io::ErrorKind::StorageFull), &scores, &scores).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::Io);
    }
}
