//! `gp suggest`.

use crate::support::{Desk, Said, circle, noise, sine};

fn data(name: &str) -> String {
    format!("{}/tests/data/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// Sine with a gap from 2 to 4.
fn gap() -> String {
    let all = sine(60);
    let keep =
        |line: &&str| line.split(',').next().unwrap().parse().is_ok_and(|x: f64| !(2.0..4.0).contains(&x));
    "x,y\n".to_owned() + &all.lines().skip(1).filter(keep).map(|line| format!("{line}\n")).collect::<String>()
}

/// Column maximum on a fine grid, and place.
fn on_grid(desk: &Desk, model: &str, column: &str) -> (f64, f64) {
    let grid: Vec<f64> = (0..=4_000).map(|i| 5.9 * f64::from(i) / 4_000.0).collect();
    desk.write("grid.csv", "x\n".to_owned() + &grid.iter().map(|x| format!("{x}\n")).collect::<String>());
    let values = desk.ok(&format!("predict {model} grid.csv --latent")).column(column);
    let best = (0..grid.len()).reduce(|a, b| if values[b] > values[a] { b } else { a }).unwrap();
    (grid[best], values[best])
}

#[test]
fn the_first_point_is_where_the_variance_is_largest() {
    let desk = Desk::new();
    desk.write("t.csv", gap());
    for method in
        ["exact --parameters known", "exact", "pep --inducing 10", "svgp --inducing 10 --iterations 20"]
    {
        desk.ok(&format!("fit t.csv --target y --force --method {method}"));
        let (at, variance) = on_grid(&desk, "model.gp", "latent_variance");
        for by in ["variance", "information"] {
            let said = desk.ok(&format!("suggest model.gp --by {by}"));
            let criterion = if by == "variance" { "latent_variance" } else { "information" };
            assert_eq!(said.table().0, ["x", criterion, "mean", "variance"]);
            let x = said.column("x")[0];
            assert!((x - at).abs() < 5.9 / 2_000.0, "{method}: {x} instead of {at}");
            if by == "variance" {
                let found = said.column("latent_variance")[0];
                assert!(found >= variance * (1.0 - 1e-9), "{method}: {found} {variance}");
            }
        }
        let said = |by: &str| desk.ok(&format!("suggest model.gp --by {by}")).out;
        assert_eq!(said("mi"), said("information"));
    }
}

/// Separate points that depend on the seed, not on threads.
#[test]
fn a_batch_fills_the_gap() {
    let desk = Desk::new();
    desk.write("t.csv", gap());
    desk.ok("fit t.csv --target y --parameters known");
    let line = "suggest model.gp --count 5 --range x=-1..8";
    let said = desk.ok(line);
    assert!(said.err.contains("5 points within the ranges of the inputs, by information: "), "{}", said.err);
    let mut x = said.column("x");
    assert!(x.iter().all(|x| (-1.0..=8.0).contains(x)));
    x.sort_by(f64::total_cmp);
    // An end of the range may be chosen twice.
    x.dedup_by(|a, b| (*a - *b).abs() < 1e-9);
    assert!(x.len() >= 4 && x.windows(2).all(|pair| pair[1] - pair[0] > 0.3), "{x:?}");
    let information = said.column("information");
    assert!(information.windows(2).all(|pair| pair[1] <= pair[0] + 1e-6), "{information:?}");
    let again = desk.ok(&format!("{line} --threads 1"));
    assert_eq!(said.out, again.out);
    let json = desk.ok(&format!("{line} --json")).json();
    assert_eq!((json["by"].as_str(), json["count"].as_u64()), (Some("information"), Some(5)));
    let sum: f64 = information.iter().sum();
    assert!((json["information"].as_f64().unwrap() - sum).abs() < 1e-12);
    assert_eq!(json["points"].as_array().unwrap().len(), 5);
    assert_eq!(json["points"][0]["x"].as_f64().unwrap(), said.column("x")[0]);
    // Table to a file, summary to stdout.
    let told = desk.ok(&format!("{line} -o next.parquet --json --quiet"));
    assert_eq!(told.json()["output"], "next.parquet");
    assert!(desk.names().contains(&"next.parquet".to_owned()) && told.err.is_empty());
    desk.refused(&format!("{line} -o next.parquet"), 7, &["--force"]);
}

#[test]
fn candidates_of_a_table_are_chosen_one_after_the_other() {
    let desk = Desk::new();
    desk.write("t.csv", gap());
    desk.ok("fit t.csv --target y --parameters known");
    desk.write("c.csv", "well,x\na,1\nb,2.9\nc,3\nd,7\ne,2.9\n");
    let said = desk.ok("suggest model.gp c.csv --count 3 --id well --by variance --json");
    let rows: Vec<u64> =
        said.json()["rows"].as_array().unwrap().iter().map(|row| row.as_u64().unwrap()).collect();
    assert_eq!(rows[0], 4);
    assert!([2, 3, 5].contains(&rows[1]) && rows.len() == 3);
    assert_eq!(said.json()["points"][0]["well"], "d");
    // Variance after an observation there: v σ² / (v + σ²).
    let all = desk.ok("suggest model.gp c.csv --count 5 --by variance --id well");
    let header = ["well", "x", "latent_variance", "mean", "variance"];
    assert_eq!(all.table().0, header);
    // An input occurs once, also if it is requested as `--id`, and so does a repeated `--id`.
    let twice = desk.ok("suggest model.gp c.csv --by variance --id x --id well --id well");
    assert_eq!(twice.table().0, header);
    let mut wells: Vec<String> = all.table().1.into_iter().map(|row| row[0].clone()).collect();
    wells.sort();
    assert_eq!(wells, ["a", "b", "c", "d", "e"]);
    desk.refused("suggest model.gp c.csv --count 6", 2, &["--count 6 is more than the 5 rows of c.csv"]);
    for flag in ["--missing drop", "--format csv", "--query select"] {
        let texts = [flag.split(' ').next().unwrap(), "without CANDIDATES"];
        desk.refused(&format!("suggest model.gp {flag}"), 2, &texts);
        desk.refused(&format!("report model.gp -o page.html {flag}"), 2, &[texts[0], "without --test"]);
    }
    desk.refused("suggest model.gp c.csv --range x=0..1", 2, &["--range is for a search without a table"]);
}

#[test]
fn inputs_are_as_in_the_training_table() {
    let desk = Desk::new();
    let row = |i: usize| {
        let (kind, on) = (["red", "green", "dark blue"][i % 3], i.is_multiple_of(2));
        format!("{},2024-{:02}-{:02},{kind},{on},{}\n", i % 7, 1 + i % 12, 1 + i % 27, noise(i))
    };
    desk.write("t.csv", "dose,day,kind,on,y\n".to_owned() + &(0..40).map(row).collect::<String>());
    desk.ok("fit t.csv --target y --iterations 5 --parameters known");
    let said = desk.ok("suggest model.gp --count 4 --by variance");
    assert_eq!(said.table().0[..5], ["dose", "day", "kind", "on", "latent_variance"]);
    for cells in said.table().1 {
        assert!(cells[0].parse().is_ok_and(|dose: f64| (0.0..=6.0).contains(&dose)), "{cells:?}");
        assert!(cells[1].starts_with("2024-"), "{cells:?}");
        assert!(["red", "green", "dark blue"].contains(&cells[2].as_str()), "{cells:?}");
        assert!(["true", "false"].contains(&cells[3].as_str()), "{cells:?}");
    }
    let line = "suggest model.gp --count 6 --at on=true --levels dose=1,2.5 --levels \"kind=red,dark blue\" --range day=2025-01-01..2025-02-01";
    for cells in desk.ok(line).table().1 {
        assert!(["1", "2.5"].contains(&cells[0].as_str()) && cells[3] == "true", "{cells:?}");
        assert!(cells[1].starts_with("2025-01") || cells[1] == "2025-02-01", "{cells:?}");
        assert!(["red", "dark blue"].contains(&cells[2].as_str()), "{cells:?}");
    }
    // All 2 × 3 × 2 points, and no more.
    let few = "suggest model.gp --at day=2024-05-05 --levels dose=1,2 --json";
    assert_eq!(desk.ok(few).json()["looked_at"], 12);
    for (flags, texts) in [
        ("--range kind=0..1", ["--range kind: this input has single values", "--levels kind=A,B"]),
        ("--range dose=1", ["LO..HI", "dose=1"]),
        ("--range dose=3..1", ["the upper end is below the lower end", "dose=3..1"]),
        ("--range dose=0..1e300", ["1e300 is too far away for predictions", "the limits are ±1e75"]),
        ("--range dose=a..b", ["`a` is not a number", "dose"]),
        ("--range day=1..2", ["`1` is not a date", "day"]),
        ("--at kind=violet", ["`violet` did not occur in training", "dark blue, green, red"]),
        ("--at colour=red", ["there is no such input", "dose, day, kind, on"]),
        ("--at dose", ["write the name of an input, `=` and a value", "--at dose"]),
        ("--at dose=1 --range dose=1..2", ["input dose is given twice", "by --range and by --at"]),
        ("--by improvement", ["--goal min", "--goal max"]),
        ("--goal max", ["--goal is only for --by improvement", ""]),
        ("--best 3", ["--best is only for --by improvement", ""]),
        ("--by improvement --goal max --best x", ["--best x is no number", "y"]),
    ] {
        desk.refused(&format!("suggest model.gp {flags}"), 2, &texts);
    }
}

#[test]
fn labels_are_asked_for_where_they_tell_most() {
    let desk = Desk::new();
    desk.write("t.csv", circle(80));
    for method in [
        "ep --inducing 15",
        "ivm --inducing 15 --iterations 2",
        "savigp --components 2 --covariance diagonal --inducing 8 --iterations 3",
    ] {
        desk.ok(&format!("fit t.csv --target y --features a,b --force --method {method}"));
        let said = desk.ok("suggest model.gp --count 3");
        assert_eq!(said.table().0, ["a", "b", "information", "label", "p(in)", "p(out)"], "{method}");
        for information in said.column("information") {
            assert!(information > 0.0 && information < 2_f64.ln(), "{method}: {information}");
        }
    }
    desk.refused("suggest model.gp --by improvement --goal max", 2, &["y is a class", "--by information"]);
    // Three classes with one latent each; `ivm` couples them.
    for method in ["svgp --inducing 6 --iterations 3", "ivm --inducing 8 --iterations 1"] {
        desk.ok(&format!("fit t.csv --target kind --features a,b -o three.gp --force --method {method}"));
        for by in ["information", "variance"] {
            let said = desk.ok(&format!("suggest three.gp --by {by} --count 2"));
            assert_eq!(said.table().0.last().unwrap(), "p(red)", "{method}");
        }
    }
}

#[test]
fn older_models_are_told_the_ranges() {
    let desk = Desk::new();
    let model = data("v1_exact.gp");
    let columns: Vec<(String, bool)> = desk.ok(&format!("inspect {model} --json")).json()["about"]["inputs"]
        ["features"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|feature| feature["encoding"]["scaled"].is_object() && feature["kind"] != "boolean")
        .map(|feature| (feature["name"].as_str().unwrap().to_owned(), feature["kind"] == "date"))
        .collect();
    desk.refused(&format!("suggest {model}"), 2, &["does not hold the range of", &columns[0].0, "--range"]);
    let ends = |is_date| if is_date { "2024-01-01..2024-02-01" } else { "0..1" };
    let ranges: Vec<String> =
        columns.iter().map(|(name, is_date)| format!("--range {name}={}", ends(*is_date))).collect();
    desk.ok(&format!("suggest {model} --count 2 {}", ranges.join(" ")));
    for name in ["v2_mixture.gp", "v2_ivm.gp", "v1_ep.gp", "v1_classes.gp"] {
        let table = data("v1_new.csv");
        desk.ok(&format!("suggest {} {table} --count 2 --by variance", data(name)));
    }
}

#[test]
fn an_update_widens_the_ranges() {
    let desk = Desk::new();
    desk.write("t.csv", sine(30));
    desk.ok("fit t.csv --target y --parameters known");
    desk.write("more.csv", "x,y\n20,1\n");
    desk.ok("update model.gp more.csv -o wide.gp");
    assert!(desk.ok("suggest model.gp --by variance").column("x")[0] < 6.0);
    let x = desk.ok("suggest wide.gp --by variance").column("x")[0];
    assert!(x > 8.0 && x < 20.0, "{x}");
}

#[test]
fn expected_improvement_finds_a_minimum() {
    let desk = Desk::new();
    let function = |a: f64, b: f64| (a - 0.7).powi(2) + 2.0 * (b + 0.3).powi(2) + 0.3 * (3.0 * a).sin();
    let mut rows: Vec<(f64, f64)> =
        (0..8).map(|i| (f64::from(i % 3) - 1.0 + 0.1 * f64::from(i), f64::from(i / 3) - 1.0)).collect();
    let mut last = None::<Said>;
    for _ in 0..10 {
        let lines = rows.iter().map(|&(a, b)| format!("{a},{b},{}\n", function(a, b)));
        desk.write("t.csv", "a,b,y\n".to_owned() + &lines.collect::<String>());
        desk.ok("fit t.csv --target y --force --parameters known --kernel \"1 * rbf(ard=true)\" --quiet");
        let said = desk.ok("suggest model.gp --by improvement --goal min --range a=-2..2 --range b=-2..2");
        rows.push((said.column("a")[0], said.column("b")[0]));
        last = Some(said);
    }
    let least = |from: f64, to: f64, of: &dyn Fn(f64) -> f64| {
        (0..=4_000).map(|i| of(from + (to - from) * f64::from(i) / 4_000.0)).fold(f64::INFINITY, f64::min)
    };
    let expected = least(-2.0, 2.0, &|a| function(a, -0.3));
    let found = rows.iter().map(|&(a, b)| function(a, b)).fold(f64::INFINITY, f64::min);
    assert!(found < expected + 0.01, "{found} instead of {expected}: {rows:?}");
    let said = last.unwrap();
    // In four digits, however many the number has.
    let best = said.err.lines().find_map(|line| line.strip_prefix("best y so far: ")).unwrap();
    let (number, rest) = best.split_once(", ").unwrap();
    assert_eq!(rest, "the best mean at the training rows of the model");
    let digits = number.trim_start_matches(['-', '0', '.']).chars().filter(char::is_ascii_digit);
    assert_eq!(digits.count(), 4, "{number}");
    assert_eq!(said.table().0, ["a", "b", "improvement", "mean", "variance"]);
    // With `--best` and a batch, the second point improves less.
    let said = desk.ok("suggest model.gp --by improvement --goal max --best -5 --count 2 --json");
    let json = said.json();
    assert_eq!((json["best"].as_f64(), json["goal"].as_str()), (Some(-5.0), Some("max")));
    let improvement = |i: usize| json["points"][i]["improvement"].as_f64().unwrap();
    assert!(improvement(1) < 0.5 * improvement(0));
    // Compared with −5, the improvement is mean + 5.
    assert!((improvement(0) - 5.0 - json["points"][0]["mean"].as_f64().unwrap()).abs() < 1e-6);
}

#[test]
fn ranges_without_an_improvement_are_named() {
    let desk = Desk::new();
    let row = |i: usize| format!("{},{}\n", i as f64 / 10.0, (i as f64 / 10.0).sin());
    desk.write("t.csv", "x,y\n".to_owned() + &(0..60).map(row).collect::<String>());
    desk.ok("fit t.csv --target y --kernel rbf");
    let said = desk.ok("suggest model.gp --count 3 --by improvement --goal max --range x=4..5");
    let words = "nothing within these ranges is likely to improve on 0.99";
    assert!(said.err.contains(words) && !said.err.contains("observations are noisy"), "{}", said.err);
    assert_eq!(said.table().1.len(), 1, "{}", said.out);
    desk.refused("suggest model.gp --range x=0..", 2, &["x=0..", "both ends, LO..HI"]);
}

/// Gaps are allowed if kept; ignored roles are named.
#[test]
fn candidates_with_gaps_and_models_with_offsets() {
    let desk = Desk::new();
    let row = |i: usize| {
        let (x, y) = (i as f64 / 8.0, (i as f64 / 8.0).sin());
        if i.is_multiple_of(7) { format!(",2,{y}\n") } else { format!("{x},2,{}\n", y + 2.0) }
    };
    desk.write("t.csv", "x,o,y\n".to_owned() + &(0..40).map(row).collect::<String>());
    desk.ok("fit t.csv --target y --features x --missing keep -o kept.gp --iterations 5");
    desk.write("c.csv", "x\n\n1.5\n3\n".replace("x\n\n", "x\n\"\"\n"));
    let said = desk.ok("suggest kept.gp c.csv --count 3");
    assert_eq!(said.table().1.len(), 3, "{}", said.out);
    assert!(said.column("information").iter().all(|value| value.is_finite()), "{}", said.out);
    desk.ok("fit t.csv --target y --missing drop --offset o -o moved.gp --iterations 5");
    let said = desk.ok("suggest moved.gp --by improvement --goal max");
    assert!(said.err.contains("with an offset of 0; column o is not looked at"), "{}", said.err);
}
