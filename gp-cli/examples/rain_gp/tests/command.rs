//! The method from the outside.
#![expect(clippy::unwrap_used, reason = "helpers of tests")]

use serde_json::Value;
use std::fs;
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// Days that are observed.
const ROWS: usize = 40;

/// A folder, and the program run there.
struct Desk(TempDir);

impl Desk {
    fn new() -> Self {
        let desk = Self(tempfile::tempdir().unwrap());
        desk.write("days.csv", &days(ROWS, ","));
        desk
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.0.path().join(name), text).unwrap();
    }

    /// Exit code, standard output and error stream.
    fn run(&self, line: &str) -> (i32, String, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_rain-gp"));
        command.current_dir(self.0.path()).args(line.split(' ')).stdin(Stdio::null());
        let output = command.output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
    }

    #[track_caller]
    fn ok(&self, line: &str) -> String {
        let (code, out, err) = self.run(line);
        assert_eq!(code, 0, "{line}\n{err}");
        out
    }

    #[track_caller]
    fn objective(&self, line: &str) -> f64 {
        let summary: Value =
            serde_json::from_str(&self.ok(&format!("{line} --json --quiet --force"))).unwrap();
        summary["objective"].as_f64().unwrap()
    }
}

/// Days with their pressure and their showers, which are more where it is low.
fn days(count: usize, between: &str) -> String {
    let row = |i: usize| {
        let pressure = (i as f64 / 7.0).sin() + 0.1 * ((i * 37) % 11) as f64;
        let showers = if pressure > 0.8 { 0 } else { 1 + (i * i + 3 * i) % (3 + i % 2) };
        let noted = if i % 13 == 5 { 0 } else { showers };
        format!("{i}{between}{pressure}{between}{noted}\n")
    };
    format!("day{between}pressure{between}showers\n") + &(0..count).map(row).collect::<String>()
}

#[test]
fn gradients_are_those_of_the_evidence() {
    let desk = Desk::new();
    let kernel =
        "--kernel 1.3*cauchy(ard=true)+0.1*linear --fix none --rows 25 --inducing 4 --tolerance 1e-5";
    for likelihood in ["showers(missed=0.1)", "poisson", "negative_binomial", "gaussian(variance=0.3)"] {
        desk.ok(&format!(
            "diagnose days.csv --target showers --method laplace --likelihood {likelihood} {kernel} --quiet"
        ));
    }
    desk.ok(&format!(
        "diagnose days.csv --target pressure --method laplace --likelihood student_t(dof=3) {kernel} --quiet"
    ));
    desk.ok(&format!(
        "diagnose days.csv --target pressure --method laplace --likelihood heteroscedastic {kernel} --quiet"
    ));
}

#[test]
fn gaussian_noise_at_all_rows_is_exact() {
    let desk = Desk::new();
    let fit = "fit days.csv --target pressure --likelihood gaussian(variance=0.2) --kernel 1*matern12(lengthscale=0.5) --no-train";
    let exact = desk.objective(&format!("{fit} --method exact"));
    let wanted = desk.ok("predict model.gp days.csv --latent");
    let found = desk.objective(&format!("{fit} --method laplace --inducing {ROWS} --placement random"));
    assert!((exact - found).abs() < 1e-8 * exact.abs(), "{exact} {found}");
    let numbers = |table: &str| -> Vec<f64> {
        table.lines().skip(1).flat_map(|line| line.split(',').map(|cell| cell.parse().unwrap())).collect()
    };
    for (wanted, found) in
        numbers(&wanted).iter().zip(numbers(&desk.ok("predict model.gp days.csv --latent")))
    {
        assert!((wanted - found).abs() < 1e-7 * (1.0 + wanted.abs()), "{wanted} {found}");
    }
}
