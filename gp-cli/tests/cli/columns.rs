//! Selection and types of input columns.

use crate::support::{Desk, sine};
use std::fmt::Write as _;

fn inputs(desk: &Desk) -> Vec<String> {
    let about = desk.ok("inspect model.gp --json").json()["about"].clone();
    let features = about["inputs"]["features"].as_array().unwrap().clone();
    features.iter().map(|feature| feature["name"].as_str().unwrap().to_owned()).collect()
}

/// Nameless index column, as from pandas.
fn numbered(table: &str, first: usize) -> String {
    let mut lines = table.lines();
    let mut text = format!(",{}\n", lines.next().unwrap());
    for (row, line) in lines.enumerate() {
        let _ = writeln!(text, "{},{line}", row + first);
    }
    text
}

#[test]
fn the_numbers_of_rows_in_csv_are_no_input() {
    let desk = Desk::new();
    desk.write("t.csv", sine(60));
    desk.ok("fit t.csv --target y");
    let (plain, same) = (desk.read("model.gp"), desk.ok("predict model.gp t.csv").out);
    for first in [0, 1] {
        desk.write("t.csv", numbered(&sine(60), first));
        let said = desk.ok("fit t.csv --target y --force");
        assert!(
            said.err.contains("left out column column_1, which has no name and numbers the rows"),
            "{}",
            said.err
        );
        assert!(plain == desk.read("model.gp"));
        let said = desk.ok("fit t.csv --target y --force --stream always --method exact");
        assert!(said.err.contains("left out column column_1"), "{}", said.err);
        assert_eq!(inputs(&desk), ["x"]);
    }
    // Other tables may lack the row numbers, and a table may have no other input.
    desk.ok("fit t.csv --target y --force");
    assert_eq!(desk.ok("predict model.gp t.csv").out, same);
    desk.write("t.csv", sine(60));
    assert_eq!(desk.ok("predict model.gp t.csv").out, same);
    desk.write("t.csv", numbered(&sine(60), 0));
    desk.ok("cv t.csv --target y --folds 2");
    desk.ok("fit t.csv --target y --features x --force");
    assert_eq!(inputs(&desk), ["x"]);
    desk.ok("fit t.csv --target y --features column_1,x --force");
    assert_eq!(inputs(&desk), ["column_1", "x"]);
    desk.ok("predict model.gp t.csv");
    assert_eq!(desk.ok("predict model.gp t.csv --id column_1").table().1[7][0], "7");
}

#[test]
fn a_first_column_without_a_name_that_may_be_something_else_is_asked_about() {
    let desk = Desk::new();
    let table = sine(40);
    let mut lines = table.lines();
    let mut text = format!(",{}\n", lines.next().unwrap());
    lines.enumerate().for_each(|(row, line)| text += &format!("{},{line}\n", (row * 17) % 40));
    desk.write("t.csv", text);
    let texts = ["`t.csv`: the first column has no name", "--exclude column_1", "--type column_1=number"];
    desk.refused("fit t.csv --target y", 2, &texts);
    desk.refused("fit t.csv --target y --stream always --method exact", 2, &texts);
    desk.ok("fit t.csv --target y --exclude column_1");
    assert_eq!(inputs(&desk), ["x"]);
    desk.ok("fit t.csv --target y --features x --force");
    desk.ok("fit t.csv --target y --type column_1=number --force");
    assert_eq!(inputs(&desk), ["column_1", "x"]);
}

fn of_pandas(desk: &Desk, extension: &str) -> String {
    let name = format!("pandas_index.{extension}");
    let file = format!("{}/tests/data/{name}", env!("CARGO_MANIFEST_DIR"));
    desk.write(&name, std::fs::read(file).unwrap());
    name
}

#[test]
fn the_index_of_pandas_is_no_input() {
    let desk = Desk::new();
    for table in ["parquet", "arrows"].map(|extension| of_pandas(&desk, extension)) {
        for flags in ["", "--stream always --method exact"] {
            let said = desk.ok(&format!("fit {table} --target y --force {flags}"));
            assert!(
                said.err.contains("left out column __index_level_0__, the index that pandas wrote"),
                "{}",
                said.err
            );
            assert_eq!(inputs(&desk), ["x"]);
        }
        desk.ok(&format!("fit {table} --target y --force --features x,__index_level_0__"));
        assert_eq!(inputs(&desk), ["x", "__index_level_0__"]);
    }
    // Without any column of the model, the error lists the columns of the table.
    desk.write("other.csv", sine(30).replace("x,y", "a,b"));
    desk.ok("fit other.csv --target b --force");
    desk.refused(
        "predict model.gp pandas_index.parquet",
        3,
        &["`pandas_index.parquet` has no column a; it has x, y"],
    );
}

/// Index dates are inputs.
#[test]
fn a_named_index_of_pandas_is_an_identifier() {
    let desk = Desk::new();
    let file = |name: &str| {
        let file = format!("{}/tests/data/{name}", env!("CARGO_MANIFEST_DIR"));
        desk.write(name, std::fs::read(file).unwrap());
    };
    ["named_index.parquet", "named_index.arrows", "date_index.parquet"].into_iter().for_each(file);
    let left_out =
        "left out column patient, the index that pandas wrote; to keep it, name it among --features";
    for table in ["named_index.parquet", "named_index.arrows"] {
        for flags in ["", "--stream always --method exact"] {
            let said = desk.ok(&format!("fit {table} --target y --force {flags}"));
            assert!(said.err.contains(left_out), "{}", said.err);
            assert_eq!(inputs(&desk), ["x"]);
        }
        assert!(desk.ok(&format!("check {table}")).err.contains(left_out));
        let ids = desk.ok(&format!("predict model.gp {table} --id patient")).table().1;
        assert_eq!([&ids[0][0], &ids[1][0]], ["100", "107"]);
        desk.ok(&format!("cv {table} --target y --groups patient --folds 2 --iterations 1"));
        desk.ok(&format!("fit {table} --target y --force --features x,patient"));
        assert_eq!(inputs(&desk), ["x", "patient"]);
        desk.ok(&format!("fit {table} --target patient --force --features x"));
        desk.ok(&format!("fit {table} --target patient --force"));
        assert_eq!(inputs(&desk), ["x", "y"]);
        let said = desk.ok(&format!("fit {table} --target y --weights patient --force"));
        assert!(!said.err.contains("left out column"), "{}", said.err);
        assert_eq!(inputs(&desk), ["x"]);
    }
    let said = desk.ok("fit date_index.parquet --target y --force");
    assert!(!said.err.contains("left out column"), "{}", said.err);
    assert_eq!(inputs(&desk), ["x", "when"]);
}

#[test]
fn columns_can_be_left_out() {
    let desk = Desk::new();
    let rows: String =
        (0..40).map(|i| format!("{},n{i},,{}\n", 0.1 * f64::from(i), (0.1 * f64::from(i)).sin())).collect();
    desk.write("t.csv", "x,name,empty,y\n".to_owned() + &rows);
    for flags in ["", "--stream always --method exact"] {
        desk.ok(&format!("fit t.csv --target y --exclude name,empty --missing drop --force {flags}"));
        assert_eq!(inputs(&desk), ["x"]);
    }
    desk.ok("cv t.csv --target y --exclude name,empty --folds 2");
    desk.write("c.toml", "exclude = [\"name\", \"empty\"]\n");
    desk.ok("fit t.csv --target y --config c.toml --force");
    assert_eq!(inputs(&desk), ["x"]);
    assert_eq!(desk.ok("inspect model.gp --json").json()["about"]["config"]["exclude"][1], "empty");
    desk.refused(
        "fit t.csv --target y --exclude nam,empty --force",
        3,
        &[
            "`t.csv` has no column nam to leave out by --exclude",
            "it has x, name, empty, y",
            "did you mean name for nam?",
        ],
    );
    desk.refused("fit t.csv --target y --exclude y --force", 2, &["column y is the target", "--exclude"]);
    let both = desk.gp("fit t.csv --target y --exclude name --features x --force");
    assert!(both.code == 2 && both.err.contains("cannot be used with"), "{}", both.err);
}

/// Wrong separators are suspected only without any model column.
#[test]
fn a_missing_column_is_told_with_all_that_there_are() {
    let desk = Desk::new();
    let rows: String = (0..30)
        .map(|i| format!("{},{},{},{}\n", 0.1 * f64::from(i), i % 7, i % 5, (0.1 * f64::from(i)).sin()))
        .collect();
    desk.write("wine.csv", "alcohol,ash,hue,y\n".to_owned() + &rows);
    desk.ok("fit wine.csv --target y --features alcohol,hue");
    desk.write("new.csv", "alcohol,ash,colour,Hue\n1,2,3,4\n");
    let said = desk.gp("predict model.gp new.csv");
    assert_eq!(said.code, 3);
    assert!(
        said.err.contains("no column hue; it has alcohol, ash, colour, Hue; did you mean Hue for hue?"),
        "{}",
        said.err
    );
    assert!(!said.err.contains("alone"), "{}", said.err);
    desk.write("blanks.csv", "alcohol hue\n1 2\n");
    desk.refused(
        "predict model.gp blanks.csv",
        3,
        &["it has alcohol hue alone", "is the separator other than"],
    );
    desk.refused("fit wine.csv --target Y --force", 3, &["no column Y", "did you mean y for Y?"]);
}

fn days() -> Desk {
    let desk = Desk::new();
    let row = |i: u32| format!("2024-{:02}-{:02},{}\n", 1 + i / 28, 1 + i % 28, f64::from(i % 13) / 3.0);
    desk.write("t.csv", "day,y\n".to_owned() + &(0..60).map(row).collect::<String>());
    desk
}

#[test]
fn dates_are_written_as_dates() {
    let desk = days();
    desk.ok("fit t.csv --target y");
    assert_eq!(desk.ok("predict model.gp t.csv --id day").table().1[29][0], "2024-02-02");
    desk.ok("plot model.gp t.csv -o p.svg");
    let picture = String::from_utf8(desk.read("p.svg")).unwrap();
    assert!(picture.contains("\n2024-02-") && !picture.contains("\n1977"), "{picture}");

    desk.ok("fit t.csv --target day --kernel \"1 * rbf\" --force");
    let (header, rows) = desk.ok("predict model.gp t.csv --latent").table();
    for name in ["mean", "lower", "upper", "latent_mean"] {
        let place = header.iter().position(|found| found == name).unwrap();
        assert!(rows[3][place].starts_with("202"), "{name}: {}", rows[3][place]);
    }
    let variance = header.iter().position(|found| found == "variance").unwrap();
    assert!(rows[3][variance].parse::<f64>().unwrap() > 0.0);
    desk.ok("predict model.gp t.csv -o p.jsonl");
    let lines = String::from_utf8(desk.read("p.jsonl")).unwrap();
    let first: serde_json::Value = serde_json::from_str(lines.lines().next().unwrap()).unwrap();
    assert!(first["mean"].as_str().unwrap().starts_with("202"), "{first}");
    desk.ok("predict model.gp t.csv -o p.parquet");
    let frame = gp_cli::data::Formats::built_in()
        .open(desk.path("p.parquet").to_str().unwrap(), &gp_cli::data::ReadOptions::default())
        .unwrap();
    let mean = frame.column("mean").unwrap();
    assert_eq!(mean.kind(), gp_cli::data::Kind::Date);
    assert_eq!(mean.text(0), first["mean"].as_str().unwrap());
    desk.ok("plot model.gp t.csv -o q.svg");
    assert!(desk.ok("eval model.gp t.csv --json").json()["scores"]["gp"]["rmse"].is_number());
}

#[test]
fn dates_of_parquet_are_written_as_dates() {
    let desk = Desk::new();
    let rows: String =
        (0..50).map(|i| format!("{},{}\n", gp_cli::data::date_text(f64::from(19_785 + i)), i % 7)).collect();
    desk.write("t.csv", "day,y\n".to_owned() + &rows);
    desk.ok("fit t.csv --target y --task regression");
    // Dates survive a round trip through a table of predictions.
    desk.ok("predict model.gp t.csv --id day -o t.parquet");
    desk.ok("fit t.parquet --target mean --features day --force");
    assert_eq!(desk.ok("predict model.gp t.parquet --id day").table().1[0][0], "2024-03-03");
}

#[test]
fn columns_in_another_notation_are_warned_about() {
    let desk = Desk::new();
    let mut text = "price;when;share;colour;y\n".to_owned();
    for i in 0..60 {
        let colour = ["red", "green", "blue"][i % 3];
        let _ = writeln!(
            text,
            "\"1,{:03}.5\";{:02}/{:02}/2024;{} %;{colour};{}",
            17 * (i % 20),
            1 + i % 12,
            1 + i % 28,
            i % 30,
            (0.1 * i as f64).sin()
        );
    }
    desk.write("t.csv", text);
    let expected = [
        "column price: its words look like numbers with separated thousands, such as `1,000.5`; write them without separators",
        "column when: its words look like dates, such as `01/01/2024`; write them as year-month-day",
        "column share: its words look like percentages, such as `0 %`",
    ];
    for flags in ["", "--stream always --method exact"] {
        let said = desk.ok(&format!("fit t.csv --target y --iterations 1 --force {flags}"));
        let warnings = desk.ok("inspect model.gp --json").json()["about"]["training"]["warnings"].to_string();
        for part in expected {
            assert_eq!(said.err.matches(part).count(), 1, "{}", said.err);
            assert!(warnings.contains(part), "{warnings}");
        }
        assert!(!said.err.contains("column colour"), "{}", said.err);
    }
    let said = desk.ok("cv t.csv --target y --folds 2 --iterations 1");
    assert!(expected.iter().all(|part| said.err.contains(part)), "{}", said.err);
    assert!(expected.iter().all(|part| desk.ok("check t.csv").out.contains(part)));
    let asked = "--type price=category --exclude when,share";
    let said = desk.ok(&format!("fit t.csv --target y --iterations 1 --force {asked}"));
    assert!(!said.err.contains("look like"), "{}", said.err);
}

#[test]
fn single_cells_in_another_notation_say_so() {
    let desk = Desk::new();
    desk.write("t.csv", "x;y\n900;1\n1,021.5;2\n17;3\n4;4\n");
    desk.refused(
        "fit t.csv --target y",
        3,
        &["line 3, column x", "`1,021.5`", "looks like a number with separated thousands", "1021.5"],
    );
}

#[test]
fn names_that_are_nearly_right_are_suggested() {
    let desk = Desk::new();
    desk.write("t.csv", sine(20));
    for (flags, meant) in [
        ("--likelihood poison", "did you mean `poisson`?"),
        ("--likelihood robust", "did you mean `robust_max`?"),
        ("--likelihood studnt_t", "did you mean `student_t`?"),
        ("--kernel rfb", "did you mean `rbf`?"),
        ("--kernel \"1 * mattern32\"", "did you mean `matern32`?"),
        ("--method exct", "did you mean `exact`?"),
        ("--format parqet", "did you mean `parquet`?"),
        ("--fix rbf.lengthscal", "did you mean `rbf.lengthscale`?"),
        ("--bound lengthscal=1..2", "the parameters are scale.variance, rbf.lengthscale, linear.lengthscale"),
        ("--prior \"rbf.lengthscale=gama(2,1)\"", "did you mean `gamma`?"),
        ("--kernel rbf(length_scale=2)", "did you mean `lengthscale`?"),
        ("--kernel rbf(adr=true)", "did you mean `ard`?"),
        ("--task classification", "say binary for two labels, multiclass for several"),
        ("--task poisson", "say count for numbers of events"),
        ("--method sgpr", "sgpr is method vfe"),
        ("--method pitc", "pitc is method pep with --alpha 1 and --blocks COL"),
    ] {
        desk.refused(&format!("fit t.csv --target y {flags}"), 2, &[meant]);
    }
    let tasks = "[possible values: auto, regression, binary, multiclass, count, ordinal]";
    let said = desk.gp("fit t.csv --target y --task clasification");
    assert!(said.code == 2 && said.err.contains(tasks), "{}", said.err);
    desk.write("counts.csv", "x,y\n1,0\n2,1\n3,4\n4,2\n");
    desk.ok("fit counts.csv --target y --likelihood nb --iterations 1");
    desk.refused(
        "fit model.gp --target y -o other.gp",
        3,
        &["`model.gp` is a model file, not a table", "gp inspect model.gp"],
    );
    let scored =
        ["score", "evaluate", "eval"].map(|name| desk.ok(&format!("{name} model.gp counts.csv")).out);
    assert!(scored[0] == scored[2] && scored[1] == scored[2]);
}

#[test]
fn words_that_hardly_repeat_are_warned_of() {
    let desk = Desk::new();
    let row = |i: i32| format!("n{i},{},{}\n", ["a", "b"][i as usize % 2], (0.3 * f64::from(i)).sin());
    desk.write("t.csv", "id,kind,y\n".to_owned() + &(0..30).map(row).collect::<String>());
    let words =
        "column id: 30 different words in 30 rows are too many to learn from; leave it out with --exclude id";
    assert!(desk.ok("check t.csv").out.contains(words));
    let fitted = desk.ok("fit t.csv --target y --iterations 2");
    assert!(fitted.err.contains(&format!("warning: {words}")), "{}", fitted.err);
    assert!(!desk.ok("fit t.csv --target y --exclude id --iterations 2 --force").err.contains("too many"));
    assert!(desk.ok("cv t.csv --target y --folds 2 --iterations 2").err.contains(words));
}

fn with_commas() -> String {
    let row = |i: i32| format!("{},{},n{i},{}\n", 0.1 * f64::from(i), i % 3, (0.1 * f64::from(i)).sin());
    "x,\"a,b\",\"c,d\",\"y,z\"\n".to_owned() + &(0..40).map(row).collect::<String>()
}

#[test]
fn names_with_commas_are_said_in_quotes() {
    let desk = Desk::new();
    desk.write("t.csv", with_commas());
    // The quotes reach the program, as from single quotes in a shell.
    let fit = |flags: &[&str]| {
        let words = [&["fit", "t.csv", "--force", "--target", "\"y,z\""], flags].concat();
        let said = desk.command(&words).output().unwrap();
        (said.status.code(), String::from_utf8(said.stderr).unwrap())
    };
    assert_eq!(fit(&["--features", "x,\"a,b\""]).0, Some(0));
    assert_eq!(inputs(&desk), ["x", "a,b"]);
    assert_eq!(desk.ok("inspect model.gp --json").json()["about"]["config"]["target"][0], "y,z");
    assert_eq!(fit(&["--exclude", "\"c,d\""]).0, Some(0));
    assert_eq!(inputs(&desk), ["x", "a,b"]);
    let (code, said) = fit(&["--features", "nam"]);
    assert_eq!(code, Some(3));
    assert!(said.contains("`t.csv` has no column nam; it has x, \"a,b\", \"c,d\", \"y,z\""), "{said}");
    // A list in a configuration file needs no quotes for names with commas.
    desk.write("c.toml", "target = [\"y,z\"]\nfeatures = [\"a,b\"]\n");
    desk.ok("fit t.csv --config c.toml --force");
    assert_eq!(inputs(&desk), ["a,b"]);
}

#[test]
fn flags_win_over_what_they_exclude() {
    let desk = Desk::new();
    desk.write("t.csv", with_commas());
    desk.write("c.toml", "target = [\"y,z\"]\nfeatures = [\"a,b\"]\n");
    desk.ok("fit t.csv --config c.toml --exclude x --type \"c,d=category\"");
    assert_eq!(inputs(&desk), ["a,b", "c,d"]);
}

#[test]
fn only_free_columns_are_taken_for_missing_ones() {
    let desk = Desk::new();
    let rows = |last: &str| {
        let cells = |i: usize| format!("{},{},{},{}", i, i * 7 % 5, i * 3 % 11, i * i % 13);
        let rows: Vec<String> = (0..30).map(cells).collect();
        format!("x0,x1,{last},y\n{}\n", rows.join("\n"))
    };
    desk.write("t.csv", rows("x10"));
    desk.write("other.csv", rows("z"));
    desk.write("typo.csv", rows("x_10"));
    desk.ok("fit t.csv --target y --iterations 1");
    let said = desk.gp("predict model.gp other.csv");
    assert_eq!(said.code, 3, "{}", said.err);
    assert!(said.err.contains("has no column x10") && !said.err.contains("did you mean"), "{}", said.err);
    desk.refused("predict model.gp typo.csv", 3, &["did you mean x_10 for x10?"]);
}

/// Units, times of day, long minus signs, rarely repeated words.
#[test]
fn targets_in_other_notations_are_refused() {
    type Cell = fn(u32) -> String;
    let desk = Desk::new();
    let table = |cell: Cell| {
        let rows = (0..40).map(|row| format!("{row},{}\n", cell(row)));
        "x,y\n".to_owned() + &rows.collect::<String>()
    };
    let unit: Cell = |row| format!("{}.5 kg", 60 + row);
    let clock: Cell = |row| format!("{}:{:02}", row / 2, 30 * (row % 2));
    let minus: Cell = |row| format!("\u{2212}{row}.25");
    let name: Cell = |row| format!("person {row}");
    let comma: Cell = |row| format!("\"{},{:03}\"", 2 + row / 30, 100 + 7 * row);
    let cases: [(Cell, &[&str]); 5] = [
        (comma, &["numbers with a comma, for decimals or thousands", "such as 2.904, or without it"]),
        (unit, &["numbers with a unit, such as `60.5 kg`", "write them without the unit"]),
        (clock, &["times of day, such as `0:00`", "as hours: 12.5"]),
        (minus, &["numbers with a long minus", "such as -5"]),
        (
            name,
            &["40 different words in 40 rows, such as `person 0`, are hardly labels", "--task multiclass"],
        ),
    ];
    for (cell, parts) in cases {
        desk.write("t.csv", table(cell));
        desk.refused("fit t.csv --target y", 2, parts);
    }
    desk.write("t.csv", table(unit).replace("62.5 kg", "62.5").replace("67.5 kg", "67.5"));
    let said = desk.ok("fit t.csv --target x --no-train --force").err;
    assert!(said.contains("numbers with a unit, such as `60.5 kg`; write them without the unit"), "{said}");
}
