//! Interrupted, killed or timed-out fits resume to equal bytes.
#![cfg(unix)]

use crate::support::{Desk, Said, circle, sine, words};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Hundreds of iterations, on batches and all rows.
const FITS: [&str; 3] = [
    "fit t.csv --target y --method sep --inducing 20 --batch-size 20 --epochs 60",
    "fit t.csv --target y --method ep --inducing 30 --optimizer adam --iterations 400",
    "fit t.csv --target y --method svgp --optimizer lbfgs --inducing 20 --fix none --iterations 12",
];

fn desk() -> Desk {
    let desk = Desk::new();
    desk.write("t.csv", circle(300));
    desk
}

pub(crate) fn start(desk: &Desk, line: &str) -> Child {
    let words = words(line);
    let mut command = desk.command(&words.iter().map(String::as_str).collect::<Vec<_>>());
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

pub(crate) fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill").args([name, &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
}

pub(crate) fn wait_for(path: &Path, child: &mut Child) {
    let patience = Instant::now();
    while !path.exists() {
        assert!(child.try_wait().unwrap().is_none(), "it ended before it wrote {}", path.display());
        assert!(patience.elapsed() < Duration::from_secs(120), "{} does not come", path.display());
        sleep(Duration::from_millis(1));
    }
}

/// Signals a fit after its first checkpoint.
fn interrupt(desk: &Desk, line: &str, name: &str) -> Said {
    let mut child = start(desk, line);
    wait_for(&desk.path("state/training.checkpoint"), &mut child);
    signal(&child, name);
    Said::of(&child.wait_with_output().unwrap())
}

#[test]
fn the_time_between_checkpoints_needs_a_folder_for_them() {
    let desk = desk();
    for line in ["fit t.csv --target y", "cv t.csv --target y"] {
        let said = desk.gp(&format!("{line} --checkpoint-every 5s"));
        assert_eq!(said.code, 2, "{line}: {}", said.err);
        assert!(said.err.contains("--checkpoint <DIR>|--resume <DIR>"), "{line}: {}", said.err);
        assert_eq!(desk.names(), ["t.csv"], "{line}");
    }
}

#[test]
fn interrupted_fits_go_on_to_the_same_bytes() {
    for (fit, name) in FITS.iter().zip(["-QUIT", "-TERM", "-XCPU"]) {
        let (straight, broken) = (desk(), desk());
        straight.ok(fit);
        let said = interrupt(&broken, &format!("{fit} --checkpoint state --quiet"), name);
        assert_eq!(said.code, 130, "{fit}: {}", said.err);
        assert_eq!(said.err.lines().count(), 1, "{}", said.err);
        assert!(said.err.starts_with("interrupted") && said.err.contains("--resume state"), "{}", said.err);
        assert_eq!(broken.names(), ["state", "t.csv"]);
        broken.ok(&format!("{fit} --resume state"));
        assert!(broken.read("model.gp") == straight.read("model.gp"), "{fit}");
        // The checkpoint of a finished fit is removed.
        assert_eq!(broken.names(), ["model.gp", "t.csv"]);
    }
}

#[test]
fn mixtures_go_on_from_either_stage_to_the_same_bytes() {
    let fit = "fit t.csv --target y --method savigp --components 2 --inducing 15 --optimizer adam --epochs 60 --batch-size 20";
    let straight = desk();
    straight.ok(fit);
    for file in ["state/training.checkpoint", "state/training.checkpoint.2"] {
        let broken = desk();
        let mut child = start(&broken, &format!("{fit} --checkpoint state --quiet"));
        wait_for(&broken.path(file), &mut child);
        signal(&child, "-INT");
        let said = Said::of(&child.wait_with_output().unwrap());
        assert_eq!(said.code, 130, "{file}: {}", said.err);
        broken.ok(&format!("{fit} --resume state"));
        assert!(broken.read("model.gp") == straight.read("model.gp"), "{file}");
        assert_eq!(broken.names(), ["model.gp", "t.csv"]);
    }
}

#[test]
fn an_end_before_or_behind_training_changes_no_byte() {
    let fit = "fit t.csv --target y --method sep --inducing 10 --batch-size 20 --epochs 4 --quiet";
    let desk = || {
        let desk = Desk::new();
        desk.write("t.csv", sine(200));
        desk
    };
    let straight = desk();
    let begun = Instant::now();
    straight.ok(fit);
    let whole = begun.elapsed();
    for part in 0..10 {
        let pause = whole * part / 10;
        let broken = desk();
        let mut child = start(&broken, &format!("{fit} --checkpoint state"));
        wait_for(&broken.path("state/fit.json"), &mut child);
        sleep(pause);
        signal(&child, "-INT");
        let said = Said::of(&child.wait_with_output().unwrap());
        if said.code != 0 {
            assert_eq!(said.code, 130, "{}", said.err);
        }
        // The signal may come between writing the model and removing the checkpoint.
        if !broken.path("model.gp").exists() {
            broken.ok(&format!("{fit} --resume state"));
        }
        assert!(broken.read("model.gp") == straight.read("model.gp"), "after {pause:?}");
    }
    let late = desk();
    late.ok(&format!("{fit} --checkpoint state --time-limit 10ms"));
    late.ok(&format!("{fit} --resume state --force"));
    assert!(late.read("model.gp") == straight.read("model.gp"));
}

/// A full pipe blocks the summary, so the process still runs.
#[test]
fn an_end_behind_the_model_says_that_it_is_there() {
    let (desk, (unread, mut full)) = (desk(), std::io::pipe().unwrap());
    let out = full.try_clone().unwrap();
    let filler = std::thread::spawn(move || while full.write_all(&[b' '; 4096]).is_ok() {});
    let words = words("fit t.csv --target y --method sep --inducing 10 --epochs 1 --json");
    let mut command = desk.command(&words.iter().map(String::as_str).collect::<Vec<_>>());
    let mut child = command.stdout(out).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
    assert!(lines.any(|line| line.starts_with("wrote model.gp")));
    signal(&child, "-INT");
    assert_eq!(lines.collect::<Vec<_>>(), ["interrupted after the model was written"]);
    assert_eq!(child.wait().unwrap().code(), Some(130));
    drop((command, unread));
    filler.join().unwrap();
    desk.ok("inspect model.gp");
}

#[test]
fn active_sets_go_on_to_the_same_bytes() {
    let fit = "fit t.csv --target y --method ivm --inducing 60 --iterations 30";
    let (straight, broken) = (desk(), desk());
    straight.ok(fit);
    let said = interrupt(&broken, &format!("{fit} --checkpoint state --checkpoint-every 0s --quiet"), "-INT");
    assert_eq!(said.code, 130, "{}", said.err);
    broken.ok(&format!("{fit} --resume state"));
    assert!(broken.read("model.gp") == straight.read("model.gp"));
    assert_eq!(broken.names(), ["model.gp", "t.csv"]);
}

#[test]
fn cross_validations_go_on_to_the_same_scores() {
    let cv =
        "cv t.csv --target y --folds 6 --method sep --inducing 20 --batch-size 20 --epochs 60 --threads 2";
    let (straight, broken) = (desk(), desk());
    let scores = straight.ok(cv).out;
    let mut child = start(&broken, &format!("{cv} --checkpoint state"));
    // The first part is done; others are running.
    wait_for(&broken.path("state/part-1/model.gp"), &mut child);
    signal(&child, "-INT");
    let said = Said::of(&child.wait_with_output().unwrap());
    assert_eq!(said.code, 130, "{}", said.err);
    assert!(said.err.contains("--resume state") && said.out.is_empty(), "{}", said.err);
    broken.refused(&format!("{cv} --checkpoint state"), 7, &["holds a checkpoint already"]);
    broken.refused(&format!("{cv} --resume state --seed 5"), 2, &["of another fit"]);
    assert_eq!(broken.ok(&format!("{cv} --resume state")).out, scores);
    assert_eq!(broken.names(), ["t.csv"]);
    broken.refused(&format!("{cv} --resume state"), 7, &["holds no checkpoint"]);
    fs::create_dir(broken.path("state")).unwrap();
    broken.refused(&format!("{cv} --resume state"), 7, &["holds no checkpoint"]);
}

#[test]
fn killed_fits_go_on_to_the_same_bytes() {
    let fit = FITS[0];
    let (straight, broken) = (desk(), desk());
    straight.ok(fit);
    // The point at which the process dies depends on the machine; the assertions hold at every point.
    for (kill, wait) in [3, 150, 290, 220, 180].into_iter().enumerate() {
        let flag = if kill == 0 { "--checkpoint" } else { "--resume" };
        let mut child = start(&broken, &format!("{fit} {flag} state --checkpoint-every 0s"));
        wait_for(&broken.path("state/training.checkpoint"), &mut child);
        sleep(Duration::from_millis(wait));
        signal(&child, "-KILL");
        child.wait().unwrap();
        assert!(kill > 0 || !broken.path("model.gp").exists(), "the first is killed at the beginning");
        if broken.path("model.gp").exists() {
            break;
        }
    }
    if broken.path("state").exists() {
        broken.ok(&format!("{fit} --resume state --force"));
    }
    assert!(broken.read("model.gp") == straight.read("model.gp"));
    assert_eq!(broken.names(), ["model.gp", "t.csv"]);
}

#[test]
fn without_a_checkpoint_the_end_comes_at_once_and_leaves_nothing() {
    let desk = desk();
    let mut child = start(&desk, &format!("{} --trace trace.jsonl", FITS[0]));
    wait_for(&desk.path("trace.jsonl"), &mut child);
    signal(&child, "-INT");
    let said = Said::of(&child.wait_with_output().unwrap());
    assert_eq!(said.code, 130);
    let last = said.err.lines().last().unwrap_or_default();
    assert!(last.starts_with("interrupted; nothing was written") && last.contains("--checkpoint"), "{last}");
    assert_eq!(desk.names(), ["t.csv", "trace.jsonl"]);
}

#[test]
fn before_the_first_checkpoint_the_end_comes_at_once() {
    let desk = Desk::new();
    desk.write("t.csv", circle(4_000));
    let fit = "fit t.csv --target y --method ivm --inducing 300 --iterations 1 --checkpoint state --quiet";
    let mut child = start(&desk, fit);
    wait_for(&desk.path("state/fit.json"), &mut child);
    sleep(Duration::from_millis(100));
    assert!(
        !desk.path("state/training.checkpoint").exists(),
        "the first iteration is too short for this test"
    );
    let begun = Instant::now();
    signal(&child, "-INT");
    let said = Said::of(&child.wait_with_output().unwrap());
    assert!(begun.elapsed() < Duration::from_secs(1), "{:?}", begun.elapsed());
    assert_eq!(said.code, 130, "{}", said.err);
    let words =
        ["interrupted before the first checkpoint was written", "--resume state", "begins training again"];
    assert!(
        words.iter().all(|words| said.err.contains(words)) && said.err.lines().count() == 1,
        "{}",
        said.err
    );
    desk.ok("fit t.csv --target y --method ivm --inducing 300 --iterations 1 --resume state --time-limit 1s");
}

/// Iterations lengthen until one is interrupted.
#[test]
fn after_a_checkpoint_the_end_comes_within_an_iteration() {
    let is_in_the_middle = |points: usize| ended_after_a_checkpoint(6_000, points);
    assert!([400, 800, 1_600, 3_200].into_iter().any(is_in_the_middle), "all iterations are too short");
}

/// Interrupts after the first checkpoint and resumes; `false` if more checkpoints came.
fn ended_after_a_checkpoint(rows: usize, points: usize) -> bool {
    let desk = Desk::new();
    desk.write("t.csv", circle(rows));
    let fit = format!("fit t.csv --target y --method ivm --inducing {points} --iterations 4");
    let mut child = start(&desk, &format!("{fit} --checkpoint state --checkpoint-every 0s"));
    wait_for(&desk.path("state/training.checkpoint"), &mut child);
    let state = fs::read(desk.path("state/training.checkpoint")).unwrap();
    sleep(Duration::from_millis(100));
    let begun = Instant::now();
    signal(&child, "-INT");
    let said = Said::of(&child.wait_with_output().unwrap());
    if said.code == 0 {
        return false;
    }
    assert!(begun.elapsed() < Duration::from_secs(1), "{:?}", begun.elapsed());
    assert_eq!(said.code, 130, "{}", said.err);
    let last = said.err.lines().last().unwrap_or_default();
    assert!(last.starts_with("interrupted; the same command with --resume state"), "{}", said.err);
    assert_eq!(desk.names(), ["state", "t.csv"]);
    let is_the_same = fs::read(desk.path("state/training.checkpoint")).unwrap() == state;
    desk.ok(&format!("{fit} --resume state --time-limit 1s"));
    is_the_same
}

fn interrupted() -> Desk {
    let desk = desk();
    let said = interrupt(&desk, &format!("{} --checkpoint state", FITS[0]), "-INT");
    assert_eq!(said.code, 130, "{}", said.err);
    desk
}

#[test]
fn checkpoints_of_other_fits_are_refused_with_what_differs() {
    let desk = interrupted();
    let state = fs::read(desk.path("state/training.checkpoint")).unwrap();
    let fit = FITS[0];
    desk.refused(&format!("{fit} --seed 3 --resume state"), 2, &["--seed was 0, and is 3"]);
    desk.refused(&format!("{fit} --alpha 0.5 --resume state"), 2, &["--alpha was not given, and is 0.5"]);
    let kernels = format!("{fit} --kernel \"1 * rbf + linear\" --resume state");
    desk.refused(&kernels, 2, &["--kernel was not given, and is 1 * rbf + linear"]);
    desk.refused(&format!("{fit} --checkpoint state"), 7, &["`state` holds a checkpoint", "--resume state"]);
    desk.refused(&format!("{fit} --resume nowhere"), 7, &["`nowhere` holds no checkpoint"]);
    desk.write("t.csv", circle(301));
    desk.refused(&format!("{fit} --resume state"), 2, &["the number of rows was 300, and is 301"]);
    desk.write("t.csv", circle(300).replacen("-1,", "-0.9,", 1));
    desk.refused(&format!("{fit} --resume state"), 2, &["other values"]);
    desk.write("t.csv", circle(300).replacen("kind", "sort", 1));
    desk.refused(&format!("{fit} --resume state"), 2, &["features was a, b, kind, and is a, b, sort"]);
    assert!(fs::read(desk.path("state/training.checkpoint")).unwrap() == state, "it is as it was");
}

#[test]
fn damaged_checkpoints_are_refused() {
    let desk = interrupted();
    let (fit, path) = (FITS[0], desk.path("state/training.checkpoint"));
    let whole = fs::read(&path).unwrap();
    let mut turned = whole.clone();
    turned[whole.len() / 2] ^= 1;
    for damaged in [&turned[..], &whole[..whole.len() / 2], &[], b"not a checkpoint, but some text"] {
        fs::write(&path, damaged).unwrap();
        desk.refused(&format!("{fit} --resume state"), 4, &["training.checkpoint"]);
    }
    fs::write(&path, &whole).unwrap();
    let record = fs::read_to_string(desk.path("state/fit.json")).unwrap();
    fs::write(desk.path("state/fit.json"), &record[..record.len() / 2]).unwrap();
    desk.refused(&format!("{fit} --resume state"), 4, &["fit.json", "is damaged"]);
    fs::write(desk.path("state/fit.json"), record.replace("\"format\": 1", "\"format\": 9")).unwrap();
    desk.refused(&format!("{fit} --resume state"), 4, &["format 9", "format 1"]);
}

#[test]
fn a_fit_that_is_out_of_time_goes_on_when_there_is_more() {
    let fit = FITS[0];
    let (straight, late) = (desk(), desk());
    straight.ok(fit);
    let said = late.ok(&format!("{fit} --time-limit 1ms --checkpoint state"));
    assert!(said.err.contains("did not converge") && said.err.contains("the time limit was reached"));
    late.ok(&format!("{fit} --resume state --force"));
    assert!(late.read("model.gp") == straight.read("model.gp"));
}

#[test]
fn every_method_keeps_to_its_time() {
    let desk = Desk::new();
    desk.write("t.csv", sine(200));
    desk.write("labels.csv", circle(100));
    let methods = [
        "exact",
        "pep",
        "vfe",
        "fitc",
        "ep",
        "gfitc",
        "sep",
        "svgp",
        "svgp --optimizer adam",
        "savigp",
        "savigp --components 2",
        "savigp --components 2 --optimizer adam",
    ];
    let numbers = methods.iter().map(|method| ("t.csv", *method));
    for (table, method) in numbers.chain([("labels.csv", "ivm")]) {
        let line = format!("fit {table} --target y --method {method} --time-limit 0s --force --json --quiet");
        let said = desk.ok(&line).json();
        assert_eq!(said["converged"], false, "{method}: {said}");
        assert_eq!(said["reason"], "the time limit was reached", "{method}");
    }
}

#[test]
fn the_trace_has_a_line_for_every_iteration() {
    let desk = Desk::new();
    desk.write("t.csv", sine(60));
    let fit = "fit t.csv --target y --method exact --iterations 7 --json --trace trace.jsonl";
    let said = desk.ok(fit).json();
    let text = String::from_utf8(desk.read("trace.jsonl")).unwrap();
    let lines: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len() as u64, said["iterations"].as_u64().unwrap() + 1);
    for (iteration, line) in lines.iter().enumerate() {
        assert_eq!(line["iteration"], iteration);
        assert!(line["log_posterior"].is_number() && line["gradient_norm"].is_number(), "{line}");
    }
    desk.refused(&format!("{fit} --output other.gp"), 7, &["`trace.jsonl` already exists", "--force"]);
}

#[test]
fn batches_stop_when_their_noise_is_all_that_is_left() {
    let desk = Desk::new();
    desk.write("t.csv", circle(400));
    for method in ["sep", "svgp --optimizer adam"] {
        let fit =
            format!("fit t.csv --target y --features a,b --method {method} --inducing 15 --batch-size 50");
        let plenty = desk.ok(&format!("{fit} --epochs 2000 --json --force --quiet")).json();
        assert_eq!(plenty["converged"], true, "{method}: {plenty}");
        assert_eq!(plenty["reason"], "the value no longer decreases within its noise");
        assert!(plenty["iterations"].as_u64().unwrap() < 8_000, "{plenty}");
        let few = desk.ok(&format!("{fit} --epochs 20 --json --force --quiet")).json();
        assert_eq!(few["converged"], false, "{method}: {few}");
        assert_eq!(few["reason"], "the iteration limit was reached");
    }
}
