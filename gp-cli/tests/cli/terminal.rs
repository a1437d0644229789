//! Terminal progress, by `script` of util-linux.

use crate::support::{Desk, circle};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

const CLEAR: &str = "\r\x1b[K";
/// Takes about a minute.
const LONG: &str =
    "fit t.csv --target y --method ep --inducing 100 --optimizer adam --iterations 100000 --time-limit 10m";

fn desk() -> Desk {
    let desk = Desk::new();
    desk.write("t.csv", circle(2000));
    desk
}

/// Signals once a text shows; screen and exit code, None without `script`.
fn shown(desk: &Desk, line: &str, until: &str, signal: &str) -> Option<(String, i32)> {
    let gp = env!("CARGO_BIN_EXE_gp");
    let said = format!("echo $$ > pid; exec {gp} {line}");
    let mut command = Command::new("script");
    command.args(["--quiet", "--flush", "--return", "--command", &said, "shown"]).current_dir(desk.folder());
    let Ok(mut child) = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()
    else {
        eprintln!("left out: there is no `script` here to run commands on a terminal");
        return None;
    };
    let read = || std::fs::read(desk.path("shown")).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    let patience = Instant::now();
    while !read().is_ok_and(|text| text.contains(until)) {
        assert!(patience.elapsed() < Duration::from_secs(120), "no `{until}` in {:?}", read());
        assert!(child.try_wait().unwrap().is_none(), "it ended before `{until}`: {:?}", read());
        sleep(Duration::from_millis(20));
    }
    let pid = String::from_utf8(desk.read("pid")).unwrap();
    assert!(Command::new("kill").args([signal, pid.trim()]).status().unwrap().success());
    let code = child.wait().unwrap().code().unwrap_or(-1);
    Some((read().unwrap(), code))
}

#[test]
fn the_line_says_what_a_fit_is_at_and_how_much_time_is_left() {
    let desk = desk();
    let Some((text, _)) = shown(&desk, LONG, "iteration ", "-INT") else { return };
    let line = text.split(CLEAR).find(|line| line.contains("iteration ")).unwrap().lines().next().unwrap();
    for part in ["log posterior ", "gradient ", "s, 9m", "s left)"] {
        assert!(line.contains(part), "no `{part}` in {line}");
    }
    assert!(line.chars().count() < 80, "{line}");
}

/// Only messages remain; the prompt has its own line.
#[test]
fn an_interrupt_takes_the_line_away() {
    let desk = desk();
    let Some((text, code)) = shown(&desk, LONG, "iteration ", "-INT") else { return };
    assert_eq!(code, 130, "{text}");
    // `script` adds lines before and after.
    let place = text.find("interrupted; nothing was written").unwrap();
    assert!(text[..place].ends_with(CLEAR), "{:?}", &text[place.saturating_sub(200)..]);
    let rest = &text[place..];
    assert!(rest.contains("\r\n") && !rest.contains(CLEAR), "{rest:?}");
    assert_eq!(desk.names().iter().filter(|name| name.starts_with('.')).count(), 0);
}

#[test]
fn quiet_is_quiet_on_a_terminal_too() {
    let desk = desk();
    let line = LONG.replace("10m", "2s");
    let said = format!("{} {line} --quiet --trace trace.jsonl", env!("CARGO_BIN_EXE_gp"));
    let mut command = Command::new("script");
    command.args(["--quiet", "--flush", "--return", "--command", &said, "shown"]).current_dir(desk.folder());
    let Ok(status) = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status() else {
        return;
    };
    assert!(status.success() && desk.path("trace.jsonl").exists());
    let text = String::from_utf8(desk.read("shown")).unwrap();
    assert!(!text.contains("iteration ") && !text.contains(CLEAR), "{text:?}");
}
