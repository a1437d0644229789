//! Missing values for existing models.

use crate::support::{Desk, circle, sine};

/// Table without an input in lines 3 and 5, target in 4.
fn desk() -> Desk {
    let desk = Desk::new();
    desk.write("t.csv", sine(40));
    desk.ok("fit t.csv --target y --parameters known");
    desk.write("new.csv", "id,x,y\na,1,0.8\nb,,0.1\nc,2,\nd,NA,\ne,3,0.2\n");
    desk
}

#[test]
fn every_row_keeps_its_line() {
    let desk = desk();
    let said = desk.ok("predict model.gp new.csv --missing drop --id id");
    let (header, rows) = said.table();
    assert_eq!(header, ["id", "mean", "variance", "lower", "upper", "log_density"]);
    let filled = |row: usize| rows[row].iter().map(|cell| !cell.is_empty()).collect::<Vec<_>>();
    assert_eq!(rows.iter().map(|row| row[0].as_str()).collect::<String>(), "abcde");
    assert_eq!(filled(0), [true; 6]);
    assert_eq!(filled(1), [true, false, false, false, false, false]);
    // A row without the target can be predicted.
    assert_eq!(filled(2), [true, true, true, true, true, false]);
    assert_eq!(filled(3), filled(1));
    let told = "2 of 5 rows not predicted, because the value of an input is missing; cells are empty there: line 3, line 5\n";
    assert_eq!(said.err, told);
    // Predictions equal those of a table of these rows alone.
    desk.write("some.csv", "x\n1\n2\n3\n");
    let some = desk.ok("predict model.gp some.csv").table().1;
    for (of_some, of_all) in some.iter().zip([0, 2, 4]) {
        assert_eq!(of_some[..], rows[of_all][1..5]);
    }
    // Other formats write nulls.
    desk.ok("predict model.gp new.csv --missing drop --id id -o p.jsonl --quiet");
    let lines = String::from_utf8(desk.read("p.jsonl")).unwrap();
    assert_eq!(lines.lines().count(), 5);
    assert!(lines.lines().nth(1).unwrap().starts_with("{\"id\":\"b\",\"mean\":null,"), "{lines}");
    desk.refused("predict model.gp new.csv", 3, &["`new.csv`, line 3, column x", "--missing drop"]);
}

#[test]
fn a_fit_names_the_rows_that_it_leaves_out() {
    let desk = desk();
    let fit = "fit new.csv --exclude id --target y --missing drop --test new.csv --no-train --force --stream";
    for stream in ["never", "always --method sep --inducing 1"] {
        let said = desk.ok(&format!("{fit} {stream}"));
        let lines: Vec<&str> = said.err.lines().take(2).collect();
        let of_test = "left out 3 rows of new.csv that miss a value: line 3, line 4, line 5";
        assert_eq!(lines, ["left out 3 rows that miss a value: line 3, line 4, line 5", of_test], "{stream}");
    }
    // Errors in the test table are reported before the plan.
    desk.write("bad.csv", "x,y\n1,\n");
    let said = desk.gp("fit t.csv --target y --test bad.csv --force");
    assert!(said.code == 3 && !said.err.contains("task:"), "{}", said.err);
}

#[test]
fn joint_covariances_are_those_of_rows_that_are_predicted() {
    let desk = desk();
    let said = desk.ok("predict model.gp new.csv --missing drop --joint");
    let (header, rows) = said.table();
    let joint: Vec<&str> =
        header.iter().filter(|name| name.starts_with("latent_cov")).map(String::as_str).collect();
    assert_eq!(joint, ["latent_covariance(1)", "latent_covariance(3)", "latent_covariance(5)"]);
    let at =
        |row: usize, name: &str| rows[row][header.iter().position(|found| found == name).unwrap()].clone();
    assert_eq!(at(2, "latent_covariance(5)"), at(4, "latent_covariance(3)"));
    assert_eq!(at(1, "latent_covariance(3)"), "");
}

#[test]
fn labels_are_empty_where_nothing_is_predicted() {
    let desk = Desk::new();
    desk.write("t.csv", circle(60));
    desk.ok("fit t.csv --target y --iterations 3");
    desk.write("new.csv", "a,b,kind\n0,0,\n0,0,red\n");
    let said = desk.ok("predict model.gp new.csv --missing drop --proba");
    assert_eq!(said.table().1[0], ["", "", ""]);
    assert!(said.table().1[1].iter().all(|cell| !cell.is_empty()));
}

#[test]
fn rows_that_are_not_scored_are_named() {
    let desk = desk();
    let said = desk.ok("eval model.gp new.csv --missing drop --json");
    assert_eq!(said.err, "left out 3 of 5 rows, which miss a value: line 3, line 4, line 5\n");
    let json = said.json();
    assert_eq!((&json["rows"], &json["left_out"]), (&2.into(), &3.into()));
    let said = desk.ok("update model.gp new.csv --missing drop -o more.gp");
    assert!(said.err.starts_with("left out 3 of 5 rows, which miss a value: line 3, "), "{}", said.err);
}

#[test]
fn splits_are_of_the_rows_of_the_file() {
    let desk = Desk::new();
    let table = sine(30).replacen("\n0.2,", "\n,", 1);
    desk.write("t.csv", &table);
    // Row 1 is dropped; the second split scores rows 3 and 4 of the file.
    desk.write("splits.csv", "split,test_row\n0,1\n0,2\n1,3\n1,4\n");
    let said =
        desk.ok("cv t.csv --target y --missing drop --splits splits.csv --method exact --no-train --json");
    assert!(said.err.contains("left out 1 of 30 rows, which misses a value: line 3"), "{}", said.err);
    let json = said.json();
    assert_eq!((&json["folds"][0]["rows"], &json["folds"][1]["rows"]), (&1.into(), &2.into()));
    // The same rows, without the dropped one.
    let left: Vec<&str> = table.lines().filter(|line| !line.starts_with(',')).collect();
    desk.write("left.csv", left.join("\n"));
    desk.write("splits.csv", "split,test_row\n0,1\n1,2\n1,3\n");
    let alone = desk.ok("cv left.csv --target y --splits splits.csv --method exact --no-train --json").json();
    assert_eq!(alone["folds"], json["folds"]);
    desk.write("splits.csv", "split,test_row\n0,1\n1,2\n");
    desk.refused("cv t.csv --target y --missing drop --splits splits.csv", 3, &["all rows of split 1 miss"]);
}
