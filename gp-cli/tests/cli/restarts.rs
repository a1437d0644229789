//! Several training starts.

use crate::support::{Desk, Said, noise, sine};
use serde_json::Value;
use std::fmt::Write as _;

/// Fast noisy wave, few rows: hidden from long length-scales.
fn quick_wave(rows: usize) -> String {
    let mut text = "x,y\n".to_owned();
    for i in 0..rows {
        let x = 20.0 * i as f64 / rows as f64;
        writeln!(text, "{x},{}", (5.0 * x).sin() + 0.3 * noise(i)).unwrap();
    }
    text
}

fn objective(json: &Value) -> f64 {
    json["objective"].as_f64().unwrap()
}

fn kept(json: &Value) -> &Value {
    json["starts"]["tried"].as_array().unwrap().iter().find(|start| start["kept"] == true).unwrap()
}

#[test]
fn a_better_optimum_is_found() {
    let desk = Desk::new();
    desk.write("t.csv", quick_wave(90));
    let fit = "fit t.csv --target y --kernel 1*rbf --method exact --parameters known --json --force";
    let alone = desk.ok(fit).json();
    let said = desk.ok(&format!("{fit} --restarts 8"));
    let best = said.json();
    assert!(objective(&best) > objective(&alone) + 10.0, "{alone} {best}");
    assert_eq!(best["starts"]["tried"].as_array().unwrap().len(), 9);
    assert!(alone["starts"].is_null());
    let start = kept(&best);
    assert!(start["start"].as_u64().unwrap() > 0 && start["seconds"].as_f64().unwrap() > 0.0, "{start}");
    // Training continues to the optimum of the short start, with its noise.
    assert!((objective(&best) - start["score"].as_f64().unwrap()).abs() < 1.0, "{best}");
    assert!(said.err.contains("9 starts by the objective") && said.err.contains(", kept"), "{}", said.err);
    // The file contains the table of starts, without times.
    let text = desk.ok("inspect model.gp").out;
    assert!(text.contains("chosen of   9 starts by the objective") && !text.contains(" s, kept"), "{text}");
    let record = &desk.ok("inspect model.gp --json").json()["about"]["training"]["starts"];
    assert_eq!(record["tried"].as_array().unwrap().len(), 9);
    desk.ok("report model.gp -o page.html");
    assert!(String::from_utf8(desk.read("page.html")).unwrap().contains("starts by the objective"));
}

/// Scores are maximised values: without standardisation, the curve's end.
#[test]
fn scores_have_the_priors_in_them() {
    let desk = Desk::new();
    desk.write("t.csv", sine(40));
    let kernel = "\"1 ~ gamma(2, 3) * rbf(lengthscale=0.5 ~ log_normal(-1, 0.2))\"";
    let fit = "fit t.csv --target y --method exact --standardize none --parameters known --json";
    let json = desk.ok(&format!("{fit} --kernel {kernel} --restarts 2")).json();
    let training = desk.ok("inspect model.gp --json").json()["about"]["training"].clone();
    let end = training["curve"].as_array().unwrap().last().unwrap().as_f64().unwrap();
    let start = kept(&json);
    assert!((start["score"].as_f64().unwrap() - end).abs() < 1e-9, "{start} {end}");
    // The log density of these priors is not 0 there.
    assert!((end - objective(&json)).abs() > 0.1, "{end} {json}");
}

#[test]
fn the_usual_start_is_kept_where_none_is_better() {
    let desk = Desk::new();
    desk.write("t.csv", sine(40));
    let fit = "fit t.csv --target y --kernel 1*rbf(lengthscale=1) --method exact --json --force";
    let (alone, best) = (desk.ok(fit).json(), desk.ok(&format!("{fit} --restarts 2")).json());
    assert_eq!(kept(&best)["start"], 0, "{best}");
    assert_eq!((&alone["objective"], &alone["kernel"]), (&best["objective"], &best["kernel"]));
    // Three rounds of about as many evaluations come before training.
    let seconds = |json: &Value| json["expected_seconds"].as_f64().unwrap();
    assert!(seconds(&best) > 1.5 * seconds(&alone), "{alone} {best}");
}

#[test]
fn every_method_takes_restarts_with_the_same_bytes_for_any_threads() {
    let desk = Desk::new();
    desk.write("n.csv", sine(60));
    let labels = sine(60).lines().fold(String::new(), |text, line| {
        let (x, y) = line.rsplit_once(',').unwrap();
        let label = y.parse().map_or("y", |y: f64| if y > 0.0 { "high" } else { "low" });
        text + &format!("{x},{label}\n")
    });
    desk.write("l.csv", labels);
    let fits = [
        "n.csv --method exact --iterations 15",
        "n.csv --method pep --inducing 8 --iterations 10",
        "n.csv --method vfe --inducing 8 --iterations 10 --parameters known",
        "l.csv --method ep --inducing 8 --iterations 5",
        "l.csv --method sep --inducing 8 --epochs 3 --batch-size 16",
        "l.csv --method svgp --inducing 8 --optimizer adam --epochs 3 --batch-size 16",
        "l.csv --method savigp --inducing 8 --iterations 5",
        "l.csv --method ivm --inducing 12 --iterations 5",
    ];
    for fit in fits {
        let by = |threads: usize| {
            let line =
                format!("fit {fit} --target y --restarts 2 --seed 3 --force --json --threads {threads}");
            let json = desk.ok(&line).json();
            (json["starts"]["by"].as_str().unwrap().to_owned(), desk.read("model.gp"))
        };
        let (one, two) = (by(1), by(2));
        assert!(one == two, "{fit}");
        let left_out = one.0.contains("rows that a short training on 48 left out");
        assert_eq!(
            left_out,
            ["sep", "adam", "ivm"].iter().any(|name| fit.contains(name)),
            "{fit}: {}",
            one.0
        );
        desk.ok(&format!("predict model.gp {}", fit.split(' ').next().unwrap()));
    }
}

#[test]
fn restarts_share_the_time_and_go_on() {
    let desk = Desk::new();
    desk.write("t.csv", quick_wave(90));
    let fit = "fit t.csv --target y --kernel 1*rbf --method exact --restarts 3 --force";
    let straight = {
        desk.ok(fit);
        desk.read("model.gp")
    };
    desk.ok(&format!("{fit} --checkpoint state --checkpoint-every 0s"));
    assert!(desk.read("model.gp") == straight);
    assert_eq!(desk.names(), ["model.gp", "t.csv"]);
    let said = desk.ok(&format!("{fit} --time-limit 1ms --json"));
    assert!(said.json()["starts"]["tried"].as_array().unwrap().len() < 4, "{}", said.out);
    // Each fold of a cross-validation has its own starts.
    desk.write("t.csv", quick_wave(180));
    let cv = "cv t.csv --target y --kernel 1*rbf --method exact --folds 2 --parameters known --json";
    let rmse = |flags: &str| {
        let json = desk.ok(&format!("{cv} {flags}")).json();
        json["folds"][0]["scores"]["gp"]["rmse"].as_f64().unwrap()
    };
    assert!(rmse("--restarts 6") < 0.8 * rmse(""));
}

#[cfg(unix)]
#[test]
fn interrupted_restarts_and_searches_go_on_to_the_same_bytes() {
    use crate::interrupted::{signal, start, wait_for};
    let desk = Desk::new();
    desk.write("t.csv", quick_wave(120));
    for (flags, file) in [
        ("--kernel 1*rbf --restarts 40", "state/starts.json"),
        ("--search=2 --restarts 20", "state/search.json"),
    ] {
        let fit = format!("fit t.csv --target y --method exact --force {flags}");
        desk.ok(&fit);
        let straight = desk.read("model.gp");
        let mut child = start(&desk, &format!("{fit} --checkpoint state --quiet"));
        wait_for(&desk.path(file), &mut child);
        signal(&child, "-INT");
        let said = Said::of(&child.wait_with_output().unwrap());
        assert_eq!(said.code, 130, "{flags}: {}", said.err);
        assert!(said.err.starts_with("interrupted") && said.err.contains("--resume state"), "{}", said.err);
        desk.refused(&format!("{fit} --resume state --seed 7"), 2, &["--seed was 0, and is 7"]);
        desk.ok(&format!("{fit} --resume state"));
        assert!(desk.read("model.gp") == straight, "{flags}");
        assert_eq!(desk.names(), ["model.gp", "t.csv"]);
    }
}

#[test]
fn rows_in_a_file_have_the_same_restarts_and_search() {
    let desk = Desk::new();
    desk.write("t.csv", sine(80));
    for fit in [
        "--method vfe --inducing 6 --iterations 5 --restarts 2 --search=1",
        "--method sep --inducing 6 --epochs 3 --restarts 2",
    ] {
        let model = |stream: &str| {
            desk.ok(&format!("fit t.csv --target y {fit} --stream {stream} --force"));
            desk.read("model.gp")
        };
        assert!(model("always") == model("never"), "{fit}");
    }
}

#[test]
fn restarts_that_make_no_difference_are_refused() {
    let desk = Desk::new();
    desk.write("t.csv", sine(30));
    let fit = "fit t.csv --target y --method exact --restarts 2";
    desk.refused(
        &format!("{fit} --iterations 0"),
        2,
        &["--restarts makes no difference", "without iterations"],
    );
    desk.refused(&format!("{fit} --fix kernel,likelihood"), 2, &["--restarts", "no parameter is free"]);
    assert_eq!(desk.gp(&format!("{fit} --no-train")).code, 2);
    assert_eq!(desk.gp("fit t.csv --target y --restarts 0").code, 2);
    desk.refused(
        "diagnose t.csv --target y --restarts 2",
        2,
        &["--restarts makes no difference to gp diagnose"],
    );
}
