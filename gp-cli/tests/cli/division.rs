//! Grouped and rolling cross-validation.

use crate::support::{Desk, Said, noise, sine};
use serde_json::Value;
use std::fmt::Write as _;

const QUICK: &str = "--method exact --no-train";

/// Rows of `site,x,y`: y depends on the site (one of twelve), not on x.
fn sites(rows: usize) -> Vec<String> {
    let row = |i: usize| {
        let site = i * 7 % 12;
        format!("s{site},{},{}", 10 * site + i % 5, 3.0 * noise(site) + 0.1 * noise(i + 99))
    };
    (0..rows).map(row).collect()
}

fn table(head: &str, rows: &[String]) -> String {
    rows.iter().fold(format!("{head}\n"), |text, row| text + row + "\n")
}

fn mean(json: &Value, score: &str) -> f64 {
    let all = json["summary"].as_array().unwrap();
    let found = all.iter().find(|entry| entry["predictor"] == "gp" && entry["score"] == score).unwrap();
    found["mean"].as_f64().unwrap()
}

#[track_caller]
fn line<'a>(said: &'a Said, with: &str) -> &'a str {
    let found = said.err.lines().find(|line| line.contains(with));
    assert!(found.is_some(), "no {with}: {}", said.err);
    found.unwrap_or_default()
}

/// Site levels are known to random folds only.
#[test]
fn rows_of_a_group_are_never_on_both_sides() {
    let desk = Desk::new();
    desk.write("t.csv", table("site,x,y", &sites(120)));
    let by_rows = desk.ok("cv t.csv --target y --folds 4 --exclude site --method exact --json").json();
    let said = desk.ok("cv t.csv --target y --folds 4 --groups site --method exact --json");
    let by_groups = said.json();
    assert!(mean(&by_groups, "rmse") > 3.0 * mean(&by_rows, "rmse"), "{by_groups}");
    assert_eq!(by_groups["division"]["groups"].to_string(), "[3,3,3,3]");
    assert_eq!(by_rows["division"]["by"], "rows");
    let told = line(&said, "by 12 groups of column site");
    assert_eq!(told, "4 folds of 120 rows by 12 groups of column site: 30 rows each");
    // The group column is no input: excluding it changes nothing and leaves no other input.
    desk.refused("cv t.csv --target y --groups site --exclude x", 3, &["no column besides the target y"]);
    let excluded =
        desk.ok("cv t.csv --target y --folds 4 --groups site --exclude site --method exact --json");
    assert_eq!(excluded.json(), by_groups);
}

#[test]
fn parts_of_groups_follow_the_seed_and_not_the_order_of_rows() {
    let desk = Desk::new();
    let rows = sites(90);
    desk.write("t.csv", table("site,x,y", &rows));
    let mirrored: Vec<String> = rows.iter().rev().cloned().collect();
    desk.write("mirrored.csv", table("site,x,y", &mirrored));
    let cv = |table: &str, more: &str| {
        desk.ok(&format!("cv {table} --target y --groups site --json {QUICK} {more}")).json()
    };
    let (first, other) = (cv("t.csv", ""), cv("mirrored.csv", ""));
    assert_eq!(first["division"], other["division"]);
    let scores = |json: &Value| {
        let folds = json["folds"].as_array().unwrap();
        folds.iter().map(|fold| fold["scores"]["gp"]["rmse"].as_f64().unwrap()).collect::<Vec<f64>>()
    };
    // The same rows, summed in another order.
    for (a, b) in scores(&first).iter().zip(scores(&other)) {
        assert!((a - b).abs() < 1e-9, "{a} {b}");
    }
    assert_eq!(cv("t.csv", "--threads 1"), cv("t.csv", "--threads 2"));
    assert!((1..4).any(|seed| scores(&cv("t.csv", &format!("--seed {seed}"))) != scores(&first)));
}

#[test]
fn few_groups_are_left_out_one_at_a_time() {
    let desk = Desk::new();
    let rows: Vec<String> = (0..40).map(|i| format!("s{},{},{}", i % 4, noise(i), noise(i + 99))).collect();
    desk.write("t.csv", table("site,x,y", &rows));
    let cv = "cv t.csv --target y --groups site --iterations 1 --json";
    let said = desk.ok(cv);
    let told = line(&said, "by 4 groups of column site");
    assert_eq!(told, "4 folds of 40 rows by 4 groups of column site: 10 rows each, one group at a time");
    assert_eq!(said.json()["division"]["groups"].to_string(), "[1,1,1,1]");
    let asked = ["4 groups", "10 folds", "--folds 4 leaves out one group at a time"];
    desk.refused(&format!("{cv} --folds 10"), 3, &asked);
    desk.refused(&format!("{cv} --folds 5"), 3, &["4 groups", "5 folds"]);
    desk.write(
        "one.csv",
        table("site,x,y", &rows).replace("s1", "s0").replace("s2", "s0").replace("s3", "s0"),
    );
    desk.refused("cv one.csv --target y --groups site", 3, &["1 group", "nothing to leave out"]);
}

#[test]
fn labels_are_shared_out_as_groups_allow() {
    let desk = Desk::new();
    let label = |i: usize| if (i * 7 % 12).is_multiple_of(3) { "rare" } else { "usual" };
    let rows: Vec<String> = (0..96).map(|i| format!("s{},{},{}", i * 7 % 12, noise(i), label(i))).collect();
    desk.write("t.csv", table("site,x,y", &rows));
    let said = desk.ok("cv t.csv --target y --folds 4 --groups site --json --iterations 1");
    let json = said.json();
    for fold in json["folds"].as_array().unwrap() {
        let confusion = fold["scores"]["gp"]["confusion"].as_array().unwrap();
        let counts: Vec<u64> = confusion
            .iter()
            .map(|row| row.as_array().unwrap().iter().map(|count| count.as_u64().unwrap()).sum())
            .collect();
        assert_eq!(counts, [8, 16], "{json}");
    }
    line(&said, "with shares of labels as even as groups allow");
    // Only this group has this label.
    let own = |row: &String| if row.starts_with("s5,") { row.replace("usual", "odd") } else { row.clone() };
    desk.write("alone.csv", table("site,x,y", &rows.iter().map(own).collect::<Vec<_>>()));
    desk.refused(
        "cv alone.csv --target y --folds 4 --groups site",
        3,
        &["column y", "label `odd` is in fold"],
    );
}

/// Shuffled rows of `day,y`.
fn days(count: usize) -> String {
    let mut text = "day,y\n".to_owned();
    for i in 0..count {
        let day = i * 17 % count;
        let (month, rest) = (day / 28, day % 28);
        writeln!(text, "2024-{:02}-{:02},{}", month + 1, rest + 1, (day as f64 / 9.0).sin()).unwrap();
    }
    text
}

#[test]
fn parts_go_forward_along_a_column() {
    let desk = Desk::new();
    desk.write("t.csv", days(84));
    let cv = format!("cv t.csv --target y --rolling day --folds 2 {QUICK}");
    let said = desk.ok(&format!("{cv} --json"));
    line(&said, "2 folds along column day: each is scored by a model of rows before it");
    let first =
        "fold 0: 28 rows from 2024-02-01 to 2024-02-28, learned from 28 rows from 2024-01-01 to 2024-01-28";
    line(&said, first);
    let json = said.json();
    let last = &json["division"]["parts"][1];
    assert_eq!((&last["test"]["from"], &last["test"]["to"]), (&"2024-03-01".into(), &"2024-03-28".into()));
    assert_eq!(last["training"]["rows"], 56);
    // The column is an input; without it there is none.
    desk.refused(&format!("{cv} --exclude day"), 3, &["no column besides the target y"]);
    // February has 29 days.
    let said = desk.ok(&format!("{cv} --gap 9 --window 10"));
    line(&said, "but for 9 before it, over 10 at most");
    line(
        &said,
        "fold 1: 28 rows from 2024-03-01 to 2024-03-28, learned from 10 rows from 2024-02-11 to 2024-02-20",
    );
    assert_eq!(desk.ok(&format!("{cv} --threads 1")).out, desk.ok(&format!("{cv} --threads 2")).out);
}

/// Earlier rows do not show the later level; random folds do.
#[test]
fn what_is_to_come_is_not_learned_from() {
    let desk = Desk::new();
    let rows: Vec<String> =
        (0..90).map(|i| format!("{i},{}", if i < 60 { 0.0 } else { 5.0 } + 0.1 * noise(i))).collect();
    desk.write("t.csv", table("t,y", &rows));
    let rmse =
        |flags: &str| mean(&desk.ok(&format!("cv t.csv --target y --folds 2 --json {flags}")).json(), "rmse");
    assert!(rmse("--rolling t") > 2.0);
    assert!(rmse("") < 1.0);
}

#[test]
fn what_cannot_be_divided_is_refused() {
    let desk = Desk::new();
    desk.write("t.csv", table("site,x,y", &sites(60)));
    let cv = "cv t.csv --target y";
    desk.refused(&format!("{cv} --groups sit"), 3, &["no column sit", "did you mean site"]);
    desk.refused(&format!("{cv} --groups y"), 2, &["column y is the target", "--groups"]);
    desk.refused(&format!("{cv} --rolling y"), 2, &["column y is the target", "--rolling"]);
    desk.refused(&format!("{cv} --groups site --features site,x"), 2, &["names groups"]);
    desk.refused(&format!("{cv} --groups site --folds 13"), 3, &["12 groups", "13 folds", "--folds"]);
    desk.refused(&format!("{cv} --rolling site"), 3, &["`s0` is a word", "--rolling"]);
    desk.refused(&format!("{cv} --rolling x --gap 200"), 3, &["0 earlier rows", "--gap"]);
    for flags in
        ["--groups site --rolling x", "--groups site --splits s.csv", "--rolling x --splits s.csv", "--gap 3"]
    {
        assert_eq!(desk.gp(&format!("{cv} {flags}")).code, 2, "{flags}");
    }
    let said = desk.gp(&format!("{cv} --rolling x --gap -1"));
    assert_eq!(said.code, 2);
    assert!(said.err.contains("it must be a number of at least 0"), "{}", said.err);
    desk.write("few.csv", "t,y\n1,1\n1,2\n2,3\n2,4\n3,5\n3,7\n");
    desk.refused(
        "cv few.csv --target y --rolling t --folds 3",
        3,
        &["3 parts", "4 different values", "there are 3"],
    );
    desk.ok(&format!("cv few.csv --target y --rolling t --folds 2 {QUICK}"));
}

#[test]
fn one_row_is_left_out_at_a_time() {
    let desk = Desk::new();
    let rows: Vec<String> = (0..12).map(|i| format!("{i},{},{}", noise(i), ["no", "yes"][i % 2])).collect();
    desk.write("t.csv", table("x,y,label", &rows));
    let said = desk.ok(&format!("cv t.csv --target y --features x --folds 12 --json {QUICK}"));
    line(&said, "12 folds of 12 rows");
    line(&said, "each fold is one row");
    let json = said.json();
    let folds = json["folds"].as_array().unwrap();
    assert!(folds.len() == 12 && folds.iter().all(|fold| fold["rows"] == 1), "{json}");
    assert!((mean(&json, "rmse") - mean(&json, "mae")).abs() < 1e-12 && mean(&json, "nlpd").is_finite());
    // With 9 folds, some have one row and some have two.
    let said = desk.ok(&format!("cv t.csv --target y --features x --folds 9 --json {QUICK}"));
    assert!(!said.err.contains("each fold is one row"), "{}", said.err);
    let sizes: Vec<u64> =
        said.json()["folds"].as_array().unwrap().iter().map(|fold| fold["rows"].as_u64().unwrap()).collect();
    assert_eq!(sizes.iter().sum::<u64>(), 12);
    assert!(sizes.iter().all(|size| [1, 2].contains(size)), "{sizes:?}");
    let json = desk.ok("cv t.csv --target label --features x --folds 12 --no-train --json").json();
    assert!(mean(&json, "log_loss").is_finite(), "{json}");
    desk.refused(
        "cv t.csv --target y --folds 13",
        3,
        &["13 folds of 12 rows", "--folds 12 leaves out one row"],
    );
}

#[test]
fn missing_groups_and_times_are_found() {
    let desk = Desk::new();
    let mut rows = sites(60);
    rows[3] = rows[3].replacen("s9", "", 1);
    desk.write("t.csv", table("site,x,y", &rows));
    let cv = "cv t.csv --target y --groups site --folds 4";
    desk.refused(cv, 3, &["line 5, column site", "the value is missing", "--missing drop"]);
    let said = desk.ok(&format!("{cv} --missing drop {QUICK}"));
    line(&said, "left out 1 of 60 rows, which misses a value: line 5");
    line(&said, "4 folds of 59 rows by 12 groups");
    desk.write("t.csv", "t,y\n1,1\n2,3\n,4\n4,5\n5,7\n6,1\n7,2\n");
    desk.refused("cv t.csv --target y --rolling t --folds 2", 3, &["line 4, column t", "missing"]);
}

#[test]
fn divided_cross_validations_are_kept_and_configured() {
    let desk = Desk::new();
    desk.write("t.csv", table("site,x,y", &sites(60)));
    desk.write("cv.toml", "target = \"y\"\nrolling = \"x\"\nfolds = 3\ngap = 5\nexclude = \"site\"\n");
    let configured = desk.ok(&format!("cv t.csv --config cv.toml {QUICK}"));
    line(&configured, "3 folds along column x");
    let again = format!("cv t.csv --target y --rolling x --folds 3 --gap 5 --exclude site {QUICK}");
    assert_eq!(desk.ok(&again).out, configured.out);
    assert_eq!(desk.ok(&format!("{again} --checkpoint state")).out, configured.out);
    assert_eq!(desk.names(), ["cv.toml", "t.csv"]);
}

#[test]
fn labels_of_one_row_cannot_be_left_out() {
    let desk = Desk::new();
    let label = |i: usize| if i == 7 { "rare" } else { ["a", "b"][i % 2] };
    let rows: Vec<String> = (0..40).map(|i| format!("{i},{}", label(i))).collect();
    desk.write("t.csv", table("x,y", &rows));
    let refused = ["line 9, column y", "label `rare` is in fold"];
    desk.refused("cv t.csv --target y --folds 5", 3, &refused);
    desk.refused("cv t.csv --target y --folds 5 --likelihood softmax", 3, &refused);
    desk.ok(&format!("cv t.csv --target x --features y --folds 5 {QUICK}"));
}

#[test]
fn coverage_is_pooled_over_folds() {
    let desk = Desk::new();
    // Counts that vary far more than a Poisson likelihood says, without a period.
    let count = |i: usize| if noise(i) < 0.15 { i % 2 } else { 6 + (i * i) % 23 };
    let rows: Vec<String> =
        (0..210).map(|i| format!("{},{}", (i * 37 % 210) as f64 / 20.0, count(i))).collect();
    desk.write("t.csv", table("x,y", &rows));
    let cv = "cv t.csv --target y --task count --likelihood poisson --folds 3 --inducing 12";
    let said = desk.ok(cv);
    assert!(said.err.contains("over all folds, 50 % intervals"), "{}", said.err);
    assert!(said.err.contains(" of 210 rows: they are too narrow"), "{}", said.err);
    assert!(said.err.contains("counts vary more than poisson says"), "{}", said.err);
    let json = desk.ok(&format!("{cv} --json")).json();
    let pooled = &json["coverage"][0];
    assert_eq!((&pooled["rows"], &pooled["levels"][2]), (&210.into(), &0.95.into()));
    let folds = json["folds"].as_array().unwrap();
    let inside = |fold: &serde_json::Value| {
        fold["rows"].as_f64().unwrap() * fold["scores"]["gp"]["coverage"][1].as_f64().unwrap()
    };
    let mean = folds.iter().map(inside).sum::<f64>() / 210.0;
    assert!((pooled["coverage"][1].as_f64().unwrap() - mean).abs() < 1e-12, "{pooled}");
    assert!(json["warnings"].as_array().unwrap().len() >= 2, "{json}");
    // Labels have no intervals.
    desk.write("c.csv", crate::support::circle(60));
    let json = desk.ok("cv c.csv --target y --folds 2 --json --inducing 6").json();
    assert_eq!(json["coverage"], serde_json::json!([]));
}

#[test]
fn wrong_flags_are_those_of_all_parts() {
    let desk = Desk::new();
    desk.write("t.csv", crate::support::sine(30));
    let said = desk.gp("cv t.csv --target y --method svm");
    assert_eq!(said.code, 2);
    assert!(said.err.contains("error: there is no method `svm`"), "{}", said.err);
}

#[test]
fn an_order_is_asked_for_before_the_folds() {
    let desk = Desk::new();
    let grade = |i: usize| ["poor", "fair", "good"][i / 20];
    let rows: Vec<String> = (0..60).map(|i| format!("{},{}", i as f64 / 10.0, grade(i))).collect();
    desk.write("t.csv", table("x,y", &rows));
    let said = desk.gp("cv t.csv --target y --task ordinal --folds 3");
    assert_eq!(said.code, 2);
    assert!(said.err.contains("which order do the labels of column y have?"), "{}", said.err);
    assert!(!said.err.contains("folds of") && !said.err.contains("without part"), "{}", said.err);
}

#[test]
fn one_row_cannot_be_divided() {
    let desk = Desk::new();
    desk.write("t.csv", "x,y\n1,2\n");
    desk.refused("cv t.csv --target y", 3, &["1 row cannot be divided into folds"]);
}

#[test]
fn claimed_coverage_is_the_level() {
    let desk = Desk::new();
    desk.write("t.csv", sine(50));
    for folds in [3, 7, 9] {
        let said = desk.ok(&format!("cv t.csv --target y --folds {folds} --iterations 1 --json")).json();
        assert_eq!(said["coverage"][0]["claimed"].to_string(), "[0.5,0.8,0.95]", "{folds}");
    }
}
