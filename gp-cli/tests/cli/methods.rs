//! Mixtures and active points.

use crate::support::{Desk, circle, sine};
use gp_cli::Context;
use gp_cli::data::{Formats, ReadOptions, Source};
use gp_cli::model::Model;

fn with(table: &str) -> Desk {
    let desk = Desk::new();
    desk.write("t.csv", table);
    desk
}

/// Three labels in six stretches.
fn stretches(rows: usize) -> String {
    let row = |i: usize| {
        let x = 6.0 * i as f64 / rows as f64;
        format!("{x},{}\n", ["low", "middle", "high"][(6 * i / rows) % 3])
    };
    "x,y\n".to_owned() + &(0..rows).map(row).collect::<String>()
}

/// Loaded models keep their bits, probabilities sum to 1, and reports, plots and conversions succeed.
#[track_caller]
fn everything_works(desk: &Desk, model: &str) {
    let bytes = desk.read(model);
    let loaded = Model::from_bytes(&bytes, model, &Context::built_in()).unwrap();
    assert!(loaded.to_bytes().unwrap() == bytes);
    let table = desk.ok(&format!("predict {model} t.csv --latent")).table().1;
    assert_eq!(table, desk.ok(&format!("predict {model} t.csv --latent --threads 1")).table().1);
    desk.ok(&format!("eval {model} t.csv"));
    desk.ok(&format!("inspect {model}"));
    assert!(desk.ok(&format!("inspect {model} --json")).json()["latents"][0]["kernel"].is_string());
    desk.ok(&format!("convert {model} --to json"));
    desk.ok(&format!("plot {model} t.csv -o p.svg --force"));
    desk.ok(&format!("report {model} --test t.csv -o r.html --force"));
}

#[test]
fn one_gaussian_of_savigp_is_svgp() {
    for (table, flags) in [(sine(40), ""), (circle(80), "--likelihood bernoulli_logit")] {
        let desk = with(&table);
        let fit = |method: &str| {
            let line =
                format!("fit t.csv --target y --method {method} --inducing 12 --no-train --force {flags}");
            desk.ok(&format!("{line} --json")).json()["objective"].as_f64().unwrap()
        };
        // Both stop when a step gains less than a share of the bound: 1e-8 for svgp, 1e-10 for savigp.
        let (svgp, savigp) = (fit("svgp"), fit("savigp"));
        assert!((svgp - savigp).abs() <= 1e-8 * svgp.abs(), "{svgp} {savigp}");
        // 40000 evenly spread samples of a smooth function: error of about 1e-4 in each of 80 expectations.
        let sampled = fit("savigp --samples 40000");
        assert!((fit("svgp") - sampled).abs() < 0.05 && fit("svgp") != sampled, "{sampled}");
    }
}

#[test]
fn mixtures_of_diagonal_and_full_gaussians_are_models_like_any_other() {
    let desk = with(&circle(90));
    let fit = |flags: &str| {
        let line =
            format!("fit t.csv --target y --method savigp --inducing 8 --force --json --test t.csv {flags}");
        desk.ok(&line).json()
    };
    for flags in [
        "--components 3 --covariance diagonal --iterations 40",
        "--components 2 --covariance full --iterations 15",
        "--components 2 --epochs 30 --batch-size 30",
        "--covariance diagonal --iterations 60",
    ] {
        let json = fit(flags);
        let loss = |who: &str| json["test"]["scores"][who]["log_loss"].as_f64().unwrap();
        assert!(loss("gp") < loss("shares") - 0.1, "{flags}: {json}");
        assert_eq!(json["objective_kind"], "lower_bound");
    }
    let json = fit("--components 3 --covariance diagonal --iterations 40");
    let weights = desk.ok("inspect model.gp --json").json()["components"].clone();
    let sum: f64 = weights.as_array().unwrap().iter().map(|weight| weight.as_f64().unwrap()).sum();
    assert!(weights.as_array().unwrap().len() == 3 && (sum - 1.0).abs() < 1e-12, "{weights}");
    assert!(desk.ok("inspect model.gp").out.contains("a mixture of "));
    assert_eq!(json["m"], 8);
    everything_works(&desk, "model.gp");
    desk.refused("update model.gp t.csv -o other.gp", 2, &["method savigp"]);
}

#[test]
fn the_power_is_told_with_the_method() {
    let desk = with(&circle(60));
    for (flags, name, alpha) in [
        ("--method pep --alpha 0", "pep (α = 0)", Some(0.0)),
        ("--method pep", "pep (α = 0.5)", Some(0.5)),
        ("--method ep --alpha 0.25", "pep (α = 0.25)", Some(0.25)),
        ("--method ep", "ep", Some(1.0)),
        ("--method svgp", "svgp", None),
    ] {
        let said =
            desk.ok(&format!("fit t.csv --target y --inducing 6 --iterations 2 --force --json {flags}"));
        assert!(said.err.contains(&format!("method: {name} by ")), "{flags}: {}", said.err);
        assert_eq!(said.json()["alpha"].as_f64(), alpha, "{flags}");
        let line = format!("by method {name}\n");
        let text = desk.ok("inspect model.gp").out;
        assert!(text.contains(&line), "{flags}: {text}");
        let json = desk.ok("inspect model.gp --json").json();
        assert_eq!(json["about"]["training"]["alpha"].as_f64(), alpha);
        desk.ok("report model.gp -o page.html --force");
        let page = String::from_utf8(desk.read("page.html")).unwrap();
        assert!(page.contains(&format!(">{name}<")), "{flags}: {page}");
    }
}

/// Equal components are one Gaussian, where mixtures start.
#[test]
fn a_mixture_is_no_worse_than_its_first_gaussian() {
    let desk = with(&sine(40));
    let objective = |flags: &str| {
        let line = "fit t.csv --target y --method savigp --covariance diagonal --inducing 6 --force --json";
        let likelihood = "--likelihood student_t(dof=fixed(4))";
        desk.ok(&format!("{line} {likelihood} {flags}")).json()["objective"].as_f64().unwrap()
    };
    let (one, three) = (objective(""), objective("--components 3"));
    assert!(three > one - 0.5, "{three} below {one}");
}

#[test]
fn joint_covariances_have_the_variances_on_their_diagonals() {
    let rows: String = sine(40).lines().take(8).map(|line| format!("{line}\n")).collect();
    let cases = [
        (sine(40), "--method savigp --components 2 --inducing 6 --iterations 20 --likelihood student_t"),
        (
            circle(60).replace(",red", ",1").replace(",green", ",2").replace(",blue", ",3"),
            "--method ivm --inducing 20",
        ),
    ];
    for (table, flags) in cases {
        let desk = with(&table);
        desk.write("few.csv", table.lines().take(8).map(|line| format!("{line}\n")).collect::<String>());
        desk.ok(&format!("fit t.csv --target y {flags}"));
        let said = desk.ok("predict model.gp few.csv --latent --joint");
        let variance = said.column("latent_variance");
        for (row, variance) in variance.iter().enumerate() {
            let column = said.column(&format!("latent_covariance({})", row + 1));
            assert!((column[row] - variance).abs() < 1e-9 * variance.abs().max(1.0), "{flags} {row}");
        }
    }
    assert_eq!(rows.lines().count(), 8);
}

#[test]
fn several_latents_by_samples_with_a_kernel_each() {
    let desk = with(&stretches(48));
    let kernels = "--kernel \"1 * rbf\" --kernel \"2 * rbf\" --kernel \"1 * matern32\"";
    let line = "fit t.csv --target y --method savigp --inducing 10 --json --test t.csv --force";
    let json = desk.ok(&format!("{line} {kernels} --iterations 30")).json();
    assert_eq!(json["likelihood"], "softmax(classes=3)");
    let kernel = json["kernel"].as_array().unwrap();
    assert!(kernel.len() == 3 && kernel[2].as_str().unwrap().contains("matern32"), "{json}");
    let scores = &json["test"]["scores"];
    assert!(
        scores["gp"]["log_loss"].as_f64().unwrap() < scores["shares"]["log_loss"].as_f64().unwrap() - 0.2,
        "{json}"
    );
    everything_works(&desk, "model.gp");
    // Input-dependent noise: a number with two latents, in closed form.
    let desk = with(&sine(40));
    let json = desk
        .ok("fit t.csv --target y --method savigp --likelihood heteroscedastic --inducing 8 --iterations 20 --json --test t.csv")
        .json();
    assert!(json["test"]["scores"]["gp"]["rmse"].as_f64().unwrap() < 0.2, "{json}");
    // Columns, influences and kernels name functions by their roles.
    let (header, _) = desk.ok("predict model.gp t.csv --latent").table();
    assert!(header.contains(&"latent_mean(mean)".to_owned()), "{header:?}");
    assert!(header.contains(&"latent_variance(log variance)".to_owned()), "{header:?}");
    let inspect = desk.ok("inspect model.gp").out;
    for said in ["kernel mean", "kernel log variance", "of function mean over"] {
        assert!(inspect.contains(said), "{said}: {inspect}");
    }
}

#[test]
fn likelihoods_take_the_classes_of_the_target() {
    let desk = Desk::new();
    let row = |i: usize| {
        let (x, z) = ((0.7 * i as f64).sin(), (1.3 * i as f64).cos());
        format!(
            "{x},{z},{},{}\n",
            ["a", "b", "c", "d"][2 * usize::from(x > 0.0) + usize::from(z > 0.0)],
            x > 0.0
        )
    };
    desk.write("t.csv", "x,z,c,two\n".to_owned() + &(0..60).map(row).collect::<String>());
    let fit = "fit t.csv --features x,z --iterations 3 --force --json";
    for (likelihood, expected) in [
        ("softmax", "softmax(classes=4)"),
        ("softmax()", "softmax(classes=4)"),
        ("multiclass_probit", "multiclass_probit(classes=4)"),
        ("robust_max(epsilon=fixed(0.01))", "robust_max(classes=4, epsilon=fixed(0.01))"),
        ("softmax(classes=4)", "softmax(classes=4)"),
    ] {
        let json = desk.ok(&format!("{fit} --target c --likelihood {likelihood}")).json();
        assert!(json["likelihood"].as_str().unwrap().starts_with(expected.trim_end_matches(')')), "{json}");
    }
    let json = desk.ok(&format!("{fit} --target two --task multiclass --likelihood softmax")).json();
    assert_eq!(json["likelihood"], "softmax(classes=2)");
    desk.refused(
        "fit t.csv --features x,z --target c --likelihood softmax(classes=3) -o no.gp",
        2,
        &["column c has 4 different values", "softmax(classes=3) takes 3", "--likelihood softmax takes"],
    );
}

#[test]
fn the_informative_vector_machine_classifies() {
    let desk = with(&circle(150));
    let fit = |flags: &str| {
        desk.ok(&format!("fit t.csv --target y --method ivm --force --json --test t.csv {flags}")).json()
    };
    let json = fit("--inducing 40");
    let loss =
        |json: &serde_json::Value, who: &str| json["test"]["scores"][who]["log_loss"].as_f64().unwrap();
    assert!(loss(&json, "gp") < loss(&json, "linear") - 0.1, "{json}");
    assert_eq!((&json["m"], &json["objective_kind"]), (&40.into(), &"lower_bound".into()));
    everything_works(&desk, "model.gp");
    assert!(desk.ok("inspect model.gp").out.contains("represented by 40 active points"));
    desk.refused("update model.gp t.csv -o other.gp", 2, &["method ivm"]);

    let desk = with(&stretches(60));
    for flags in ["", "--coupling independent"] {
        let json = desk
            .ok(&format!(
                "fit t.csv --target y --method ivm --inducing 30 --force --json --test t.csv {flags}"
            )
            .replace(
                "--inducing 30 --force --json --test t.csv --likelihood",
                "--force --json --test t.csv --likelihood",
            ))
            .json();
        assert!(loss(&json, "gp") < loss(&json, "shares") - 0.2, "{flags}: {json}");
        let probabilities = desk.ok("predict model.gp t.csv --proba");
        let classes = ["high", "low", "middle"].map(|label| probabilities.column(&format!("p({label})")));
        for row in 0..60 {
            let sum: f64 = classes.iter().map(|class| class[row]).sum();
            assert!((sum - 1.0).abs() < 1e-9, "{flags}: row {row} sums to {sum}");
        }
        let densities = probabilities.column("log_density");
        assert!(densities.iter().all(|density| *density < 0.0));
        everything_works(&desk, "model.gp");
    }
}

#[test]
fn active_points_are_a_placement_for_labels() {
    let desk = with(&circle(100));
    let line = "fit t.csv --target y --method ep --inducing 20 --no-train --force --json";
    let placed = |placement: &str| {
        desk.ok(&format!("{line} --placement {placement}")).json();
        let model = Model::from_bytes(&desk.read("model.gp"), "model.gp", &Context::built_in()).unwrap();
        model.posterior().describe()[0].represented_by.unwrap().to_owned()
    };
    let frame = Formats::built_in()
        .read(&Source::from_bytes("t.csv", circle(100).into_bytes()).unwrap(), &ReadOptions::default())
        .unwrap();
    let points = placed("ivm");
    let model = Model::from_bytes(&desk.read("model.gp"), "model.gp", &Context::built_in()).unwrap();
    let rows = model.inputs().encode(&frame).unwrap().points;
    // Each point is a row of the data, and they differ from those of a placement without labels.
    for m in 0..points.nrows() {
        assert!((0..100).any(|i| (0..points.ncols()).all(|d| rows[(i, d)] == points[(m, d)])), "{m}");
    }
    assert!(points != placed("greedy"));
    let desk = with(&sine(40));
    desk.refused(
        "fit t.csv --target y --method vfe --placement ivm",
        2,
        &["--placement ivm", "observations other than labels"],
    );
    desk.refused("fit t.csv --target y --method ivm", 2, &["method ivm", "needs labels"]);
    desk.refused(
        "fit t.csv --target y --method vfe --components 2",
        2,
        &["--components makes no difference"],
    );
    desk.refused("fit t.csv --target y --method svgp --samples 2", 2, &["--samples makes no difference"]);
    desk.refused("fit t.csv --target y --method exact --coupling coupled", 2, &["--coupling makes no"]);
}

#[test]
fn power_ep_has_one_name_for_all_likelihoods() {
    let desk = Desk::new();
    desk.write("t.csv", circle(60));
    let objective = |flags: &str| {
        let line = format!("fit t.csv --target y --inducing 12 --iterations 5 --force --json {flags}");
        desk.ok(&line).json()["objective"].as_f64().unwrap()
    };
    let half = objective("--method pep");
    // The model stores the default power.
    desk.ok("update model.gp t.csv -o more.gp");
    assert_eq!(desk.ok("inspect model.gp --json").json()["about"]["config"]["alpha"], 0.5);
    assert!(half.to_bits() == objective("--method ep --alpha 0.5").to_bits());
    assert!(objective("--method pep --alpha 1").to_bits() == objective("--method ep").to_bits());
    desk.refused(
        "fit t.csv --target y --method fitc -o f.gp",
        2,
        &["method fitc", "method pep with --alpha"],
    );
}
