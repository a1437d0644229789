//! Misleading data; fits that learn nothing.

use crate::support::{Desk, circle, normal_table};
use std::fmt::Write as _;

/// Evenly spread in [−1, 1], different per column.
fn spread(row: usize, column: usize) -> f64 {
    const GOLDEN: f64 = 0.618_033_988_749_894_9;
    let step = (GOLDEN * (column + 1) as f64 + (column as f64).sqrt()).fract();
    2.0 * (0.5 + step * row as f64).fract() - 1.0
}

/// Smooth function of two inputs.
fn two_matter(rows: usize, inputs: usize) -> String {
    let names: Vec<String> = (0..inputs).map(|column| format!("x{column}")).collect();
    let mut table = format!("{},y\n", names.join(","));
    for row in 0..rows {
        let x: Vec<f64> = (0..inputs).map(|column| spread(row, column)).collect();
        let y = (3.0 * x[0]).sin() + (3.0 * x[1]).cos() + 0.05 * spread(row, inputs);
        let cells: Vec<String> = x.iter().map(|x| format!("{x:.5}")).collect();
        writeln!(table, "{},{y:.5}", cells.join(",")).unwrap();
    }
    table
}

/// From equal length-scales, `vfe` and `svgp` bounds are best at pure noise.
#[test]
fn few_inputs_that_matter_are_found_among_many() {
    let desk = Desk::new();
    desk.write("t.csv", two_matter(600, 24));
    for method in ["vfe --iterations 30", "svgp --iterations 15", "pep --iterations 30"] {
        let flags =
            format!("fit t.csv --target y --inducing 50 --json --test t.csv --force --method {method}");
        let json = desk.ok(&flags).json();
        let error = json["test"]["scores"]["gp"]["smse"].as_f64().unwrap();
        assert!(error < 0.05, "{method}: {error} in {json}");
    }
}

/// For 24 inputs, length-scale 1 ends at pure noise.
#[test]
fn given_kernels_without_length_scales_learn_too() {
    let desk = Desk::new();
    desk.write("t.csv", two_matter(600, 24));
    let error = |flags: &str| {
        let fit = format!("fit t.csv --target y --inducing 50 --json --test t.csv --force {flags}");
        desk.ok(&fit).json()["test"]["scores"]["gp"]["smse"].as_f64().unwrap()
    };
    for method in ["vfe --iterations 30", "svgp --iterations 15", "pep --iterations 30"] {
        let found = error(&format!("--kernel \"1 * rbf(ard=true)\" --method {method}"));
        assert!(found < 0.05, "{method}: {found}");
    }
    // A given length-scale is where training starts.
    let ones = ["1"; 24].join(", ");
    let given =
        format!("--method vfe --units model --kernel \"1 * rbf(lengthscale=[{ones}])\" --iterations 30");
    assert!(error(&given) > 0.5);
}

/// Nearly normal inputs, y = sin(`rate` · x0), noise.
fn one_matters((seed, rows): (u64, usize), inputs: usize, (rate, noise): (f64, f64)) -> String {
    normal_table(seed, (rows, inputs), |x, next| format!("{:.5}", (rate * x[0]).sin() + noise * next))
}

/// Equal length-scales under priors must all shrink first.
#[test]
fn fast_functions_of_one_input_are_found() {
    let desk = Desk::new();
    desk.write("t.csv", one_matters((1, 400), 8, (6.0, 0.3)));
    desk.write("new.csv", one_matters((2, 400), 8, (6.0, 0.3)));
    for method in ["exact", "pep --inducing 60"] {
        let fit = format!("fit t.csv --target y --test new.csv --json --force --method {method}");
        let json = desk.ok(&fit).json();
        let error = json["test"]["scores"]["gp"]["smse"].as_f64().unwrap();
        assert!(error < 0.3, "{method}: {error} in {json}");
    }
}

/// Without priors, from √D, 30 length-scales fit noise.
#[test]
fn given_kernels_do_not_fit_noise_by_length_scales() {
    let desk = Desk::new();
    desk.write("t.csv", one_matters((3, 400), 30, (3.0, 0.05)));
    desk.write("new.csv", one_matters((2, 400), 30, (3.0, 0.05)));
    for method in ["vfe", "svgp --iterations 40", "pep", "fitc"] {
        let flags = format!("--kernel \"1 * rbf(ard=true)\" --inducing 40 --method {method}");
        let json = desk.ok(&format!("fit t.csv --target y --test new.csv --json --force {flags}")).json();
        let error = json["test"]["scores"]["gp"]["smse"].as_f64().unwrap();
        assert!(error < 0.05, "{method}: {error} in {json}");
    }
}

#[test]
fn what_learned_nothing_has_not_converged() {
    let desk = Desk::new();
    desk.write("t.csv", two_matter(60, 2));
    // With this length-scale, no input matters.
    let fit =
        "fit t.csv --target y --kernel 1*rbf(lengthscale=fixed(1e6)) --method exact --units model --force";
    let json = desk.ok(&format!("{fit} --json")).json();
    assert_eq!(json["converged"], false);
    assert!(json["reason"].as_str().unwrap().starts_with("nothing was learned"), "{json}");
    desk.refused(&format!("{fit} --strict"), 6, &["nothing was learned"]);
    let untrained = "fit t.csv --target y --method exact --iterations 0 --force";
    assert_eq!(desk.ok(&format!("{untrained} --json")).json()["converged"], false);
    desk.refused(&format!("{untrained} --strict"), 6, &["the iteration limit was reached"]);
}

#[test]
fn parameters_that_run_away_are_named() {
    let desk = Desk::new();
    desk.write("t.csv", two_matter(60, 2));
    let fit = "fit t.csv --target y --kernel 1*rbf+linear(lengthscale=1e9) --method exact --units model --force --json";
    let warnings = desk.ok(fit).json()["warnings"].to_string();
    assert!(warnings.contains("linear.lengthscale = "), "{warnings}");
}

/// 1e9 inflates the standard deviation 1e8 times; quartiles ignore it.
#[test]
fn one_enormous_number_leaves_the_function_to_be_found() {
    let desk = Desk::new();
    let rows = |outlier: bool| {
        (0..60).fold("x,y\n".to_owned(), |text, i| {
            let x = 0.1 * f64::from(i);
            let y = if outlier && i == 30 { 1e9 } else { x.sin() + 0.1 * spread(i as usize, 0) };
            text + &format!("{x},{y}\n")
        })
    };
    desk.write("t.csv", rows(true));
    desk.write("clean.csv", rows(false));
    let fit = "fit t.csv --target y --likelihood student_t(dof=fixed(4)) --force --json --test clean.csv";
    let json = desk.ok(fit).json();
    assert!(json["test"]["scores"]["gp"]["smse"].as_f64().unwrap() < 0.02, "{json}");
    assert!(!json["reason"].as_str().unwrap().contains("nothing was learned"), "{json}");
}

/// At power 1, inducing inputs of few rows stay fixed: they would move to single rows.
#[test]
fn few_rows_do_not_move_inducing_inputs_at_power_one() {
    let desk = Desk::new();
    desk.write("few.csv", two_matter(2000, 2));
    desk.write("more.csv", two_matter(2001, 2));
    for (fit, stay) in [
        ("few.csv --method fitc", true),
        ("few.csv --method pep --alpha 1", true),
        ("few.csv --method ep --likelihood gaussian", true),
        ("few.csv --method fitc --fix none", false),
        // What is fixed by name adds to what is fixed by default.
        ("few.csv --method fitc --fix kernel", true),
        ("few.csv --method fitc --fix NONE,kernel", false),
        ("more.csv --method fitc --fix kernel", false),
        ("more.csv --method fitc --fix kernel,inducing", true),
        ("few.csv --method pep", false),
        ("more.csv --method fitc", false),
    ] {
        let said = desk.ok(&format!("fit {fit} --target y --inducing 5 --iterations 1 --force"));
        assert_eq!(said.err.contains("inducing points (fixed)"), stay, "{fit}: {}", said.err);
    }
    desk.refused("fit few.csv --target y --no-train --fix none --force", 2, &["--no-train", "--fix none"]);
}

#[test]
fn sites_in_one_batch_settle_without_training() {
    let desk = Desk::new();
    desk.write("t.csv", circle(120));
    let flags = "--kernel \"9 * rbf(lengthscale=0.5)\" --units model --features a,b --inducing 20 --placement kmeans --no-train --force";
    let variances = |method: &str| {
        desk.ok(&format!("fit t.csv --target y --method {method} {flags}"));
        desk.ok("predict model.gp t.csv --latent").column("latent_variance")
    };
    let (found, expected) = (variances("sep"), variances("ep"));
    for (found, expected) in found.iter().zip(&expected) {
        assert!((found / expected - 1.0).abs() < 0.01, "{found} {expected}");
    }
}

/// Log-concave labels default to `--sites full`.
#[test]
fn mini_batches_have_sites_of_their_own() {
    let desk = Desk::new();
    let labels = two_matter(60, 2).lines().fold(String::new(), |text, line| {
        let (inputs, y) = line.rsplit_once(',').unwrap();
        let label = y.parse().map_or("y", |y: f64| if y > 0.5 { "high" } else { "low" });
        text + &format!("{inputs},{label}\n")
    });
    desk.write("t.csv", labels);
    let model = |sites: &str| {
        desk.ok(&format!(
            "fit t.csv --target y --method sep --epochs 2 --batch-size 20 -o m --force {sites}"
        ));
        desk.ok("predict m t.csv --latent").out
    };
    assert_eq!(model(""), model("--sites full"));
    assert_ne!(model(""), model("--sites tied"));
}

/// Predictions average models, which updates reweight.
#[test]
fn few_rows_leave_parameters_uncertain() {
    let desk = Desk::new();
    let (few, many) = (two_matter(25, 2), two_matter(60, 2));
    desk.write("few.csv", &few);
    desk.write("many.csv", &many);
    desk.write("rest.csv", many.lines().take(1).chain(many.lines().skip(26)).collect::<Vec<_>>().join("\n"));
    let width = |model: &str| {
        let said = desk.ok(&format!("predict {model} rest.csv"));
        said.column("upper").iter().zip(said.column("lower")).map(|(upper, lower)| upper - lower).sum::<f64>()
    };
    let models = |model: &str| {
        let json = desk.ok(&format!("inspect {model} --json")).json();
        let weights: Vec<f64> =
            json["components"].as_array().unwrap().iter().map(|weight| weight.as_f64().unwrap()).collect();
        let sum: f64 = weights.iter().sum();
        assert!((sum - 1.0).abs() < 1e-12, "{sum}");
        weights.len()
    };
    for method in ["exact", "pep --inducing 12", "vfe --inducing 12", "fitc --inducing 12"] {
        let fit = format!("fit few.csv --target y --method {method} --force");
        desk.ok(&format!("{fit} -o open.gp"));
        desk.ok(&format!("{fit} -o known.gp --parameters known"));
        assert_eq!((models("open.gp"), models("known.gp")), (41, 1), "{method}");
        let (open, known) = (width("open.gp"), width("known.gp"));
        assert!(open > 1.02 * known, "{method}: {open} {known}");
        desk.ok("update open.gp rest.csv -o later.gp --force");
        assert_eq!(models("later.gp"), 41);
        // Intervals of FITC widen by a fifth on these rows.
        let later = width("later.gp");
        assert!(later < 0.9 * open || method.starts_with("fitc"), "{method}: {later} {open}");
    }
    desk.ok("fit many.csv --target y --parameters uncertain --no-train -o prior.gp");
    assert_eq!(models("prior.gp"), 1);
}

#[test]
fn uncertain_parameters_of_labels_are_updated_too() {
    let desk = Desk::new();
    let three = |first: usize| {
        let row = |i: usize| {
            let x = (i as f64 * 0.37).sin() * 2.0;
            let label = if x < -0.6 {
                "a"
            } else if x < 0.6 {
                "b"
            } else {
                "c"
            };
            format!("{x},{label}\n")
        };
        "x,y\n".to_owned() + &(first..first + 40).map(row).collect::<String>()
    };
    desk.write("first.csv", three(0));
    desk.write("later.csv", three(40));
    for method in ["ep", "sep"] {
        let fit = format!(
            "fit first.csv --target y --method {method} --parameters uncertain --output m.gp --force"
        );
        let said = desk.ok(&fit);
        assert!(!said.err.contains("as if they were known"), "{}", said.err);
        desk.ok("update m.gp later.csv --output n.gp --force");
        let scores = desk.ok("eval n.gp later.csv --json").json();
        assert!(scores["scores"]["gp"]["error"].as_f64().unwrap() < 0.1, "{scores}");
    }
    let tied = "fit first.csv --target y --method sep --sites tied --parameters uncertain --force";
    assert!(desk.ok(tied).err.contains("predictions use the learned parameters as if they were known"));
}

#[test]
fn targets_whose_squares_are_no_numbers_are_refused() {
    let desk = Desk::new();
    let tiny: String = (0..30).map(|i| format!("{},{}\n", i, 1e-200 * f64::from(i).sin())).collect();
    desk.write("tiny.csv", "x,y\n".to_owned() + &tiny);
    desk.refused("fit tiny.csv --target y", 3, &["column y", "beyond the range of numbers"]);
}

/// Labels by sectors of a disc.
fn sectors(rows: usize) -> String {
    let mut table = "a,b,y\n".to_owned();
    for row in 0..rows {
        let (a, b) = (spread(row, 0), spread(row, 1));
        let sector = if b > 0.3 * spread(row, 2) {
            "north"
        } else if a > 0.0 {
            "east"
        } else {
            "west"
        };
        writeln!(table, "{a:.5},{b:.5},{sector}").unwrap();
    }
    table
}

/// Thirty passes are thirty steps, too few.
#[test]
fn several_classes_are_learned_to_the_end() {
    let desk = Desk::new();
    desk.write("t.csv", sectors(120));
    let fit = |flags: &str| {
        desk.ok(&format!("fit t.csv --target y --inducing 15 --json --force --method {flags}")).json()
    };
    let objective = |json: &serde_json::Value| json["objective"].as_f64().unwrap();
    for method in ["ep", "svgp", "savigp"] {
        let json = fit(method);
        assert_eq!(json["converged"], true, "{method}: {json}");
        assert!(json["iterations"].as_u64().unwrap() < 100, "{method}: {json}");
    }
    let (whole, batches) = (fit("svgp"), fit("svgp --optimizer adam"));
    assert!(batches["iterations"].as_u64().unwrap() >= 500, "{batches}");
    assert!(objective(&batches) > objective(&whole) - 5.0, "{batches} and {whole}");
}

/// Ten scores (0 to 9), labels by rule.
fn scores(rows: usize, label: impl Fn(usize, &mut [f64]) -> usize) -> String {
    let names: Vec<String> = (0..10).map(|column| format!("x{column}")).collect();
    (0..rows).fold(format!("{},label\n", names.join(",")), |text, row| {
        let mut x: Vec<f64> = (0..10).map(|column| (5.0 + 5.0 * spread(row, column)).floor()).collect();
        let label = label(row, &mut x);
        let cells: Vec<String> = x.iter().map(|x| x.clamp(0.0, 9.0).to_string()).collect();
        text + &format!("{},class {label}\n", cells.join(","))
    })
}

/// Higher scores in another third of columns per class.
fn scores_of_kinds(rows: usize, classes: usize) -> String {
    scores(rows, |row, x| {
        let class = row % classes;
        x.iter_mut().skip(class).step_by(classes).for_each(|score| *score = (0.5 * *score).floor() + 5.0);
        class
    })
}

fn default_kernel(desk: &Desk, rows: &str) -> (String, String) {
    desk.write("t.csv", rows);
    let said = desk.ok("fit t.csv --target label --force");
    let plan = said.err.lines().find(|line| line.starts_with("kernel: ")).unwrap().to_owned();
    (desk.ok("inspect model.gp --json").json()["latents"][0]["kernel"].as_str().unwrap().to_owned(), plan)
}

#[test]
fn labels_of_similar_inputs_have_one_length_scale_unless_few_inputs_matter() {
    let desk = Desk::new();
    let (all_matter, plan) = default_kernel(&desk, &scores_of_kinds(150, 2));
    assert!(
        plan.starts_with("kernel: RBF plus linear, one length-scale because inputs are of one kind"),
        "{plan}"
    );
    assert!(!all_matter.contains('[') && !all_matter.contains("fixed"), "{all_matter}");
    let by_two = |_: usize, x: &mut [f64]| usize::from((x[0] > 4.0) == (x[1] > 4.0));
    let (two_matter, plan) = default_kernel(&desk, &scores(200, by_two));
    assert!(plan.contains("one length-scale because inputs are of one kind (one for each if"), "{plan}");
    assert!(two_matter.contains("rbf(lengthscale=["), "{two_matter}");
    // Without standardisation, inputs are not of one kind.
    let own = desk.ok("fit t.csv --target label --standardize none --force");
    assert!(!own.err.contains("of one kind"), "{}", own.err);
}

/// Multiclass evidence prefers longer length-scales.
#[test]
fn several_classes_of_similar_inputs_keep_the_length_scale_of_regressions() {
    let desk = Desk::new();
    let (kernel, plan) = default_kernel(&desk, &scores_of_kinds(240, 3));
    assert!(plan.starts_with("kernel: RBF, one length-scale because inputs are of one kind"), "{plan}");
    assert!(kernel.contains("rbf(lengthscale=fixed("), "{kernel}");
    let said = desk.ok("fit t.csv --target label --force --json").json();
    assert_eq!(said["m"], 200, "{said}");
    let given = desk.ok("fit t.csv --target label --force --json --inducing 30").json();
    assert_eq!(given["m"], 30, "{given}");
}
