//! One reader on one input after the other, in a process that may end with any of them.

use crate::error::FuzzError;
use crate::failures;
use crate::inputs::Inputs;
use crate::memory::ALLOCATOR;
use crate::watched::Watched;
use gp_cli::fuzzing::Reading;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The most memory that a reader may take.
const MOST_BYTES: usize = 256 << 20;
/// An input that goes on for so long is not waited for.
const HANGS: Duration = Duration::from_secs(20);
/// The exit code of a process that does not wait any longer.
pub(crate) const HUNG: i32 = 77;
/// Failures of one reader, after which it is left alone.
const MOST_FAILURES: usize = 10;
/// Reader and inputs to try.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The reader
    #[arg(long)]
    pub(crate) target: String,
    /// Seed of the inputs
    #[arg(long)]
    pub(crate) seed: u64,
    /// The first input
    #[arg(long)]
    pub(crate) from: u64,
    /// Duration
    #[arg(long)]
    pub(crate) milliseconds: u64,
    /// The most inputs
    #[arg(long)]
    pub(crate) executions: u64,
    /// File that says which input is being tried
    #[arg(long)]
    pub(crate) progress: std::path::PathBuf,
}

/// Tries inputs until the time is over, and prints what was found as JSON.
pub(crate) fn run(args: &Args, folder: &Path) -> Result<(), FuzzError> {
    let (inputs, watched) = (Inputs::of(&args.target)?, Watched::new(&args.target)?);
    let unwritable = |source| FuzzError::Unwritable { path: args.progress.clone(), source };
    let mut progress = File::create(&args.progress).map_err(unwritable)?;
    let count = Arc::new(AtomicU64::new(args.from));
    watch(count.clone());
    // Within the limit, nothing: a process that asks for more is ended, and the input is known by the file.
    let _ = ALLOCATOR.set_limit(ALLOCATOR.allocated() + MOST_BYTES);
    let (start, limit) = (Instant::now(), Duration::from_millis(args.milliseconds));
    let mut found = Found::default();
    let mut index = args.from;
    let end = args.from.saturating_add(args.executions);
    while index < end && start.elapsed() < limit && found.failures.len() < MOST_FAILURES {
        progress
            .seek(SeekFrom::Start(0))
            .and_then(|_| progress.write_all(&index.to_le_bytes()))
            .map_err(unwritable)?;
        let bytes = inputs.input(args.seed, index);
        found.take(&watched, &bytes, folder)?;
        index += 1;
        count.store(index, Ordering::Relaxed);
    }
    println!("{}", found.to_json(index - args.from, start.elapsed()));
    Ok(())
}

/// Ends the process where one input takes too long.
fn watch(count: Arc<AtomicU64>) {
    std::thread::spawn(move || {
        let mut last = u64::MAX;
        loop {
            std::thread::sleep(HANGS);
            let now = count.load(Ordering::Relaxed);
            if now == last {
                std::process::exit(HUNG);
            }
            last = now;
        }
    });
}

/// Findings.
#[derive(Default)]
struct Found {
    read: u64,
    /// Reasons for which inputs were refused, without what differs from one input to the next.
    reasons: BTreeSet<String>,
    failures: Vec<Value>,
    known: BTreeSet<String>,
}

impl Found {
    fn take(&mut self, watched: &Watched, bytes: &[u8], folder: &Path) -> Result<(), FuzzError> {
        let what = match watched.read(bytes) {
            Ok(Reading::Read) => {
                self.read += 1;
                return Ok(());
            }
            Ok(Reading::Refused(why)) => {
                if self.reasons.len() < 10_000 {
                    self.reasons.insert(failures::skeleton(&why));
                }
                return Ok(());
            }
            // What took long because the machine was busy does so once.
            Err(what) if what.starts_with("it took") && watched.read(bytes).is_ok() => return Ok(()),
            Err(what) => what,
        };
        if self.known.insert(failures::skeleton(&what)) {
            let least = failures::shortened(watched, bytes, &what);
            let path = failures::save(folder, &watched.name, &least)?;
            self.failures.push(json!({ "what": what, "file": path }));
        }
        Ok(())
    }

    fn to_json(&self, executions: u64, elapsed: Duration) -> Value {
        json!({
            "executions": executions,
            "seconds": elapsed.as_secs_f64(),
            "read": self.read,
            "reasons": self.reasons.len(),
            "failures": self.failures,
        })
    }
}
