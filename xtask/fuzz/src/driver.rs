//! Runs readers in separate processes.

use crate::error::FuzzError;
use crate::failures;
use crate::inputs::Inputs;
use crate::watched::Watched;
use crate::worker::HUNG;
use gp_cli::fuzzing::{Reading, TARGETS};
use serde_json::{Value, json};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Test the readers of the gp command on random inputs
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Total time in minutes
    #[arg(long, value_name = "N", conflicts_with = "seconds")]
    minutes: Option<f64>,
    /// Total time in seconds
    #[arg(long, value_name = "N", default_value_t = 60.0)]
    seconds: f64,
    /// Number of inputs per reader, instead of a total time
    #[arg(long, value_name = "N", conflicts_with_all = ["minutes", "seconds"], value_parser = clap::value_parser!(u64).range(1..))]
    executions: Option<u64>,
    /// Readers to test (default: all)
    #[arg(long, value_name = "NAME", num_args = 1.., value_parser = clap::builder::PossibleValuesParser::new(TARGETS.map(|(name, _)| name)))]
    target: Vec<String>,
    /// Random seed of the inputs
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Number of readers tested in parallel
    #[arg(long, value_name = "N", default_value_t = 2)]
    jobs: usize,
    /// Test only this input; the file name starts with its reader
    #[arg(long, value_name = "FILE")]
    replay: Option<PathBuf>,
}

const MAX_ENDS: usize = 10;

/// Makes glibc keep freed memory, for speed.
const KEPT_MEMORY: [(&str, &str); 3] = [
    ("MALLOC_MMAP_THRESHOLD_", "1000000000"),
    ("MALLOC_TRIM_THRESHOLD_", "1000000000"),
    ("MALLOC_TOP_PAD_", "67108864"),
];

/// In-memory folder of some systems.
const SHARED_MEMORY: &str = "/dev/shm";

const ENDLESS: Duration = Duration::from_secs(3_000_000);

#[derive(Clone, Copy, Debug)]
struct Limit {
    time: Duration,
    executions: u64,
}

impl Limit {
    fn less(self, time: Duration, executions: u64) -> Option<Self> {
        let left =
            Self { time: self.time.checked_sub(time)?, executions: self.executions.checked_sub(executions)? };
        (!left.time.is_zero() && left.executions > 0).then_some(left)
    }
}

#[derive(Debug, Default)]
struct Course {
    executions: u64,
    seconds: f64,
    read: u64,
    reasons: u64,
    failures: Vec<Value>,
}

pub(crate) fn run(args: &Args, folder: &Path, out: &mut dyn Write) -> Result<(), FuzzError> {
    fs::create_dir_all(folder).map_err(|source| FuzzError::Unwritable { path: folder.to_owned(), source })?;
    if let Some(file) = &args.replay {
        return replay(file, out);
    }
    let names: Vec<&str> = match args.target.as_slice() {
        [] => TARGETS.iter().map(|(name, _)| *name).collect(),
        some => some.iter().map(String::as_str).collect(),
    };
    let jobs = args.jobs.clamp(1, names.len());
    let seconds = args.minutes.map_or(args.seconds, |minutes| 60.0 * minutes);
    let share = Duration::from_secs_f64((seconds * jobs as f64 / names.len() as f64).max(0.01));
    let each = match args.executions {
        Some(executions) => Limit { time: ENDLESS, executions },
        None => Limit { time: share, executions: u64::MAX },
    };
    let left = Mutex::new(names.iter().rev().copied().collect::<Vec<_>>());
    let next = || left.lock().ok().and_then(|mut left| left.pop());
    let work = || -> Result<Vec<(&str, Course)>, FuzzError> {
        let mut found = Vec::new();
        while let Some(name) = next() {
            found.push((name, course(name, args.seed, each, folder)?));
        }
        Ok(found)
    };
    let found: Result<Vec<_>, FuzzError> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..jobs).map(|_| scope.spawn(work)).collect();
        let ended = |_| FuzzError::Worker(std::io::Error::other("a thread ended"));
        workers.into_iter().map(|worker| worker.join().map_err(ended)?).collect()
    });
    let mut found: Vec<(&str, Course)> = found?.into_iter().flatten().collect();
    found.sort_by_key(|(name, _)| names.iter().position(|known| known == name));
    report(&found, out)
}

/// Tests a reader; continues after a crash.
fn course(name: &str, seed: u64, limit: Limit, folder: &Path) -> Result<Course, FuzzError> {
    let (mut course, start, mut from) = (Course::default(), Instant::now(), 0);
    let progress = folder.join(format!("{name}.at"));
    while let Some(left) = limit.less(start.elapsed(), course.executions) {
        let output = worker(name, seed, from, left, &progress)?;
        if output.status.success() {
            let said = String::from_utf8_lossy(&output.stdout).into_owned();
            let told: Value =
                serde_json::from_str(&said).map_err(|_| FuzzError::Silent { name: name.to_owned(), said })?;
            course.add(&told);
            break;
        }
        let at = fs::read(&progress).ok().and_then(|bytes| Some(u64::from_le_bytes(bytes.try_into().ok()?)));
        let at = at.ok_or_else(|| FuzzError::Silent {
            name: name.to_owned(),
            said: String::from_utf8_lossy(&output.stderr).into_owned(),
        })?;
        course.executions += at + 1 - from;
        let file = failures::save(folder, name, &Inputs::of(name)?.input(seed, at))?;
        course.failures.push(json!({ "what": ended(&output), "file": file }));
        from = at + 1;
        if course.failures.len() >= MAX_ENDS {
            break;
        }
    }
    course.seconds = start.elapsed().as_secs_f64();
    Ok(course)
}

fn ended(output: &Output) -> String {
    if output.status.code() == Some(HUNG) {
        return "did not end".to_owned();
    }
    let said = String::from_utf8_lossy(&output.stderr);
    format!("{}: {}", output.status, said.lines().find(|line| !line.is_empty()).unwrap_or_default())
}

fn worker(name: &str, seed: u64, from: u64, left: Limit, progress: &Path) -> Result<Output, FuzzError> {
    let mut command = Command::new(std::env::current_exe().map_err(FuzzError::Worker)?);
    command
        .args(["worker", "--target", name, "--seed", &seed.to_string(), "--from", &from.to_string()])
        .args(["--milliseconds", &left.time.as_millis().to_string()])
        .args(["--executions", &left.executions.to_string(), "--progress"])
        .arg(progress);
    if Path::new(SHARED_MEMORY).is_dir() {
        // Checkpoints are files, a hundred times slower on a disk.
        command.env("TMPDIR", SHARED_MEMORY);
    }
    command.envs(KEPT_MEMORY).stdin(Stdio::null()).output().map_err(FuzzError::Worker)
}

impl Course {
    fn add(&mut self, told: &Value) {
        let number = |name: &str| told[name].as_u64().unwrap_or(0);
        self.executions += number("executions");
        self.read += number("read");
        self.reasons += number("reasons");
        self.failures.extend(told["failures"].as_array().into_iter().flatten().cloned());
    }
}

fn report(found: &[(&str, Course)], out: &mut dyn Write) -> Result<(), FuzzError> {
    let mut text = format!(
        "{:<11} {:>11} {:>9} {:>9} {:>8} {:>8}\n",
        "reader", "executions", "per s", "accepted", "refusals", "failures"
    );
    let mut all = 0;
    for (name, course) in found {
        let Course { executions, seconds, read, reasons, failures } = course;
        let (rate, share) =
            (*executions as f64 / seconds, 100.0 * *read as f64 / (*executions).max(1) as f64);
        let count = failures.len();
        all += executions;
        text.push_str(&format!(
            "{name:<11} {executions:>11} {rate:>9.0} {share:>8.1}% {reasons:>8} {count:>8}\n"
        ));
    }
    text.push_str(&format!("all         {all:>11}\n"));
    let failed: Vec<&Value> = found.iter().flat_map(|(_, course)| &course.failures).collect();
    for failure in &failed {
        let (what, file) =
            (failure["what"].as_str().unwrap_or_default(), failure["file"].as_str().unwrap_or_default());
        text.push_str(&format!("failed: {what}\n  cargo xtask fuzz --replay {file}\n"));
    }
    say(out, &text)?;
    match failed.len() {
        0 => Ok(()),
        1 => Err(FuzzError::Failed { count: "1 input".to_owned() }),
        count => Err(FuzzError::Failed { count: format!("{count} inputs") }),
    }
}

fn replay(file: &Path, out: &mut dyn Write) -> Result<(), FuzzError> {
    let unreadable = |source| FuzzError::Unreadable { path: file.to_owned(), source };
    let bytes = fs::read(file).map_err(unreadable)?;
    let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let name = name.split('-').next().unwrap_or_default();
    match Watched::new(name)?.read(&bytes) {
        Ok(Reading::Read) => say(out, "accepted\n"),
        Ok(Reading::Refused(why)) => say(out, &format!("refused: {why}\n")),
        Err(what) => {
            say(out, &format!("failed: {what}\n"))?;
            Err(FuzzError::Failed { count: "1 input".to_owned() })
        }
    }
}

fn say(out: &mut dyn Write, text: &str) -> Result<(), FuzzError> {
    let unwritable = |source| FuzzError::Unwritable { path: PathBuf::from("standard output"), source };
    out.write_all(text.as_bytes()).map_err(unwritable)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_used_up_by_time_or_by_inputs() {
        let limit = Limit { time: Duration::from_secs(5), executions: 10 };
        let left = limit.less(Duration::from_secs(2), 4).unwrap();
        assert_eq!((left.time, left.executions), (Duration::from_secs(3), 6));
        assert!(limit.less(Duration::from_secs(5), 4).is_none());
        assert!(limit.less(Duration::from_secs(2), 10).is_none());
        assert!(limit.less(Duration::from_secs(6), 12).is_none());
    }
}
