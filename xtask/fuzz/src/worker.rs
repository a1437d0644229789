//! Worker process: one reader on consecutive inputs.

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

/// Memory limit per worker.
const MAX_BYTES: usize = 256 << 20;
/// Maximum time per input.
const HANGS: Duration = Duration::from_secs(20);
/// Exit code after a hanging input.
pub(crate) const HUNG: i32 = 77;
const MAX_FAILURES: usize = 10;
/// Reader and range of inputs.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Name of the reader
    #[arg(long)]
    pub(crate) target: String,
    /// Random seed of the inputs
    #[arg(long)]
    pub(crate) seed: u64,
    /// Index of the first input
    #[arg(long)]
    pub(crate) from: u64,
    /// Time limit
    #[arg(long)]
    pub(crate) milliseconds: u64,
    /// Limit on the number of inputs
    #[arg(long)]
    pub(crate) executions: u64,
    /// File with the index of the current input
    #[arg(long)]
    pub(crate) progress: std::path::PathBuf,
}

pub(crate) fn run(args: &Args, folder: &Path) -> Result<(), FuzzError> {
    let (inputs, watched) = (Inputs::of(&args.target)?, Watched::new(&args.target)?);
    let unwritable = |source| FuzzError::Unwritable { path: args.progress.clone(), source };
    let mut progress = File::create(&args.progress).map_err(unwritable)?;
    let count = Arc::new(AtomicU64::new(args.from));
    watch(count.clone());
    // Matrix products reserve memory by the size of the caches, once per thread.
    for valid in inputs.valid() {
        let _ = watched.read(valid);
    }
    // Beyond the limit the process ends; the progress file names the input.
    let _ = ALLOCATOR.set_limit(ALLOCATOR.allocated() + MAX_BYTES);
    let (start, limit) = (Instant::now(), Duration::from_millis(args.milliseconds));
    let mut found = Found::default();
    let mut index = args.from;
    let end = args.from.saturating_add(args.executions);
    while index < end && start.elapsed() < limit && found.failures.len() < MAX_FAILURES {
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

#[derive(Default)]
struct Found {
    read: u64,
    /// Distinct refusals, without input-dependent parts.
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
            // Repeat: a busy machine may have caused the delay.
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
