//! Memory and temporary files of large tables.
#![cfg(target_os = "linux")]

use crate::stream::{label, mixed, number, with_model};
use crate::support::{Desk, Said, words};
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

fn start(desk: &Desk, line: &str) -> Child {
    let words = words(line);
    let mut command = desk.command(&words.iter().map(String::as_str).collect::<Vec<_>>());
    command.env("TMPDIR", desk.path("tmp")).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

/// Open unnamed files of a process in a folder.
fn unnamed_in(child: &Child, folder: &Path) -> usize {
    let Ok(open) = fs::read_dir(format!("/proc/{}/fd", child.id())) else { return 0 };
    let links = open.filter_map(|link| fs::read_link(link.ok()?.path()).ok());
    let folder = fs::canonicalize(folder).unwrap();
    links.filter(|link| link.starts_with(&folder) && link.to_string_lossy().ends_with("(deleted)")).count()
}

fn nothing_in(desk: &Desk, name: &str) -> bool {
    fs::read_dir(desk.path(name)).unwrap().next().is_none()
}

const LONG: &str = "fit t.csv --target y --missing drop --method sep --stream always --inducing 20 --epochs 4000 --trace trace.jsonl --force";

#[test]
fn temporary_files_are_gone_whatever_happens() {
    let desk = Desk::new();
    fs::create_dir(desk.path("tmp")).unwrap();
    desk.write("t.csv", mixed(2_000, label));
    let fit =
        "fit t.csv --target y --missing drop --method sep --stream always --inducing 5 --epochs 1 --force";
    for (line, code) in
        [(fit.to_owned(), 0), (format!("{fit} --strict"), 6), (format!("{fit} --fix nonsense"), 2)]
    {
        let said = Said::of(&start(&desk, &line).wait_with_output().unwrap());
        assert_eq!(said.code, code, "{line}: {}", said.err);
        assert!(nothing_in(&desk, "tmp"), "{line}");
    }
    for signal in ["-TERM", "-KILL"] {
        let _ = fs::remove_file(desk.path("trace.jsonl"));
        let mut child = start(&desk, LONG);
        let patience = Instant::now();
        while !desk.path("trace.jsonl").exists() {
            assert!(child.try_wait().unwrap().is_none() && patience.elapsed() < Duration::from_secs(60));
            sleep(Duration::from_millis(2));
        }
        assert_eq!(unnamed_in(&child, &desk.path("tmp")), 1, "rows are in a file of the folder");
        assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
        child.wait().unwrap();
        assert!(nothing_in(&desk, "tmp"), "{signal}");
    }
}

#[test]
fn a_folder_that_cannot_be_written_is_named() {
    let desk = Desk::new();
    desk.write("t.csv", mixed(100, label));
    let words = words("fit t.csv --target y --missing drop --stream always --quiet");
    let mut command = desk.command(&words.iter().map(String::as_str).collect::<Vec<_>>());
    let said = Said::of(&command.env("TMPDIR", desk.path("nowhere")).output().unwrap());
    assert_eq!(said.code, 7, "{}", said.err);
    assert!(said.err.contains("nowhere`; set TMPDIR to a folder with room"), "{}", said.err);
    assert_eq!(desk.names(), ["t.csv"]);
}

#[test]
fn predictions_that_a_signal_ends_leave_nothing() {
    let desk = with_model(400_000);
    fs::create_dir(desk.path("tmp")).unwrap();
    let before = desk.names();
    let mut child = start(&desk, "predict model.gp new.csv -o p.csv");
    let patience = Instant::now();
    while desk.names() == before {
        assert!(child.try_wait().unwrap().is_none() && patience.elapsed() < Duration::from_secs(60));
        sleep(Duration::from_millis(1));
    }
    assert!(Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap().success());
    assert_eq!(Said::of(&child.wait_with_output().unwrap()).code, 130);
    assert_eq!(desk.names(), before);
}

#[test]
fn a_folder_without_room_is_named() {
    let desk = Desk::new();
    fs::create_dir(desk.path("tmp")).unwrap();
    desk.write("t.csv", mixed(20_000, number));
    let line = "trap '' XFSZ; ulimit -f 200; exec \"$0\" fit t.csv --target y --missing drop --stream always --quiet";
    let mut command = Command::new("sh");
    command.args(["-c", line, env!("CARGO_BIN_EXE_gp")]).current_dir(desk.folder());
    let said = Said::of(&command.env("TMPDIR", desk.path("tmp")).output().unwrap());
    assert_eq!(said.code, 7, "{}", said.err);
    assert!(said.err.contains("tmp`; set TMPDIR to a folder with room"), "{}", said.err);
    assert_eq!(desk.names(), ["t.csv", "tmp"]);
    assert!(nothing_in(&desk, "tmp"));
}

#[test]
fn checkpoints_do_not_mind_where_rows_are() {
    let fit = "fit t.csv --target y --missing drop --method svgp --optimizer adam --inducing 10 --epochs 400 --batch-size 32";
    let straight = Desk::new();
    straight.write("t.csv", mixed(300, label));
    straight.ok(&format!("{fit} --stream never"));
    for (first, second) in [("always", "never"), ("never", "always")] {
        let broken = Desk::new();
        fs::create_dir(broken.path("tmp")).unwrap();
        broken.write("t.csv", mixed(300, label));
        let mut child = start(&broken, &format!("{fit} --stream {first} --checkpoint tmp/state --quiet"));
        let patience = Instant::now();
        while !broken.path("tmp/state/training.checkpoint").exists() {
            assert!(child.try_wait().unwrap().is_none() && patience.elapsed() < Duration::from_secs(60));
            sleep(Duration::from_millis(1));
        }
        assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
        assert_eq!(Said::of(&child.wait_with_output().unwrap()).code, 130);
        broken.ok(&format!("{fit} --stream {second} --resume tmp/state"));
        assert!(broken.read("model.gp") == straight.read("model.gp"), "{first}, then {second}");
        assert!(nothing_in(&broken, "tmp"));
    }
}

/// Peak memory in MB.
fn peak(desk: &Desk, line: &str) -> f64 {
    let mut child = start(desk, line);
    let mut peak = 0.0_f64;
    while child.try_wait().unwrap().is_none() {
        let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
        let line = status.lines().find(|line| line.starts_with("VmHWM"));
        let found = line.and_then(|line| line.split_whitespace().nth(1)?.parse::<f64>().ok());
        peak = peak.max(found.unwrap_or(0.0) / 1024.0);
        sleep(Duration::from_millis(2));
    }
    let said = Said::of(&child.wait_with_output().unwrap());
    assert_eq!(said.code, 0, "{line}: {}", said.err);
    peak
}

/// Eight times the rows take 24 MB more for held table and points; streamed, 5 MB for row order, besides
/// fragmentation.
#[test]
fn memory_does_not_grow_with_rows() {
    let desk = Desk::new();
    fs::create_dir(desk.path("tmp")).unwrap();
    desk.write("small.csv", mixed(100_000, number));
    desk.write("large.csv", mixed(800_000, number));
    let fit = |table: &str, stream: &str| {
        let flags = "--features a,colour,flag --target y --missing drop --method sep --sites tied --no-train --inducing 5";
        peak(
            &desk,
            &format!(
                "fit {table}.csv {flags} --time-limit 500ms --batch-size 8192 --stream {stream} --force"
            ),
        )
    };
    let (small, large) = (fit("small", "always"), fit("large", "always"));
    assert!(large < small + 20.0, "{small:.0} MB, then {large:.0} MB");
    let held = fit("large", "never");
    assert!(held > large + 30.0, "{large:.0} MB in a file, {held:.0} MB in memory");
    let predict =
        |table: &str| peak(&desk, &format!("predict model.gp {table}.csv --missing drop -o {table}.jsonl"));
    let (small, large) = (predict("small"), predict("large"));
    assert!(large < small + 10.0, "predictions: {small:.0} MB, then {large:.0} MB");
}
