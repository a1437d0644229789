//! Hernández-Lobato & Hernández-Lobato 2016, right Figure 3: digit parity by number of workers.

use crate::error::ExperimentError;
use crate::grid::{Grid, Show, number};
use crate::harness::{Form, Outcome, Record, Results};
use crate::methods::classify::{Method, Setup};
use crate::methods::fitted::Learned;
use crate::methods::scores;
use crate::report::{Block, Scale, Summary, levels};
use cpu_time::ProcessTime;
use std::collections::BTreeSet;
use std::time::Instant;

const DATA: &str = "mnist-b";
const METHODS: [(&str, Method); 2] = [("sep", Method::OwnSites), ("svi", Method::Variational)];

pub(super) const WORKERS: Grid<Method> = Grid {
    name: "003-figure-3-workers",
    title: "odd and even MNIST digits by the number of threads, by scalable EP and variational inference",
    about: "From the paper: 60,000 training and 10,000 test images, full-batch training by SEP (one site per \
         observation, sweeps alternating with steps) and SVI (L-BFGS), with the data divided among a growing number \
         of workers. Ours are threads of one process: T = 1, 2, 4, … up to the number of processors. The paper's \
         number of inducing points is unknown; we chose M = 200 as in its next experiment. The rest is as in \
         `003-table-1`, except pixels between 0 and 1 and length-scales of 0.3 √784; 250 iterations. Runs are \
         sequential, regardless of `--threads`. `wall` is wall-clock time on an otherwise idle machine, `seconds` \
         processor time of all threads, both of training; the bits compared are those of the probabilities of all \
         test images. The figure gives no numbers to compare with. In the paper, training times fall up to six \
         workers, and errors do not depend on their number.\n\n\
         Reduced form: the first 10,000 images, 20 iterations.",
    takes: ["2 hours", "3 minutes"],
    data: &[DATA],
    // A pool may have more threads than processors, so any machine can run every setting.
    more_settings: |form| {
        let all = std::thread::available_parallelism().map_or(1, usize::from);
        let most = if form == Form::Quick { 2 } else { all };
        counts(most).into_iter().map(|count| format!("T={count}")).collect()
    },
    methods: &METHODS,
    run: |at| {
        let (mut split, threads) = (at.split()?, at.number("T")? as usize);
        let count = at.choose(60_000, 10_000, 100).min(split.training.len());
        split.training = split.training.rows(&(0..count).collect::<Vec<_>>());
        let setup = Setup::new(&split, at.choose(200, 200, 10), at.choose(250, 20, 3), 1);
        let setup = Setup { lengthscale: 0.3, ..setup };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        pool.map_err(|cause| ExperimentError::Files(cause.to_string()))?.install(|| timed(&setup, *at.how))
    },
    protocol: 2,
    is_alone: true,
    show: &[Show::Own(show)],
    ..Grid::EMPTY
};

fn counts(most: usize) -> Vec<usize> {
    (0..usize::BITS).map(|k| 1 << k).take_while(|count| *count < most).chain([most]).collect()
}

fn timed(setup: &Setup<'_>, method: Method) -> Result<Outcome, ExperimentError> {
    let (clock, processor) = (Instant::now(), ProcessTime::now());
    let Learned { fitted, effort } = setup.learned(method)?;
    let (wall, seconds) = (clock.elapsed().as_secs_f64(), processor.elapsed().as_secs_f64());
    let (p, _) = scores::probabilities(fitted.as_ref(), setup.split.test.inputs.as_ref())?;
    let outcome = scores::of_labels(fitted.as_ref(), &setup.split.test, seconds)?;
    Ok(outcome.with("wall", wall).with("bits", fingerprint(&p)).by(effort))
}

fn show(results: &Results) -> Vec<Block> {
    let threads = |record: &Record| number(&record.cell.setting, "T").map(|threads| threads as usize);
    let numbers: BTreeSet<usize> = results.records().filter_map(threads).collect();
    let names: Vec<(String, f64)> = numbers.iter().map(|t| (format!("T={t}"), *t as f64)).collect();
    let settings: Vec<_> = names.iter().map(|(name, t)| (name.as_str(), Some(*t))).collect();
    let methods = METHODS.map(|(name, _)| name);
    let axes = ["threads", "wall"];
    let picture = levels(results, "003-workers-wall", DATA, &settings, &methods, axes, Scale::Log);
    [table(results, &settings)].into_iter().chain(picture).collect()
}

/// FNV-1a hash of 52 bits, exact in `f64`.
fn fingerprint(table: &faer::Mat<f64>) -> f64 {
    let bytes = (0..table.ncols()).flat_map(|j| table.col(j).iter().flat_map(|x| x.to_le_bytes()));
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    (hash >> 12) as f64
}

fn table(results: &Results, settings: &[(&str, Option<f64>)]) -> Block {
    let of = |setting: &str, method: &str, score: &str| {
        Summary::of(&results.scores(DATA, setting, method, score)).map(|found| found.mean)
    };
    let text =
        |value: Option<f64>, digits: usize| value.map_or("–".to_owned(), |v| format!("{v:.digits$}"));
    let mut rows = Vec::new();
    for (method, _) in METHODS {
        for (setting, _) in settings {
            let value = |score: &str| of(setting, method, score);
            let Some(wall) = value("wall") else { continue };
            let first = of("T=1", method, "bits").zip(value("bits")).map(|(one, own)| one == own);
            rows.push(vec![
                method.to_owned(),
                setting.trim_start_matches("T=").to_owned(),
                text(Some(wall), 1),
                text(of("T=1", method, "wall").map(|one| one / wall), 2),
                text(value("seconds"), 1),
                text(value("error"), 4),
                text(value("nll"), 4),
                first.map_or("–", |same| if same { "yes" } else { "no" }).to_owned(),
            ]);
        }
    }
    let header =
        ["method", "threads", "wall", "speed-up", "seconds", "error", "nll", "same bits as one thread"];
    Block::table(header, rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use faer::Mat;

    #[test]
    fn counts_are_powers_of_two_and_the_last() {
        assert_eq!(counts(1), [1]);
        assert_eq!(counts(4), [1, 2, 4]);
        assert_eq!(counts(6), [1, 2, 4, 6]);
    }

    #[test]
    fn a_fingerprint_sees_the_last_bit() {
        let one = Mat::from_fn(3, 2, |i, j| (i + 2 * j) as f64);
        let mut other = one.clone();
        assert_eq!(fingerprint(&one), fingerprint(&other));
        other[(2, 1)] += other[(2, 1)] * f64::EPSILON;
        assert_ne!(fingerprint(&one), fingerprint(&other));
    }
}
