//! Tables at model and score limits.

use crate::support::{Desk, noise, sine};
use std::time::Instant;

/// Counts with exposure and a rate along x; one is wrong.
fn counts_with_a_giant(rows: usize) -> String {
    let row = |i: usize| {
        let (x, exposure) = (6.0 * i as f64 / rows as f64, 2.0 + (i % 4) as f64);
        let mean = exposure * (1.0 + x.sin()).exp();
        let count = if i == 17 { 1e9 } else { (mean + mean.sqrt() * noise(i)).round().max(0.0) };
        format!("{x},{count},{exposure}\n")
    };
    "x,n,e\n".to_owned() + &(0..rows).map(row).collect::<String>()
}

/// EP stops without improvement; ended evaluations are reported.
#[test]
fn a_giant_among_counts_takes_no_more_time_than_allowed() {
    let desk = Desk::new();
    desk.write("t.csv", counts_with_a_giant(80));
    let fit = "fit t.csv --target n --task count --exposure e --features x -o m.gp --force";
    let begun = Instant::now();
    let said = desk.ok(&format!("{fit} --time-limit 1s"));
    assert!(said.err.contains("the time limit was reached"), "{}", said.err);
    assert!(!said.err.contains("evaluations failed"), "{}", said.err);
    assert!(begun.elapsed().as_secs() < 60, "{:?}", begun.elapsed());
    for mean in desk.ok("predict m.gp t.csv").column("mean") {
        assert!(mean.is_finite() && mean >= 0.0, "{mean}");
    }
}

/// Weight 10 000 equals as many rows.
#[test]
fn weights_that_leave_no_noise_are_told() {
    let desk = Desk::new();
    let row = |i: usize| {
        format!("{},{},1e4,{}\n", 0.1 * i as f64, (0.1 * i as f64).sin() + 0.2 * noise(i), 1 + i % 3)
    };
    desk.write("t.csv", "x,y,w,v\n".to_owned() + &(0..60).map(row).collect::<String>());
    let said = desk.ok("fit t.csv --target y --features x --weights w -o m.gp");
    for text in ["the noise was learned away", "a weight of 10000", "divide --weights by their mean"] {
        assert!(said.err.contains(text), "no `{text}` in {}", said.err);
    }
    let said = desk.ok("fit t.csv --target y --features x --weights v -o m.gp --force --parameters known");
    assert!(!said.err.contains("learned away"), "{}", said.err);
}

/// Large weights claim identical observations; labels are exempt.
#[test]
fn heavy_rows_of_numbers_are_told_before_training() {
    let desk = Desk::new();
    let row =
        |i: usize| format!("{i},{},{},{}\n", noise(i), ["a", "b"][i % 2], if i == 3 { 1000 } else { 1 });
    desk.write("t.csv", "x,y,c,w\n".to_owned() + &(0..30).map(row).collect::<String>());
    let fit = "fit t.csv --features x --weights w -o m.gp --force --iterations 1";
    let text = "weights of column w go up to 1000";
    for (target, is_told) in [("y", true), ("y --likelihood student_t", true), ("c", false)] {
        let said = desk.ok(&format!("{fit} --target {target}"));
        assert_eq!(said.err.contains(text), is_told, "{target}: {}", said.err);
    }
}

/// EP and natural gradients iterate within an evaluation, which the limit ends.
#[test]
fn a_limit_below_one_evaluation_ends_it() {
    let desk = Desk::new();
    let label = |i: usize| (noise(i) + noise(7 * i + 1)).abs() as usize % 3;
    let row = |i: usize| format!("{},{},{},c{}\n", noise(i), noise(7 * i + 1), noise(9 * i), label(i));
    desk.write("t.csv", "x,z,u,c\n".to_owned() + &(0..400).map(row).collect::<String>());
    for method in ["ep", "svgp"] {
        let fit = format!("fit t.csv --target c --method {method} -o m.gp --force --time-limit");
        let said = desk.ok(&format!("{fit} 1ms"));
        assert!(
            said.err.contains("did not converge, as training ended before its first iteration"),
            "{method}: {}",
            said.err
        );
        assert!(said.err.contains("EP did not converge in 1 sweep ") == (method == "ep"), "{}", said.err);
        let densities = desk.ok("predict m.gp t.csv").column("log_density");
        assert!(densities.iter().all(|density| *density < 0.0 && density.is_finite()), "{method}");
    }
}

#[test]
fn values_beyond_their_range_are_named() {
    let desk = Desk::new();
    desk.write("t.csv", sine(40));
    desk.ok("fit t.csv --target y --parameters known -o m.gp");
    let close = "--interval 0.9999999999999999 is so close to 1";
    desk.refused("predict m.gp t.csv --interval 0.9999999999999999", 2, &[close]);
    let fit = "fit t.csv --target y -o n.gp";
    let samples = "--samples 100000 is not a whole number from 0 to 65536";
    desk.refused(&format!("{fit} --method savigp --samples 100000"), 2, &[samples]);
    for (flags, told) in [
        ("--method pep --alpha nan", "it must be a finite number"),
        ("--time-limit -5s", "it must be a time such as 90s"),
        ("--memory -5G", "`-5G` is not a size"),
    ] {
        let said = desk.gp(&format!("{fit} {flags}"));
        assert!(said.code == 2 && said.err.contains(told), "{flags}: {}", said.err);
    }
}

#[test]
fn the_linear_model_learns_its_noise() {
    let desk = Desk::new();
    let line = |i: usize| format!("{i},{}\n", i as f64 + 20.0 * noise(i));
    desk.write("line.csv", "x,y\n".to_owned() + &(0..100).map(line).collect::<String>());
    desk.ok("fit line.csv --target y --no-train --likelihood gaussian(variance=fixed(1e-4)) -o m.gp");
    let told = desk.ok("eval m.gp line.csv --json").json();
    let coverage = told["scores"]["linear"]["coverage"][2].as_f64().unwrap();
    assert!(coverage > 0.85, "{told}");
}

/// With many classes, looking back would take much longer than the limit.
#[test]
fn after_a_time_limit_many_classes_are_looked_at_in_part() {
    let desk = Desk::new();
    let row = |i: usize| format!("{},{},c{}\n", noise(i), noise(7 * i + 1), i % 12);
    desk.write("t.csv", "x,z,c\n".to_owned() + &(0..240).map(row).collect::<String>());
    let said = desk.ok("fit t.csv --target c --time-limit 1ms");
    assert!(said.err.contains("the influence of the inputs was not computed"), "{}", said.err);
}

/// Vanishing noise makes the density unbounded. Training stops before overflow; variances stay below the
/// targets'.
#[test]
fn weights_of_any_size_leave_sensible_variances() {
    let desk = Desk::new();
    for (rows, error) in [(40, 0.1), (40, 0.0), (300, 0.1)] {
        let row = |i: usize| {
            let x = 10.0 * i as f64 / rows as f64;
            let weight = 10f64.powf(12.0 * ((i * 37) % 41) as f64 / 40.0 - 6.0);
            format!("{x},{},{weight}\n", x.sin() + error * noise(i))
        };
        desk.write("t.csv", "x,y,w\n".to_owned() + &(0..rows).map(row).collect::<String>());
        for flags in
            ["", " --likelihood gaussian", " --likelihood gaussian(variance=1e-10)", " --parameters known"]
        {
            let fit = "fit t.csv --target y --features x --weights w --kernel \"1 * rbf + linear\" -o m.gp";
            let said = desk.ok(&format!("{fit} --force{flags}"));
            assert!(said.err.contains("the noise was learned away"), "{flags}: {}", said.err);
            for text in ["evaluations failed", "no answer"] {
                assert!(!said.err.contains(text), "{flags}: {}", said.err);
            }
            let said = desk.ok("predict m.gp t.csv");
            let largest = said.column("variance").into_iter().fold(0.0, f64::max);
            assert!(largest > 0.0 && largest < 1.0, "{rows} rows{flags}: {largest}");
        }
    }
}

/// Input-dependent noise vanishes or explodes.
#[test]
fn variances_beyond_all_targets_are_told() {
    let desk = Desk::new();
    let row = |i: usize| {
        let x = 0.25 * i as f64;
        let weight = 10f64.powf(12.0 * ((i * 37) % 41) as f64 / 40.0 - 6.0);
        format!("{x},{},{weight}\n", x.sin() + 0.1 * noise(i))
    };
    desk.write("t.csv", "x,y,w\n".to_owned() + &(0..40).map(row).collect::<String>());
    let fit = "fit t.csv --target y --weights w --likelihood heteroscedastic --iterations 10 -o m.gp --json";
    let told = desk.ok(fit).json();
    let warnings = told["warnings"].to_string();
    assert!(warnings.contains("times that of the target: a weight of"), "{told}");
    assert_eq!(told["converged"], false);
    let said = desk.ok("predict m.gp t.csv");
    assert!(said.column("variance").into_iter().any(|variance| variance > 1e6));
    for text in
        ["column variance is up to", "times the variance of the target in training", "of 40 rows", "row "]
    {
        assert!(said.err.contains(text), "no `{text}` in {}", said.err);
    }
    // A linear model is uncertain a million units away.
    desk.ok("fit t.csv --target y --features x --kernel linear -o line.gp --parameters known");
    desk.write("far.csv", "x\n1\n1e9\n");
    let said = desk.ok("predict line.gp far.csv");
    assert!(said.err.contains("in 1 of 2 rows, the first of them row 2"), "{}", said.err);
}

/// With duplicates, the density is unbounded as noise vanishes; the noise limit is no convergence.
#[test]
fn copies_of_rows_that_leave_no_noise_are_told() {
    let desk = Desk::new();
    let row = |i: usize| {
        let (x, e, d) = (0.1 * i as f64, 0.5 * noise(i), 0.5 * noise(i + 1000));
        format!("{x},{},{}\n", (6.0 * x).sin() + e, x.cos() + d)
    };
    let rows = (0..40).map(row).collect::<String>();
    desk.write("t.csv", format!("x,a,b\n{rows}{rows}"));
    for more in ["", " --restarts 2"] {
        let said = desk.ok(&format!("fit t.csv --target a,b --kernel rbf -o m.gp --force --json{more}"));
        let told = said.json();
        let warnings = told["warnings"].to_string();
        assert!(warnings.contains("the noise was learned away") && warnings.contains("copies"), "{told}");
        // Value for a noise variance of 1e-16 for each of 160 targets.
        let is_possible = told["objective"].as_f64().unwrap() < 160.0 * 17.5;
        assert!(is_possible || (warnings.contains("do not trust") && told["converged"] == false), "{told}");
    }
}

#[test]
fn scores_without_a_finite_number_are_named() {
    let desk = Desk::new();
    let row = |i: usize| format!("{},{}\n", 0.1 * i as f64, (0.1 * i as f64).sin() + 0.1 * noise(i));
    let table = "x,y\n".to_owned() + &(0..30).map(row).collect::<String>();
    desk.write("t.csv", &table);
    desk.ok("fit t.csv --target y -o m.gp --parameters known");
    let said = desk.ok("eval m.gp t.csv");
    assert!(!said.err.contains("no finite number") && !said.out.contains("inf"), "{}{}", said.out, said.err);
    // The extreme value is in line 32.
    desk.write("t.csv", table + "3,1e200\n");
    let said = desk.ok("eval m.gp t.csv");
    for text in [
        "nlpd",
        "of linear: no finite number",
        "of gp: no finite number",
        "in 1 of 31 rows",
        "line 32, column y",
    ] {
        assert!(said.err.contains(text), "no `{text}` in {}", said.err);
    }
    assert!(desk.ok("eval m.gp t.csv --json").json()["warnings"].to_string().contains("line 32"));
    desk.write("one.csv", "x,y\n1,0.8\n");
    let said = desk.ok("eval m.gp one.csv");
    assert!(said.err.contains("smse has no finite number: the targets do not vary"), "{}", said.err);
}

#[test]
fn likelihoods_are_shown_with_few_digits() {
    let desk = Desk::new();
    let row = |i: usize| format!("{},{}\n", 0.1 * i as f64, (0.1 * i as f64).sin() + 0.1 * noise(i));
    desk.write("t.csv", "x,y\n".to_owned() + &(0..30).map(row).collect::<String>());
    desk.ok("fit t.csv --target y -o m.gp --parameters known --likelihood gaussian");
    let exact = desk.ok("inspect m.gp --json").json()["likelihood"].as_str().unwrap().to_owned();
    let said = desk.ok("inspect m.gp").out;
    let shown = said.lines().find_map(|line| line.strip_prefix("likelihood")).unwrap().trim().to_owned();
    let value = |text: &str| -> f64 { text["gaussian(variance=".len()..text.len() - 1].parse().unwrap() };
    assert!(shown.len() <= "gaussian(variance=0.00001234)".len() && shown.len() < exact.len(), "{shown}");
    assert!((value(&shown) / value(&exact) - 1.0).abs() < 1e-3, "{shown} instead of {exact}");
}

/// Without noise, evidence has few digits: large gradients are no convergence.
#[test]
fn tables_without_noise_are_not_said_to_converge() {
    let desk = Desk::new();
    let place = |i: usize| 6.0 * (i as f64 * 0.618_033_988_75).fract() - 3.0;
    let row = |i: usize| format!("{},{}\n", place(i), place(i).powi(2) + place(i));
    desk.write("t.csv", "x,y\n".to_owned() + &(0..200).map(row).collect::<String>());
    for method in ["exact", "vfe", "pep", "pep --alpha 1"] {
        let fit = format!("fit t.csv --target y --method {method} --json --force --trace t.jsonl");
        let json = desk.ok(&fit).json();
        let trace = String::from_utf8(desk.read("t.jsonl")).unwrap();
        let last: serde_json::Value = serde_json::from_str(trace.lines().last().unwrap()).unwrap();
        let size = |name: &str| last[name].as_f64().unwrap().abs();
        let is_steep = size("gradient_norm") > 1e-2 * size("log_posterior");
        assert!(!is_steep || json["converged"] == false, "{method}: {json}");
        let reason = json["reason"].as_str().unwrap();
        let is_told = reason.contains("rounding hides further gains, because the variance of the noise is");
        assert!(json["converged"] == true || is_told, "{method}: {reason}");
    }
}
