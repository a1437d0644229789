//! Lengths in data units.

use crate::support::Desk;
use std::fmt::Write as _;

/// Months from 1000, yearly season, input of another scale.
fn months(desk: &Desk) {
    let mut text = "month,size,y\n".to_owned();
    for month in 0..60 {
        let x = f64::from(month);
        let wave = (std::f64::consts::TAU * x / 12.0).sin() + 0.3 * (0.7 * x * x).sin();
        writeln!(text, "{},{},{}", 1000 + month, 0.01 * (1.7 * x).cos(), 20.0 * wave + 100.0).unwrap();
    }
    desk.write("t.csv", &text);
}

/// Standard deviation of months.
fn scale() -> f64 {
    let mean = 29.5;
    ((0..60).map(|month| (f64::from(month) - mean).powi(2)).sum::<f64>() / 60.0).sqrt()
}

const FIT: &str = "fit t.csv --target y --features month --method exact --force --json";

fn objective(desk: &Desk, flags: &str) -> f64 {
    desk.ok(&format!("{FIT} {flags}")).json()["objective"].as_f64().unwrap()
}

#[test]
fn a_season_is_said_in_months() {
    let desk = Desk::new();
    months(&desk);
    let of = |period: f64, length: f64| {
        format!("\"1 * periodic(period={period}) * rbf(lengthscale={length})+0.5*white\"")
    };
    let data = objective(&desk, &format!("--kernel {}", of(12.0, 40.0)));
    let inspected = desk.ok("inspect model.gp").out;
    let json = desk.ok("inspect model.gp --json").json();
    let model = objective(&desk, &format!("--units model --kernel {}", of(12.0 / scale(), 40.0 / scale())));
    assert!((data - model).abs() < 1e-9 * data.abs(), "{data} and {model}");
    let wrong = objective(&desk, &format!("--units model --no-train --kernel {}", of(12.0, 40.0)));
    assert!(data > wrong + 1.0, "{data} and {wrong}");

    // Training keeps the period near a year.
    let lengths = json["latents"][0]["lengths"].as_array().unwrap();
    let names: Vec<&str> = lengths.iter().map(|of| of["parameter"].as_str().unwrap()).collect();
    assert_eq!(names, ["periodic.period", "rbf.lengthscale"]);
    assert!((lengths[0]["value"].as_f64().unwrap() - 12.0).abs() < 0.3, "{lengths:?}");
    assert!(inspected.contains("periodic.period in units of the data: month "), "{inspected}");
    assert!(inspected.contains("exactly, in units of the model: "), "{inspected}");
}

#[test]
fn what_was_said_is_shown_again() {
    let desk = Desk::new();
    months(&desk);
    let kernel =
        "--kernel \"1 * periodic(period=12 in [10, 14] ~ gamma(2, 0.1), lengthscale=0.7)\" --no-train";
    objective(&desk, kernel);
    let inspected = desk.ok("inspect model.gp").out;
    let line = "periodic.period in units of the data: month 12.00 in [10, 14] ~ gamma(2, 0.1), fixed";
    assert!(inspected.contains(line), "{inspected}");
    let shown = "periodic(period=fixed(12) in [10, 14] ~ gamma(2, 0.1), lengthscale=fixed(0.7))";
    assert!(inspected.contains(shown), "{inspected}");
    let fitted = desk.ok(&format!("{} {kernel}", FIT.replace(" --json", "")));
    // The line of the fit shows no priors of fixed parameters, which have no effect.
    let trained = "periodic(period=fixed(12) in [10, 14], lengthscale=fixed(0.7))";
    assert!(fitted.err.contains(trained), "{}", fitted.err);
    desk.ok("report model.gp -o page.html");
    let page = String::from_utf8(desk.read("page.html")).unwrap();
    assert!(page.contains("month 12.00 in [10, 14]") && page.contains("units = &quot;data&quot;"), "{page}");

    let json = desk.ok("inspect model.gp --json").json();
    let period = &json["latents"][0]["lengths"][0];
    for (name, expected) in [("value", 12.0), ("lower", 10.0), ("upper", 14.0)] {
        assert!((period[name].as_f64().unwrap() - expected).abs() < 1e-12, "{period}");
    }
    let stored = json["latents"][0]["kernel"].as_str().unwrap();
    assert!(stored.contains(&format!("fixed({}", &(12.0 / scale()).to_string()[..8])), "{stored}");
}

#[test]
fn bounds_and_priors_are_in_units_of_the_data() {
    let desk = Desk::new();
    months(&desk);
    let kernel = "--kernel \"1 * rbf + white\" --no-train";
    let json = |flags: &str| {
        objective(&desk, &format!("{kernel} {flags}"));
        desk.ok("inspect model.gp --json").json()["latents"][0]["lengths"][0].clone()
    };
    let said = json("--bound rbf.lengthscale=2..50 --prior rbf.lengthscale=log_normal(2,0.5)");
    assert!((said["lower"].as_f64().unwrap() - 2.0).abs() < 1e-12, "{said}");
    assert!((said["upper"].as_f64().unwrap() - 50.0).abs() < 1e-12, "{said}");
    // The default of 1 is in model units.
    assert!((said["value"].as_f64().unwrap() - scale()).abs() < 1e-9, "{said}");
    let (low, high, mu) = (2.0 / scale(), 50.0 / scale(), 2.0 - scale().ln());
    let model = json(&format!(
        "--units model --bound rbf.lengthscale={low}..{high} --prior rbf.lengthscale=log_normal({mu},0.5)"
    ));
    for name in ["value", "lower", "upper"] {
        let (one, other) = (said[name].as_f64().unwrap(), model[name].as_f64().unwrap());
        assert!((one - other).abs() < 1e-9, "{name}: {said} and {model}");
    }
    let mu = |of: &serde_json::Value| {
        let text = of["prior"].as_str().unwrap();
        text["log_normal(".len()..].split(',').next().unwrap().parse::<f64>().unwrap()
    };
    assert!((mu(&said) - mu(&model)).abs() < 1e-12 && (mu(&said) - 2.0).abs() < 1e-12, "{said}");
}

#[test]
fn one_number_for_inputs_of_different_scales_is_refused() {
    let desk = Desk::new();
    months(&desk);
    let fit = "fit t.csv --target y --method exact --force --no-train";
    for (flags, words) in [
        ("--kernel 1*rbf(lengthscale=2)", ["lengthscale", "dims=[…]", "--units model"]),
        ("--kernel rbf --bound rbf.lengthscale=0.1..9", ["--bound", "size (0.0", "--units model"]),
        ("--kernel rbf --prior rbf.lengthscale=gamma(2,1)", ["--prior", "month (17.", "--units model"]),
    ] {
        desk.refused(&format!("{fit} {flags}"), 2, &words);
        desk.ok(&format!("{fit} {flags} --units model"));
    }
    for flags in [
        "--kernel \"rbf(lengthscale=[20, 0.01])\"",
        "--kernel \"rbf(lengthscale=2, dims=[month]) + rbf(lengthscale=0.01 in [0.001, 1], dims=[size])\"",
        "--kernel rbf+linear --bound linear.lengthscale=0.1.. --units model",
    ] {
        desk.ok(&format!("{fit} {flags}"));
    }
    desk.ok(&format!("{fit} --kernel \"rbf(lengthscale=2)\" --standardize none"));
}

#[test]
fn bounds_and_priors_hold_along_each_input_in_its_own_units() {
    let desk = Desk::new();
    months(&desk);
    let fit = "fit t.csv --target y --method exact --force";
    let lengths = |flags: &str| {
        desk.ok(&format!("{fit} {flags}"));
        desk.ok("inspect model.gp --json").json()["latents"][0]["lengths"].as_array().unwrap().clone()
    };
    for flags in [
        "--bound rbf.lengthscale=0.1..9 --prior rbf.lengthscale=gamma(2,1)",
        "--kernel \"rbf(ard=true, lengthscale=1 in [0.1, 9] ~ gamma(2, 1))\"",
        "--kernel \"rbf(lengthscale=[1, 1] in [0.1, 9] ~ gamma(2, 1))\"",
    ] {
        let found = lengths(flags);
        let of_rbf: Vec<_> = found.iter().filter(|of| of["parameter"] == "rbf.lengthscale").collect();
        assert_eq!(of_rbf.len(), 2, "{flags}: {found:?}");
        for (length, input) in of_rbf.iter().zip(["month", "size"]) {
            assert_eq!(length["input"], input);
            for (end, expected) in [("lower", 0.1), ("upper", 9.0)] {
                assert!((length[end].as_f64().unwrap() - expected).abs() < 1e-12, "{flags}: {length}");
            }
            assert!((0.1..9.0).contains(&length["value"].as_f64().unwrap()), "{flags}: {length}");
            let prior = length["prior"].as_str().unwrap();
            assert!(
                prior.starts_with("gamma(2, 1") || prior.starts_with("gamma(2, 0.99999"),
                "{flags}: {length}"
            );
        }
        assert!(desk.ok("inspect model.gp").out.contains("month "), "{flags}");
    }
}

#[test]
fn bounds_that_cannot_be_are_told_in_the_numbers_given() {
    let desk = Desk::new();
    months(&desk);
    for (flags, words) in [
        ("--bound rbf.lengthscale=40..5", ["lower end 40", "upper end 5"]),
        ("--bound rbf.lengthscale=-1..5", ["rbf.lengthscale=-1..5", "between 0 and inf"]),
        (
            "--kernel \"rbf(lengthscale=3, dims=[month])\" --bound rbf.lengthscale=5..9",
            ["at 3.000", "between 5 and 9"],
        ),
    ] {
        desk.refused(&format!("fit t.csv --target y {flags}"), 2, &words);
    }
    desk.ok("fit t.csv --target y --method exact --features month --bound rbf.lengthscale=0.5..2");
    desk.ok("fit t.csv --target y --method exact --force --bound rbf.lengthscale=..9");
}

#[test]
fn columns_as_they_are_have_the_units_of_the_model() {
    let desk = Desk::new();
    months(&desk);
    let flags = "--standardize none --kernel \"300 * periodic(period=12) + white(variance=20)\"";
    let kernel = |units: &str| {
        desk.ok(&format!("{FIT} {flags} --units {units}")).json()["kernel"].as_str().unwrap().to_owned()
    };
    assert_eq!(kernel("data"), kernel("model"));
}

#[test]
fn dates_are_counted_in_days() {
    let desk = Desk::new();
    let mut text = "day,y\n".to_owned();
    for month in 0..48 {
        let (year, of_year) = (2018 + month / 12, 1 + month % 12);
        let y = (std::f64::consts::TAU * f64::from(of_year) / 12.0).sin();
        writeln!(text, "{year}-{of_year:02}-01,{y}").unwrap();
    }
    desk.write("d.csv", &text);
    desk.ok("fit d.csv --target y --method exact --no-train --kernel periodic(period=365.25)+0.1*white");
    let inspected = desk.ok("inspect model.gp").out;
    assert!(inspected.contains("periodic.period in units of the data: day 365.2 days"), "{inspected}");
    let lengths = desk.ok("inspect model.gp --json").json()["latents"][0]["lengths"].clone();
    assert_eq!(lengths[0]["unit"], "days");
}

#[test]
fn configurations_keep_the_units() {
    let desk = Desk::new();
    months(&desk);
    desk.write("c.toml", "target = \"y\"\nfeatures = [\"month\"]\nmethod = \"exact\"\nunits = \"model\"\nkernel = \"1 * rbf(lengthscale=0.5)\"\nno-train = true\n");
    desk.ok("fit t.csv --config c.toml");
    let stored = desk.ok("inspect model.gp --json").json();
    assert_eq!(stored["about"]["config"]["units"], "model");
    assert!(stored["latents"][0]["kernel"].as_str().unwrap().contains("fixed(0.5)"));
    desk.ok("fit t.csv --config c.toml --units data -o d.gp");
    let stored = desk.ok("inspect d.gp --json").json();
    assert_eq!(stored["about"]["config"]["units"], "data");
    let length = stored["latents"][0]["lengths"][0]["value"].as_f64().unwrap();
    assert!((length - 0.5).abs() < 1e-12, "{length}");
    for command in ["cv --folds 2", "diagnose --rows 20"] {
        let (name, rest) = command.split_once(' ').unwrap();
        desk.ok(&format!(
            "{name} t.csv --target y --features month --kernel 1*rbf(lengthscale=9) --units data {rest}"
        ));
    }
}

#[test]
fn objective_and_course_are_in_the_same_units() {
    let desk = Desk::new();
    months(&desk);
    let objective = objective(&desk, "--kernel \"1 * rbf(lengthscale=9) + periodic(period=12)\"");
    let json = desk.ok("inspect model.gp --json").json();
    let course: Vec<f64> =
        json["log_posterior"].as_array().unwrap().iter().map(|value| value.as_f64().unwrap()).collect();
    let (first, last) = (course[0], *course.last().unwrap());
    // Without priors, training ends at the objective.
    assert!((last - objective).abs() < 1e-6 * objective.abs(), "{last} and {objective}");
    assert!(first < last);
    let inspected = desk.ok("inspect model.gp").out;
    let line = format!("from {first:.3} to {last:.3} nats");
    assert!(inspected.contains(&line) && inspected.contains(&format!("{objective:.3} nats")), "{inspected}");
    desk.ok("update model.gp t.csv -o more.gp");
    let after = desk.ok("inspect more.gp --json").json();
    assert_eq!(after["log_posterior"], json["log_posterior"]);
}

/// Model units; equivalent flags resume.
#[test]
fn checkpoints_without_units_go_on() {
    let lengths = "--kernel \"1 * rbf(lengthscale=0.5)\"";
    for (kernel, units, refused) in
        [("", "", false), (lengths, "--units model", false), (lengths, "--units data", true)]
    {
        let desk = Desk::new();
        months(&desk);
        let fit = format!(
            "fit t.csv --target y --features month --method svgp --optimizer adam --inducing 8 {kernel}"
        );
        desk.ok(&format!("{fit} --units model --time-limit 0s --checkpoint state -o late.gp"));
        let mut record: serde_json::Value = serde_json::from_slice(&desk.read("state/fit.json")).unwrap();
        let stored = record["config"].as_object_mut().unwrap().remove("units");
        assert_eq!(stored, Some("model".into()));
        desk.write("state/fit.json", record.to_string());
        let line = format!("{fit} {units} --resume state -o done.gp");
        if refused {
            desk.refused(&line, 2, &["--units was model, and is data"]);
        } else {
            desk.ok(&line);
        }
    }
}

#[test]
fn kernels_are_shown_in_the_units_asked_for() {
    let desk = Desk::new();
    months(&desk);
    let fit =
        "fit t.csv --target y --kernel rbf(ard=true) --iterations 1 --force --bound rbf.lengthscale=0.25..9";
    let in_model = " in [0.25, 9]), lengths in the units of the model";
    let told = desk.ok(&format!("{fit} --units model")).err;
    assert!(told.contains(&format!("rbf(lengthscale=[1.414, 1.414]{in_model}")), "{told}");
    let inspected = desk.ok("inspect model.gp").out;
    assert!(inspected.contains(&format!("{in_model}\n")), "{inspected}");
    desk.ok("report model.gp -o page.html");
    assert!(String::from_utf8(desk.read("page.html")).unwrap().contains(in_model));
    let told = desk.ok(fit).err;
    assert!(told.contains(" in [0.25, 9]), lengths in the units of the data"), "{told}");
    let inspected = desk.ok("inspect model.gp").out;
    assert!(inspected.contains(" in [0.25, 9])\n") && !inspected.contains("), lengths"), "{inspected}");
}
