//! `gp fit --windows`: inducing values are means over Gaussian windows.

use crate::support::{Desk, circle, sine};
use gp_cli::Context;
use gp_cli::model::Model;

#[test]
fn narrow_windows_are_points() {
    let desk = Desk::new();
    desk.write("t.csv", sine(60));
    desk.write("c.csv", circle(60));
    let numbers = "fit t.csv --target y --inducing 8 --parameters known --no-train --units model --kernel \"1.2 * rbf(lengthscale=0.4) + linear(lengthscale=2)\" --likelihood gaussian(variance=0.05)";
    let labels = "fit c.csv --target y --features a,b --inducing 9 --no-train --units model --kernel \"2 * rbf(lengthscale=0.7) + linear + constant(variance=0.5)\"";
    for (table, flags) in [
        ("t.csv", format!("{numbers} --method pep")),
        ("t.csv", format!("{numbers} --method fitc")),
        ("c.csv", format!("{labels} --method ep")),
        ("c.csv", format!("{labels} --method svgp")),
    ] {
        let predictions = |windows: &str| {
            desk.ok(&format!("{flags} {windows} --force"));
            let said = desk.ok(&format!("predict model.gp {table} --latent"));
            [said.column("latent_mean"), said.column("latent_variance")].concat()
        };
        let (points, narrow, wide) =
            (predictions(""), predictions("--windows 1e-6"), predictions("--windows 0.5"));
        let apart = |other: &[f64]| points.iter().zip(other).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        // K_zz is near singular: changes of 1e-12 in it change predictions by about 1e-7.
        assert!(apart(&narrow) < 1e-5, "{flags}: {}", apart(&narrow));
        assert!(apart(&wide) > 1e-3, "{flags}: {}", apart(&wide));
    }
}

#[test]
fn widths_are_learned_shown_and_stored() {
    let desk = Desk::new();
    desk.write("t.csv", sine(80));
    let line =
        "fit t.csv --target y --method vfe --inducing 8 --parameters known --iterations 30 --windows 0.3";
    let said = desk.ok(line);
    assert!(said.err.contains("8 inducing windows"), "{}", said.err);
    let shown = desk.ok("inspect model.gp").out;
    assert!(shown.contains("represented by 8 inducing windows"), "{shown}");
    assert!(shown.contains("widths of windows in units of the data: x "), "{shown}");
    let json = desk.ok("inspect model.gp --json").json();
    let of = |json: &serde_json::Value, end: &str| json["latents"][0]["windows"][0][end].as_f64().unwrap();
    assert!(of(&json, "least") < 0.999 * of(&json, "largest"), "{}", json["latents"]);
    assert_eq!(json["about"]["config"]["windows"], 0.3);
    let bytes = desk.read("model.gp");
    assert!(String::from_utf8_lossy(&bytes).contains("\\\"version\\\":3"));
    let model = Model::from_bytes(&bytes, "model.gp", &Context::built_in()).unwrap();
    assert!(model.to_bytes().unwrap() == bytes);
    let rmse = desk.ok("eval model.gp t.csv --json").json()["models"]["model"]["rmse"].as_f64();
    assert!(rmse.is_none_or(|rmse| rmse < 0.1), "{rmse:?}");
    // All means are near the sine.
    let said = desk.ok("predict model.gp t.csv");
    let worst = said
        .column("mean")
        .into_iter()
        .enumerate()
        .map(|(i, mean)| (mean - (6.0 * i as f64 / 80.0).sin()).abs());
    assert!(worst.fold(0.0, f64::max) < 0.15);

    desk.ok(&format!("{line} --fix windows -o kept.gp"));
    let json = desk.ok("inspect kept.gp --json").json();
    let scale = json["about"]["inputs"]["features"][0]["encoding"]["scaled"]["scale"].as_f64().unwrap();
    for end in ["least", "largest"] {
        assert!((of(&json, end) - 0.3 * scale).abs() < 1e-12, "{}", json["latents"]);
    }
    // The same from a configuration file, in folds, and in updates.
    desk.write("c.toml", "target = \"y\"\nmethod = \"vfe\"\ninducing = 8\nparameters = \"known\"\niterations = 30\nwindows = 0.3\n");
    desk.ok("fit t.csv --config c.toml -o toml.gp");
    assert_eq!(desk.ok("predict toml.gp t.csv").out, desk.ok("predict model.gp t.csv").out);
    desk.ok("cv t.csv --folds 2 --config c.toml");
    desk.ok("update model.gp t.csv -o more.gp");
    assert!(desk.ok("inspect more.gp").out.contains("8 inducing windows"));
    desk.ok("predict more.gp t.csv --parts --joint");
    desk.ok("suggest more.gp --count 2");
    desk.ok("plot more.gp t.csv -o p.svg");
    desk.ok("report more.gp -o p.html");
    // A model without windows has a version that earlier programs read.
    desk.ok("fit t.csv --target y --method vfe --inducing 8 --parameters known --iterations 2 -o points.gp");
    assert!(String::from_utf8_lossy(&desk.read("points.gp")).contains("\\\"version\\\":1"));
}

#[test]
fn gradients_by_widths_are_right() {
    let desk = Desk::new();
    desk.write("t.csv", sine(40));
    desk.write("c.csv", circle(60));
    for line in [
        "t.csv --target y --method vfe --inducing 5 --windows 0.4 --fix none",
        "t.csv --target y --method fitc --inducing 5 --windows 0.4 --fix none",
        "c.csv --target y --method svgp --inducing 5 --windows 0.4 --fix none",
        "c.csv --target kind --method ep --inducing 8 --windows 0.4 --features a,b --fix none",
    ] {
        let said = desk.ok(&format!("diagnose {line}"));
        assert!(said.out.contains("window"), "{line}\n{}{}", said.out, said.err);
    }
}

#[test]
fn windows_that_cannot_be_are_refused() {
    let desk = Desk::new();
    desk.write("t.csv", sine(40));
    for (flags, texts) in [
        ("--windows 0", ["--windows 0: a width has to be above 0", ""]),
        ("--windows=-1", ["--windows -1: a width has to be above 0", ""]),
        ("--windows 0.3 --method exact", ["--windows makes no difference to method exact", ""]),
        ("--windows 0.3 --kernel matern32", ["--windows: ", "matern32"]),
        ("--fix windows --method vfe", ["--fix windows makes no difference to method vfe", ""]),
    ] {
        let said = desk.gp(&format!("fit t.csv --target y {flags}"));
        assert_eq!(said.code, 2, "{flags}: {}", said.err);
        assert!(texts.iter().all(|text| said.err.contains(text)), "{flags}: {}", said.err);
    }
    // With `--windows`, the default method is one with inducing inputs.
    assert!(desk.ok("fit t.csv --target y --windows 0.3 --iterations 2").err.contains("method: pep"));
}
