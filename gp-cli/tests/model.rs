//! Model files: what is written is what is read, and what cannot be read is refused by name.
#![expect(clippy::unwrap_used, reason = "helpers of tests")]

use gp_cli::ErrorKind;
use gp_cli::model::{RegressionModel, TrainingData};
use gp_likelihoods::Gaussian;

/// Two inputs of very different units, 30 rows.
fn trained() -> RegressionModel {
    let inputs: [Vec<f64>; 2] = [
        (0..30).map(|i| 1e3 * f64::from(i * 7 % 30)).collect(),
        (0..30).map(|i| 1e-3 * f64::from(i * 11 % 30)).collect(),
    ];
    let target = |(a, b): (&f64, &f64)| 50.0 + 20.0 * (a / 6e3).sin() + 9e2 * b;
    let targets: Vec<f64> = inputs[0].iter().zip(&inputs[1]).map(target).collect();
    let data =
        TrainingData { input_names: &["a", "b"], inputs: &inputs, target_name: "t", targets: &targets };
    let kernel = gp_kernels::parse("1 * rbf(lengthscale=[1, 1]) + linear").unwrap();
    RegressionModel::train(&data, kernel, Gaussian::new(0.1).unwrap(), "a test", 7).unwrap().0
}

fn places() -> [Vec<f64>; 2] {
    [(0..400).map(|i| 80.0 * f64::from(i)).collect(), (0..400).map(|i| 7e-5 * f64::from(i)).collect()]
}

#[test]
fn a_loaded_model_predicts_the_same_bits() {
    let model = trained();
    let text = model.to_text().unwrap();
    let loaded = RegressionModel::from_text(&text, "m.json").unwrap();
    assert_eq!(loaded.forecast(&places()).unwrap(), model.forecast(&places()).unwrap());
    assert_eq!(loaded.forecast_latent(&places()).unwrap(), model.forecast_latent(&places()).unwrap());
    assert_eq!(loaded.to_text().unwrap(), text);
}

#[test]
fn predictions_are_in_the_units_of_the_data() {
    let forecasts = trained().forecast(&[vec![6e3], vec![0.01]]).unwrap();
    // A noiseless smooth function of two inputs from 30 rows: within a few percent of its spread of 30.
    assert!((forecasts[0].mean - (50.0 + 20.0 * 1f64.sin() + 9.0)).abs() < 3.0, "{forecasts:?}");
    assert!(forecasts[0].variance > 0.0);
}

#[test]
fn origins_are_told_apart() {
    let text = trained().to_text().unwrap();
    assert!(RegressionModel::is_text_from(&text, "a test"));
    assert!(!RegressionModel::is_text_from(&text, "gp demo"));
    assert!(!RegressionModel::is_text_from("{}", "a test"));
    assert!(!RegressionModel::is_text_from("", "a test"));
}

#[track_caller]
fn assert_refused(text: &str, expected: &str) {
    let refused = RegressionModel::from_text(text, "m.json").unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Model);
    assert!(refused.with_causes().contains(expected), "{}", refused.with_causes());
}

#[test]
fn what_is_no_model_is_refused_by_name() {
    assert_refused("x,y\n1,2\n", "`m.json` is no model file: expected value at line 1 column 1");
    assert_refused("{\"a\": 1}", "`m.json` is no model file: missing field `format`");
    assert_refused(r#"{"format": "else", "version": 1}"#, "its format is `else`, not `gp-model`");
}

#[test]
fn a_newer_version_is_refused_with_both_versions() {
    let newer = trained().to_text().unwrap().replace("\"version\": 1", "\"version\": 2");
    assert_refused(&newer, "`m.json` has version 2 of the model format; this program reads version 1");
}

#[test]
fn damage_is_named() {
    let text = trained().to_text().unwrap();
    let damaged = |from: &str, to: &str| {
        assert!(text.contains(from), "{from} in {text}");
        text.replacen(from, to, 1)
    };
    assert_refused(&text[..text.len() / 2], "is no model file: EOF while parsing");
    assert_refused(
        &damaged("\"kernel\": \"", "\"kernel\": \"nonsense + "),
        "is damaged: the kernel cannot be used",
    );
    assert_refused(&damaged("\"noise_variance\": ", "\"noise_variance\": -"), "parameter `variance[0]` is -");
    assert_refused(&damaged("\"noise_variance\"", "\"noise\""), "is damaged: missing field `noise_variance`");
    assert_refused(&damaged("\"scale\": ", "\"scale\": -"), "is damaged: a scale that is not positive");
    assert_refused(&damaged("\"a\",", ""), "is damaged: 1 input names, 2 input columns and 2 scales");
    assert_refused(
        &damaged("\"targets\": [", "\"targets\": [\n1.0,"),
        "31 targets, but 30 values of input a",
    );
    assert_refused(&damaged("\"targets\": [", "\"targets\": [\nnull,"), "is damaged: invalid type: null");
}

#[test]
fn places_that_are_no_numbers_are_refused() {
    let refused = trained().forecast(&[vec![f64::NAN], vec![0.0]]).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Numerical);
    let too_few = trained().forecast(&[vec![0.0]]).unwrap_err();
    assert_eq!(too_few.kind(), ErrorKind::Numerical);
}
