//! Outputs spare inputs, links, permissions, devices; one writer at a time.
#![cfg(target_os = "linux")]

use crate::interrupted::{signal, start, wait_for};
use crate::support::{Desk, Said, circle, sine};
use std::fs::{self, File};
use std::io::Read;
use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};
use std::process::{Command, Stdio};

const FIT: &str = "fit t.csv --target y --parameters known --quiet";
/// Hundreds of iterations, each checkpointed.
const LONG: &str = "fit t.csv --target y --method sep --inducing 20 --batch-size 20 --epochs 150 --quiet";

fn desk() -> Desk {
    let desk = Desk::new();
    desk.write("t.csv", sine(40));
    desk.ok(FIT);
    desk
}

fn long_desk() -> Desk {
    let desk = Desk::new();
    desk.write("t.csv", circle(300));
    desk
}

fn mode(desk: &Desk, name: &str) -> u32 {
    fs::metadata(desk.path(name)).unwrap().permissions().mode() & 0o777
}

#[test]
fn no_command_replaces_what_it_reads() {
    let desk = desk();
    desk.write("x.csv", sine(20));
    desk.write("fit.toml", "target = \"y\"\n");
    desk.write("page.html", "theirs");
    fs::copy(desk.path("x.csv"), desk.path("x.svg")).unwrap();
    symlink("x.csv", desk.path("link.csv")).unwrap();
    fs::hard_link(desk.path("x.csv"), desk.path("hard.csv")).unwrap();
    let both = |line: &str, one: &str, other: &str| {
        desk.refused(&format!("{line} --force"), 2, &[one, other, "are one file"]);
    };
    both("predict model.gp x.csv -o x.csv", "--output", "DATA");
    both("predict model.gp x.csv -o link.csv", "--output", "DATA");
    both("predict model.gp link.csv -o ./hard.csv", "--output", "DATA");
    both("predict model.gp x.csv -o model.gp --output-format csv", "--output", "MODEL");
    both("suggest model.gp x.csv -o x.csv", "--output", "CANDIDATES");
    both("suggest model.gp x.csv -o model.gp --output-format csv", "--output", "MODEL");
    both("update model.gp x.csv -o x.csv", "--output", "DATA");
    both("convert model.gp --to json -o model.gp", "--output", "MODEL");
    both("eval model.gp x.csv --report x.csv", "--report", "DATA");
    both("report model.gp --test x.csv -o x.csv", "--output", "--test");
    both("report model.gp -o model.gp", "--output", "MODEL");
    both("plot model.gp x.svg -o x.svg", "--output", "DATA");
    both("fit x.csv --target y -o x.csv", "--output", "DATA");
    both("fit t.csv --target y --test x.csv -o hard.csv", "--output", "--test");
    both("fit t.csv --config fit.toml -o fit.toml", "--output", "--config");
    both("fit t.csv --target y --trace t.csv", "--trace", "DATA");
    desk.write("places.csv", "x\n1\n2\n");
    both("fit t.csv --target y --inducing-file places.csv -o places.csv", "--output", "--inducing-file");
    let placed = "fit t.csv --target y --inducing-file places.csv -o new.gp --trace places.csv";
    both(placed, "--trace", "--inducing-file");
    desk.write("a-images-idx3-ubyte", [0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 1, 5, 6]);
    desk.write("a-labels-idx1-ubyte", [0, 0, 8, 1, 0, 0, 0, 2, 0, 1]);
    let images = "fit a-images-idx3-ubyte --target label -o a-labels-idx1-ubyte";
    both(images, "--output", "the labels of images");
    let labels = |line: &str| both(line, "--output", "the labels of images");
    labels("update model.gp a-images-idx3-ubyte -o a-labels-idx1-ubyte");
    labels("report model.gp --test a-images-idx3-ubyte -o a-labels-idx1-ubyte");
    labels("suggest model.gp a-images-idx3-ubyte -o a-labels-idx1-ubyte --output-format csv");
    both("fit t.csv --target y -o new.gp --trace new.gp", "--trace", "--output");
    fs::create_dir(desk.path("state")).unwrap();
    both("fit t.csv --target y --checkpoint state -o state/fit.json", "--output", "--checkpoint");
    both("fit t.csv --target y --resume state --trace state/training.checkpoint", "--trace", "--resume");
    // A redirected input has a file name too.
    let from = File::open(desk.path("x.csv")).unwrap();
    let words = ["predict", "model.gp", "-", "-o", "x.csv", "--force"];
    let said = Said::of(&desk.command(&words).stdin(from).output().unwrap());
    assert_eq!((said.code, desk.read("x.csv")), (2, sine(20).into_bytes()), "{}", said.err);
}

#[test]
fn a_model_is_updated_in_place() {
    let desk = desk();
    desk.write("more.csv", "x,y\n0.05,0.1\n");
    desk.ok("update model.gp more.csv -o other.gp");
    desk.ok("update model.gp more.csv -o model.gp --force");
    assert!(desk.read("model.gp") == desk.read("other.gp"));
}

#[test]
fn a_dash_is_the_standard_output_or_refused() {
    let desk = desk();
    desk.write("more.csv", "x,y\n0.05,0.1\n");
    for line in [
        "fit t.csv --target y -o -",
        "update model.gp more.csv -o -",
        "report model.gp -o -",
        "eval model.gp t.csv --report -",
    ] {
        desk.refused(line, 2, &["not the standard output", "./-"]);
    }
    assert!(desk.ok("convert model.gp --to json -o -").json().is_object());
    assert_eq!(desk.ok("predict model.gp t.csv -o -").out, desk.ok("predict model.gp t.csv").out);
    assert_eq!(desk.names(), ["model.gp", "more.csv", "t.csv"]);
}

#[test]
fn links_are_followed_and_stay() {
    let desk = desk();
    fs::create_dir(desk.path("elsewhere")).unwrap();
    desk.write("elsewhere/old.csv", "precious");
    symlink("elsewhere/old.csv", desk.path("p.csv")).unwrap();
    symlink("elsewhere/new.csv", desk.path("dangling.csv")).unwrap();
    for name in ["p.csv", "dangling.csv"] {
        desk.refused(&format!("predict model.gp t.csv -o {name}"), 7, &["already exists"]);
        desk.ok(&format!("predict model.gp t.csv -o {name} --force"));
        assert!(fs::symlink_metadata(desk.path(name)).unwrap().is_symlink(), "{name}");
    }
    let printed = desk.ok("predict model.gp t.csv").out.into_bytes();
    assert!(desk.read("elsewhere/old.csv") == printed && desk.read("elsewhere/new.csv") == printed);
    symlink("round", desk.path("round")).unwrap();
    desk.refused("predict model.gp t.csv -o round --output-format csv --force", 7, &["`round`"]);
    // The trace also follows links.
    symlink("elsewhere/trace", desk.path("trace")).unwrap();
    desk.ok(&format!("{FIT} --trace trace --force"));
    assert!(fs::symlink_metadata(desk.path("trace")).unwrap().is_symlink());
    assert!(desk.read("elsewhere/trace").starts_with(b"{\"gradient_norm\""));
}

#[test]
fn permissions_are_kept() {
    let desk = desk();
    let default = mode(&desk, "model.gp");
    for (name, line) in [
        ("model.gp", format!("{FIT} --force --trace trace")),
        ("p.csv", "predict model.gp t.csv -o p.csv --force".to_owned()),
        ("trace", format!("{FIT} --force --trace trace")),
    ] {
        if desk.path(name).exists() {
            let _ = fs::remove_file(desk.path(name));
        }
        desk.ok(&if name == "model.gp" { FIT.to_owned() } else { line.clone() });
        assert_eq!(mode(&desk, name), default, "{name}");
        fs::set_permissions(desk.path(name), fs::Permissions::from_mode(0o600)).unwrap();
        desk.ok(&line);
        assert_eq!(mode(&desk, name), 0o600, "{name}");
    }
}

#[test]
fn devices_and_pipes_are_written_into_and_stay() {
    let desk = desk();
    let printed = desk.ok("predict model.gp t.csv").out;
    let csv = "--output-format csv";
    let fit = FIT.replace(" --quiet", "");
    desk.ok(&format!("predict model.gp t.csv -o /dev/null {csv}"));
    assert_eq!(desk.ok(&format!("predict model.gp t.csv -o /dev/stdout {csv}")).out, printed);
    for line in [
        format!("predict model.gp t.csv -o /dev/full {csv}"),
        format!("{fit} --force --trace /dev/full"),
        "update model.gp t.csv -o /dev/full".to_owned(),
    ] {
        desk.refused(&line, 7, &["`/dev/full`", "make room"]);
    }
    for device in ["/dev/null", "/dev/full"] {
        assert!(fs::metadata(device).unwrap().file_type().is_char_device(), "{device}");
    }
    let pipe = desk.path("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let mut child = start(&desk, &format!("predict model.gp t.csv -o pipe --force {csv}"));
    let mut read = String::new();
    File::open(&pipe).unwrap().read_to_string(&mut read).unwrap();
    assert!(child.wait().unwrap().success());
    assert_eq!(read, printed);
    assert!(fs::metadata(&pipe).unwrap().file_type().is_fifo());
    desk.refused("predict model.gp t.csv -o /dev --output-format csv --force", 7, &["`/dev` is a folder"]);
}

/// The name of an unfinished file may be taken by an input, a pipe, a folder or a link.
#[test]
fn what_has_a_temporary_name_is_spared() {
    let desk = desk();
    fs::copy(desk.path("t.csv"), desk.path(".gp-unfinished-m.gp")).unwrap();
    let first = "is first written to `.gp-unfinished-m.gp`, the file of DATA";
    desk.refused("fit .gp-unfinished-m.gp --format csv --target y -o m.gp", 2, &[first]);
    fs::copy(desk.path("model.gp"), desk.path(".gp-unfinished-p.csv")).unwrap();
    let first = "is first written to `.gp-unfinished-p.csv`, the file of MODEL";
    desk.refused("predict .gp-unfinished-p.csv t.csv -o p.csv", 2, &[first]);
    assert!(Command::new("mkfifo").arg(desk.path(".gp-unfinished-x.csv")).status().unwrap().success());
    fs::create_dir(desk.path(".gp-unfinished-y.csv")).unwrap();
    symlink("nowhere", desk.path(".gp-unfinished-z.csv")).unwrap();
    for name in ["x", "y", "z"] {
        let said = desk.gp(&format!("predict model.gp t.csv -o {name}.csv --quiet"));
        let told =
            format!("`.gp-unfinished-{name}.csv` is in the way and is not a file; remove or rename it");
        assert!(said.code == 7 && said.err.contains(&told), "{}", said.err);
        assert!(fs::symlink_metadata(desk.path(&format!(".gp-unfinished-{name}.csv"))).is_ok());
    }
}

#[test]
fn endless_devices_are_no_tables() {
    let desk = desk();
    for name in ["/dev/zero", "/dev/full", "/dev/urandom"] {
        desk.refused(
            &format!("check {name}"),
            3,
            &[&format!("`{name}` is a device that sent 67 MB, and may have no end")],
        );
    }
    let mut command = desk.command(&["check", "-"]);
    let said = Said::of(&command.stdin(File::open("/dev/zero").unwrap()).output().unwrap());
    assert!(said.code == 3 && said.err.contains("may have no end"), "{}", said.err);
    let mut command = desk.command(&["check", "-"]);
    let said = Said::of(&command.stdin(File::open("/dev/null").unwrap()).output().unwrap());
    assert!(said.code == 3 && said.err.contains("is empty"), "{}", said.err);
}

#[test]
fn redirections_by_name_are_written_into() {
    let desk = desk();
    let to = File::create(desk.path("out.csv")).unwrap();
    let words = ["predict", "model.gp", "t.csv", "-o", "/dev/stdout", "--output-format", "csv", "--quiet"];
    let said = desk.command(&words).stdout(to).status().unwrap();
    assert!(said.success());
    assert_eq!(desk.read("out.csv"), desk.ok("predict model.gp t.csv").out.into_bytes());
}

#[test]
fn one_of_two_writers_is_told() {
    let desk = long_desk();
    let mut first = start(&desk, &format!("{LONG} --trace trace --checkpoint state --checkpoint-every 0s"));
    wait_for(&desk.path("state/training.checkpoint"), &mut first);
    // It holds its locks, however long the others take.
    signal(&first, "-STOP");
    for force in ["", "--force"] {
        let said = desk.gp(&format!("{LONG} {force}"));
        assert_eq!(said.code, 7, "{}", said.err);
        assert!(said.err.contains("`model.gp`") && said.err.contains("another process"), "{}", said.err);
        assert_eq!(said.err.lines().count(), 1, "{}", said.err);
    }
    for line in ["--resume state", "--checkpoint state"] {
        let said = desk.gp(&format!("{LONG} -o other.gp {line}"));
        assert_eq!(said.code, 7, "{}", said.err);
        assert!(said.err.contains("`state`") && said.err.contains("another process"), "{}", said.err);
    }
    let said = desk.gp(&format!("{LONG} -o other.gp --trace trace --force"));
    assert!(said.code == 7 && said.err.contains("`trace`"), "{}", said.err);
    // A lock ends with its process, however that ends.
    first.kill().unwrap();
    first.wait().unwrap();
    assert!(desk.path(".gp-unfinished-model.gp").exists());
    desk.ok(&format!("{LONG} --resume state"));
    assert_eq!(desk.names(), ["model.gp", "t.csv", "trace"]);
}

#[test]
fn of_many_writers_one_succeeds() {
    let desk = desk();
    for round in 0..5 {
        let name = format!("p{round}.csv");
        let begin = |_| start(&desk, &format!("predict model.gp t.csv -o {name} --quiet"));
        let children: Vec<_> = (0..6).map(begin).collect();
        let said: Vec<Said> =
            children.into_iter().map(|c| Said::of(&c.wait_with_output().unwrap())).collect();
        let codes: Vec<i32> = said.iter().map(|said| said.code).collect();
        assert_eq!(codes.iter().filter(|code| **code == 0).count(), 1, "{codes:?}");
        assert!(codes.iter().all(|code| matches!(code, 0 | 7)), "{codes:?}");
    }
}

#[test]
fn what_was_killed_is_swept() {
    let desk = desk();
    desk.write(".gp-unfinished-p.csv", "half");
    desk.write(".gp-unfinished-other.csv", "half");
    desk.ok("predict model.gp t.csv -o p.csv");
    assert_eq!(desk.names(), ["model.gp", "p.csv", "t.csv"]);
}

#[test]
fn a_limit_on_file_sizes_is_an_error_of_files() {
    let desk = desk();
    desk.write("many.csv", (0..9_000).fold("x\n".to_owned(), |text, i| text + &format!("{i}\n")));
    for line in [
        "predict model.gp many.csv -o p.csv",
        "fit t.csv --target y --force",
        "fit t.csv --target y -o other.gp --trace trace",
    ] {
        // Blocks of 512 or 1024 bytes, by the shell.
        let script = format!("ulimit -f 1; '{}' {line} --quiet", env!("CARGO_BIN_EXE_gp"));
        let mut shell = Command::new("sh");
        let said = Said::of(&shell.args(["-c", &script]).current_dir(desk.folder()).output().unwrap());
        assert_eq!(said.code, 7, "{line}: {}", said.err);
        assert!(
            said.err.starts_with("error: cannot write `") && said.err.contains("make room"),
            "{}",
            said.err
        );
        assert_eq!(said.err.lines().count(), 1, "{}", said.err);
        let _ = fs::remove_file(desk.path("trace"));
        assert_eq!(desk.names(), ["many.csv", "model.gp", "t.csv"], "{line}");
    }
}

/// `true` if this process ignores SIGHUP, as children do.
fn ignores_hangups() -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap();
    u64::from_str_radix(ignored.trim(), 16).unwrap() & 1 == 1
}

#[test]
fn a_terminal_that_is_closed_ends_training_as_other_signals_do() {
    if ignores_hangups() {
        eprintln!("left out: hangups are ignored here");
        return;
    }
    let (straight, broken) = (long_desk(), long_desk());
    straight.ok(LONG);
    let mut child = start(&broken, &format!("{LONG} --checkpoint state"));
    wait_for(&broken.path("state/training.checkpoint"), &mut child);
    signal(&child, "-HUP");
    let said = Said::of(&child.wait_with_output().unwrap());
    assert!(said.code == 130 && said.err.contains("--resume state"), "{}", said.err);
    assert_eq!(broken.names(), ["state", "t.csv"]);
    broken.ok(&format!("{LONG} --resume state"));
    assert!(broken.read("model.gp") == straight.read("model.gp"));
    let mut child = start(&broken, &format!("{LONG} -o other.gp --trace trace"));
    wait_for(&broken.path("trace"), &mut child);
    signal(&child, "-HUP");
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(broken.names(), ["model.gp", "t.csv", "trace"]);
}

#[test]
fn a_fit_under_nohup_outlives_its_terminal() {
    let desk = long_desk();
    let mut command = Command::new("nohup");
    command.arg(env!("CARGO_BIN_EXE_gp")).args(crate::support::words(LONG)).args(["--trace", "trace"]);
    command.current_dir(desk.folder()).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    wait_for(&desk.path("trace"), &mut child);
    signal(&child, "-HUP");
    assert!(child.wait().unwrap().success());
    assert!(desk.path("model.gp").exists());
}

#[test]
fn a_trace_has_lines_added_by_resume() {
    let desk = long_desk();
    let mut child = start(&desk, &format!("{LONG} --checkpoint state --checkpoint-every 0s --trace trace"));
    wait_for(&desk.path("state/training.checkpoint"), &mut child);
    signal(&child, "-TERM");
    child.wait().unwrap();
    let before = desk.read("trace");
    desk.ok(&format!("{LONG} --resume state --trace trace"));
    let after = desk.read("trace");
    assert!(after.starts_with(&before) && after.len() > before.len());
}

#[test]
fn help_to_a_full_disk_is_an_error() {
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let desk = Desk::new();
    let said = desk.command(&["--help"]).stdout(full).stderr(Stdio::piped()).output().unwrap();
    assert_eq!(said.status.code(), Some(7));
}
