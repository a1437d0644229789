//! Killed and interrupted processes, and time limits.

use super::support::{Tables, stderr};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

const FIT: [&str; 14] = [
    "fit",
    "labels.csv",
    "--target",
    "y",
    "--inducing",
    "20",
    "--method",
    "ep",
    "--iterations",
    "25",
    "--threads",
    "1",
    "--output",
    "m.gp",
];
const KEPT: [&str; 5] = ["--force", "--checkpoint", "kept", "--checkpoint-every", "0s"];

fn ranks(folder: &Path) -> Vec<(usize, u32)> {
    let folder = folder.canonicalize().unwrap();
    let mut found: Vec<(usize, u32)> = std::fs::read_dir("/proc")
        .unwrap()
        .flatten()
        .filter_map(|entry| {
            let process = entry.file_name().to_str()?.parse().ok()?;
            let is_here = std::fs::read_link(entry.path().join("cwd")).ok()? == folder;
            let is_ours = std::fs::read_to_string(entry.path().join("comm")).ok()?.trim() == "gp-mpi";
            let variables = std::fs::read(entry.path().join("environ")).ok()?;
            let variables = String::from_utf8_lossy(&variables).into_owned();
            let rank = variables.split('\0').find_map(|variable| {
                variable.strip_prefix("OMPI_COMM_WORLD_RANK=").or_else(|| variable.strip_prefix("PMI_RANK="))
            });
            (is_here && is_ours).then_some((rank?.parse().ok()?, process))
        })
        .collect();
    found.sort_unstable();
    found
}

/// Sends a signal; `false` if the process has ended.
fn signal(name: &str, process: u32) -> bool {
    let mut kill = Command::new("kill");
    kill.args([&format!("-{name}"), &process.to_string()]).stderr(Stdio::null()).status().unwrap().success()
}

/// Waits for a condition, at most one minute.
fn wait_for(what: &str, is_so: impl Fn() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < Duration::from_secs(60), "{what}: never");
        sleep(Duration::from_millis(5));
    }
}

fn is_unfinished(name: &str) -> bool {
    name.starts_with(".gp-unfinished")
}

#[test]
fn whoever_is_killed_training_goes_on_to_the_same_bits_with_any_number() {
    let tables = Tables::new();
    let one = Tables::new();
    one.alone(&FIT);
    let kills: u32 = std::env::var("GP_KILLS").map_or(4, |kills| kills.parse().unwrap());
    let kept = tables.path().join("kept");
    std::fs::write(tables.path().join("m.gp"), "the old model").unwrap();
    for round in 0..kills {
        let processes = 2 + round as usize % 3;
        let mut command = tables.mpirun(processes, &[&FIT[..], &KEPT[..]].concat());
        let mut running = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        wait_for("a checkpoint", || kept.join("training.checkpoint").exists());
        // Kill at different moments of an iteration.
        sleep(Duration::from_millis(u64::from(round) * 37 % 150));
        let all = ranks(tables.path());
        // The processes may have ended before.
        if let Some((_, process)) = all.get(round as usize % processes) {
            signal("KILL", *process);
        }
        running.wait().unwrap();
        wait_for("the end of all", || ranks(tables.path()).is_empty());
        // The model is the new one if the kill came after it was written, otherwise the old one.
        let found = tables.read("m.gp");
        assert!(found == b"the old model" || found == one.read("m.gp"), "round {round}: a torn model");
        if kept.join("fit.json").exists() {
            let others = 1 + (round as usize + 1) % 4;
            let resumed = [&FIT[..], &["--force", "--resume", "kept"]].concat();
            let resumed = tables.run(others, &resumed);
            assert!(resumed.status.success(), "round {round}: {}", stderr(&resumed));
        }
        assert!(tables.read("m.gp") == one.read("m.gp"), "round {round}: other bits");
        // A kill between the removal of the last file and of its folder leaves an empty folder.
        let _ = std::fs::remove_dir(&kept);
        assert!(!kept.exists(), "round {round}: the checkpoint is still there");
        let left = std::fs::read_dir(tables.path()).unwrap().flatten();
        let mut names = left.map(|entry| entry.file_name().to_string_lossy().into_owned());
        assert!(!names.any(|name| is_unfinished(&name)), "round {round}: unfinished files");
        std::fs::write(tables.path().join("m.gp"), "the old model").unwrap();
    }
}

#[test]
fn an_interrupt_of_the_first_process_ends_all_with_a_checkpoint() {
    let tables = Tables::new();
    tables.alone(&FIT);
    let one = tables.read("m.gp");
    let mut command = tables.mpirun(3, &[&FIT[..], &KEPT[..]].concat());
    let running = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    wait_for("a checkpoint", || tables.path().join("kept/training.checkpoint").exists());
    assert!(signal("INT", ranks(tables.path())[0].1));
    let ended = running.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(130), "{}", stderr(&ended));
    let said = stderr(&ended);
    assert_eq!(said.matches("interrupted; the same command with --resume").count(), 1, "{said}");
    let resumed = tables.run(2, &[&FIT[..], &["--force", "--resume", "kept"]].concat());
    assert!(resumed.status.success(), "{}", stderr(&resumed));
    assert!(tables.read("m.gp") == one);
}

#[test]
fn the_clock_of_the_first_process_ends_all() {
    let tables = Tables::new();
    let limited = [
        "fit",
        "labels.csv",
        "--target",
        "y",
        "--method",
        "savigp",
        "--components",
        "4",
        "--inducing",
        "100",
        "--iterations",
        "100000",
        "--time-limit",
        "1s",
        "--output",
        "m.gp",
        "--json",
    ];
    let fitted = tables.run(3, &limited);
    assert!(fitted.status.success(), "{}", stderr(&fitted));
    let told: serde_json::Value = serde_json::from_slice(&fitted.stdout).unwrap();
    assert!(told["reason"].as_str().unwrap().contains("time"), "{told}");
}
