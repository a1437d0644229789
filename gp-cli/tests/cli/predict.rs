//! `gp predict` and `gp eval`.

use crate::support::{Desk, circle, sine};
use gp_cli::data::{Formats, ReadOptions};

#[test]
fn predictions_of_numbers() {
    let desk = Desk::new();
    desk.write("t.csv", sine(60));
    desk.ok("fit t.csv --target y --parameters known");
    let said = desk.ok("predict model.gp t.csv --latent --id x --interval 0.5");
    let header = ["x", "mean", "variance", "lower", "upper", "latent_mean", "latent_variance", "log_density"];
    assert_eq!(said.table().0, header);
    let column = |name: &str| said.column(name);
    for row in 0..60 {
        let (mean, variance) = (column("mean")[row], column("variance")[row]);
        assert_eq!(mean, column("latent_mean")[row]);
        assert!(column("latent_variance")[row] < variance);
        // Half of a Gaussian lies within 0.6745 standard deviations.
        let half = 0.674_489_750_196_081_7 * variance.sqrt();
        assert!((column("upper")[row] - (mean + half)).abs() < 1e-9);
        assert!((column("lower")[row] - (mean - half)).abs() < 1e-9);
    }
    // Columns in another order, extra columns, no target.
    desk.write("new.csv", "note,x\nhere,1\nthere,2\n");
    let said = desk.ok("predict model.gp new.csv --id note");
    assert_eq!(said.table().0, ["note", "mean", "variance", "lower", "upper"]);
    assert_eq!(said.table().1[1][0], "there");
    assert!((said.column("mean")[0] - 1f64.sin()).abs() < 0.1);
    assert_eq!(desk.gp("predict model.gp new.csv --proba").code, 2);
    assert_eq!(desk.gp("predict model.gp new.csv --interval 1").code, 2);
}

#[test]
fn several_intervals_and_quantiles() {
    let desk = Desk::new();
    desk.write("t.csv", sine(60));
    desk.ok("fit t.csv --target y --parameters known");
    let said = desk.ok("predict model.gp t.csv --interval 0.5,0.8 --quantiles 0.1,0.5 --quantiles 0.9");
    let names =
        ["mean", "variance", "lower(0.5)", "upper(0.5)", "lower(0.8)", "upper(0.8)", "q0.1", "q0.5", "q0.9"];
    assert_eq!(said.table().0[..9], names);
    for (one, other) in [("q0.1", "lower(0.8)"), ("q0.5", "mean"), ("q0.9", "upper(0.8)")] {
        let pairs = said.column(one).into_iter().zip(said.column(other));
        assert!(pairs.into_iter().all(|(one, other)| (one - other).abs() < 1e-9), "{one} {other}");
    }
    // Column names of a single interval have no level.
    let one = desk.ok("predict model.gp t.csv --interval 0.8");
    assert_eq!(one.column("upper"), said.column("upper(0.8)"));
    desk.refused("predict model.gp t.csv --quantiles 0.5,1", 2, &["--quantiles 1 is not between 0 and 1"]);
    desk.refused("predict model.gp t.csv --quantiles 0.5,0.5", 2, &["--quantiles 0.5 is asked for twice"]);
    desk.write("c.csv", circle(60));
    desk.ok("fit c.csv --target y -o c.gp --iterations 3");
    desk.refused("predict c.gp c.csv --quantiles 0.5", 2, &["y is a class", "--proba"]);
    desk.refused("predict c.gp c.csv --interval 0.95", 2, &["--interval", "y is a class", "--proba"]);
}

#[test]
fn predictions_of_classes() {
    let desk = Desk::new();
    desk.write("t.csv", circle(150));
    desk.ok("fit t.csv --target y --iterations 20");
    let said = desk.ok("predict model.gp t.csv --proba --latent");
    assert_eq!(said.table().0, ["label", "p(in)", "p(out)", "latent_mean", "latent_variance", "log_density"]);
    let (inside, outside, density) =
        (said.column("p(in)"), said.column("p(out)"), said.column("log_density"));
    let truth = circle(150);
    for (row, line) in truth.lines().skip(1).enumerate() {
        assert!((inside[row] + outside[row] - 1.0).abs() < 1e-12);
        let expected = if line.ends_with("in") { inside[row] } else { outside[row] };
        assert!((density[row] - expected.ln()).abs() < 1e-9);
        assert_eq!(said.table().1[row][0], if inside[row] >= outside[row] { "in" } else { "out" });
    }
    assert_eq!(desk.ok("predict model.gp t.csv").table().0, ["label", "log_density"]);
    // A level that did not occur in training is treated as unknown.
    desk.write("new.csv", "a,b,kind\n0,0,violet\n");
    let said = desk.ok("predict model.gp new.csv");
    assert!(said.err.contains("`violet` did not occur in training; treated as unknown"), "{}", said.err);
    assert_eq!(said.table().1, [["in"]]);
}

#[test]
fn joint_covariances_have_the_variances_on_their_diagonal() {
    let desk = Desk::new();
    desk.write("t.csv", sine(40));
    desk.write("new.csv", "x\n1\n2\n2.1\n");
    for method in ["exact", "vfe --inducing 8"] {
        desk.ok(&format!("fit t.csv --target y --force --method {method}"));
        let said = desk.ok("predict model.gp new.csv --joint");
        let variance = said.column("latent_variance");
        let covariance = [1, 2, 3].map(|row| said.column(&format!("latent_covariance({row})")));
        for i in 0..3 {
            // Differences of numbers as large as the prior variance, about 1.
            assert!((covariance[i][i] - variance[i]).abs() < 1e-9, "{method}");
            assert!((0..3).all(|j| (covariance[i][j] - covariance[j][i]).abs() < 1e-12));
        }
        assert!(covariance[1][2] > 0.5 * variance[1], "{method}");
    }
}

#[test]
fn samples_are_draws_of_the_function() {
    let desk = Desk::new();
    desk.write("t.csv", sine(20));
    desk.ok("fit t.csv --target y --no-train --units model --kernel \"1 * rbf(lengthscale=0.5)\" --likelihood gaussian(variance=0.2)");
    desk.write("new.csv", "x\n1\n\"\"\n7\n7.1\n");
    let line = "predict model.gp new.csv --missing drop --latent --joint --samples 4000 --quiet";
    let said = desk.ok(&format!("{line} --seed 3"));
    let (header, rows) = said.table();
    let first = header.iter().position(|name| name == "latent_sample(1)").unwrap();
    assert_eq!(header[first + 3999], "latent_sample(4000)");
    assert!(rows[1][first..].iter().all(String::is_empty));
    let draws = [0, 2, 3].map(|row| {
        rows[row][first..first + 4000].iter().map(|cell| cell.parse::<f64>().unwrap()).collect::<Vec<_>>()
    });
    let of = |row: usize, name: &str| {
        rows[row][header.iter().position(|found| found == name).unwrap()].parse::<f64>().unwrap()
    };
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let means = [0, 1, 2].map(|i| mean(&draws[i]));
    for (i, row) in [0, 2, 3].into_iter().enumerate() {
        let deviation = of(row, "latent_variance").sqrt();
        // Five standard errors of the mean of 4000.
        assert!((means[i] - of(row, "latent_mean")).abs() < 5.0 * deviation / 4000f64.sqrt(), "row {row}");
    }
    let products: Vec<f64> =
        draws[1].iter().zip(&draws[2]).map(|(a, b)| (a - means[1]) * (b - means[2])).collect();
    let (found, expected) = (mean(&products), of(2, "latent_covariance(4)"));
    assert!((found - expected).abs() < 0.12 * expected, "{found} {expected}");
    assert_eq!(desk.ok(&format!("{line} --seed 3")).out, said.out);
    assert_ne!(desk.ok(&format!("{line} --seed 4")).out, said.out);
    assert_eq!(desk.gp("predict model.gp new.csv --seed 4").code, 2);
}

#[test]
fn tables_are_written_in_the_format_of_their_name() {
    let desk = Desk::new();
    desk.write("t.csv", sine(30));
    desk.ok("fit t.csv --target y");
    let printed = desk.ok("predict model.gp t.csv").out;
    desk.ok("predict model.gp t.csv -o p.csv");
    assert_eq!(String::from_utf8(desk.read("p.csv")).unwrap(), printed);
    desk.ok("predict model.gp t.csv -o p.jsonl");
    let lines = String::from_utf8(desk.read("p.jsonl")).unwrap();
    let first: serde_json::Value = serde_json::from_str(lines.lines().next().unwrap()).unwrap();
    assert_eq!(first["mean"].as_f64().unwrap(), desk.ok("predict model.gp t.csv").column("mean")[0]);
    desk.ok("predict model.gp t.csv -o p.parquet");
    let frame = Formats::built_in().open(desk.path("p.parquet").to_str().unwrap(), &ReadOptions::default());
    assert_eq!(frame.unwrap().column("mean").unwrap().numbers().unwrap()[0], first["mean"].as_f64().unwrap());
    desk.refused("predict model.gp t.csv -o p.csv", 7, &["`p.csv` already exists", "--force"]);
    desk.refused("predict model.gp t.csv -o p.xls", 2, &["`p.xls` ends in none of .csv"]);
    desk.refused("predict model.gp t.csv -o nowhere/p.csv", 7, &["nowhere"]);
}

#[test]
fn scores_of_numbers_and_classes() {
    let desk = Desk::new();
    desk.write("t.csv", sine(60));
    desk.ok("fit t.csv --target y");
    let scores = desk.ok("eval model.gp t.csv --json").json()["scores"].clone();
    for key in ["rmse", "mae", "smse", "msll", "nlpd", "coverage", "width"] {
        assert!(!scores["gp"][key].is_null() && !scores["linear"][key].is_null(), "{key}");
    }
    assert_eq!(scores["mean"]["msll"], 0.0);
    assert!((scores["mean"]["smse"].as_f64().unwrap() - 1.0).abs() < 1e-9);
    // The score is the mean of the log densities per row.
    let density = desk.ok("predict model.gp t.csv").column("log_density");
    let mean = -density.iter().sum::<f64>() / 60.0;
    assert!((scores["gp"]["nlpd"].as_f64().unwrap() - mean).abs() < 1e-12);

    desk.write("c.csv", circle(150));
    desk.ok("fit c.csv --target y -o c.gp --iterations 20");
    let json = desk.ok("eval c.gp c.csv --json").json();
    for key in ["error", "log_loss", "brier", "ece", "confusion", "reliability"] {
        assert!(!json["scores"]["gp"][key].is_null(), "{key}");
    }
    let text = desk.ok("eval c.gp c.csv").out;
    assert!(text.starts_with("on 150 rows") && text.contains("true label, predicted as"), "{text}");
}
