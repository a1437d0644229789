//! Several targets beside other flags: what goes together, and what is refused.

use crate::support::{Desk, noise};

/// Rows of `x,z,a,b,w,g`: x is missing in every seventh row, b in every fifth, and both targets in the rows 11, 22, …
fn gaps(rows: usize) -> String {
    let row = |i: usize| {
        let x = 6.0 * i as f64 / rows as f64;
        let (a, b) = (x.sin() + 0.1 * noise(i), 3.0 + x + 0.2 * noise(i + 5000));
        let text = |value: f64, is_there: bool| if is_there { value.to_string() } else { String::new() };
        let none = i > 0 && i.is_multiple_of(11);
        let (x, a) = (text(x, !(i + 1).is_multiple_of(7)), text(a, !none));
        let b = text(b, !none && !(i + 1).is_multiple_of(5));
        format!("{x},{},{a},{b},{},{}\n", noise(i + 900), 1 + i % 3, i % 4)
    };
    "x,z,a,b,w,g\n".to_owned() + &(0..rows).map(row).collect::<String>()
}

#[test]
fn what_is_for_one_target_is_refused() {
    let desk = Desk::new();
    let rows = (0..20).map(|i| format!("{i},{},{},{}\n", noise(i), noise(i + 50), 1 + i % 2));
    desk.write("train.csv", "x,a,b,w\n".to_owned() + &rows.collect::<String>());
    for flag in [
        "--weights w",
        "--offset w",
        "--exposure w",
        "--noise-variance w",
        "--blocks w",
        "--alpha-column w",
        "--search",
        "--restarts 2",
        "--windows 0.5",
    ] {
        let name = flag.split(' ').next().unwrap();
        let told = format!("{name} is for one target, and there are 2; fit a model for each target");
        // These two make no difference to `gp diagnose`, which says so.
        let is_of_start = matches!(name, "--search" | "--restarts");
        let commands = ["fit train.csv -o no.gp", "cv train.csv", "diagnose train.csv"];
        for command in &commands[..if is_of_start { 2 } else { 3 }] {
            desk.refused(&format!("{command} --target a,b {flag}"), 2, &[&told]);
        }
    }
    desk.ok("fit train.csv --target a,b --features x --iterations 2 -o m.gp");
    let told = " is for one target, and the model has 2; fit a model for each target";
    desk.refused("predict m.gp train.csv --parts", 2, &[&format!("--parts{told}")]);
    desk.refused("predict m.gp train.csv --joint", 2, &[&format!("--joint{told}")]);
    desk.refused("plot m.gp train.csv --parts --target a -o no.png", 2, &[&format!("--parts{told}")]);
    desk.refused("suggest m.gp", 2, &[&format!("gp suggest{told}")]);
    desk.refused("suggest m.gp train.csv --by improvement --goal max", 2, &[&format!("gp suggest{told}")]);
    assert_eq!(desk.names(), ["m.gp", "train.csv"]);
}

/// Inputs keep missing values while targets have gaps: rows without any target are left out, in memory and from a file alike.
#[test]
fn inputs_keep_missing_values_beside_gaps() {
    let desk = Desk::new();
    desk.write("train.csv", gaps(66));
    let flags =
        "--target a,b --features x,z --missing keep --method svgp --optimizer adam --inducing 6 --epochs 2";
    let fit = desk.ok(&format!("fit train.csv {flags} -o held.gp"));
    assert!(fit.err.contains("left out 5 rows that miss all targets"), "{}", fit.err);
    assert!(fit.err.contains("kept missing values: x"), "{}", fit.err);
    desk.ok(&format!("fit train.csv {flags} --stream always -o streamed.gp"));
    assert!(desk.read("held.gp") == desk.read("streamed.gp"), "other bytes from a file");
    let told = desk.ok("inspect held.gp --json").json();
    assert_eq!((&told["targets"]["a"]["rows"], &told["targets"]["b"]["rows"]), (&61.into(), &49.into()));
    let predicted = desk.ok("predict held.gp train.csv");
    assert_eq!(predicted.column("mean(a)").len(), 66);
    let scored = desk.ok("eval held.gp train.csv --missing keep --json").json();
    assert_eq!((&scored["rows"], &scored["targets"]["b"]["rows"]), (&61.into(), &49.into()));
    desk.ok("update held.gp train.csv --missing keep -o more.gp");
    let told = desk.ok("inspect more.gp --json").json();
    assert_eq!(told["targets"]["b"]["rows"], 98);
}

/// Rules for missing values are of all targets, and folds of groups and of time have gaps too.
#[test]
fn rules_are_those_of_all_targets() {
    let desk = Desk::new();
    desk.write("train.csv", gaps(66));
    let flags = "--target a,b --features z --iterations 2";
    let other = "--missing-in b=error --missing drop";
    let told = ["the rule for b is another one than that for a", "say the same of all"];
    desk.refused(&format!("fit train.csv {flags} {other} -o no.gp"), 2, &told);
    desk.refused(
        &format!("fit train.csv {flags} --missing-in b=keep -o no.gp"),
        2,
        &["--missing-in b=keep", "is the target"],
    );
    desk.refused(&format!("fit train.csv {flags} -o no.gp"), 3, &["column a", "--missing drop"]);
    let both = "--missing-in b=drop --missing-in a=drop";
    let fit = desk.ok(&format!("fit train.csv {flags} {both} -o m.gp"));
    assert!(fit.err.contains("left out 5 rows that miss all targets"), "{}", fit.err);
    desk.refused("eval m.gp train.csv", 3, &["column a"]);
    for how in ["--folds 3", "--groups g --folds 4", "--rolling x --folds 3"] {
        let scores = desk.ok(&format!("cv train.csv {flags} {how} --missing drop --json")).json();
        let summary = scores["summary"].as_array().unwrap();
        let named = |name: &str| summary.iter().any(|entry| entry["score"] == name);
        assert!(named("rmse(a)") && named("nlpd(b)") && named("joint_nlpd"), "{how}: {scores}");
    }
}

/// A column with a role has a rule for missing values of its own, and the order of rules makes no difference.
#[test]
fn rules_are_told_by_name() {
    let desk = Desk::new();
    desk.write("train.csv", "x,z,y,w\n1,,2,1\n2,5,3,\n3,4,1,1\n,2,2,1\n5,1,3,2\n6,2,4,1\n");
    let flags = "--target y --weights w --iterations 2";
    let rules = "--missing-in z=keep --missing-in x=drop --missing-in w=drop";
    let fit = desk.ok(&format!("fit train.csv {flags} {rules} -o m.gp"));
    assert!(fit.err.contains("left out 2 rows that miss a value"), "{}", fit.err);
    desk.refused(&format!("fit train.csv {flags} --missing-in q=drop -o no.gp"), 3, &["no column q"]);
}
