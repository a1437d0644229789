//! Outliers are named with row and remedy.

use crate::support::Desk;
use std::fmt::Write as _;

/// Two inputs, a target; these cells in line 19.
fn table(odd: [&str; 3]) -> String {
    let mut text = "a,b,y\n".to_owned();
    for row in 0..60 {
        let (a, b) = (f64::from(row) * 0.1, f64::from(row * 7 % 11));
        let cells = [a, b, (a + b).sin() + 1.0].map(|cell| format!("{cell:.4}"));
        let cells = if row == 17 { odd.map(str::to_owned) } else { cells };
        writeln!(text, "{}", cells.join(",")).unwrap();
    }
    text
}

#[test]
fn one_enormous_target_is_named() {
    let desk = Desk::new();
    desk.write("t.csv", table(["1", "2", "1e9"]));
    let what = "warning: target y: 1000000000 at line 19 is far from all others, which lie between ";
    for how in ["--method exact --iterations 1", "--method svgp --stream always --epochs 1 --inducing 5"] {
        let said = desk.ok(&format!("fit t.csv --target y --force {how}"));
        assert!(said.err.contains(what), "{how}: {}", said.err);
        assert!(
            said.err.contains("otherwise take noise with outliers: --likelihood student_t"),
            "{}",
            said.err
        );
    }
    let inspected = desk.ok("inspect model.gp");
    assert!(inspected.out.contains("1000000000 at line 19 is far from all others"), "{}", inspected.out);
    let robust = desk.ok("fit t.csv --target y --force --iterations 1 --likelihood student_t");
    assert!(robust.err.contains(what) && !robust.err.contains("suffer"), "{}", robust.err);
}

#[test]
fn one_absurd_input_is_named() {
    let desk = Desk::new();
    desk.write("t.csv", table(["-1e9", "2", "1"]));
    let said = desk.ok("fit t.csv --target y --iterations 1");
    let what =
        "warning: input a: -1000000000 at line 19 is far from all others, which lie between 0 and 5.900";
    assert!(said.err.contains(what), "{}", said.err);
    assert!(!said.err.contains("target y:"), "{}", said.err);
}

/// Two typing errors, -999 for unknown ages; `gp check` agrees.
#[test]
fn several_absurd_numbers_are_named_together() {
    let desk = Desk::new();
    let mut text = "age,y\n".to_owned();
    for row in 0..60 {
        let age = if row % 5 == 0 { -999.0 } else { f64::from(18 + row) };
        let y = if [7, 31].contains(&row) { 1e6 * f64::from(row) } else { f64::from(row).sin() };
        writeln!(text, "{age},{y:.4}").unwrap();
    }
    desk.write("t.csv", text);
    let said = [desk.ok("fit t.csv --target y --iterations 1").err, desk.ok("check t.csv --target y").out];
    for said in said {
        let ages = "age: -999 at line 2 and in 11 other rows is far from all others, which lie between 19.00 and 77.00; if it stands for missing values";
        assert!(said.contains(ages), "{said}");
        let targets = "2 numbers are far from all others, which lie between -1.000 and 0.9";
        assert!(said.contains(targets), "{said}");
        assert!(said.contains(": 31000000 at line 33, 7000000 at line 9; "), "{said}");
    }
}

#[test]
fn dates_have_no_logarithms() {
    let desk = Desk::new();
    let mut text = "day,y\n".to_owned();
    for row in 0..60 {
        let day = if row == 17 { "9999-12-31".to_owned() } else { format!("2024-01-{:02}", 1 + row % 28) };
        writeln!(text, "{day},{:.4}", f64::from(row).sin()).unwrap();
    }
    desk.write("t.csv", text);
    let said = desk.ok("fit t.csv --target y --iterations 1");
    assert!(said.err.contains("9999-12-31 at line 19 is far from all others"), "{}", said.err);
    assert!(!said.err.contains("logarithms"), "{}", said.err);
}

#[test]
fn honest_columns_stay_silent() {
    let desk = Desk::new();
    let mut text = "income,rare,y,label\n".to_owned();
    for row in 0..200 {
        let normal = (f64::from(row) * 0.618).fract() * 6.0 - 3.0;
        let (income, rare) = ((2.0 * normal).exp(), f64::from(u8::from(row == 50)));
        let label = if row % 2 == 0 { 1 } else { 1000 };
        writeln!(text, "{income:.4},{rare},{:.4},{label}", income.sqrt()).unwrap();
    }
    desk.write("t.csv", text);
    for target in ["y", "label --task binary"] {
        let said = desk.ok(&format!("fit t.csv --target {target} --force --iterations 1"));
        assert!(!said.err.contains("far from all others"), "{}", said.err);
    }
}
