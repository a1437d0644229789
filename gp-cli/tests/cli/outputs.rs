//! Written formats; outputs for programs.

use crate::support::{Desk, circle, sine};
use gp_cli::data::{Formats, ReadOptions};

fn desk() -> Desk {
    let desk = Desk::new();
    desk.write("t.csv", sine(40));
    desk.ok("fit t.csv --target y --parameters known");
    desk
}

fn means(desk: &Desk, name: &str) -> Vec<f64> {
    let frame = Formats::built_in().open(desk.path(name).to_str().unwrap(), &ReadOptions::default()).unwrap();
    frame.column("mean").unwrap().numbers().unwrap().to_vec()
}

#[test]
fn every_format_holds_the_same_numbers() {
    let desk = desk();
    desk.ok("predict model.gp t.csv -o p.csv");
    let expected = means(&desk, "p.csv");
    for name in ["p.tsv", "p.parquet", "p.arrow", "p.feather", "p.csv.gz", "p.tsv.gz"] {
        desk.ok(&format!("predict model.gp t.csv -o {name}"));
        assert_eq!(means(&desk, name), expected, "{name}");
    }
    assert!(desk.read("p.tsv").starts_with(b"mean\tvariance\t"));
    assert!(desk.read("p.feather").starts_with(b"ARROW1"));
    desk.ok("predict model.gp t.csv -o p.jsonl");
    for name in ["p.jsonl.gz", "p.ndjson.gz"] {
        desk.ok(&format!("predict model.gp t.csv -o {name}"));
        let mut text = Vec::new();
        let bytes = desk.read(name);
        std::io::Read::read_to_end(&mut flate2::read::MultiGzDecoder::new(&bytes[..]), &mut text).unwrap();
        assert!(text == desk.read("p.jsonl"), "{name}");
    }
    for name in ["p.parquet.gz", "p.gz", "p.xls"] {
        let texts = [&format!("`{name}` ends in none of .csv, .tsv, .jsonl"), ".csv.gz"];
        desk.refused(&format!("predict model.gp t.csv -o {name}"), 2, &[texts[0], texts[1]]);
    }
}

#[test]
fn packed_text_is_written_in_pieces() {
    let desk = crate::stream::with_model(70_000);
    desk.ok("predict model.gp new.csv --proba -o p.csv --quiet");
    desk.ok("predict model.gp new.csv --proba -o p.csv.gz --quiet");
    let (mut text, bytes) = (Vec::new(), desk.read("p.csv.gz"));
    std::io::Read::read_to_end(&mut flate2::read::MultiGzDecoder::new(&bytes[..]), &mut text).unwrap();
    assert!(text == desk.read("p.csv"));
    assert!(bytes.len() < text.len() / 2, "{} of {}", bytes.len(), text.len());
}

#[test]
fn the_format_can_be_said() {
    let desk = desk();
    desk.ok("predict model.gp t.csv -o p.jsonl");
    let printed = desk.ok("predict model.gp t.csv --output-format jsonl").out;
    assert_eq!(printed.into_bytes(), desk.read("p.jsonl"));
    desk.ok("predict model.gp t.csv -o p.txt --output-format tsv");
    assert!(desk.read("p.txt").starts_with(b"mean\tvariance\t"));
    desk.refused(
        "predict model.gp t.csv --output-format xls",
        2,
        &["no format `xls` to write", "csv, tsv, jsonl"],
    );
}

#[test]
fn predict_tells_programs_what_it_did() {
    let desk = desk();
    desk.write("new.csv", "x,note\n1,a\n,b\n");
    let said = desk.ok("predict model.gp new.csv --missing drop -o p.parquet --json --quiet").json();
    let columns = ["mean", "variance", "lower", "upper"];
    assert_eq!(said["columns"], serde_json::json!(columns));
    let counts = ["rows", "predicted", "left_out"].map(|key| said[key].as_u64().unwrap());
    assert_eq!(counts, [2, 1, 1]);
    assert_eq!((&said["output"], &said["model"]), (&"p.parquet".into(), &"model.gp".into()));
    assert!(said["seconds"].is_number() && said["warnings"].as_array().unwrap().is_empty());
    for to in ["", "-o -"] {
        desk.refused(
            &format!("predict model.gp new.csv --json {to}"),
            2,
            &["--output", "--output-format jsonl"],
        );
    }
}

#[test]
fn update_tells_programs_what_it_did() {
    let desk = desk();
    desk.write("more.csv", "x,y\n0.05,0.1\n6.1,-0.2\n6.2,\n");
    let before = desk.ok("inspect model.gp --json").json();
    let said = desk.ok("update model.gp more.csv --missing drop -o more.gp --json").json();
    let counts = ["rows", "left_out", "n"].map(|key| said[key].as_u64().unwrap());
    assert_eq!(counts, [2, 1, 42]);
    let after = desk.ok("inspect more.gp --json").json();
    let objective = |json: &serde_json::Value| json["about"]["training"]["objective"].clone();
    assert_eq!((&said["objective_before"], &said["objective"]), (&objective(&before), &objective(&after)));
    assert_eq!((&said["method"], &said["model"]), (&"exact".into(), &"more.gp".into()));
    assert!(said["how"].is_string() && said["warnings"].is_array() && said["seconds"].is_number(), "{said}");
    assert!(said["likelihood"].as_str().unwrap().starts_with("gaussian("), "{said}");
    // Without --json, nothing is printed.
    assert!(desk.ok("update model.gp more.csv --missing drop -o more.gp --force").out.is_empty());
}

#[test]
fn cross_validation_has_a_column_for_standard_errors() {
    let desk = Desk::new();
    desk.write("t.csv", sine(40));
    let line = "cv t.csv --target y --folds 4 --method exact --no-train";
    let said = desk.ok(line);
    let (header, rows) = said.table();
    assert_eq!(header, ["fold", "rows", "predictor", "score", "value", "standard_error"]);
    assert!(!said.out.contains('±'), "{}", said.out);
    let of = |fold: &str| {
        let found = rows.iter().find(|row| row[0] == fold && row[2] == "gp" && row[3] == "rmse");
        let cells = found.unwrap()[4..].to_vec();
        (cells[0].parse::<f64>().unwrap(), cells[1].clone())
    };
    let folds = ["0", "1", "2", "3"].map(|fold| of(fold).0);
    let mean = folds.iter().sum::<f64>() / 4.0;
    let error = (folds.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / 3.0 / 4.0).sqrt();
    let (found, found_error) = of("mean");
    assert!((found - mean).abs() < 1e-12 && of("0").1.is_empty());
    assert!((found_error.parse::<f64>().unwrap() - error).abs() < 1e-12);
    assert!(said.err.contains("mean ± standard error over 4 folds"), "{}", said.err);
    assert!(said.err.contains(&format!("{mean:.4} ± {error:.4}")), "{}", said.err);
    assert!(desk.ok(&format!("{line} --quiet")).err.is_empty());
}

#[test]
fn scores_have_one_name() {
    let desk = Desk::new();
    desk.write("n.csv", sine(40));
    desk.write("c.csv", circle(60));
    for (data, flags, names) in [
        ("n", "--method exact --no-train", &["rmse", "mae", "nlpd"][..]),
        ("c", "--iterations 3", &["error", "log_loss", "brier", "ece"]),
    ] {
        let fit = desk
            .ok(&format!("fit {data}.csv --target y -o {data}.gp --test {data}.csv --json {flags}"))
            .json();
        let eval = desk.ok(&format!("eval {data}.gp {data}.csv --json")).json();
        let text = desk.ok(&format!("eval {data}.gp {data}.csv")).out;
        let cv = desk.ok(&format!("cv {data}.csv --target y --folds 2 --json {flags}")).json();
        desk.ok(&format!("report {data}.gp --test {data}.csv -o {data}.html"));
        let page = String::from_utf8(desk.read(&format!("{data}.html"))).unwrap();
        for name in names {
            assert!(eval["scores"]["gp"][name].is_number(), "{name}: {eval}");
            assert_eq!(fit["test"]["scores"]["gp"][name], eval["scores"]["gp"][name], "{name}");
            assert!(
                text.contains(&format!("({name})")) && page.contains(&format!("({name})")),
                "{name}: {text}"
            );
            assert!(cv["folds"][0]["scores"]["gp"][name].is_number(), "{name}: {cv}");
            let summary = cv["summary"].as_array().unwrap();
            assert!(summary.iter().any(|entry| entry["score"] == *name), "{name}: {cv}");
        }
        // The score is the mean of the log densities per row.
        let densities = desk.ok(&format!("predict {data}.gp {data}.csv")).column("log_density");
        let mean = -densities.iter().sum::<f64>() / densities.len() as f64;
        let score = if data == "n" { "nlpd" } else { "log_loss" };
        assert!((eval["scores"]["gp"][score].as_f64().unwrap() - mean).abs() < 1e-9, "{score}");
    }
}
