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
        // Half of a Gaussian is within 0.6745 deviations.
        let half = 0.674_489_750_196_081_7 * variance.sqrt();
        assert!((column("upper")[row] - (mean + half)).abs() < 1e-9);
        assert!((column("lower")[row] - (mean - half)).abs() < 1e-9);
    }
    // Columns in another order, others besides, no target.
    desk.write("new.csv", "note,x\nhere,1\nthere,2\n");
    let said = desk.ok("predict model.gp new.csv --id note");
    assert_eq!(said.table().0, ["note", "mean", "variance", "lower", "upper"]);
    assert_eq!(said.table().1[1][0], "there");
    assert!((said.column("mean")[0] - 1f64.sin()).abs() < 0.1);
    assert_eq!(desk.gp("predict model.gp new.csv --proba").code, 2);
    assert_eq!(desk.gp("predict model.gp new.csv --interval 1").code, 2);
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
    // A level that was not there in training is none of those that were.
    desk.write("new.csv", "a,b,kind\n0,0,violet\n");
    let said = desk.ok("predict model.gp new.csv");
    assert!(said.err.contains("level `violet` was not seen in training"), "{}", said.err);
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
            // Differences of numbers of the size of the prior variance, about 1.
            assert!((covariance[i][i] - variance[i]).abs() < 1e-9, "{method}");
            assert!((0..3).all(|j| (covariance[i][j] - covariance[j][i]).abs() < 1e-12));
        }
        assert!(covariance[1][2] > 0.5 * variance[1], "{method}");
    }
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
    desk.refused("predict model.gp t.csv -o p.csv", 7, &["`p.csv` is there already", "--force"]);
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
    // The mean of log densities is what predictions say row by row.
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
