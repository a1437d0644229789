//! One fit with predictions, on one thread, timed.

use super::sound;
use super::tables::Table;
use gp_cli::Context;
use std::ffi::OsString;
use std::fs;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Maximum processor seconds per cell.
const MAX_SECONDS: f64 = 20.0;
/// Wall-clock limit.
const NO_END: Duration = Duration::from_secs(300);

pub(crate) struct Bench(TempDir);

pub(crate) struct Said {
    pub(crate) code: u8,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Bench {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// Fits and predicts; errors describe faults.
    pub(crate) fn cell(&self, table: &Table, method: &str, flags: &str) -> Result<(), String> {
        let path = |name: &str| self.0.path().join(name).to_str().unwrap().to_owned();
        let (data, model) = (path("t.csv"), path("m.gp"));
        fs::write(&data, &table.csv).unwrap();
        let fit = format!("fit {data} --target y --method {method} -o {model} --force {flags}");
        let predict = format!("predict {model} {data} --latent");
        let proba = if table.target.are_labels() { " --proba" } else { "" };
        let (sender, receiver) = mpsc::channel();
        let work = move || {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
            let (fit, predicted, seconds) = pool.install(|| {
                let before = processor_seconds();
                let fit = gp(&fit);
                let predicted = (fit.code == 0).then(|| gp(&(predict + proba)));
                (fit, predicted, processor_seconds() - before)
            });
            // After a timeout, the receiver is gone.
            let _ = sender.send((fit, predicted, seconds));
        };
        thread::spawn(work);
        let (fit, predicted, seconds) =
            receiver.recv_timeout(NO_END).map_err(|error| format!("no end or a panic: {error}"))?;
        if std::env::var_os("TORTURE_TIMES").is_some() {
            let last = fit.err.lines().find(|line| line.contains("converge")).unwrap_or_default();
            eprintln!("{seconds:6.2} s  {method:7} {:36} code {} {last}", table.name, fit.code);
        }
        if seconds > MAX_SECONDS {
            return Err(format!("{seconds:.1} s of the processor"));
        }
        match (table.refused, predicted) {
            (None, Some(predicted)) => sound::check(table, &fit, &predicted),
            (Some(why), None) if sound::is_refusal(&fit) && fit.err.contains(why) => Ok(()),
            (None, None)
                if table.refused_by.is_some_and(|(by, why)| {
                    by == method && sound::is_refusal(&fit) && fit.err.contains(why)
                }) =>
            {
                Ok(())
            }
            _ => Err(format!("code {}: {}", fit.code, fit.err)),
        }
    }
}

fn gp(line: &str) -> Said {
    let words = ["gp"].into_iter().chain(line.split_whitespace()).map(OsString::from);
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let code = gp_cli::run(&Context::built_in(), words, &mut out, &mut err);
    Said { code, out: String::from_utf8(out).unwrap(), err: String::from_utf8(err).unwrap() }
}

/// Processor time of this thread, otherwise wall-clock time.
fn processor_seconds() -> f64 {
    let counted = fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = counted.and_then(|text| text.split_whitespace().next()?.parse::<f64>().ok());
    thread_local!(static BEGUN: Instant = Instant::now());
    nanoseconds.map_or_else(|| BEGUN.with(|begun| begun.elapsed().as_secs_f64()), |spent| 1e-9 * spent)
}
