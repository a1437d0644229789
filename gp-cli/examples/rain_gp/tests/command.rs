//! The built program, compared with stock `gp`.
#![expect(clippy::unwrap_used, reason = "helpers of tests")]

use gp_cli::Context;
use serde_json::Value;
use std::fs;
use std::process::{Command, Stdio};
use tempfile::TempDir;

const ROWS: usize = 40;

struct Desk(TempDir);

impl Desk {
    fn new() -> Self {
        let desk = Self(tempfile::tempdir().unwrap());
        desk.write("days.spaced", &days(ROWS, " "));
        desk.write("days.csv", &days(ROWS, ","));
        desk
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.0.path().join(name), text).unwrap();
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.0.path().join(name)).unwrap()
    }

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
    fn refused(&self, line: &str, code: i32, text: &str) {
        let (found, _, err) = self.run(line);
        assert!(found == code && err.contains(text), "{line}\n{found}: {err}");
    }

    /// Exit code and message of stock `gp`.
    fn stock(&self, command: &str, model: &str, data: &str) -> (u8, String) {
        let at = |name: &str| self.0.path().join(name).into_os_string();
        let data = Some(data).filter(|name| !name.is_empty()).map(at);
        let line = ["gp".into(), command.into(), at(model)].into_iter().chain(data);
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let code = gp_cli::run(&Context::built_in(), line, &mut out, &mut err);
        (code, String::from_utf8(err).unwrap())
    }

    #[track_caller]
    fn objective(&self, line: &str) -> f64 {
        let summary: Value =
            serde_json::from_str(&self.ok(&format!("{line} --json --quiet --force"))).unwrap();
        summary["objective"].as_f64().unwrap()
    }
}

/// Days with pressure and showers; more at low pressure.
fn days(count: usize, between: &str) -> String {
    let row = |i: usize| {
        let pressure = (i as f64 / 7.0).sin() + 0.1 * ((i * 37) % 11) as f64;
        let showers = if pressure > 0.8 { 0 } else { 1 + (i * i + 3 * i) % (3 + i % 2) };
        let noted = if i % 13 == 5 { 0 } else { showers };
        format!("{i}{between}{pressure}{between}{noted}\n")
    };
    format!("day{between}pressure{between}showers\n") + &(0..count).map(row).collect::<String>()
}

const MODEL: &str =
    "--target showers --likelihood showers --kernel 1*cauchy(ard=true) --inducing 8 --force --quiet";

#[test]
fn fits_saves_loads_and_predicts() {
    let desk = Desk::new();
    desk.ok(&format!("fit days.spaced {MODEL} --method laplace --iterations 8"));
    desk.ok("predict model.gp days.spaced --output out.spaced");
    let written = desk.read("out.spaced");
    assert_eq!(written.lines().count(), ROWS + 1);
    assert_eq!(written.lines().next(), Some("mean variance lower upper log_density"));
    assert_eq!(desk.ok("predict model.gp days.csv").lines().count(), ROWS + 1);
    assert!(desk.ok("inspect model.gp").contains("showers(missed="));

    let (code, said) = desk.stock("predict", "model.gp", "days.csv");
    assert_eq!(code, 4, "{said}");
    for lacking in [
        "the likelihood `showers`",
        "the kernel `cauchy`",
        "the posterior `at_mode`",
        "the method `laplace`",
        "use the program",
    ] {
        assert!(said.contains(lacking), "no {lacking} in {said}");
    }
    desk.refused("update model.gp days.csv --output more.gp", 2, "takes in no more rows");
}

/// Format version 6 is the first with custom posteriors.
#[test]
fn the_posterior_is_in_the_file_by_name() {
    let desk = Desk::new();
    let model = |name: &str| -> Value {
        serde_json::from_str(&desk.ok(&format!("convert {name} --to json"))).unwrap()
    };
    let fit = "--kernel 1*rbf --inducing 6 --method laplace --iterations 3 --force --quiet";
    desk.ok(&format!("fit days.csv --target pressure --output one.gp {fit}"));
    let one = model("one.gp");
    assert!(one["version"] == 6 && one["posterior"]["at_mode"]["v"].is_array(), "{one}");
    assert_eq!(desk.ok("predict one.gp days.csv --latent").lines().count(), ROWS + 1);
    assert_eq!(desk.ok("predict one.gp days.csv --samples 3").lines().count(), ROWS + 1);
    let said = desk.stock("inspect", "one.gp", "").1;
    assert!(said.contains("needs the posterior `at_mode` and the method `laplace`, which"), "{said}");

    desk.ok(&format!(
        "fit days.csv --target pressure,showers --features day --output two.gp {fit} --kernel 1*rbf"
    ));
    let two = model("two.gp");
    assert_eq!(two["posterior"]["apart"][1]["posterior"], "at_mode");
    assert_eq!(desk.ok("predict two.gp days.csv").lines().count(), ROWS + 1);
    let (code, said) = desk.stock("predict", "two.gp", "days.csv");
    assert!(code == 4 && said.contains("the posterior `at_mode`"), "{said}");
}

#[test]
fn the_likelihood_goes_through_the_methods_of_the_command() {
    let desk = Desk::new();
    for method in [
        "ep --iterations 2",
        "svgp --iterations 3",
        "savigp --iterations 3",
        "sep --epochs 3 --batch-size 20",
    ] {
        desk.ok(&format!("fit days.spaced {MODEL} --method {method}"));
        let scores = desk.ok("eval model.gp days.spaced");
        assert!(scores.contains("gp"), "{scores}");
        assert_eq!(desk.stock("eval", "model.gp", "days.csv").0, 4);
        desk.ok("update model.gp days.csv --output more.gp --force");
        assert!(desk.ok("inspect more.gp").contains(&format!("{ROWS} more rows")), "{method}");
    }
    let cv =
        desk.ok(&format!("cv days.csv --folds 2 --iterations 2 --method ep {}", &MODEL[..MODEL.len() - 16]));
    assert!(cv.contains("gp,nlpd"), "{cv}");
    desk.ok(&format!(
        "cv days.spaced --folds 2 --iterations 2 --method laplace {}",
        &MODEL[..MODEL.len() - 16]
    ));
}

#[test]
fn rows_may_stay_in_a_file() {
    let desk = Desk::new();
    for method in ["sep", "svgp --optimizer adam"] {
        let fit = format!("fit days.csv {MODEL} --method {method} --epochs 2 --batch-size 20 --stream");
        desk.ok(&format!("{fit} never"));
        let held = desk.ok("predict model.gp days.csv");
        desk.ok(&format!("{fit} always"));
        assert_eq!(desk.ok("predict model.gp days.csv"), held, "{method}");
    }
    desk.refused(
        &format!("fit days.csv {MODEL} --method laplace --stream always"),
        2,
        "laplace needs all rows in memory",
    );
    desk.refused(
        &format!("fit days.spaced {MODEL} --method sep --stream always"),
        2,
        "tables in spaced are not read in pieces",
    );
}

#[test]
fn what_is_registered_is_in_flags_lists_and_configurations() {
    let desk = Desk::new();
    let help = desk.ok("fit --help");
    for text in ["--newton <N>", "[laplace: 200]", "savigp, laplace", "libsvm, ", ", spaced"] {
        assert!(help.contains(text), "no {text} in {help}");
    }
    let schema: Value = serde_json::from_str(&desk.ok("generate schema")).unwrap();
    assert!(schema["properties"]["newton"].is_object());
    let fit = format!("fit days.csv {MODEL}");
    desk.refused(&format!("{fit} --method ep --newton 3"), 2, "--newton makes no difference to method ep");
    desk.refused(
        &format!("{fit} --method laplace --alpha 0.5"),
        2,
        "--alpha makes no difference to method laplace",
    );
    desk.write("few.toml", "newton = 1\nmethod = \"laplace\"");
    desk.refused(&format!("{fit} --config few.toml"), 5, "raise --newton");
    desk.write("some.toml", "newton = 60\nmethod = \"laplace\"\niterations = 2");
    desk.ok(&format!("{fit} --config some.toml"));
    assert!(desk.ok("inspect model.gp --json").contains("\"newton\": 60"));
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
    let fit = "fit days.csv --target pressure --likelihood gaussian(variance=0.2) --kernel 1*matern12(lengthscale=0.5) --no-train --units model";
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
