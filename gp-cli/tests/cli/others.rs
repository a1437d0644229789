//! Commands cv, inspect, plot, check, update, convert, generate, help.

use crate::support::{Desk, circle, sine};
use std::time::{Duration, Instant};

#[test]
fn cross_validation_scores_every_fold() {
    let desk = Desk::new();
    desk.write("t.csv", sine(60));
    let said = desk.ok("cv t.csv --target y --folds 3");
    assert_eq!(said.out.lines().next(), Some("fold,rows,predictor,score,value,standard_error"));
    // 3 folds of 3 predictors with 3 scores, and a summary of each.
    assert_eq!(said.out.lines().count(), 1 + 27 + 9);
    let json = desk.ok("cv t.csv --target y --folds 3 --json").json();
    assert_eq!(json["folds"].as_array().unwrap().len(), 3);
    let summary = json["summary"].as_array().unwrap();
    let of = |who: &str| {
        let found =
            summary.iter().find(|entry| entry["predictor"] == who && entry["score"] == "nlpd").unwrap();
        found["mean"].as_f64().unwrap()
    };
    assert!(of("gp") < of("linear") - 0.5, "{json}");
    desk.write("splits.csv", "split,test_row\n0,1\n0,2\n1,3\n1,59\n");
    let json = desk.ok("cv t.csv --target y --splits splits.csv --json").json();
    assert_eq!(json["folds"][1]["rows"], 2);
    desk.write("wrong.csv", "split,test_row\n0,60\n");
    desk.refused(
        "cv t.csv --target y --splits wrong.csv",
        3,
        &["`wrong.csv`, line 2, column test_row", "60"],
    );
    desk.refused("cv t.csv --target y --folds 61", 3, &["61 folds of 60 rows"]);
}

/// All rows as inducing inputs explain everything; one, little.
#[test]
fn inspection_tells_how_well_inducing_inputs_cover_the_data() {
    let desk = Desk::new();
    desk.write("t.csv", sine(60));
    let coverage = |inducing: usize| {
        let kernel = "--kernel \"1 * rbf(lengthscale=0.3)\" --no-train --units model --force";
        desk.ok(&format!("fit t.csv --target y --method vfe --inducing {inducing} {kernel}"));
        let text = desk.ok("inspect model.gp").out;
        assert!(text.contains(" % of its variance at the rows, "), "{text}");
        let json = desk.ok("inspect model.gp --json").json();
        let coverage = &json["about"]["training"]["coverage"][0];
        (coverage["mean"].as_f64().unwrap(), coverage["worst"].as_f64().unwrap())
    };
    let (all, one) = (coverage(60), coverage(1));
    assert!(all.0 > 0.999_999 && all.1 > 0.999_999, "{all:?}");
    assert!(one.0 < 0.5 && one.1 < 1e-6 && one.1 < one.0, "{one:?}");
    desk.ok("fit t.csv --target y --method exact --force");
    assert!(desk.ok("inspect model.gp --json").json()["about"]["training"]["coverage"].is_null());
}

#[test]
fn pictures_of_any_number_of_inputs() {
    let desk = Desk::new();
    desk.write("one.csv", sine(40));
    desk.write("three.csv", circle(90));
    desk.ok("fit one.csv --target y -o one.gp");
    desk.ok("fit three.csv --target y -o three.gp --iterations 5");
    desk.ok("fit three.csv --target y --features a,b -o two.gp --iterations 5 --inducing 20");
    desk.ok("fit three.csv --target b --features a,kind -o number.gp --iterations 5");
    for (model, data) in [("one", "one"), ("two", "three"), ("three", "three"), ("number", "three")] {
        desk.ok(&format!("plot {model}.gp {data}.csv -o {model}.png"));
        desk.ok(&format!("plot {model}.gp {data}.csv -o {model}.svg"));
        assert!(desk.read(&format!("{model}.png")).starts_with(b"\x89PNG"));
        let text = String::from_utf8(desk.read(&format!("{model}.svg"))).unwrap();
        assert!(text.starts_with("<svg") && text.contains("</svg>"), "{model}");
    }
    // A panel per input, and agreement with observations.
    let panels = String::from_utf8(desk.read("three.svg")).unwrap();
    for part in ["depends on a", "depends on kind", "predicted probability", "blue", "half of the rows"] {
        assert!(panels.contains(part), "no `{part}`");
    }
    let panels = String::from_utf8(desk.read("number.svg")).unwrap();
    for part in ["depends on a", "predicted and observed", "share of rows below"] {
        assert!(panels.contains(part), "no `{part}`");
    }
    let regions = String::from_utf8(desk.read("two.svg")).unwrap();
    assert!(regions.contains("inducing points") && regions.contains(">in<") == regions.contains(">out<"));
    desk.refused("plot one.gp one.csv -o one.gif", 2, &["neither in .png nor in .svg"]);
    desk.refused("plot one.gp one.csv -o one.png", 7, &["--force"]);
}

#[test]
fn checks_find_what_would_hurt() {
    let desk = Desk::new();
    let mut table = "id,same,far,gap,y\n".to_owned();
    for i in 0..600 {
        let far = if i == 5 { 1e6 } else { f64::from(i % 7) };
        let gap = if i == 7 { String::new() } else { i.to_string() };
        table += &format!("name{i},1,{far},{gap},{}\n", if i < 3 { "rare" } else { "usual" });
    }
    table += "name9,1,2,9,usual\n";
    desk.write("t.csv", table);
    let text = desk.ok("check t.csv --target y").out;
    for part in [
        "column id: 600 different words in 601 rows are too many to learn from; leave it out with --exclude id",
        "column same: every row has the value 1; leave it out with --exclude same",
        "column far: 1000000 at line 7 is",
        "column gap: 1 value is missing, the first at line 9",
        "column y: label rare has only 3 rows, too few to learn from",
        "1 row is the same as an earlier one, at line 602",
    ] {
        assert!(text.contains(part), "no `{part}` in {text}");
    }
    assert_eq!(desk.ok("check t.csv --target y --json").json().as_array().unwrap().len(), 6);
    // Numbers in another notation are one finding, also if they could be labels; many rare labels are another.
    let row = |i: i32| format!("{i};{},{}\n", i / 7, 1000 + 37 * i);
    desk.write("comma.csv", "x;y\n".to_owned() + &(0..60).map(row).collect::<String>());
    let found = desk.ok("check comma.csv --target y --json").json();
    assert_eq!(found.as_array().unwrap().len(), 1, "{found}");
    let row = |i: i32| format!("{i},{}\n", if i < 20 { format!("l{i}") } else { "usual".to_owned() });
    desk.write("rare.csv", "x,y\n".to_owned() + &(0..60).map(row).collect::<String>());
    let text = desk.ok("check rare.csv --target y").out;
    assert!(text.contains("20 of 21 labels have fewer than 5 rows each, such as l0 with 1 row"), "{text}");
    assert_eq!(text.lines().count(), 1, "{text}");
    desk.write("clean.csv", sine(20));
    assert_eq!(desk.ok("check clean.csv --target y").out, "");
    // Among 20 values including itself, none is more than 4.4 standard deviations from the mean. The rare one of
    // two values is no mistake.
    let row = |i: u32| format!("{},{},{i}\n", if i == 4 { 1e6 } else { f64::from(i % 7) }, u32::from(i == 4));
    desk.write(
        "few.csv",
        std::iter::once("x,flag,y\n".to_owned()).chain((0..20).map(row)).collect::<String>(),
    );
    let found = desk.ok("check few.csv --target y --json").json();
    assert_eq!(found.as_array().unwrap().len(), 1, "{found}");
    assert!(found.to_string().contains("1000000 at line 6 is"), "{found}");
    // Two outliers do not hide each other; copies of a value are no outliers.
    let row = |i: u32| {
        let x = match i {
            4 => 60.0,
            15 => -45.0,
            _ => f64::from(i % 7),
        };
        format!("{x},{},{i}\n", u32::from(i % 60 == 1))
    };
    desk.write(
        "two.csv",
        std::iter::once("x,flag,y\n".to_owned()).chain((0..200).map(row)).collect::<String>(),
    );
    let found = desk.ok("check two.csv --target y --json").json();
    assert_eq!(found.as_array().unwrap().len(), 1, "{found}");
    let said = found.to_string();
    assert!(
        said.contains("2 values are at least") && said.contains(": 60 at line 6, -45 at line 17;"),
        "{said}"
    );
}

#[test]
fn an_exact_model_takes_in_more_observations() {
    let desk = Desk::new();
    let all = sine(60);
    let lines: Vec<&str> = all.lines().collect();
    desk.write("all.csv", &all);
    desk.write("first.csv", lines[..41].join("\n"));
    desk.write("rest.csv", [&lines[..1], &lines[41..]].concat().join("\n"));
    desk.ok("fit first.csv --target y -o first.gp --parameters known");
    desk.ok("update first.gp rest.csv -o both.gp");
    let error = |model: &str| {
        desk.ok(&format!("eval {model} rest.csv --json")).json()["scores"]["gp"]["rmse"].as_f64().unwrap()
    };
    // The first model has not seen the last third of the range.
    let (both, first) = (error("both.gp"), error("first.gp"));
    assert!(both < 0.1 && first > 2.0 * both, "{both} {first}");
}

#[test]
fn reports_are_one_page() {
    let desk = Desk::new();
    desk.write("t.csv", sine(40));
    desk.ok("fit t.csv --target y");
    desk.ok("report model.gp --test t.csv -o r.html");
    desk.ok("eval model.gp t.csv --report e.html");
    assert!(desk.read("r.html") == desk.read("e.html"));
    let text = String::from_utf8(desk.read("r.html")).unwrap();
    for part in [
        "<!DOCTYPE html>",
        "course of training",
        "negative log density",
        "95 % of new observations",
        "</html>",
    ] {
        assert!(text.contains(part), "no `{part}`");
    }
    // The page loads nothing external.
    assert!(!text.contains("src=") && !text.contains("http-equiv") && !text.contains("<script"));
    let links: Vec<&str> =
        text.split("href=\"").skip(1).map(|rest| rest.split('"').next().unwrap()).collect();
    assert!(links.len() >= 4, "{links:?}");
    for link in links {
        let place = link.strip_prefix('#').unwrap();
        assert!(text.contains(&format!("id=\"{place}\"")), "{link}");
    }
    // Training, function, and agreement with rows.
    assert_eq!(text.matches("<svg").count(), 3);
    assert!(text.contains("prefers-color-scheme:dark") && text.contains("gp fit DATA --config fit.toml"));
    desk.refused("report model.gp -o r.html", 7, &["--force"]);
}

/// The settings on the page make the same model.
#[test]
fn fits_are_run_again_by_the_settings_of_the_report() {
    let desk = Desk::new();
    desk.write("t.csv", sine(40));
    desk.ok("fit t.csv --target y --time-limit 1.5m --bound rbf.lengthscale=0.1..5 -o m.gp");
    desk.ok("report m.gp -o r.html");
    let page = String::from_utf8(desk.read("r.html")).unwrap().replace("&quot;", "\"");
    let settings = page.split("time-limit = ").nth(1).unwrap();
    assert!(settings.starts_with("\"90s\""), "{settings}");
    let begin = page.find("gp fit DATA --config fit.toml").unwrap();
    let block = page[begin..].split("<pre>").nth(1).unwrap();
    desk.write("fit.toml", block.split("</").next().unwrap().replace("&gt;", ">").replace("&lt;", "<"));
    desk.ok("fit t.csv --config fit.toml -o again.gp");
    assert_eq!(desk.ok("predict again.gp t.csv").out, desk.ok("predict m.gp t.csv").out);
}

#[test]
fn a_report_has_the_scores_of_every_table() {
    let desk = Desk::new();
    desk.write("t.csv", sine(40));
    desk.write("other.csv", sine(25));
    desk.ok("fit t.csv --target y");
    desk.ok("report model.gp --test t.csv --test other.csv -o r.html");
    desk.ok("report model.gp t.csv other.csv -o same.html");
    assert!(desk.read("same.html") == desk.read("r.html"));
    let text = String::from_utf8(desk.read("r.html")).unwrap();
    for part in [
        "Scores on t.csv</h2>",
        "Scores on other.csv</h2>",
        "Predictions beside observations in t.csv</h2>",
        "Predictions beside observations in other.csv</h2>",
        "on 40 rows",
        "on 25 rows",
        "inside the 80 % interval",
    ] {
        assert!(text.contains(part), "no `{part}`");
    }
    for (picture, count) in [("residuals", 2), ("calibration", 2), ("<svg", 5)] {
        assert_eq!(text.matches(picture).count(), count, "{picture}");
    }
    for table in ["t.csv", "other.csv"] {
        let scores = desk.ok(&format!("eval model.gp {table}")).out;
        let rmse = scores.lines().find(|line| line.contains("(rmse)")).unwrap();
        let first = rmse.split(')').nth(1).unwrap().split_whitespace().next().unwrap().to_owned();
        assert!(text.contains(&format!("<td>{first}</td>")), "{table}: {first}");
    }
    let said = desk.gp("report model.gp --test t.csv --test other.csv -o other.csv --force");
    assert!(said.code == 2 && said.err.contains("would be lost"), "{}", said.err);
}

#[test]
fn the_schema_knows_every_flag_of_a_configuration() {
    let schema = Desk::new().ok("generate schema").json();
    let properties = &schema["properties"];
    assert_eq!(properties["task"]["enum"][1], "regression");
    assert_eq!(properties["no-train"]["type"], "boolean");
    assert_eq!(properties["kernel"]["anyOf"][1]["type"], "array");
    assert!(properties["config"].is_null() && properties["method"]["description"].is_string());
}

/// Equal defaults are values, others words; help agrees.
#[test]
fn the_schema_and_the_help_know_the_defaults_of_settings() {
    let desk = Desk::new();
    let schema = desk.ok("generate schema").json();
    let properties = &schema["properties"];
    assert_eq!(properties["batch-size"]["default"], 256);
    assert_eq!(properties["covariance"]["default"], "full");
    assert!(properties["iterations"]["default"].is_null() && properties["epochs"]["default"].is_null());
    let help = desk.ok("fit --help").out;
    for (setting, words) in [
        (
            "iterations",
            "exact, pep, vfe, fitc: 300; ep, gfitc: 100 with lbfgs, 300 with lbfgs for numbers, 500 with another optimizer; ivm: 20; svgp with lbfgs: 100, 300 for numbers",
        ),
        (
            "epochs",
            "sep: 20 or the number that makes 1000 to 5000 steps, 20 or 400 to 5000 steps for more than 20 latent",
        ),
        ("alpha", "pep: 0.5; ep, sep: 1 for a log-concave likelihood"),
    ] {
        let said = properties[setting]["description"].as_str().unwrap();
        assert!(said.contains(words), "{setting}: {said}");
        assert!(help.contains(said), "{setting}: {said}");
    }
}

#[test]
fn the_default_of_a_setting_is_the_one_that_is_used() {
    let desk = Desk::new();
    desk.write("t.csv", sine(30));
    let objective = |flags: &str| {
        let fit =
            format!("fit t.csv --target y --kernel rbf --inducing 5 --iterations 2 {flags} --force --json");
        desk.ok(&fit).json()["objective"].as_f64().unwrap()
    };
    for (fit, usual, other) in [
        ("--method ep --likelihood student_t(dof=4)", "--alpha 0.5", "--alpha 1"),
        ("--method ep --likelihood gaussian", "--alpha 1", "--alpha 0.5"),
        ("--method savigp --likelihood heteroscedastic", "--samples 0", "--samples 128"),
    ] {
        let found = objective(fit);
        assert_eq!(found, objective(&format!("{fit} {usual}")), "{fit} {usual}");
        assert_ne!(found, objective(&format!("{fit} {other}")), "{fit} {other}");
    }
}

#[test]
fn what_is_generated_names_every_command() {
    let desk = Desk::new();
    for what in ["man", "bash", "zsh", "fish"] {
        let text = desk.ok(&format!("generate {what}")).out;
        assert!(["fit", "predict", "eval"].iter().all(|command| text.contains(command)), "{what}");
    }
}

#[test]
fn kernels_and_likelihoods_are_listed_with_their_parameters() {
    let desk = Desk::new();
    let kernels = desk.ok("generate kernels").out;
    for part in ["rbf(lengthscale=1)\n    ", "periodic(", "select(", "dims=[0, 2]"] {
        assert!(kernels.contains(part), "no `{part}` in {kernels}");
    }
    let likelihoods = desk.ok("generate likelihoods").out;
    desk.write("t.csv", sine(20));
    let examples: Vec<&str> =
        likelihoods.lines().filter(|line| !line.is_empty() && !line.starts_with(' ')).collect();
    assert!(examples.len() > 10 && likelihoods.contains("student_t("), "{likelihoods}");
    for example in examples {
        let said = desk.gp(&format!("fit t.csv --target y --no-train --force --likelihood \"{example}\""));
        assert!(!said.err.contains("cannot be read"), "{example}: {}", said.err);
    }
}

#[test]
fn help_is_there_at_once() {
    let desk = Desk::new();
    let quickest = (0..5).map(|_| {
        let start = Instant::now();
        desk.ok("--help");
        start.elapsed()
    });
    // The minimum of several runs, because other processes may use the machine.
    assert!(quickest.min().unwrap() < Duration::from_millis(50));
    for command in [
        "fit", "predict", "eval", "cv", "inspect", "plot", "check", "diagnose", "update", "convert",
        "generate", "demo",
    ] {
        let said = desk.ok(&format!("{command} --help"));
        assert!(said.err.is_empty() && said.out.contains("Usage: gp"), "{command}");
    }
    for line in ["", "train", "demo --seed -1", "demo --sneed 1", "demo extra"] {
        let refused = desk.gp(line);
        assert_eq!(refused.code, 2, "{line}");
        assert!(refused.out.is_empty() && !refused.err.is_empty(), "{line}");
    }
    let negative = desk.gp("fit t.csv --target y --iterations -1");
    let said = "invalid value '-1' for '--iterations <N>': it must be a whole number of at least 0";
    assert!(negative.code == 2 && negative.err.contains(said), "{}", negative.err);
}
