//! `gp fit`: choices, settings, refusals, messages.

use crate::support::{Desk, circle, sine};

fn with(table: String) -> Desk {
    let desk = Desk::new();
    desk.write("t.csv", table);
    desk
}

#[test]
fn regression_by_default_says_what_it_chose_and_beats_a_straight_line() {
    let desk = with(sine(80));
    let said = desk.ok("fit t.csv --target y --test t.csv");
    let lines: Vec<&str> = said.err.lines().collect();
    assert!(lines[0].starts_with("task: regression with likelihood gaussian, because"), "{}", said.err);
    assert!(lines[1].starts_with("method: exact by lbfgs, because"), "{}", said.err);
    assert!(lines[2].starts_with("kernel: RBF plus linear"), "{}", said.err);
    assert!(said.err.contains("wrote model.gp"));
    let density = said.out.lines().find(|line| line.starts_with("negative log density")).unwrap();
    let scores: Vec<f64> = density.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    // gp, mean, linear: the noise has standard deviation 0.06, the sine 0.7.
    assert!(scores[0] < scores[1] - 1.0 && scores[0] < scores[2] - 1.0, "{density}");
}

#[test]
fn json_has_the_keys_that_scripts_rely_on() {
    let desk = with(sine(60));
    let json = desk.ok("fit t.csv --target y --method vfe --inducing 12 --json --test t.csv").json();
    for key in [
        "objective",
        "method",
        "alpha",
        "kernel",
        "likelihood",
        "n",
        "m",
        "converged",
        "reason",
        "iterations",
        "seconds",
        "expected_seconds",
        "expected_range",
        "jitter",
        "warnings",
        "test",
    ] {
        assert!(json.get(key).is_some(), "{key} in {json}");
    }
    assert_eq!((&json["method"], &json["n"], &json["m"]), (&"vfe".into(), &60.into(), &12.into()));
    assert_eq!(json["objective_kind"], "lower_bound");
    assert!(json["kernel"].as_str().unwrap().contains("rbf(lengthscale="));
    assert!(json["test"]["scores"]["gp"]["rmse"].as_f64().unwrap() < 0.1);
}

#[test]
fn every_method_learns_what_it_is_for() {
    let desk = with(sine(60));
    for flags in [
        "exact",
        "pep --alpha 0.3 --inducing 10",
        "vfe --inducing 10",
        "fitc --inducing 10",
        "ep --inducing 10 --iterations 30",
    ] {
        let json =
            desk.ok(&format!("fit t.csv --target y --force --json --test t.csv --method {flags}")).json();
        assert!(json["test"]["scores"]["gp"]["rmse"].as_f64().unwrap() < 0.1, "{flags}: {json}");
    }
    let desk = with(circle(150));
    for flags in [
        "ep --iterations 20",
        "ep --optimizer adam --iterations 60",
        "ep --alpha 0.5 --iterations 10 --placement greedy",
        "gfitc --iterations 10 --inducing 20",
        "sep --epochs 60 --batch-size 30 --inducing 20",
        "svgp --iterations 10 --inducing 20",
        "svgp --epochs 40 --batch-size 50 --inducing 20",
        "sep --sites full --epochs 30 --batch-size 50 --inducing 20 --optimizer adadelta",
    ] {
        let json =
            desk.ok(&format!("fit t.csv --target y --force --json --test t.csv --method {flags}")).json();
        let scores = &json["test"]["scores"];
        let loss = |who: &str| scores[who]["log_loss"].as_f64().unwrap();
        assert!(loss("gp") < loss("shares") - 0.1, "{flags}: {json}");
        assert!(loss("gp") < loss("linear") - 0.1, "{flags}: {json}");
    }
}

#[test]
fn targets_of_every_kind() {
    let rows = |value: fn(usize) -> String| {
        (0..60).fold("x,y\n".to_owned(), |text, i| text + &format!("{},{}\n", 0.1 * i as f64, value(i)))
    };
    let labels = with(rows(|i| ["low", "middle", "high"][(i / 10) % 3].to_owned()));
    let json = labels.ok("fit t.csv --target y --inducing 15 --json --test t.csv").json();
    assert_eq!(json["likelihood"], "multiclass_probit(classes=3)");
    assert!(json["test"]["scores"]["gp"]["error"].as_f64().unwrap() < 0.3, "{json}");
    assert_eq!(json["test"]["labels"], serde_json::json!(["high", "low", "middle"]));

    let counts = with(rows(|i| (i / 9 * (i % 3)).to_string()));
    let said = counts.ok("fit t.csv --target y --task count --iterations 5 --inducing 15 --json");
    assert!(said.json()["likelihood"].as_str().unwrap().starts_with("poisson(offset="), "{}", said.out);
    let json =
        counts.ok("fit t.csv --target y --task ordinal --iterations 5 --inducing 10 --force --json").json();
    assert!(json["likelihood"].as_str().unwrap().starts_with("ordinal_probit(classes="), "{json}");

    let heavy = with(sine(40));
    let flags = "--likelihood student_t(dof=fixed(4)) --iterations 5 --inducing 10 --json";
    let json = heavy.ok(&format!("fit t.csv --target y {flags}")).json();
    assert!(json["likelihood"].as_str().unwrap().contains("dof=fixed(4)"), "{json}");

    let binary = with(rows(|i| ((i / 20) % 2 == 0).to_string()));
    assert_eq!(
        binary.ok("fit t.csv --target y --iterations 5 --json").json()["likelihood"],
        "bernoulli_probit"
    );
}

#[test]
fn parameters_are_fixed_bounded_and_expected_by_name() {
    let desk = with(sine(40));
    let kernel = |flags: &str| {
        let json = desk.ok(&format!("fit t.csv --target y --force --json {flags}")).json();
        (json["kernel"].as_str().unwrap().to_owned(), json["likelihood"].as_str().unwrap().to_owned())
    };
    let (fixed, noise) = kernel("--kernel \"2 * rbf(lengthscale=0.7)\" --no-train --units model");
    assert_eq!(
        (fixed.as_str(), noise.as_str()),
        ("fixed(2) * rbf(lengthscale=fixed(0.7))", "gaussian(variance=fixed(0.1))")
    );
    let (fixed, noise) =
        kernel("--kernel \"1 * rbf(lengthscale=0.7)\" --units model --fix rbf.lengthscale,likelihood");
    assert!(fixed.ends_with("* rbf(lengthscale=fixed(0.7))") && !fixed.starts_with('1'), "{fixed}");
    assert_eq!(noise, "gaussian(variance=fixed(0.1))");
    let (bounded, noise) = kernel(
        "--kernel \"1 * rbf\" --units model --bound lengthscale=0.5..2.5 --bound likelihood.variance=0.02.. --prior scale.variance=gamma(2,1)",
    );
    assert!(bounded.contains("in [0.5, 2.5]") && bounded.contains("gamma(2, 1)"), "{bounded}");
    assert!(noise.contains("in [0.02, none]"), "{noise}");
}

#[test]
fn every_kernel_is_shown() {
    let desk = Desk::new();
    let rows = (0..90)
        .map(|i| format!("{},{}\n", 0.1 * f64::from(i), ["low", "middle", "high"][(i as usize / 10) % 3]));
    desk.write("t.csv", "x,y\n".to_owned() + &rows.collect::<String>());
    let kernels = "--kernel \"1 * rbf\" --kernel \"2 * matern32\" --kernel \"fixed(3) ~ gamma(2, 1) * rbf\"";
    let said = desk
        .ok(&format!("fit t.csv --target y --method ep --inducing 8 --iterations 1 --units model {kernels}"));
    let line = said.err.lines().find(|line| line.starts_with("kernel: ")).unwrap();
    assert!(line.contains("(1) 1 * rbf(") && line.contains("(2) 2 * matern32("), "{line}");
    assert!(line.contains("(3) fixed(3) * rbf("), "{line}");
}

#[test]
fn inducing_inputs_can_be_given() {
    let desk = with(sine(40));
    desk.write("z.csv", "place\n0\n1.5\n3\n4.5\n6\n");
    let json = desk.ok("fit t.csv --target y --method vfe --inducing-file z.csv --no-train --json").json();
    assert_eq!(json["m"], 5);
    let text = desk.ok("convert model.gp --to json").json();
    let z = &text["posterior"]["latents"][0]["inducing"]["inputs"]["z"];
    let scale = &text["inputs"]["features"][0]["encoding"]["scaled"];
    let expected = (1.5 - scale["mean"].as_f64().unwrap()) / scale["scale"].as_f64().unwrap();
    assert_eq!(z[1].as_f64().unwrap(), expected);
    desk.write("wide.csv", "a,b\n0,1\n");
    desk.refused(
        "fit t.csv --target y --method vfe --inducing-file wide.csv --force",
        3,
        &["`wide.csv` has 2 columns", "1 features: x"],
    );
}

#[test]
fn what_makes_no_difference_or_no_sense_is_refused() {
    let desk = with(sine(30));
    for (flags, texts) in [
        ("--method nonsense", ["no method `nonsense`", "choose auto"].as_slice()),
        ("--method exact --alpha 0.5", &["--alpha makes no difference to method exact"]),
        ("--method exact --inducing 5", &["--inducing makes no difference"]),
        ("--method vfe --alpha 0.5", &["--alpha makes no difference to method vfe"]),
        ("--method pep --alpha 1.5", &["--alpha 1.5 is not between 0 and 1"]),
        ("--method pep --epochs 3", &["--epochs makes no difference"]),
        ("--method sep --iterations 10", &["--iterations makes no difference to method sep"]),
        ("--method exact --optimizer adam", &["--optimizer adam", "lbfgs"]),
        ("--method exact --likelihood student_t", &["method exact", "Gaussian noise"]),
        ("--method pep --inducing 0", &["at least one inducing point"]),
        ("--kernel \"1 * nonsense\"", &["--kernel cannot be used", "nonsense"]),
        ("--kernel \"1 * rbf(\"", &["--kernel cannot be used"]),
        ("--kernel rbf --kernel rbf", &["--kernel was given 2 times"]),
        ("--likelihood nonsense", &["--likelihood cannot be read", "student_t"]),
        ("--fix nonsense", &["no parameter `nonsense`", "rbf.lengthscale", "likelihood.variance"]),
        ("--fix lengthscal", &["no parameter `lengthscal`", "did you mean `lengthscale`?"]),
        ("--kernel \"1 * rbf\" --bound variance=0.1..1", &["write likelihood.variance or scale.variance"]),
        ("--bound rbf.lengthscale=1", &["`1` is not a range; write LO..HI"]),
        ("--bound rbf.lengthscale=nan..1", &["--bound rbf.lengthscale=nan..1", "the lower end is nan"]),
        ("--bound rbf.lengthscale=1..NaN", &["--bound rbf.lengthscale=1..NaN", "the upper end is nan"]),
        ("--prior rbf.lengthscale=nonsense(1)", &["--prior"]),
        ("--features y", &["the target"]),
        ("--features x,x", &["named twice"]),
    ] {
        desk.refused(&format!("fit t.csv --target y {flags}"), 2, texts);
    }
    desk.refused("fit t.csv", 2, &["--target COL"]);
    desk.refused("fit t.csv --target y --features z", 3, &["no column z; it has x, y"]);
    for line in ["fit", "fit t.csv --target y --time-limit soon", "fit t.csv --target y --type x=colour"] {
        assert_eq!(desk.gp(line).code, 2, "{line}");
    }
}

#[test]
fn a_configuration_says_what_flags_say_and_flags_win() {
    let desk = with(sine(40));
    desk.write(
        "c.toml",
        "target = \"y\"\nmethod = \"vfe\"\ninducing = 8\nno-train = true\nfix = [\"rbf.lengthscale\"]\n",
    );
    let json = desk.ok("fit t.csv --config c.toml --inducing 6 --json").json();
    assert_eq!((&json["method"], &json["m"], &json["iterations"]), (&"vfe".into(), &6.into(), &0.into()));
    let config = &desk.ok("convert model.gp --to json").json()["config"];
    assert_eq!((&config["inducing"], &config["no-train"]), (&6.into(), &true.into()));
    desk.write("wrong.toml", "target = \"y\"\nmethods = \"vfe\"\n");
    desk.refused(
        "fit t.csv --config wrong.toml --force",
        2,
        &["`wrong.toml`: there is no `methods`", "method"],
    );
    desk.write("broken.toml", "target = \"y\"\nmethod = vfe\n");
    desk.refused("fit t.csv --config broken.toml --force", 2, &["`broken.toml`: line 2"]);
    desk.refused("fit t.csv --config none.toml --force", 7, &["cannot read `none.toml`"]);
}

#[test]
fn strict_fails_where_training_did_not_converge() {
    let desk = with(sine(40));
    desk.refused(
        "fit t.csv --target y --iterations 2 --strict",
        6,
        &["did not converge", "nothing was written"],
    );
    let json = desk.ok("fit t.csv --target y --iterations 2 --json").json();
    assert_eq!((&json["converged"], &json["iterations"]), (&false.into(), &2.into()));
}

#[test]
fn a_test_table_is_looked_at_before_training() {
    let desk = with(circle(60));
    desk.write("test.csv", "a,b,kind,y\n1,1,red,maybe\n");
    desk.refused("fit t.csv --target y --test test.csv", 3, &["`test.csv`, line 2, column y", "`maybe`"]);
}

#[test]
fn the_same_seed_gives_the_same_bytes_with_any_number_of_threads() {
    let desk = with(circle(120));
    let bytes = |flags: &str| {
        desk.ok(&format!(
            "fit t.csv --target y --force --quiet --method sep --inducing 15 --epochs 5 {flags}"
        ));
        desk.read("model.gp")
    };
    let one = bytes("--seed 3 --threads 1");
    assert!(one == bytes("--seed 3 --threads 4"));
    assert!(one != bytes("--seed 4 --threads 1"));
}

#[test]
fn standard_input_and_packed_files_do() {
    use std::io::Write;
    let desk = with(sine(30));
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    packed.write_all(sine(30).as_bytes()).unwrap();
    desk.write("t.csv.gz", packed.finish().unwrap());
    desk.ok("fit t.csv.gz --target y -o packed.gp");
    let mut child = desk.command(&["fit", "-", "--target", "y", "-o", "piped.gp"]);
    let mut child =
        child.stdin(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(sine(30).as_bytes()).unwrap();
    assert!(child.wait_with_output().unwrap().status.success());
    assert!(desk.read("packed.gp") == desk.read("piped.gp"));
}
