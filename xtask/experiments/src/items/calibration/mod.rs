//! Coverage of `gp` intervals on drawn functions.

mod draw;
mod score;

use crate::error::ExperimentError;
use crate::grid::Show::{Scores, Text};
use crate::grid::{At, Grid};
use crate::harness::{Effort, Outcome};
use crate::methods::command::printed;
use crate::methods::scores::timed;
use draw::Drawn;
use std::ffi::OsStr;
use std::path::Path;

const TESTED: usize = 200;

/// Kind of observations, and `gp fit` flags.
pub(super) struct Way {
    labels: bool,
    flags: &'static str,
}

const fn numbers(flags: &'static str) -> Way {
    Way { labels: false, flags }
}

const fn labels(flags: &'static str) -> Way {
    Way { labels: true, flags }
}

pub(super) const CALIBRATION: Grid<Way> = Grid {
    name: "calibration",
    title: "coverage of the intervals of `gp` on functions drawn from a process",
    about: "Our own question: calibration by simulation. A function of standard normal inputs is drawn from a \
         process with a squared exponential, whose length-scales are log-uniform between 1 and 5. `numbers` are its \
         values (of variance 1) with noise of standard deviation 0.2; `labels` are drawn with probability Φ of its \
         values (of variance 4), again if all N are equal. `gp fit` learns from N rows with only `--target` and the \
         method; M is given if a setting has it. For 200 further rows, the coverage of intervals of 50, 80 and 95 % \
         is counted: for numbers of the observation, for labels of the function value, by a normal distribution with \
         the latent mean and variance. `interval score` is the mean width of the 95 % interval plus forty times the \
         distance of values outside it, divided by the standard deviation of the true values; it is small for narrow \
         intervals that cover. A split is a new draw of everything; standard errors are of means over draws.\n\n\
         Reduced form: 20 draws instead of 200, N = 40 and 100.",
    takes: ["hours", "2 minutes"],
    data: &["N=30", "N=40", "N=100", "N=1000"],
    settings: &["D=2", "D=2;M=8", "D=5"],
    methods: &[
        ("exact", numbers("--method exact")),
        ("exact, parameters known", numbers("--method exact --parameters known")),
        ("pep", numbers("--method pep")),
        ("vfe", numbers("--method vfe")),
        ("fitc", numbers("--method fitc")),
        ("ep", numbers("--method ep --likelihood gaussian(variance=0.1)")),
        ("sep", numbers("--method sep")),
        ("labels, ep", labels("--method ep")),
        ("labels, svgp", labels("--method svgp")),
        ("labels, sep", labels("--method sep")),
        ("labels, savigp", labels("--method savigp --components 2 --covariance diagonal")),
        ("labels, ivm", labels("--method ivm")),
    ],
    splits: [200, 20],
    words: [&["N=40", "N=100", "D=2", "D=2;M=8"], &["N=40", "D=2;M=8", "pep", "labels, ep"]],
    has: |_, cell, how| !(cell.setting.contains("M=") && how.flags.contains("exact")),
    run,
    show: &[
        Scores("coverage 95", "Coverage of the 95 % interval", 3),
        Scores("coverage 80", "Coverage of the 80 % interval", 3),
        Scores("coverage 50", "Coverage of the 50 % interval", 3),
        Scores("interval score", "Interval score", 3),
        Text("Processor seconds per fit:"),
        Scores("seconds", "", 2),
    ],
    ..Grid::EMPTY
};

fn run(at: &At<'_, Way>) -> Result<Outcome, ExperimentError> {
    let rows = crate::grid::number(&at.cell.data, "N").ok_or_else(|| at.cell.unknown())? as usize;
    let drawn = Drawn::new((rows, TESTED), at.number("D")? as usize, at.how.labels, at.seed())?;
    let folder = tempfile::tempdir()?;
    let [training, test, model] = ["train.csv", "test.csv", "model.gp"].map(|name| folder.path().join(name));
    std::fs::write(&training, drawn.table(0..rows))?;
    std::fs::write(&test, drawn.table(rows..rows + TESTED))?;
    let (_, seconds) = timed(|| fit(at, &training, &model))?;
    let predict = |level: &str| {
        let words = [OsStr::new("predict"), model.as_os_str(), test.as_os_str()];
        // Labels have no intervals of their own.
        let asked = if at.how.labels { &["--latent"][..] } else { &["--interval", level] };
        let flags: Vec<&OsStr> = asked.iter().map(OsStr::new).collect();
        printed(&at.context.names, &[&words[..], &flags].concat())
    };
    let outcome = score::of(drawn.truth(rows..rows + TESTED, at.how.labels), at.how.labels, predict)?;
    Ok(outcome.with("seconds", seconds).by(Effort::ended("stopping rule of `gp fit`", 0)))
}

fn fit(at: &At<'_, Way>, training: &Path, model: &Path) -> Result<(), ExperimentError> {
    let seed = at.seed().to_string();
    let inducing = at.number("M").ok().map(|count| count.to_string());
    let mut words = vec![OsStr::new("fit"), training.as_os_str(), OsStr::new("--output"), model.as_os_str()];
    words.extend(["--target", "y", "--seed", &seed].map(OsStr::new));
    words.extend(at.how.flags.split(' ').map(OsStr::new));
    if let Some(count) = &inducing {
        words.extend(["--inducing", count].map(OsStr::new));
    }
    printed(&at.context.names, &words).map(|_| ())
}
