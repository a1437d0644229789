//! Kernel searches with known kernels.

use crate::support::{Desk, Said, noise};
use serde_json::Value;
use std::f64::consts::TAU;
use std::fmt::Write as _;

fn table(rows: usize, value: impl Fn(f64, usize) -> f64) -> String {
    let mut text = "t,y\n".to_owned();
    (0..rows).for_each(|i| writeln!(text, "{i},{}", value(i as f64, i)).unwrap());
    text
}

#[track_caller]
fn found(json: &Value) -> String {
    let tried = json["search"]["tried"].as_array().unwrap();
    let kept = tried.iter().find(|tried| tried["kept"] == true).unwrap();
    kept["kernel"].as_str().unwrap().to_owned()
}

#[track_caller]
fn search(desk: &Desk, flags: &str) -> Said {
    desk.ok(&format!("fit t.csv --target y --method exact --parameters known --json --force {flags}"))
}

#[test]
fn a_product_of_a_season_and_a_smooth_function() {
    let desk = Desk::new();
    desk.write("t.csv", table(96, |t, i| (t / 15.0).sin().exp() * (TAU * t / 12.0).sin() + 0.1 * noise(i)));
    let said = search(&desk, "--search");
    let kernel = found(&said.json());
    let (_, period) = kernel.split_once("periodic(period ").unwrap();
    let period: f64 = period.split(')').next().unwrap().parse().unwrap();
    // Eight periods with amplitude about 1 and noise of 0.1.
    assert!((period - 12.0).abs() < 0.1, "{kernel}");
    let smooth = ["rbf", "matern", "rq"].iter().any(|name| kernel.contains(name));
    assert!(kernel.contains(" * ") && smooth && !kernel.contains(" + "), "{kernel}");
    assert!(said.err.contains("kernel: to be searched for"), "{}", said.err);
    assert!(said.err.contains(" kernels by log evidence of exact regression on 96 rows"), "{}", said.err);
    let text = desk.ok("inspect model.gp").out;
    assert!(text.contains(&kernel) && text.contains("chosen of "), "{text}");
    desk.ok("report model.gp -o page.html --force");
    assert!(String::from_utf8(desk.read("page.html")).unwrap().contains("log evidence of exact regression"));
}

#[test]
fn a_straight_and_a_smooth_function() {
    let desk = Desk::new();
    desk.write("t.csv", table(100, |t, i| 0.08 * t + (t / 6.0).sin() + 0.2 * noise(i)));
    let kernel = found(&search(&desk, "--search=2").json());
    assert!(kernel.contains("linear") && kernel.contains(" + "), "{kernel}");
    assert!(["rbf", "matern", "rq", "periodic"].iter().any(|name| kernel.contains(name)), "{kernel}");
}

#[test]
fn noise_stays_simple() {
    let desk = Desk::new();
    for first in [0, 1_000, 2_000] {
        desk.write("t.csv", table(80, |_, i| noise(first + i)));
        let json = search(&desk, "--search=2").json();
        assert_eq!(found(&json), "linear", "{json}");
        assert_eq!(json["search"]["ended"], "no step further is worth more");
    }
}

#[test]
fn parameters_that_a_search_found_are_uncertain() {
    let desk = Desk::new();
    desk.write("t.csv", table(40, |t, i| 0.1 * t + noise(i)));
    desk.ok("fit t.csv --target y --search=1");
    let weights = desk.ok("inspect model.gp --json").json()["components"].as_array().unwrap().len();
    assert_eq!(weights, 41);
}

#[test]
fn inputs_have_terms_of_their_own() {
    let desk = Desk::new();
    let mut text = "a,b,c,y\n".to_owned();
    for i in 0..90 {
        let (a, b, c) = (noise(i), noise(i + 500), noise(i + 900));
        writeln!(text, "{a},{b},{c},{}", (3.0 * a).sin() + 1.5 * b + 0.1 * noise(i + 3_000)).unwrap();
    }
    desk.write("t.csv", text);
    let json = search(&desk, "--search=2").json();
    let kernel = found(&json);
    assert!(kernel.contains("linear"), "{kernel}");
    let alone = desk.ok("fit t.csv --target y --method exact --parameters known --json --force").json();
    let objective = |json: &Value| json["objective"].as_f64().unwrap();
    assert!(objective(&json) > objective(&alone) - 1.0, "{json} {alone}");
}

#[test]
fn labels_counts_and_inducing_inputs_take_a_search() {
    let desk = Desk::new();
    let wave = |t: f64| (TAU * t / 30.0).sin();
    let mut labels = "t,y\n".to_owned();
    (0..60)
        .for_each(|i| writeln!(labels, "{i},{}", if wave(i.into()) > 0.0 { "up" } else { "down" }).unwrap());
    desk.write("labels.csv", labels);
    desk.write("counts.csv", table(80, |t, i| (3.0 + 2.0 * wave(t) + noise(i).abs()).round()));
    desk.write("numbers.csv", table(80, |t, i| wave(t) + 0.1 * noise(i)));
    for (flags, by) in [
        ("labels.csv --inducing 12 --iterations 5", "EP's log evidence on 60 rows"),
        ("counts.csv --task count --inducing 12 --iterations 5", "exact regression on 80 rows"),
        ("numbers.csv --method fitc --inducing 12 --iterations 5", "exact regression on 80 rows"),
        ("numbers.csv --method pep --inducing 12 --iterations 5 --restarts 2", "exact regression on 80 rows"),
    ] {
        let fit = |threads: usize| {
            let line = format!("fit {flags} --target y --search=1 --json --force --threads {threads}");
            let said = desk.ok(&line);
            assert!(said.json()["search"]["by"].as_str().unwrap().contains(by), "{flags}: {}", said.out);
            assert!(!found(&said.json()).is_empty());
            desk.read("model.gp")
        };
        assert!(fit(1) == fit(2), "{flags}");
        desk.ok(&format!("predict model.gp {}", flags.split(' ').next().unwrap()));
    }
    let cv = desk.ok("cv numbers.csv --target y --folds 2 --search=1 --iterations 5");
    assert!(cv.err.contains("fold 0: kernel "), "{}", cv.err);
}

#[test]
fn a_search_heeds_the_time_and_goes_on() {
    let desk = Desk::new();
    desk.write("t.csv", table(60, |t, i| (t / 8.0).sin() + 0.1 * noise(i)));
    let fit = "fit t.csv --target y --search=1 --force";
    desk.ok(fit);
    let straight = desk.read("model.gp");
    desk.ok(&format!("{fit} --checkpoint state --checkpoint-every 0s"));
    assert!(desk.read("model.gp") == straight);
    assert_eq!(desk.names(), ["model.gp", "t.csv"]);
    let json = desk.ok(&format!("{fit} --time-limit 1ms --json")).json();
    assert_eq!(json["search"]["ended"], "the time was over");
    let choices = desk.ok("inspect model.gp --json").json()["about"]["training"]["choices"].to_string();
    assert!(choices.contains("the default, because the search ended"), "{choices}");
}

#[test]
fn what_does_not_go_with_a_search_is_refused() {
    let desk = Desk::new();
    desk.write("t.csv", table(30, |t, i| t + noise(i)));
    let fit = "fit t.csv --target y --search";
    for flags in ["--kernel rbf", "--no-train", "--search=0", "--search=11"] {
        assert_eq!(desk.gp(&format!("{fit} {flags}")).code, 2, "{flags}");
    }
    desk.refused(&format!("{fit} --bound rbf.lengthscale=1..2"), 2, &["--bound rbf.lengthscale", "--search"]);
    desk.refused(&format!("{fit} --fix kernel"), 2, &["--fix kernel", "--search"]);
    desk.refused("diagnose t.csv --target y --search", 2, &["--search makes no difference"]);
    let likelihood = "--likelihood heteroscedastic";
    desk.refused(&format!("{fit} --method ep {likelihood}"), 2, &["--search", "--kernel"]);
}

/// Offsets are subtracted first; other roles act as in training.
#[test]
fn a_search_heeds_columns_with_a_role() {
    let desk = Desk::new();
    let mut text = "t,y,rest,o,w,v,count,label\n".to_owned();
    for i in 0..60 {
        let t = i as f64 / 10.0;
        let (rest, o) = ((2.0 * t).sin() + 0.1 * noise(i), f64::from(i as u32 % 7) * 8.0);
        let (w, v) = (1 + i % 3, if i < 30 { 0.0 } else { 4.0 });
        let count = (3.0 + 2.0 * (2.0 * t).sin()).round() * w as f64;
        writeln!(text, "{t},{},{rest},{o},{w},{v},{count},{}", o + rest, u8::from(rest > 0.0)).unwrap();
    }
    desk.write("t.csv", text);
    let tried = |flags: &str| {
        let line = format!("fit t.csv --features t --search=1 --iterations 3 --json --force {flags}");
        desk.ok(&line).json()["search"]["tried"].clone()
    };
    let exact = "--method exact --parameters known";
    let plain = tried(&format!("--target rest {exact}"));
    // The scale is that of the difference, with its own rounding.
    let offset = tried(&format!("--target y --offset o {exact}"));
    let evidence = |tried: &Value| tried[0]["evidence"].as_f64().unwrap();
    assert!((evidence(&plain) - evidence(&offset)).abs() < 1e-6, "{plain} {offset}");
    for role in ["--weights w", "--noise-variance v"] {
        let other = tried(&format!("--target rest {exact} {role}"));
        assert!((evidence(&plain) - evidence(&other)).abs() > 0.5, "{role}: {plain} {other}");
    }
    let counts = tried("--target count --task count --exposure w --inducing 8");
    assert!(counts.as_array().unwrap().iter().any(|tried| tried["kept"] == true), "{counts}");
    let labels = tried("--target label --weights w --offset v --inducing 8");
    assert!(labels.as_array().unwrap().iter().any(|tried| tried["kept"] == true), "{labels}");
}
