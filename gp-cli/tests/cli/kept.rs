//! Missing values as inputs: a level for words; mean and indicator for numbers.

use crate::support::{Desk, circle, noise, sine};

/// Rows of `a,b,colour,flag,day,y`. All columns but `a` have gaps, four in the first row; missing `b` adds 2
/// to `y`.
fn gaps(rows: usize, target: impl Fn(f64, usize) -> String) -> String {
    let row = |i: usize| {
        let (a, b) = (((i * 17) % 41) as f64 / 20.0 - 1.0, ((i * 29) % 37) as f64 / 18.0 - 1.0);
        let cell = |text: String, is_missing: bool| if is_missing { String::new() } else { text };
        let b_is_missing = i.is_multiple_of(3);
        let y = (3.0 * a).sin() + if b_is_missing { 2.0 } else { 0.5 * b } + 0.05 * noise(i);
        format!(
            "{a},{},{},{},{},{}\n",
            cell(b.to_string(), b_is_missing),
            cell(["red", "green", "blue"][(i * 7) % 3].to_owned(), i.is_multiple_of(10)),
            cell((i % 4 == 1).to_string(), i.is_multiple_of(20)),
            cell(format!("2024-02-{:02}", 1 + (i * 5) % 28), i.is_multiple_of(25)),
            target(y, i)
        )
    };
    "a,b,colour,flag,day,y\n".to_owned() + &(0..rows).map(row).collect::<String>()
}

fn number(y: f64, _: usize) -> String {
    y.to_string()
}

/// Lines after the header that pass `keep`.
fn lines(table: &str, keep: impl Fn(&str) -> bool) -> String {
    let (header, rows) = table.split_once('\n').unwrap();
    format!(
        "{header}\n{}",
        rows.lines().filter(|row| keep(row)).map(|row| format!("{row}\n")).collect::<String>()
    )
}

#[track_caller]
fn rmse(desk: &Desk, line: &str) -> f64 {
    desk.ok(&format!("eval {line} --json --quiet")).json()["scores"]["gp"]["rmse"].as_f64().unwrap()
}

/// One noise for all rows: 50 % intervals are too narrow for incomplete rows, too wide for complete ones.
#[test]
fn intervals_pay_for_what_is_missing() {
    let row = |i: usize, is_missing: bool| {
        let (x, z) = (1.7 * noise(3 * i), noise(3 * i + 1));
        let y = (2.0 * x).sin() + 0.5 * z + 0.05 * noise(3 * i + 2);
        if is_missing { format!(",{z},{y}\n") } else { format!("{x},{z},{y}\n") }
    };
    let table = |rows: std::ops::Range<usize>, is_missing: &dyn Fn(usize) -> bool| {
        "x,z,y\n".to_owned() + &rows.map(|i| row(i, is_missing(i))).collect::<String>()
    };
    let desk = Desk::new();
    desk.write("t.csv", table(0..400, &|i| i % 10 == 3));
    desk.write("whole.csv", table(400..600, &|_| false));
    desk.write("gaps.csv", table(400..600, &|_| true));
    desk.ok("fit t.csv --target y --missing keep");
    let held = |file: &str| {
        let json = desk.ok(&format!("eval model.gp {file} --json --quiet")).json();
        json["scores"]["gp"]["coverage"][0].as_f64().unwrap()
    };
    let (whole, gaps) = (held("whole.csv"), held("gaps.csv"));
    assert!(whole > 0.7 && gaps < 0.3, "{whole} and {gaps}");
}

/// Informative gaps: incomplete rows are predicted as well, and complete ones better than by fewer rows.
#[test]
fn what_is_missing_tells_something() {
    let desk = Desk::new();
    let all = gaps(160, number);
    let columns = |table: &str| {
        table
            .lines()
            .map(|line| line.split(',').collect::<Vec<_>>())
            .map(|cells| format!("{},{},{}\n", cells[0], cells[1], cells[5]))
            .collect::<String>()
    };
    let all = columns(&all);
    let (front, back) = all.split_at(all.match_indices('\n').nth(80).unwrap().0 + 1);
    desk.write("train.csv", front);
    let test = format!("a,b,y\n{back}");
    desk.write("missing.csv", lines(&test, |row| row.contains(",,")));
    desk.write("known.csv", lines(&test, |row| !row.contains(",,")));
    desk.write("filled.csv", front.replace(",,", ",0,"));
    desk.write("missing0.csv", lines(&test, |row| row.contains(",,")).replace(",,", ",0,"));
    let fit = |table: &str, how: &str| {
        desk.ok(&format!("fit {table} --target y --missing {how} -o {how}.gp --parameters known"))
    };
    let said = fit("train.csv", "keep");
    assert!(said.err.contains("kept missing values: b in 27 (filled with "), "{}", said.err);
    fit("train.csv", "drop");
    fit("filled.csv", "error");
    // The noise has standard deviation 0.05.
    let kept = rmse(&desk, "keep.gp missing.csv");
    assert!(kept < 0.1, "{kept}");
    let filled = rmse(&desk, "error.gp missing0.csv");
    assert!(filled > 4.0 * kept, "{filled} {kept}");
    let (kept, dropped) = (rmse(&desk, "keep.gp known.csv"), rmse(&desk, "drop.gp known.csv"));
    assert!(kept < 1.05 * dropped, "{kept} {dropped}");
    // The influence of an input includes that of its being missing.
    let said = desk.ok("inspect keep.gp --json").json();
    let inputs = said["about"]["training"]["influence"][0]["inputs"].as_array().unwrap();
    let names: Vec<&str> = inputs.iter().map(|one| one["input"].as_str().unwrap()).collect();
    assert_eq!(names, ["b", "a"]);
    let said = desk.ok("inspect keep.gp").out;
    assert!(said.contains("missing     b in 27 (filled with "), "{said}");
    assert!(said.contains("b=(missing) "), "{said}");
}

#[test]
fn what_is_left_out_leaves_no_trace() {
    let desk = Desk::new();
    desk.write("all.csv", gaps(60, number));
    desk.write("some.csv", lines(&gaps(60, number), |row| row.split(',').all(|cell| !cell.is_empty())));
    desk.write("new.csv", "a,b,colour,flag,day\n0.1,0.2,red,true,2024-02-03\n");
    desk.ok("fit all.csv --target y --missing drop -o all.gp --quiet");
    desk.ok("fit some.csv --target y -o some.gp --quiet");
    assert_eq!(desk.ok("predict all.gp new.csv").out, desk.ok("predict some.gp new.csv").out);
    let record = |model: &str| {
        let mut record = desk.ok(&format!("convert {model} --to json")).json();
        record["config"].as_object_mut().unwrap().remove("missing");
        record
    };
    assert_eq!(record("all.gp"), record("some.gp"));
    assert!(record("all.gp")["version"].as_u64().unwrap() < 3);
    // Without missing values, `--missing keep` has no effect.
    desk.ok("fit some.csv --target y --missing keep -o keep.gp --quiet");
    assert_eq!(record("keep.gp"), record("some.gp"));
}

#[test]
fn models_are_the_same_wherever_rows_are() {
    let desk = Desk::new();
    desk.write("numbers.csv", gaps(500, |y, i| if i % 33 == 5 { String::new() } else { y.to_string() }));
    desk.write("labels.csv", gaps(500, |y, _| if y > 0.7 { "high" } else { "low" }.to_owned()));
    for (table, method) in
        [("numbers", "sep"), ("labels", "svgp --optimizer adam"), ("numbers", "vfe --iterations 3")]
    {
        let batches = if method.starts_with("vfe") { "" } else { "--epochs 2 --batch-size 64" };
        let fit = |stream: &str, output: &str| {
            desk.ok(&format!("fit {table}.csv --target y --missing keep --inducing 12 {batches} --method {method} --stream {stream} -o {output} --force"))
        };
        let (held, streamed) = (fit("never", "held.gp"), fit("always", "streamed.gp"));
        assert!(desk.read("held.gp") == desk.read("streamed.gp"), "{table} {method}");
        for said in [held, streamed] {
            let left_out = said.err.contains("left out 15 rows that miss the target");
            assert_eq!(left_out, table == "numbers", "{}", said.err);
            assert!(said.err.contains("colour in 5") || said.err.contains("colour in 4"), "{}", said.err);
        }
    }
    // Predictions in chunks and at once.
    let pieces = desk.ok("predict held.gp numbers.csv");
    desk.ok("predict held.gp numbers.csv -o p.parquet --quiet");
    desk.write("p.csv", &pieces.out);
    assert_eq!(pieces.table().1.len(), 500);
    assert!(pieces.column("mean").iter().all(|mean| mean.is_finite()));
}

#[test]
fn new_rows_may_miss_what_rows_of_training_did() {
    let desk = Desk::new();
    desk.write("t.csv", gaps(60, number));
    desk.ok("fit t.csv --target y --missing keep --iterations 5 --quiet");
    let version = desk.ok("convert model.gp --to json").json()["version"].clone();
    assert_eq!(version, 3);
    desk.write("new.csv", "a,b,colour,flag,day,y\n0.1,,,,,1\n0.1,NA,red,true,2024-02-03,\n");
    for flag in ["", "--missing keep", "--missing drop"] {
        let said = desk.ok(&format!("predict model.gp new.csv {flag}"));
        assert!(said.column("mean").iter().all(|mean| mean.is_finite()), "{flag}");
        assert_eq!(said.err, "");
    }
    // In training, `a` was never missing.
    desk.write("a.csv", "a,b,colour,flag,day,y\n,0.1,red,true,2024-02-03,1\n0,0,red,true,2024-02-03,1\n");
    let never =
        ["`a.csv`, line 2, column a: the value is missing, as it never was in training", "--missing drop"];
    desk.refused("predict model.gp a.csv", 3, &never);
    desk.refused("predict model.gp a.csv --missing keep", 3, &never);
    let said = desk.ok("predict model.gp a.csv --missing drop");
    assert_eq!(said.table().1[0][0], "");
    assert!(said.err.contains("1 of 2 rows not predicted"), "{}", said.err);
    // `--missing-in a=keep` allows it.
    desk.ok("fit t.csv --target y --missing keep --missing-in a=keep --iterations 5 --quiet --force");
    assert!(desk.ok("predict model.gp a.csv").column("variance").iter().all(|variance| variance.is_finite()));
    desk.ok("plot model.gp t.csv -o p.svg --missing keep --quiet");
    desk.ok("report model.gp -o page.html --test t.csv --missing keep --quiet");
    assert!(String::from_utf8(desk.read("page.html")).unwrap().contains("missing values"));
    desk.write("all.csv", "a,b,colour,flag,day,y\n0.1,,,,,1\n0.2,,,,,1.2\n");
    desk.ok("plot model.gp all.csv -o q.svg --quiet");
}

#[test]
fn rows_without_a_target_teach_nothing() {
    let desk = Desk::new();
    desk.write("t.csv", gaps(60, number));
    desk.ok("fit t.csv --target y --missing keep --iterations 5 --quiet");
    desk.write(
        "new.csv",
        "a,b,colour,flag,day,y\n0.1,,,,,1\n0.1,NA,red,true,2024-02-03,\n0.2,0.1,red,true,2024-02-03,2\n",
    );
    let missed = ["`new.csv`, line 3, column y: the value is missing", "--missing drop"];
    desk.refused("eval model.gp new.csv", 3, &missed);
    desk.refused("update model.gp new.csv -o more.gp", 3, &missed);
    let told = "left out 1 of 3 rows, which misses the target: line 3\n";
    for flag in ["keep", "drop"] {
        let said = desk.ok(&format!("eval model.gp new.csv --missing {flag} --json"));
        assert_eq!((&said.json()["rows"], &said.json()["left_out"]), (&2.into(), &1.into()));
        assert_eq!(said.err.contains(told), flag == "keep", "{}", said.err);
    }
    let said = desk.ok("update model.gp new.csv --missing keep -o more.gp");
    assert!(said.err.contains(told) && said.err.contains("with 2 more rows"), "{}", said.err);
    desk.ok("predict more.gp new.csv");
    // A test table is treated as the training table.
    desk.ok("fit t.csv --target y --missing keep --iterations 5 --quiet --force --test new.csv");
}

#[test]
fn parts_of_cross_validation_have_the_inputs_of_the_whole() {
    let desk = Desk::new();
    desk.write("t.csv", sine(40).replacen("\n0.3,", "\n,", 1));
    let said = desk.ok("cv t.csv --target y --missing keep --folds 4 --method exact --no-train --json");
    assert!(said.err.contains("missing values are kept in x"), "{}", said.err);
    assert_eq!(said.json()["folds"].as_array().unwrap().len(), 4);
    desk.ok("diagnose t.csv --target y --missing keep --rows 10 --method exact --quiet");
}

#[test]
fn columns_have_rules_of_their_own() {
    let desk = Desk::new();
    desk.write("t.csv", gaps(60, number));
    let missing = ["column colour: the value is missing", "--missing keep"];
    desk.refused("fit t.csv --target y --missing-in b=keep --missing-in flag=drop", 3, &missing);
    let line = "fit t.csv --target y --missing keep --missing-in b=drop --iterations 3";
    let said = desk.ok(line);
    assert!(said.err.contains("left out 20 rows that miss a value"), "{}", said.err);
    assert!(!said.err.contains("b in "), "{}", said.err);
    desk.write("fit.toml", "target = \"y\"\nmissing = \"keep\"\nmissing-in = [\"b=drop\"]\niterations = 3\n");
    desk.ok("fit t.csv --config fit.toml -o c.gp --quiet");
    assert!(desk.read("model.gp") == desk.read("c.gp"));
    // The stored configuration can be given as flags.
    desk.ok(
        "fit t.csv --target y --missing keep --missing-in b=drop --type flag=category --iterations 3 -o w.gp",
    );
    let config = desk.ok("inspect w.gp --json").json()["about"]["config"].clone();
    assert_eq!((&config["missing-in"][0], &config["type"][0]), (&"b=drop".into(), &"flag=category".into()));
    desk.refused("fit t.csv -o o.gp --target y --missing-in c=keep", 3, &["no column c for --missing-in"]);
    desk.refused("fit t.csv -o o.gp --target y --missing-in y=keep", 2, &["column y is the target"]);
    desk.refused(
        "fit t.csv -o o.gp --target y --exclude a --missing-in a=keep",
        2,
        &["neither an input nor the target"],
    );
    assert!(
        desk.gp("fit t.csv --target y --missing-in b=fill").err.contains("there are error, drop and keep")
    );
}

#[test]
fn what_cannot_be_kept_is_refused() {
    let desk = Desk::new();
    desk.write("t.csv", "a,b,y\n1,,1\n2,,2\n3,,4\n");
    let every = ["`t.csv`, line 2, column b: every value is missing; leave the column out with --exclude b"];
    desk.refused("fit t.csv --target y --missing keep", 3, &every);
    desk.refused("fit t.csv --target y --missing keep --stream always --method sep", 3, &every);
    desk.refused("fit t.csv --target y --missing keep --type b=category", 3, &every);
    desk.refused("fit t.csv --target b --missing keep", 3, &["each of its 3 rows misses a value"]);
    // Model of rows without missing values.
    desk.write("c.csv", circle(40));
    desk.ok("fit c.csv --target y --iterations 2 -o c.gp --quiet");
    desk.refused("predict c.gp c.csv --missing keep", 2, &["fit a model with --missing keep"]);
    desk.refused("eval c.gp c.csv --missing keep", 2, &["fit a model with --missing keep"]);
}

#[test]
fn a_check_counts_what_is_missing() {
    let desk = Desk::new();
    desk.write("t.csv", "a,b,y\n1,,1\n2,,2\n,3,4\n4,5,\n6,7,8\n");
    let said = desk.ok("check t.csv --target y --quiet").out;
    assert!(
        said.contains("column a: 1 value is missing, the first at line 4; fill in values, leave rows out"),
        "{said}"
    );
    assert!(said.contains("column b: 2 values are missing, the first at line 2"), "{said}");
    assert!(
        said.contains("column y: 1 value is missing, the first at line 5; fill in values, or leave"),
        "{said}"
    );
    assert!(
        said.contains("\n4 values are missing in 3 columns; --missing drop would leave out 4 of 5 rows\n"),
        "{said}"
    );
}
