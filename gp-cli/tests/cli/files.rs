//! Outputs are written whole or not at all.

use crate::support::{Desk, Said, sine};
use std::process::{Command, Stdio};
use std::time::Duration;

#[test]
fn a_file_that_is_there_is_replaced_by_force_only() {
    let desk = Desk::new();
    desk.write("t.csv", sine(30));
    desk.write("model.gp", "precious");
    desk.refused("fit t.csv --target y", 7, &["`model.gp` already exists", "--force"]);
    desk.ok("fit t.csv --target y --force");
    assert!(desk.read("model.gp") != b"precious");
    desk.refused("fit t.csv --target y -o nowhere/m.gp", 7, &["nowhere"]);
    desk.refused("fit t.csv --target y -o .", 7, &["`.` already exists"]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_limit_on_file_sizes_leaves_the_old_file() {
    let desk = Desk::new();
    desk.write("t.csv", sine(200));
    desk.write("model.gp", "precious");
    // Blocks of 512 or 1024 bytes, by the shell; less than the 5 kB of a model.
    let script = format!("ulimit -f 2; '{}' fit t.csv --target y --force --quiet", env!("CARGO_BIN_EXE_gp"));
    let output = Command::new("sh").args(["-c", &script]).current_dir(desk.folder()).output().unwrap();
    assert!(!output.status.success());
    assert_eq!(desk.read("model.gp"), b"precious");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error_of_files() {
    let desk = Desk::new();
    desk.write("t.csv", sine(30));
    desk.ok("fit t.csv --target y");
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output =
        desk.command(&["predict", "model.gp", "t.csv"]).stdout(full).stderr(Stdio::piped()).output().unwrap();
    assert_eq!(output.status.code(), Some(7), "{}", Said::of(&output).err);
    let refused = desk.gp("predict model.gp t.csv -o /proc/self/p.csv");
    assert_eq!(refused.code, 7, "{}", refused.err);
}

#[test]
fn a_killed_run_leaves_the_old_file_or_the_new() {
    let desk = Desk::new();
    desk.write("t.csv", sine(150));
    desk.ok("fit t.csv --target y -o new.gp");
    let (old, new) = (b"precious".to_vec(), desk.read("new.gp"));
    let mut seen = [0; 2];
    for run in 0..12u64 {
        desk.write("m.gp", &old);
        let mut child = desk
            .command(&["fit", "t.csv", "--target", "y", "-o", "m.gp", "--force", "--quiet"])
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(7 * run));
        // The process may have ended already.
        let _ = child.kill();
        child.wait().unwrap();
        let found = desk.read("m.gp");
        assert!(found == old || found == new);
        seen[usize::from(found == new)] += 1;
    }
    // The first process is killed before it can write.
    assert!(seen[0] > 0);
}

#[test]
fn a_reader_who_leaves_is_no_error() {
    let desk = Desk::new();
    desk.write("t.csv", sine(30));
    desk.ok("fit t.csv --target y");
    let rows = (0..20_000).fold("x\n".to_owned(), |text, i| text + &format!("{}\n", i % 7));
    desk.write("many.csv", rows);
    desk.write("other.csv", sine(31));
    for words in [
        &["predict", "model.gp", "many.csv"][..],
        &["eval", "model.gp", "other.csv"],
        &["inspect", "model.gp"],
        &["generate", "man"],
    ] {
        let mut child = desk.command(words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{words:?}");
        assert!(output.stderr.is_empty(), "{words:?}");
    }
}
