//! Runs resumed after a killed process.

use super::support::{START, adam, bits, run_to, waves};
use gp_optim::{Adam, CheckpointFile, Control, Descent, Point, descend_with};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::env;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

const FILE: &str = "GP_OPTIM_TEST_CHECKPOINT";

fn checkpoint(path: &Path) -> CheckpointFile {
    CheckpointFile::new(path, "killed")
}

/// Endless run in the child process.
#[test]
#[ignore = "runs until it is killed; started by the test beside it"]
fn child_that_is_killed() {
    let path = env::var(FILE).unwrap();
    // Ends the child if its parent dies first.
    let limit = Control::new().with_time_limit(Some(Duration::from_secs(90)));
    descend_with(waves, &START, adam(), u64::MAX, &limit, |run| run.checkpointing(checkpoint(path.as_ref())))
        .unwrap();
}

fn run_and_kill(path: &Path, after: Duration) -> u64 {
    let before = stored(path);
    let mut child = Command::new(env::current_exe().unwrap())
        .args(["checkpoints::killed::child_that_is_killed", "--exact", "--ignored"])
        .env(FILE, path)
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let patience = Instant::now();
    while stored(path) == before {
        assert!(child.try_wait().unwrap().is_none(), "the child ended of its own accord");
        assert!(patience.elapsed() < Duration::from_secs(60), "the child writes nothing");
        sleep(Duration::from_millis(1));
    }
    sleep(after);
    // SIGKILL on Unix: the child cannot clean up.
    child.kill().unwrap();
    assert!(!child.wait().unwrap().success());
    stored(path)
}

fn stored(path: &Path) -> u64 {
    let read = checkpoint(path).read::<Descent<Adam>, Point>().unwrap();
    read.map_or(0, |(_, state)| state.iter)
}

#[test]
fn a_killed_process_leaves_a_checkpoint_that_leads_to_the_same_bits() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.checkpoint");
    // The kill time varies; the tested properties do not.
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    let mut last = 0;
    for _ in 0..12 {
        let after = Duration::from_micros(rng.random_range(0..20_000));
        let reached = run_and_kill(&path, after);
        assert!(reached > last, "every child goes on from where the one before it stood");
        last = reached;
    }
    let end = last + 50;
    let resumed = run_to(end, adam(), Some(checkpoint(&path))).unwrap();
    assert_eq!(bits(&resumed), bits(&run_to(end, adam(), None).unwrap()));
}
